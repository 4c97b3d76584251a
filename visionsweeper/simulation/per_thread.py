"""What each thread has for itself: compiled code changes it in place, and runs without the GIL."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Kept = TypeVar("Kept")


class PerThread(Generic[Kept]):
    """One thing for each thread, for boards of one size; made anew for another size."""

    def __init__(self, make: Callable[[int, int], Kept]) -> None:
        """`make` returns it for boards of so many rows and columns."""
        self._make = make
        self._own = threading.local()

    def get(self, rows: int, columns: int) -> Kept:
        """Return what this thread has for boards of this size; no other thread uses it."""
        own = self._own
        if getattr(own, "size", None) != (rows, columns):
            own.kept = None  # the old one goes first: large boards take much memory
            own.kept, own.size = self._make(rows, columns), (rows, columns)
        kept: Kept = own.kept
        return kept
