"""Strokes that stand out from their background, as separate components: the raw material of writing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from visionsweeper.geometry import PixelBox

FloatArray = npt.NDArray[np.float32]
ByteArray = npt.NDArray[np.uint8]

GLYPH_SIZE: Final = 18
"""Side of a normalised glyph, px."""
GLYPH_FEATURES: Final = GLYPH_SIZE * GLYPH_SIZE + 1
"""The pixels of a normalised glyph and how wide it is for its height."""

_BRUSH: Final = 13
"""Strokes up to this wide, px, stand out; wider things are background."""
_FAINT: Final = 7
"""Steps of brightness (0..255) below which nothing is taken for a stroke."""
_SHARE: Final = 0.45
"""Share of the strongest contrast nearby from which a pixel belongs to a stroke."""
MAX_HEIGHT: Final = 64
_MOST: Final = 600
"""Components a region may have; beyond, the tallest are kept: writing is not that dense."""


@dataclass(frozen=True, eq=False)
class Strokes:
    """The components of one region and one polarity."""

    boxes: npt.NDArray[np.int32]
    """(n, 4) x, y, width, height, px of the region."""
    areas: npt.NDArray[np.int32]
    """(n,) pixels of each component."""
    strength: FloatArray
    """(H, W) contrast of the region's pixels as a share of the strongest nearby, 0..1."""
    labels: npt.NDArray[np.int32]
    """(H, W) number of the component of each pixel in `names`, 0 for the background."""
    names: npt.NDArray[np.int32]
    """(n,) label of each component in `labels`."""

    def glyph(self, number: int) -> FloatArray:
        """Return one component as `normalised` does, (GLYPH_FEATURES,), other components left out."""
        x, y, width, height = self.boxes[number].tolist()
        patch = self.strength[y : y + height, x : x + width]
        own = self.labels[y : y + height, x : x + width]
        mine = (own == self.names[number]) | (own == 0)
        return normalised(np.minimum(patch, mine))


def union(boxes: npt.NDArray[np.int32]) -> PixelBox:
    """Return the box around (n, 4) boxes given as x, y, width, height, px."""
    ends = boxes[:, :2] + boxes[:, 2:]
    return int(boxes[:, 0].min()), int(boxes[:, 1].min()), int(ends[:, 0].max()), int(ends[:, 1].max())


def contrasts(brightness: ByteArray) -> tuple[ByteArray, ByteArray]:
    """Return how much darker, and lighter, (H, W) pixels are than the background around, (H, W) 0..255."""
    brush = cv2.getStructuringElement(cv2.MORPH_RECT, (_BRUSH, _BRUSH))
    dark = cv2.morphologyEx(brightness, cv2.MORPH_BLACKHAT, brush)
    light = cv2.morphologyEx(brightness, cv2.MORPH_TOPHAT, brush)
    return np.asarray(dark, np.uint8), np.asarray(light, np.uint8)


def find_strokes(contrast: ByteArray, least: int = 6) -> Strokes:
    """Find components of (H, W) contrast; those lower than `least` px are kept too, as dots and dashes."""
    reach = cv2.getStructuringElement(cv2.MORPH_RECT, (_BRUSH, _BRUSH))
    peak = np.asarray(cv2.dilate(contrast, reach), np.uint8)
    strength = (contrast / np.maximum(peak, _FAINT)).astype(np.float32)
    mask = ((strength >= _SHARE) & (contrast >= _FAINT)).astype(np.uint8)
    _, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8, ltype=cv2.CV_32S)
    width, height = stats[:, 2], stats[:, 3]
    fits = (height <= MAX_HEIGHT) & (width <= 2 * MAX_HEIGHT) & (stats[:, 4] >= 2)
    fits &= (height >= least) | ((width <= MAX_HEIGHT) & (stats[:, 4] >= 0.5 * width * height))
    fits[0] = False
    names = np.flatnonzero(fits)
    if len(names) > _MOST:
        names = np.sort(names[np.argsort(-height[names], kind="stable")[:_MOST]])
    return Strokes(
        np.asarray(stats[names, :4], np.int32),
        np.asarray(stats[names, 4], np.int32),
        strength,
        np.asarray(labels, np.int32),
        names.astype(np.int32),
    )


def normalised(patch: FloatArray) -> FloatArray:
    """Return a tight (h, w) crop, 0..1, scaled to a centred square, and its proportion: (GLYPH_FEATURES,)."""
    height, width = patch.shape
    scale = GLYPH_SIZE / max(height, width)
    tall, wide = max(1, round(height * scale)), max(1, round(width * scale))
    way = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    small = cv2.resize(patch, (wide, tall), interpolation=way)
    canvas = np.zeros((GLYPH_SIZE, GLYPH_SIZE), dtype=np.float32)
    top, left = (GLYPH_SIZE - tall) // 2, (GLYPH_SIZE - wide) // 2
    canvas[top : top + tall, left : left + wide] = small
    vector = np.empty(GLYPH_FEATURES, dtype=np.float32)
    vector[:-1] = canvas.ravel()
    vector[-1] = 2 * min(width / height, 3.0)
    return vector
