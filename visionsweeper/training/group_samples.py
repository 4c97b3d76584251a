"""Drawn boards as the group network learns from them: what is known of each group, and what it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from visionsweeper.synthetic.any_marks import theme_with_any_marks
from visionsweeper.synthetic.fonts import FontSource
from visionsweeper.synthetic.positions import (
    Labels,
    is_lost,
    random_game,
    untouched_position,
    with_mines_kept_covered,
    with_more_flags,
    with_rare_endings,
)
from visionsweeper.synthetic.random_themes import PAINTED
from visionsweeper.synthetic.small_signs import with_small_signs
from visionsweeper.synthetic.theme import RenderTheme
from visionsweeper.training.train import drawn_examples
from visionsweeper.vision.tiles.classes import CLASS_NAMES, EXPLODED
from visionsweeper.vision.tiles.evidence import first_pass, gather, groups_of
from visionsweeper.vision.tiles.features import FloatArray
from visionsweeper.vision.tiles.groups import Groups
from visionsweeper.vision.tiles.knn import Model


@dataclass(frozen=True)
class Shares:
    """Shares, 0 to 1, of the boards that are out of the ordinary."""

    any_marks: float = 0.0
    """With flags and mines of any look."""
    untouched: float = 0.0
    """That nobody has played on."""
    painted: float = PAINTED
    """Painted scenes."""
    silent: float = 0.0
    """Of those with an exploded mine: that show no other one."""
    small: float = 0.0
    """With marks, and half the time digits, as small as text in a wide cell."""
    lost: float = 0.0
    """Of games that are lost for certain; of the others some are as well."""
    rare: float = 0.0
    """Of the lost ones: that may show what is rare after a loss."""
    deep: float = 0.0
    """Of games that are not won: whose player flags more than single numbers prove."""


ORDINARY: Final = Shares()


@dataclass(frozen=True, eq=False)
class GroupSample:
    """The groups of one drawn board."""

    groups: Groups
    classes: FloatArray
    """(groups, 14) share of each class among a group's tiles."""


def group_samples(
    seed: int,
    fonts: Sequence[FontSource],
    count: int,
    model: Model,
    *,
    shares: Shares = ORDINARY,
    pictures: bool = False,
) -> Iterator[GroupSample]:
    """Yield so many boards, each in a theme of its own, as the model's first pass sees them.

    `pictures`: whether the groups keep theirs, which take most of the space, as float16.
    """

    def position(rng: np.random.Generator) -> Labels:
        if shares.untouched and rng.random() < shares.untouched:
            return untouched_position(rng)
        game = random_game(rng)
        if shares.lost and rng.random() < shares.lost:
            while not is_lost(game.labels):
                game = random_game(rng)
        labels = game.labels
        if shares.deep and rng.random() < shares.deep:
            labels = with_more_flags(rng, game)
        if shares.rare and rng.random() < shares.rare:
            labels = with_rare_endings(rng, labels)
        if shares.silent and (labels == EXPLODED).any() and rng.random() < shares.silent:
            return with_mines_kept_covered(labels)
        return labels

    def theme(rng: np.random.Generator, fonts: Sequence[FontSource]) -> RenderTheme:
        drawn = theme_with_any_marks(rng, fonts, shares.any_marks, shares.painted)
        return with_small_signs(rng, drawn) if shares.small and rng.random() < shares.small else drawn

    seeds = np.random.SeedSequence(seed).spawn(count)
    for example in drawn_examples(seeds, fonts, position, theme):
        evidence = gather(example.image, example.grid, model)
        groups = groups_of(evidence, first_pass(evidence, model.context))
        classes = np.zeros((len(groups.size), len(CLASS_NAMES)), np.float32)
        np.add.at(classes, (groups.of_tile, example.classes), 1.0)
        classes /= groups.size[:, None]
        kept: Any = groups.pictures.astype(np.float16)  # the network is given float32 again
        small = replace(groups, pictures=kept if pictures else kept[:0])
        yield GroupSample(small, classes)
