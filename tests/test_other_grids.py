"""Grids that are no boards, which confidence is fitted on too."""

from __future__ import annotations

import numpy as np
import pytest

from visionsweeper.synthetic.draw import draw
from visionsweeper.synthetic.fonts import FontSource
from visionsweeper.synthetic.other_grids import other_grid
from visionsweeper.synthetic.positions import count_around
from visionsweeper.training.train import TrainingOptions, with_confidence
from visionsweeper.vision.tiles.classes import CLASS_COUNT
from visionsweeper.vision.tiles.knn import load_model

FONTS = [FontSource("pillow", "built-in pillow")]


@pytest.mark.parametrize("seed", range(12))
def test_a_grid_is_drawn_in_several_kinds_of_cells(seed: int) -> None:
    theme, kinds = other_grid(np.random.default_rng(seed), FONTS)
    assert len(theme.faces) == CLASS_COUNT
    assert 5 <= min(kinds.shape) <= max(kinds.shape) <= 20
    image = draw(theme, kinds, np.random.default_rng(seed)).image
    assert image.std() > 1
    again = other_grid(np.random.default_rng(seed), FONTS)
    np.testing.assert_array_equal(draw(again[0], again[1], np.random.default_rng(seed)).image, image)


def test_the_numbers_count_nothing() -> None:
    """In a game each number is at most the number of closed tiles around it."""
    broken = numbers = 0
    for seed in range(60):
        kinds = other_grid(np.random.default_rng(seed), FONTS)[1]
        number = (kinds >= 1) & (kinds <= 8)
        broken += int((number & (count_around(kinds >= 9) < kinds)).sum())
        numbers += int(number.sum())
    assert broken > 0.5 * numbers


def test_confidence_is_fitted_on_them_and_measured_on_boards_alone() -> None:
    model = with_confidence(load_model(), TrainingOptions(boards=30, seed=3), FONTS)
    fitted_on = model.record["confidence_fitted_on"]
    assert (fitted_on["boards"], fitted_on["other_grids"]) == (33, 1)
    assert model.record["measured"]["on"].startswith("33 drawn boards")
