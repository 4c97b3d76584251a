"""Compiles the engine of bulk play with numba where that is installed; else the same code runs interpreted.

What is compiled is kept in the user's cache folder, under a name made from the engine's own text: numba
itself would not notice that a function which another module calls has changed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

COMPILED: Final = find_spec("numba") is not None
"""Whether numba is there; without it bulk play is some twenty times slower."""


def compiled(function: Function) -> Function:
    """Return the function, compiled when it is first called, and callable by others that are compiled alone.

    What hands the engine's structures over from Python would take longer to compile than most functions.
    """
    return _compile(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def inlined(function: Function) -> Function:
    """Return the function, compiled into whatever calls it: for steps that are called in one place.

    numba optimizes each compiled function together with all that it calls, and again as part of its caller:
    along a chain of calls the innermost code would be optimized once for every link.
    """
    return _compile(function, no_cpython_wrapper=True, no_cfunc_wrapper=True, inline="always")


def compiled_and_kept(function: Function) -> Function:
    """Return the function, compiled to be called from Python, and kept on disk if that can be written."""
    if COMPILED and _keep():
        try:
            return _compile(function, cache=True)
        except RuntimeError:  # numba found no folder that it may write to
            pass
    return _compile(function)


def _compile(function: Function, **options: bool | str) -> Function:
    if not COMPILED:
        return function
    from numba import config, njit  # an extra

    compiler: Any = njit
    dispatcher = compiler(nogil=True, error_model="numpy", **options)(function)
    if config.DISABLE_JIT:  # type: ignore[attr-defined]
        return dispatcher  # type: ignore[no-any-return]
    # What other compiled functions ask for when they call it.
    find = dispatcher.get_call_template
    dispatcher.get_call_template = lambda args, kws: find(tuple([_widened(one) for one in args]), kws)
    return dispatcher  # type: ignore[no-any-return]


def _widened(kind: Any) -> Any:
    """Return the type as which an argument is handed over: one for all whole numbers.

    numba would compile a function again for constants, and for numbers of 32 and of 64 bits.
    """
    from numba import types

    kind = types.unliteral(kind)  # type: ignore[no-untyped-call]
    return types.int64 if kind == types.int32 else kind


def is_ready(name: str) -> bool:
    """Tell whether a function that is kept has not to be compiled first, as far as can be told."""
    return not COMPILED or any(_folder().rglob(f"*.{name}-*.nbi"))


@lru_cache(maxsize=1)
def _keep() -> bool:
    """Point numba to a folder for this very engine; False where there is none to write to."""
    import numba

    settings: Any = numba.config
    if settings.CACHE_DIR:
        return True
    try:
        _folder().mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    settings.CACHE_DIR = str(_folder())
    return True


def kept_in() -> Path | None:
    """Return where what is compiled is kept; None where nothing is."""
    return _folder() if COMPILED and _keep() else None


@lru_cache(maxsize=1)
def _folder() -> Path:
    from importlib.metadata import version

    from platformdirs import user_cache_path

    text = hashlib.sha256(version("numba").encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        text.update(source.read_bytes())
    return user_cache_path("visionsweeper") / "compiled" / text.hexdigest()[:16]
