"""Whether a board ends where its cut does, or goes on where covered tiles leave no trace of a border."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED
from visionsweeper.geometry import Grid
from visionsweeper.vision.cutting import cut_tiles
from visionsweeper.vision.reading import Reading
from visionsweeper.vision.tiles.clustering import near_copies
from visionsweeper.vision.tiles.features import TILE_SIZE, to_lab

_ALIKE: Final = 0.85
"""Share of the tiles outside that look like covered ones from which the board may go on there."""


def going_on(image: npt.NDArray[np.uint8], reading: Reading, *, rows: bool, columns: bool) -> Grid:
    """Return the grid with the rows and columns that follow, as long as these look like covered tiles.

    `image` is the (H, W, 3) uint8 RGB picture. Covered tiles without a border leave no trace of where the
    board ends, so that a cut may end too early. `rows` and `columns` say which may follow.
    """
    grid = reading.grid
    height, width = image.shape[:2]
    for axis, length in [(0, height)] * rows + [(1, width)] * columns:
        for at_end in (False, True):
            grid = _extended(image, grid, reading, axis, length, at_end=at_end)
    return grid


def _extended(
    image: npt.NDArray[np.uint8], grid: Grid, reading: Reading, axis: int, length: int, *, at_end: bool
) -> Grid:
    covered = reading.board.cells == COVERED
    edges = (grid.y, grid.x)[axis]
    pitch = float(edges[-1] - edges[0]) / (len(edges) - 1)
    room = length - edges[-1] if at_end else edges[0]
    count = int(np.floor(room / pitch + 0.25))
    if count < 1 or not covered.any() or covered.all():
        return grid
    steps = pitch * np.arange(1, count + 1)
    more = edges[-1] + steps if at_end else edges[0] - steps[::-1]
    longer = np.concatenate([edges, more] if at_end else [more, edges])
    strip = longer[-count - 1 :] if at_end else longer[: count + 1]
    outside = Grid(grid.x, strip) if axis == 0 else Grid(strip, grid.y)
    like = _like(image, reading, covered, outside).reshape(outside.rows, outside.columns).mean(axis=1 - axis)
    like = like if at_end else like[::-1]
    goes_on = int(np.argmin(np.append(like >= _ALIKE, False)))
    if not goes_on:
        return grid
    longer = longer[: len(edges) + goes_on] if at_end else longer[count - goes_on :]
    return Grid(grid.x, longer) if axis == 0 else Grid(longer, grid.y)


def _like(
    image: npt.NDArray[np.uint8], reading: Reading, covered: npt.NDArray[np.bool_], outside: Grid
) -> npt.NDArray[np.bool_]:
    """(n,) whether the tiles outside are near copies of covered tiles of the board."""
    inside = cut_tiles(image, reading.grid, TILE_SIZE)[covered.ravel()]
    tiles = np.concatenate([inside, cut_tiles(image, outside, TILE_SIZE)])
    leader = near_copies(to_lab(tiles)).leader
    return np.asarray(np.isin(leader[len(inside) :], leader[: len(inside)]))
