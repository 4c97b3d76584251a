"""The groups of look-alikes of one picture, and how they differ from each other, as networks see both."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.board import neighbour_table
from visionsweeper.vision.tiles.features import COLOURS, LIGHTNESS, SHAPE, FloatArray, rms_apart

PAIR_FEATURES: Final = 42
"""What is told of how one group differs from another."""

MOST_KEYS: Final = 512
"""Groups that all are compared with, the largest: bounds time and memory where no tile is like another."""

_MOST_PAIRS: Final = 1 << 20
"""And of very many groups fewer, so that no more pairs are compared."""

_ROWS_AT_ONCE: Final = 256


@dataclass(frozen=True, eq=False)
class Pairs:
    """How the groups differ from some of them, the keys."""

    keys: npt.NDArray[np.intp]
    """(k,) the groups that all are compared with, ascending."""
    blocks: tuple[tuple[slice, FloatArray], ...]
    """Some groups at a time, and how they differ from the keys: (some, k, PAIR_FEATURES)."""


@dataclass(frozen=True, eq=False)
class Groups:
    """The groups of look-alikes of one picture, as the networks see them."""

    rows: int
    columns: int
    of_tile: npt.NDArray[np.intp]
    """(n,) the group of each tile, row-major."""
    size: npt.NDArray[np.int64]
    """(groups,) tiles."""
    vectors: FloatArray
    """(groups, d) mean feature vector (see `features`)."""
    background: FloatArray
    """(groups, 3) mean background, Lab."""
    frame: FloatArray
    """(groups, 24) mean frame profile."""
    relations: FloatArray
    """(groups, RELATION_FEATURES) (see `relations`)."""
    pictures: FloatArray
    """(groups, 32, 32, CHANNELS) mean tile (see `pixels`)."""

    @cached_property
    def around(self) -> npt.NDArray[np.intp]:
        """(n, 8) the tiles around each; n where there is none."""
        table = neighbour_table(self.rows, self.columns)
        return np.where(table >= 0, table, len(self.of_tile))

    @cached_property
    def pairs(self) -> Pairs:
        """How they differ from each other; from the largest MOST_KEYS, or fewer, where there are more."""
        count = len(self.size)
        most = min(MOST_KEYS, max(_MOST_PAIRS // count, 1))
        keys = np.sort(np.argsort(-self.size, kind="stable")[:most])
        touching = _touching(self, keys)
        parts = (slice(at, min(at + _ROWS_AT_ONCE, count)) for at in range(0, count, _ROWS_AT_ONCE))
        return Pairs(keys, tuple((rows, pair_features(self, touching, rows, keys)) for rows in parts))


def _touching(groups: Groups, keys: npt.NDArray[np.intp]) -> FloatArray:
    """Return (groups, keys) how many pairs of neighbouring tiles have one tile in each."""
    count = len(groups.size)
    column = np.full(count + 1, -1)
    column[keys] = np.arange(len(keys))
    here = np.repeat(groups.of_tile, groups.around.shape[1])
    there = column[np.append(groups.of_tile, count)[groups.around.ravel()]]
    pairs = np.zeros((count, len(keys)), np.float32)
    np.add.at(pairs, (here[there >= 0], there[there >= 0]), 1.0)
    return pairs


def pair_features(
    groups: Groups, touching: FloatArray, rows: slice, keys: npt.NDArray[np.intp]
) -> FloatArray:
    """Return how some groups differ from the keys, (some, keys, PAIR_FEATURES) float32.

    `touching`: (groups, keys) pairs of neighbouring tiles; `rows` selects the groups.
    """
    shape = groups.vectors[:, SHAPE]
    side = round(shape.shape[1] ** 0.5)
    coarse = shape.reshape(-1, 4, side // 4, 4, side // 4).mean(axis=(2, 4)).reshape(len(shape), -1)
    half = shape.reshape(-1, side // 2, 2, side // 2, 2).mean(axis=(2, 4)).reshape(len(shape), -1)
    light = groups.vectors[:, LIGHTNESS]
    size = groups.size.astype(np.float32)

    def apart(values: FloatArray) -> FloatArray:
        return np.asarray(np.abs(values[rows, None] - values[None, keys]), np.float32)

    parts = [
        apart(coarse),
        apart(groups.vectors[:, COLOURS]),
        np.tanh(4.0 * rms_apart(shape[rows], shape[keys]))[..., None],
        np.stack([np.abs(one - half[keys]).max(axis=1) for one in half[rows]])[..., None],
        np.tanh(4.0 * rms_apart(light[rows], light[keys]))[..., None],
        rms_apart(groups.frame[rows], groups.frame[keys])[..., None],
        np.tanh(apart(groups.background) / 10.0),
        np.tanh(touching[rows] / size[rows, None])[..., None],
        np.tanh(touching[rows] / size[None, keys])[..., None],
        np.tanh(np.log(size[None, keys] / size[rows, None]) / 2.0)[..., None],
    ]
    return np.concatenate(parts, axis=2, dtype=np.float32)
