"""Where a board goes on beyond the picture: part tiles reach its edge, or numbers there want more mines."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.board import SIDES, STANDARD_MINES, Board, Side, count_around
from visionsweeper.geometry import Grid
from visionsweeper.vision.cutting import cut_tiles
from visionsweeper.vision.reading import Reading

_Image = npt.NDArray[np.uint8]
_Floats = npt.NDArray[np.float64]

_LEAST_SEEN: Final = 0.12
"""Of a tile, how much has to be in view for it to be known as part of one."""

_LEAST_PIXELS: Final = 3
"""The same, px."""

_COMPARED: Final = 16
"""Columns of whole tiles that part tiles are compared with, the nearest."""

_SIZE: Final = 12
"""Side of the patches that are compared, px."""

_ALIKE: Final = 14.0
"""Root mean square difference (gray levels) up to which two parts of tiles show the same."""

_DRAWN: Final = 3.0
"""Standard deviation (gray levels) from which a part of a tile shows something."""

_STRIPED: Final = 1.0
"""Standard deviation (gray levels) along one of the axes below which it may be a piece of a frame."""

_MOST_DIFFERENT: Final = 0.15
"""Share of the part tiles at a side that may look like no part of a tile."""

_LEAST_DRAWN: Final = 0.3
"""Share of them that have to show something."""

_TOUCHES: Final = 0.15
"""How far from the picture's edge a board may end that is cut off just between two tiles, tiles."""

_WANTING: Final = 2
"""Numbers at a side that want more mines than there is room for, from which on it goes on there."""


def cut_sides(image: _Image, grid: Grid) -> tuple[Side, ...]:
    """Return the sides of a board at which part tiles lie between its whole ones and the picture's edge.

    `image` is (H, W, 3) uint8 RGB. A frame or a page beside the board looks unlike the tiles' outer parts.
    """
    return tuple(side for side in SIDES if _is_cut(*_turned(image, grid, side)))


def cropped_roughly(grid: Grid, shape: tuple[int, ...]) -> bool:
    """Tell whether a board with all that is seen of it is a standard one, in a picture of (height, width) px.

    Then the picture cuts into its outermost tiles, and hides none.
    """
    cut = grid.x[0] < 0 or grid.y[0] < 0 or grid.x[-1] > shape[1] or grid.y[-1] > shape[0]
    return bool(cut) and (grid.columns, grid.rows) in STANDARD_MINES


def tiles_cut(grid: Grid, shape: tuple[int, ...], least: float) -> tuple[Side, ...]:
    """Return the sides where less than `least` of a tile lies in a picture of (height, width) px."""
    seen = {
        "left": (grid.x[1], grid.pitch_x),
        "right": (shape[1] - grid.x[-2], grid.pitch_x),
        "top": (grid.y[1], grid.pitch_y),
        "bottom": (shape[0] - grid.y[-2], grid.pitch_y),
    }
    return tuple(side for side in SIDES if seen[side][0] < least * seen[side][1])


def strained_sides(reading: Reading, shape: tuple[int, ...]) -> tuple[Side, ...]:
    """Return the sides at the edge of a picture of (height, width) px that may not be the board's own.

    Numbers are in doubt there, or want more mines than are in view.
    """
    grid = reading.grid
    away = {
        "left": grid.x[0] / grid.pitch_x,
        "right": (shape[1] - grid.x[-1]) / grid.pitch_x,
        "top": grid.y[0] / grid.pitch_y,
        "bottom": (shape[0] - grid.y[-1]) / grid.pitch_y,
    }
    strained = _sides_with(reading.uncertain | _wanting(reading.board))
    return tuple(side for side in strained if abs(away[side]) <= _TOUCHES)


def wanting_sides(reading: Reading) -> tuple[Side, ...]:
    """Return the open sides of a reading where surely read numbers want more mines than are in view."""
    found = _sides_with(_wanting(reading.board) & ~reading.uncertain)
    return tuple(side for side in found if side in reading.board.continues)


def _wanting(board: Board) -> npt.NDArray[np.bool_]:
    """(rows, columns) numbers larger than all that is in view around them."""
    room = count_around(board.covered | board.shown_mines)
    wanting: npt.NDArray[np.bool_] = board.numbers & (board.cells > room)
    return wanting


def _sides_with(tiles: npt.NDArray[np.bool_]) -> tuple[Side, ...]:
    """The sides at which enough of these (rows, columns) tiles lie."""
    lines = {"left": tiles[:, 0], "right": tiles[:, -1], "top": tiles[0], "bottom": tiles[-1]}
    return tuple(side for side in SIDES if int(lines[side].sum()) >= _WANTING)


def _turned(image: _Image, grid: Grid, side: Side) -> tuple[_Image, _Floats, _Floats]:
    """The picture mirrored so that a side of the board is its left one, and the borders across and down."""
    x, y = grid.x, grid.y
    if side in {"top", "bottom"}:
        image, x, y = image.transpose(1, 0, 2), y, x
    if side in {"right", "bottom"}:
        image, x = image[:, ::-1], image.shape[1] - x[::-1]
    return image, x, y


def _is_cut(image: _Image, x: _Floats, y: _Floats) -> bool:
    """Whether the strip left of the first border shows the outer parts of tiles."""
    seen, pitch = float(x[0]), float(x[-1] - x[0]) / (len(x) - 1)
    if not max(_LEAST_SEEN * pitch, _LEAST_PIXELS) <= seen < pitch:
        return False
    x = x[: _COMPARED + 1]
    top = max(0, int(y[0]))
    part = np.ascontiguousarray(image[top : int(np.ceil(y[-1])), : int(np.ceil(x[-1]))])
    y = y - top
    strip = _parts(part, 0.0, seen, y)
    known = np.concatenate([_parts(part, float(edge) - seen, float(edge), y) for edge in x[1:]])
    spread = np.sqrt(strip.var(axis=(1, 2)).mean(axis=1))
    along = [np.sqrt(strip.var(axis=axis).mean(axis=(1, 2))) for axis in (1, 2)]
    drawn = (spread >= _DRAWN) & (np.minimum(*along) >= _STRIPED)
    flat, others = strip.reshape(len(strip), -1), known.reshape(len(known), -1)
    apart = ((flat**2).sum(axis=1)[:, None] + (others**2).sum(axis=1) - 2 * flat @ others.T).min(axis=1)
    off = np.sqrt(np.maximum(apart, 0) / flat.shape[1])
    alike = off < np.where(drawn, np.minimum(_ALIKE, 0.6 * spread), _ALIKE)
    return bool((~alike).mean() <= _MOST_DIFFERENT and drawn.mean() >= _LEAST_DRAWN)


def _parts(image: _Image, start: float, end: float, y: _Floats) -> npt.NDArray[np.float32]:
    """(rows, _SIZE, _SIZE, 3) what lies between two places along x, row by row."""
    return cut_tiles(image, Grid(np.array([start, end]), y), _SIZE).astype(np.float32)
