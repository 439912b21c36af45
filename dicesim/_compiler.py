"""The decorator of compiled functions, which says how they are compiled and that their machine code is kept."""

import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar, cast

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])

OPTIONS: dict[str, Any] = {"error_model": "numpy", "nogil": True}


def jit(function: Function) -> Function:
    """Compile a function of a module on first use, and keep its machine code for the next process.

    Parameters
    ----------
    function : callable
        Defined at the top level of the module whose execution calls this decorator.

    Returns
    -------
    callable
        Its compiled form; with the compiler off the function itself.
    """
    compiled = njit(**OPTIONS)(function)
    if compiled is not function:
        with suppress(ImportError, AttributeError):  # with a numba that lacks what the cache needs there is none
            from dicesim._cache import Cache

            compiled._cache = Cache(function, sys._getframe(1).f_code, OPTIONS)
    return cast(Function, compiled)
