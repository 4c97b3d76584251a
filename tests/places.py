"""Where boards are found in a picture, for tests of the search."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from visionsweeper.errors import NoBoardFound
from visionsweeper.geometry import Grid
from visionsweeper.vision.detection.locate import locate
from visionsweeper.vision.detection.missed_tiles import Sides


def sides_but(side: int, there: float, elsewhere: float) -> Sides:
    """Return log odds for the left, right, upper and lower side, of which one (0 to 3) differs."""
    left, right, top, bottom = (there if each == side else elsewhere for each in range(4))
    return left, right, top, bottom


def find_grids(picture: npt.NDArray[np.uint8]) -> list[Grid]:
    """Return the grids of all boards found in an (H, W, 3) uint8 RGB picture, if any convinces."""
    try:
        place = locate(picture)
    except NoBoardFound:
        return []
    return [place.grid, *(each.grid for each in place.others)] if place.convincing else []


def find_grid(picture: npt.NDArray[np.uint8]) -> Grid:
    """Return the grid of the likeliest board; raises NoBoardFound."""
    return locate(picture).grid
