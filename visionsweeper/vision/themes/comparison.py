"""How like a picture's tiles are to the exemplars of a theme: the measures that the theme networks weigh."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED, FLAG
from visionsweeper.vision.themes.similarity import JITTERS, Cut, Exemplars, Sheet
from visionsweeper.vision.themes.theme import LearnedTheme
from visionsweeper.vision.tiles.context import Scene
from visionsweeper.vision.tiles.evidence import Evidence
from visionsweeper.vision.tiles.features import (
    FloatArray,
    background_colour,
    describe,
    frame_profile,
    rms_apart,
    tints,
    to_lab,
)
from visionsweeper.vision.tiles.knn import Model

MEASURES: Final = ("embedding", "tint", "pixels", "part", "background", "frame")
"""Distances of a tile from an exemplar."""
_OF_PIXELS: Final = (2, 3)
"""Those of them that compare pixels."""
_UNITS: Final = np.array([0.5, 0.3, 1.0, 2.0, 12.0, 8.0], np.float32)
"""Of each measure: about what tiles of different classes are apart."""
_FARTHEST: Final = 4.0
"""In these units; beyond, it makes no difference."""
_SHIFTS: Final = [(down, right) for down in range(-4, 5) for right in range(-4, 5)]
"""(down, right) px of a tile of 32 by which a cut may be off that of the labelled shot."""
_SHIFT_COST: Final = 0.005
"""Of a px: the even cut wins among equals."""
_TILES_TO_ALIGN: Final = 24
_LEAST_LOG: Final = -8.0
_SIGN_CONTRAST: Final = 6.0
"""Lab units above the picture's median from which a tile counts as one with a sign."""


@dataclass(frozen=True, eq=False)
class _Views:
    """Tiles in the terms that they are compared in."""

    embedded: FloatArray
    """(n, h) unit vectors."""
    tint: FloatArray
    """(n, 80), see `tiles.features`."""
    background: FloatArray
    """(n, 3) Lab."""
    frame: FloatArray
    """(n, 24) lightness profile along the sides."""


@dataclass(frozen=True, eq=False)
class Lesson:
    """A theme's exemplars as one model sees them."""

    exemplars: Exemplars
    views: _Views
    taught: npt.NDArray[np.intp]
    """(k,) the classes that there are exemplars of, rising."""
    members: tuple[npt.NDArray[np.intp], ...]
    """(k) the exemplars of each."""
    margins: FloatArray = field(init=False)
    """(k, MEASURES) how far the exemplars of each class are from those of the next, in the median."""

    def __post_init__(self) -> None:
        """Measure how far the classes are apart."""
        apart = _to_nearest(self, self.views, self.exemplars.sketches[None])
        margins = np.full((len(self.taught), len(MEASURES)), _FARTHEST, np.float32)
        for at, members in enumerate(self.members):
            others = np.delete(apart[members], at, axis=1)
            if others.shape[1]:
                margins[at] = np.median(others.min(axis=1), axis=0)
        object.__setattr__(self, "margins", margins)


@lru_cache(maxsize=64)
def lesson_of(theme: LearnedTheme, model: Model) -> Lesson:
    """Describe and embed a theme's exemplars."""
    lab = to_lab(theme.tiles)
    background = background_colour(lab)
    vectors = describe(lab, background)
    views = _Views(
        model.embed(vectors),
        tints(vectors),
        background,
        frame_profile(lab[..., 0] - background[:, None, None, 0]),
    )
    taught = np.unique(theme.classes).astype(np.intp)
    members = tuple(np.flatnonzero(theme.classes == each) for each in taught)
    return Lesson(theme.exemplars, views, taught, members)


def rough_distance(evidence: Evidence, lesson: Lesson, tiles: npt.NDArray[np.intp]) -> float:
    """Return how far the given tiles are from a theme, in the median, pixels left out: cheap."""
    apart = _views_apart(_views_of(evidence, tiles), lesson.views) / np.delete(_UNITS, _OF_PIXELS)
    return float(np.median(apart.mean(axis=2).min(axis=1)))


def distances(evidence: Evidence, lesson: Lesson) -> FloatArray:
    """Return how far each tile is from the nearest exemplar of each taught class, in each measure by itself.

    (n, k, MEASURES) float32, 0 to 4. Pixels are compared under the shift of all tiles that suits the theme
    best, and a pixel around it.
    """
    sheet = Sheet.of(evidence.tiles, evidence.scene.rows, evidence.scene.columns)
    cut = _aligned(sheet, lesson.exemplars, len(evidence.tiles))
    sketches = np.stack([sheet.sketches(cut.moved(*jitter)) for jitter in JITTERS])
    return _to_nearest(lesson, _views_of(evidence, slice(None)), sketches)


def _views_of(evidence: Evidence, tiles: npt.NDArray[np.intp] | slice) -> _Views:
    scene = evidence.scene
    return _Views(evidence.embedded[tiles], scene.tint[tiles], scene.background[tiles], scene.frame[tiles])


def _aligned(sheet: Sheet, exemplars: Exemplars, count: int) -> Cut:
    """Return the shift of all tiles with which a few of them are most like the exemplars."""
    few = np.unique(np.linspace(0, count - 1, _TILES_TO_ALIGN).astype(np.intp))
    sketches = np.concatenate([sheet.sketches(Cut().moved(*shift), few) for shift in _SHIFTS])
    nearest = np.minimum(exemplars.distances(sketches).min(axis=1), _FARTHEST)
    misfit = nearest.reshape(len(_SHIFTS), -1).mean(axis=1) + _SHIFT_COST * np.hypot(*np.array(_SHIFTS).T)
    return Cut().moved(*_SHIFTS[int(misfit.argmin())])


def _views_apart(views: _Views, taught: _Views) -> FloatArray:
    """(n, m, 4) distances in embedding, tint, background and frame."""
    apart = [
        np.sqrt(np.maximum(2.0 - 2.0 * views.embedded @ taught.embedded.T, 0.0)),
        rms_apart(views.tint, taught.tint),
        rms_apart(views.background, taught.background) * np.float32(3**0.5),
        rms_apart(views.frame, taught.frame),
    ]
    return np.stack(apart, axis=2)


def _to_nearest(lesson: Lesson, views: _Views, sketches: FloatArray) -> FloatArray:
    """(n, k, MEASURES) distance to the nearest exemplar of each class; `sketches`: (shifts, n, SKETCH)."""
    moved = np.stack([lesson.exemplars.distances(each) for each in sketches])
    shift, pixels = moved.argmin(axis=0), moved.min(axis=0)
    every = _views_apart(views, lesson.views)
    rows = np.arange(len(pixels))
    result = np.empty((len(pixels), len(lesson.taught), len(MEASURES)), np.float32)
    for at, members in enumerate(lesson.members):
        best = members[pixels[:, members].argmin(axis=1)]
        of_pixels = [pixels[rows, best], lesson.exemplars.local(sketches[shift[rows, best], rows], best)]
        result[:, at] = np.insert(every[:, members].min(axis=1), 2, of_pixels, axis=1)
    limited: FloatArray = np.minimum(result / _UNITS, _FARTHEST)
    return limited


def fit_columns(apart: FloatArray, contrast: FloatArray) -> FloatArray:
    """Return how near a picture's tiles are to a theme as a whole, (FIT_COLUMNS,): some quantiles.

    `apart`: as of `distances`; `contrast`: (n,) of the same tiles, Lab.
    """
    nearest = apart.mean(axis=2).min(axis=1)
    signs = contrast > np.median(contrast) + _SIGN_CONTRAST
    of_signs = np.quantile(nearest[signs], (0.25, 0.5, 0.75)) if signs.any() else np.ones(3)
    return np.array([*np.quantile(nearest, (0.1, 0.25, 0.5, 0.75, 0.9)), *of_signs], np.float32)


def class_columns(scene: Scene, lesson: Lesson, apart: FloatArray, logs: FloatArray) -> FloatArray:
    """Return what speaks for and against each taught class for each tile, (n, k, CLASS_COLUMNS) float32.

    `apart`: as of `distances`, of all tiles; `logs`: (groups, 14) natural logs without the theme.
    """
    n, k, _ = apart.shape
    groups, taught = scene.groups, lesson.taught
    floored = np.maximum(logs, _LEAST_LOG)
    others = np.full_like(apart, _FARTHEST)
    rivals = np.empty((n, k), np.float32)
    for at in range(k):
        if k > 1:
            others[:, at] = np.delete(apart, at, axis=1).min(axis=1)
        rivals[:, at] = np.delete(floored, taught[at], axis=1).max(axis=1)[groups]
    untaught = np.delete(np.exp(logs), taught, axis=1).sum(axis=1)[groups]
    parts = [
        apart,
        others,
        np.log((apart + 0.05) / (others + 0.05)),
        apart / np.maximum(lesson.margins, 0.1),
        floored[:, taught][groups][..., None] / 3.0,
        rivals[..., None] / 3.0,
        np.broadcast_to(untaught[:, None, None], (n, k, 1)),
        np.broadcast_to([_kind(each) for each in taught], (n, k, 4)),
    ]
    return np.concatenate(parts, axis=2, dtype=np.float32).clip(-6.0, 6.0)


def _kind(tile_class: int) -> tuple[bool, ...]:
    """Which of four kinds a class is of: opened blank, covered, number, mark."""
    return tile_class == 0, tile_class == COVERED, 1 <= tile_class <= 8, tile_class >= FLAG
