"""Tiles that the picture's edge cuts through: at which sides of a board, and the cut with them."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from visionsweeper.board import SIDES, Side
from visionsweeper.geometry import Grid
from visionsweeper.vision.cutting import cut_tiles, shrunk
from visionsweeper.vision.lines_between import share_going_on

_Image = npt.NDArray[np.uint8]
_Floats = npt.NDArray[np.float64]

_LEAST_SEEN: Final = 0.12
"""Of a tile, how much has to be in view for it to be known as part of one."""

_LEAST_PIXELS: Final = 3
"""How many px of a tile have to be in view for it to be known as part of one."""

_COMPARED: Final = 16
"""Columns of whole tiles that part tiles are compared with, the nearest."""

_SIZE: Final = 12
"""Side of the patches that are compared, px."""

_WIDEST: Final = 4.0 * _SIZE
"""Larger tiles are compared in a shrunk copy, px."""

FARTHEST_ALIKE: Final = 14.0
"""Root mean square difference (gray levels) up to which two parts of tiles show the same."""

_DRAWN: Final = 3.0
"""Standard deviation (gray levels) from which a part of a tile shows something."""

_STRIPED: Final = 1.0
"""Standard deviation (gray levels) along one of the axes below which it may be a piece of a frame."""

_LEAST_DRAWN: Final = 0.1
"""Share of the part tiles at a side that have to show something."""

_LEAST_ALIKE: Final = 0.6
"""Of part tiles that show something, the share that has to look like parts of whole tiles.

They have to as a whole and where tiles meet. Where no tiles look alike, the same share of the lines between
rows has to go on there.
Of 916 sides that cut through tiles of games not trained on 98 % pass, of 770 margins 0.4 %: patterns and
frames that go on like the board.
"""

_UNEVEN: Final = (0.0, 1.0, -1.0)
"""By how much the last border may be off from where the tiles have it, px of the patches' copy.

Games that stretch their tiles round each border by itself: without this 93 % of those sides pass.
"""

WHOLE: Final = 0.85
"""Share of a tile's width or height in the picture from which on all that tells a tile is seen of it."""

HALF: Final = 0.5
"""Share of it from which on it is read.

Of 7,900 tiles cut roughly, half to nine tenths of which were in view, 18 were misread, one of them surely.
"""

_NEARLY_HALF: Final = 0.4
"""Of a tile, how much has to be in view for it to be counted where the board's other size is known."""


def cut_sides(image: _Image, grid: Grid) -> tuple[Side, ...]:
    """Return the sides of a board at which part tiles lie between its whole ones and the picture's edge.

    `image` is (H, W, 3) uint8 RGB. A frame or a page beside the board looks unlike the tiles' outer parts.
    """
    small, across, down = shrunk(image, grid, _WIDEST)
    smaller = grid.scaled(1 / across, 1 / down)
    return tuple(side for side in SIDES if _is_cut(*_turned(small, smaller, side)))


def with_part_tiles(image: _Image, grid: Grid, columns: int | None, rows: int | None) -> Grid | None:
    """Return the cut of a board with those of its tiles that the picture's edge cuts through.

    A crop by hand cuts into the outermost tiles. Along an axis whose count is given, part tiles make it up,
    those seen the most first; where they do not suffice, the cut itself has to have so many, else None. It
    stays if more of its own is seen. Along another axis part tiles count from nearly half a tile on.
    `image` is (H, W, 3) uint8 RGB.
    """
    height, width = image.shape[:2]
    whole = whole_tiles(grid, image.shape)
    cut = cut_sides(image, whole)
    # Of a size that was not told, part tiles that the board has already are none to be asked for again.
    across, down = grid.x if columns is None else whole.x, grid.y if rows is None else whole.y
    x = _lengthened(across, width, columns, "left" in cut, "right" in cut)
    y = _lengthened(down, height, rows, "top" in cut, "bottom" in cut)
    x, y = _fuller(grid.x, x, width, columns), _fuller(grid.y, y, height, rows)
    return None if x is None or y is None else Grid(x, y)


def sides_with_parts(grid: Grid, shape: tuple[int, ...]) -> tuple[Side, ...]:
    """Return the sides whose outer tiles are not whole in a picture of `shape` (height, width) px."""
    x, y = in_view(grid.x, shape[1], WHOLE), in_view(grid.y, shape[0], WHOLE)
    whole = (x[0], x[-1], y[0], y[-1])
    return tuple(side for side, is_whole in zip(SIDES, whole, strict=True) if not is_whole)


def in_view(edges: _Floats, length: int, share: float) -> npt.NDArray[np.bool_]:
    """Tell which tiles along an axis of `length` px lie in the picture by that share or more."""
    return np.asarray(np.diff(np.clip(edges, 0, length)) >= share * np.diff(edges))


def whole_tiles(grid: Grid, shape: tuple[int, ...]) -> Grid:
    """Return the grid of those tiles alone that are whole in a picture of `shape` (height, width) px.

    All of them where none is.
    """
    return Grid(_whole(grid.x, shape[1]), _whole(grid.y, shape[0]))


def _whole(edges: _Floats, length: int) -> _Floats:
    slack = (1 - WHOLE) * float(edges[-1] - edges[0]) / (len(edges) - 1)
    inside = edges[(edges >= -slack) & (edges <= length + slack)]
    return inside if len(inside) > 1 else edges


def _lengthened(edges: _Floats, length: int, count: int | None, before: bool, after: bool) -> _Floats | None:
    """Return the edges along an axis of `length` px with part tiles before or after; None with too few."""
    pitch = float(edges[-1] - edges[0]) / (len(edges) - 1)
    seen = {}
    if before and edges[0] > 0:
        seen["before"] = edges[0] / pitch
    if after and edges[-1] < length:
        seen["after"] = (length - edges[-1]) / pitch
    if count is None:
        chosen = [end for end, share in seen.items() if share >= _NEARLY_HALF]
    else:
        lacking = count - (len(edges) - 1)
        if not 0 <= lacking <= len(seen):
            return None
        chosen = sorted(seen, key=lambda end: -seen[end])[:lacking]
    if "before" in chosen:
        edges = np.concatenate([[edges[0] - pitch], edges])
    return np.concatenate([edges, [edges[-1] + pitch]]) if "after" in chosen else edges


def _fuller(edges: _Floats, longer: _Floats | None, length: int, count: int | None) -> _Floats | None:
    """Choose the cut itself where it has as many tiles as wanted and more in view, else the other one."""
    if count != len(edges) - 1:
        return longer
    seen, seen_of_longer = (
        0.0 if ends is None else float(np.clip(ends[-1], 0, length) - np.clip(ends[0], 0, length))
        for ends in (edges, longer)
    )
    return edges if seen > seen_of_longer else longer


def _turned(image: _Image, grid: Grid, side: Side) -> tuple[_Image, _Floats, _Floats]:
    """Mirror the picture so that a side of the board is its left one; the borders across and down too."""
    x, y = grid.x, grid.y
    if side in {"top", "bottom"}:
        image, x, y = image.transpose(1, 0, 2), y, x
    if side in {"right", "bottom"}:
        image, x = image[:, ::-1], image.shape[1] - x[::-1]
    return image, x, y


def _is_cut(image: _Image, x: _Floats, y: _Floats) -> bool:
    """Whether the strip left of the first border shows outer parts of tiles, or the lines between them."""
    seen, pitch = float(x[0]), float(x[-1] - x[0]) / (len(x) - 1)
    if not max(_LEAST_SEEN * pitch, _LEAST_PIXELS) <= seen < pitch:
        return False
    x = x[: _COMPARED + 1]
    return _shows_outer_parts(image, x, y) or share_going_on(image, x, y) >= _LEAST_ALIKE


def _shows_outer_parts(image: _Image, x: _Floats, y: _Floats) -> bool:
    """Whether the strip left of the first border looks like the outer parts of tiles to the right of it."""
    seen = float(x[0])
    top = max(0, int(y[0]))
    part = np.ascontiguousarray(image[top : int(np.ceil(y[-1])), : int(np.ceil(x[-1]))])
    # Pixels are averaged from the one before a part on: the strip has to have one, too, to be cut alike.
    part = np.asarray(cv2.copyMakeBorder(part, 0, 0, 1, 0, cv2.BORDER_REPLICATE), np.uint8)
    x, y = x + 1, y - top
    strip = _parts(part, 1.0, 1.0 + seen, y)
    spread = np.sqrt(strip.var(axis=(1, 2)).mean(axis=1))
    along = [np.sqrt(strip.var(axis=axis).mean(axis=(1, 2))) for axis in (1, 2)]
    drawn = (spread >= _DRAWN) & (np.minimum(*along) >= _STRIPED)
    if drawn.mean() < _LEAST_DRAWN:
        return False
    alike = np.minimum(FARTHEST_ALIKE, 0.6 * spread[drawn])
    for moved in _UNEVEN:
        edges = (x[1:] + moved).tolist()
        known = np.concatenate([_parts(part, edge - seen, edge, y) for edge in edges])
        which, off = nearest(strip[drawn], known)
        # A margin may look like the middle of an opened tile, but no lines go on between its tiles.
        at_borders = (strip[drawn] - known[which])[:, [0, -1]]
        off_at_borders = np.sqrt((at_borders**2).mean(axis=(1, 2, 3)))
        if ((off < alike) & (off_at_borders < FARTHEST_ALIKE)).mean() >= _LEAST_ALIKE:
            return True
    return False


def nearest(
    some: npt.NDArray[np.generic], others: npt.NDArray[np.generic]
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float32]]:
    """Return which of the (m, ...) others is nearest to each of (n, ...) patches, and how far, both (n,).

    The distance is the root mean square difference, gray levels.
    """
    mine, theirs = (each.reshape(len(each), -1).astype(np.float32) for each in (some, others))
    apart = (mine**2).sum(axis=1)[:, None] + (theirs**2).sum(axis=1) - 2 * mine @ theirs.T
    near = apart.argmin(axis=1)
    return near, np.sqrt(np.maximum(apart[np.arange(len(mine)), near], 0) / mine.shape[1])


def _parts(image: _Image, start: float, end: float, y: _Floats) -> npt.NDArray[np.float32]:
    """(rows, _SIZE, _SIZE, 3) what lies between two places along x, row by row."""
    return cut_tiles(image, Grid(np.array([start, end]), y), _SIZE).astype(np.float32)
