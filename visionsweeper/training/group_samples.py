"""Drawn boards as the group network learns from them: what is known of each group, and what it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from visionsweeper.synthetic.fonts import FontSource
from visionsweeper.training.shares import ORDINARY, Shares
from visionsweeper.training.train import drawn_examples
from visionsweeper.vision.tiles.classes import CLASS_NAMES
from visionsweeper.vision.tiles.evidence import first_pass, gather, groups_of
from visionsweeper.vision.tiles.features import FloatArray
from visionsweeper.vision.tiles.groups import Groups
from visionsweeper.vision.tiles.knn import Model


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
    seeds = np.random.SeedSequence(seed).spawn(count)
    for example in drawn_examples(seeds, fonts, shares.position, shares.theme, shares.occluded):
        evidence = gather(example.image, example.grid, model)
        groups = groups_of(evidence, first_pass(evidence, model.context))
        classes = np.zeros((len(groups.size), len(CLASS_NAMES)), np.float32)
        np.add.at(classes, (groups.of_tile, example.classes), 1.0)
        classes /= groups.size[:, None]
        kept: Any = groups.pictures.astype(np.float16)  # the network is given float32 again
        small = replace(groups, pictures=kept if pictures else kept[:0])
        yield GroupSample(small, classes)
