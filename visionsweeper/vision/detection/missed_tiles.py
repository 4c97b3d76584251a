"""Whether tiles lie beside a board that its lattice misses, as where columns are not all of one width."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from visionsweeper.geometry import Grid
from visionsweeper.vision.detection.extent import MOST_SAID
from visionsweeper.vision.detection.tile_map import map_tiles

Image = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]

_SHIFTS: Final = tuple(eighth / 8 for eighth in range(-1, 8))
"""How far outside the board's edge a line of tiles is looked for, tiles."""

_WITHIN: Final = 6
"""Lines of the board that are looked at too: the tile map tells a tile by those around it."""

_BEYOND: Final = 3
"""Lines beyond it that are looked at."""

_OUTSIDE: Final = 0.2
"""Share of a tile that may lie outside the picture."""


Sides: TypeAlias = tuple[float, float, float, float]
"""Log odds that the board ends at its left, right, upper and lower side, at most MOST_SAID."""


def misses_tiles(image: Image, grid: Grid, sides: Sides) -> bool:
    """Tell whether a line of tiles beside a board is likelier than that the board ends there.

    `image` is an (H, W, 3) uint8 RGB picture. The line has the mean width and height of the board's tiles,
    and lies between an eighth of a tile inside its edge and seven eighths outside it; the mean of the log
    odds of its cells is compared. Nothing is looked at where the board ends beyond all doubt.
    """
    height, width = image.shape[:2]
    columns, rows = _one_more(grid.x, grid.pitch_x), _one_more(grid.y, grid.pitch_y)
    for edges, at, side in _lines(grid.x, grid.pitch_x, width, sides[:2]):
        if _mean(map_tiles(image, Grid(edges, rows)).inside[1:-1, at]) > side:
            return True
    for edges, at, side in _lines(grid.y, grid.pitch_y, height, sides[2:]):
        if _mean(map_tiles(image, Grid(columns, edges)).inside[at, 1:-1]) > side:
            return True
    return False


def _lines(
    edges: Floats, pitch: float, length: int, sides: tuple[float, float]
) -> Iterator[tuple[Floats, int, float]]:
    """Yield borders of a few lines at the ends of the board, which is beside it, and that side's log odds."""
    for shift in _SHIFTS:
        before = edges[0] + (np.arange(-_BEYOND, _WITHIN + 1) - shift) * pitch
        after = edges[-1] + (np.arange(-_WITHIN, _BEYOND + 1) + shift) * pitch
        for side, lines, at in zip(sides, (before, after), (_BEYOND - 1, _WITHIN), strict=True):
            seen = lines[at] >= -_OUTSIDE * pitch and lines[at + 1] <= length + _OUTSIDE * pitch
            if seen and side < MOST_SAID:
                yield lines, at, side


def _one_more(edges: Floats, pitch: float) -> Floats:
    """Return the borders with one more at either end."""
    return np.concatenate([[edges[0] - pitch], edges, [edges[-1] + pitch]])


def _mean(odds: npt.NDArray[np.float32]) -> float:
    return float(np.clip(odds, -MOST_SAID, MOST_SAID).mean())
