"""How far a board reaches whose covered tiles have no lines between them: as far as their colour does.

The opened part of such a board tells the lattice, and the borders of the plain plate of covered tiles, which
lie on lines of that lattice, tell the size.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from visionsweeper.geometry import Box, Grid
from visionsweeper.vision.cutting import spread
from visionsweeper.vision.detection.candidates import continued

Image = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

_SAME_COLOUR: Final = 16
"""Gray levels in any of red, green and blue by which the pixels of a plate differ at most."""

_INSET: Final = 0.2
"""Tiles: what lies so near to the border of a tile tells nothing of its colour."""

_PLAIN: Final = 0.95
"""Share of the pixels of a tile that have its colour where it is plain."""

_OFF: Final = 0.15
"""How far the borders of a plate may lie from lines of the lattice, tiles."""

_DRIFT: Final = 0.01
"""Share of its length by which the lattice may drift until there."""

_PIXELS: Final = 32
"""Pixels of a tile each way that are enough; larger ones are shrunk."""

_MOST_PIXELS: Final = 8e6
"""Pixels of a picture that are looked at; larger ones are shrunk."""

_FEWEST_PIXELS: Final = 8
"""Pixels of a tile each way that are kept at least where a picture is shrunk."""

_MOST_TILES: Final = 4_000
"""Larger boards are not looked for."""

_MOST_COMPARED: Final = 1_000
"""Tiles of the part whose colours are looked at, taken all over it."""

_MOST_COLOURS: Final = 4
"""So many colours are tried, those of most tiles."""


def plain_covers(image: Image, grid: Grid) -> Iterator[Grid]:
    """Yield larger boards that the grid may be a part of, of an (H, W, 3) uint8 RGB picture.

    Each is the rectangle around the grid and a plate of one colour that some of its tiles, or those around
    it, belong to. It is a whole number of tiles wide and high, and starts a whole number of them from the
    grid; nearly all tiles that it has more are of that colour, and at no side where it has more does it reach
    the edge of the picture, as plain pages do.
    """
    enough = int(min(grid.pitch_x, grid.pitch_y) / _PIXELS)
    step = max(1, enough, math.ceil((image.shape[0] * image.shape[1] / _MOST_PIXELS) ** 0.5))
    if min(grid.pitch_x, grid.pitch_y) < _FEWEST_PIXELS * step:
        return
    seen, part = image[::step, ::step], grid.scaled(1 / step, 1 / step)
    height, width = seen.shape[:2]
    with_ring = Grid(continued(part.x, width, 0.0), continued(part.y, height, 0.0))
    middles, colours = _plain_tiles(seen, with_ring)
    near = np.abs(colours[:, None] - colours).max(axis=2) <= _SAME_COLOUR
    for _ in range(_MOST_COLOURS):
        if not near.any():
            return
        like = near[near.sum(axis=1).argmax()].copy()
        of_colour = _of_colour(seen, np.median(colours[like], axis=0))
        near[like], near[:, like] = False, False
        whole = _whole(part, _around(of_colour, middles[like], part.box), (height, width))
        if whole is not None and _filled(of_colour, whole, part.box):
            yield whole.scaled(step, step)


def _whole(part: Grid, box: Box, shape: tuple[int, int]) -> Grid | None:
    """Return the larger board that fills the box in a picture of this shape, if its part's tiles fit."""
    x = _fitted(part.x, box[0], box[2], shape[1])
    y = _fitted(part.y, box[1], box[3], shape[0])
    if x is None or y is None:
        return None
    whole = Grid(x, y)
    larger = part.rows * part.columns < whole.rows * whole.columns <= _MOST_TILES
    return whole if larger else None


def _inner(edges: Floats) -> npt.NDArray[np.intp]:
    """(n, 2) first and last pixel of each cell without what lies near its borders."""
    inset = _INSET * np.diff(edges)
    return np.rint(np.stack([edges[:-1] + inset, edges[1:] - inset], axis=1)).astype(np.intp)


def _plain_tiles(image: Image, grid: Grid) -> tuple[npt.NDArray[np.intp], Floats]:
    """(n, 2) middles x, y and (n, 3) colours of tiles, or of a thousand, that show one colour only."""
    height, width = image.shape[:2]
    middles, colours = [], []
    x, y = _inner(grid.x), _inner(grid.y)
    tiles = spread(grid.rows * grid.columns, _MOST_COMPARED)
    for row, column in zip(*np.divmod(tiles, grid.columns), strict=True):
        (top, bottom), (left, right) = y[row], x[column]
        if left < 0 or top < 0 or right > width or bottom > height or left >= right or top >= bottom:
            continue
        pixels = image[top:bottom, left:right].reshape(-1, 3).astype(np.float64)
        colour = np.median(pixels, axis=0)
        if (np.abs(pixels - colour).max(axis=1) <= _SAME_COLOUR).mean() >= _PLAIN:
            middles.append(((left + right) // 2, (top + bottom) // 2))
            colours.append(colour)
    return np.array(middles, np.intp).reshape(-1, 2), np.array(colours).reshape(-1, 3)


def _of_colour(image: Image, colour: Floats) -> Mask:
    """(H, W) which pixels have the colour."""
    low, high = np.clip(colour - _SAME_COLOUR, 0, 255), np.clip(colour + _SAME_COLOUR, 0, 255)
    return np.asarray(cv2.inRange(image, low, high), np.uint8) > 0


def _around(of_colour: Mask, middles: npt.NDArray[np.intp], box: Box) -> Box:
    """Return the box around another one and all that is connected to pixels of the colour, (n, 2) x, y."""
    _, parts, boxes, _ = cv2.connectedComponentsWithStats(of_colour.astype(np.uint8), connectivity=4)
    chosen = np.unique(parts[middles[:, 1], middles[:, 0]])
    x, y, wide, high, _ = boxes[chosen[chosen > 0]].astype(np.float64).T
    return (
        float(min(box[0], x.min(initial=box[0]))),
        float(min(box[1], y.min(initial=box[1]))),
        float(max(box[2], (x + wide).max(initial=box[2]))),
        float(max(box[3], (y + high).max(initial=box[3]))),
    )


def _fitted(edges: Floats, start: float, end: float, length: int) -> Floats | None:
    """Edges from start to end of tiles about as wide as between those given; None where none fit.

    `length`: that of the picture along the axis.
    """
    pitch = float(edges[-1] - edges[0]) / (len(edges) - 1)
    before, after = (edges[0] - start) / pitch, (end - edges[-1]) / pitch
    if (round(before) and start < 1) or (round(after) and end > length - 1):
        return None
    for tiles in (before, after):
        if abs(tiles - round(tiles)) > _OFF + _DRIFT * tiles:
            return None
    return np.linspace(start, end, len(edges) + round(before) + round(after))


def _filled(of_colour: Mask, grid: Grid, box: Box) -> bool:
    """Tell whether nearly all tiles of a grid that are not within the box are mostly of the colour."""
    height, width = of_colour.shape
    total = cv2.integral(of_colour.astype(np.uint8))
    y, x = (np.clip(_inner(edges), 0, length) for edges, length in ((grid.y, height), (grid.x, width)))
    (top, bottom), (left, right) = y.T, x.T
    count = (
        total[bottom[:, None], right]
        - total[top[:, None], right]
        - total[bottom[:, None], left]
        + total[top[:, None], left]
    )
    area = (bottom - top)[:, None] * (right - left)
    middle_x, middle_y = (grid.x[:-1] + grid.x[1:]) / 2, (grid.y[:-1] + grid.y[1:]) / 2
    within_x, within_y = (middle_x > box[0]) & (middle_x < box[2]), (middle_y > box[1]) & (middle_y < box[3])
    more = ~(within_y[:, None] & within_x)
    return bool((count >= area / 2)[more].mean() >= _PLAIN)
