"""Where a board goes on beyond the picture: tiles are cut by its edge, or numbers there want more mines."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.board import SIDES, STANDARD_MINES, Board, Side, count_around, lines_from
from visionsweeper.geometry import Grid
from visionsweeper.vision.reading import Reading

_TOUCHES: Final = 0.15
"""How far from the picture's edge a board may end that is cut off just between two tiles, tiles."""

FEWEST_WANTING: Final = 2
"""Numbers at a side that want more mines than there is room for, from which on it goes on there."""


def cropped_roughly(grid: Grid, shape: tuple[int, ...]) -> bool:
    """Tell whether a board with all that is seen of it is a standard one, in a picture of (height, width) px.

    Then the picture cuts into its outermost tiles, and hides none.
    """
    cut = grid.x[0] < 0 or grid.y[0] < 0 or grid.x[-1] > shape[1] or grid.y[-1] > shape[0]
    return bool(cut) and (grid.columns, grid.rows) in STANDARD_MINES


def strained_sides(reading: Reading, shape: tuple[int, ...]) -> tuple[Side, ...]:
    """Return the sides at the edge of a picture of (height, width) px that may not be the board's own.

    Numbers are in doubt there, or want more mines than are in view.
    """
    grid = reading.grid
    away = {
        "left": grid.x[0] / grid.pitch_x,
        "right": (shape[1] - grid.x[-1]) / grid.pitch_x,
        "top": grid.y[0] / grid.pitch_y,
        "bottom": (shape[0] - grid.y[-1]) / grid.pitch_y,
    }
    strained = _sides_with(reading.uncertain | wanting_numbers(reading.board))
    return tuple(side for side in strained if abs(away[side]) <= _TOUCHES)


def wanting_sides(reading: Reading) -> tuple[Side, ...]:
    """Return the open sides of a reading where surely read numbers want more mines than are in view."""
    found = _sides_with(wanting_numbers(reading.board) & ~reading.uncertain)
    return tuple(side for side in found if side in reading.board.continues)


def wanting_numbers(board: Board) -> npt.NDArray[np.bool_]:
    """Return which numbers are larger than all that is in view around them, (rows, columns)."""
    room = count_around(board.covered | board.shown_mines)
    wanting: npt.NDArray[np.bool_] = board.numbers & (board.cells > room)
    return wanting


def _sides_with(tiles: npt.NDArray[np.bool_]) -> tuple[Side, ...]:
    """Return the sides at which enough of these (rows, columns) tiles lie."""
    return tuple(side for side in SIDES if int(lines_from(side, tiles)[0].sum()) >= FEWEST_WANTING)
