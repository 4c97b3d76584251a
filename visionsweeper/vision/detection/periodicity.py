"""Where equally spaced borders lie along one axis of a picture.

Two signs tell a border between tiles. Straight edges at least half a tile long run along it (lines,
bevels, gaps, a change of ground), and what is drawn inside the tiles keeps clear of it: digits, flags and
pictures sit in the middle. The first is sharp but some themes lack it, the second is broad but always there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

STEP: Final = 0.5
"""Resolution of the search, pixels."""

REACH: Final = 0.33
"""How far the outer borders are looked for around the crop, tiles: a quarter, and some slack."""

_SATURATION: Final = 16.0
"""Difference (gray levels) that counts half of the strongest: faint lines shall count nearly as bold ones."""

PITCHES: Final = np.geomspace(7, 160, 1200)
"""Distances of borders that are looked for, pixels."""

_APART: Final = 0.02
"""Share by which pitches differ that are looked at one by one; a fit finds nearer ones from one start."""

_LOBES: Final = 0.1
"""How far from a peak its lobes reach, as a share of its pitch."""

_LOBE: Final = 0.1
"""Height of a lobe at most, as a share of its peak's."""

_OBLONG: Final = 2.4
"""How many times as wide as high, or as high as wide, tiles may be."""

_FLOOR: Final = 0.02
"""Mean edge strength (0..1) below which a profile is noise rather than evidence."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """Profiles along one axis, one value a pixel boundary: index i lies between pixels i - 1 and i."""

    lines: Floats
    """(length + 1,) share of straight edges, 0..1."""
    content: Floats
    """(length + 1,) share of all other edges, 0..1."""

    @property
    def length(self) -> int:
        """Pixels along the axis."""
        return len(self.lines) - 1

    def lift(self, pitch: float) -> Floats:
        """(length + 1,) straight edges around each boundary relative to their mean: up to about 5."""
        return _smooth(self.lines, 0.085 * pitch) / (float(self.lines[1:-1].mean()) + _FLOOR)

    def quality(self, pitch: float, content_weight: float, midst: float = 0.0) -> Floats:
        """(length + 1,) how well a border would lie at each boundary; higher is better.

        The lift counts more than proportionally: a theme whose drawings have straight edges spreads them
        over the tile, where borders gather them in one place. midst is the weight of lying far from content.
        """
        lift = self.lift(pitch)
        # Lines end at the corners of tiles, and these ends are no content.
        near = cv2.dilate(self.lines.reshape(1, -1), np.ones((1, 5), np.uint8)).ravel()
        content = np.maximum(0.0, self.content - 0.25 * near)
        clear = _smooth(content, 0.07 * pitch) / (float(content[1:-1].mean()) + _FLOOR)
        quality = lift**2 / (lift + 6) - content_weight * clear
        if midst:
            quality -= midst * _smooth(content, 0.2 * pitch) / (float(content[1:-1].mean()) + _FLOOR)
        return np.asarray(quality, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class AxisFit:
    """Equally spaced borders put where the evidence is best."""

    start: float
    """Position of the first border, pixels."""
    end: float
    """Position of the last border, pixels."""
    tiles: int
    """Number of tiles between them."""
    score: float
    """Mean quality at the borders inside the picture, less what straying from the crop costs."""

    @property
    def pitch(self) -> float:
        """Distance of two borders, pixels."""
        return (self.end - self.start) / self.tiles

    @property
    def edges(self) -> Floats:
        """(tiles + 1,) positions of the borders, pixels."""
        return np.linspace(self.start, self.end, self.tiles + 1)


def gather(image: npt.NDArray[np.uint8], pitch_x: float, pitch_y: float) -> tuple[Evidence, Evidence]:
    """Evidence for the columns' and for the rows' borders of an (H, W, 3) uint8 picture."""
    return evidence(steps(image, 1), 1, pitch_y), evidence(steps(image, 0), 0, pitch_x)


def steps(image: npt.NDArray[np.uint8], axis: int) -> npt.NDArray[np.uint8]:
    """Largest difference of the channels between neighbours along the axis (1: x, 0: y), gray levels.

    (H, W - 1) or (H - 1, W) uint8: entry i lies between pixels i and i + 1.
    """
    before = (slice(None), slice(None, -1)) if axis == 1 else (slice(None, -1), slice(None))
    after = (slice(None), slice(1, None)) if axis == 1 else (slice(1, None), slice(None))
    red, green, blue = (cv2.absdiff(plane[after], plane[before]) for plane in cv2.split(image))
    return np.asarray(cv2.max(cv2.max(red, green), blue), np.uint8)


def straight(step: npt.NDArray[np.uint8], axis: int, run: float) -> npt.NDArray[np.uint8]:
    """Of the steps along the axis, those in straight pieces of at least about half of `run` pixels."""
    run_px = max(3, round(0.55 * run))
    shape = (run_px, 1) if axis == 1 else (1, run_px)
    return np.asarray(cv2.morphologyEx(step, cv2.MORPH_OPEN, np.ones(shape, np.uint8)), np.uint8)


def evidence(step: npt.NDArray[np.uint8], axis: int, run: float) -> Evidence:
    """Evidence along the axis out of its steps; straight pieces span at least about half of `run` pixels."""
    levels = np.arange(256)
    saturated = (255 * levels / (levels + _SATURATION)).astype(np.uint8)
    profiles = [
        cv2.reduce(cv2.LUT(field, saturated), 1 - axis, cv2.REDUCE_AVG, dtype=cv2.CV_32F).ravel() / 255
        for field in (straight(step, axis, run), step)
    ]
    lines, everything = (np.pad(profile.astype(np.float64), 1) for profile in profiles)
    return Evidence(lines, np.maximum(0.0, everything - lines))


def _smooth(profile: Floats, sigma: float) -> Floats:
    sigma = max(sigma, 0.75)
    reach = int(np.ceil(2.5 * sigma))
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    padded = np.pad(profile, reach, mode="edge")
    return np.asarray(np.convolve(padded, weights / weights.sum(), "valid"), dtype=np.float64)


def fit_axis(quality: Floats, tiles: int, start: float, end: float) -> AxisFit:
    """Return the best equal spacing of so many tiles whose outer borders lie near `start` and `end`.

    Borders outside the picture say nothing. Staying with the crop is worth a little.
    """
    length = len(quality) - 1
    pitch = (end - start) / tiles
    shifts = _shifts(REACH, pitch)
    table = np.interp(np.arange(0, length + STEP / 2, STEP), np.arange(length + 1), quality)
    first = (start + shifts)[:, None, None]
    last = (end + shifts)[None, :, None]
    places = first + (last - first) * (np.arange(tiles + 1) / tiles)
    inside = (places >= 1) & (places <= length - 1)
    index = np.clip(np.rint(places / STEP).astype(np.intp), 0, len(table) - 1)
    mean = np.where(inside, table[index], 0).sum(axis=2) / np.maximum(inside.sum(axis=2), 1)
    astray = 0.5 * (shifts / pitch) ** 2
    score = mean - astray[:, None] - astray[None, :]
    a, b = np.unravel_index(int(score.argmax()), score.shape)
    return AxisFit(start + float(shifts[a]), end + float(shifts[b]), tiles, float(score[a, b]))


def track(quality: Floats, fit: AxisFit, stiffness: float, reach: float = 0.2) -> Floats:
    """(tiles + 1,) the fit's borders, each moved by up to `reach` tiles to where it fits best.

    Neighbouring borders move alike (dynamic programming): `stiffness` times the squared change of the
    displacement in tiles is what a change costs.
    """
    length = len(quality) - 1
    shifts = _shifts(reach, fit.pitch)
    places = fit.edges[:, None] + shifts
    inside = (places >= 1) & (places <= length - 1)
    gain = np.where(inside, np.interp(places, np.arange(length + 1), quality), 0.0)
    cost = stiffness * ((shifts[:, None] - shifts[None, :]) / fit.pitch) ** 2
    best, came_from = gain[0], []
    for row in gain[1:]:
        options = best[:, None] - cost
        came_from.append(options.argmax(axis=0))
        best = options.max(axis=0) + row
    path = [int(best.argmax())]
    for back in reversed(came_from):
        path.append(int(back[path[-1]]))
    return np.asarray(fit.edges + shifts[path[::-1]], dtype=np.float64)


def strength(quality: Floats, edges: Floats) -> float:
    """Mean quality at those of the borders that lie inside the picture; 0 when none does."""
    inside = edges[(edges >= 1) & (edges <= len(quality) - 2)]
    if len(inside) == 0:
        return 0.0
    return float(np.interp(inside, np.arange(len(quality)), quality).mean())


def _shifts(reach: float, pitch: float) -> Floats:
    """Displacements to try, pixels, zero among them."""
    step = max(STEP, pitch / 80)
    count = int(reach * pitch / step)
    return np.arange(-count, count + 1, dtype=np.float64) * step


def clarity(found: Evidence, edges: Floats) -> float:
    """Mean lift at the inner borders less that between them (at halves and thirds of tiles).

    About 0 for borders put at random, and for every second one of the true ones or twice as many; 2 to 4
    for lines drawn for the purpose.
    """
    lift = found.lift(float(edges[-1] - edges[0]) / (len(edges) - 1))
    for every in (2, 3):
        some = [strength(lift, edges[1:-1][first::every]) for first in range(every)]
        if len(edges) > 2 * every + 2 and min(some) < 0.1 * max(some):
            return 0.0
    between = [strength(lift, edges[:-1] + np.diff(edges) * part) for part in (1 / 2, 1 / 3, 2 / 3)]
    return strength(lift, edges[1:-1]) - max(between)


def likely_pitches(across: Floats, down: Floats, count: int = 4) -> list[float]:
    """Pitches, in pixels, at which the profiles of both axes repeat, the likeliest first.

    The spectrum of equally spaced lines has peaks at the pitch and its fractions, their autocorrelation at
    the pitch and its multiples: the product of both is large at the pitch alone.
    """
    return peaks(_repetition(across) * _repetition(down), count)


def oblong_pitches(across: Floats, down: Floats, count: int = 2) -> list[tuple[float, float]]:
    """Pitches of columns and rows of tiles that are not square, in pixels, the likeliest first.

    Each axis is looked at by itself, `count` pitches of each are paired.
    """
    return oblong(peaks(_repetition(across), count), peaks(_repetition(down), count))


def oblong(across: list[float], down: list[float]) -> list[tuple[float, float]]:
    """Return all pairs of a pitch of columns and one of rows that oblong tiles may have."""
    pairs = [(x, y) for x in across for y in down]
    return [(x, y) for x, y in pairs if 1.04 < max(x / y, y / x) < _OBLONG]


def _repetition(profile: Floats) -> Floats:
    """How well a profile repeats itself at each of PITCHES."""
    lines = _smooth(profile, 1.0)
    lines = lines - lines.mean()
    padded = 1 << max(12, (4 * len(lines)).bit_length())
    spectrum = np.abs(np.fft.rfft(lines, padded))
    repeats = np.maximum(0.0, np.fft.irfft(spectrum**2))[: padded // 2]
    merit = np.interp(1 / PITCHES, np.fft.rfftfreq(padded), spectrum)
    return np.asarray(merit * np.interp(PITCHES, np.arange(len(repeats)), repeats), dtype=np.float64)


def peaks(merit: Floats, count: int, pitches: Floats = PITCHES) -> list[float]:
    """Return the pitches where the merit peaks, the highest first, without the lobes beside a higher peak."""
    found = np.flatnonzero((merit[1:-1] > merit[:-2]) & (merit[1:-1] >= merit[2:])) + 1
    best: list[float] = []
    heights: list[float] = []
    for peak in found[np.argsort(-merit[found])].tolist():
        pitch, height = float(pitches[peak]), float(merit[peak])
        apart = [(abs(pitch / other - 1), height / above) for other, above in zip(best, heights, strict=True)]
        if all(gap > _APART and (gap > _LOBES or share > _LOBE) for gap, share in apart):
            best.append(pitch)
            heights.append(height)
        if len(best) == count:
            break
    return best


def fit_free_axis(quality: Floats, pitch: float, spread: float) -> AxisFit | None:
    """Return the best fit through the whole profile at about this pitch, wherever it starts.

    spread is by what share the pitch may differ. None when the profile holds no two borders.
    """
    length = len(quality) - 1
    if length <= pitch:
        return None
    table = np.interp(np.arange(0, length + STEP / 2, STEP), np.arange(length + 1), quality)
    pitches = pitch * (
        np.linspace(1 - spread, 1 + spread, 13) if spread and length > 4 * pitch else np.ones(1)
    )
    best: AxisFit | None = None
    for candidate in pitches:
        starts = np.arange(0, candidate, max(STEP, candidate / 60))
        places = starts[:, None] + np.arange(int(length / candidate) + 1) * candidate
        inside = (places >= 1) & (places <= length - 1)
        index = np.clip(np.rint(places / STEP).astype(np.intp), 0, len(table) - 1)
        mean = np.where(inside, table[index], 0).sum(axis=1) / np.maximum(inside.sum(axis=1), 1)
        first = int(mean.argmax())
        tiles = int((length - starts[first]) / candidate)
        if tiles > 0 and (best is None or mean[first] > best.score):
            start = float(starts[first])
            best = AxisFit(start, start + tiles * float(candidate), tiles, float(mean[first]))
    return best
