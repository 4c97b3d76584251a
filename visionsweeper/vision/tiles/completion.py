"""Part tiles made whole: what the picture's edge hides of one is taken from a whole tile that looks alike."""

from __future__ import annotations

from itertools import product
from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.geometry import Grid
from visionsweeper.vision.cutting import spread
from visionsweeper.vision.part_tiles import FARTHEST_ALIKE, nearest

_Tiles = npt.NDArray[np.uint8]

_NOTHING: Final = slice(0, 0)

_MOST_COMPARED: Final = 2_000
"""Whole tiles that part tiles are compared with, spread over the board: more would take much memory."""


def completed(tiles: _Tiles, grid: Grid, shape: tuple[int, ...]) -> _Tiles:
    """Return the tiles of a board with those made whole that a picture of `shape` (height, width) px cuts.

    `tiles` are (rows * columns, S, S, 3) uint8, row by row, as `cut_tiles` cuts them along `grid`. Half a
    digit with its last pixels repeated is no digit; the whole one that it is a part of mostly shows elsewhere
    on the board. A part tile that no whole one looks like stays as it is.
    """
    size = tiles.shape[1]
    across, down = _seen(grid.x, shape[1], size), _seen(grid.y, shape[0], size)
    all_of_it = slice(0, size)
    if all(seen == all_of_it for seen in (*across, *down)):
        return tiles
    board = tiles.reshape(grid.rows, grid.columns, size, size, 3).copy()
    whole = board[_where(down, all_of_it), _where(across, all_of_it)].reshape(-1, size, size, 3)
    if not len(whole):
        return tiles
    whole = whole[spread(len(whole), _MOST_COMPARED)]
    for (rows, seen_y), (columns, seen_x) in product(_runs(down), _runs(across)):
        if seen_y == seen_x == all_of_it:
            continue
        part = board[rows, columns].reshape(-1, size, size, 3)
        seen = part[:, seen_y, seen_x]
        if not seen.size:
            continue
        alike, off = nearest(seen, whole[:, seen_y, seen_x])
        made = whole[alike]
        made[:, seen_y, seen_x] = seen
        chosen = np.where((off <= FARTHEST_ALIKE)[:, None, None, None], made, part)
        board[rows, columns] = chosen.reshape(board[rows, columns].shape)
    return board.reshape(tiles.shape)


def _seen(edges: npt.NDArray[np.float64], length: int, size: int) -> list[slice]:
    """Which of the `size` samples of each tile along an axis lie in a picture of `length` px."""
    start, end = np.clip((np.array([[0.0], [length]]) - edges[:-1]) / np.diff(edges), 0, 1) * size
    return [slice(int(np.ceil(first)), int(last)) for first, last in zip(start, end, strict=True)]


def _where(spans: list[slice], wanted: slice) -> slice:
    """From the first to the last tile of which that is seen."""
    found = [number for number, span in enumerate(spans) if span == wanted]
    return slice(found[0], found[-1] + 1) if found else _NOTHING


def _runs(spans: list[slice]) -> list[tuple[slice, slice]]:
    """Tiles one after another of which the same is seen: which, and what."""
    starts = [number for number in range(len(spans)) if not number or spans[number] != spans[number - 1]]
    ends = [*starts[1:], len(spans)]
    return [(slice(start, end), spans[start]) for start, end in zip(starts, ends, strict=True)]
