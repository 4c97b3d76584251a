"""What players measure a minefield by: its 3BV, and its ZiNi."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from visionsweeper.board import COVERED, connected, count_around, neighbour_table

if TYPE_CHECKING:
    import numpy.typing as npt

    from visionsweeper.board import Board
    from visionsweeper.game.minefield import Minefield


@dataclass(frozen=True)
class Figures:
    """What a game is measured by."""

    bbbv: int
    """3BV: the fewest left clicks that open the minefield."""
    bbbv_done: int
    """As many of them as the game has done."""
    zini: int
    """Greedy ZiNi: clicks of any kind that open the minefield, by Zimmermann's and Nikolaus' rule."""


def measure(field: Minefield, board: Board) -> Figures:
    """Return the figures of a game on that minefield which shows `board`."""
    parts = parts_of(field)
    opened = board.cells.ravel() < COVERED
    # A part is done when the tile is open that a click for it would be on.
    done = np.unique(parts[(parts >= 0) & opened]).size
    return Figures(bbbv(parts), done, zini(field))


def parts_of(field: Minefield) -> npt.NDArray[np.intp]:
    """Label what a left click opens by number: (tiles,) intp, row-major, -1 for tiles without a click.

    All tiles that show 0 and are connected have one number, and each number next to none of them has its own.
    """
    blank = ~field.mines & (field.numbers == 0)
    parts = connected(blank)
    alone = ~field.mines & (count_around(blank) == 0)
    parts[alone] = int(parts.max()) + 1 + np.arange(int(alone.sum()))
    return parts.ravel()


def bbbv(parts: npt.NDArray[np.intp]) -> int:
    """Return the 3BV: how many parts there are."""
    return int(parts.max(initial=-1)) + 1


def zini(field: Minefield) -> int:
    """Count the clicks of the greedy rule: always the number whose chord saves most, else one left click.

    What a chord saves is the 3BV that it opens, less the flags that it still needs, itself, and the click
    that opens its number. Of equals the first by columns is taken, as all programs do.
    """
    return _Greedy(field).run()


class _Greedy:
    """One minefield on its way to be opened."""

    def __init__(self, field: Minefield) -> None:
        rows, columns = field.mines.shape
        self.order = np.arange(rows * columns).reshape(rows, columns).T.ravel()
        self.mines = field.mines.ravel()
        self.numbers = field.numbers.ravel()
        self.parts = parts_of(field)
        around = neighbour_table(rows, columns)
        self.windows = [[tile, *(int(one) for one in near if one >= 0)] for tile, near in enumerate(around)]
        self.opened = np.zeros(self.mines.size, dtype=np.bool_)
        self.flagged = np.zeros(self.mines.size, dtype=np.bool_)
        self.left = set(range(bbbv(self.parts)))
        self.tiles: list[set[int]] = [set() for _ in self.left]
        """[part] the tiles that open when one of its own is clicked."""
        self.chords: list[set[int]] = [set() for _ in self.left]
        """[part] the tiles whose chord opens it."""
        self.saved = -self.numbers.astype(np.intp) - 2
        for tile, part in enumerate(self.parts):
            if part >= 0:
                self.tiles[part].update(self.windows[tile] if self.numbers[tile] == 0 else [tile])
                self.chords[part].update(self.windows[tile])
        for near in self.chords:
            self.saved[list(near)] += 1
        # No chord is made on a mine, nor on a 0, which opens all around it by itself.
        self.saved[self.mines | (self.numbers == 0)] = np.iinfo(np.int32).min

    def run(self) -> int:
        clicks = 0
        while self.left:
            best = int(self.order[np.argmax(self.saved[self.order])])
            clicks += self._chord(best) if self.saved[best] >= 0 else self._click(self._next())
        return clicks

    def _next(self) -> int:
        """Return the first tile by columns that needs a click of its own."""
        return next(int(tile) for tile in self.order if self.parts[tile] in self.left)

    def _click(self, tile: int) -> int:
        self._open(tile)
        return 1

    def _chord(self, tile: int) -> int:
        clicks = 1 + (0 if self.opened[tile] else self._click(tile))
        for other in self.windows[tile]:
            if self.mines[other] and not self.flagged[other]:
                self.flagged[other] = True
                self.saved[self.windows[other]] += 1
                clicks += 1
        for other in self.windows[tile]:
            if not self.mines[other]:
                self._open(other)
        return clicks

    def _open(self, tile: int) -> None:
        part = self.parts[tile]
        for one in self.tiles[part] if part in self.left else [tile]:
            if not self.opened[one]:
                self.opened[one] = True
                self.saved[one] += 1
        if part in self.left:
            self.left.discard(int(part))
            self.saved[list(self.chords[part])] -= 1
