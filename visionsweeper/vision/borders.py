"""Whether a board ends where its cut does: it may go on where covered tiles leave no trace, or end before."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED
from visionsweeper.geometry import Grid
from visionsweeper.vision.cutting import cut_tiles
from visionsweeper.vision.reading import Reading
from visionsweeper.vision.tiles.clustering import near_copies
from visionsweeper.vision.tiles.features import TILE_SIZE, to_lab

Edges: TypeAlias = npt.NDArray[np.float64]

_LEAST_SHARE_ALIKE: Final = 0.85
"""Share of the tiles outside that look like covered ones from which the board may go on there."""

_CUT_OFF: Final = 0.25
"""Of a tile, how much the picture may cut off for it to be looked at."""

_DOUBTED: Final = 0.5
"""Share of the tiles of a line in doubt from which it may be none of the board."""


def going_on(image: npt.NDArray[np.uint8], reading: Reading, *, rows: bool, columns: bool) -> Grid:
    """Return the grid with the rows and columns that follow, as long as these look like covered tiles.

    `image` is the (H, W, 3) uint8 RGB picture. Covered tiles without a border leave no trace of where the
    board ends, so that a cut may end too early. `rows` and `columns` say which may follow.
    """
    covered = reading.board.cells == COVERED
    grid = reading.grid
    if covered.all() or not covered.any():
        return grid

    @cache
    def classes() -> npt.NDArray[np.uint8]:
        """The covered tiles of the board, one of each kind; most boards fill the picture and need none."""
        tiles = cut_tiles(image, grid, TILE_SIZE)[covered.ravel()]
        return np.asarray(tiles[np.unique(near_copies(to_lab(tiles)).leader)])

    def goes_on(strip: Grid) -> bool:
        like, known = cut_tiles(image, strip, TILE_SIZE), classes()
        leader = near_copies(to_lab(np.concatenate([known, like]))).leader
        return float((leader[len(known) :] < len(known)).mean()) >= _LEAST_SHARE_ALIKE

    x, y = grid.x, grid.y
    if rows:
        y = _extended(y, image.shape[0], lambda strip: goes_on(Grid(x, strip)))
    if columns:
        x = _extended(x, image.shape[1], lambda strip: goes_on(Grid(strip, y)))
    return grid if len(x) == len(grid.x) and len(y) == len(grid.y) else Grid(x, y)


def ending_before(reading: Reading, *, rows: bool, columns: bool) -> Grid:
    """Return the grid without the outer lines of tiles that hold most of the board's doubt.

    Displays and buttons in a row above the board may continue its lattice, so may numbers of rows and
    columns; read as tiles, most of them are doubted while the board itself is read surely. `rows` and
    `columns` say which may be taken off, one at each side.
    """
    grid, unsure = reading.grid, reading.uncertain
    closed = reading.board.cells == COVERED

    def outside(*line: slice | int) -> bool:
        # Covered tiles may well be alone in their row.
        return bool(unsure[line].mean() > _DOUBTED) and not bool(closed[line].all())

    every = slice(None)
    across, down = columns and grid.columns > 2, rows and grid.rows > 2
    left, right = across and outside(every, 0), across and outside(every, -1)
    top, bottom = down and outside(0, every), down and outside(-1, every)
    x, y = slice(left, grid.columns - right), slice(top, grid.rows - bottom)
    rest = unsure[y, x]
    if 2 * int(rest.sum()) >= int(unsure.sum()) or rest.mean() > _DOUBTED:
        return grid
    return Grid(grid.x[x.start : x.stop + 1], grid.y[y.start : y.stop + 1])


def _extended(edges: Edges, length: int, goes_on: Callable[[Edges], bool]) -> Edges:
    """The edges along an axis of `length` px, continued evenly at both ends as long as the board goes on."""
    pitch = float(edges[-1] - edges[0]) / (len(edges) - 1)
    slack = _CUT_OFF * pitch
    while edges[0] - pitch >= -slack and goes_on(np.array([edges[0] - pitch, edges[0]])):
        edges = np.concatenate([[edges[0] - pitch], edges])
    while edges[-1] + pitch <= length + slack and goes_on(np.array([edges[-1], edges[-1] + pitch])):
        edges = np.concatenate([edges, [edges[-1] + pitch]])
    return edges
