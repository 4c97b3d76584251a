"""Boards whose covered tiles leave no trace of where they end."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from visionsweeper.board import COVERED, Board
from visionsweeper.geometry import Grid
from visionsweeper.vision.borders import going_on

SIDE = 24


def cut(opened: npt.NDArray[np.bool_], rows: int, below: int) -> tuple[npt.NDArray[np.uint8], Any]:
    """A picture of seamless covered tiles of which some are opened, with the rows read and what is below."""
    picture = np.full((opened.shape[0] * SIDE, opened.shape[1] * SIDE, 3), 60, np.uint8)
    for row, column in np.argwhere(opened).tolist():
        picture[row * SIDE : (row + 1) * SIDE, column * SIDE : (column + 1) * SIDE] = 240
        picture[row * SIDE + 6 : row * SIDE + 18, column * SIDE + 10 : column * SIDE + 13] = (20, 60, 200)
    picture[rows * SIDE :] = below
    cells = np.where(opened[:rows], 1, COVERED).astype(np.uint8)
    grid = Grid(np.arange(opened.shape[1] + 1.0) * SIDE, np.arange(rows + 1.0) * SIDE)
    return picture, reading_of(Board(cells), grid)


def reading_of(board: Board, grid: Grid) -> Any:
    """What `going_on` needs of a reading."""
    return SimpleNamespace(board=board, grid=grid)


@pytest.fixture
def opened() -> npt.NDArray[np.bool_]:
    shown = np.zeros((14, 9), np.bool_)
    shown[1:5, 2:7] = True
    return shown


def test_rows_that_look_covered_follow(opened: npt.NDArray[np.bool_]) -> None:
    picture, reading = cut(opened, 6, below=60)
    assert going_on(picture, reading, rows=True, columns=True).rows == 14
    assert going_on(picture, reading, rows=False, columns=True) is reading.grid
    turned = np.ascontiguousarray(picture.transpose(1, 0, 2))
    grid = Grid(reading.grid.y, reading.grid.x)
    aside = reading_of(Board(np.ascontiguousarray(reading.board.cells.T)), grid)
    found = going_on(turned, aside, rows=True, columns=True)
    assert (found.columns, found.rows) == (14, 9)


def test_a_page_of_another_colour_ends_the_board(opened: npt.NDArray[np.bool_]) -> None:
    picture, reading = cut(opened, 6, below=90)
    assert going_on(picture, reading, rows=True, columns=True) is reading.grid
