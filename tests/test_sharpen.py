"""The cut with the fewest looks, among cuts of one board."""

from __future__ import annotations

import numpy as np
import pytest
from paces import mostly_slow

from visionsweeper.geometry import Grid
from visionsweeper.synthetic import draw, random_position
from visionsweeper.synthetic.named_themes import NAMED_THEMES
from visionsweeper.vision.sharpen import sharpest


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
