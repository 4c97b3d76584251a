"""How the tiles of one game look, learned from what was read: a tile that looks the same is the same."""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from visionsweeper.geometry import Grid
from visionsweeper.vision.cutting import sheet_of_tiles

Samples: TypeAlias = npt.NDArray[np.float32]
"""(tiles, values) float32, gray levels: the inner pixels of shrunk tiles."""

UNKNOWN: Final = 255
"""Stands for the code of a tile that looks like none that is known."""

CHANGED: Final = 2.0
"""Root mean square difference, in gray levels, from which on a tile has changed."""

_SIDE: Final = 16
"""Pixels that a tile is shrunk or enlarged to, each way."""
_EDGE: Final = 1
"""Of these, those left out at each edge: grid lines, and the neighbour's."""
_SAME: Final = ((5.0, 2.0), (12.0, 4.0))
"""Two tiles look the same up to such a root mean square difference, where the nearest exemplar of any other
code is so many times farther away: the second is for coarse compression, of games with much contrast."""
_PIXEL_SAME: Final = 16.0
"""Gray levels that a pixel may differ by from that of an exemplar."""
_HIDDEN_SEEN: Final = 0.5
"""Share of a tile's pixels that have to be like its exemplar where something hides the others."""
_HIDDEN_CLEARLY: Final = 0.4
"""Share of the pixels that tell an exemplar from one of another code in which it has to be like it."""
_HIDDEN_LIKE: Final = 0.15
"""So many of these, for each that is like the exemplar, may be like the other one."""
_ONE: Final = 1.0
"""Root mean square difference below which two exemplars are one."""
_NEW: Final = 2.0
"""The same, from which on another exemplar of a known code is kept too."""
_MOST: Final = 24
"""Exemplars of a code that are kept, the latest."""


def sample(image: npt.NDArray[np.uint8], grid: Grid) -> Samples:
    """Return the tiles of an (H, W, 3) uint8 RGB picture, row by row, for comparison."""
    sheet = sheet_of_tiles(image, grid, _SIDE)
    tiles = sheet.reshape(grid.rows, _SIDE, grid.columns, _SIDE, 3)[:, _EDGE:-_EDGE, :, _EDGE:-_EDGE]
    return tiles.transpose(0, 2, 1, 3, 4).reshape(grid.rows * grid.columns, -1).astype(np.float32)


def apart(one: Samples, other: Samples) -> npt.NDArray[np.float32]:
    """Return the root mean square difference of each tile of two samples, (tiles,) float32, gray levels."""
    difference = one - other
    return np.sqrt(np.einsum("tv,tv->t", difference, difference) / one.shape[1])  # type: ignore[no-any-return]


class Exemplars:
    """The exemplars that are known, each with its tile code."""

    def __init__(self) -> None:
        self._known: Samples = np.empty((0, 0), np.float32)
        self._codes = np.empty(0, np.uint8)

    def learn(self, samples: Samples, codes: npt.NDArray[np.uint8]) -> None:
        """Keep how tiles with these (tiles,) codes look, where that is new."""
        if not self._known.size:
            self._known = np.empty((0, samples.shape[1]), np.float32)
        # One exemplar cannot be two things: what was read last is right.
        near = _distances(self._known, samples) < _ONE
        wrong = (near & (self._codes[:, None] != codes[None])).any(axis=1)
        self._known, self._codes = self._known[~wrong], self._codes[~wrong]
        left = np.arange(len(samples))
        for _ in range(_MOST):
            away = _distances(samples[left], self._known)
            away[codes[left][:, None] != self._codes[None]] = np.inf
            left = left[(away >= _NEW).all(axis=1)]
            if not len(left):
                break
            # One of each code a round: the others may look like it.
            first = left[np.unique(codes[left], return_index=True)[1]]
            self._known = np.concatenate([self._known, samples[first]])
            self._codes = np.concatenate([self._codes, codes[first]])
            left = np.setdiff1d(left, first)
        if not len(self._known):
            return
        kept = np.concatenate([np.flatnonzero(self._codes == one)[-_MOST:] for one in np.unique(self._codes)])
        self._known, self._codes = self._known[kept], self._codes[kept]

    def codes_of(self, samples: Samples) -> npt.NDArray[np.uint8]:
        """Return the (tiles,) codes of tiles, UNKNOWN for those not clearly like one that is known."""
        found = np.full(len(samples), UNKNOWN, np.uint8)
        if not len(samples) or not len(self._known):
            return found
        away = _distances(samples, self._known)
        nearest = away.argmin(axis=1)
        best = away[np.arange(len(samples)), nearest]
        code = self._codes[nearest]
        away[self._codes[None] == code[:, None]] = np.inf
        other = away.min(axis=1)
        # Without any other code to compare with, only what is the very same counts.
        clear = best <= CHANGED
        for most, times in _SAME:
            clear |= (best <= most) & (other > times * best) & np.isfinite(other)
        clear &= other > best + 1
        found[clear] = code[clear]
        return found

    def codes_of_hidden(self, samples: Samples) -> npt.NDArray[np.uint8]:
        """Return the (tiles,) codes of tiles that a pointer, say, hides a part of; UNKNOWN if unclear.

        What is to be seen of a tile is like one exemplar, and where that differs from those of other codes
        it is not like them.
        """
        found = np.full(len(samples), UNKNOWN, np.uint8)
        if not len(self._known):
            return found
        known = self._known.reshape(len(self._known), -1, 3)
        for at, tile in enumerate(samples):
            alike = np.abs(known - tile.reshape(-1, 3)).max(axis=2) <= _PIXEL_SAME
            if not alike.any():
                continue
            best = int(alike.sum(axis=1).argmax())
            others = self._codes != self._codes[best]
            telling = np.abs(known - known[best]).max(axis=2) > 2 * _PIXEL_SAME
            for_it = (telling & alike[best]).sum(axis=1)
            against = (telling & alike).sum(axis=1)
            clear = (for_it >= _HIDDEN_CLEARLY * telling.sum(axis=1)) & (against <= _HIDDEN_LIKE * for_it)
            if others.any() and clear[others].all() and alike[best].mean() >= _HIDDEN_SEEN:
                found[at] = self._codes[best]
        return found


def _distances(ones: Samples, others: Samples) -> npt.NDArray[np.float32]:
    """(ones, others) float32: root mean square differences, gray levels."""
    if not len(ones) or not len(others):
        return np.empty((len(ones), len(others)), np.float32)
    squares = [np.einsum("tv,tv->t", each, each) for each in (ones, others)]
    between = squares[0][:, None] + squares[1][None] - 2 * (ones @ others.T)
    return np.sqrt(np.maximum(between, 0) / ones.shape[1])  # type: ignore[no-any-return]
