"""How much memory and time counting a board may take, over all its components together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

MEMORY: Final = 1000
"""Default limit on memory, megabytes."""

SECONDS: Final = 20.0
"""Default limit on time, seconds."""

CELLS_A_SECOND: Final = 15_000_000
"""Cells (a state and a mine count) that are counted in a second at least, forth and back, on one core of a
machine that does other things too."""

_MEGABYTE: Final = 1_000_000


@dataclass(frozen=True)
class Limit:
    """What counting a board may take."""

    memory: float = MEMORY
    """Megabytes beside what the program takes by itself."""
    seconds: float = SECONDS
    """Seconds, as a machine needs that counts `CELLS_A_SECOND`: the same board is counted or refused
    everywhere alike."""


DEFAULT: Final = Limit()


class Budget:
    """What is left of a limit while the components of a board are counted."""

    def __init__(self, limit: Limit) -> None:
        self.limit = limit
        self.cells = int(limit.seconds * CELLS_A_SECOND)
        """Cells that may still be counted."""
        self.bytes = int(limit.memory * _MEGABYTE)
        """Bytes that may still be taken."""

    def spend(self, cells: int, held: int) -> None:
        """Note what a component took: cells counted, and bytes held for as long as the board."""
        self.cells -= cells
        self.bytes -= held
