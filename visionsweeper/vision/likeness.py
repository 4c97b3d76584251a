"""How like two tiles of one game are: pixels against pixels, with patience where edges may have moved."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from visionsweeper.vision.features import TILE_SIZE, FloatArray, to_lab

_PAD: Final = 12  # px of a tile of 32 by which a board may be cut off its true place
_MARGIN: Final = 2  # px left out on each side: neighbours and frames show there when a cut is a little off
_SIDE: Final = (TILE_SIZE - 2 * _MARGIN) // 2
SKETCH: Final = _SIDE * _SIDE * 3
"""Length of a tile's sketch."""
JITTERS: Final = tuple(product((0, -1, 1), repeat=2))
"""(down, right) px of a tile of 32: how far single tiles lie off the even grid, rounded to pixels."""

_NOISE: Final = 2.0  # Lab units of a pixel far from any edge
_EDGE: Final = 0.6  # share of what a pixel changes within the jitters that is put down to chance


@dataclass(frozen=True, eq=False)
class Sheet:
    """A board's tiles side by side, so that they can be cut again a little off."""

    pixels: npt.NDArray[np.uint8]
    """(rows * 32 + 24, columns * 32 + 24, 3) uint8 RGB, the border repeated outwards by 12 px."""
    rows: int
    columns: int

    @classmethod
    def of(cls, tiles: npt.NDArray[np.uint8], rows: int, columns: int) -> Sheet:
        """The sheet of (rows * columns, 32, 32, 3) tiles, row-major."""
        size = TILE_SIZE
        whole = tiles.reshape(rows, columns, size, size, 3).transpose(0, 2, 1, 3, 4)
        flat = whole.reshape(rows * size, columns * size, 3)
        return cls(np.pad(flat, ((_PAD, _PAD), (_PAD, _PAD), (0, 0)), mode="edge"), rows, columns)

    def sketches(self, down: int, right: int) -> FloatArray:
        """(rows * columns, SKETCH) of all tiles, cut so many px of 32 off, at most 12 either way."""
        size = TILE_SIZE
        top, left = _PAD + down, _PAD + right
        window = self.pixels[top : top + self.rows * size, left : left + self.columns * size]
        # One halving of the whole sheet: the margin is even, so that tiles stay apart.
        shape = (self.columns * size // 2, self.rows * size // 2)
        half = np.asarray(cv2.resize(window, shape, interpolation=cv2.INTER_AREA), dtype=np.uint8)
        small = half.reshape(self.rows, size // 2, self.columns, size // 2, 3).transpose(0, 2, 1, 3, 4)
        inner = slice(_MARGIN // 2, _MARGIN // 2 + _SIDE)
        cut = np.ascontiguousarray(small[:, :, inner, inner]).reshape(-1, _SIDE, _SIDE, 3)
        return to_lab(cut).reshape(len(cut), SKETCH)


@dataclass(frozen=True, eq=False)
class Exemplars:
    """Sketches to compare with, and how much each of their pixels is to be trusted."""

    sketches: FloatArray
    """(m, SKETCH)."""
    weights: FloatArray
    """(m, SKETCH), one over the variance."""

    @classmethod
    def of(cls, tiles: npt.NDArray[np.uint8]) -> Exemplars:
        """The exemplars of (m, 32, 32, 3) uint8 RGB tiles."""
        moved = np.stack([sketches_of(tiles, down, right) for down, right in JITTERS])
        spread = ((moved - moved[0]) ** 2).mean(axis=0)
        return cls(moved[0], (1.0 / (_NOISE**2 + _EDGE**2 * spread)).astype(np.float32))

    def distances(self, sketches: FloatArray) -> FloatArray:
        """(n, m): root mean square difference in units of what chance does; 1 and above is another thing."""
        weighted = self.weights * self.sketches
        own = np.einsum("ms,ms->m", weighted, self.sketches)
        squared = (sketches * sketches) @ self.weights.T - 2.0 * (sketches @ weighted.T) + own
        distances: FloatArray = np.sqrt(np.maximum(squared, 0.0) / SKETCH)
        return distances


def sketches_of(tiles: npt.NDArray[np.uint8], down: int = 0, right: int = 0) -> FloatArray:
    """(m, SKETCH) of (m, 32, 32, 3) uint8 RGB lone tiles, cut so many px off; their borders are repeated."""
    wide = np.pad(tiles, ((0, 0), (_PAD, _PAD), (_PAD, _PAD), (0, 0)), mode="edge")
    top, left = _PAD + down, _PAD + right
    cut = wide[:, top : top + TILE_SIZE, left : left + TILE_SIZE]
    return Sheet.of(np.ascontiguousarray(cut), len(tiles), 1).sketches(0, 0)


def different_ones(sketches: FloatArray, most: int) -> list[int]:
    """Up to `most` indices of (n, SKETCH), each as far as can be from those before it; no two alike."""
    chosen = [0]
    distance = ((sketches - sketches[0]) ** 2).mean(axis=1)
    while len(chosen) < most:
        farthest = int(distance.argmax())
        if distance[farthest] < 0.25:
            break
        chosen.append(farthest)
        distance = np.minimum(distance, ((sketches - sketches[farthest]) ** 2).mean(axis=1))
    return chosen
