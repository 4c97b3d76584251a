"""Whether tiles lie beside a board that its lattice misses, as where columns are not all of one width."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.geometry import Grid
from visionsweeper.vision.detection.extent import MOST_SAID
from visionsweeper.vision.detection.tile_map import map_tiles

Image = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]

_SHIFTS: Final = tuple(eighth / 8 for eighth in range(-1, 8))
"""How far from the board its next line of tiles is looked for, tiles."""

_WITHIN: Final = 6
"""Lines of the board that are looked at too: the tile map tells a tile by those around it."""

_BEYOND: Final = 3
"""Lines beyond it that are looked at."""

_OUTSIDE: Final = 0.2
"""Share of a tile that may lie outside the picture."""


def missed_tiles(image: Image, grid: Grid) -> float:
    """Return how much speaks for a line of tiles beside a board in an (H, W, 3) uint8 RGB picture.

    That is the mean of the log odds, over the cells of the likeliest such line, that each is a tile; at most
    MOST_SAID, and below 0 where there are rather none. The lines have the board's tiles, but may lie up to
    one tile away from it.
    """
    height, width = image.shape[:2]
    columns, rows = _one_more(grid.x), _one_more(grid.y)
    found = -MOST_SAID
    for edges, at in _lines(grid.x, width):
        found = max(found, _mean(map_tiles(image, Grid(edges, rows)).inside[1:-1, at]))
    for edges, at in _lines(grid.y, height):
        found = max(found, _mean(map_tiles(image, Grid(columns, edges)).inside[at, 1:-1]))
    return found


def _lines(edges: Floats, length: int) -> Iterator[tuple[Floats, int]]:
    """Yield borders of a few lines of tiles at either end of the board, and which of them is beside it."""
    pitch = float(edges[-1] - edges[0]) / (len(edges) - 1)
    for shift in _SHIFTS:
        before = edges[0] + (np.arange(-_BEYOND, _WITHIN + 1) - shift) * pitch
        after = edges[-1] + (np.arange(-_WITHIN, _BEYOND + 1) + shift) * pitch
        for lines, at in ((before, _BEYOND - 1), (after, _WITHIN)):
            if lines[at] >= -_OUTSIDE * pitch and lines[at + 1] <= length + _OUTSIDE * pitch:
                yield lines, at


def _one_more(edges: Floats) -> Floats:
    """The borders with one more at either end."""
    pitch = (edges[-1] - edges[0]) / (len(edges) - 1)
    return np.concatenate([[edges[0] - pitch], edges, [edges[-1] + pitch]])


def _mean(odds: npt.NDArray[np.float32]) -> float:
    return float(np.clip(odds, -MOST_SAID, MOST_SAID).mean())
