"""Covered or opened blank: what only the rest of the same picture can tell about a tile without a glyph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED, FLAG, MINE, neighbour_table
from visionsweeper.vision.tiles.classes import QUESTION, WRONG_FLAG
from visionsweeper.vision.tiles.features import FloatArray, middle_of

CONTEXT_FEATURES: Final = 37
"""Length of a group's context vector."""

_BLANK: Final = 0  # provisional look of everything without a glyph


@dataclass(frozen=True)
class Scene:
    """One picture's tiles, as far as they are understood before blanks are told apart."""

    rows: int
    columns: int
    groups: npt.NDArray[np.intp]
    """(n,) group of each tile, row-major."""
    probability: FloatArray
    """(groups, 14) mean class probability of each group's tiles, by look code."""
    ground: FloatArray
    """(n, 3) Lab colour of each tile's ground."""
    frame: FloatArray
    """(n, 24) lightness profile along each tile's sides."""
    contrast: FloatArray
    """(n,) how far a tile's strongest pixels are from its ground, Lab units."""
    shape: FloatArray
    """(n, 256) where each tile differs from its ground, 0 to 1 (see `features`)."""
    tint: FloatArray
    """(n, 80) its lightness by place and its colours, mostly within -1 to 1 (see `features`)."""

    @property
    def blank(self) -> npt.NDArray[np.float32]:
        """(groups,) probability that a group has no glyph: covered or opened 0."""
        share: npt.NDArray[np.float32] = self.probability[:, 0] + self.probability[:, COVERED]
        return share


def provisional_looks(scene: Scene) -> npt.NDArray[np.intp]:
    """(n,) each tile's likeliest look, covered and opened 0 both given as 0."""
    folded = scene.probability.copy()
    folded[:, _BLANK] = scene.blank
    folded[:, COVERED] = 0.0
    looks: npt.NDArray[np.intp] = folded.argmax(axis=1)[scene.groups]
    return looks


def context_features(scene: Scene) -> FloatArray:
    """One vector a group: (groups, CONTEXT_FEATURES) float32.

    How the group's ground and frame compare with those of the digits (opened) and flags (covered) of the
    same picture, what its tiles touch, and whether the numbers could hold with the group opened or covered.
    Meant for groups without a glyph; the values for others are defined but of no use.
    """
    n = scene.rows * scene.columns
    looks = provisional_looks(scene)
    groups, count = scene.groups, len(scene.probability)
    size = np.bincount(groups, minlength=count).astype(np.float32)

    def mean(values: npt.NDArray[np.floating[Any]] | npt.NDArray[np.bool_]) -> npt.NDArray[np.float32]:
        return (np.bincount(groups, weights=values, minlength=count) / size).astype(np.float32)

    digit = (looks >= 1) & (looks <= 8)
    raised = (looks == FLAG) | (looks == QUESTION)
    blank = looks == _BLANK
    mine = (looks == MINE) | (looks == WRONG_FLAG)

    table = neighbour_table(scene.rows, scene.columns)
    there = table >= 0
    around = np.where(there, table, 0)

    def touching(flags: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        hits: npt.NDArray[np.int64] = (flags[around] & there).sum(axis=1)
        return hits

    places = np.maximum(there.sum(axis=1), 1)
    kinds = two_kinds(scene, blank)
    odds = np.log((scene.probability[:, COVERED] + 0.02) / (scene.probability[:, 0] + 0.02))

    to_digits, digits_known = _nearest(scene.ground, digit)
    to_raised, raised_known = _nearest(scene.ground, raised)
    frame_digits, _ = _nearest(scene.frame, digit)
    frame_raised, _ = _nearest(scene.frame, raised)
    beside = _beside(scene.ground, digit, around, there)
    middle = middle_of(scene.ground[digit]) if digit.any() else np.zeros(3)
    lighter = np.tanh((scene.ground[:, 0] - middle[0]) / 10.0) * float(digit.any())
    tinted = np.tanh(np.hypot(*(scene.ground[:, 1:] - middle[1:]).T) / 10.0) * float(digit.any())

    parts: list[npt.NDArray[Any]] = [
        odds / 3.0,
        mean(to_digits),
        mean(to_raised),
        mean(to_digits - to_raised) * float(digits_known and raised_known),
        mean(frame_digits),
        mean(frame_raised),
        mean(beside),
        mean(lighter),
        mean(tinted),
        np.full(count, float(digits_known)),
        np.full(count, float(raised_known)),
        np.full(count, digit.mean()),
        np.full(count, blank.mean()),
        size / n,
        np.tanh(size / 10.0),
        mean(np.tanh(scene.contrast / 10.0)),
    ]
    numbers = np.where(digit, looks, 0)
    spare = touching(blank | raised | mine) - numbers
    for own in (_same_group(groups, around, there), _same_kind(kinds, around, there)):
        closed = np.asarray((own | digit[around] | ~there).all(axis=1))
        parts += [mean(own.sum(axis=1) / places), mean(closed)]
    # With this kind opened: what do the numbers around lack? With the other kind opened?
    for shade in (kinds == 1, kinds == 2):
        lacking = (digit & (spare - touching(shade & blank) < 0)).astype(np.float32)
        needed = mean(_per_tile(lacking, digit, around, there))
        overall = np.full(count, float(lacking.sum()) / max(int(digit.sum()), 1))
        parts += [needed, overall]
    first = mean(kinds == 1) > 0.5
    swapped = [parts[-2], parts[-1], parts[-4], parts[-3]]
    parts[-4:] = [np.where(first, a, b) for a, b in zip(parts[-4:], swapped, strict=True)]
    alone = _lacking_without_group(scene, spare, around, there, digit)
    parts += [
        alone,
        mean(touching(digit) / places),
        mean(touching(raised) / places),
        mean(touching(mine) / places),
        mean(touching(raised | mine) > 0),
        mean(_average(numbers, digit, around, there) / 4.0),
        *_kind_means(scene, kinds, blank, touching(raised | mine) > 0, odds, to_digits, to_raised),
    ]
    return np.stack([np.asarray(part, dtype=np.float32) for part in parts], axis=1)


def _nearest(vectors: FloatArray, chosen: npt.NDArray[np.bool_]) -> tuple[npt.NDArray[np.float32], bool]:
    """(n,) squashed distance to the nearest tenth of the chosen tiles' vectors, and whether there are any."""
    if not chosen.any():
        return np.full(len(vectors), 0.5, dtype=np.float32), False
    targets = vectors[chosen][:: max(1, int(chosen.sum()) // 64)]
    distances = np.sqrt(((vectors[:, None, :] - targets[None]) ** 2).sum(axis=2))
    rank = len(targets) // 10
    near = np.partition(distances, rank, axis=1)[:, rank]
    squashed: npt.NDArray[np.float32] = np.tanh(near / (8.0 if vectors.shape[1] == 3 else 1.0))
    return squashed, True


def _beside(
    ground: FloatArray,
    digit: npt.NDArray[np.bool_],
    around: npt.NDArray[np.int32],
    there: npt.NDArray[np.bool_],
) -> npt.NDArray[np.float32]:
    """(n,) squashed distance to the nearest ground of the digits that touch a tile; 0.5 where none does."""
    distances = np.sqrt(((ground[:, None, :] - ground[around]) ** 2).sum(axis=2))
    distances = np.where(there & digit[around], distances, np.inf).min(axis=1)
    return np.where(np.isfinite(distances), np.tanh(distances / 8.0), 0.5).astype(np.float32)


def two_kinds(scene: Scene, blank: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
    """(n,) 1 or 2 for blanks, split in two by ground and frame (k-means, k = 2); 0 for others."""
    kinds = np.zeros(len(blank), dtype=np.intp)
    if not blank.any():
        return kinds
    vectors = np.concatenate([scene.ground / 8.0, scene.frame], axis=1)[blank]
    centre = vectors.mean(axis=0)
    first = vectors[((vectors - centre) ** 2).sum(axis=1).argmax()]
    second = vectors[((vectors - first) ** 2).sum(axis=1).argmax()]
    for _ in range(8):
        near = ((vectors - first) ** 2).sum(axis=1) <= ((vectors - second) ** 2).sum(axis=1)
        if near.all() or not near.any():
            break
        first, second = vectors[near].mean(axis=0), vectors[~near].mean(axis=0)
    kinds[blank] = np.where(near, 1, 2)
    return kinds


def _same_group(
    groups: npt.NDArray[np.intp], around: npt.NDArray[np.int32], there: npt.NDArray[np.bool_]
) -> npt.NDArray[np.bool_]:
    same: npt.NDArray[np.bool_] = (groups[around] == groups[:, None]) & there
    return same


def _same_kind(
    kinds: npt.NDArray[np.intp], around: npt.NDArray[np.int32], there: npt.NDArray[np.bool_]
) -> npt.NDArray[np.bool_]:
    return _same_group(kinds, around, there) & (kinds[:, None] > 0)


def _per_tile(
    values: npt.NDArray[np.float32],
    chosen: npt.NDArray[np.bool_],
    around: npt.NDArray[np.int32],
    there: npt.NDArray[np.bool_],
) -> npt.NDArray[np.float32]:
    """(n,) the largest value among the chosen tiles around; 0 where there is none."""
    mask = there & chosen[around]
    largest: npt.NDArray[np.float32] = np.where(mask, values[around], 0.0).max(axis=1)
    return largest


def _average(
    values: npt.NDArray[np.intp],
    chosen: npt.NDArray[np.bool_],
    around: npt.NDArray[np.int32],
    there: npt.NDArray[np.bool_],
) -> npt.NDArray[np.float32]:
    """(n,) the mean value of the chosen tiles around; 0 where there is none."""
    mask = there & chosen[around]
    total = np.where(mask, values[around], 0).sum(axis=1)
    mean: npt.NDArray[np.float32] = (total / np.maximum(mask.sum(axis=1), 1)).astype(np.float32)
    return mean


def _lacking_without_group(
    scene: Scene,
    spare: npt.NDArray[np.int64],
    around: npt.NDArray[np.int32],
    there: npt.NDArray[np.bool_],
    digit: npt.NDArray[np.bool_],
) -> npt.NDArray[np.float32]:
    """(groups,) share of the numbers touching a group that could not hold if just this group were opened."""
    count = len(scene.probability)
    numbers = np.flatnonzero(digit)
    touched = np.zeros((len(numbers), count), dtype=np.int64)
    for k in range(8):
        valid = there[numbers, k]
        np.add.at(touched, (np.flatnonzero(valid), scene.groups[around[numbers[valid], k]]), 1)
    lacking = ((touched > spare[numbers, None]) & (touched > 0)).sum(axis=0)
    share: npt.NDArray[np.float32] = (lacking / np.maximum((touched > 0).sum(axis=0), 1)).astype(np.float32)
    return share


def _kind_means(
    scene: Scene,
    kinds: npt.NDArray[np.intp],
    blank: npt.NDArray[np.bool_],
    beside_icon: npt.NDArray[np.bool_],
    odds: FloatArray,
    to_digits: npt.NDArray[np.float32],
    to_raised: npt.NDArray[np.float32],
) -> list[npt.NDArray[np.float32]]:
    """Seven columns that tell of the group's kind as a whole and how far the two kinds are apart."""
    count = len(scene.probability)
    of_tile = odds[scene.groups]
    columns = np.zeros((7, count), dtype=np.float32)
    shares = np.stack([np.bincount(scene.groups, weights=kinds == k, minlength=count) for k in (1, 2)])
    own = np.where(shares[0] >= shares[1], 1, 2)
    tiles = [blank & (kinds == k) for k in (1, 2)]
    if not all(kind.any() for kind in tiles):
        return list(columns)
    grounds = [middle_of(scene.ground[kind]) for kind in tiles]
    apart = np.tanh(np.linalg.norm(grounds[0] - grounds[1]) / 8.0)
    for k, kind, other in ((1, tiles[0], tiles[1]), (2, tiles[1], tiles[0])):
        mine = own == k
        columns[0, mine] = of_tile[kind].mean() / 3.0
        columns[1, mine] = of_tile[other].mean() / 3.0
        columns[2, mine] = beside_icon[kind].mean() - beside_icon[other].mean()
        columns[3, mine] = to_digits[kind].mean() - to_digits[other].mean()
        columns[4, mine] = to_raised[kind].mean() - to_raised[other].mean()
        columns[5, mine] = kind.sum() / blank.sum()
        columns[6, mine] = apart
    return list(columns)
