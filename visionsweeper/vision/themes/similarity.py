"""How like two tiles of one game are: pixels against pixels, with patience where edges may have moved."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from visionsweeper.vision.tiles.features import TILE_SIZE, FloatArray

_PAD: Final = 12  # px of a tile of 32 by which a board may be cut off its true place
_MARGIN: Final = 2  # px left out on each side: neighbours and frames show there when a cut is a little off
_SIDE: Final = (TILE_SIZE - 2 * _MARGIN) // 2
SKETCH: Final = _SIDE * _SIDE * 3
"""Length of a tile's sketch."""
JITTERS: Final = tuple(product((0, -1, 1), repeat=2))
"""(down, right) px of a tile of 32: how far single tiles lie off the even grid, rounded to pixels."""

_NEARBY: Final = 3  # pixels of a sketch, each way, over which a difference is looked at locally
_OPPONENT: Final = (
    np.array([[76.0, 160.0, 62.0], [150.0, -160.0, 62.0], [29.0, 0.0, -124.0]], dtype=np.float32) / 650.0
)
# sRGB to lightness, red to green, and yellow to blue: about the units of Lab, for a small part of its price.

_NOISE: Final = 2.0  # such units of a pixel far from any edge
_EDGE: Final = 0.6  # share of what a pixel changes within the jitters that is put down to chance


@dataclass(frozen=True)
class Cut:
    """How the tiles of a board are cut in comparison with the grid's."""

    down: int = 0
    """px of a tile of 32, at most 12 either way, as `right`."""
    right: int = 0

    def moved(self, down: int, right: int) -> Cut:
        """Return the cut that much farther down and to the right, as far as there is room."""
        return Cut(_within(self.down + down), _within(self.right + right))


def _within(shift: int) -> int:
    return max(-_PAD, min(_PAD, shift))


@dataclass(frozen=True, eq=False)
class Sheet:
    """A board's tiles side by side, so that they can be cut again a little off."""

    pixels: npt.NDArray[np.uint8]
    """(rows * 32 + 24, columns * 32 + 24, 3) uint8 RGB, the border repeated outwards by 12 px."""
    rows: int
    columns: int

    @classmethod
    def of(cls, tiles: npt.NDArray[np.uint8], rows: int, columns: int) -> Sheet:
        """Lay (rows * columns, 32, 32, 3) tiles, row-major, side by side on a sheet."""
        size = TILE_SIZE
        whole = tiles.reshape(rows, columns, size, size, 3).transpose(0, 2, 1, 3, 4)
        flat = whole.reshape(rows * size, columns * size, 3)
        return cls(np.pad(flat, ((_PAD, _PAD), (_PAD, _PAD), (0, 0)), mode="edge"), rows, columns)

    def sketches(self, cut: Cut, chosen: npt.NDArray[np.intp] | None = None) -> FloatArray:
        """Return the sketches of the chosen tiles or of all, cut anew, (k, SKETCH)."""
        tiles = np.arange(self.rows * self.columns) if chosen is None else chosen
        span = _MARGIN + 2 * np.arange(_SIDE)
        y = (tiles // self.columns * TILE_SIZE + _PAD + cut.down)[:, None, None] + span[:, None]
        x = (tiles % self.columns * TILE_SIZE + _PAD + cut.right)[:, None, None] + span
        colours = self._pairs[y, x].reshape(-1, 3).astype(np.float32)
        sketches: FloatArray = (colours @ _OPPONENT).reshape(len(tiles), SKETCH)
        return sketches

    @cached_property
    def _pairs(self) -> npt.NDArray[np.uint8]:
        """The mean of each pixel and the three right of, below, and diagonally below it."""
        return np.asarray(cv2.blur(self.pixels, (2, 2), anchor=(0, 0)), dtype=np.uint8)


@dataclass(frozen=True, eq=False)
class Exemplars:
    """Sketches to compare with, and how much each of their pixels is to be trusted."""

    sketches: FloatArray
    """(m, SKETCH)."""
    weights: FloatArray
    """(m, SKETCH), one over the variance."""

    @classmethod
    def of(cls, tiles: npt.NDArray[np.uint8]) -> Exemplars:
        """Return the exemplars of (m, 32, 32, 3) uint8 RGB tiles."""
        moved = np.stack([sketches_of(tiles, down, right) for down, right in JITTERS])
        return cls(moved[0], weights_of(((moved - moved[0]) ** 2).mean(axis=0)))

    def distances(self, sketches: FloatArray) -> FloatArray:
        """Return root mean square differences in units of what chance does, (n, m).

        1 and above is another thing.
        """
        weighted = self.weights * self.sketches
        own = np.einsum("ms,ms->m", weighted, self.sketches)
        squared = (sketches * sketches) @ self.weights.T - 2.0 * (sketches @ weighted.T) + own
        distances: FloatArray = np.sqrt(np.maximum(squared, 0.0) / SKETCH)
        return distances

    def local(self, sketches: FloatArray, exemplars: npt.NDArray[np.intp]) -> FloatArray:
        """Return the largest root mean square difference within a few pixels, (n,) each to its exemplar."""
        squared = self.weights[exemplars] * (sketches - self.sketches[exemplars]) ** 2
        maps = (squared.reshape(-1, 3) @ np.full(3, 1 / 3, dtype=np.float32)).reshape(-1, _SIDE, _SIDE)
        k = _NEARBY
        rows = sum((maps[:, i : _SIDE - k + 1 + i] for i in range(1, k)), start=maps[:, : _SIDE - k + 1])
        sums = sum(
            (rows[:, :, i : _SIDE - k + 1 + i] for i in range(1, k)), start=rows[:, :, : _SIDE - k + 1]
        )
        means = sums / k**2
        largest: FloatArray = np.sqrt(np.maximum(means.max(axis=(1, 2)), 0.0))
        return largest


def weights_of(spread: FloatArray) -> FloatArray:
    """Weigh each pixel by the mean square of what it changes within the jitters, same shape."""
    weights: FloatArray = (1.0 / (_NOISE**2 + _EDGE**2 * spread)).astype(np.float32)
    return weights


def sketches_of(tiles: npt.NDArray[np.uint8], down: int = 0, right: int = 0) -> FloatArray:
    """Sketch (m, 32, 32, 3) uint8 RGB lone tiles, cut so many px off: (m, SKETCH), their borders repeated."""
    wide = np.pad(tiles, ((0, 0), (_PAD, _PAD), (_PAD, _PAD), (0, 0)), mode="edge")
    top, left = _PAD + down, _PAD + right
    cut = wide[:, top : top + TILE_SIZE, left : left + TILE_SIZE]
    return Sheet.of(np.ascontiguousarray(cut), len(tiles), 1).sketches(Cut())


def different_ones(sketches: FloatArray, most: int) -> list[int]:
    """Choose up to `most` of (n, SKETCH), each as far as can be from those before it; no two alike."""
    chosen = [0]
    distance = ((sketches - sketches[0]) ** 2).mean(axis=1)
    while len(chosen) < most:
        farthest = int(distance.argmax())
        if distance[farthest] < 0.25:
            break
        chosen.append(farthest)
        distance = np.minimum(distance, ((sketches - sketches[farthest]) ** 2).mean(axis=1))
    return chosen
