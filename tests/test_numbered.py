"""Boards of text whose rows and columns are numbered: the numbers tell where the board ends."""

from __future__ import annotations

import numpy as np
import pytest
from test_text_grid import HIGH, WIDE, Picture, typed

from visionsweeper import read_board
from visionsweeper.board import COVERED, Board, count_around
from visionsweeper.geometry import Grid
from visionsweeper.vision.numbered import numbered

DIGITS = "0123456789012345678"

TOP = 3
"""Lines above the columns' numbers."""


def game(rows: int, columns: int) -> Board:
    """A game in play whose last two rows and columns are opened and blank, as page is."""
    mines = np.zeros((rows, columns), np.bool_)
    mines[1, 1] = mines[3, 0] = mines[0, 4] = mines[rows - 5, columns - 5] = True
    around = count_around(mines)
    opened = np.zeros_like(mines)
    opened[-1, -1] = True
    while True:
        further = opened | (count_around(opened & (around == 0)) > 0)
        if (further == opened).all():
            break
        opened = further
    return Board(np.where(opened, around, COVERED).astype(np.uint8))


def screen(board: Board, *, across: str = DIGITS[1:], down: str = "1", size: float = HIGH) -> Picture:
    """The board as a terminal shows it, two characters a tile, with the numbers of columns and rows.

    `across`: the numbers of the columns, or ""; `down`: the first number of the rows, or "".
    `size`: height of a character, px.
    """
    signs = str(board).strip().replace("0", " ").replace("?", "#").split("\n")
    lines = ["$ ./mines --new", "", "left: 4", "     " + " ".join(across[: board.columns])]
    for number, row in enumerate(signs):
        label = "" if not down else chr(ord("A") + number) if down == "A" else str(int(down) + number)
        lines.append(f"{label:>3}  " + " ".join(row))
    return typed([*lines, "", "", "> "], size * WIDE / HIGH, size)


def lattice(columns: int, rows: int, left: int = 0, top: int = 0, size: float = HIGH) -> Grid:
    """Tiles of the screen's lattice, `left` and `top` away from the board's first."""
    x = np.asarray((4.5 + 2 * (left + np.arange(columns + 1))) * size * WIDE / HIGH, np.float64)
    return Grid(x, np.asarray((TOP + 1 + top + np.arange(rows + 1)) * size, np.float64))


@pytest.mark.parametrize("shape", [(8, 8), (9, 9), (12, 16)])
@pytest.mark.parametrize(
    ("across", "down", "size"),
    [
        (DIGITS[1:], "1", HIGH),
        (DIGITS, "0", HIGH),
        ("ABCDEFGHIJKLMNOPQR", "1", 30.0),
        (DIGITS[1:], "A", 30.0),
    ],
)
def test_tiles_are_those_that_are_numbered(
    shape: tuple[int, int], across: str, down: str, size: float
) -> None:
    """Whether the cut has lines too many or too few, or holds the numbers themselves."""
    columns, rows = shape
    picture = screen(game(rows, columns), across=across, down=down, size=size)
    board = lattice(columns, rows, size=size)
    for cut in (
        board,
        lattice(columns, rows + 2, size=size),
        lattice(columns - 2, rows - 3, size=size),
        lattice(columns, rows + 1, 0, -1, size),
        lattice(columns + 1, rows + 1, -1, -1, size),
        lattice(columns - 3, rows - 2, 2, 1, size),
    ):
        found = numbered(picture, cut)
        assert found is not None
        assert np.abs(np.subtract(found.box, board.box)).max() < 1e-6
        assert (found.columns, found.rows) == shape


def test_rows_or_columns_alone_tell_nothing() -> None:
    """An editor numbers its lines."""
    board = game(9, 9)
    assert numbered(screen(board, across=""), lattice(9, 9)) is None
    assert numbered(screen(board, down=""), lattice(9, 9)) is None


def test_numbers_of_another_lattice_tell_nothing() -> None:
    picture = screen(game(9, 9))
    x = np.asarray((4.5 + 3 * np.arange(7)) * WIDE, np.float64)
    assert numbered(picture, Grid(x, lattice(9, 9).y)) is None
    assert numbered(picture, Grid(lattice(9, 9).x + WIDE, lattice(9, 9).y)) is None


def test_numbers_in_another_order_tell_nothing() -> None:
    assert numbered(screen(game(9, 9), across="975312468"), lattice(9, 9)) is None


def test_no_numbers_and_no_picture_around_tell_nothing() -> None:
    assert numbered(np.full((200, 300, 3), 40, np.uint8), lattice(9, 9)) is None
    assert numbered(np.full((20, 20, 3), 40, np.uint8), Grid.even((100, 100, 200, 200), 5, 5)) is None


@pytest.mark.parametrize("size", [(8, 8), (9, 9), (12, 10)])
def test_a_board_that_ends_in_blank_lines_is_read_whole(size: tuple[int, int]) -> None:
    """Nothing but the numbers tells its last rows from the page, and they are believed."""
    columns, rows = size
    board = game(rows, columns)
    for picture in (screen(board), screen(board, across=DIGITS)):
        reading = read_board(picture, themes=())
        assert (reading.grid.columns, reading.grid.rows) == size
        assert ((reading.board.cells == board.cells) | reading.uncertain).all()
        assert reading.uncertain.mean() < 0.5


def test_a_given_width_is_believed_before_the_numbers() -> None:
    reading = read_board(screen(game(9, 9)), width=7, themes=())
    assert reading.grid.columns == 7


def test_a_given_box_is_believed_before_the_numbers() -> None:
    box = lattice(9, 7).box
    reading = read_board(screen(game(9, 9)), width=9, box=box, themes=())
    assert (reading.grid.columns, reading.grid.rows) == (9, 7)
