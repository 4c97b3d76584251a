"""Lines between tiles that go on beside a board tell of part tiles, whatever colour these have."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from visionsweeper.geometry import Grid
from visionsweeper.vision.lines_between import share_going_on
from visionsweeper.vision.part_tiles import cut_sides

Picture = npt.NDArray[np.uint8]

SIDE, STRIP = 30, 18


def striped_rows(rows: int = 8, columns: int = 9) -> Picture:
    """A board whose rows of tiles have colours of their own, with dark lines between all tiles."""
    colours = np.random.default_rng(1).integers(90, 250, (rows, 3))
    picture = np.repeat(np.repeat(colours[:, None], columns * SIDE, axis=1), SIDE, axis=0)
    for line in (0, 1):
        picture[line::SIDE] = picture[:, line::SIDE] = 40
    return picture.astype(np.uint8)


def grid_of(picture: Picture, left: int, top: int) -> Grid:
    """The cut of the whole tiles of a picture, from this place on."""
    height, width = picture.shape[:2]
    return Grid(np.arange(left, width + 1.0, SIDE), np.arange(top, height + 1.0, SIDE))


@pytest.mark.parametrize("turns", range(4))
def test_a_row_of_a_colour_of_its_own_is_cut_where_the_lines_go_on(turns: int) -> None:
    board = np.rot90(striped_rows()[SIDE - STRIP :], turns)
    picture = np.ascontiguousarray(board)
    inside = np.zeros(picture.shape[:2], np.bool_)
    np.rot90(inside, -turns)[STRIP:] = True
    rows, columns = (np.flatnonzero(inside.any(axis=axis)) for axis in (1, 0))
    grid = Grid(np.arange(columns[0], columns[-1] + 2.0, SIDE), np.arange(rows[0], rows[-1] + 2.0, SIDE))
    assert cut_sides(picture, grid) == (("top", "left", "bottom", "right")[turns],)


def test_a_margin_has_no_lines() -> None:
    board = striped_rows()
    margin = np.full((len(board), STRIP, 3), 200, np.uint8)
    framed = margin.copy()
    framed[:, 6:9] = 60  # a frame along the board is no line between its rows
    numbered = margin.copy()
    for row in range(8):
        numbered[row * SIDE + 12 : row * SIDE + 20, 8:12] = 0
    for beside in (margin, framed, numbered):
        picture = np.hstack([beside, board])
        grid = grid_of(picture, STRIP, 0)
        assert share_going_on(picture, grid.x, grid.y) == 0.0
        assert cut_sides(picture, grid) == ()


def test_lines_elsewhere_are_others() -> None:
    board = striped_rows()
    picture = np.hstack([np.roll(board, SIDE // 2, axis=0)[:, -STRIP:], board])
    grid = grid_of(picture, STRIP, 0)
    assert share_going_on(picture, grid.x, grid.y) == 0.0


@pytest.mark.parametrize("going_on", [1, 3, 7])
def test_the_share_is_that_of_the_lines_that_go_on(going_on: int) -> None:
    picture = striped_rows()[:, SIDE - STRIP :]
    grid = grid_of(picture, STRIP, 0)
    for line in range(going_on + 1, 8):
        picture[line * SIDE - 6 : line * SIDE + 6, :STRIP] = 128
    assert share_going_on(picture, grid.x, grid.y) == pytest.approx(going_on / 7)


def test_without_lines_nothing_is_told() -> None:
    """Boards with two lines between their rows, and such as have no lines."""
    picture = striped_rows(rows=3)[:, SIDE - STRIP :]
    grid = grid_of(picture, STRIP, 0)
    assert share_going_on(picture, grid.x, grid.y) == 0.0
    plain = np.full((8 * SIDE, 200, 3), 90, np.uint8)
    grid = grid_of(plain, STRIP, 0)
    assert share_going_on(plain, grid.x, grid.y) == 0.0


def test_columns_beyond_the_picture_are_not_compared() -> None:
    picture = striped_rows()[:, SIDE - STRIP :]
    edges = np.arange(STRIP, picture.shape[1] + 3 * SIDE + 1.0, SIDE)
    assert share_going_on(picture, edges, np.arange(0, len(picture) + 1.0, SIDE)) == 1.0
    assert share_going_on(picture[:, : STRIP + 20], edges, np.arange(0, len(picture) + 1.0, SIDE)) == 0.0
