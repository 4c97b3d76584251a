"""Compiles a function of the engine before any clock starts: of many processes on one machine, one does."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, Final

from visionsweeper.io.lock import one_at_a_time


def compile_once(entry: Callable[..., Any], *nothing: Any) -> None:
    """Compile `entry`, and keep it where that can be written, by a call with arguments that are no work."""
    from visionsweeper.engine.compiling import kept_in  # numba loads slowly

    if entry in _COMPILED:
        return
    folder = kept_in()
    with nullcontext() if folder is None else one_at_a_time(folder / f"{entry.__name__}.lock"):
        try:
            entry(*nothing)
        except OSError:  # it cannot be kept, on a full disk, but is compiled
            entry(*nothing)
    _COMPILED.add(entry)


def has_compiled(name: str) -> bool:
    """Return whether this process has compiled the function of that name, or found it compiled."""
    return any(entry.__name__ == name for entry in _COMPILED)


_COMPILED: Final[set[Any]] = set()
"""What this process has compiled, or found compiled."""
