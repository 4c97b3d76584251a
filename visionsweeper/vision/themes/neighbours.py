"""Tiles of a learned theme as further prototypes of the k-NN: what they say where pixels do not match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED, FLAG
from visionsweeper.vision.themes.theme import LearnedTheme
from visionsweeper.vision.tiles.classes import CLASS_NAMES, QUESTION, WRONG_FLAG
from visionsweeper.vision.tiles.context import Scene
from visionsweeper.vision.tiles.features import FloatArray, background_colour, describe, tints, to_lab
from visionsweeper.vision.tiles.knn import Model
from visionsweeper.vision.tiles.labelling import Naming

_TINT_WEIGHT: Final = 2.0  # weight of lightness and colours beside the embedding, which knows little of them
_SHARE_WITHIN: Final = 0.5  # of a class's distance to the next: up to here a tile may be of that class
_SHARE_OUTSIDE: Final = 0.85  # and from here it is none
_SHARE_PLAINLY: Final = 0.4
"""Share up to which a tile is plainly of a class, and of none that was not taught."""
_TIMES_BEHIND: Final = (
    1.3,
    2.0,
)  # times as far away as the nearest look: from no reason against it to a full one
_DISTANCES_BEYOND: Final = (0.45, 0.8)  # the same of distances as such
_TIMES_BLANKS_APART: Final = (2.0, 3.5)  # the same for covered tiles against blanks
_TRUST_UNCERTAIN: Final = 0.4  # share of that where the pixels do not say that it is this class
_LOG_AGAINST_WRONG_FLAG: Final = 1.5
"""The most against a wrong flag, not taught, where a group is like a flag."""
_LOG_AGAINST_QUESTION: Final = 1.5  # natural log, against question marks where none were taught
_LOG_AGAINST: Final = 5.0  # natural log
_LEAST_MARGIN: Final = 0.25  # distances of copies in other sizes reach about half of this
_FARTHEST_ALIKE: Final = 0.6  # no tile beyond is like an exemplar
_LEAST_SIGNS_ALIKE: Final = 0.5  # share of the tiles with a sign that have to be like the theme's
_LEAST_TILES_ALIKE: Final = 0.6  # the same of all
_MOST_BACKGROUND_APART: Final = 5.0  # Lab units by which the background of a tile may differ from its look's
_GLANCE_TILES: Final = 64  # tiles looked at to tell strangers
_GLANCE_DISTANCE: Final = 0.7  # distance within which one of these is like an exemplar
_GLANCE_LEAST_TILES: Final = 0.3  # share of them that has to be
_GLANCE_LEAST_SIGNS: Final = 0.2  # and of those with a sign
_GLANCE_BACKGROUND_APART: Final = 12.0  # the same at first glance
_GLANCE_LEAST_BACKGROUNDS: Final = 0.5  # share of the tiles for which this has to hold
_LEAST_SIGN_CONTRAST: Final = 12.0  # contrast in Lab units below which a tile has no sign
_LEAST_BLANKS_ALIKE: Final = 0.5  # the same of those without
_LEAST_CLASSES: Final = 2  # and of how many looks at least
_MARGIN_SHARE: Final = 0.5  # how near they are then, as a share of the margin
_TIMES_DISPUTED: Final = 2.0  # times as far from the class it is taken for as from another
_RAISED_CONFIDENCE: Final = 0.995


@dataclass(frozen=True, eq=False)
class ThemePrototypes:
    """A theme's exemplars as one model sees them."""

    embedded: FloatArray
    """(m, h) unit vectors."""
    tint: FloatArray
    """(m, 80), see `tiles.features`."""
    background: FloatArray
    """(m, 3) Lab."""
    classes: npt.NDArray[np.uint8]
    """(m,) tile classes."""
    margin: FloatArray
    """(classes,) distance of the exemplars of each class to the nearest of another; infinite without any."""

    @classmethod
    def of(cls, theme: LearnedTheme, model: Model) -> ThemePrototypes:
        """The exemplars described and embedded."""
        lab = to_lab(theme.tiles)
        background = background_colour(lab)
        vectors = describe(lab, background)
        embedded, tint = model.embed(vectors), tints(vectors)
        apart = _apart(embedded, tint, embedded, tint)
        margin = np.full(len(CLASS_NAMES), np.inf, dtype=np.float32)
        for tile_class in np.unique(theme.classes).tolist():
            own = theme.classes == tile_class
            if not own.all():
                margin[tile_class] = np.median(apart[own][:, ~own].min(axis=1))
        return cls(embedded, tint, background, theme.classes, margin)

    def distances(self, embedded: FloatArray, tint: FloatArray) -> FloatArray:
        """(n, classes) distance to the nearest exemplar of each class; infinite where there are none."""
        return self._by_class(_apart(embedded, tint, self.embedded, self.tint))

    def backgrounds_apart(self, background: FloatArray) -> FloatArray:
        """(n, classes) distance in Lab of (n, 3) backgrounds from those of each class, or infinite."""
        return self._by_class(np.sqrt(((background[:, None] - self.background[None]) ** 2).sum(axis=2)))

    def _by_class(self, apart: FloatArray) -> FloatArray:
        nearest = np.full((len(apart), len(CLASS_NAMES)), np.inf, dtype=np.float32)
        for tile_class in np.unique(self.classes).tolist():
            nearest[:, tile_class] = apart[:, self.classes == tile_class].min(axis=1)
        return nearest


def _apart(one: FloatArray, tint: FloatArray, two: FloatArray, other: FloatArray) -> FloatArray:
    """(n, m) distance in the embedding and in lightness and colours."""
    squared = 2.0 - 2.0 * (one @ two.T)
    square, others = (tint * tint).sum(axis=1), (other * other).sum(axis=1)
    scale = _TINT_WEIGHT**2 / tint.shape[1]
    squared += scale * (square[:, None] + others[None, :] - 2.0 * (tint @ other.T))
    distance: FloatArray = np.sqrt(np.maximum(squared, 0.0))
    return distance


@dataclass(frozen=True)
class ThemeNeighbours:
    """What the theme that a picture is drawn in says of its groups of look-alikes."""

    theme: LearnedTheme
    hints: FloatArray
    """(groups, classes) natural log, at most 0: how well each class suits each group."""
    shares: FloatArray
    """(groups, classes) distance to each class's exemplars, in units of another look's; 1 if not taught."""
    distance: FloatArray
    """(groups,) to the nearest exemplar."""
    named: npt.NDArray[np.intp]
    """(groups,) tile class of the exemplars that the group is plainly like; -1 where there is none."""
    familiar: float
    """Share of the tiles that are like an exemplar."""

    def vote(self, probability: FloatArray) -> FloatArray:
        """The (groups, classes) probabilities with the exemplars' say."""
        shares = probability * np.exp(self.hints) + 1e-6
        voted: FloatArray = (shares / shares.sum(axis=1, keepdims=True)).astype(np.float32)
        return voted

    def apply_prior(self, likelihood: FloatArray) -> FloatArray:
        """The (groups, classes) log likelihood with the exemplars' say."""
        leaning = likelihood + self.hints
        leaning -= np.log(np.exp(leaning).sum(axis=1, keepdims=True))
        return leaning

    def raise_confidence(
        self, confidence: npt.NDArray[np.float64], naming: Naming
    ) -> npt.NDArray[np.float64]:
        """The (groups,) confidence, high for signs named as the exemplars that they are plainly like."""
        agreed = np.flatnonzero((self.named == naming.classes) & ~np.isin(self.named, (0, COVERED)))
        agreed = np.setdiff1d(agreed, np.asarray(naming.doubtful, dtype=np.intp))
        raised = confidence.copy()
        raised[agreed] = np.maximum(raised[agreed], _RAISED_CONFIDENCE)
        return raised


def theme_neighbours(
    scene: Scene, embedded: FloatArray, model: Model, themes: Sequence[LearnedTheme], *, certain: bool = False
) -> ThemeNeighbours | None:
    """What the learned theme that the picture is most like says of its groups; None: it is like none of them.

    `embedded`: (n, h) unit vectors of the picture's tiles; `certain`: it is drawn in one of them for sure.
    """
    answers = [_answer(scene, embedded, _prototypes(theme, model), theme, certain) for theme in themes]
    fitting = [answer for answer in answers if answer is not None]
    return max(fitting, key=lambda answer: answer.familiar, default=None)


def candidates(
    scene: Scene, embedded: FloatArray, model: Model, themes: Sequence[LearnedTheme]
) -> list[LearnedTheme]:
    """The themes that the picture may be drawn in, by the colours and signs of a few of its tiles."""
    few = slice(None, None, max(1, len(embedded) // _GLANCE_TILES))
    background, tint, vectors = scene.background[few], scene.tint[few], embedded[few]
    signs = scene.contrast[few] >= _LEAST_SIGN_CONTRAST
    likely = []
    for theme in themes:
        prototypes = _prototypes(theme, model)
        apart = prototypes.backgrounds_apart(background)
        if (apart.min(axis=1) < _GLANCE_BACKGROUND_APART).mean() <= _GLANCE_LEAST_BACKGROUNDS:
            continue
        distances = prototypes.distances(vectors, tint)
        nearest = distances.argmin(axis=1)
        rows = np.arange(len(nearest))
        near = (distances[rows, nearest] < _GLANCE_DISTANCE) & (
            apart[rows, nearest] < _GLANCE_BACKGROUND_APART
        )
        if near.mean() >= _GLANCE_LEAST_TILES and near[signs].sum() >= _GLANCE_LEAST_SIGNS * signs.sum():
            likely.append(theme)
    return likely


def disputed(
    scene: Scene, embedded: FloatArray, model: Model, theme: LearnedTheme, classes: npt.NDArray[np.uint8]
) -> npt.NDArray[np.bool_]:
    """(n,) whether a tile taken for one of the theme's signs is far nearer to another of its signs.

    `classes`: (n,) tile classes, of no account where they are none of the theme's.
    """
    prototypes = _prototypes(theme, model)
    distances = prototypes.distances(embedded, scene.tint)
    rows = np.arange(len(distances))
    signs = (classes < len(CLASS_NAMES)) & ~np.isin(classes, (0, COVERED))
    own = distances[rows, np.where(signs, classes, 0)]
    least, nearest = distances.min(axis=1), distances.argmin(axis=1)
    within = least < _MARGIN_SHARE * prototypes.margin[nearest]
    far: npt.NDArray[np.bool_] = signs & within & (own > _TIMES_DISPUTED * np.maximum(least, 0.1))
    return far


_KNOWN: dict[tuple[int, int], tuple[LearnedTheme, Model, ThemePrototypes]] = {}


def _prototypes(theme: LearnedTheme, model: Model) -> ThemePrototypes:
    key = id(theme), id(model)
    if key not in _KNOWN:
        if len(_KNOWN) > 64:
            _KNOWN.clear()
        _KNOWN[key] = theme, model, ThemePrototypes.of(theme, model)
    return _KNOWN[key][2]


def _answer(
    scene: Scene, embedded: FloatArray, prototypes: ThemePrototypes, theme: LearnedTheme, certain: bool
) -> ThemeNeighbours | None:
    distances = prototypes.distances(embedded, scene.tint)
    nearest = distances.argmin(axis=1)
    least = distances[np.arange(len(distances)), nearest]
    plain = scene.contrast < _LEAST_SIGN_CONTRAST
    apart = prototypes.backgrounds_apart(scene.background)
    near = least < np.minimum(
        _FARTHEST_ALIKE, _MARGIN_SHARE * np.maximum(prototypes.margin[nearest], 2 * _LEAST_MARGIN)
    )
    near &= apart[np.arange(len(apart)), nearest] < _MOST_BACKGROUND_APART
    blanks = [0, COVERED]
    near[plain] = (distances[plain][:, blanks] < _FARTHEST_ALIKE).any(axis=1) & (
        apart[plain][:, blanks].min(axis=1) < _MOST_BACKGROUND_APART
    )
    if not certain:
        if COVERED not in theme.classes:
            return None
        kinds = len(np.unique(nearest[near & ~plain & ~np.isin(nearest, blanks)]))
        if kinds < _LEAST_CLASSES or near[plain].sum() < _LEAST_BLANKS_ALIKE * plain.sum():
            return None
        if near[~plain].mean() < _LEAST_SIGNS_ALIKE or near.mean() < _LEAST_TILES_ALIKE:
            return None
    size = np.bincount(scene.groups)
    known = np.isfinite(distances[0])
    means = np.full((len(size), len(CLASS_NAMES)), np.inf, dtype=np.float32)
    for tile_class in np.flatnonzero(known).tolist():
        means[:, tile_class] = np.bincount(scene.groups, weights=distances[:, tile_class]) / size
    faint = np.bincount(scene.groups, weights=plain) > 0.5 * size
    faint |= (scene.blank > 0.5) & np.isin(means.argmin(axis=1), blanks)
    hints = _hints(means, prototypes.margin, known, faint, 1.0 if certain else _TRUST_UNCERTAIN)
    best = means.argmin(axis=1)
    shares = np.ones_like(means)
    shares[:, known] = means[:, known] / prototypes.margin[known]
    share = means.min(axis=1) / prototypes.margin[best]
    second = np.partition(means, 1, axis=1)[:, 1]
    sure = (share < _SHARE_PLAINLY) & (second > _TIMES_BEHIND[1] * means.min(axis=1))
    named = np.where(sure, best, -1)
    return ThemeNeighbours(theme, hints, shares, means.min(axis=1), named, float(near.mean()))


def _hints(
    means: FloatArray,
    margin: FloatArray,
    known: npt.NDArray[np.bool_],
    faint: npt.NDArray[np.bool_],
    trust: float,
) -> FloatArray:
    """(groups, classes) by the (groups, classes) distances; (groups,) faint are those without a sign.

    `trust`, 0 to 1, is how much is made of a group's being unlike a class.
    """
    blanks = [tile_class for tile_class in (0, COVERED) if known[tile_class]]
    hints = np.zeros_like(means)
    best, nearest = means.min(axis=1), means.argmin(axis=1)
    wide = np.where(known, np.maximum(margin, 2 * _LEAST_MARGIN), 1.0)
    far = np.where(known, means, 0.0)
    beyond = (far / wide - _SHARE_WITHIN) / (_SHARE_OUTSIDE - _SHARE_WITHIN)
    behind = (far / np.maximum(best, 0.1)[:, None] - _TIMES_BEHIND[0]) / (_TIMES_BEHIND[1] - _TIMES_BEHIND[0])
    beyond = np.minimum(beyond, (far - _DISTANCES_BEYOND[0]) / (_DISTANCES_BEYOND[1] - _DISTANCES_BEYOND[0]))
    hints[:] = -_LOG_AGAINST * np.maximum(trust * np.clip(beyond, 0.0, 1.0), np.clip(behind, 0.0, 1.0))
    other = -_LOG_AGAINST * np.clip((_SHARE_WITHIN + 0.1 - best / margin[nearest]) / 0.25, 0.0, 1.0)
    hints[:, ~known] = other[:, None]
    if not known[WRONG_FLAG]:
        hints[nearest == FLAG, WRONG_FLAG] = np.maximum(
            hints[nearest == FLAG, WRONG_FLAG], -_LOG_AGAINST_WRONG_FLAG
        )
    if QUESTION not in np.flatnonzero(known):
        hints[:, QUESTION] -= _LOG_AGAINST_QUESTION
    # Covered tiles and blanks differ in frames, which other sizes change; the numbers tell them apart.
    plain = faint & np.isin(nearest, (0, COVERED)) & (best < _FARTHEST_ALIKE)
    hints[plain] = -_LOG_AGAINST
    hints[np.ix_(plain, (0, COVERED))] = 0.0
    if len(blanks) == 1:
        hints[:, [0, COVERED]] = hints[:, blanks]
    if len(blanks) == 2:
        two = means[:, blanks]
        ratio = (two / np.maximum(two.min(axis=1), 0.1)[:, None] - _TIMES_BLANKS_APART[0]) / (
            _TIMES_BLANKS_APART[1] - _TIMES_BLANKS_APART[0]
        )
        apart = -_LOG_AGAINST * trust * np.clip(ratio, 0.0, 1.0)
        hints[:, blanks] = np.where(plain[:, None], apart, hints[:, blanks])
    return hints.astype(np.float32)
