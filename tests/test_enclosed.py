"""Boards in a frame whose outer tiles look like the ground: as many lines as fit between frame and board."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from test_centred import COLUMNS, GROUND, ROWS, TILE, panel

from visionsweeper import read_board
from visionsweeper.board import SIDES, Board, lines_from
from visionsweeper.geometry import Grid
from visionsweeper.vision.detection.enclosed import enclosed

EVERYWHERE = (True,) * 4


def sizes(picture: npt.NDArray[np.uint8], grid: Grid, asked: tuple[bool, ...]) -> list[tuple[int, int]]:
    return [(each.columns, each.rows) for each in enclosed(picture, grid, asked)]


@pytest.mark.parametrize("margin", [4, 9, 17])
@pytest.mark.parametrize("lost", [1, 2])
@pytest.mark.parametrize("side", range(4))
def test_lines_that_fit_into_the_frame_are_added(side: int, lost: int, margin: int) -> None:
    picture, shown, whole = panel(lost, side, margin)
    (found,) = enclosed(picture, shown, EVERYWHERE)
    np.testing.assert_allclose(found.x, whole.x, atol=0.5)
    np.testing.assert_allclose(found.y, whole.y, atol=0.5)


def test_both_axes_are_continued_first_and_then_each_alone() -> None:
    picture, shown, whole = panel(1, 1)
    corner = Grid(shown.x, shown.y[1:])
    picture[round(whole.y[0]) : round(whole.y[1]), round(whole.x[0]) : round(whole.x[-1])] = GROUND
    assert sizes(picture, corner, EVERYWHERE) == [(COLUMNS, ROWS), (COLUMNS, ROWS - 1), (COLUMNS - 1, ROWS)]


@pytest.mark.parametrize("side", range(4))
def test_a_side_that_is_not_asked_stays(side: int) -> None:
    picture, shown, _ = panel(1, side)
    assert sizes(picture, shown, tuple(each != side for each in range(4))) == []


def test_ground_that_is_wider_at_one_end_encloses_nothing() -> None:
    picture, shown, _ = panel(1, 1, margin=4)
    assert sizes(picture, shown, EVERYWHERE)
    wider = TILE * 2 // 3
    wide = np.insert(picture, [52] * wider, picture[:, 52][:, None], axis=1)
    assert sizes(wide, Grid(shown.x + wider, shown.y), EVERYWHERE) == []


@pytest.mark.parametrize("side", range(4))
def test_a_frame_with_a_gap_encloses_nothing(side: int) -> None:
    picture, shown, _ = panel(1, side)
    picture[:, 0:50] = np.where(np.arange(len(picture))[:, None, None] == 100, GROUND, picture[:, :50])
    assert sizes(picture, shown, EVERYWHERE) == []


def test_a_wide_page_encloses_nothing() -> None:
    page = np.full((900, 900, 3), GROUND, np.uint8)
    page[300 : 300 + ROWS * TILE, 300 : 300 + COLUMNS * TILE] = 60
    page[[5, -5]] = page[:, [5, -5]] = 0
    board = Grid(300 + TILE * np.arange(COLUMNS + 1.0), 300 + TILE * np.arange(ROWS + 1.0))
    assert sizes(page, board, EVERYWHERE) == []


RUNNING = """\
? ? 1 0 0 0 0 0 0 0
? ? 1 0 0 0 1 1 1 0
1 1 1 0 0 0 1 F 1 0
0 0 0 0 0 0 1 1 1 0
0 1 1 1 0 0 0 0 0 0
0 1 ? 1 0 1 1 1 0 0
0 1 1 1 0 1 F 1 0 0
0 0 0 0 0 1 1 1 0 0
"""


FIRST_BLANKS = """\
? ? ? ? 1 0
? ? ? 2 2 0
? ? ? ? 1 0
? ? ? 2 2 0
? ? ? ? 1 0
"""


def terminal(board: str, frame: bool) -> npt.NDArray[np.uint8]:
    """Draw a board of text in a terminal, its blanks as dark as the page, in a frame or in none."""
    across, down, left, top = 26, 30, 70, 80
    rows = ["".join(row.split()).replace("?", "#") for row in board.splitlines()]
    right, bottom = left + across * len(rows[0]), top + down * len(rows)
    picture = np.full((bottom + top, right + 3 * left, 3), 20, np.uint8)
    if frame:
        cv2.rectangle(picture, (left - 8, top - 8), (right + 8, bottom + 8), (170, 170, 170), 1)
    inks = {"1": (90, 150, 255), "2": (80, 200, 80), "F": (240, 90, 90), "#": (200, 200, 200)}
    for row, signs in enumerate(rows):
        for column, sign in enumerate(signs):
            if sign != "0":
                place = (left + across * column + 6, top + down * row + 22)
                cv2.putText(picture, sign, place, cv2.FONT_HERSHEY_DUPLEX, 0.7, inks[sign], 1, cv2.LINE_AA)
    return picture


@pytest.mark.parametrize("text", [RUNNING, FIRST_BLANKS])
def test_a_frame_tells_of_blank_lines_that_look_like_the_page(text: str) -> None:
    board = Board.from_text(text)
    assert (lines_from(SIDES[1], board.cells)[0] == 0).all()
    framed = read_board(terminal(text, frame=True), themes=())
    assert str(framed.board) == str(board)
    bare = read_board(terminal(text, frame=False), themes=())
    assert bare.board.columns < board.columns
    assert framed.uncertain.all()
