"""Which of several cuts of one board is the truest: the one whose tiles look most alike."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from visionsweeper.geometry import Box, Grid
from visionsweeper.vision.cutting import cut_some, shrunk, spread
from visionsweeper.vision.detection.candidates import Effort, Wanted, judge
from visionsweeper.vision.tiles.clustering import PATCH_SIZE, count_looks
from visionsweeper.vision.tiles.features import TILE_SIZE, FloatArray, rms_apart, to_lab

_SLACK: Final = 0.75
"""How far the outer borders of two cuts of one board may lie apart, tiles."""

_SAME: Final = 0.006
"""How far all their borders lie apart at most where two cuts are as good as one, tiles."""

_MOST_TILES: Final = 200
"""Tiles that are compared; of larger boards, about so many spread evenly."""

_FEW_TILES: Final = 100
"""The same while a cut is stretched or shifted, which is tried in some 25 ways."""

_WIDEST: Final = 2.0 * TILE_SIZE
"""Larger tiles are compared in a shrunk copy, px."""

_FEWER: Final = 0.5
"""Share of the groups of look-alikes that tiles of another size may leave to be the truer cut.

Noise alone makes the numbers differ by a few.
"""

_ALIKE: Final = 0.7
"""The same of tiles of whole pixels that also differ less from the tiles most like them."""

_STRETCHES: Final = (1 / 8, 1 / 16, 1 / 32, 1 / 64, 1 / 128)
"""By how much both ends of a cut whose tiles drift are moved, as often as it helps, tiles."""

_SHIFTS: Final = (1 / 8, 1 / 16, 1 / 32)
"""By how much a cut that was stretched is moved, tiles."""


def sharpest(image: npt.NDArray[np.uint8], grid: Grid, others: Iterable[Grid], frame: Box) -> Grid:
    """Return the cut of a board with the fewest tiles that look like no other one.

    A game draws all its 1s alike, so a border that drifts makes new groups. Compared are `grid`, the `others`
    of the same size that lie about there, the even division of `frame` (the picture, or what the user drew)
    where the board about fills it, and tiles of whole pixels; where these all drift, also tiles a little
    larger or smaller. `image` is (H, W, 3) uint8 RGB. A cut on which the tile map finds another board than
    before is none: tiles of a texture may look more alike when they are cut in the middle.
    """
    small, across, down = shrunk(image, grid, _WIDEST)
    smaller = grid.scaled(1 / across, 1 / down)
    more = (other.scaled(1 / across, 1 / down) for other in others)
    x0, y0, x1, y1 = frame
    best = _sharpest(small, smaller, more, (x0 / across, y0 / down, x1 / across, y1 / down))
    return grid if best is smaller else best.scaled(across, down)


def refitted(image: npt.NDArray[np.uint8], grid: Grid) -> Grid:
    """Return the cut stretched, then shifted, to where its tiles have the fewest looks, to be read.

    Looks alone cannot choose it: a shift may hide what the tiles differ in. The cut itself where its rows
    look alike, or stretching does not help. `image` is (H, W, 3) uint8 RGB.
    """
    small, across, down = shrunk(image, grid, _WIDEST)
    smaller = grid.scaled(1 / across, 1 / down)
    if _looks(small, smaller) < min(grid.rows, grid.columns):
        return grid
    longer = _fitted(small, smaller, _STRETCHES, outwards=True)
    if longer is smaller or not same_board(smaller, longer):
        return grid
    return _fitted(small, longer, _SHIFTS, outwards=False).scaled(across, down)


def _sharpest(image: npt.NDArray[np.uint8], grid: Grid, others: Iterable[Grid], frame: Box) -> Grid:
    """See `sharpest`."""
    cuts, looks = [grid], [_looks(image, grid)]

    def add(more: Iterable[Grid]) -> None:
        for other in more:
            if same_board(grid, other) and all(_apart(cut, other) > _SAME for cut in cuts):
                cuts.append(other)
                looks.append(_looks(image, other))

    add((*others, Grid.even(frame, grid.columns, grid.rows), _whole_pixels(grid)))
    least, usual, whole = min(looks), len(cuts), len(cuts)
    # As many as where every row looks different: the tiles may be larger or smaller.
    if least >= min(grid.rows, grid.columns):
        add(_whole_pixels(grid, across, down) for across, down in ((1, 0), (-1, 0), (0, 1), (0, -1)))
        best, whole = cuts[looks.index(min(looks))], len(cuts)
        add([_fitted(image, best, _STRETCHES, outwards=True)])
    worth = [at for at, count in enumerate(looks) if at < usual or count <= _FEWER * least]
    kept = cuts[looks.index(least)]
    worth += [
        at
        for at in range(usual, whole)
        if _FEWER * least < looks[at] <= _ALIKE * least
        and _to_nearest(image, cuts[at]) < _to_nearest(image, kept)
    ]
    first, *rest = sorted(worth, key=looks.__getitem__)
    if first == 0 or _bears_out(image, cuts[first]) or not _bears_out(image, grid):
        return cuts[first]
    return next(cuts[at] for at in rest if at == 0 or _bears_out(image, cuts[at]))


def _bears_out(image: npt.NDArray[np.uint8], cut: Grid) -> bool:
    """Tell whether the board that the tile map finds on a cut is the one that is cut."""
    found = judge(image, cut, Wanted(), Effort())
    return found is not None and same_board(found.grid, cut)


def _fitted(image: npt.NDArray[np.uint8], grid: Grid, steps: Iterable[float], *, outwards: bool) -> Grid:
    """Move the ends of the cut by the steps, in tiles, as long as fewer of some tiles look different.

    `outwards`: stretched or shrunk about its middle, else shifted.
    """
    looks = _looks(image, grid, _FEW_TILES)
    for step in steps:
        across = _counts(image, grid, [(step, 0.0), (-step, 0.0)], outwards=outwards)
        down = _counts(image, grid, [(0.0, step), (0.0, -step)], outwards=outwards)
        counts = across | down
        if min(counts.values()) <= looks:
            # Of the ways along both axes at once, the one that either axis by itself favours.
            both = min(across, key=across.__getitem__)[0], min(down, key=down.__getitem__)[1]
            counts |= _counts(image, grid, [both], outwards=outwards)
        best = min(counts, key=counts.__getitem__)
        while counts[best] < looks:
            grid, looks = _moved(grid, *best, outwards=outwards), counts[best]
            counts = _counts(image, grid, [best], outwards=outwards)
    return grid


def _counts(
    image: npt.NDArray[np.uint8], grid: Grid, ways: Iterable[tuple[float, float]], *, outwards: bool
) -> dict[tuple[float, float], int]:
    """Return the groups among some tiles of the cut moved in each of the ways, tiles across and down."""
    return {way: _looks(image, _moved(grid, *way, outwards=outwards), _FEW_TILES) for way in ways}


def _moved(grid: Grid, across: float, down: float, *, outwards: bool) -> Grid:
    """Return the cut with its ends so many tiles farther out, or to the right and down, divided evenly."""
    (x0, y0, x1, y1), right, below = grid.box, across * grid.pitch_x, down * grid.pitch_y
    left, above = (-right, -below) if outwards else (right, below)
    return Grid.even((x0 + left, y0 + above, x1 + right, y1 + below), grid.columns, grid.rows)


def same_board(one: Grid, other: Grid) -> bool:
    """Tell whether two grids cut one board: as many tiles, outer borders less than a tile apart."""
    return _apart(one, other, outer=True) <= _SLACK


def _apart(one: Grid, other: Grid, *, outer: bool = False) -> float:
    """How far the borders lie apart at most, tiles; infinite for another size."""
    if (one.columns, one.rows) != (other.columns, other.rows):
        return np.inf
    chosen = [0, -1] if outer else slice(None)
    across = np.abs(one.x[chosen] - other.x[chosen]).max() / one.pitch_x
    down = np.abs(one.y[chosen] - other.y[chosen]).max() / one.pitch_y
    return float(max(across, down))


def _whole_pixels(grid: Grid, wider: int = 0, higher: int = 0) -> Grid:
    """Return the cut with nearly the same middle, its tiles whole pixels, so many px wider and higher."""
    x, y = (
        np.round((edges[0] + edges[-1] - side * (len(edges) - 1)) / 2) + side * np.arange(len(edges))
        for edges, side in ((grid.x, round(grid.pitch_x) + wider), (grid.y, round(grid.pitch_y) + higher))
    )
    return Grid(x.astype(np.float64), y.astype(np.float64))


def _looks(image: npt.NDArray[np.uint8], grid: Grid, most: int = _MOST_TILES) -> int:
    """Count the groups of look-alikes among the tiles, or an even share of them."""
    return count_looks(_some_tiles(image, grid, most))


def _to_nearest(image: npt.NDArray[np.uint8], grid: Grid) -> float:
    """How far the tiles, or an even share of them, are from the ones most like them, in the mean, Lab units.

    Unlike the groups of look-alikes, that does not depend on the contrast of the tiles.
    """
    tiles = _some_tiles(image, grid, _MOST_TILES)
    flat = tiles.reshape(len(tiles), -1)
    apart = rms_apart(flat, flat)
    np.fill_diagonal(apart, np.inf)
    return float(apart.min(axis=1).mean())


def _some_tiles(image: npt.NDArray[np.uint8], grid: Grid, most: int) -> FloatArray:
    """(n, 16, 16, 3) Lab: the tiles, or an even share of them, `most` at most."""
    chosen = spread(grid.rows * grid.columns, most)
    column = cut_some(image, grid, TILE_SIZE, chosen).reshape(-1, TILE_SIZE, 3)
    small = cv2.resize(column, (PATCH_SIZE, len(chosen) * PATCH_SIZE), interpolation=cv2.INTER_AREA)
    return to_lab(np.asarray(small, np.uint8).reshape(-1, PATCH_SIZE, PATCH_SIZE, 3))
