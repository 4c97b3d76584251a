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
