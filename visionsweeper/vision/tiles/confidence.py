"""How sure a reading is: what tells, group by group, whether its name is right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED
from visionsweeper.vision.tiles.classes import tiles_of_looks
from visionsweeper.vision.tiles.context import Scene
from visionsweeper.vision.tiles.features import FloatArray
from visionsweeper.vision.tiles.labelling import Naming
from visionsweeper.vision.tiles.rules import Rules

CONFIDENCE_FEATURES: Final = 36
"""Length of a group's vector."""

_LEAST: Final = -10.0  # natural log; below, a look is as good as ruled out


@dataclass(frozen=True)
class Opinions:
    """How well each look suits each group, (groups, 14) natural logs."""

    alone: FloatArray
    """By its own pixels, blanks shared out by their context."""
    again: FloatArray
    """Beside the other groups of the picture."""
    mixed: FloatArray
    """Both together: what the naming goes by."""


def confidence_features(scene: Scene, opinions: Opinions, distance: FloatArray, naming: Naming) -> FloatArray:
    """One vector a group: (groups, CONFIDENCE_FEATURES) float32.

    Of the group: its margin, how well its name suits it by each opinion, how far its nearest prototypes are,
    which rules break around it. Of the whole picture the same, because errors come together: a look that is
    unlike all in training, or a board that breaks the rules, is to be doubted as a whole.
    `distance`: (groups,) to the nearest prototype.
    """
    groups, looks = scene.groups, naming.looks.astype(np.intp)
    count = len(looks)
    size = np.bincount(groups, minlength=count)
    share = size / size.sum()
    rows = np.arange(count)
    own = np.exp(opinions.mixed[rows, looks])
    alone, again, mixed = (_lead(each, looks) for each in (opinions.alone, opinions.again, opinions.mixed))
    odds = np.exp(opinions.again)
    entropy = -(odds * opinions.again).sum(axis=1)
    top = scene.probability.max(axis=1)
    rules = Rules(scene.rows, scene.columns)
    broken = np.append(rules.penalties(looks[groups]) > 0.2, [False])
    near = broken[:-1] | broken[rules.around].any(axis=1)
    digit = (looks >= 1) & (looks <= 8)
    blank = (looks == 0) | (looks == COVERED)

    def everywhere(value: float) -> npt.NDArray[np.float64]:
        return np.full(count, value)

    parts = [
        np.tanh(naming.margin / 3.0),
        np.tanh(naming.margin / 12.0),
        own,
        top,
        np.where(blank, scene.blank, scene.probability[np.arange(count), looks]),
        scene.blank,
        np.log(size) / 5.0,
        distance,
        np.bincount(groups, weights=near, minlength=count) / size,
        digit,
        blank,
        looks == COVERED,
        everywhere(float(own.mean())),
        everywhere(_quantile(own, 0.15)),
        everywhere(float((own * size).sum() / size.sum())),
        everywhere(float(distance.mean())),
        everywhere(_quantile(distance, 0.85)),
        everywhere(float(np.tanh(10.0 * broken.mean()))),
        everywhere(float(len(naming.doubtful) > 0)),
        everywhere(float(np.tanh(3.0 * count / len(groups)))),
        everywhere(float(size[digit].sum() / len(groups))),
        np.tanh(alone / 3.0),
        np.tanh(again / 3.0),
        np.tanh(again / 10.0),
        np.tanh(mixed / 3.0),
        opinions.alone[rows, looks] / 3.0,
        np.maximum(opinions.again[rows, looks], _LEAST) / 3.0,
        alone > 0,
        again > 0,
        entropy,
        everywhere(float((np.tanh(again / 3.0) * share).sum())),
        everywhere(_quantile(np.tanh(again / 3.0), 0.2)),
        everywhere(float(share[again < 1.0].sum())),
        everywhere(float(share[alone < 0.0].sum())),
        everywhere(float((entropy * share).sum())),
        everywhere(float((distance * share).sum())),
    ]
    return np.stack([np.asarray(part, dtype=np.float32) for part in parts], axis=1)


def _lead(logs: FloatArray, looks: npt.NDArray[np.intp]) -> npt.NDArray[np.float64]:
    """(groups,) by how much each group's look is ahead of the likeliest that would be another tile."""
    tiles = tiles_of_looks(np.arange(logs.shape[1], dtype=np.uint8))
    others = np.where(tiles[None, :] == tiles[looks][:, None], -np.inf, logs).max(axis=1)
    lead: npt.NDArray[np.float64] = logs[np.arange(len(logs)), looks] - others
    return lead


def _quantile(values: npt.NDArray[np.floating[Any]], share: float) -> float:
    """As np.quantile, which would import numpy.ma: a noticeable part of a cold start."""
    ordered = np.sort(values)
    return float(np.interp(share * (len(ordered) - 1), np.arange(len(ordered)), ordered))
