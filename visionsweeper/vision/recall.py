"""Tiles that a learned theme knows: their looks are settled before the rest of the picture is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.vision.context import Scene
from visionsweeper.vision.features import TILE_SIZE, FloatArray
from visionsweeper.vision.grid import Grid, cut_tiles
from visionsweeper.vision.learned import Theme
from visionsweeper.vision.likeness import JITTERS, Sheet, different_ones

UNKNOWN: Final = 255
"""Look code of a tile that no exemplar is like."""

_SURE: Final = 0.999
_AGAINST: Final = -30.0  # natural log, of every other look
_RATIO: Final = 0.72  # nearest of another look has to be that much farther away
_REACH: Final = 0.6  # of an exemplar: share of its distance to the next of another look
_FARTHEST: Final = 2.0  # in units of chance; beyond, nothing is alike
_FAMILIAR: Final = 0.6  # share of the tiles that a theme has to know to be the picture's
_KINDS: Final = 2  # looks that it has to know among them
_HOPELESS: Final = 0.3  # share of the tiles known at first glance below which no second is taken
_FEW: Final = 16  # tiles by which the place of the cut is found, twice
_FITS: Final = 0.5  # mean distance of these with which the cut is taken for right
_STRANGE: Final = 2.2  # and from which the picture is another look's


@dataclass(frozen=True)
class Recalled:
    """What a learned theme says of one picture's tiles."""

    theme: str
    """Name of the theme that answers."""
    looks: npt.NDArray[np.uint8]
    """(n,) look code of each tile, row-major; UNKNOWN where the theme has nothing like it."""

    def divide(self, scene: Scene) -> tuple[Scene, npt.NDArray[np.intp]]:
        """Groups of one recalled look each, or of none; and of which former group each is a part."""
        pairs = scene.groups * (UNKNOWN + 1) + self.looks
        named, groups = np.unique(pairs, return_inverse=True)
        parts = named // (UNKNOWN + 1)
        probability = scene.probability[parts].copy()
        looks = named % (UNKNOWN + 1)
        known = np.flatnonzero(looks != UNKNOWN)
        probability[known] = 0.0
        probability[known, looks[known]] = 1.0
        return replace(scene, groups=groups.reshape(-1), probability=probability), parts

    def overrule(self, likelihood: FloatArray, groups: npt.NDArray[np.intp]) -> FloatArray:
        """The (groups, looks) log likelihood with no doubt left about the recalled groups."""
        settled = likelihood.copy()
        known, looks = self._known(groups)
        settled[known] = _AGAINST
        settled[known, looks] = 0.0
        return settled

    def reassure(
        self, confidence: npt.NDArray[np.float64], groups: npt.NDArray[np.intp], doubtful: Sequence[int]
    ) -> npt.NDArray[np.float64]:
        """The (groups,) confidence, high for recalled groups unless the numbers speak against them."""
        known, _ = self._known(groups)
        sure = np.setdiff1d(known, np.asarray(doubtful, dtype=np.intp))
        reassured = confidence.copy()
        reassured[sure] = np.maximum(reassured[sure], _SURE)
        return reassured

    def _known(self, groups: npt.NDArray[np.intp]) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.uint8]]:
        """The recalled groups, and the look of each."""
        members, first = np.unique(groups, return_index=True)
        looks = self.looks[first]
        return members[looks != UNKNOWN], looks[looks != UNKNOWN]


def recall(image: npt.NDArray[np.uint8], grid: Grid, themes: Sequence[Theme]) -> Recalled | None:
    """What the learned theme that the picture is drawn in says of its tiles; None: it is in none of them."""
    if not themes:
        return None
    sheet = Sheet.of(cut_tiles(image, grid, TILE_SIZE), grid.rows, grid.columns)
    plain = sheet.sketches(0, 0)
    answers = [(theme, _looks(sheet, plain, theme)) for theme in themes]
    theme, looks = max(answers, key=lambda answer: int((answer[1] != UNKNOWN).sum()))
    known = looks != UNKNOWN
    if known.mean() < _FAMILIAR or len(np.unique(looks[known])) < _KINDS:
        return None
    looks.setflags(write=False)
    return Recalled(theme.name, looks)


def _looks(sheet: Sheet, plain: FloatArray, theme: Theme) -> npt.NDArray[np.uint8]:
    """(n,) what the theme takes each tile for; UNKNOWN where it has nothing like it."""
    place = _place(sheet, plain, theme)
    if place is None:
        return np.full(len(plain), UNKNOWN, dtype=np.uint8)
    sketches = plain if place == (0, 0) else sheet.sketches(*place)
    distances = theme.exemplars.distances(sketches)
    looks = _decide(distances, theme)
    open_ = np.flatnonzero(looks == UNKNOWN)
    if len(open_) == 0 or len(open_) > (1 - _HOPELESS) * len(looks):
        return looks
    near = distances[open_]
    for down, right in JITTERS[1:]:
        moved = sheet.sketches(place[0] + down, place[1] + right)[open_]
        np.minimum(near, theme.exemplars.distances(moved), out=near)
    looks[open_] = _decide(near, theme)
    return looks


def _decide(distances: FloatArray, theme: Theme) -> npt.NDArray[np.uint8]:
    """(n,) look codes by (n, m) distances to the exemplars; UNKNOWN where no look is plainly nearest."""
    nearest = distances.argmin(axis=1)
    looks = theme.looks[nearest]
    least = distances[np.arange(len(distances)), nearest]
    other = np.where(theme.looks[None, :] == looks[:, None], np.inf, distances).min(axis=1)
    sure = (least < _RATIO * other) & (least < _REACH * theme.room[nearest]) & (least < _FARTHEST)
    return np.where(sure, looks, np.uint8(UNKNOWN)).astype(np.uint8)


def _place(sheet: Sheet, plain: FloatArray, theme: Theme) -> tuple[int, int] | None:
    """How far off (down, right; px of 32) the tiles are cut in comparison with the theme's; None: not its."""
    few = np.linspace(0, len(plain) - 1, min(len(plain), _FEW)).astype(np.intp)
    few = np.unique(np.append(few, different_ones(plain, _FEW)))

    def misfit(place: tuple[int, int]) -> float:
        if place not in seen:
            sketches = plain[few] if place == (0, 0) else sheet.sketches(*place)[few]
            nearest = theme.exemplars.distances(sketches).min(axis=1)
            seen[place] = float(np.minimum(nearest, 3.0).mean()) + 0.005 * float(np.hypot(*place))
        return seen[place]

    seen: dict[tuple[int, int], float] = {}
    best = (0, 0)
    if misfit(best) > _FITS:
        best = min(((down, right) for down in range(-8, 9, 4) for right in range(-8, 9, 4)), key=misfit)
        best = min(((best[0] + down * 2, best[1] + right * 2) for down, right in JITTERS), key=misfit)
    best = min(((best[0] + down, best[1] + right) for down, right in JITTERS), key=misfit)
    return best if misfit(best) < _STRANGE else None
