"""A second look at every group: what it is beside the others of the same picture, once these have names."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED, FLAG, MINE, neighbour_table
from visionsweeper.vision.tiles.classes import CLASS_NAMES, QUESTION, WRONG_FLAG
from visionsweeper.vision.tiles.context import CONTEXT_FEATURES, Scene, group_means
from visionsweeper.vision.tiles.features import SHAPE, FloatArray, rms_apart, tints

_CLASSES: Final = len(CLASS_NAMES)
_APART: Final = 5  # how a group differs from those of one class
_AROUND: Final = 12 + 3 + 4
_ROLES: Final = 7
RELATION_FEATURES: Final = (3 + _APART + 1) * _CLASSES + _AROUND + _ROLES + 3 + CONTEXT_FEATURES
"""Length of a group's vector."""

_FARTHEST: Final = 9.0  # beyond any distance here
_NO_OTHER: Final = (1.0, 1.0, 1.0, 1.0, 0.0)  # how a group differs where no other bears the class
_ROWS_AT_ONCE: Final = 512  # groups compared with all others at once: bounds memory


def relation_features(
    scene: Scene,
    context: FloatArray,
    distance: FloatArray,
    likelihood: FloatArray,
    classes: npt.NDArray[np.intp],
) -> FloatArray:
    """Return one vector a group: (groups, RELATION_FEATURES) float32.

    What the neighbours and the context say of the group, the name it has so far, how it differs in shape,
    colour and background from the groups that bear each name (one class has one role: a sign unlike all the
    flags is no flag), how much of the board bears each, what the numbers around it need, and whether they
    can hold with all of its tiles mines, or none of them.
    `context`: (groups, CONTEXT_FEATURES); `distance`: (groups,) to the nearest prototype; `likelihood`:
    (groups, 14) log; `classes`: (groups,) tile classes so far.
    """
    groups, count, n = scene.groups, len(classes), len(scene.groups)
    size = np.bincount(groups, minlength=count)
    tiles = classes[groups]
    parts: list[npt.NDArray[Any]] = [
        np.log(scene.probability + 0.01) / 3.0,
        likelihood / 3.0,
        np.eye(_CLASSES)[classes],
        _differences(scene, classes, size),
        np.tile(np.tanh(5.0 * np.bincount(tiles, minlength=_CLASSES) / n), (count, 1)),
        *_surroundings(scene, tiles, size),
        _roles(scene, classes, tiles),
        np.stack([size / n, np.tanh(np.log(size) / 2.0), distance], axis=1),
        context,
    ]
    return np.concatenate([np.asarray(part, dtype=np.float32) for part in parts], axis=1)


def _differences(
    scene: Scene, classes: npt.NDArray[np.intp], size: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """Return how the nearest other group of each name differs, and how large it is, (groups, 14 * 5).

    In shape over all and where it differs most, in colour, in background.
    """
    count = len(classes)
    shapes, colours = scene.means[:, SHAPE], tints(scene.means)
    backgrounds = group_means(scene.background, scene.groups)
    half = round(shapes.shape[1] ** 0.5) // 2
    coarse = shapes.reshape(count, half, 2, half, 2).mean(axis=(2, 4)).reshape(count, -1)
    differences = np.empty((count, _CLASSES, _APART))
    for start in range(0, count, _ROWS_AT_ONCE):
        here = np.arange(start, min(start + _ROWS_AT_ONCE, count))
        rows = here - start
        shape = np.tanh(4.0 * rms_apart(shapes[here], shapes))
        tint = np.tanh(4.0 * rms_apart(colours[here], colours))
        background = np.tanh(rms_apart(backgrounds[here], backgrounds) * np.sqrt(3.0) / 10.0)
        shape[rows, here] = _FARTHEST
        for tile_class in range(_CLASSES):
            bearers = np.flatnonzero(classes == tile_class)
            if not len(bearers):
                differences[here, tile_class] = _NO_OTHER
                continue
            nearest = bearers[shape[:, bearers].argmin(axis=1)]
            column = np.stack(
                [
                    shape[rows, nearest],
                    np.abs(coarse[here] - coarse[nearest]).max(axis=1),
                    tint[rows, nearest],
                    background[rows, nearest],
                    np.tanh(np.log((size[nearest] + 0.5) / (size[here] + 0.5)) / 2.0),
                ],
                axis=1,
            )
            column[shape[rows, nearest] == _FARTHEST] = _NO_OTHER
            differences[here, tile_class] = column
    return differences.reshape(count, -1)


def _roles(
    scene: Scene, classes: npt.NDArray[np.intp], tiles: npt.NDArray[np.intp]
) -> npt.NDArray[np.float64]:
    """Return what numbers touching a group say to its tiles being mines, all of them or none, (groups, 7).

    Shares of these numbers: exactly met, exceeded and out of reach with all mines; exactly met and out of
    reach with none; how many numbers there are; and met exactly if covered ones are mines as well.
    """
    count = len(classes)
    table = neighbour_table(scene.rows, scene.columns)
    numbers = np.flatnonzero((tiles >= 1) & (tiles <= 8))
    beside = table[numbers]
    number, side = np.nonzero(beside >= 0)
    # Each number and group that touch, once; and how many tiles of the group the number touches.
    pairs, touched = np.unique(number * count + scene.groups[beside[number, side]], return_counts=True)
    number, group = np.divmod(pairs, count)

    def others(chosen: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        """How many tiles of the other chosen groups the number touches."""
        own = np.where(chosen[group], touched, 0)
        return np.bincount(number, weights=own, minlength=len(numbers)).astype(np.int64)[number] - own

    mines = others((classes == FLAG) | (classes == MINE))
    covered = others((classes == COVERED) | (classes == QUESTION))
    wanted = tiles[numbers][number]
    asked = np.bincount(group, minlength=count)

    def share(holds: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
        return np.bincount(group, weights=holds, minlength=count) / np.maximum(asked, 1)

    return np.stack(
        [
            share(mines + touched == wanted),
            share(mines + touched > wanted),
            share(mines + touched + covered < wanted),
            share(mines == wanted),
            share(mines + covered < wanted),
            np.tanh(asked / 4.0),
            share(mines + touched + covered == wanted),
        ],
        axis=1,
    )


def _surroundings(
    scene: Scene, tiles: npt.NDArray[np.intp], size: npt.NDArray[np.int64]
) -> list[npt.NDArray[np.float64]]:
    """Return what lies around the tiles of each group, and what numbers there lack or have too many of."""
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
            none,
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
