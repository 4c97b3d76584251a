"""Whether a board ends before its cut does: what lies beside it may continue its lattice."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED, FLAG, Board, neighbour_table
from visionsweeper.geometry import Grid
from visionsweeper.vision.reading import Reading

_DOUBTED: Final = 0.5
"""Share of the tiles of a line in doubt from which it may be none of the board."""

_COUNTED: Final = 0.75
"""Share of the digits 1 to 8 that are where they belong if a line numbers the rows or columns."""
_IMPOSSIBLE: Final = 0.5
"""Share of impossible numbers in an outer line from which it is none of the board."""

_FEWEST_COUNTED: Final = 4
"""Digits that have to count up: outer tiles, beside opened ones, show no 4 after 1, 2 and 3."""


def ending_before(reading: Reading, *, rows: bool, columns: bool) -> Grid:
    """Return the grid without outer lines of tiles that are none: they hold most of the doubt, or count up.

    Displays and buttons in a row above the board may continue its lattice, so may numbers of rows and
    columns; read as tiles, most of them are doubted while the board itself is read surely. `rows` and
    `columns` say which may be taken off, one at each side.
    """
    grid = _without_counted(reading, rows=rows, columns=columns)
    if grid is not reading.grid:
        return grid
    unsure = reading.uncertain
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


def speak_against(reading: Reading) -> bool:
    """Tell whether the rules of the game say that an outer line of tiles is page, or no part of the board.

    Outer lines of opened blanks beside covered tiles are page that is ruled like the board: a game opens all
    tiles around a blank one. And a line is none of the board if most of its tiles show numbers larger than
    the mines that there can be around them.
    """
    board = reading.board
    return any(
        _begins_with_page(lines) or large[0].mean() > _IMPOSSIBLE
        for lines, large in zip(_from_each_side(board.cells), _from_each_side(_too_large(board)), strict=True)
    )


def _from_each_side(tiles: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], ...]:
    """The (rows, columns) tiles as lines, the first of them the upper, lower, left and right one."""
    return tiles, tiles[::-1], tiles.T, tiles.T[::-1]


def _too_large(board: Board) -> npt.NDArray[np.bool_]:
    """(rows, columns) whether a tile shows a number larger than the mines that there can be around it.

    Never where the board goes on beyond the picture: what lies there may hold mines.
    """
    rows, columns = board.cells.shape
    around = neighbour_table(rows, columns)
    opened = np.append(board.cells.ravel() <= 8, True)  # the last for places off the board
    room = (~opened[around]).sum(axis=1).reshape(rows, columns)
    large: npt.NDArray[np.bool_] = (board.cells <= 8) & (board.cells > room)
    for side, line in (
        ("left", large[:, 0]),
        ("right", large[:, -1]),
        ("top", large[0]),
        ("bottom", large[-1]),
    ):
        if side in board.continues:
            line[:] = False
    return large


def _begins_with_page(lines: npt.NDArray[np.uint8]) -> bool:
    """Tell whether the first of the (n, m) lines of tiles are blank, and one right after them is covered."""
    blank = (lines == 0).all(axis=1)
    first = int(blank.argmin())
    return first > 0 and bool(np.isin(lines[first], (COVERED, FLAG)).any())


def _without_counted(reading: Reading, *, rows: bool, columns: bool) -> Grid:
    """The grid without outer lines that number its rows or columns; the same grid where there are none."""
    grid = reading.grid
    digits = reading.votes.argmax(axis=1)[reading.groups]
    left, right = (columns and _counts_up(digits[:, at]) for at in (0, -1))
    top, bottom = (rows and _counts_up(digits[at]) for at in (0, -1))
    if not (left or right or top or bottom):
        return grid
    # Where both are numbered, the corner is empty, and each line counts from its second tile on.
    x, y = slice(left, grid.columns - right), slice(top, grid.rows - bottom)
    return Grid(grid.x[x.start : x.stop + 1], grid.y[y.start : y.stop + 1])


def _counts_up(digits: npt.NDArray[np.intp]) -> bool:
    """Tell whether a line of tiles, (n,) classes, counts up from 0 or 1, at once or from the second tile."""
    for first in (-1, 0, 1):
        expected = np.arange(first, first + len(digits))
        asked = (expected >= 1) & (expected <= 8)
        hits = (digits == expected)[asked]
        if len(hits) >= _FEWEST_COUNTED and hits.mean() >= _COUNTED and hits[:_FEWEST_COUNTED].all():
            return True
    return False
