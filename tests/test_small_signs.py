"""Boards with small marks and with what is rare after a loss, which the group networks are trained on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from visionsweeper.board import COVERED, FLAG, MINE
from visionsweeper.synthetic.draw import draw
from visionsweeper.synthetic.fonts import FontSource
from visionsweeper.synthetic.named_themes import NAMED_THEMES
from visionsweeper.synthetic.positions import count_around, is_lost, random_position, with_rare_endings
from visionsweeper.synthetic.small_signs import with_small_signs
from visionsweeper.synthetic.theme import RenderTheme
from visionsweeper.training.group_samples import Shares, group_samples
from visionsweeper.vision.tiles.classes import EXPLODED, QUESTION, WRONG_FLAG
from visionsweeper.vision.tiles.knn import load_model

PITCH = 48
MARKS = (FLAG, MINE, WRONG_FLAG, QUESTION, EXPLODED)


def classic(pitch: int = PITCH) -> RenderTheme:
    """The classic theme at another size."""
    return replace(NAMED_THEMES["classic"].make(), pitch=(float(pitch),) * 2, canvas_pitch=0)


def heights(theme: RenderTheme) -> dict[int, int]:
    """Pixels from the top to the bottom of what each tile class but the blank shows on its ground."""
    bare = replace(theme, faces=tuple(replace(face, layers=()) for face in theme.faces))
    labels = np.array([[*range(1, 9), COVERED, *MARKS]], np.uint8)
    shown, ground = (draw(each, labels, np.random.default_rng(0)) for each in (theme, bare))
    marked = np.abs(shown.image.astype(int) - ground.image).max(axis=2) > 60
    borders = shown.grid.x.round().astype(int)
    found = {}
    for at, label in enumerate(labels[0]):
        rows = np.flatnonzero(marked[:, borders[at] : borders[at + 1]].any(axis=1))
        found[int(label)] = int(rows[-1] - rows[0]) + 1 if len(rows) else 0
    return found


def test_all_marks_are_smaller_by_one_factor_and_half_the_time_digits_are() -> None:
    plain = heights(classic())
    assert plain[COVERED] == 0
    with_digits = 0
    for seed in range(20):
        small = heights(with_small_signs(np.random.default_rng(seed), classic()))
        factors = [small[label] / plain[label] for label in MARKS]
        assert max(factors) - min(factors) < 0.15
        assert 0.33 < np.mean(factors) < 0.8
        assert small[COVERED] == 0
        digits = [small[label] / plain[label] for label in range(1, 9)]
        if digits != [1.0] * 8:
            with_digits += 1
            assert np.mean(digits) == pytest.approx(np.mean(factors), abs=0.12)
    assert 5 <= with_digits <= 15


def test_nothing_gets_smaller_than_what_can_be_told_apart() -> None:
    plain = heights(classic(16))
    for seed in range(20):
        small = heights(with_small_signs(np.random.default_rng(seed), classic(16)))
        assert all(small[label] >= min(5, plain[label]) for label in (*MARKS, *range(1, 9)))


def test_a_game_that_is_not_lost_stays_as_it_is() -> None:
    labels = np.array([[1, FLAG, COVERED], [1, 1, QUESTION]], np.uint8)
    assert all(with_rare_endings(np.random.default_rng(seed), labels) is labels for seed in range(20))


def test_after_a_loss_only_covered_tiles_and_shown_mines_become_something_else() -> None:
    seen: set[int] = set()
    for seed in range(300):
        labels = random_position(np.random.default_rng(seed), size=(9, 9))
        before = labels.copy()
        after = with_rare_endings(np.random.default_rng(seed), labels)
        assert np.array_equal(labels, before)
        wrong, question, exploded = (
            (after == each) & (labels != each) for each in (WRONG_FLAG, QUESTION, EXPLODED)
        )
        assert np.array_equal(after[~(wrong | question | exploded)], labels[~(wrong | question | exploded)])
        assert (labels[wrong | question] == COVERED).all()
        assert (labels[exploded] == MINE).all()
        numbers = (labels >= 1) & (labels <= 8)
        assert wrong.sum() <= 3
        assert (count_around(numbers)[wrong] > 0).all()
        if exploded.any():  # all of them around one number, beside the one that had exploded
            around = [count_around(exploded)[tuple(at)] for at in np.argwhere(numbers)]
            assert max(around) == exploded.sum()
        seen |= set(np.unique(after[after != labels]).tolist())
    assert seen == {WRONG_FLAG, QUESTION, EXPLODED}


@pytest.mark.parametrize(
    ("shown", "lost"), [(EXPLODED, True), (WRONG_FLAG, True), (MINE, False), (FLAG, False)]
)
def test_an_exploded_mine_or_a_wrong_flag_is_a_loss(shown: int, lost: bool) -> None:
    """Mines alone may be shown after a win as well."""
    assert is_lost(np.array([[1, shown], [COVERED, 1]], np.uint8)) is lost


def test_of_lost_games_all_samples_show_it() -> None:
    letters = FontSource("pillow", "built-in pillow")
    drawn = group_samples(3, [letters], 6, load_model(), shares=Shares(lost=1.0, small=1.0, rare=1.0))
    for sample in drawn:
        assert (sample.classes[:, [MINE, WRONG_FLAG]] > 0).any()
