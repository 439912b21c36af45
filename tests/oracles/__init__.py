"""Independent references, which import nothing of what they judge: plain Python, quick enough for a few cases."""

from types import FunctionType, ModuleType

from numba import njit


def compile_functions(*modules: ModuleType) -> None:
    """Exchange the functions of modules, and those they have from one another, for compiled ones: for many cases.

    Parameters
    ----------
    *modules : module
        The modules, each before those that import from it.
    """
    compiled = {}
    for module in modules:
        for name, function in list(vars(module).items()):
            if isinstance(function, FunctionType):
                compiled.setdefault(function, njit(nogil=True)(function))
                setattr(module, name, compiled[function])
