"""Letters and numbers beside a board, in the cells of its lattice."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image, ImageDraw, ImageFont

from visionsweeper.board import COVERED, FLAG, MINE, Board, count_around
from visionsweeper.errors import NoBoardFound
from visionsweeper.pipeline import read_board
from visionsweeper.synthetic.positions import random_position
from visionsweeper.synthetic.render import render_board
from visionsweeper.vision.detection.candidates import Wanted
from visionsweeper.vision.detection.grid import fit_grid
from visionsweeper.vision.detection.search import search
from visionsweeper.vision.headers import _crossing, _signs
from visionsweeper.vision.reading import Reading, read
from visionsweeper.vision.tiles.classes import tiles_of_classes
from visionsweeper.vision.tiles.knn import load_model

Picture = npt.NDArray[np.uint8]

WIDE, HIGH = 42, 26
FONT = ImageFont.load_default(15)
COLOURS = {1: "blue", 2: "green", 3: "red", 4: "navy", 5: "maroon", FLAG: "red"}


def game(seed: int) -> Board:
    """A running game on 12x12 tiles."""
    rng = np.random.default_rng(seed)
    while True:
        labels = random_position(rng, size=(12, 12))
        if not (labels >= MINE).any() and (labels == COVERED).mean() < 0.7:
            return Board(tiles_of_classes(labels))


def sheet(board: Board, *, letters: bool = True, more: int = 0) -> Picture:
    """The board in the cells of a ruled sheet, its rows numbered, its columns headed by letters or not.

    `more`: cells that follow to the right of the board and below it, with nothing in them.
    """
    cells = np.pad(board.cells, (0, more))
    page = Image.new("RGB", ((cells.shape[1] + 1) * WIDE + 1, (cells.shape[0] + 1) * HIGH + 1), "white")
    drawing = ImageDraw.Draw(page)
    for row, column in np.ndindex(cells.shape[0] + 1, cells.shape[1] + 1):
        header = row == 0 or column == 0
        cell = 0 if header else int(cells[row - 1, column - 1])
        left, top = column * WIDE, row * HIGH
        ground = "#e6e8ee" if header else "#c9d3e6" if cell in {COVERED, FLAG} else "white"
        drawing.rectangle((left, top, left + WIDE, top + HIGH), fill=ground, outline="#b4b4b4")
        text = "" if cell in {0, COVERED} else "F" if cell == FLAG else str(cell)
        if header and (row or column):
            text = str(row) if column == 0 else chr(ord("A") + column - 1) if letters else ""
        middle = (left + WIDE / 2, top + HIGH / 2)
        drawing.text(middle, text, COLOURS.get(cell, "#404040"), FONT, anchor="mm")
    return np.asarray(page)


def with_headers(page: Picture) -> Reading:
    """The sheet read with the letters above it as a row of tiles."""
    box = (float(WIDE), 0.0, page.shape[1] - 1.0, page.shape[0] - 1.0)
    return read(page, fit_grid(page, 12, 13, box), load_model())


@pytest.mark.parametrize("seed", [11, 24, 30])
def test_the_letters_and_numbers_of_a_sheet_are_no_tiles(seed: int) -> None:
    page, board = sheet(game(seed)), game(seed)
    found = [each.grid for each in search(page, Wanted()) if each.convincing]
    assert (found[0].columns, found[0].rows) == (13, 13)  # or this would test nothing
    for reading in (read_board(page, themes=()), read_board(page, width=12, themes=())):
        assert reading.board == board
        assert reading.uncertain.mean() < 0.1
    with pytest.raises(NoBoardFound, match="--width 11 was given, but a board of 13x13 tiles"):
        read_board(page, width=11, themes=())


@pytest.mark.parametrize("seed", [1, 4, 11])
def test_the_empty_cells_of_a_sheet_around_a_board_are_no_tiles(seed: int) -> None:
    """They show once its letters and numbers are taken off."""
    reading = read_board(sheet(game(seed), more=3), themes=())
    assert reading.board == game(seed)


def test_only_signs_that_no_blank_tile_shows_are_headers() -> None:
    board = game(11)
    assert with_headers(sheet(board)).headers.aligned == {"top"}
    assert not with_headers(sheet(board, letters=False)).headers.sides


@pytest.mark.parametrize(("letters", "colour"), [("AB", "#404040"), ("ABCDEFGHIJKL", "#e2e4ea")])
def test_a_few_signs_or_faint_ones_are_no_header(letters: str, colour: str) -> None:
    page = Image.fromarray(sheet(game(11), letters=False))
    for column, letter in enumerate(letters, start=1):
        at = ((column + 0.5) * WIDE, 0.5 * HIGH)
        ImageDraw.Draw(page).text(at, letter, colour, FONT, anchor="mm")
    assert not with_headers(np.asarray(page)).headers.sides


@pytest.mark.parametrize(("opened", "signs"), [(18.0, False), (0.0, True)])
def test_a_class_that_no_other_tile_has_is_measured_by_the_other_blanks(opened: float, signs: bool) -> None:
    """Covered tiles on a texture show no more than opened ones on it; on plain ground they show signs."""
    classes = np.zeros((4, 9), np.uint8)
    classes[0] = COVERED
    tiles = np.zeros((4, 9, 16, 16, 3))
    tiles[0, :, 6:10, 6:10, 0], tiles[1:, :, 6:10, 6:10, 0] = 22.0, opened
    found = _signs(classes, tiles.max(axis=(2, 3, 4)))
    assert found.tolist() == [signs] * 9
    assert _crossing(classes, tiles).all()  # such a line is never taken off


def test_text_over_a_row_of_tiles_is_not_aligned_with_them() -> None:
    page = Image.fromarray(sheet(game(11), letters=False))
    ImageDraw.Draw(page).text(
        (WIDE + 4, 4), "Game over! Click here to play again, or press Escape.", "black", FONT
    )
    headers = with_headers(np.asarray(page)).headers
    assert headers.sides == {"top"}
    assert not headers.aligned


def test_signs_that_are_all_the_same_are_no_headers() -> None:
    """As where the edge of the picture cuts through what all covered tiles show."""
    page = sheet(game(11), letters=False).copy()
    for column in range(1, 13):
        page[6:20, column * WIDE + 14 : column * WIDE + 28] = 90
    assert not with_headers(page).headers.sides


def with_all_mines_below(seed: int, rows: int, columns: int) -> Board:
    """A won game but for its last row, where all mines are, and tiles that are covered still."""
    rng = np.random.default_rng(seed)
    mines = np.zeros((rows, columns), np.bool_)
    mines[-1] = rng.random(columns) < 0.5
    cells = np.where(mines, COVERED, count_around(mines)).astype(np.uint8)
    cells[-1, rng.random(columns) < 0.5] = COVERED
    return Board(cells)


@pytest.mark.parametrize("theme", ["checker", "paper", "mono", "candy"])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_row_of_covered_tiles_with_signs_on_them_is_never_taken_off_unsaid(theme: str, seed: int) -> None:
    """Where no other tile is covered, nothing tells them from a header."""
    board = with_all_mines_below(seed, 10, 12)
    image = Image.fromarray(render_board(board, theme=theme, tile=36))
    drawing, side = ImageDraw.Draw(image), image.width / 12
    for row, column in np.argwhere(board.cells == COVERED).tolist():
        at = ((column + 0.5) * side, (row + 0.5) * side)
        drawing.text(at, f"{chr(97 + column)}{row + 1}", (60, 60, 60), FONT, anchor="mm")
    page = np.pad(np.asarray(image), ((40, 30), (35, 25), (0, 0)), constant_values=200)
    reading = read_board(page, themes=())
    assert reading.board == board or reading.uncertain.all()
    for width in (11, 13):
        try:
            told = read_board(page, width=width, themes=())
        except NoBoardFound:
            continue
        assert told.uncertain.all()


@pytest.mark.parametrize("colour", ["black", "white"])
@pytest.mark.parametrize("theme", ["classic", "flat", "dark"])
def test_text_over_a_row_does_not_take_it_off(theme: str, colour: str) -> None:
    board = game(3)
    image = Image.fromarray(render_board(board, theme=theme, tile=32))
    text = "You lost! Press F2 to play again, or Escape to leave"
    ImageDraw.Draw(image).text((4, image.height * 11.25 / 12), text, colour, FONT)
    reading = read_board(np.asarray(image), themes=())
    assert (reading.board.columns, reading.board.rows) == (12, 12)
