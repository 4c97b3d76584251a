"""Boards in a spreadsheet, whose empty cells go on around them."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from visionsweeper import Board, read_board
from visionsweeper.board import COVERED, SIDES, count_around, lines_from
from visionsweeper.errors import NoBoardFound
from visionsweeper.geometry import Grid
from visionsweeper.synthetic.positions import random_position
from visionsweeper.vision.settling.sheet import covers_page

Picture = npt.NDArray[np.uint8]

COLUMNS, ROWS, ACROSS, DOWN = 22, 18, 32, 24
LEFT, TOP = 40, 60
INK = [(20, 20, 230), (20, 130, 20), (210, 30, 30), (90, 20, 120)]


def running_game(*, open_side: bool) -> Board:
    """A game of opened and covered tiles alone, at least two of the latter along each side.

    Or none of them along the right side, if that is said to be open.
    """
    for seed in range(5000):
        labels = random_position(np.random.default_rng(seed), rare=0.0, size=(9, 12))
        covered = labels == COVERED
        left, right, top, bottom = (int(lines_from(side, covered)[0].sum()) for side in SIDES)
        ends = right == 0 if open_side else right >= 2
        plain = (covered | (labels <= len(INK))).all() and 0.3 < covered.mean() < 0.7
        if plain and ends and min(left, top, bottom) >= 2:
            return Board(labels)
    raise AssertionError("no such game")


def sheet(board: Board, column: int, row: int, label: str = "", *, zeros: bool = False) -> Picture:
    """Draw a spreadsheet with lettered columns and numbered rows, and a board from one of its cells on.

    Covered tiles are gray, opened ones as white as the page, and show their zeros or not. A `label` stands
    two columns beside the board.
    """
    picture = np.full((TOP + DOWN * ROWS + 30, LEFT + ACROSS * COLUMNS + 30, 3), 240, np.uint8)
    picture[TOP : TOP + DOWN * ROWS + 1, LEFT : LEFT + ACROSS * COLUMNS + 1] = 255
    for c in range(COLUMNS):
        write(picture, chr(65 + c), LEFT + ACROSS * c, TOP - DOWN, (90, 90, 90))
    for r in range(ROWS):
        write(picture, str(r + 1), LEFT - ACROSS, TOP + DOWN * r, (90, 90, 90))
    for (r, c), cell in np.ndenumerate(board.cells):
        if cell == COVERED:
            fill(picture, column + c, row + r)
        elif cell or zeros:
            x, y = LEFT + ACROSS * (column + c), TOP + DOWN * (row + r)
            write(picture, str(cell), x, y, INK[cell - 1] if cell else (90, 90, 90))
    write(picture, label, LEFT + ACROSS * (column + board.columns + 1), TOP + DOWN * row, (0, 0, 0))
    for c in range(COLUMNS + 1):
        picture[TOP : TOP + DOWN * ROWS, LEFT + ACROSS * c] = 212
    for r in range(ROWS + 1):
        picture[TOP + DOWN * r, LEFT : LEFT + ACROSS * COLUMNS] = 212
    return picture


def fill(picture: Picture, column: int, row: int) -> None:
    x, y = LEFT + ACROSS * column, TOP + DOWN * row
    picture[y + 1 : y + DOWN, x + 1 : x + ACROSS] = 190


def write(picture: Picture, text: str, x: int, y: int, ink: tuple[int, int, int]) -> None:
    cv2.putText(picture, text, (x + 9, y + 18), cv2.FONT_HERSHEY_DUPLEX, 0.6, ink, 1, cv2.LINE_AA)


@pytest.mark.parametrize("label", ["", "Mines 19"])
def test_a_board_ends_where_empty_cells_touch_its_covered_tiles(label: str) -> None:
    board = running_game(open_side=False)
    reading = read_board(sheet(board, 3, 4, label), themes=())
    assert str(reading.board) == str(board)
    assert not reading.uncertain.any()


def test_the_told_width_of_a_board_in_a_sheet_is_believed_and_another_is_not() -> None:
    board = running_game(open_side=False)
    picture = sheet(board, 3, 4)
    reading = read_board(picture, width=board.columns, themes=())
    assert str(reading.board) == str(board)
    assert not reading.uncertain.any()
    with pytest.raises(NoBoardFound, match="--width 13 was given"):
        read_board(picture, width=13, themes=())


@pytest.mark.parametrize("beside", [(), ((2, 3),), ((2, 3), (3, 3), (4, 3))])
def test_where_the_sheet_does_not_prove_the_end_of_a_board_all_tiles_are_in_doubt(
    beside: tuple[tuple[int, int], ...],
) -> None:
    """A last column of opened tiles may be followed by more of them, and gray cells beside prove nothing."""
    board = running_game(open_side=True)
    picture = sheet(board, 3, 4)
    for row, column in beside:
        fill(picture, column + 1 + board.columns, 4 + row)
    reading = read_board(picture, themes=())
    assert reading.uncertain.all()
    assert reading.guessed
    assert reading.board.cells.shape != (ROWS, COLUMNS)


@pytest.mark.parametrize("side", ["right", "top", "bottom"])
def test_the_edge_of_the_picture_is_no_end_of_a_board_in_a_sheet(side: str) -> None:
    """The picture cuts off two lines of the board, just between two tiles."""
    board = running_game(open_side=False)
    picture = sheet(board, 3, 4)
    y0 = TOP + 6 * DOWN
    x1, y1 = LEFT + (3 + board.columns - 2) * ACROSS, TOP + (4 + board.rows - 2) * DOWN
    cut = {
        "right": picture[:, :x1],
        "top": picture[y0:],
        "bottom": picture[:y1],
    }[side]
    reading = read_board(np.ascontiguousarray(cut), themes=())
    assert reading.board.continues or reading.uncertain.mean() > 0.5


def test_a_told_line_of_tiles_is_read() -> None:
    board = running_game(open_side=False)
    row = sheet(board, 3, 4)[TOP + 4 * DOWN : TOP + 5 * DOWN + 1, LEFT : LEFT + COLUMNS * ACROSS + 1]
    reading = read_board(np.ascontiguousarray(row), COLUMNS, 1, themes=())
    assert reading.board.cells.shape == (1, COLUMNS)


@pytest.mark.parametrize("zeros", [False, True])
def test_counters_in_the_cells_above_a_board_are_none_of_it(zeros: bool) -> None:
    board = running_game(open_side=False)
    picture = sheet(board, 3, 4, zeros=zeros)
    for row, number in ((2, "24"), (3, "6")):
        write(picture, number, LEFT + ACROSS * 3 - 5, TOP + DOWN * row, (0, 0, 0))
    reading = read_board(picture, themes=())
    assert str(reading.board) == str(board)


@pytest.mark.parametrize("zeros", [False, True])
def test_covered_tiles_of_a_board_do_not_go_on_in_the_page_around_it(zeros: bool) -> None:
    """Where every zero is shown, no cell of the board is as empty as the page around it."""
    game = running_game(open_side=False).cells.copy()
    for side in SIDES:
        lines_from(side, game)[0] = COVERED
    picture = sheet(Board(game), 3, 4, zeros=zeros)
    cells = np.full((ROWS, COLUMNS), COVERED, np.uint8)
    cells[4 : 4 + len(game), 3 : 3 + game.shape[1]] = game
    box = (float(LEFT), float(TOP), float(LEFT + ACROSS * COLUMNS), float(TOP + DOWN * ROWS))
    seen = read_board(picture, themes=())
    reading = replace(seen, board=Board(cells), grid=Grid.even(box, COLUMNS, ROWS))
    assert covers_page(picture, reading) == zeros
    cells[3] = cells[4 + len(game)] = 0
    assert not covers_page(picture, replace(reading, board=Board(cells)))


@pytest.mark.parametrize("marks", [[(3, 4)], [(1, 4), (3, 1), (3, 4)]])
def test_the_opened_corner_of_a_game_is_no_board(marks: list[tuple[int, int]]) -> None:
    """It is full of numbers, and one odd tile at its corner lies beside covered tiles on two sides."""
    mines = np.zeros((9, 9), bool)
    mines[tuple(zip(*[(1, 4), (3, 1), (3, 4), (6, 6), (7, 2), (8, 8), (1, 7), (6, 0)], strict=True))] = True
    numbers = count_around(mines)
    picture = np.full((9 * 24 + 60, 9 * 24 + 60, 3), 210, np.uint8)
    picture[30:-30, 30:-30] = 150
    for row, column in np.ndindex(4, 5):
        x, y = 30 + 24 * column, 30 + 24 * row
        if not mines[row, column]:
            picture[y : y + 24, x : x + 24] = 230
        sign = "?" if (row, column) in marks else "F" if mines[row, column] else str(numbers[row, column])
        ink = (0, 0, 0) if sign == "?" else (220, 20, 20) if sign == "F" else INK[int(sign) - 1]
        if sign != "0":
            cv2.putText(picture, sign, (x + 6, y + 19), cv2.FONT_HERSHEY_DUPLEX, 0.6, ink, 1, cv2.LINE_AA)
    for line in range(30, 30 + 9 * 24 + 1, 24):
        picture[line, 30:-30] = picture[30:-30, line] = 60
    reading = read_board(picture, themes=())
    assert (reading.board.columns, reading.board.rows) == (9, 9)
    assert reading.uncertain.mean() < 0.1
