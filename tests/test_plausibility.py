"""What is no board by its structure, and how much is read to choose among cuts."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from visionsweeper import read_board
from visionsweeper.board import COVERED, FLAG, Board
from visionsweeper.errors import NoBoardFound
from visionsweeper.geometry import Grid
from visionsweeper.vision.detection.candidates import Candidate, Wanted
from visionsweeper.vision.detection.locate import Location
from visionsweeper.vision.reading import read
from visionsweeper.vision.settling.plausibility import covered_differ, why_no_board
from visionsweeper.vision.settling.reader import Reader, a_few
from visionsweeper.vision.settling.settle import settle
from visionsweeper.vision.tiles.knn import load_model

SIDE = 32


def sheet(texts: list[list[str]]) -> npt.NDArray[np.uint8]:
    """Gray tiles with a line around each and a text on it."""
    picture = np.full((len(texts) * SIDE, len(texts[0]) * SIDE, 3), 210, np.uint8)
    picture[::SIDE] = picture[:, ::SIDE] = 90
    for row, line in enumerate(texts):
        for column, text in enumerate(line):
            at = (column * SIDE + 4, row * SIDE + 22)
            cv2.putText(picture, text, at, cv2.FONT_HERSHEY_SIMPLEX, 0.6, (20, 20, 20), 2, cv2.LINE_AA)
    return picture


def all_covered(rows: int, columns: int) -> Any:
    """What `why_no_board` needs of a sure reading of covered tiles."""
    shape = (rows, columns)
    grid = Grid(np.arange(columns + 1.0) * SIDE, np.arange(rows + 1.0) * SIDE)
    board = Board(np.full(shape, COVERED, np.uint8))
    return SimpleNamespace(
        uncertain=np.zeros(shape, bool), groups=np.zeros(shape, int), grid=grid, board=board
    )


def test_covered_tiles_that_show_different_numbers_are_none() -> None:
    numbers = [[str(10 + 7 * (8 * row + column) % 89) for column in range(8)] for row in range(6)]
    assert why_no_board(sheet(numbers), all_covered(6, 8)) == "its covered tiles show different things"


@pytest.mark.parametrize("text", ["", "#", "88"])
def test_covered_tiles_that_all_show_the_same_may_be_a_board(text: str) -> None:
    assert why_no_board(sheet([[text] * 8] * 6), all_covered(6, 8)) is None


def wall(rows: int, columns: int) -> npt.NDArray[np.uint8]:
    """Bricks two tiles wide, every second row half a brick farther to the right."""
    picture = np.full((rows * SIDE, columns * SIDE, 3), (200, 195, 185), np.uint8)
    shades = np.random.default_rng(1).integers(-6, 7, (rows, columns + 2))
    for row in range(rows):
        for at, left in enumerate(range(-(row % 2), columns, 2)):
            across = slice(max(left * SIDE + 2, 0), (left + 2) * SIDE - 2)
            picture[row * SIDE + 2 : (row + 1) * SIDE - 2, across] = (170, 80, 60) + shades[row, at]
    return picture


def test_halves_of_bricks_are_no_covered_tiles() -> None:
    bricks = wall(10, 12)
    assert why_no_board(bricks, all_covered(10, 12)) == "its covered tiles show different things"
    assert read_board(bricks, themes=()).uncertain.all()


@pytest.mark.parametrize("axis", [0, 1])
def test_halves_of_larger_tiles_are_no_covered_tiles(axis: int) -> None:
    # Glossy tiles: their upper or left halves are lighter, and have a line on three sides alone.
    tile = np.full((2 * SIDE, SIDE, 3), (90, 120, 200), np.uint8)
    tile[:SIDE] = (160, 210, 250)
    cv2.rectangle(tile, (0, 0), (SIDE - 1, 2 * SIDE - 1), (20, 40, 90), 2)
    picture = np.tile(tile, (5, 12, 1))
    halves = np.ascontiguousarray(picture if axis == 0 else picture.transpose(1, 0, 2))
    reading = all_covered(10, 12) if axis == 0 else all_covered(12, 10)
    assert covered_differ(halves, reading)


def every_second(rows: int, columns: int) -> npt.NDArray[np.intp]:
    """(H, W, 1) 1 in every second tile of a sheet, 0 in the others."""
    return np.kron(np.indices((rows, columns)).sum(axis=0) % 2, np.ones((SIDE, SIDE), int))[..., None]


def test_a_soft_checkerboard_of_tiles_that_all_show_the_same_may_be_a_board() -> None:
    picture = sheet([["#"] * 12] * 10) - 24 * every_second(10, 12)
    assert why_no_board(np.asarray(np.clip(picture, 0, 255), np.uint8), all_covered(10, 12)) is None


@pytest.mark.parametrize("different", [True, False])
def test_where_a_board_was_told_covered_tiles_that_differ_are_doubted(different: bool) -> None:
    """However surely they were read as such."""
    numbers = np.arange(48).reshape(6, 8) + 10 if different else np.full((6, 8), 10)
    picture = sheet(numbers.astype(str).tolist())
    grid = Grid(np.arange(9.0) * SIDE, np.arange(7.0) * SIDE)
    wanted = Wanted(columns=8, rows=6, box=grid.box)
    sure = replace(
        read(picture, grid, load_model()),
        board=Board(np.full((6, 8), COVERED, np.uint8)),
        confidence=np.ones((6, 8)),
    )
    found = settle(picture, Location(grid, True, as_told=True, wanted=wanted), Reader(lambda *_: sure, ()))
    assert found.uncertain.all() == found.uncertain.any() == different


def test_a_few_signs_on_covered_tiles_may_be_a_board() -> None:
    texts = [["" for _ in range(8)] for _ in range(6)]
    texts[0][0], texts[2][3], texts[4][6] = "?", "3", "+"
    assert why_no_board(sheet(texts), all_covered(6, 8)) is None


@pytest.mark.parametrize("seed", range(6))
def test_two_signs_on_small_boards_are_not_on_every_second_tile(seed: int) -> None:
    texts = [["" for _ in range(6)] for _ in range(6)]
    for place in np.random.default_rng(seed).choice(36, 2, replace=False):
        texts[place // 6][place % 6] = "?"
    assert not covered_differ(sheet(texts), all_covered(6, 6))


@pytest.mark.parametrize("off", [0, 3])
def test_a_soft_checkerboard_cut_a_little_off_shows_no_more_than_its_neighbours(off: int) -> None:
    picture = np.asarray(np.repeat(150 - 20 * every_second(9, 10), 3, axis=2), np.uint8)
    assert not covered_differ(np.roll(picture, off, axis=(0, 1)), all_covered(9, 10))


def test_a_table_of_products_is_refused_or_wholly_doubted() -> None:
    products = [[str(row * column) for column in range(2, 12)] for row in range(3, 13)]
    try:
        reading = read_board(sheet(products), themes=())
    except NoBoardFound:
        return
    assert reading.uncertain.all()


def test_squared_paper_that_shows_only_when_blurred_is_refused_or_wholly_doubted() -> None:
    paper = np.full((347, 347, 3), 250.0)
    paper[30:317:26, 30:317] = paper[30:317, 30:317:26] = 200.0
    noise = np.random.default_rng(0).normal(0, 13, paper.shape)
    shown = np.clip(paper + noise, 0, 255).astype(np.uint8)
    try:
        reading = read_board(shown, themes=())
    except NoBoardFound:
        return
    assert reading.uncertain.all()


@pytest.mark.parametrize(
    ("text", "row"), [("Minesweeper tip: abc", 0), ("LOREM IPSUM DOLOR", 0), ("sample watermark xyz", 8)]
)
def test_tiles_under_a_text_are_no_labels_beside_the_board(text: str, row: int) -> None:
    rows = ["?????????"] * 4 + ["2?2000000", "2?2000111", "1221001?1", "01?100111", "011100000"]
    window = np.full((11 * SIDE, 11 * SIDE, 3), 255, np.uint8)
    for (down, across), number in np.ndenumerate(Board.from_text("\n".join(rows)).cells):
        tile = window[(down + 1) * SIDE :, (across + 1) * SIDE :][:SIDE, :SIDE]
        tile[:] = 192
        if number == COVERED:
            tile[:3] = tile[:, :3] = 255
            tile[-3:] = tile[:, -3:] = 128
        else:
            tile[0] = tile[:, 0] = 128
            colour = ((192,) * 3, (0, 0, 255), (0, 128, 0))[number]
            cv2.putText(tile, str(number), (8, 25), cv2.FONT_HERSHEY_SIMPLEX, 0.75, colour, 3, cv2.LINE_AA)
    at = (SIDE + 4, (row + 1) * SIDE + 24)
    cv2.putText(window, text, at, cv2.FONT_HERSHEY_SIMPLEX, 0.8, (10, 10, 10), 2, cv2.LINE_AA)
    grid = read_board(window, themes=()).grid
    assert (grid.columns, grid.rows) == (9, 9)


@pytest.mark.parametrize(
    ("tiles", "read"),
    [([480] * 5, 5), ([2000, 2000, 2000], 2), ([10_000, 480], 1), ([3500, 1000, 10], 1)],
)
def test_fewer_cuts_are_read_of_larger_boards(tiles: list[int], read: int) -> None:
    grids = [Grid.even((0, 0, 1000, 10), count // 10, 10) for count in tiles]
    assert list(a_few(iter(grids))) == grids[:read]


WHITE = Board.from_text("1121101?1\n1F2F101F1\n112110111\n000000000\n001110000\n001?10011\n00111001F")
"""The first row is all opened but for one tile."""


def white_window() -> tuple[npt.NDArray[np.uint8], Grid]:
    """The board WHITE on a white page, opened tiles white as well, and where it lies."""
    window = np.full((10 * SIDE, 12 * SIDE, 3), 255, np.uint8)
    for (down, across), number in np.ndenumerate(WHITE.cells):
        tile = window[(down + 1) * SIDE :, (across + 1) * SIDE :][:SIDE, :SIDE]
        if number >= COVERED:
            tile[1:-1, 1:-1] = (250, 180, 10)
        if number == FLAG:
            cv2.putText(tile, "P", (9, 25), cv2.FONT_HERSHEY_SIMPLEX, 0.7, (0, 0, 0), 3, cv2.LINE_AA)
        if 1 <= number <= 8:
            colour = ((0, 0, 255), (0, 128, 0))[number - 1]
            cv2.putText(tile, str(number), (9, 25), cv2.FONT_HERSHEY_SIMPLEX, 0.7, colour, 2, cv2.LINE_AA)
    return window, Grid.even((SIDE, SIDE, 10 * SIDE, 8 * SIDE), 9, 7)


def test_numbers_beside_a_board_that_does_not_convince_are_a_line_of_it() -> None:
    window, whole = white_window()
    reader = Reader(lambda grid, sides: read(window, grid, load_model(), (), sides))
    reading = settle(window, Location(Grid(whole.x, whole.y[1:]), convincing=False), reader)
    assert reading.board == WHITE
    assert reading.uncertain.all()
    told = Location(Grid(whole.x, whole.y[1:]), False, as_told=True, wanted=Wanted(9, 6))
    assert settle(window, told, reader).grid.rows == 6


@pytest.mark.parametrize(("upper", "rows"), [(2.0, 7), (7.0, 6)])
def test_numbers_beside_a_board_put_it_in_doubt_unless_it_ends_there_beyond_doubt(
    upper: float, rows: int
) -> None:
    window, whole = white_window()
    shorter = Grid(whole.x, whole.y[1:])
    seen = Candidate(shorter, 300.0, 3.0, (8.0, 8.0, upper, 8.0), np.full((6, 9), 5.0), 0.0)
    reader = Reader(lambda grid, sides: read(window, grid, load_model(), (), sides))
    reading = settle(window, Location(shorter, convincing=True, considered=(seen,)), reader)
    assert reading.grid.rows == rows
    assert reading.uncertain.all() == (rows == 7)


@pytest.mark.parametrize(("beyond", "goes_on"), [((90, 120, 200), True), ((235, 235, 225), False)])
def test_covered_tiles_beside_a_board_like_its_own_put_it_in_doubt(
    beyond: tuple[int, int, int], goes_on: bool
) -> None:
    """No line shows between covered tiles: the board may be cut anywhere among them."""
    rows = ["????????", "11111211", "00000000", "01110000", "01?10000", "01110000", "11111211", "????????"]
    board = Board.from_text("\n".join(rows))
    window = np.empty((10 * SIDE, 8 * SIDE, 3), np.uint8)
    window[:] = beyond
    for (down, across), number in np.ndenumerate(board.cells):
        tile = window[down * SIDE :, across * SIDE :][:SIDE, :SIDE]
        tile[:] = (90, 120, 200) if number == COVERED else 255
        if number < COVERED:
            tile[:1] = tile[:, :1] = tile[-1:] = tile[:, -1:] = 160
        if 1 <= number <= 8:
            colour = ((0, 0, 255), (0, 128, 0))[number - 1]
            cv2.putText(tile, str(number), (9, 25), cv2.FONT_HERSHEY_SIMPLEX, 0.7, colour, 2, cv2.LINE_AA)
    grid = Grid.even((0, 0, 8 * SIDE, 8 * SIDE), 8, 8)
    seen = Candidate(grid, 300.0, 3.0, (8.0, 8.0, 8.0, 2.0), np.full((8, 8), 5.0), 0.0)
    reader = Reader(lambda grid, sides: read(window, grid, load_model(), (), sides))
    reading = settle(window, Location(grid, convincing=True, considered=(seen,)), reader)
    assert reading.uncertain.all() == goes_on
    assert reading.uncertain.any() == goes_on
