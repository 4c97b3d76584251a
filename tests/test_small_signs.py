"""Boards with small marks and with what is rare after a loss, which the group networks are trained on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from visionsweeper.board import COVERED, FLAG, MINE
from visionsweeper.synthetic.draw import draw
from visionsweeper.synthetic.fonts import FontSource
from visionsweeper.synthetic.named_themes import NAMED_THEMES
from visionsweeper.synthetic.positions import (
    count_around,
    is_lost,
    late_game,
    marked_position,
    random_game,
    random_position,
    with_more_flags,
    with_rare_endings,
)
from visionsweeper.synthetic.small_signs import with_small_signs
from visionsweeper.synthetic.theme import RenderTheme
from visionsweeper.training import shares as drawing_shares
from visionsweeper.training.group_samples import group_samples
from visionsweeper.training.shares import Shares
from visionsweeper.vision.tiles.classes import EXPLODED, QUESTION, WRONG_FLAG
from visionsweeper.vision.tiles.knn import load_model

PITCH = 48
LETTERS = FontSource("pillow", "built-in pillow")
MARKS = (FLAG, MINE, WRONG_FLAG, QUESTION, EXPLODED)


def classic(pitch: int = PITCH) -> RenderTheme:
    """The classic theme at another size."""
    return replace(NAMED_THEMES["classic"].make(), pitch=(float(pitch),) * 2, canvas_pitch=0)


def heights(theme: RenderTheme) -> dict[int, int]:
    """Pixels from the top to the bottom of what each tile class but the blank shows on its background."""
    bare = replace(theme, faces=tuple(replace(face, layers=()) for face in theme.faces))
    labels = np.array([[*range(1, 9), COVERED, *MARKS]], np.uint8)
    shown, plain = (draw(each, labels, np.random.default_rng(0)) for each in (theme, bare))
    marked = np.abs(shown.image.astype(int) - plain.image).max(axis=2) > 60
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


@pytest.mark.parametrize("pitch", [10, 16])
def test_nothing_gets_smaller_than_what_can_be_told_apart_nor_larger_than_it_was(pitch: int) -> None:
    plain = heights(classic(pitch))
    for seed in range(20):
        small = heights(with_small_signs(np.random.default_rng(seed), classic(pitch)))
        assert all(min(5, plain[label]) <= small[label] <= plain[label] for label in plain)


def test_what_marked_tiles_share_with_covered_ones_stays() -> None:
    theme = classic()
    faces = list(theme.faces)
    pattern = faces[MINE].layers
    for label in (COVERED, FLAG):
        faces[label] = replace(faces[label], layers=(*pattern, *faces[label].layers))
    drawn = replace(theme, faces=tuple(faces))
    small = with_small_signs(np.random.default_rng(0), drawn)
    assert small.faces[COVERED] == drawn.faces[COVERED]
    kept, changed = len(pattern), drawn.faces[FLAG].layers[len(pattern) :]
    assert small.faces[FLAG].layers[:kept] == pattern
    assert changed
    assert all(now != was for now, was in zip(small.faces[FLAG].layers[kept:], changed, strict=True))


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
        assert not after.flags.writeable
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
            clicked = numbers & (count_around(labels == EXPLODED) > 0)
            assert count_around(exploded)[clicked].max() == exploded.sum()
        seen |= set(np.unique(after[after != labels]).tolist())
    assert seen == {WRONG_FLAG, QUESTION, EXPLODED}


@pytest.mark.parametrize(
    ("shown", "lost"), [(EXPLODED, True), (WRONG_FLAG, True), (MINE, False), (FLAG, False)]
)
def test_an_exploded_mine_or_a_wrong_flag_is_a_loss(shown: int, lost: bool) -> None:
    """Mines alone may be shown after a win as well."""
    assert is_lost(np.array([[1, shown], [COVERED, 1]], np.uint8)) is lost


def test_of_lost_games_all_samples_show_it() -> None:
    for sample in group_samples(3, [LETTERS], 6, load_model(), shares=Shares(lost=1.0)):
        assert (sample.classes[:, [MINE, WRONG_FLAG]] > 0).any()


def test_a_player_who_sees_further_flags_mines_beside_numbers_and_changes_nothing_else() -> None:
    more = won = 0
    for seed in range(60):
        game = random_game(np.random.default_rng(seed))
        after = with_more_flags(np.random.default_rng(seed), game)
        changed = after != game.labels
        numbers = (game.labels >= 1) & (game.labels <= 8)
        assert (after[changed] == FLAG).all()
        assert np.isin(game.labels[changed], (COVERED, MINE)).all()
        assert (game.mines & (count_around(numbers) > 0))[changed].all()
        if (game.labels[~game.mines] <= 8).all():
            won += 1
            assert not changed.any()
        more += changed.any()
    assert more > 30
    assert won > 1


def test_late_games_follow_the_rules_and_are_near_their_end() -> None:
    lost = flagged = alone = 0
    for seed in range(200):
        game = late_game(np.random.default_rng(seed))
        labels, mines = game.labels, game.mines
        opened = labels <= 8
        assert np.array_equal(labels[opened], count_around(mines)[opened])
        assert not mines[opened].any()
        left = ~opened & ~mines
        assert left.sum() <= 6
        # A 0 opens all around it.
        assert (count_around(labels == 0)[left] == 0).all()
        assert mines[np.isin(labels, (MINE, EXPLODED))].all()
        assert not mines[labels == WRONG_FLAG].any()
        lost += is_lost(labels)
        flagged += (labels[mines] == FLAG).all()
        alone += np.isin(labels, (COVERED, QUESTION)).sum() == 1
    assert lost > 30
    assert flagged > 20
    assert alone > 10
    once, again = (late_game(np.random.default_rng(5)).labels for _ in range(2))
    assert np.array_equal(once, again)


def test_marked_positions_have_marks_and_nothing_opened() -> None:
    flags, asked, together = [], 0, 0
    for seed in range(200):
        labels = marked_position(np.random.default_rng(seed))
        assert set(np.unique(labels)) <= {COVERED, FLAG, QUESTION}
        places = np.argwhere(labels == FLAG)
        assert 0 < len(places) <= labels.size // 4
        flags.append(len(places))
        asked += QUESTION in labels
        together += 1 < len(places) <= 6 and bool(np.ptp(places, axis=0).max() <= 4)
    assert 10 < flags.count(1) < 60
    assert sum(count <= 6 for count in flags) > 120
    assert 10 < asked < 60
    assert 25 < together < 100
    once, again = (marked_position(np.random.default_rng(5)) for _ in range(2))
    assert np.array_equal(once, again)


def test_so_many_boards_are_marked_before_any_tile_is_opened() -> None:
    drawn = [Shares(marked=0.5).position(np.random.default_rng(seed)) for seed in range(40)]
    assert 10 < sum((labels > 8).all() and FLAG in labels for labels in drawn) < 30


def test_shares_that_are_0_take_no_random_numbers() -> None:
    for seed in range(10):
        game = random_game(np.random.default_rng(seed))
        assert np.array_equal(Shares().position(np.random.default_rng(seed)), game.labels)


@pytest.mark.parametrize(
    ("drawing", "shares"),
    [
        ("with_small_signs", Shares(small=0.5)),
        ("with_rare_endings", Shares(rare=0.5)),
        ("with_more_flags", Shares(deep=0.5)),
    ],
)
def test_of_the_boards_so_many_are_drawn_so(
    monkeypatch: pytest.MonkeyPatch, drawing: str, shares: Shares
) -> None:
    drawn = getattr(drawing_shares, drawing)
    calls = []

    def counted(rng: np.random.Generator, drawn_so_far: Any) -> Any:
        calls.append(drawn_so_far)
        return drawn(rng, drawn_so_far)

    monkeypatch.setattr(drawing_shares, drawing, counted)
    list(group_samples(4, [LETTERS], 12, load_model()))
    assert not calls
    list(group_samples(4, [LETTERS], 12, load_model(), shares=shares))
    assert 2 <= len(calls) <= 10
