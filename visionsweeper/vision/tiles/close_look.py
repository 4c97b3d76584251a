"""A close look at look-alikes: a 2 and a 3 that are small in their tiles differ in few of a tile's pixels."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.vision.tiles.clustering import tiles_by_group
from visionsweeper.vision.tiles.features import FloatArray, middle_of

_MARGIN: Final = 4  # px of the tile's 32 on each side that are not looked at: frames and their shifts
_STRONG: Final = 0.5  # of a tile's contrast: pixels that belong to its glyph
_SHARE: Final = 0.15  # of the tiles in which a pixel belongs to the glyph
_SPREAD: Final = 3.0  # Lab units by which glyphs that are alike may differ,
_SHARE_OF_CONTRAST: Final = 0.2  # and by this share of their contrast
_SHIFTS: Final = ((0, 0), *((y, x) for y in (-1, 0, 1) for x in (-1, 0, 1) if y or x))  # most need none
_TOP_PIXELS: Final = 8  # of a tile, whose weakest says its contrast
_WINDOW: Final = 6  # px of the 32, each way, over which a difference is looked at locally
_OUTSTANDING: Final = 3.0  # times the local difference of the group's median tile


def pull_apart(groups: npt.NDArray[np.intp], lab: FloatArray) -> npt.NDArray[np.intp]:
    """Split groups whose glyphs are not alike in their own box, wherever they lie by a pixel more or less.

    Nor are those that differ somewhere in it far more than the others of their group do.

    `groups`: (n,) group numbers from 0; `lab`: (n, 32, 32, 3) tiles. Returns (n,) numbers: those of `groups`,
    and further ones for what was split off. Each group is compared with its most usual tile.
    """
    apart = groups.copy()
    members = tiles_by_group(groups)
    while members:
        of_group = members.pop()
        if len(of_group) < 2:
            continue
        other = of_group[_unlike(lab[of_group])]
        if 0 < len(other) < len(of_group):
            apart[other] = apart.max() + 1
            members.append(other)
    return apart


def _unlike(lab: FloatArray) -> npt.NDArray[np.bool_]:
    """(k,) which of a group's tiles have another glyph than its most usual one."""
    inner = lab[:, _MARGIN:-_MARGIN, _MARGIN:-_MARGIN]
    if 2.0 * _farthest(inner, inner[0]) <= _SPREAD:
        return np.zeros(len(lab), dtype=bool)  # copies: any two differ by less than is allowed
    offset = inner - middle_of(inner.reshape(len(lab), -1, 3))[:, None, None, :]
    strength = np.sqrt(np.einsum("nijk,nijk->nij", offset, offset))
    contrast = np.partition(strength.reshape(len(lab), -1), -_TOP_PIXELS, axis=1)[:, -_TOP_PIXELS]
    glyph = (strength > _STRONG * contrast[:, None, None]).mean(axis=0) > _SHARE
    rows, columns = np.flatnonzero(glyph.any(axis=1)), np.flatnonzero(glyph.any(axis=0))
    if not len(rows):
        return np.zeros(len(lab), dtype=bool)
    top, bottom = int(rows[0]) + _MARGIN, int(rows[-1]) + _MARGIN + 1
    left, right = int(columns[0]) + _MARGIN, int(columns[-1]) + _MARGIN + 1
    crops = lab[:, top:bottom, left:right]
    flat = crops.reshape(len(lab), -1)
    usual = lab[np.square(flat - middle_of(flat)).sum(axis=1).argmin()]
    allowed = _SPREAD + _SHARE_OF_CONTRAST * contrast
    if _farthest(crops, usual[top:bottom, left:right]) <= allowed.min():
        return np.zeros(len(lab), dtype=bool)
    unlike, local = np.ones(len(lab), dtype=bool), np.full(len(lab), np.inf, np.float32)
    for down, across in _SHIFTS:
        left_over = np.flatnonzero(unlike | (local > allowed))
        there = usual[top + down : bottom + down, left + across : right + across]
        apart = np.square(crops[left_over] - there).sum(axis=3)
        unlike[left_over] &= np.sqrt(apart.mean(axis=(1, 2))) > allowed[left_over]
        local[left_over] = np.minimum(local[left_over], np.sqrt(_in_windows(apart).max(axis=(1, 2))))
    # On a plate of high contrast glyphs differ little as a whole, but those of one digit hardly anywhere.
    outstanding: npt.NDArray[np.bool_] = local > np.maximum(allowed, _OUTSTANDING * np.median(local))
    return unlike | outstanding


def _farthest(tiles: FloatArray, tile: FloatArray) -> float:
    """Lab units that no pixel of (k, h, w, 3) tiles is farther from that of another, (h, w, 3)."""
    return float(3**0.5 * np.abs(tiles - tile).max())


def _in_windows(maps: FloatArray) -> FloatArray:
    """Means of (k, h, w) maps over all windows of 6x6 px, or as many as there are."""
    rows, columns = (min(_WINDOW, side) for side in maps.shape[1:])
    sums = np.pad(maps.cumsum(axis=1).cumsum(axis=2), ((0, 0), (1, 0), (1, 0)))
    windows = sums[:, rows:, columns:] - sums[:, :-rows, columns:]
    windows -= sums[:, rows:, :-columns] - sums[:, :-rows, :-columns]
    means: FloatArray = np.maximum(windows, 0.0) / (rows * columns)
    return means
