"""A second look at every group: what it is beside the others of the same picture, once these have names."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED, FLAG, MINE, neighbour_table
from visionsweeper.vision.context import CONTEXT_FEATURES, Scene
from visionsweeper.vision.features import FloatArray
from visionsweeper.vision.looks import LOOK_NAMES, QUESTION, WRONG_FLAG

_SIGNED: Final = (1, 2, 3, 4, 5, 6, 7, 8, FLAG, MINE, WRONG_FLAG, QUESTION)
"""Looks that carry a sign."""

_LOOKS: Final = len(LOOK_NAMES)
_AROUND: Final = 11
_APART: Final = 4  # how a group differs from those of one look
RELATION_FEATURES: Final = (
    3 * _LOOKS + _APART * len(_SIGNED) + _LOOKS + _AROUND + 3 + 4 + 3 + CONTEXT_FEATURES
)
"""Length of a group's vector."""

_FARTHEST: Final = 9.0  # beyond any distance here


def relation_features(
    scene: Scene,
    context: FloatArray,
    distance: FloatArray,
    likelihood: FloatArray,
    looks: npt.NDArray[np.intp],
) -> FloatArray:
    """One vector a group: (groups, RELATION_FEATURES) float32.

    What the neighbours and the context say of the group, the name it has so far, how it differs in shape,
    colour and ground from the groups that bear each name (one look has one role: a sign unlike all the
    flags is no flag), how much of the board bears each, and what the numbers around it would need.
    `context`: (groups, CONTEXT_FEATURES); `distance`: (groups,) to the nearest prototype; `likelihood`:
    (groups, 14) log; `looks`: (groups,) look codes so far.
    """
    groups, count, n = scene.groups, len(looks), len(scene.groups)
    size = np.bincount(groups, minlength=count)
    tiles = looks[groups]
    parts: list[npt.NDArray[Any]] = [
        np.log(scene.probability + 0.01) / 3.0,
        likelihood / 3.0,
        np.eye(_LOOKS)[looks],
        *_differences(scene, looks, size),
        np.tile(np.tanh(5.0 * np.bincount(tiles, minlength=_LOOKS) / n), (count, 1)),
        *_surroundings(scene, tiles, size),
        np.stack([size / n, np.tanh(np.log(size) / 2.0), distance], axis=1),
        context,
    ]
    return np.concatenate([np.asarray(part, dtype=np.float32) for part in parts], axis=1)


def _differences(
    scene: Scene, looks: npt.NDArray[np.intp], size: npt.NDArray[np.int64]
) -> list[npt.NDArray[np.float64]]:
    """For each look with a sign (groups, 4): apart in shape, colour and ground from the nearest; its size."""
    count = len(looks)
    shape = np.tanh(4.0 * _apart(_means(scene.shape, scene.groups, size)))
    tint = np.tanh(4.0 * _apart(_means(scene.tint, scene.groups, size)))
    ground = np.tanh(_apart(_means(scene.ground, scene.groups, size)) * np.sqrt(3.0) / 10.0)
    np.fill_diagonal(shape, _FARTHEST)
    rows = np.arange(count)
    columns = []
    for look in _SIGNED:
        there = np.where((looks == look)[None, :], shape, _FARTHEST)
        nearest = there.argmin(axis=1)
        larger = np.tanh(np.log((size[nearest] + 0.5) / (size + 0.5)) / 2.0)
        column = np.stack([there[rows, nearest], tint[rows, nearest], ground[rows, nearest], larger], axis=1)
        column[there[rows, nearest] == _FARTHEST] = (1.0, 1.0, 1.0, 0.0)
        columns.append(column)
    return columns


def _means(
    vectors: FloatArray, groups: npt.NDArray[np.intp], size: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """(groups, d) mean of the (n, d) vectors of each group's tiles."""
    order = np.argsort(groups, kind="stable")
    sums = np.add.reduceat(vectors[order], np.concatenate([[0], np.cumsum(size)[:-1]]), axis=0)
    means: npt.NDArray[np.float64] = sums.astype(np.float64) / size[:, None]
    return means


def _apart(vectors: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """(groups, groups) root mean square difference of (groups, d) vectors."""
    square = (vectors * vectors).sum(axis=1)
    squared = square[:, None] + square[None, :] - 2.0 * (vectors @ vectors.T)
    apart: npt.NDArray[np.float64] = np.sqrt(np.maximum(squared, 0.0) / vectors.shape[1])
    return apart


def _surroundings(
    scene: Scene, tiles: npt.NDArray[np.intp], size: npt.NDArray[np.int64]
) -> list[npt.NDArray[np.float64]]:
    """What lies around the tiles of each group, and what the numbers there lack or have too many of."""
    table = neighbour_table(scene.rows, scene.columns)
    there = table >= 0
    around = np.where(there, table, 0)

    def touching(chosen: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        hits: npt.NDArray[np.int64] = (chosen[around] & there).sum(axis=1)
        return hits

    mined, closed = (tiles == FLAG) | (tiles == MINE), (tiles == COVERED) | (tiles == QUESTION)
    number = (tiles >= 1) & (tiles <= 8)
    mines, covered = touching(mined), touching(closed)
    lacking = np.where(number, tiles, 0) - mines
    beyond = lacking - covered
    beside = there & number[around]
    none = ~beside.any(axis=1)

    def least_and_most(values: npt.NDArray[np.int64]) -> list[npt.NDArray[np.float64]]:
        """(n,) of the numbers beside each tile; 0 where there is none."""
        most = np.where(beside, values[around], -99).max(axis=1)
        least = np.where(beside, values[around], 99).min(axis=1)
        return [np.where(none, 0.0, each) for each in (most, least)]

    # As if the tile itself were no mine, and opened.
    own_mine, own_closed = mined.astype(np.float64), (mined | closed).astype(np.float64)
    columns = np.stack(
        [
            mines / 4.0,
            covered / 4.0,
            touching(tiles == WRONG_FLAG),
            touching(tiles == 0) / 4.0,
            touching(number) / 4.0,
            1.0 - np.maximum(there.sum(axis=1), 1) / 8.0,
            *(np.tanh((each + own_mine) / 1.5) for each in least_and_most(lacking)),
            *(np.tanh((each + own_closed) / 1.5) for each in least_and_most(beyond)),
            (mines + covered) / 4.0,
        ],
        axis=1,
    )
    order = np.argsort(scene.groups, kind="stable")
    starts = np.concatenate([[0], np.cumsum(size)[:-1]])
    ordered = columns[order]
    return [
        np.add.reduceat(ordered, starts, axis=0) / size[:, None],
        np.minimum.reduceat(ordered, starts, axis=0)[:, [0, 1, 10]],
        np.maximum.reduceat(ordered, starts, axis=0)[:, [0, 1, 8, 10]],
    ]
