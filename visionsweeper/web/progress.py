"""How far tasks are: told by the worker processes, read by the server."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from multiprocessing.context import SpawnContext

_shared: Any = None
"""In a worker: shares of work by their place in it, in memory that all processes have in common."""
_mine = 0
"""The place of the task that this worker is at."""


def shares(context: SpawnContext, count: int) -> Any:
    """Return memory for so many tasks; `share` takes it in each worker."""
    return context.Array("d", [math.nan] * count, lock=False)


def share(shared: Any) -> None:
    """Begin a worker that tells of its tasks there."""
    global _shared  # noqa: PLW0603 (a process has one)
    _shared = shared


def begin(place: int) -> None:
    """Tell from here on of the task that has this place."""
    global _mine  # noqa: PLW0603
    _mine = place


def tell(done: float) -> None:
    """Say how much of the task is done, 0 to 1."""
    if _shared is not None:
        _shared[_mine] = min(max(done, 0.0), 1.0)
