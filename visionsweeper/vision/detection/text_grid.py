"""Boards of text: their tiles are a few characters wide, all characters of one size, as in a terminal.

Where characters stand tells their own lattice, but neither how many of them make a tile, with its brackets
and spaces, nor which is the first. What is drawn repeats itself after a tile; all beginnings are proposed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.geometry import Grid
from visionsweeper.vision.cutting import spread
from visionsweeper.vision.detection import periodicity
from visionsweeper.vision.detection.glyph_grid import MOST, coherence, glyphs

Floats = npt.NDArray[np.float64]

_LARGEST: Final = 40.0
"""Glyphs of text are at most this wide and high, px."""

_FEWEST: Final = 24
"""Glyphs that tell where characters stand."""

_WIDTHS: Final = np.geomspace(4.5, 24, 1000)
"""Of characters, px."""

_HEIGHTS: Final = np.geomspace(8, 48, 1000)
"""Of lines, px."""

_COHERENT: Final = 0.4
"""How well the places of glyphs agree, 0..1, where they are set in characters of one size."""

_PROPORTION: Final = (1.5, 2.7)
"""How many times as high as wide characters are, with the space between lines."""

_MOST: Final = 6
"""Characters of a tile at most."""

_OBLONG: Final = 3.0
"""How many times as high as wide a tile is at most, or as wide as high."""

_COUNTS: Final = 2
"""Numbers of characters that are proposed, the likeliest: those after which what is drawn repeats itself the
most. One glyph a tile is told by `glyph_grid`."""

_PATTERN: Final = 0.97
"""What is drawn repeats itself so well in patterns alone, 1 being the same all over."""


def text_grids(steps: tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]) -> Iterator[Grid]:
    """Yield lattices over a whole picture whose cells are some characters each, the likeliest first.

    Nothing where what is drawn is not set in characters of one width. `steps` are those of the picture along
    x and along y (periodicity.steps).
    """
    middles, size = glyphs(steps)
    some = middles[size <= _LARGEST]
    some = some[spread(len(some), MOST)]
    sizes = _sizes(some) if len(some) >= _FEWEST else None
    if sizes is None:
        return
    lengths = steps[1].shape[1], steps[0].shape[0]
    x, y = (_borders(*each) for each in zip(some.T, sizes, lengths, strict=True))
    if min(len(x), len(y)) < 2:
        return
    wide, proportion = x[1] - x[0], sizes[0] / sizes[1]
    ink = _ink(steps, x, y)
    repeats = {
        count: _repeats(ink, count)
        for count in range(2, min(_MOST, (len(x) - 2) // 2) + 1)
        if 1 / _OBLONG <= count * proportion <= _OBLONG
    }
    if max(repeats.values(), default=1.0) > _PATTERN:
        return
    for count in sorted(repeats, key=lambda count: -repeats[count])[:_COUNTS]:
        # In a tile of two characters the sign may stand in the middle, half a space on each side.
        parts = 4 if count == 2 else count
        for part in range(parts):
            first = x[0] + wide * part * count / parts
            edges = np.arange(first, x[-1] + 0.5, wide * count)
            if len(edges) > 1:
                yield Grid(edges, y)


def _sizes(middles: Floats) -> tuple[float, float] | None:
    """Width and height of characters on which most of the (n, 2) middles agree; None where they do not."""
    wide, high = (
        [(size, float(np.interp(size, sizes, agree))) for size in periodicity.peaks(agree, 4, sizes)]
        for sizes, agree in (
            (sizes, coherence(places, sizes))
            for places, sizes in zip(middles.T, (_WIDTHS, _HEIGHTS), strict=True)
        )
    )
    pairs = [
        (min(agree_x, agree_y), width, height)
        for width, agree_x in wide
        for height, agree_y in high
        if _PROPORTION[0] <= height / width <= _PROPORTION[1]
    ]
    agree, *best = max(pairs, default=(0.0, 0.0, 0.0))
    return (best[0], best[1]) if agree >= _COHERENT else None


def _borders(places: Floats, size: float, length: int) -> Floats:
    """Borders, within `length` px, of the characters of about this size in whose middles most places are.

    `places`: (n,) along one axis.
    """
    for _ in range(3):
        start = float(np.angle(np.exp(2j * np.pi * places / size).mean())) / (2 * np.pi) * size
        at = np.rint((places - start) / size)
        near = np.abs(places - start - at * size) < size / 4
        off = at[near] - at[near].mean()
        if off.any():
            size = float(off @ places[near]) / float(off @ off)
    return np.arange((start - size / 2) % size, length + 0.5, size)


def _ink(steps: tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]], x: Floats, y: Floats) -> Floats:
    """(lines, characters) how much is drawn in each: the root of the sum of its steps along x."""
    rows, columns = (np.rint(edges).astype(np.intp) for edges in (y, x))
    drawn = steps[0][rows[0] : rows[-1], columns[0] : columns[-1]].astype(np.float64)
    lines = np.add.reduceat(drawn, rows[:-1] - rows[0], axis=0)
    ink: Floats = np.sqrt(np.add.reduceat(lines, columns[:-1] - columns[0], axis=1))
    return ink


def _repeats(ink: Floats, count: int) -> float:
    """How well what is drawn repeats itself after so many characters, -1..1."""
    off = ink - ink.mean(axis=1, keepdims=True)
    here, there = off[:, count:], off[:, :-count]
    return float((here * there).sum() / max((here * here).sum(), 1e-9))
