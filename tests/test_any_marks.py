"""Boards with flags and mines of any look, which the group networks are trained on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from visionsweeper.board import COVERED, FLAG, MINE
from visionsweeper.synthetic.any_marks import theme_with_any_marks, with_any_marks
from visionsweeper.synthetic.draw import draw
from visionsweeper.synthetic.fonts import FontSource
from visionsweeper.synthetic.named_themes import NAMED_THEMES
from visionsweeper.synthetic.positions import with_mines_kept_covered
from visionsweeper.synthetic.theme import Degradation
from visionsweeper.training.group_samples import group_samples
from visionsweeper.training.shares import Shares
from visionsweeper.vision.tiles.classes import EXPLODED, QUESTION, WRONG_FLAG
from visionsweeper.vision.tiles.knn import load_model

LETTERS = FontSource("pillow", "built-in pillow")
MARKS = (FLAG, MINE, WRONG_FLAG, QUESTION, EXPLODED)


def tiles_by_class(seed: int) -> dict[int, np.ndarray]:
    """One drawn tile of each class, 24x24 px, of the classic theme with other marks."""
    theme = replace(NAMED_THEMES["classic"].make(), pitch=(24.0, 24.0), canvas_pitch=0)
    if seed:
        theme = with_any_marks(np.random.default_rng(seed), theme, LETTERS, [LETTERS])
    labels = np.array([[*range(9), COVERED, *MARKS]], np.uint8)
    drawing = draw(theme, labels, np.random.default_rng(0))
    x, y = drawing.grid.x.round().astype(int), drawing.grid.y.round().astype(int)
    return {
        int(label): drawing.image[y[0] : y[1], x[at] : x[at] + 24].copy()
        for at, label in enumerate(labels[0])
    }


def test_marks_look_otherwise_and_all_else_as_before_but_for_the_colour_of_covered_tiles() -> None:
    plain = tiles_by_class(0)
    recoloured = 0
    for seed in range(1, 30):
        shown = tiles_by_class(seed)
        for label in range(9):
            np.testing.assert_array_equal(shown[label], plain[label])
        recoloured += not np.array_equal(shown[COVERED], plain[COVERED])
        for label in (FLAG, MINE):
            assert np.abs(shown[label].astype(int) - plain[label]).max() > 40
        assert np.abs(shown[FLAG].astype(int) - shown[MINE]).max() > 40
        assert np.abs(shown[FLAG].astype(int) - shown[COVERED]).max() > 40
    assert 0 < recoloured < 10


def test_covered_tiles_of_several_colours_differ_in_nothing_else() -> None:
    theme = NAMED_THEMES["classic"].make()
    seen = 0
    for seed in range(30):
        covered = with_any_marks(np.random.default_rng(seed), theme, LETTERS, [LETTERS]).faces[COVERED]
        if len(covered.backgrounds) == 1:
            continue
        seen += 1
        assert 3 <= len({each.colour for each in covered.backgrounds}) == len(covered.backgrounds)
        first = covered.backgrounds[0]
        assert all(replace(each, colour=first.colour) == first for each in covered.backgrounds)
    assert seen


def test_a_silent_loss_shows_the_exploded_mine_alone() -> None:
    labels = np.array([[1, MINE, EXPLODED], [FLAG, WRONG_FLAG, COVERED]], np.uint8)
    hidden = with_mines_kept_covered(labels)
    assert hidden.tolist() == [[1, COVERED, EXPLODED], [FLAG, WRONG_FLAG, COVERED]]
    assert labels[0, 1] == MINE


def test_the_same_seed_gives_the_same_looks() -> None:
    once, again = tiles_by_class(3), tiles_by_class(3)
    assert all(np.array_equal(once[label], again[label]) for label in once)


def test_a_share_of_the_themes_has_other_marks() -> None:
    fonts = [LETTERS]

    def flag(seed: int, share: float) -> bytes:
        theme = theme_with_any_marks(np.random.default_rng(seed), fonts, share)
        plain = replace(theme, degradation=Degradation(), cursor=0.0, lit="", veil=None, canvas_pitch=0)
        return draw(plain, np.array([[FLAG]], np.uint8), np.random.default_rng(0)).image.tobytes()

    changed = sum(flag(seed, 0.0) != flag(seed, 0.5) for seed in range(40))
    assert 10 < changed < 30
    assert all(flag(seed, 0.0) != flag(seed, 1.0) for seed in range(8))


def test_samples_of_untouched_boards_hold_nothing_but_covered_tiles() -> None:
    model = load_model()
    for sample in group_samples(5, [LETTERS], 3, model, shares=Shares(any_marks=1.0, untouched=1.0)):
        assert sample.classes[:, COVERED].tolist() == [1.0] * len(sample.classes)
    played = list(group_samples(5, [LETTERS], 3, model, shares=Shares(any_marks=1.0)))
    assert all((sample.classes[:, :9] > 0).any() for sample in played)
