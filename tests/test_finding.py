"""Boards in uncropped pictures: windows drawn here, and real ones."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from outside_data import SCREENS, needs
from places import find_grid, find_grids

from visionsweeper.errors import NoBoardFound
from visionsweeper.io.images import load_image
from visionsweeper.vision.detection.rectangle import best_rectangle
from visionsweeper.vision.detection.repeat_grid import repeat_grid

Picture = npt.NDArray[np.uint8]


def lined_board(columns: int, rows: int, pitch: float, gap: int, rng: np.random.Generator) -> Picture:
    size = round(columns * pitch), round(rows * pitch)
    board = np.full((size[1], size[0], 3), 250, np.uint8)
    for r in range(rows):
        for c in range(columns):
            x0, x1 = round(c * pitch), round((c + 1) * pitch)
            y0, y1 = round(r * pitch), round((r + 1) * pitch)
            hidden = rng.random() < 0.5
            board[y0 + gap // 2 : y1 - gap // 2, x0 + gap // 2 : x1 - gap // 2] = 190 if hidden else 222
            if not gap:
                board[y0, x0:x1] = board[y0:y1, x0] = 140
            if not hidden and rng.random() < 0.6:
                put(board, str(rng.integers(1, 5)), (x0 + x1) / 2, (y0 + y1) / 2, pitch)
    return board


def picture_board(columns: int, rows: int, pitch: int, rng: np.random.Generator) -> Picture:
    """No lines at all: discs, rings and stars on plain ground."""
    board = np.full((rows * pitch, columns * pitch, 3), 245, np.uint8)
    for r in range(rows):
        for c in range(columns):
            centre = (c * pitch + pitch // 2, r * pitch + pitch // 2)
            kind = rng.integers(0, 4)
            if kind == 0:
                cv2.circle(board, centre, pitch // 3, (240, 180, 30), -1, cv2.LINE_AA)
            elif kind == 1:
                cv2.circle(board, centre, pitch // 3, (60, 90, 200), 3, cv2.LINE_AA)
            elif kind == 2:
                put(board, "5", *centre, pitch)
            else:
                cv2.drawMarker(board, centre, (200, 40, 40), cv2.MARKER_STAR, pitch // 2, 2, cv2.LINE_AA)
    return board


def put(picture: Picture, text: str, x: float, y: float, pitch: float) -> None:
    scale = pitch / 42
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, scale, 2)
    origin = round(x - width / 2), round(y + height / 2)
    cv2.putText(picture, text, origin, cv2.FONT_HERSHEY_SIMPLEX, scale, (20, 60, 180), 2, cv2.LINE_AA)


def window(board: Picture, left: int, top: int, rng: np.random.Generator) -> Picture:
    """A page with a title bar, a panel with text, and lines of text beside the board."""
    height, width = board.shape[0] + top + 120, board.shape[1] + left + 260
    page = np.full((height, width, 3), 235, np.uint8)
    page[:28] = (60, 80, 120)
    cv2.putText(
        page, "Mines - a game", (12, 20), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (255, 255, 255), 1, cv2.LINE_AA
    )
    cv2.rectangle(page, (left - 8, top - 8), (left + board.shape[1] + 7, top + board.shape[0] + 7), 120, 1)
    page[top : top + board.shape[0], left : left + board.shape[1]] = board
    for line in range(60, height - 20, 22):
        text = "".join(rng.choice(list("abcdefghij klmno"), 18))
        place = (left + board.shape[1] + 40, line)
        cv2.putText(page, text, place, cv2.FONT_HERSHEY_SIMPLEX, 0.45, (40, 40, 40), 1, cv2.LINE_AA)
    return page


def off_by(picture: Picture, columns: int, rows: int, box: tuple[float, float, float, float]) -> float:
    """Largest error of a side, tiles; the size has to be right."""
    grid = find_grid(picture)
    assert (grid.columns, grid.rows) == (columns, rows)
    return max(abs(a - b) for a, b in zip(grid.box, box, strict=True)) / grid.pitch_x


@pytest.mark.slow
@pytest.mark.parametrize("gap", [0, 4])
@pytest.mark.parametrize(
    ("columns", "rows", "pitch"),
    [(9, 9, 24.0), (30, 16, 18.0), (16, 16, 31.25), (8, 8, 75.0), (30, 16, 24.43)],
)
def test_boards_with_lines(columns: int, rows: int, pitch: float, gap: int) -> None:
    rng = np.random.default_rng(columns + gap)
    board = lined_board(columns, rows, pitch, gap, rng)
    box = (57.0, 91.0, 57.0 + board.shape[1], 91.0 + board.shape[0])
    assert off_by(window(board, 57, 91, rng), columns, rows, box) < 0.2


@pytest.mark.slow
@pytest.mark.parametrize(("columns", "rows", "pitch"), [(9, 9, 32), (16, 16, 26), (12, 10, 45)])
def test_boards_of_pictures_without_lines(columns: int, rows: int, pitch: int) -> None:
    rng = np.random.default_rng(pitch)
    board = picture_board(columns, rows, pitch, rng)
    box = (70.0, 90.0, 70.0 + board.shape[1], 90.0 + board.shape[0])
    assert off_by(window(board, 70, 90, rng), columns, rows, box) < 0.25


def noise() -> Picture:
    return np.random.default_rng(0).integers(0, 256, (300, 400, 3)).astype(np.uint8)


def gradient() -> Picture:
    return np.repeat(np.linspace(0, 255, 400)[None, :, None], 300, axis=0).repeat(3, axis=2).astype(np.uint8)


@pytest.mark.parametrize(
    "picture",
    [
        noise(),
        gradient(),
        np.full((300, 400, 3), 128, np.uint8),
        np.zeros((1, 1, 3), np.uint8),
        np.zeros((5, 900, 3), np.uint8),
        pytest.param(
            window(np.full((200, 200, 3), 240, np.uint8), 60, 80, np.random.default_rng(1)),
            marks=pytest.mark.slow,
        ),
    ],
    ids=["noise", "gradient", "blank", "pixel", "strip", "page of text"],
)
def test_no_board(picture: Picture) -> None:
    with pytest.raises(NoBoardFound, match="--width"):
        find_grid(picture)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(arrays(np.int8, st.tuples(st.integers(1, 5), st.integers(1, 5)), elements=st.integers(-5, 5)))
def test_best_rectangle_is_the_best_of_all(drawn: npt.NDArray[np.int8]) -> None:
    weights = drawn.astype(np.float64)
    rows, columns = weights.shape
    sums = [
        weights[a:b, c:d].sum()
        for a in range(rows)
        for b in range(a + 1, rows + 1)
        for c in range(columns)
        for d in range(c + 1, columns + 1)
    ]
    answer = best_rectangle(weights)
    if max(sums) <= 0:
        assert answer is None
    else:
        assert answer is not None
        assert weights[answer].sum() == max(sums)


@pytest.mark.slow
@needs(SCREENS)
def test_real_windows_and_pages() -> None:
    records = sorted(SCREENS.glob("*/*.json"))[::5]
    right = 0
    for record in records:
        shot = json.loads(record.read_text())
        try:
            grid = find_grid(load_image(record.with_suffix(".full.png")))
        except NoBoardFound:
            continue
        quarter = (shot["box"][2] - shot["box"][0]) / shot["width"] / 4
        right += (grid.columns, grid.rows) == (shot["width"], shot["height"]) and bool(
            np.abs(np.subtract(grid.box, shot["box"])).max() < quarter
        )
    assert right / len(records) > 0.95


@pytest.mark.parametrize(
    ("name", "size"),
    [("expert", (30, 16)), ("lost", (16, 16)), ("beginner-flat", (9, 9)), ("intermediate-dark", (16, 16))],
)
def test_a_picture_cropped_to_the_board_is_a_board_too(name: str, size: tuple[int, int]) -> None:
    image = load_image(Path(__file__).parents[1] / "samples" / f"{name}.png")
    grid = find_grid(image)
    assert (grid.columns, grid.rows) == size
    height, width = image.shape[:2]
    np.testing.assert_allclose(grid.box, (0, 0, width, height), atol=0.3 * grid.pitch_x)


def test_a_board_whose_outer_border_lies_outside_the_picture() -> None:
    """The strip below such a board was cut from the wrong end, and came out empty."""
    page = np.full((440, 520, 3), 235, np.uint8)
    page[:240, :360] = lined_board(9, 6, 40, 4, np.random.default_rng(3))
    for turned in (page[:, 1:], page[:, 1:].swapaxes(0, 1)):
        (grid,) = find_grids(np.ascontiguousarray(turned))
        assert sorted((grid.columns, grid.rows)) == [6, 9]
        assert min(grid.box) < -0.5


@pytest.mark.slow
@given(st.integers(0, 2**32 - 1), st.integers(9, 40), st.integers(0, 30), st.integers(0, 30))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_boards_cut_anywhere_are_found_or_not(seed: int, pitch: int, left: int, top: int) -> None:
    rng = np.random.default_rng(seed)
    if seed % 2:
        board = lined_board(9, 7, pitch, int(rng.integers(0, 4)), rng)
    else:
        board = picture_board(9, 7, pitch, rng)
    for grid in find_grids(np.ascontiguousarray(board[top:, left:])):
        assert grid.rows * grid.columns >= 9


def test_a_picture_that_ends_in_the_middle_of_a_tile_is_searched_for_what_repeats() -> None:
    noise = np.random.default_rng(5).integers(0, 256, (80, 120, 3), np.uint8)
    for length in range(60, 121):
        for tiles in (4.5, 5.5, 7.5):
            for picture, pitch in (
                (noise[:, :length], (length / tiles, 16.0)),
                (noise.transpose(1, 0, 2)[:length], (16.0, length / tiles)),
            ):
                found = repeat_grid(np.ascontiguousarray(picture), pitch)
                assert found is None or 0.0 <= found[1] <= 1.0
