"""How sure a reading is: what tells, group by group, whether its name is right."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED
from visionsweeper.vision.context import Scene
from visionsweeper.vision.features import FloatArray
from visionsweeper.vision.naming import Naming
from visionsweeper.vision.rules import Rules

CONFIDENCE_FEATURES: Final = 21
"""Length of a group's vector."""


def confidence_features(
    scene: Scene, likelihood: FloatArray, distance: FloatArray, naming: Naming
) -> FloatArray:
    """One vector a group: (groups, CONFIDENCE_FEATURES) float32.

    Of the group: its margin, how well its name suits it, how far its nearest prototypes are, which rules
    break around it. Of the whole picture the same, because errors come together: a look that is unlike all
    in training, or a board that breaks the rules, is to be doubted as a whole.
    `likelihood`: (groups, 14) log; `distance`: (groups,) to the nearest prototype.
    """
    groups, looks = scene.groups, naming.looks.astype(np.intp)
    count = len(looks)
    size = np.bincount(groups, minlength=count)
    own = np.exp(likelihood[np.arange(count), looks])
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
    ]
    return np.stack([np.asarray(part, dtype=np.float32) for part in parts], axis=1)


def _quantile(values: npt.NDArray[np.floating[Any]], share: float) -> float:
    """As np.quantile, which would import numpy.ma: a noticeable part of a cold start."""
    ordered = np.sort(values)
    return float(np.interp(share * (len(ordered) - 1), np.arange(len(ordered)), ordered))
