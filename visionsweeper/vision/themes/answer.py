"""What the themes that were taught say of one picture: one answer, which says nothing where none fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from visionsweeper.geometry import Grid
from visionsweeper.vision.themes.neighbours import ThemeNeighbours, candidates, disputed, theme_neighbours
from visionsweeper.vision.themes.template_match import TemplateMatch, match_tiles
from visionsweeper.vision.themes.theme import LearnedTheme
from visionsweeper.vision.tiles.confidence import Opinions
from visionsweeper.vision.tiles.context import context_features
from visionsweeper.vision.tiles.evidence import Evidence
from visionsweeper.vision.tiles.features import FloatArray
from visionsweeper.vision.tiles.knn import Model
from visionsweeper.vision.tiles.labelling import Naming


@dataclass(frozen=True)
class ThemeAnswer:
    """The answer of no theme: evidence, likelihood and confidence stay as they are."""

    evidence: Evidence
    """What the pixels say, together with what the theme says of them."""
    theme: str | None = None
    """Name of the theme that answers."""

    def apply_prior(self, opinions: Opinions) -> Opinions:
        """Return the opinions with what the theme holds likely in the combined one."""
        return replace(opinions, combined=self._prior(opinions.combined))

    def raise_confidence(
        self, confidence: npt.NDArray[np.float64], naming: Naming
    ) -> npt.NDArray[np.float64]:
        """Return the (groups,) confidence, raised where the naming agrees with what the theme knows."""
        return confidence

    def _prior(self, likelihood: FloatArray) -> FloatArray:
        """(groups, 14) log likelihood with the theme's say."""
        return likelihood


@dataclass(frozen=True, kw_only=True)
class _SimilarTheme(ThemeAnswer):
    """The answer of a theme whose pixels the picture's tiles do not match, but which they are like."""

    neighbours: ThemeNeighbours

    def _prior(self, likelihood: FloatArray) -> FloatArray:
        return self.neighbours.apply_prior(likelihood)

    def raise_confidence(
        self, confidence: npt.NDArray[np.float64], naming: Naming
    ) -> npt.NDArray[np.float64]:
        return self.neighbours.raise_confidence(confidence, naming)


@dataclass(frozen=True, kw_only=True)
class _MatchingTheme(ThemeAnswer):
    """The answer of the theme that the picture is drawn in: it settles the tiles that match."""

    match: TemplateMatch
    neighbours: ThemeNeighbours

    def _prior(self, likelihood: FloatArray) -> FloatArray:
        leaning = self.neighbours.apply_prior(likelihood)
        return self.match.settle(leaning, self.evidence.scene.groups, self.neighbours.shares)

    def raise_confidence(
        self, confidence: npt.NDArray[np.float64], naming: Naming
    ) -> npt.NDArray[np.float64]:
        return self.match.raise_confidence(confidence, self.evidence.scene.groups, naming.doubtful)


def ask_themes(evidence: Evidence, grid: Grid, model: Model, themes: Sequence[LearnedTheme]) -> ThemeAnswer:
    """Return what the theme that the picture is drawn in says of its tiles, the best match first."""
    likely = candidates(evidence.scene, evidence.embedded, model, themes)
    match = match_tiles(evidence.tiles, grid, likely)
    if match is None:
        neighbours = theme_neighbours(evidence.scene, evidence.embedded, model, likely)
        if neighbours is None:
            return ThemeAnswer(evidence)
        heard = _with_neighbours(evidence, neighbours)
        return _SimilarTheme(heard, neighbours.theme.name, neighbours=neighbours)
    theme = next(theme for theme in likely if theme.name == match.theme)
    match = match.without(disputed(evidence.scene, evidence.embedded, model, theme, match.classes))
    evidence = _divided(evidence, match)
    neighbours = theme_neighbours(evidence.scene, evidence.embedded, model, [theme], certain=True)
    assert neighbours is not None  # a theme that is certain always answers
    heard = _with_neighbours(evidence, neighbours)
    return _MatchingTheme(heard, theme.name, match=match, neighbours=neighbours)


def _divided(evidence: Evidence, match: TemplateMatch) -> Evidence:
    """The evidence with the groups divided by what the theme knows; the context is left as it was."""
    scene, parts = match.divide(evidence.scene)
    return replace(evidence, scene=scene, nearest=evidence.nearest[parts], distance=evidence.distance[parts])


def _with_neighbours(evidence: Evidence, neighbours: ThemeNeighbours) -> Evidence:
    """The evidence with the theme's exemplars as further prototypes, and its context anew."""
    scene = replace(evidence.scene, probability=neighbours.vote(evidence.scene.probability))
    distance = np.minimum(evidence.distance, neighbours.distance)
    return replace(evidence, scene=scene, distance=distance, context=context_features(scene))
