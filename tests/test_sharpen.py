"""The cut with the fewest looks, among cuts of one board."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from paces import mostly_slow

from visionsweeper.board import Board
from visionsweeper.geometry import Grid
from visionsweeper.synthetic import draw, random_position
from visionsweeper.synthetic.degradation import scaled
from visionsweeper.synthetic.named_themes import NAMED_THEMES
from visionsweeper.synthetic.render import render_board
from visionsweeper.vision.settling.sharpen import refitted, sharpest
from visionsweeper.vision.tiles.classes import tiles_of_classes


@pytest.mark.parametrize("name", mostly_slow(sorted(NAMED_THEMES), fast=3))
def test_the_true_cut_wins_over_one_that_drifts(name: str) -> None:
    rng = np.random.default_rng(5)
    drawing = draw(NAMED_THEMES[name].make(), random_position(rng, size=(10, 12)), rng)
    height, width = drawing.image.shape[:2]
    x0, y0, x1, y1 = drawing.grid.box
    drifting = Grid.even((x0, y0 - 4.0, x1, y1 - 11.0), 12, 10)
    found = sharpest(drawing.image, drifting, [drawing.grid], (0.0, 0.0, 0.0 + width, 0.0 + height))
    assert np.abs(found.x - drawing.grid.x).max() < 0.05 * drawing.grid.pitch_x
    assert np.abs(found.y - drawing.grid.y).max() < 0.05 * drawing.grid.pitch_y


def test_cuts_of_another_size_or_place_are_not_taken() -> None:
    rng = np.random.default_rng(6)
    drawing = draw(NAMED_THEMES["flat"].make(), random_position(rng, size=(9, 9)), rng)
    grid = drawing.grid
    others = [Grid(grid.x[:-1], grid.y), Grid(grid.x + 0.9 * grid.pitch_x, grid.y)]
    height, width = drawing.image.shape[:2]
    assert sharpest(drawing.image, grid, others, (0.0, 0.0, 3.0 * width, 3.0 * height)) is grid


@pytest.mark.parametrize("axis", [0, 1])
def test_tiles_a_pixel_larger_are_tried_where_every_row_looks_different(axis: int) -> None:
    # Rounded to square tiles, an untouched board with wider gaps one way is cut a little too small there.
    tile = np.full((34, 32, 3), 255, np.uint8)
    tile[2:32, 1:31] = 120
    tile[8:26, 7:25] = 90
    image = np.pad(np.tile(tile, (10, 10, 1)), ((60, 80), (50, 70), (0, 0)), constant_values=255)
    true, small = (50.0, 60.0, 370.0, 400.0), (50.0, 65.0, 370.0, 395.0)
    if axis:
        image, true, small = (
            np.ascontiguousarray(image.transpose(1, 0, 2)),
            (60.0, 50.0, 400.0, 370.0),
            (65.0, 50.0, 395.0, 370.0),
        )
    found = sharpest(image, Grid.even(small, 10, 10), [], (0.0, 0.0, *image.shape[1::-1]))
    assert found.box == pytest.approx(true, abs=0.5)


@pytest.mark.parametrize(("name", "quality"), [("glass", 50), ("dark", 70), ("flat", 30)])
def test_compression_does_not_hide_the_cut_in_whole_pixels(name: str, quality: int) -> None:
    """Rounded, tiles of 48.58 px become 49: then half of the tiles look different, and noise makes more."""
    board = tiles_of_classes(random_position(np.random.default_rng(2), size=(9, 12)))
    image = np.pad(
        render_board(Board(board), theme=name, tile=48), ((60, 40), (40, 40), (0, 0)), constant_values=70
    )
    image = np.asarray(cv2.imdecode(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])[1], 1))
    found = sharpest(image, Grid.even((36.3, 62.9, 619.3, 492.7), 12, 9), [], (0.0, 0.0, *image.shape[1::-1]))
    assert found.pitch_x == pytest.approx(48)
    assert found.x[0] == pytest.approx(40, abs=1)


# The tiles of "checker" have twice as many looks: there a cut that is too small may stay.
@pytest.mark.parametrize("off", [-0.2, -0.1, 0.1, 0.2])
@pytest.mark.parametrize("name", mostly_slow(sorted({*NAMED_THEMES} - {"checker"}), fast=2))
def test_tiles_of_no_whole_number_of_pixels_are_found_where_the_cut_drifts(name: str, off: float) -> None:
    rng = np.random.default_rng(8)
    drawing = draw(replace(NAMED_THEMES[name].make(), uneven=0.0), random_position(rng, size=(16, 16)), rng)
    image = scaled(drawing.image, 1.25 * 25 / drawing.grid.pitch_x, "area")
    image = np.pad(image, ((40, 40), (40, 40), (0, 0)), mode="edge")
    height, width = image.shape[:2]
    true = Grid.even((40.0, 40.0, width - 40.0, height - 40.0), 16, 16)
    by = off * true.pitch_x
    drifting = Grid.even((40.0 - by, 40.0 - by, width - 40.0 + by, height - 40.0 + by), 16, 16)
    found = sharpest(image, drifting, [], (0.0, 0.0, float(width), float(height)))
    assert np.abs(found.x - true.x).max() < 0.07 * true.pitch_x
    assert np.abs(found.y - true.y).max() < 0.07 * true.pitch_y


def test_untouched_tiles_with_a_grain_keep_their_cut() -> None:
    """Cut through their bevels they have more contrast, beside which the grain counts less."""
    rng = np.random.default_rng(0)
    tile = np.full((21, 21, 3), 115, np.uint8)
    tile[:2] = tile[:, :2] = 130
    tile[-2:] = tile[:, -2:] = 85
    image = np.pad(np.tile(tile, (6, 12, 1)), ((60, 40), (40, 40), (0, 0)), constant_values=60)
    image = (image + rng.integers(-3, 4, (*image.shape[:2], 1))).astype(np.uint8)
    true = (40.0, 60.0, 40.0 + 12 * 21, 60.0 + 6 * 21)
    found = sharpest(image, Grid.even(true, 12, 6), [], (0.0, 0.0, *image.shape[1::-1]))
    assert found.box == pytest.approx(true, abs=1.0)


def test_a_cut_that_drifts_is_not_shifted() -> None:
    """A shift may hide what tiles differ in, as what is drawn along their upper edges."""
    rng = np.random.default_rng(9)
    drawing = draw(NAMED_THEMES["classic"].make(), random_position(rng, size=(10, 10)), rng)
    image = np.pad(drawing.image, ((60, 60), (60, 60), (0, 0)), mode="edge")
    off = 0.2 * drawing.grid.pitch_x
    shifted = Grid(drawing.grid.x + 60 + off, drawing.grid.y + 60)
    height, width = image.shape[:2]
    found = sharpest(image, shifted, [], (0.0, 0.0, float(width), float(height)))
    middle, before = (edges[0] + edges[-1] for edges in (found.x, shifted.x))
    assert middle == pytest.approx(before, abs=2.0)


@pytest.mark.parametrize("name", mostly_slow(sorted({*NAMED_THEMES} - {"checker"}), fast=2))
def test_a_cut_too_large_and_shifted_is_refitted(name: str) -> None:
    """The pitch is found; a shift under which tiles look alike too may stay: the reading judges it."""
    rng = np.random.default_rng(8)
    drawing = draw(replace(NAMED_THEMES[name].make(), uneven=0.0), random_position(rng, size=(12, 12)), rng)
    image = scaled(drawing.image, 37.5 / drawing.grid.pitch_x, "area")
    image = np.pad(image, ((40, 40), (40, 40), (0, 0)), mode="edge")
    height, width = image.shape[:2]
    true = Grid.even((40.0, 40.0, width - 40.0, height - 40.0), 12, 12)
    off = Grid.even((36.0, 33.0, width - 44.0, height - 43.5), 12, 12)
    found = refitted(image, off)
    assert found.pitch_x == pytest.approx(true.pitch_x, abs=0.03)
    assert found.pitch_y == pytest.approx(true.pitch_y, abs=0.03)
    assert found.box == pytest.approx(true.box, abs=0.2 * true.pitch_x)
