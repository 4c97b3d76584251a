"""Lattices of boards of text, whose tiles are a few characters wide."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from visionsweeper import read_board
from visionsweeper.synthetic.positions import random_position
from visionsweeper.vision.detection import periodicity
from visionsweeper.vision.detection.text_grid import text_grids
from visionsweeper.vision.tiles.classes import tiles_of_classes

Picture = npt.NDArray[np.uint8]

WIDE, HIGH = 9.0, 19.0
"""A character, px."""


def typed(lines: list[str], wide: float = WIDE, high: float = HIGH) -> Picture:
    """Light text on a dark ground, each character in the middle of its cell."""
    picture = np.full((round((len(lines) + 3) * high), round(80 * wide), 3), 30, np.uint8)
    font, scale = cv2.FONT_HERSHEY_SIMPLEX, high / 50
    for row, line in enumerate(lines):
        for column, sign in enumerate(line):
            (width, height), _ = cv2.getTextSize(sign, font, scale, 1)
            at = round((column + 0.5) * wide - width / 2), round((row + 0.5) * high + height / 2)
            cv2.putText(picture, sign, at, font, scale, (220, 220, 220), 1, cv2.LINE_AA)
    return picture


def bracketed(seed: int, rows: int = 9, columns: int = 9) -> list[str]:
    """A game: covered tiles and marks in brackets, opened ones without."""
    signs = ["   ", *(f" {number} " for number in range(1, 9)), "[ ]", "[F]", "[*]", "[X]", "[?]", "[@]"]
    classes = random_position(np.random.default_rng(seed), size=(rows, columns))
    return ["".join(signs[each] for each in row) for row in classes.tolist()]


def spaced(seed: int) -> list[str]:
    """The same with one sign and a space for each tile."""
    signs = ".12345678#F*X?@"
    classes = random_position(np.random.default_rng(seed), size=(9, 9))
    return [" ".join(signs[each] for each in row) for row in classes.tolist()]


def steps_of(picture: Picture) -> tuple[Picture, Picture]:
    return periodicity.steps(picture, 1), periodicity.steps(picture, 0)


def nearest(picture: Picture, left: float, top: float, wide: float, high: float) -> float:
    """How far the borders of 9x9 tiles lie from those of the nearest lattice that is proposed, tiles."""
    best = np.inf
    for grid in text_grids(steps_of(picture)):
        off = 0.0
        for start, size, edges in ((left, wide, grid.x), (top, high, grid.y)):
            phase = (start + size * np.arange(10) - edges[0]) / float(np.diff(edges).mean())
            off = max(off, float(np.abs(phase - np.rint(phase)).max()))
        best = min(best, off)
    return best


@pytest.mark.parametrize("size", [(9.0, 19.0), (8.0, 16.0), (10.65, 21.3), (7.0, 15.0)])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_bracketed_tiles_are_three_characters_wide(size: tuple[float, float], seed: int) -> None:
    wide, high = size
    board = ["  " + line for line in bracketed(seed)]
    lines = ["Minesweeper  mines: 10  flags: 2", "", *board, "", "> open 3 4"]
    assert nearest(typed(lines, wide, high), 2 * wide, 2 * high, 3 * wide, high) < 1 / 8


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_spaced_signs_are_two_characters_wide(seed: int) -> None:
    """The sign may be the middle of its tile, or its first half."""
    picture = typed(["$ ./mines 9 9 10", "", *spaced(seed), "", "enter a move:"])
    assert nearest(picture, 0, 2 * HIGH, 2 * WIDE, HIGH) < 1 / 8
    assert nearest(picture, -WIDE / 2, 2 * HIGH, 2 * WIDE, HIGH) < 1 / 8


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_tiles_of_a_printed_list_are_five_characters_wide(seed: int) -> None:
    """Two and a half times as wide as high."""
    board = [str(line.split()) for line in spaced(seed)]
    picture = typed(["$ python3 mines.py", "", *board, "", "enter a move:"], 8.0, 16.0)
    assert nearest(picture, 4.0, 32.0, 40.0, 16.0) < 1 / 8


def test_signs_anywhere_are_no_text() -> None:
    rng = np.random.default_rng(5)
    picture = np.full((400, 700, 3), 30, np.uint8)
    for x, y in rng.uniform((10, 20), (680, 390), (150, 2)):
        cv2.putText(picture, "A", (int(x), int(y)), cv2.FONT_HERSHEY_SIMPLEX, 0.4, (220, 220, 220), 1)
    assert not list(text_grids(steps_of(picture)))


@pytest.mark.parametrize("shape", [(24, 24), (24, 500), (500, 24)])
def test_a_narrow_picture_of_signs_is_no_error(shape: tuple[int, int]) -> None:
    picture = np.full((*shape, 3), 30, np.uint8)
    picture[4::8, 3::6] = picture[5::8, 4::6] = 220
    for grid in text_grids(steps_of(picture)):
        assert min(grid.columns, grid.rows) >= 1


@pytest.mark.parametrize("seed", [1, 2])
def test_a_board_in_brackets_is_found(seed: int) -> None:
    lines = ["Minesweeper  mines: 20  flags: 2", "", *bracketed(seed, 10, 12), "", "> open 3 4"]
    reading = read_board(typed(lines), themes=())
    assert (reading.grid.columns, reading.grid.rows) == (12, 10)
    assert np.abs(np.array(reading.box) - (0, 2 * HIGH, 36 * WIDE, 12 * HIGH)).max() < WIDE


@pytest.mark.parametrize("seed", [3, 5])
def test_a_crop_of_text_tells_how_many_rows_it_has(seed: int) -> None:
    signs = " 12345678#F*X?@"
    classes = random_position(np.random.default_rng(seed), size=(16, 16))
    lines = ["".join(f"{signs[each]} " for each in row) for row in classes.tolist()]
    picture = typed([line.replace("#", " ") for line in lines], 9.0, 14.0)[: 16 * 14, : 32 * 9].copy()
    for row, line in enumerate(lines):
        for column in (at for at, sign in enumerate(line) if sign == "#"):
            picture[row * 14 : row * 14 + 14 : 2, column * 9 : column * 9 + 9 : 2] = 120  # a shaded cell
    reading = read_board(picture, width=16)
    assert (reading.grid.columns, reading.grid.rows) == (16, 16)
    # What fills the crop is all of a board: then tiles that are read surely are believed, and they are right.
    assert reading.uncertain.mean() < 0.05
    right = reading.board.cells == tiles_of_classes(classes)
    assert right[~reading.uncertain].all()


def test_a_crop_of_a_plain_plate_is_doubted() -> None:
    """Hardly a line tells where the rows end: a row more or less would be read as surely."""
    picture = np.full((14 * 22, 16 * 30, 3), 158, np.uint8)
    picture[12 * 22 :, 12 * 30 :] = (235, 235, 235)
    picture[12 * 22 : 13 * 22, 13 * 30 :] = (187, 222, 251)
    picture[12 * 22 :, 12 * 30 : 13 * 30] = (200, 230, 201)
    for row, column, digit in ((12, 12, "2"), (12, 13, "1"), (12, 14, "1"), (12, 15, "1"), (13, 12, "2")):
        at = column * 30 + 9, row * 22 + 17
        cv2.putText(picture, digit, at, cv2.FONT_HERSHEY_SIMPLEX, 0.6, (20, 20, 20), 2, cv2.LINE_AA)
    reading = read_board(picture, width=16)
    assert reading.grid.rows == 14 or reading.uncertain.all()
