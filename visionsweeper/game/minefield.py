"""The truth of a game: where the mines are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from visionsweeper.board import neighbour_table
from visionsweeper.errors import InvalidInput
from visionsweeper.geometry import Position

if TYPE_CHECKING:
    from visionsweeper.game.rules import Rules


@dataclass(frozen=True, eq=False)
class Minefield:
    """Where the mines of one game are; its text has `*` for a mine and `.` for none."""

    mines: npt.NDArray[np.bool_]
    """(rows, columns) bool, read-only."""

    def __post_init__(self) -> None:
        """Raise InvalidInput for anything but a grid of at least one tile."""
        if self.mines.ndim != 2 or not self.mines.size:
            raise InvalidInput("a minefield needs at least one row of at least one tile")
        mines = np.array(self.mines, dtype=np.bool_)
        mines.setflags(write=False)
        object.__setattr__(self, "mines", mines)

    @cached_property
    def numbers(self) -> npt.NDArray[np.uint8]:
        """(rows, columns) uint8: mines around each tile, 0 to 8."""
        rows, columns = self.mines.shape
        # One more tile that is never mined stands for the neighbours beyond the edge, index -1.
        flat = np.append(self.mines.ravel(), False)
        found: npt.NDArray[np.uint8] = flat[neighbour_table(rows, columns)].sum(axis=1, dtype=np.uint8)
        return found.reshape(rows, columns)

    @property
    def count(self) -> int:
        """Number of mines."""
        return int(self.mines.sum())

    def __str__(self) -> str:
        return "".join("".join("*" if mine else "." for mine in row) + "\n" for row in self.mines)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Minefield) and np.array_equal(self.mines, other.mines)

    def __hash__(self) -> int:
        return hash((self.mines.shape, self.mines.tobytes()))

    @classmethod
    def from_text(cls, text: str) -> Minefield:
        """Read what `str` writes. Raises InvalidInput for other characters or ragged rows."""
        rows = [line.strip() for line in text.splitlines() if line.strip()]
        for number, row in enumerate(rows, start=1):
            if set(row) - set("*."):
                raise InvalidInput(
                    f"row {number} of the minefield holds other characters than * and .: {row[:40]!r}"
                )
            if len(row) != len(rows[0]):
                raise InvalidInput(
                    f"row {number} of the minefield has {len(row)} tiles, the first has {len(rows[0])}"
                )
        return cls(np.array([[tile == "*" for tile in row] for row in rows], dtype=np.bool_, ndmin=2))


def lay(rules: Rules, start: Position, random: np.random.Generator) -> Minefield:
    """Lay the mines of the rules for a first click on `start`, all ways alike."""
    free = np.ones((rules.height, rules.width), dtype=np.bool_)
    row, column = start
    if rules.first_click == "safe":
        free[row, column] = False
    elif rules.first_click == "opening":
        free[max(row - 1, 0) : row + 2, max(column - 1, 0) : column + 2] = False
    mines = np.zeros(free.shape, dtype=np.bool_)
    mines.ravel()[random.choice(np.flatnonzero(free), rules.mines, replace=False)] = True
    return Minefield(mines)
