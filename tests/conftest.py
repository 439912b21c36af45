"""What every test may use."""

import os
from collections.abc import Callable

import pytest

os.environ["MPLBACKEND"] = "Agg"  # figures are drawn, no window is opened


@pytest.fixture(scope="session")
def size() -> Callable[[int, int], int]:
    """Choose how much a test does: ``size(full, small)`` is `small` where the compiler is off."""
    compiler_off = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
    return lambda full, small: small if compiler_off else full
