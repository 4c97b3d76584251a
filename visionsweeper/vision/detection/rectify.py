"""A photo of a screen put upright; screenshots, whose lines are straight already, are left alone.

Lines that are parallel on the screen meet in one point of the photo, so that along the middle of the picture
their slope changes evenly: two numbers for the lines across, two for those down, found where the picture's
edges, summed along such lines, are sharpest. Four of the lines make the homography.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from visionsweeper.geometry import Box

Image = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]

_STRIPS: Final = 8  # that the picture is cut into, to see whether lines go on at the same height in the next
_ZONES: Final = 3  # along the lines' other axis, since a keystone turns those at either end opposite ways
_LAGS: Final = 12  # px from strip to strip that are looked at
_LEAST_SHIFT: Final = 0.3  # px from strip to strip; below, screenshots scaled or compressed would be touched
_CLEARLY: Final = 1.1  # by which strips have to agree better shifted than level
_LEAST_SLOPE: Final = 0.002
_MOST_SLOPE: Final = 0.08  # about 4.5 degrees
_MOST_CHANGE: Final = 0.12  # of the slope, from one side of the picture to the other
_EDGES: Final = 8000  # pixels that stand for all edges
_GAIN: Final = 1.08  # by which sums along tilted lines have to be sharper than along straight ones


@dataclass(frozen=True, eq=False)
class Upright:
    """A picture whose lines run across and down."""

    image: Image
    """(H, W, 3) uint8 RGB; the very picture that came in when it was upright."""
    matrix: Floats | None
    """(3, 3) homography from pixels of the picture that came in to pixels of this one; None: not touched."""

    def box(self, box: Box) -> Box:
        """Where a box of the picture that came in is in this one."""
        if self.matrix is None:
            return box
        height, width = self.image.shape[:2]
        x0, y0, x1, y1 = _spanning(self.matrix, box)
        return max(0.0, x0), max(0.0, y0), min(float(width), x1), min(float(height), y1)


def upright(image: Image) -> Upright:
    """Turn a picture upright if it is evidently tilted by a few degrees, or seen from aside.

    image is (H, W, 3) uint8 RGB. Its sides become lines across and down that span about the same; what is
    beyond the picture repeats its border.
    """
    gray = _gray(image)
    if not _looks_tilted(gray):
        return Upright(image, None)
    lines = _lines(gray)
    if lines is None:
        return Upright(image, None)
    height, width = image.shape[:2]
    matrix = _homography(lines, gray.shape[1], gray.shape[0])
    ratio = np.diag([gray.shape[1] / width, gray.shape[0] / height, 1.0])
    matrix = np.linalg.inv(ratio) @ matrix @ ratio
    x0, y0, x1, y1 = _spanning(matrix, (0.0, 0.0, float(width), float(height)))
    matrix = np.array([[1, 0, -x0], [0, 1, -y0], [0, 0, 1]]) @ matrix
    size = (max(1, round(x1 - x0)), max(1, round(y1 - y0)))
    half = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1]])  # pixel i spans i..i+1; OpenCV counts centres
    centred = np.linalg.inv(half) @ matrix @ half
    warped = cv2.warpPerspective(image, centred, size, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    turned = np.ascontiguousarray(np.asarray(warped, dtype=np.uint8))
    turned.setflags(write=False)
    return Upright(turned, matrix)


def _gray(image: Image) -> npt.NDArray[np.uint8]:
    """(h, w) uint8, of very large pictures a smaller one: a share of the pixels tells as well."""
    step = max(1, max(image.shape[:2]) // 2000)
    gray = cv2.cvtColor(np.ascontiguousarray(image[::step, ::step]), cv2.COLOR_RGB2GRAY)
    return np.asarray(gray, dtype=np.uint8)


def _looks_tilted(gray: npt.NDArray[np.uint8]) -> bool:
    """Whether lines leave strip after strip of the picture at another height than they came in."""
    height, width = gray.shape
    if min(height, width) < 8 * _STRIPS:
        return False
    return _shifts(gray) or _shifts(np.ascontiguousarray(gray.T))


def _shifts(gray: npt.NDArray[np.uint8]) -> bool:
    """Whether lines across are evidently not level."""
    height, width = gray.shape
    edges = cv2.absdiff(gray[1:], gray[:-1])
    wide = width // _STRIPS
    sums = [
        np.asarray(cv2.reduce(edges[:, i * wide : (i + 1) * wide], 1, cv2.REDUCE_SUM, dtype=cv2.CV_32F))[:, 0]
        for i in range(_STRIPS)
    ]
    profiles = np.minimum(
        np.stack(sums) / (8 * wide), 1.0
    )  # many faint edges tell as much as few strong ones
    least = max(_LEAST_SHIFT, _LEAST_SLOPE * wide)
    reach = min(_LAGS, max(2, round(_MOST_SLOPE * wide)))
    for zone in np.array_split(np.arange(reach, height - 1 - reach), _ZONES):
        if len(zone) < 4 * reach:
            continue
        agreement = np.zeros(2 * reach + 1)
        for left, right in pairwise(profiles):
            base = left[zone] - left[zone].mean()
            for lag in range(-reach, reach + 1):
                agreement[lag + reach] += float(base @ right[zone[0] + lag : zone[-1] + 1 + lag])
        best = int(agreement.argmax())
        # The peak between pixels, by the parabola through it and its neighbours.
        shift = float(best - reach)
        if 0 < best < 2 * reach:
            before, at, after = agreement[best - 1 : best + 2]
            shift += 0.5 * (before - after) / min(before - 2 * at + after, -1e-9)
        clear = best == reach or agreement[best] > _CLEARLY * max(agreement[reach], 0.0)
        if clear and abs(shift) >= least and agreement[best] > 0:
            return True
    return False


@dataclass(frozen=True)
class _Lines:
    """Slopes of the lines across (dy/dx) and down (dx/dy): in the middle, and the change over the picture."""

    across: tuple[float, float]
    down: tuple[float, float]


def _lines(gray: npt.NDArray[np.uint8]) -> _Lines | None:
    """Return the lines of the picture; None where tilted ones are not evidently better than level ones."""
    smooth = cv2.GaussianBlur(gray, (0, 0), 0.8).astype(np.float32)
    across = _slopes(smooth, 0.0)
    down = _slopes(np.ascontiguousarray(smooth.T), -across[0][0])
    if max(across[1], down[1]) < _GAIN:
        return None
    return _Lines(across[0], down[0])


def _slopes(gray: npt.NDArray[np.float32], likely: float) -> tuple[tuple[float, float], float]:
    """Slope and change of slope of the lines across, and how much sharper sums along them are than level.

    `likely`: a slope to try besides, such as that of lines at right angles.
    """
    height, width = gray.shape
    steps = np.abs(gray[1:] - gray[:-1])
    sideways = np.abs(gray[:, 1:] - gray[:, :-1])
    steps = np.maximum(steps[:, :-1] - 1.5 * sideways[:-1], 0)  # edges of lines across, not of what is round
    threshold = max(
        2.0, float(np.partition(steps.ravel(), -min(_EDGES, steps.size))[-min(_EDGES, steps.size)])
    )
    y, x = np.nonzero(steps >= threshold)
    if len(y) < 200:
        return (0.0, 0.0), 1.0
    if len(y) > 2 * _EDGES:
        keep = np.linspace(0, len(y) - 1, _EDGES).astype(np.intp)
        y, x = y[keep], x[keep]
    weight = np.minimum(steps[y, x], 40.0).astype(np.float64)
    right, below = x - width / 2, y - height / 2

    def sharpness(slope: float, change: float, bins: float) -> float:
        level = (below - slope * right) / (1 + change * right / height)
        sums = np.bincount(((level + height) * bins).astype(np.intp), weight)
        sums = sums[1:] + sums[:-1]  # whatever side of a bin's border a line falls on
        return float(sums @ sums)

    def refined(line: tuple[float, float], bins: float, step: tuple[float, float]) -> tuple[float, float]:
        """Smaller and smaller steps around a line, until they are below a third of a pixel."""
        while bins < 1.0 or step[0] * spread > 0.3:
            bins, step = min(1.0, bins * 2), (step[0] / 2, step[1] / 2)
            tried = [(line[0] + s * step[0], line[1] + c * step[1]) for s in around for c in around]
            line = max(tried, key=lambda it: sharpness(it[0], it[1], bins))
        return line

    spread, around = max(height, width), range(-2, 3)
    # Lines blur over some pixels at first, so that no step of the search passes them by.
    coarse = min(1.0, 150 / spread)
    step = (min(0.01, 1 / (coarse * spread)), 0.02)
    first = max(
        (
            (float(slope), float(change))
            for slope in np.arange(-_MOST_SLOPE, _MOST_SLOPE + 1e-9, step[0])
            for change in np.arange(-_MOST_CHANGE, _MOST_CHANGE + 1e-9, step[1])
        ),
        key=lambda it: sharpness(it[0], it[1], coarse),
    )
    level = (0.0, 0.0)
    found = [level, *(refined(line, coarse, step) for line in (first, level, (likely, 0.0)))]
    sharp = [sharpness(line[0], line[1], 1.0) for line in found]
    best = int(np.argmax(sharp))
    return found[best], sharp[best] / sharp[0]


def _homography(lines: _Lines, width: int, height: int) -> Floats:
    """(3, 3): the quadrangle of two of the lines across and two down becomes a rectangle."""
    corners, goals = [], []
    for v in (-height / 3, height / 3):
        for u in (-width / 3, width / 3):
            across = lines.across[0] + lines.across[1] * v / height
            down = lines.down[0] + lines.down[1] * u / width
            # y = v + across * x and x = u + down * y
            x = (u + down * v) / (1 - across * down)
            corners.append((x + width / 2, v + across * x + height / 2))
            goals.append((u + width / 2, v + height / 2))
    matrix = cv2.getPerspectiveTransform(np.array(corners, np.float32), np.array(goals, np.float32))
    return np.asarray(matrix, dtype=np.float64)


def _spanning(matrix: Floats, box: Box) -> Box:
    """Return the upright rectangle that, seen in the tilted picture, spans just the box there.

    `matrix` maps tilted pixels to upright ones.
    """
    goal = np.array(box)
    back = np.asarray(np.linalg.inv(matrix), dtype=np.float64)
    corners = _mapped(matrix, box)
    found = np.concatenate([corners.min(axis=0), corners.max(axis=0)])
    for _ in range(20):
        seen = _mapped(back, (found[0], found[1], found[2], found[3]))
        found = found + goal - np.concatenate([seen.min(axis=0), seen.max(axis=0)])
    return float(found[0]), float(found[1]), float(found[2]), float(found[3])


def _mapped(matrix: Floats, box: Box) -> Floats:
    """(4, 2) corners of the box under the homography."""
    x0, y0, x1, y1 = box
    points = np.array([(x0, y0, 1), (x1, y0, 1), (x1, y1, 1), (x0, y1, 1)]) @ matrix.T
    corners: Floats = points[:, :2] / points[:, 2:]
    return corners
