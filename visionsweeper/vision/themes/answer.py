"""What the themes that were taught say of one picture: one answer, which says nothing where none fits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.vision.themes.comparison import (
    class_columns,
    distances,
    fit_columns,
    lesson_of,
    rough_distance,
)
from visionsweeper.vision.themes.theme import LearnedTheme
from visionsweeper.vision.themes.theme_net import class_odds, theme_odds
from visionsweeper.vision.tiles.classes import CLASS_NAMES
from visionsweeper.vision.tiles.confidence import Opinions
from visionsweeper.vision.tiles.context import context_features
from visionsweeper.vision.tiles.evidence import Evidence, groups_of
from visionsweeper.vision.tiles.features import FloatArray
from visionsweeper.vision.tiles.group_net import class_logs
from visionsweeper.vision.tiles.knn import Model
from visionsweeper.vision.tiles.labelling import Naming
from visionsweeper.vision.tiles.likeness import ties_of

_GLANCE_TILES: Final = 64
"""Tiles by which the likeliest of several themes is chosen."""
_LEAST_THEME_ODDS: Final = math.log(0.95 / 0.05)
"""Natural log: so sure it has to be that the picture is in a theme before the theme is heard."""
_LEAST_PROBABILITY: Final = 1e-6


@dataclass(frozen=True)
class ThemeAnswer:
    """The answer of no theme: evidence, opinions and confidence stay as they are."""

    evidence: Evidence
    opinions: Opinions
    theme: str | None = None
    """Name of the theme that answers."""

    def confidence(self, general: npt.NDArray[np.float64], naming: Naming) -> npt.NDArray[np.float64]:
        """Return how sure each group's name is, (groups,), given how sure it is without a theme."""
        return general


@dataclass(frozen=True, kw_only=True)
class _TaughtAnswer(ThemeAnswer):
    """The answer of the theme that the picture is in."""

    taught: npt.NDArray[np.intp]
    """The classes that the theme has exemplars of."""

    def confidence(self, general: npt.NDArray[np.float64], naming: Naming) -> npt.NDArray[np.float64]:
        """Return what the theme is sure of; of classes that it has never seen it vouches for nothing."""
        classes = naming.classes.astype(np.intp)
        own = np.exp(self.opinions.combined[np.arange(len(classes)), classes]).astype(np.float64)
        own[list(naming.doubtful)] = np.minimum(own, general)[list(naming.doubtful)]
        return np.where(np.isin(classes, self.taught), own, np.minimum(own, general))


def ask_themes(
    evidence: Evidence, opinions: Opinions, model: Model, themes: Sequence[LearnedTheme]
) -> ThemeAnswer:
    """Return what the theme that the picture is in says of its tiles, beside what is known without it."""
    theme = _likeliest(evidence, model, themes)
    if theme is None:
        return ThemeAnswer(evidence, opinions)
    lesson = lesson_of(theme, model)
    apart = distances(evidence, lesson)
    if theme_odds(fit_columns(apart, evidence.scene.contrast)) < _LEAST_THEME_ODDS:
        return ThemeAnswer(evidence, opinions)
    odds = class_odds(class_columns(evidence.scene, lesson, apart, opinions.combined))
    divided, parents, odds = _divided(evidence, odds)
    combined = opinions.combined[parents]
    # Beside tiles that the theme has named, the others are told better.
    named = _posterior(odds, combined, lesson.taught)
    divided = _named(divided, named)
    groups = groups_of(divided, np.log(named + 0.002))
    second = class_logs(groups)
    named = _posterior(odds, 0.5 * (combined + second), lesson.taught)
    ties = ties_of(groups)
    opinions = Opinions(
        opinions.first_pass[parents],
        second,
        np.log(named),
        places=opinions.places[parents],
        # The theme tells the parts of a group apart.
        ties=ties.only(parents[ties.one] != parents[ties.other]),
    )
    return _TaughtAnswer(_named(divided, named), opinions, theme.name, taught=lesson.taught)


def _named(evidence: Evidence, probability: FloatArray) -> Evidence:
    """Return the evidence with (groups, 14) class probabilities, and its context anew."""
    scene = replace(evidence.scene, probability=probability)
    return replace(evidence, scene=scene, context=context_features(scene))


def _likeliest(evidence: Evidence, model: Model, themes: Sequence[LearnedTheme]) -> LearnedTheme | None:
    """Return the theme that a few tiles fit best."""
    if len(themes) < 2:
        return next(iter(themes), None)
    few = np.unique(np.linspace(0, len(evidence.tiles) - 1, _GLANCE_TILES).astype(np.intp))

    return min(themes, key=lambda theme: rough_distance(evidence, lesson_of(theme, model), few))


def _divided(evidence: Evidence, odds: FloatArray) -> tuple[Evidence, npt.NDArray[np.intp], FloatArray]:
    """Divide the groups whose tiles the theme tells apart.

    Returns the evidence of the parts, the (parts,) group that each was of, and the (parts, k) mean odds of
    their tiles. `odds`: (n, k) natural log odds of each tile for each class that was taught.
    """
    scene, kinds = evidence.scene, odds.shape[1] + 1
    kind = np.where(odds.max(axis=1) > 0.0, odds.argmax(axis=1), kinds - 1)
    names, groups = np.unique(scene.groups * kinds + kind, return_inverse=True)
    groups, parents = groups.reshape(-1), (names // kinds).astype(np.intp)
    size = np.bincount(groups)
    means = [np.bincount(groups, weights=each) / size for each in odds.T]
    divided = replace(
        evidence,
        scene=replace(scene, groups=groups, probability=scene.probability[parents]),
        nearest=evidence.nearest[parents],
        distance=evidence.distance[parents],
    )
    return divided, parents, np.stack(means, axis=1).astype(np.float32)


def _posterior(odds: FloatArray, logs: FloatArray, taught: npt.NDArray[np.intp]) -> FloatArray:
    """Return (groups, 14) probability of each class.

    `odds`: (groups, k) natural log odds for each taught class; `logs`: (groups, 14) natural logs without the
    theme, which share out what is left for the classes that were not taught.
    """
    untaught = np.setdiff1d(np.arange(len(CLASS_NAMES)), taught)
    rest = np.exp(logs[:, untaught]) + _LEAST_PROBABILITY
    weights = np.empty(logs.shape, np.float32)
    weights[:, taught] = np.exp(odds)
    weights[:, untaught] = rest / rest.sum(axis=1, keepdims=True)
    probability: FloatArray = weights / weights.sum(axis=1, keepdims=True)
    return np.maximum(probability, np.float32(_LEAST_PROBABILITY))
