"""Where a board goes on beyond the picture: tiles are cut by its edge, or numbers there want more mines."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.board import SIDES, STANDARD_MINES, Board, Side, count_around, lines_from
from visionsweeper.geometry import Grid
from visionsweeper.vision.detection.locate import Location
from visionsweeper.vision.part_tiles import cut_sides, sides_with_parts, with_part_tiles
from visionsweeper.vision.reading import Reading
from visionsweeper.vision.settling.reader import Reader

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


def read_open_ended(image: npt.NDArray[np.uint8], place: Location, reading: Reading, read: Reader) -> Reading:
    """Read the board once more where it goes on beyond the picture, which nobody told.

    It does at sides where tiles are cut off, and where the picture ends between two tiles if the numbers
    there need more mines than are in view. Of an axis whose size was given nothing is asked.
    """
    if place.wanted.box is not None or not place.convincing:
        return reading
    shape = image.shape[:2]
    if place.wanted.told:
        # The sharpened cut may tell more of the part tiles than the one that was found.
        longer = with_part_tiles(image, reading.grid, place.wanted.columns, place.wanted.rows)
        if longer is not None and (longer.columns, longer.rows) != (reading.grid.columns, reading.grid.rows):
            reading = read(longer)
    grid = reading.grid
    cut = set(cut_sides_not_told(image, place, grid))
    strained = {side for side in strained_sides(reading, shape) if not place.wanted.tells(side)} - cut
    if strained:
        open_ended = read.read(grid, _in_order(cut | strained))
        wanting = strained & set(wanting_sides(open_ended))
        if wanting == strained:
            return open_ended
        cut |= wanting
    sides = _in_order(cut)
    return reading if reading.board.continues == sides else read.read(grid, sides)


def cut_sides_not_told(image: npt.NDArray[np.uint8], place: Location, grid: Grid) -> tuple[Side, ...]:
    """Return the sides at which the picture cuts through tiles, of the axes whose size was not given."""
    if place.wanted.box is not None:
        return ()
    cut = set(cut_sides(image, grid))
    if not cropped_roughly(grid, image.shape):
        cut |= set(sides_with_parts(grid, image.shape))
    return _in_order({side for side in cut if not place.wanted.tells(side)})


def _in_order(sides: set[Side]) -> tuple[Side, ...]:
    return tuple(side for side in SIDES if side in sides)
