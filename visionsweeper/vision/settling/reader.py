"""Readings of a board under the cuts of its place, and how sure they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED, Side
from visionsweeper.geometry import Grid
from visionsweeper.vision.detection.candidates import Candidate
from visionsweeper.vision.detection.locate import Location
from visionsweeper.vision.reading import Reading
from visionsweeper.vision.settling.sharpen import same_board, sharpest

_MOST_TILES: Final = 4_000
"""Tiles that are read at most to choose among several cuts: more than those of five boards of 30x24.

Of patterns and noise with more, hardly anything is a board, and to read them all takes long.
"""

MOST_UNSURE: Final = 0.25
"""Share of the tiles of a line beside a board, and of the board itself, that may be in doubt."""


@dataclass(frozen=True)
class Reader:
    """Reads the board under a grid."""

    read: Callable[[Grid, tuple[Side, ...]], Reading]
    """Takes the grid, and the sides where the board goes on beyond the picture."""
    continues: tuple[Side, ...] | None = None
    """These sides as the user told them; None where nothing was said of it."""

    def __call__(self, grid: Grid) -> Reading:
        """Return what is read there."""
        return self.read(grid, self.continues or ())


def a_few(grids: Iterable[Grid]) -> Iterator[Grid]:
    """Yield the first of the grids, and of the others as many as have _MOST_TILES with it."""
    tiles = 0
    for grid in grids:
        tiles += grid.rows * grid.columns
        if tiles > _MOST_TILES and tiles > grid.rows * grid.columns:
            return
        yield grid


def sharpened(image: npt.NDArray[np.uint8], place: Location, grid: Grid) -> Grid:
    """Return the truest of the cuts that the search has considered of the board under a grid."""
    return sharpest(image, grid, (each.grid for each in place.considered), place.wanted.frame(image.shape))


def sure_more_than_unsure(reading: Reading) -> int:
    """Count the tiles that are read surely, less the others: the true cut has the most, nearly always."""
    return int((~reading.uncertain).sum()) - int(reading.uncertain.sum())


def untouched(reading: Reading) -> bool:
    """Tell whether nothing but covered tiles was read."""
    return bool((reading.board.cells == COVERED).all())


def judged(place: Location, grid: Grid) -> Candidate | None:
    """Return the likeliest of what the search considered that is this board, convincing ones first."""
    return next((each for each in place.considered if same_board(each.grid, grid)), None)
