"""Boards in an uncropped picture, found by where digits and marks stand: in the middle of their tiles.

For themes whose tiles have no lines around them and never look alike, such as paintings, and for signs on
plain ground, as in a terminal. What is drawn apart from the rest is a glyph, be it a digit, a flag, a part of
a mine or a letter of some text; the middles of those on a board lie at equal distances along both axes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from visionsweeper.geometry import Box, Grid
from visionsweeper.vision.cutting import spread
from visionsweeper.vision.detection import periodicity
from visionsweeper.vision.detection.candidates import same_lattice

Floats = npt.NDArray[np.float64]

_EDGE: Final = 24
"""Step between neighbouring pixels (gray levels) from which something is drawn."""

_THINNEST: Final = 2
"""Glyphs are at least this wide and high, px."""

_SIZES: Final = (4, 6, 8, 11, 16, 22, 32, 45, 64)
"""Glyphs up to twice as large as one of these (the longer side, px) are looked at together."""

_FEWEST: Final = 6
"""Glyphs that tell a lattice."""

MOST: Final = 600
"""Glyphs of about one size that are looked at, taken all over the picture."""

_WIDEST: Final = 4.5
"""How many times as wide or high as the smallest of the glyphs looked at tiles may be."""

_OFF_CENTRE: Final = 0.17
"""How far from the middle of its tile the middle of a glyph may lie along each axis, tiles."""

_BY_CHANCE: Final = (2 * _OFF_CENTRE) ** 2
"""Share of glyphs anywhere that lie so near to the middle of a cell."""

_ROUNDS: Final = 3
"""Times that a lattice is fitted to the glyphs that lie on it."""

_DRIFT: Final = 0.03
"""By what share a fit may change the pitch."""

_SAME: Final = 0.02
"""Share by which the pitch of a lattice differs from a multiple of another's that it is."""

_PART: Final = 0.9
"""Larger cells are meant where they hold this share of the glyphs, in this share of the box they are in."""

_MULTIPLES: Final = 6
"""How many times as large at most."""


@dataclass(frozen=True)
class _Lattice:
    """Cells in whose middles glyphs stand."""

    grid: Grid
    """From the first to the last glyph on it."""
    glyphs: float
    """How many more stand there than would by chance."""

    def is_part_of(self, other: _Lattice) -> bool:
        """Tell whether its cells are parts of larger ones there, with about as many glyphs."""
        return (
            other.glyphs >= _PART * self.glyphs
            and _is_part(self.grid, other.grid)
            and _share_within(self.grid.box, other.grid.box) >= _PART
        )


def glyph_grids(steps: tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]], count: int) -> Iterator[Grid]:
    """Yield up to `count` lattices in whose cells' middles most glyphs stand, the likeliest first.

    steps are those of the picture along x and along y (periodicity.steps). Each grid reaches from the first
    glyph to the last.
    """
    middles, size = glyphs(steps)
    found: list[_Lattice] = []
    for smallest in _SIZES:
        some = middles[(size >= smallest) & (size < 2 * smallest)]
        if len(some) >= _FEWEST:
            found += _lattices(some[spread(len(some), MOST)], smallest)
    chosen: list[Grid] = []
    for lattice in sorted(found, key=lambda lattice: -lattice.glyphs):
        if len(chosen) == count:
            return
        if any(lattice.is_part_of(other) for other in found):
            continue
        if not any(same_lattice(lattice.grid, earlier) for earlier in chosen):
            chosen.append(lattice.grid)
            yield lattice.grid


def glyphs(steps: tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]) -> tuple[Floats, Floats]:
    """Return (n, 2) middles x, y, and (n,) longer sides of all that is drawn apart from the rest, px."""
    across, down = ((step >= _EDGE).astype(np.uint8) for step in steps)
    drawn = np.zeros((across.shape[0], down.shape[1]), np.uint8)
    # Both pixels of a step belong to what is drawn.
    drawn[:, :-1] |= across
    drawn[:, 1:] |= across
    drawn[:-1] |= down
    drawn[1:] |= down
    _, _, boxes, _ = cv2.connectedComponentsWithStats(drawn, connectivity=8)
    x, y, wide, high, _ = boxes[1:].astype(np.float64).T
    kept = np.minimum(wide, high) >= _THINNEST
    return np.stack([x + wide / 2, y + high / 2], axis=1)[kept], np.maximum(wide, high)[kept]


def _lattices(middles: Floats, smallest: int) -> Iterator[_Lattice]:
    """Yield the lattices of (n, 2) middles of glyphs of about one size."""
    pitches = periodicity.PITCHES
    pitches = pitches[(pitches >= smallest) & (pitches <= _WIDEST * smallest)]
    along = [coherence(axis, pitches) for axis in middles.T]
    squares = [(each, each) for each in periodicity.peaks(along[0] * along[1], 4, pitches)]
    x, y = (periodicity.peaks(each, 3, pitches) for each in along)
    for pitch in squares + periodicity.oblong(x, y):
        lattice = _fitted(middles, np.array(pitch))
        if lattice is not None:
            yield lattice


def coherence(places: Floats, pitches: Floats) -> Floats:
    """Tell how well (n,) places along an axis agree on where between two borders they lie, 0..1, by pitch."""
    turns = np.exp(2j * np.pi * places[None] / pitches[:, None])
    return np.asarray(np.abs(turns.mean(axis=1)), np.float64)


def _fitted(middles: Floats, pitch: Floats) -> _Lattice | None:
    """Return the lattice of about this pitch, (x, y), on which most glyphs stand; None for too few."""
    on_it = np.ones(len(middles), bool)
    for _ in range(_ROUNDS):
        turn = np.exp(2j * np.pi * middles[on_it] / pitch).mean(axis=0)
        start = np.angle(turn) / (2 * np.pi) * pitch
        cells = np.rint((middles - start) / pitch)
        off = np.abs(middles - start - cells * pitch) / pitch
        on_it = (off < _OFF_CENTRE).all(axis=1)
        if np.count_nonzero(on_it) < _FEWEST:
            return None
        for axis in (0, 1):
            at = cells[on_it, axis]
            spread = at - at.mean()
            if spread.any():
                better = float(spread @ middles[on_it, axis]) / float(spread @ spread)
                if abs(better / pitch[axis] - 1) < _DRIFT:
                    pitch[axis] = better
    x, y = (_edges(middles[on_it, axis], cells[on_it, axis], float(pitch[axis])) for axis in (0, 1))
    return _Lattice(Grid(x, y), np.count_nonzero(on_it) - _BY_CHANCE * len(middles))


def _edges(places: Floats, cells: Floats, pitch: float) -> Floats:
    """Borders around all of the cells, given the places of the glyphs in them."""
    start = float((places - cells * pitch).mean())
    return start + pitch * (np.arange(cells.min(), cells.max() + 2) - 0.5)


def _is_part(one: Grid, other: Grid) -> bool:
    """Tell whether the cells of a grid are halves, thirds ... of another's, along one axis at least."""
    ratios = (other.pitch_x / one.pitch_x, other.pitch_y / one.pitch_y)
    times = [max(1, round(ratio)) for ratio in ratios]
    near = all(abs(ratio / each - 1) <= _SAME for ratio, each in zip(ratios, times, strict=True))
    return near and 1 < max(times) <= _MULTIPLES


def _share_within(box: Box, other: Box) -> float:
    """Share of a box that lies within another."""
    wide = min(box[2], other[2]) - max(box[0], other[0])
    high = min(box[3], other[3]) - max(box[1], other[1])
    return max(wide, 0.0) * max(high, 0.0) / ((box[2] - box[0]) * (box[3] - box[1]))
