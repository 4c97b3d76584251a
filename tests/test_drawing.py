"""The drawn picture of a text board."""

import numpy as np
import pytest

from visionsweeper import Board
from visionsweeper.board import SYMBOLS
from visionsweeper.drawing.board import TILE, draw_board


def cut(picture, grid, row, column):
    x0, y0, x1, y1 = (round(edge) for edge in grid.tile_box(row, column))
    return picture[y0:y1, x0:x1].astype(int)


def test_size_and_grid():
    picture, grid = draw_board(Board.from_text("123\n???\n"))
    assert picture.dtype == np.uint8
    assert picture.shape[2] == 3
    assert (grid.columns, grid.rows) == (3, 2)
    assert grid.pitch_x == grid.pitch_y == TILE
    assert grid.x[-1] <= picture.shape[1]
    assert grid.y[-1] <= picture.shape[0]


def test_every_tile_looks_different():
    picture, grid = draw_board(Board.from_text(SYMBOLS))
    tiles = [cut(picture, grid, 0, c) for c in range(len(SYMBOLS))]
    for i, a in enumerate(tiles):
        for b in tiles[:i]:
            assert (np.abs(a - b).max(axis=2) > 60).mean() > 0.02


def test_equal_tiles_look_equal():
    picture, grid = draw_board(Board.from_text("3?F\n3?F\n"))
    for column in range(3):
        np.testing.assert_array_equal(cut(picture, grid, 0, column), cut(picture, grid, 1, column))


@pytest.mark.parametrize("text", ["?", "8", "*" * 300])
def test_any_shape(text):
    picture, grid = draw_board(Board.from_text(text))
    assert grid.columns == len(text)
    assert picture.min() < picture.max()


@pytest.mark.slow
def test_huge_boards_get_smaller_tiles():
    picture, grid = draw_board(Board(np.full((500, 1000), 9)))
    assert 4 <= grid.pitch_x < TILE
    assert picture.shape[0] * picture.shape[1] < 70_000_000
