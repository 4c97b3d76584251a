"""How far a board reaches whose lattice is known: tiles of known kinds belong to it, and frames do not.

Where a board has no lines, large fields of blank tiles have nothing that repeats itself, so that the lattice
found may lack them; and where the frame around it is drawn in characters, as in terminals, it may have those.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.geometry import Grid
from visionsweeper.vision.cutting import cut_tiles
from visionsweeper.vision.detection import periodicity

Floats = npt.NDArray[np.float64]
Bytes = npt.NDArray[np.uint8]

_SIZE: Final = 12
"""Tiles are compared at this size, px."""

_RIM: Final = 2
"""Width of the rim of a tile, of _SIZE, where the lines of its neighbours may reach into it."""

_FLAT: Final = 5.0
"""Standard deviation (gray levels) below which a tile is blank."""

_SAME_COLOUR: Final = 6.0
"""Difference of the means (gray levels) up to which two blank tiles are of a kind."""

_ALIKE: Final = 14.0
"""Root mean square difference (gray levels) up to which two drawn tiles are of a kind."""

_FOREIGN: Final = 20.0
"""The same, from which on no two tiles are of a kind."""

_AT_HOME: Final = 0.9
"""Share of a row's or column's tiles that have to be of known kinds."""

_PERHAPS_AT_HOME: Final = 0.75
"""The same where there is a visible border."""

_AT_END: Final = 0.12
"""Distance to the end of the picture, in tiles, that makes this a border."""

_DRAWN: Final = 0.3
"""Share of them that have to be drawn tiles for the row to need no border."""

_BORDERED: Final = 0.85
"""Share of the outer border that has to be visible where the tiles are blank."""

_VISIBLE: Final = 3
"""Step (gray levels) at a visible border."""

_MOST_CELLS: Final = 3000
"""More tiles than this are not compared pair by pair."""


def trimmed(image: Bytes, grid: Grid) -> Grid:
    """The grid without outer rows and columns of equal cells that are unlike all other cells: frames.

    image is (H, W, 3) uint8 RGB.
    """
    x, y = slice(0, grid.columns), slice(0, grid.rows)
    tiles = _tiles(image, grid)
    while True:
        sides = [
            (slice(y.start, y.start + 1), x, slice(y.start + 1, y.stop), x),
            (slice(y.stop - 1, y.stop), x, slice(y.start, y.stop - 1), x),
            (y, slice(x.start, x.start + 1), y, slice(x.start + 1, x.stop)),
            (y, slice(x.stop - 1, x.stop), y, slice(x.start, x.stop - 1)),
        ]
        if min(y.stop - y.start, x.stop - x.start) < 4:
            break
        foreign = [
            (rest_y, rest_x)
            for side_y, side_x, rest_y, rest_x in sides
            if _frame(tiles[side_y, side_x], tiles[rest_y, rest_x])
        ]
        if not foreign:
            break
        # Opposite sides of a frame are alike, so both are looked at before the first is gone.
        y = slice(max(s[0].start for s in foreign), min(s[0].stop for s in foreign))
        x = slice(max(s[1].start for s in foreign), min(s[1].stop for s in foreign))
    return Grid(grid.x[x.start : x.stop + 1], grid.y[y.start : y.stop + 1])


def _frame(side: npt.NDArray[np.float32], rest: npt.NDArray[np.float32]) -> bool:
    """Whether the side's cells are equal among themselves, but unlike the rest except its other side."""
    cells = side.reshape(-1, *side.shape[2:])
    typical = np.median(cells, axis=0)
    if typical.std(axis=(0, 1)).max() < _FLAT:
        return False
    equal = _distance(cells[None], typical[None])[0] < _ALIKE / 2
    inner = rest[1:-1] if side.shape[0] == 1 else rest[:, 1:-1]
    nearest = _distance(inner.reshape(-1, *side.shape[2:])[None], typical[None])
    return bool(equal.mean() >= _BORDERED and nearest.min() > _FOREIGN)


def extended(
    image: Bytes, steps: tuple[periodicity.Bytes, periodicity.Bytes], grid: Grid, *, blanks: bool = True
) -> Grid:
    """The grid, and the rows and columns around it that are made of tiles of the same kinds.

    image is (H, W, 3) uint8 RGB, steps are its (periodicity.steps). Blank tiles might as well be the page;
    they are believed in only up to a visible border, and only if `blanks` says so.
    """
    height, width = image.shape[:2]
    for _ in range(3):
        before = grid.rows, grid.columns
        for axis in (1, 0):
            for end in (-1, 0):
                grid = _grown(image, steps, grid, axis, end, (height, width)[axis], blanks)
        if (grid.rows, grid.columns) == before:
            break
    return grid


def _grown(
    image: Bytes,
    steps: tuple[periodicity.Bytes, periodicity.Bytes],
    grid: Grid,
    axis: int,
    end: int,
    length: int,
    blanks: bool,
) -> Grid:
    """The grid, grown at one end of the axis (1: x, 0: y; 0 the start, -1 the end) as far as it goes."""
    edges, pitch = (grid.x, grid.pitch_x) if axis == 1 else (grid.y, grid.pitch_y)
    room = float(edges[0]) if end == 0 else length - float(edges[-1])
    count = int(room / pitch + 0.1)
    if count < 1 or grid.rows * grid.columns > _MOST_CELLS:
        return grid
    more = np.arange(1, count + 1) * pitch
    added = edges[0] - more[::-1] if end == 0 else edges[-1] + more
    strip = np.append(added, edges[0]) if end == 0 else np.insert(added, 0, edges[-1])
    outside = Grid(strip, grid.y) if axis == 1 else Grid(grid.x, strip)
    known = _tiles(image, grid)
    known = known.reshape(-1, *known.shape[2:])
    cells = _tiles(image, outside)
    rows = np.moveaxis(cells, 1, 0) if axis == 1 else cells
    rows = rows[::-1] if end == 0 else rows
    good = 0
    # A field of blank tiles has no borders in it; where one is visible all along, the board ends.
    open_end = blanks and _border(steps, grid, axis, float(edges[end]), pitch) < _BORDERED
    for index, row in enumerate(rows):
        drawn, home = _at_home(row, known)
        if home.mean() < _PERHAPS_AT_HOME:
            break
        border = float(strip[::-1][index + 1] if end == 0 else strip[index + 1])
        twins = int((drawn & home).sum())
        sure = home.mean() >= _AT_HOME and twins >= max(2, _DRAWN * len(row))
        ends = index < grid.rows + grid.columns and min(abs(border), abs(length - border)) < _AT_END * pitch
        seen = ends or _border(steps, grid, axis, border, pitch) >= _BORDERED
        if sure or (seen and open_end):
            good = index + 1
    if good == 0:
        return grid
    grown = np.concatenate([added[-good:], edges] if end == 0 else [edges, added[:good]])
    return Grid(grown, grid.y) if axis == 1 else Grid(grid.x, grown)


def _at_home(
    row: npt.NDArray[np.float32], known: npt.NDArray[np.float32]
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """(n,) each: which cells are drawn, and which are of a kind with the known ones, of (n, S, S, 3)."""
    # The border of the board beside them makes no drawings of blank cells.
    row, known = row[:, _RIM:-_RIM, _RIM:-_RIM], known[:, _RIM:-_RIM, _RIM:-_RIM]
    spread, known_spread = _spread(row), _spread(known)
    drawn = spread >= _FLAT
    distance = _distance(row, known)
    alike = (distance < np.minimum(_ALIKE, 0.6 * spread)[:, None]).sum(axis=1) >= 2
    colours, known_colours = row.mean(axis=(1, 2)), known[known_spread < _FLAT].mean(axis=(1, 2))
    off = np.abs(colours[:, None] - known_colours[None]).max(axis=2)
    same = (off < _SAME_COLOUR).sum(axis=1) >= 2
    return drawn, np.where(drawn, alike, same)


def _border(
    steps: tuple[periodicity.Bytes, periodicity.Bytes], grid: Grid, axis: int, at: float, pitch: float
) -> float:
    """Share of the board's side that has a step at this position."""
    slack = max(1, round(0.07 * pitch))
    step = steps[0] if axis == 1 else steps[1].T
    across = grid.y if axis == 1 else grid.x
    first, last = max(0, round(float(across[0]))), round(float(across[-1]))
    place = round(at) - 1
    near = step[first:last, max(0, place - slack) : place + slack + 1]
    return float((near.max(axis=1) >= _VISIBLE).mean()) if near.size else 0.0


def _tiles(image: Bytes, grid: Grid) -> npt.NDArray[np.float32]:
    """(rows, columns, S, S, 3) float32."""
    tiles = cut_tiles(image, grid, _SIZE).astype(np.float32)
    return tiles.reshape(grid.rows, grid.columns, _SIZE, _SIZE, 3)


def _spread(tiles: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    centred = tiles - tiles.mean(axis=(1, 2), keepdims=True)
    return np.asarray(centred.std(axis=(1, 2, 3)), dtype=np.float32)


def _distance(one: npt.NDArray[np.float32], other: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """(n, m) root mean square difference of n tiles and m tiles; of (1, n ...) and (1, ...) tiles (1, n)."""
    if one.ndim == 5:
        return np.asarray(np.sqrt(((one - other) ** 2).mean(axis=(2, 3, 4))), dtype=np.float32)
    flat, others = one.reshape(len(one), -1), other.reshape(len(other), -1)
    square = (flat**2).sum(axis=1)[:, None] + (others**2).sum(axis=1)[None] - 2 * flat @ others.T
    return np.asarray(np.sqrt(np.maximum(square, 0) / flat.shape[1]), dtype=np.float32)
