"""What each thread has for itself: compiled code changes it in place, and runs without the GIL."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Kept = TypeVar("Kept")


class PerThread(Generic[Kept]):
    """One thing for each thread and size of board, of the sizes used last."""

    def __init__(self, make: Callable[[int, int], Kept], most: int = 1) -> None:
        """`make` returns it for boards of so many rows and columns; `most` sizes are kept."""
        self._make, self._most = make, most
        self._own = threading.local()

    def get(self, rows: int, columns: int) -> Kept:
        """Return what this thread has for boards of this size; no other thread uses it."""
        kept: dict[tuple[int, int], Kept] | None = getattr(self._own, "kept", None)
        if kept is None:
            kept = self._own.kept = {}
        size = rows, columns
        if size in kept:
            found = kept.pop(size)
        else:
            while len(kept) >= self._most:
                del kept[next(iter(kept))]  # goes first: large boards take much memory
            found = self._make(rows, columns)
        kept[size] = found  # the last one used comes last
        return found
