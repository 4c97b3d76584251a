"""How far a board reaches on a lattice: the rectangle of cells that the tile map speaks for the most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.geometry import Grid
from visionsweeper.vision.detection.tile_map import TileMap

Floats = npt.NDArray[np.float64]

MOST_SAID: Final = 8.0
"""Log odds beyond which one cell or border counts no more: none is surer than 3000 to 1."""

_FORBIDDEN: Final = -1000.0
"""Log odds of a cell that must not be in the board."""


_MOST_DIVISIONS: Final = 4
"""How often a rectangle is divided before it is taken as it is."""


@dataclass(frozen=True)
class Extent:
    """A rectangle of cells of a lattice."""

    rows: slice
    columns: slice
    score: float
    """Sum of the log odds of its cells and of its outer borders."""
    inside: float
    """Mean log odds of the cells of its least certain row or column."""
    sides: tuple[float, float, float, float]
    """Mean log odds that the board ends at its left, right, upper and lower side."""

    def of(self, lattice: Grid) -> Grid:
        """Return these cells of a lattice."""
        rows, columns = self.rows, self.columns
        return Grid(lattice.x[columns.start : columns.stop + 1], lattice.y[rows.start : rows.stop + 1])


def best_extent(
    tiles: TileMap,
    columns: int | None = None,
    rows: int | None = None,
    allowed: npt.NDArray[np.bool_] | None = None,
) -> Extent | None:
    """Return the likeliest rectangle, of so many columns and rows where these are given.

    A row or column of it that is more likely none divides it: two boards on one lattice are two.
    The lattice's outermost cells are never part of it: borders are known only between cells. `allowed` are
    the (rows, columns) cells that may be. None where no rectangle fits. Kadane's running maximum over columns
    with a price for both ends, for all pairs of first and last row: O(rows^2 columns).
    """
    inside, beside, below = (
        np.clip(odds.astype(np.float64), -MOST_SAID, MOST_SAID)
        for odds in (tiles.inside, tiles.beside, tiles.below)
    )
    barred = np.where(allowed, inside, _FORBIDDEN) if allowed is not None else inside.copy()
    for _ in range(_MOST_DIVISIONS):
        found = _best(barred, beside, below, columns, rows)
        if found is None:
            return None
        if columns is not None or rows is not None:
            break
        gap_rows = found.rows.start + np.flatnonzero(inside[found.rows, found.columns].mean(axis=1) < 0)
        gap_columns = found.columns.start + np.flatnonzero(inside[found.rows, found.columns].mean(axis=0) < 0)
        if not len(gap_rows) and not len(gap_columns):
            break
        barred[gap_rows, found.columns] = _FORBIDDEN
        barred[found.rows, gap_columns[:, None]] = _FORBIDDEN
    return found


def _best(
    inside: Floats, beside: Floats, below: Floats, columns: int | None, rows: int | None
) -> Extent | None:
    """Return the rectangle of the largest sum; see `best_extent`."""
    height, width = inside.shape[0] - 2, inside.shape[1] - 2
    if min(height, width) < 1 or (columns or 1) > width or (rows or 1) > height:
        return None
    down = _summed(inside[1:-1, 1:-1])
    left, right = _summed(beside[1:-1, :-1]), _summed(beside[1:-1, 1:])
    above, beneath = below[:-1, 1:-1], below[1:, 1:-1]
    best: tuple[float, int, int, int, int] | None = None
    for first in range(height):
        ends = np.arange(first, height) if rows is None else np.arange(first + rows - 1, height)[:1]
        if not len(ends):
            break
        weight = down[ends + 1] - down[first] + above[first] + beneath[ends]
        total = np.cumsum(weight, axis=1)
        starts, stops = left[ends + 1] - left[first], right[ends + 1] - right[first] + total
        starts[:, 1:] -= total[:, :-1]
        gains = _gains(starts, stops, columns)
        row, stop = (int(index) for index in np.unravel_index(int(gains.argmax()), gains.shape))
        if best is None or gains[row, stop] > best[0]:
            start = int(starts[row, : stop + 1].argmax()) if columns is None else stop - columns + 1
            best = float(gains[row, stop]), first, int(ends[row]), start, stop
    if best is None or best[0] < _FORBIDDEN / 2:
        return None
    score, first, last, start, stop = best
    return _measured(score, slice(first + 1, last + 2), slice(start + 1, stop + 2), inside, beside, below)


def _summed(values: Floats) -> Floats:
    """(rows + 1, columns) sums of the rows above each."""
    return np.pad(np.cumsum(values, axis=0), ((1, 0), (0, 0)))


def _gains(starts: Floats, stops: Floats, columns: int | None) -> Floats:
    """(bands, columns) the best that a rectangle gains that ends with that column."""
    if columns is None:
        return np.asarray(stops + np.maximum.accumulate(starts, axis=1))
    gains = np.full_like(stops, -np.inf)
    gains[:, columns - 1 :] = stops[:, columns - 1 :] + starts[:, : starts.shape[1] - columns + 1]
    return gains


def _measured(
    score: float, rows: slice, columns: slice, inside: Floats, beside: Floats, below: Floats
) -> Extent:
    sides = (
        beside[rows, columns.start - 1],
        beside[rows, columns.stop - 1],
        below[rows.start - 1, columns],
        below[rows.stop - 1, columns],
    )
    left, right, top, bottom = (float(side.mean()) for side in sides)
    return Extent(rows, columns, score, least_certain(inside[rows, columns]), (left, right, top, bottom))


def least_certain(cells: npt.NDArray[np.floating]) -> float:
    """Return the mean of the (rows, columns) log odds in the row or column where it is the least."""
    return min(float(cells.mean(axis=0).min()), float(cells.mean(axis=1).min()))
