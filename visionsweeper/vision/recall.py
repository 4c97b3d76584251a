"""Tiles that a learned theme knows: their looks are settled before the rest of the picture is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.vision.context import Scene
from visionsweeper.vision.features import FloatArray
from visionsweeper.vision.grid import Grid
from visionsweeper.vision.learned import Theme

UNKNOWN: Final = 255
"""Look code of a tile that no exemplar is like."""

_SURE: Final = 0.999
_AGAINST: Final = -30.0  # natural log, of every other look


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
    return None
