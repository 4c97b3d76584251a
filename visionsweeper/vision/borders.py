"""Whether a board ends before its cut does: what lies beside it may continue its lattice."""

from __future__ import annotations

from typing import Final

from visionsweeper.board import COVERED
from visionsweeper.geometry import Grid
from visionsweeper.vision.reading import Reading

_DOUBTED: Final = 0.5
"""Share of the tiles of a line in doubt from which it may be none of the board."""


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
