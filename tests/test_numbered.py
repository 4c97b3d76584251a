"""Boards of text whose rows and columns are numbered: the numbers tell where the board ends."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from test_text_grid import HIGH, WIDE, Picture, typed

from visionsweeper import read_board
from visionsweeper.board import COVERED, Board, Side, count_around
from visionsweeper.geometry import Grid
from visionsweeper.synthetic.render import render_board
from visionsweeper.vision.detection.locate import Location, locate
from visionsweeper.vision.reading import Reading, read
from visionsweeper.vision.settling.numbered import numbered_tiles
from visionsweeper.vision.settling.reader import Reader
from visionsweeper.vision.settling.settle import settle
from visionsweeper.vision.tiles.knn import load_model

DIGITS = "0123456789012345678"

TOP = 3
"""Lines above the columns' numbers."""


def game(rows: int, columns: int) -> Board:
    """A game in play whose last two rows and columns are opened and blank, as page is."""
    mines = np.random.default_rng(7).random((rows, columns)) < 0.15
    mines[-3:] = mines[:, -3:] = False
    around = count_around(mines)
    opened = np.zeros_like(mines)
    opened[-1, -1] = True
    while True:
        further = opened | (count_around(opened & (around == 0)) > 0)
        if (further == opened).all():
            break
        opened = further
    return Board(np.where(opened, around, COVERED).astype(np.uint8))


def screen(
    board: Board, *, across: str = DIGITS[1:], down: str = "1", size: float = HIGH, align: str = ">"
) -> Picture:
    """The board as a terminal shows it, two characters a tile, with the numbers of columns and rows.

    `across`: the numbers of the columns, or ""; `down`: the first number of the rows, or "", and where they
    are aligned, "<" or ">". `size`: height of a character, px.
    """
    signs = str(board).strip().replace("0", " ").replace("?", "#").split("\n")
    lines = ["$ ./mines --new", "", "left: 4", "     " + " ".join(across[: board.columns])]
    for number, row in enumerate(signs):
        label = "" if not down else chr(ord("A") + number) if down == "A" else str(int(down) + number)
        lines.append(f" {label:{align}2}  " + " ".join(row))
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
        ("abcdefghijklmnopqr", "1", 30.0),
        ("abcdefghijklmnopqr", "1", HIGH),
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
        lattice(columns - 6, rows - 7, size=size),
        lattice(1, 1, size=size),
    ):
        found = numbered_tiles(picture, cut)
        assert found is not None
        assert found.complete
        assert np.abs(np.subtract(found.grid.box, board.box)).max() < 1e-6
        assert (found.grid.columns, found.grid.rows) == shape


@pytest.mark.parametrize("rows", [8, 10, 12, 14])
def test_numbers_of_rows_may_begin_or_end_below_each_other(rows: int) -> None:
    """Below their first digits the second ones count up, too: from the 0 of 10 on."""
    board = lattice(10, rows)
    for align in "<>":
        found = numbered_tiles(screen(game(rows, 10), align=align), board)
        assert found is not None
        assert np.abs(np.subtract(found.grid.box, board.box)).max() < 1e-6


def test_rows_or_columns_alone_do_not_tell_the_size() -> None:
    """An editor numbers its lines."""
    board = game(9, 9)
    assert numbered_tiles(screen(board, across=""), lattice(9, 9)) is None
    assert numbered_tiles(screen(board, down=""), lattice(9, 9)) is None


@pytest.mark.parametrize("columns", [6, 9, 16])
def test_numbers_of_columns_alone_are_no_row_of_tiles(columns: int) -> None:
    picture = screen(game(9, columns), down="")
    found = numbered_tiles(picture, lattice(columns, 10, top=-1))
    assert found is not None
    assert not found.complete
    assert found.grid.box == pytest.approx(lattice(columns, 9).box)
    assert (found.grid.columns, found.grid.rows) == (columns, 9)


def under_header(columns: int, rows: int, *, theme: str = "flat", below: int = 20) -> Picture:
    """A drawn board of 32 px tiles under a row of bordered cells with the columns' numbers."""
    board = render_board(game(rows, columns), theme, tile=32)
    header = np.full((32, board.shape[1], 3), 235, np.uint8)
    header[[0, -1]] = header[:, ::32] = header[:, -1] = 150
    for column in range(columns):
        text, place = str(column + 1), (32 * column + (12 if column < 9 else 7), 21)
        cv2.putText(header, text, place, cv2.FONT_HERSHEY_SIMPLEX, 0.45, (40, 40, 40), 1, cv2.LINE_AA)
    whole = np.vstack([header, board])
    framed = cv2.copyMakeBorder(whole, 20, max(below, 0), 20, 20, cv2.BORDER_CONSTANT, value=(255, 255, 255))
    return np.asarray(framed[: len(framed) + min(below, 0)], np.uint8)


@pytest.mark.parametrize("theme", ["flat", "classic"])
def test_a_board_under_numbers_ends_where_it_does(theme: str) -> None:
    reading = read_board(under_header(9, 9, theme=theme), themes=())
    assert (reading.grid.columns, reading.grid.rows) == (9, 9)
    assert reading.board == game(9, 9)
    assert not reading.uncertain.any()
    # Where the picture cuts through its last row, what is below is not known.
    cut = read_board(under_header(9, 9, theme=theme, below=-16), themes=())
    assert (cut.grid.columns, cut.grid.rows) == (9, 8)
    assert cut.board.continues == ("bottom",)


def test_a_first_row_that_counts_up_is_kept_where_the_board_goes_on_above() -> None:
    """In the middle of a board six tiles may count up to 6: here mines lie above and at the right, too."""
    board = Board.from_text("123456\n1FFFFF\n123333\n000000\n000000\n")
    picture, cut, model = screen(board, across="", down=""), lattice(6, 5), load_model()

    def plainly(grid: Grid, sides: tuple[Side, ...]) -> Reading:
        return read(picture, grid, model, (), sides)

    found = numbered_tiles(picture, cut)
    assert found is not None
    assert found.grid.rows == 4
    reading = settle(picture, Location(cut, convincing=True), Reader(plainly, ("top", "left", "right")))
    assert reading.grid.rows == 5
    assert (reading.board.cells == board.cells).all()


def test_where_borders_do_not_convince_numbers_of_columns_prove_nothing() -> None:
    """The board is read without them, and is in doubt."""
    picture, model = screen(game(9, 9), down=""), load_model()

    def plainly(grid: Grid, sides: tuple[Side, ...]) -> Reading:
        return read(picture, grid, model, (), sides)

    for convincing in (False, True):
        place = Location(lattice(9, 10, top=-1), convincing)
        reading = settle(picture, place, Reader(plainly, ()))
        assert reading.grid.rows == 9
        assert (reading.board.cells == game(9, 9).cells).all()
        assert reading.uncertain.all() == reading.guessed == (not convincing)


def test_tiles_that_happen_to_count_up_are_left_alone() -> None:
    five = "12345"
    assert numbered_tiles(screen(game(9, 5), across=five, down=""), lattice(5, 10, top=-1)) is None
    # Part of a row, or a row of which the last counts otherwise.
    assert numbered_tiles(screen(game(9, 9), down=""), lattice(10, 10, left=-1, top=-1)) is None
    across = "123456781"
    assert numbered_tiles(screen(game(9, 9), across=across, down=""), lattice(9, 10, top=-1)) is None


def test_numbers_of_another_lattice_tell_nothing() -> None:
    picture = screen(game(9, 9))
    x = np.asarray((4.5 + 3 * np.arange(7)) * WIDE, np.float64)
    assert numbered_tiles(picture, Grid(x, lattice(9, 9).y)) is None
    assert numbered_tiles(picture, Grid(lattice(9, 9).x + WIDE, lattice(9, 9).y)) is None


def test_numbers_in_another_order_tell_nothing() -> None:
    assert numbered_tiles(screen(game(9, 9), across="975312468"), lattice(9, 9)) is None


def test_no_numbers_and_no_picture_around_tell_nothing() -> None:
    assert numbered_tiles(np.full((200, 300, 3), 40, np.uint8), lattice(9, 9)) is None
    assert numbered_tiles(np.full((20, 20, 3), 40, np.uint8), Grid.even((100, 100, 200, 200), 5, 5)) is None


@pytest.mark.parametrize("size", [(9, 9), (12, 10), (16, 16), (18, 16)])
def test_a_board_that_ends_in_blank_lines_is_read_whole(size: tuple[int, int]) -> None:
    """Nothing but the numbers tells its last rows from the page, and they are believed."""
    columns, rows = size
    board = game(rows, columns)
    for picture in (screen(board), screen(board, across=DIGITS)):
        reading = read_board(picture, themes=())
        assert (reading.grid.columns, reading.grid.rows) == size
        assert ((reading.board.cells == board.cells) | reading.uncertain).all()
        assert reading.uncertain.mean() < 0.1


def test_numbers_up_to_the_edge_of_the_picture_do_not_tell_the_end() -> None:
    picture, cut = screen(game(16, 16)), lattice(6, 6)
    edge = round(lattice(9, 9).x[-1])
    assert numbered_tiles(screen(game(9, 9))[:, : edge + round(1.7 * 2 * WIDE)], cut) is not None
    assert numbered_tiles(picture[:, :edge], cut) is None
    assert numbered_tiles(picture[: round(lattice(9, 9).y[-1])], cut) is None


def test_numbers_of_lines_that_begin_above_the_board_are_an_editors() -> None:
    picture = screen(game(9, 9), down="")
    for line in range(12):
        label = typed([f"{line + 1:>3}"])[: round(HIGH), : round(4 * WIDE)]
        top = round((TOP + line) * HIGH)
        picture[top : top + len(label), : label.shape[1]] = label
    for shift in range(4):
        board = lattice(9, 9)
        assert numbered_tiles(picture, Grid(board.x, board.y + shift)) is None


def test_one_number_that_is_not_read_does_no_harm_but_two_do() -> None:
    assert numbered_tiles(screen(game(9, 9), across="123x56789"), lattice(9, 9)) is not None
    assert numbered_tiles(screen(game(9, 9), across="123 56789"), lattice(9, 9)) is not None
    assert numbered_tiles(screen(game(9, 9), across="12xx56xx9"), lattice(9, 9)) is None
    assert numbered_tiles(screen(game(9, 9), across="12345678x"), lattice(9, 9)) is None


@pytest.mark.parametrize("below", ["   Boom! 12 left", "123 seconds", "  o", "  8 left"])
@pytest.mark.parametrize("gap", [0.6, 1.0, 1.4])
def test_words_below_the_board_are_no_numbers_of_it(below: str, gap: float) -> None:
    """They begin below the rows' numbers; an o one line further down looks like the end of a 10."""
    board = lattice(9, 9)
    picture = screen(game(9, 9), across=DIGITS, down="0")
    words = typed([below])
    top = round(board.y[-1] + gap * HIGH)
    picture[top : top + len(words), : words.shape[1]] = words
    found = numbered_tiles(picture, lattice(9, 7))
    assert found is not None
    assert np.abs(np.subtract(found.grid.box, board.box)).max() < 1e-6


@pytest.mark.parametrize("hidden", [7, 8, 9])
@pytest.mark.parametrize("seed", [1, 2])
def test_one_of_the_last_numbers_that_is_hidden_does_not_shorten_the_board(hidden: int, seed: int) -> None:
    """Under a pointer, say: the line may end there, or go on."""
    mines = np.random.default_rng(seed).random((10, 10)) < 0.2
    board = Board(np.where(mines, COVERED, count_around(mines)).astype(np.uint8))
    picture, cut = screen(board, across=DIGITS, down="0"), lattice(10, 10)
    top = round(cut.y[hidden])
    picture[top : top + round(HIGH), : round(4.5 * WIDE)] = 30
    found = numbered_tiles(picture, cut)
    assert found is None or found.grid.rows == 10 or hidden == 9
    reading = read_board(picture, themes=())
    assert reading.grid.rows == 10 or reading.uncertain.all()


def test_uneven_tiles_keep_their_edges() -> None:
    board = lattice(9, 9)
    x = board.x + np.tile([0.0, 2.0], 5)
    found = numbered_tiles(screen(game(9, 9)), Grid(x, board.y[:-3]))
    assert found is not None
    assert (found.grid.x == x).all()
    assert np.abs(found.grid.y - board.y).max() < 1e-6


@pytest.mark.parametrize(("share", "believed"), [(0.1, True), (0.4, False)])
def test_numbers_are_believed_only_where_most_is_read_surely(share: float, believed: bool) -> None:
    """The cells of a spreadsheet are numbered around a board too, and are read with doubt."""
    picture, model = screen(game(9, 9)), load_model()

    def doubting(grid: Grid, sides: tuple[Side, ...]) -> Reading:
        reading = read(picture, grid, model, (), sides)
        confidence = reading.confidence.copy()
        confidence.flat[: round(share * confidence.size)] = 0.5
        return replace(reading, confidence=confidence)

    reading = settle(picture, locate(picture), Reader(doubting))
    assert bool(reading.uncertain.all()) is not believed
    assert reading.guessed is not believed


def test_a_given_width_is_believed_before_the_numbers() -> None:
    assert read_board(screen(game(9, 9)), width=7, themes=()).grid.columns == 7


def test_a_given_width_that_the_numbers_bear_out_finds_the_board() -> None:
    reading = read_board(screen(game(9, 9)), width=9, themes=())
    assert (reading.grid.columns, reading.grid.rows) == (9, 9)
    assert not reading.uncertain.all()


def test_a_given_box_is_believed_before_the_numbers() -> None:
    box = lattice(9, 7).box
    reading = read_board(screen(game(9, 9)), width=9, box=box, themes=())
    assert (reading.grid.columns, reading.grid.rows) == (9, 7)
