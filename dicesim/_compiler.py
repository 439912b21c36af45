"""How functions are compiled: the decorator, which also keeps their machine code, and the width of vectors."""

import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar, cast

from numba import njit, types
from numba.core import config
from numba.extending import intrinsic

Function = TypeVar("Function", bound=Callable[..., Any])

OPTIONS: dict[str, Any] = {"error_model": "numpy", "nogil": True}
HERE = sys._getframe().f_code  # this module's own code, which has a say in what is compiled


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

            compiled._cache = Cache(function, (sys._getframe(1).f_code, HERE), OPTIONS)
    return cast(Function, compiled)


def _wide(context: Any) -> Any:
    """Let the function that calls this use vectors of 512 bits, where the processor has them.

    The compiler prefers 256 bits even there, a caution from processors that slowed down. The bits are the same.
    """

    def ask(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        with suppress(AttributeError, TypeError):  # an llvmlite that keeps attributes otherwise: narrower vectors then
            set.add(builder.function.attributes, '"prefer-vector-width"="512"')
        return context.get_dummy_value()

    return types.void(), ask


wide: Any = (lambda: None) if config.DISABLE_JIT else intrinsic(_wide)  # type: ignore[attr-defined]
