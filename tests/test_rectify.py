"""Photos of screens are put upright; screenshots are left alone."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from commandline import runner
from outside_data import SCREENS, needs
from paces import mostly_slow

from visionsweeper import Board, Reading, annotate, read_board, solve
from visionsweeper.drawing.annotate import enlargement
from visionsweeper.drawing.board import draw_board
from visionsweeper.io.images import load_image, save_image
from visionsweeper.pipeline import analyse, picture
from visionsweeper.synthetic.degradation import compressed, scaled
from visionsweeper.synthetic.photo import photographed, tilt, warped
from visionsweeper.vision.detection.rectify import upright


def board(columns: int = 16, rows: int = 12, pitch: int = 28) -> np.ndarray:
    rng = np.random.default_rng(4)
    image = np.full((rows * pitch, columns * pitch, 3), 190, np.uint8)
    image[::pitch] = image[:, ::pitch] = 100
    for row, column in np.ndindex(rows, columns):
        if rng.random() < 0.5:
            y, x = row * pitch + 7, column * pitch + 9
            image[y : y + 15, x : x + 8] = rng.integers(0, 255, 3)
    return image


@pytest.mark.parametrize(
    ("degrees", "keystone"),
    mostly_slow(
        [(1.5, (0, 0)), (-1.0, (0.05, 0.04)), (-1.5, (0, 0)), (3.0, (0, 0)), (0.7, (0.03, -0.03))], fast=2
    ),
)
@pytest.mark.parametrize("margin", [0, 40])
def test_a_tilted_board_comes_upright(degrees: float, keystone: tuple[float, float], margin: int) -> None:
    image = board()
    height, width = image.shape[:2]
    matrix, size = tilt((width, height), degrees, keystone, margin)
    photo = photographed(warped(image, matrix, size, (60, 60, 60)), np.random.default_rng(1))
    found = upright(photo)
    assert found.matrix is not None
    lines = np.array(
        [(0, 0, 1), (width, 0, 1), (width, height, 1), (0, height, 1), (width / 2, height / 2, 1)]
    )
    there = lines @ (found.matrix @ matrix).T
    there = there[:, :2] / there[:, 2:]
    # Level sides, to a tenth of a tile; and a middle in the middle.
    for a, b, axis in ((0, 1, 1), (3, 2, 1), (0, 3, 0), (1, 2, 0)):
        assert abs(there[a, axis] - there[b, axis]) < 2.8
    np.testing.assert_allclose(there[4], there[:4].mean(axis=0), atol=2)
    # The picture's sides are where the board's are: what a crop around it spans is the board.
    expected = (margin, margin, found.image.shape[1] - margin, found.image.shape[0] - margin)
    np.testing.assert_allclose([*there[0], *there[2]], expected, atol=5)
    x0, y0, x1, y1 = found.box((0, 0, size[0], size[1]))
    np.testing.assert_allclose((x0, y0, x1, y1), (0, 0, *found.image.shape[1::-1]), atol=1)


def test_straight_pictures_are_not_touched() -> None:
    image = board()
    for straight in (
        image,
        scaled(image, 1.37, "linear"),
        scaled(image, 0.55, "area"),
        compressed(image, "jpeg", 60),
        compressed(image, "webp", 60),
        image[5:, 3:-2].copy(),
        photographed(image, np.random.default_rng(2)),
    ):
        found = upright(straight)
        assert found.image is straight
        assert found.matrix is None
        assert found.box((1, 2, 3, 4)) == (1, 2, 3, 4)


@pytest.mark.parametrize("size", [(1, 1), (3, 900), (900, 3), (64, 64), (70, 2000)])
def test_any_picture_will_do(size: tuple[int, int]) -> None:
    noise = np.random.default_rng(3).integers(0, 256, (*size, 3)).astype(np.uint8)
    for image in (noise, np.zeros_like(noise)):
        assert upright(image).image is image


@pytest.mark.slow
@needs(SCREENS)
def test_real_screenshots_are_left_alone() -> None:
    crops = sorted(path for path in SCREENS.glob("*/*.png") if not path.name.endswith(".full.png"))
    wholes = sorted(SCREENS.glob("*/*.full.png"))
    for path in (*crops[::3], *wholes[::9]):
        assert upright(load_image(path)).matrix is None, path.name


def test_a_photographed_board_is_read_and_drawn_upright() -> None:
    rows = ["1?1001??", "111112??", "00001???", "01111???", "01?1123?", "1211001?", "1F100011", "11100000"]
    truth = Board.from_text("\n".join(rows))
    drawn, grid = draw_board(truth)
    matrix, size = tilt((drawn.shape[1], drawn.shape[0]), 2.0)
    photo = warped(drawn, matrix, size, (250, 250, 250))
    reading = read_board(photo, 8, 8, themes=())
    assert reading.straightened
    assert reading.image.shape != photo.shape
    assert reading.box == pytest.approx(grid.box, abs=0.12 * grid.pitch_x)
    shown = picture(analyse(reading, mines=5))[: reading.image.shape[0]]  # below is the legend
    np.testing.assert_array_equal(shown[0], reading.image[0])
    np.testing.assert_array_equal(shown[:, 0], reading.image[:, 0])
    straight = read_board(drawn, 8, 8, themes=())
    assert not straight.straightened
    assert np.shares_memory(straight.image, drawn)
    np.testing.assert_array_equal(straight.board.cells, truth.cells)
    np.testing.assert_array_equal(reading.board.cells, truth.cells)


@pytest.fixture(scope="module")
def tilted_sample() -> np.ndarray:
    """samples/expert.png as a photo of it shows it: turned by 2 degrees, on a larger canvas."""
    image = load_image(Path(__file__).parents[1] / "samples" / "expert.png")
    matrix, size = tilt((image.shape[1], image.shape[0]), 2.0, margin=40)
    return warped(image, matrix, size, (60, 60, 60))


def drawn_on(drawn: np.ndarray, reading: Reading) -> np.ndarray:
    """(rows, columns) bool: the tiles inside which a picture differs from the upright one; none outside."""
    grid = reading.grid
    factor = enlargement(grid, reading.image.shape)
    bare = cv2.resize(reading.image, None, fx=factor, fy=factor, interpolation=cv2.INTER_CUBIC)
    assert drawn.shape == bare.shape
    changed = np.abs(drawn.astype(int) - bare).max(axis=2) > 40
    inside = np.zeros((grid.rows, grid.columns), dtype=bool)
    for row, column in np.ndindex(inside.shape):
        x0, y0, x1, y1 = (round(edge * factor) for edge in grid.tile_box(row, column))
        inside[row, column] = changed[y0 + 5 : y1 - 5, x0 + 5 : x1 - 5].any()
    x0, y0, x1, y1 = (round(edge * factor) for edge in grid.box)
    changed[y0 - 5 : y1 + 5, x0 - 5 : x1 + 5] = False
    assert not changed.any()
    return inside


@pytest.mark.slow
def test_odds_are_drawn_on_the_tiles_of_a_tilted_photo(tilted_sample: np.ndarray) -> None:
    before = tilted_sample.copy()
    reading = read_board(tilted_sample, width=30, themes=())
    assert reading.straightened
    solution = solve(reading.board, mines=99)
    drawn = annotate(tilted_sample, reading, solution, legend=False)
    np.testing.assert_array_equal(tilted_sample, before)
    expected = np.isfinite(solution.probability) | reading.uncertain
    np.testing.assert_array_equal(drawn_on(drawn, reading), expected)


@pytest.mark.slow
def test_steps_are_drawn_on_the_tiles_of_a_tilted_photo(
    tilted_sample: np.ndarray,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    photo, output = tmp_path / "photo.png", tmp_path / "drawn.png"
    save_image(photo, tilted_sample)
    outcome = runner(monkeypatch, capsys)("explain", photo, "--width", "30", "--json", "-o", output)
    steps = json.loads(outcome.out)["steps"]
    assert steps
    reading = read_board(tilted_sample, width=30)
    inside = drawn_on(load_image(output), reading)
    settled = {tuple(tile) for step in steps for kind in ("safe", "mine") for tile in step[kind]}
    framed = {tuple(tile) for step in steps for tile in step["numbers"]}
    assert {tile for tile in settled if not inside[tile]} == set()
    elsewhere = {(int(row), int(column)) for row, column in np.argwhere(inside & ~reading.uncertain)}
    assert elsewhere - settled - framed == set()


def test_a_picture_of_another_size_is_not_drawn_on() -> None:
    image, _ = draw_board(Board.from_text("111\n1?1\n111\n"))
    reading = read_board(image, 3, 3, themes=())
    solution = solve(reading.board, mines=1)
    larger = np.pad(image, ((30, 0), (30, 0), (0, 0)))
    np.testing.assert_array_equal(annotate(larger, reading, solution), annotate(image, reading, solution))
