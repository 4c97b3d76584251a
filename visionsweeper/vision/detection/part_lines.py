"""Rows and columns that the picture cuts through: no part of a tile looks like a tile to the tile map."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.board import Side
from visionsweeper.vision.detection.extent import MOST_SAID, Extent, best_extent
from visionsweeper.vision.detection.tile_map import TileMap
from visionsweeper.vision.part_tiles import WHOLE, cut_sides, in_view, sides_with_parts, whole_tiles

_Lines = npt.NDArray[np.bool_]

_MAY_BE_PARTS: Final = -2.0
"""Log odds that cells are whole tiles from which on those that the picture cuts through may be part tiles.

Of 34 sides that cut tiles in half but do not look like it 12 reach them, of 298 margins none.
"""


def unasked_of_parts(
    image: npt.NDArray[np.uint8],
    tiles: TileMap,
    columns: int | None,
    rows: int | None,
    allowed: npt.NDArray[np.bool_],
) -> TileMap:
    """Return the tile map without what it says of part tiles, along the axes of a known size.

    Parts are of the board where all of them are needed for its number, and otherwise where they look like
    parts of its tiles. Where neither is so, the map stays as it is. `allowed` are the (rows, columns) cells
    that may be of the board in an (H, W, 3) uint8 RGB picture.
    """
    across, down = _part_lines(tiles, allowed, image.shape)
    across, down = across & (columns is not None), down & (rows is not None)
    if not (across.any() or down.any()):
        return tiles
    inside, beside, below = tiles.inside.copy(), tiles.beside.copy(), tiles.below.copy()
    inside[:, across] = inside[down] = 0.0
    beside[:, across[:-1] | across[1:]] = 0.0
    below[down[:-1] | down[1:]] = 0.0
    without = TileMap(tiles.grid, inside, beside, below)
    found = best_extent(without, columns, rows, allowed)
    if found is None:
        return tiles
    asked: set[Side] = set()
    if columns is not None and columns != allowed.any(axis=0).sum():
        asked |= {"left", "right"}
    if rows is not None and rows != allowed.any(axis=1).sum():
        asked |= {"top", "bottom"}
    grid = found.of(tiles.grid)
    asked &= set(sides_with_parts(grid, image.shape))
    look_so = not asked or asked <= set(cut_sides(image, whole_tiles(grid, image.shape)))
    return without if look_so else tiles


def with_part_lines(
    found: Extent,
    tiles: TileMap,
    columns: int | None,
    rows: int | None,
    allowed: npt.NDArray[np.bool_],
    shape: tuple[int, ...],
) -> Extent:
    """Return the board with part tiles along an axis of unknown size, where the map leaves that possible.

    `allowed` as in `unasked_of_parts`, in a picture of `shape` (height, width) px.
    """
    across, down = _part_lines(tiles, allowed, shape)
    odds = np.clip(tiles.inside, -MOST_SAID, MOST_SAID)
    if rows is None:
        down &= odds[:, found.columns].mean(axis=1) > _MAY_BE_PARTS
        found = replace(found, rows=_longer(found.rows, down))
    if columns is None:
        across &= odds[found.rows].mean(axis=0) > _MAY_BE_PARTS
        found = replace(found, columns=_longer(found.columns, across))
    return found


def _part_lines(
    tiles: TileMap, allowed: npt.NDArray[np.bool_], shape: tuple[int, ...]
) -> tuple[_Lines, _Lines]:
    """Which columns, and which rows, of the allowed cells the picture cuts through."""
    across = allowed.any(axis=0) & ~in_view(tiles.grid.x, shape[1], WHOLE)
    return across, allowed.any(axis=1) & ~in_view(tiles.grid.y, shape[0], WHOLE)


def _longer(lines: slice, more: _Lines) -> slice:
    """Lines of a board with the next one at each end where there is more."""
    return slice(lines.start - int(more[lines.start - 1]), lines.stop + int(more[lines.stop]))
