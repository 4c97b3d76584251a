"""Covered or opened blank: what only the rest of the same picture can tell about a tile without a glyph."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED, FLAG, MINE, Side, neighbour_table
from visionsweeper.vision.tiles.classes import QUESTION, WRONG_FLAG
from visionsweeper.vision.tiles.features import FloatArray, middle_of, tints

_Mask: TypeAlias = npt.NDArray[np.bool_]

Columns: TypeAlias = dict[str, Any]
"""Name -> (groups,) values, or one value for all groups."""

_KIND_COLUMNS: Final = (
    *("kind_odds", "other_kind_odds", "kind_beside_icon", "kind_to_digits", "kind_to_raised"),
    *("kind_share", "kinds_apart"),
)

CONTEXT_COLUMNS: Final = (
    *("covered_odds", "to_digits", "to_raised", "to_digits_or_raised", "frame_to_digits", "frame_to_raised"),
    *("beside", "lighter", "tinted", "digits_known", "raised_known", "digit_share", "blank_share"),
    *("size_share", "size", "contrast"),
    *("own_group_around", "own_group_encloses", "own_kind_around", "own_kind_encloses"),
    *("own_kind_needed", "own_kind_lacking", "other_kind_needed", "other_kind_lacking", "group_needed"),
    *("digits_around", "raised_around", "mines_around", "beside_icon", "mean_number"),
    *_KIND_COLUMNS,
)
"""Names of a group's columns, in the order that models are trained with."""

CONTEXT_FEATURES: Final = len(CONTEXT_COLUMNS)
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
    """(groups, 14) mean class probability of each group's tiles, by tile class."""
    background: FloatArray
    """(n, 3) Lab colour of each tile's background."""
    frame: FloatArray
    """(n, 24) lightness profile along each tile's sides."""
    contrast: FloatArray
    """(n,) how far a tile's strongest pixels are from its background, Lab units."""
    vectors: FloatArray
    """(n, d) feature vectors of the tiles (see `features`)."""
    continues: tuple[Side, ...] = ()
    """Sides where the board goes on beyond the picture."""

    @cached_property
    def tint(self) -> FloatArray:
        """(n, 80) lightness by place and colours of each tile, mostly within -1 to 1."""
        return tints(self.vectors)

    @cached_property
    def means(self) -> npt.NDArray[np.float64]:
        """(groups, d) mean feature vector of each group's tiles."""
        return group_means(self.vectors, self.groups)

    @property
    def blank(self) -> npt.NDArray[np.float32]:
        """(groups,) probability that a group has no glyph: covered or opened 0."""
        share: npt.NDArray[np.float32] = self.probability[:, 0] + self.probability[:, COVERED]
        return share


def group_means(vectors: FloatArray, groups: npt.NDArray[np.intp]) -> npt.NDArray[np.float64]:
    """Return the mean of the (n, d) vectors of each group's tiles, (groups, d)."""
    size = np.bincount(groups)
    order = np.argsort(groups, kind="stable")
    sums = np.add.reduceat(vectors[order], np.concatenate([[0], np.cumsum(size)[:-1]]), axis=0)
    means: npt.NDArray[np.float64] = sums.astype(np.float64) / size[:, None]
    return means


def provisional_classes(scene: Scene) -> npt.NDArray[np.intp]:
    """Return each tile's likeliest class, (n,), covered and opened 0 both given as 0."""
    folded = scene.probability.copy()
    folded[:, _BLANK] = scene.blank
    folded[:, COVERED] = 0.0
    classes: npt.NDArray[np.intp] = folded.argmax(axis=1)[scene.groups]
    return classes


@dataclass(frozen=True)
class _Seen:
    """A scene with its tiles' provisional classes and neighbours: what all columns are made of."""

    scene: Scene
    digit: _Mask
    """(n,) opened tiles with a number."""
    raised: _Mask
    """(n,) flags and question marks."""
    blank: _Mask
    """(n,) tiles without a glyph."""
    mine: _Mask
    """(n,) shown mines and wrong flags."""
    numbers: npt.NDArray[np.intp]
    """(n,) the digits' numbers; 0 for other tiles."""
    kinds: npt.NDArray[np.intp]
    """(n,) 1 or 2 for blanks (see `two_kinds`), 0 for others."""
    around: npt.NDArray[np.int32]
    """(n, 8) tiles around each, 0 where there is none."""
    there: _Mask
    """(n, 8) where there is one."""

    @classmethod
    def of(cls, scene: Scene) -> _Seen:
        classes = provisional_classes(scene)
        digit, blank = (classes >= 1) & (classes <= 8), classes == _BLANK
        table = neighbour_table(scene.rows, scene.columns)
        return cls(
            scene=scene,
            digit=digit,
            raised=(classes == FLAG) | (classes == QUESTION),
            blank=blank,
            mine=(classes == MINE) | (classes == WRONG_FLAG),
            numbers=np.where(digit, classes, 0),
            kinds=two_kinds(scene, blank),
            around=np.where(table >= 0, table, 0),
            there=table >= 0,
        )

    def mean(self, values: npt.NDArray[np.floating[Any]] | _Mask) -> npt.NDArray[np.float32]:
        """Return (groups,) mean of a value of each tile."""
        groups, count = self.scene.groups, len(self.scene.probability)
        size = np.bincount(groups, minlength=count).astype(np.float32)
        return (np.bincount(groups, weights=values, minlength=count) / size).astype(np.float32)

    def touching(self, chosen: _Mask) -> npt.NDArray[np.int64]:
        """(n,) how many of the chosen tiles are around each."""
        hits: npt.NDArray[np.int64] = (chosen[self.around] & self.there).sum(axis=1)
        return hits

    @property
    def places(self) -> npt.NDArray[np.int64]:
        """(n,) how many tiles are around each, at least 1."""
        places: npt.NDArray[np.int64] = np.maximum(self.there.sum(axis=1), 1)
        return places


def context_features(scene: Scene) -> FloatArray:
    """Return one vector a group: (groups, CONTEXT_FEATURES) float32, the columns of CONTEXT_COLUMNS.

    How the group's background and frame compare with those of the digits (opened) and flags (covered) of the
    same picture, what its tiles touch, and whether the numbers could hold with the group opened or covered.
    Meant for groups without a glyph; the values for others are defined but of no use.
    """
    seen = _Seen.of(scene)
    odds = np.log((scene.probability[:, COVERED] + 0.02) / (scene.probability[:, 0] + 0.02))
    to_digits, digits_known = _nearest(scene.background, seen.digit)
    to_raised, raised_known = _nearest(scene.background, seen.raised)
    columns: Columns = {
        "covered_odds": odds / 3.0,
        "to_digits": seen.mean(to_digits),
        "to_raised": seen.mean(to_raised),
        "to_digits_or_raised": seen.mean(to_digits - to_raised) * float(digits_known and raised_known),
        "digits_known": digits_known,
        "raised_known": raised_known,
    }
    columns |= _pixel_columns(seen)
    columns |= _board_columns(seen)
    columns |= _own_columns(seen)
    columns |= _lacking_columns(seen)
    columns |= _touching_columns(seen)
    beside_icon = seen.touching(seen.raised | seen.mine) > 0
    means = _kind_means(scene, seen.kinds, seen.blank, beside_icon, odds, to_digits, to_raised)
    columns |= dict(zip(_KIND_COLUMNS, means, strict=True))
    return stacked(columns, CONTEXT_COLUMNS, len(scene.probability))


def stacked(columns: Columns, names: tuple[str, ...], count: int) -> FloatArray:
    """Stack the columns of these names, (count,) each or one value for all: (count, len(names)) float32."""
    if columns.keys() != set(names):
        raise ValueError(f"columns and names differ: {sorted(columns.keys() ^ set(names))}")
    return np.stack([np.broadcast_to(np.asarray(columns[name], np.float32), count) for name in names], axis=1)


def _pixel_columns(seen: _Seen) -> Columns:
    """How the background, the frame and the contrast of each group compare with the rest of the picture."""
    scene, digit = seen.scene, seen.digit
    middle = middle_of(scene.background[digit]) if digit.any() else np.zeros(3)
    known = float(digit.any())
    return {
        "frame_to_digits": seen.mean(_nearest(scene.frame, digit)[0]),
        "frame_to_raised": seen.mean(_nearest(scene.frame, seen.raised)[0]),
        "beside": seen.mean(_beside(scene.background, digit, seen.around, seen.there)),
        "lighter": seen.mean(np.tanh((scene.background[:, 0] - middle[0]) / 10.0) * known),
        "tinted": seen.mean(np.tanh(np.hypot(*(scene.background[:, 1:] - middle[1:]).T) / 10.0) * known),
        "contrast": seen.mean(np.tanh(scene.contrast / 10.0)),
    }


def _board_columns(seen: _Seen) -> Columns:
    """How much of the board shows digits and blanks, and how large each group is."""
    groups = seen.scene.groups
    size = np.bincount(groups, minlength=len(seen.scene.probability)).astype(np.float32)
    return {
        "digit_share": seen.digit.mean(),
        "blank_share": seen.blank.mean(),
        "size_share": size / len(groups),
        "size": np.tanh(size / 10.0),
    }


def _own_columns(seen: _Seen) -> Columns:
    """How much of what is around each group is of the same group, and of the same kind of blank."""
    columns: Columns = {}
    groups, kinds, around, there = seen.scene.groups, seen.kinds, seen.around, seen.there
    for name, own in (
        ("group", _same_group(groups, around, there)),
        ("kind", _same_kind(kinds, around, there)),
    ):
        closed = np.asarray((own | seen.digit[around] | ~there).all(axis=1))
        columns[f"own_{name}_around"] = seen.mean(own.sum(axis=1) / seen.places)
        columns[f"own_{name}_encloses"] = seen.mean(closed)
    return columns


def _lacking_columns(seen: _Seen) -> Columns:
    """Return what numbers around would lack with the group's kind opened, the other, and it alone."""
    spare = seen.touching(seen.blank | seen.raised | seen.mine) - seen.numbers
    needed, overall = [], []
    for shade in (seen.kinds == 1, seen.kinds == 2):
        lacking = (seen.digit & (spare - seen.touching(shade & seen.blank) < 0)).astype(np.float32)
        needed.append(seen.mean(_per_tile(lacking, seen.digit, seen.around, seen.there)))
        overall.append(float(lacking.sum()) / max(int(seen.digit.sum()), 1))
    first = seen.mean(seen.kinds == 1) > 0.5
    return {
        "own_kind_needed": np.where(first, needed[0], needed[1]),
        "own_kind_lacking": np.where(first, overall[0], overall[1]),
        "other_kind_needed": np.where(first, needed[1], needed[0]),
        "other_kind_lacking": np.where(first, overall[1], overall[0]),
        "group_needed": _lacking_without_group(seen.scene, spare, seen.around, seen.there, seen.digit),
    }


def _touching_columns(seen: _Seen) -> Columns:
    """Return what the tiles of each group touch."""
    touching, places = seen.touching, seen.places
    return {
        "digits_around": seen.mean(touching(seen.digit) / places),
        "raised_around": seen.mean(touching(seen.raised) / places),
        "mines_around": seen.mean(touching(seen.mine) / places),
        "beside_icon": seen.mean(touching(seen.raised | seen.mine) > 0),
        "mean_number": seen.mean(_average(seen.numbers, seen.digit, seen.around, seen.there) / 4.0),
    }


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
    background: FloatArray,
    digit: npt.NDArray[np.bool_],
    around: npt.NDArray[np.int32],
    there: npt.NDArray[np.bool_],
) -> npt.NDArray[np.float32]:
    """(n,) squashed distance to the nearest background of the digits around each tile; 0.5 without any."""
    distances = np.sqrt(((background[:, None, :] - background[around]) ** 2).sum(axis=2))
    distances = np.where(there & digit[around], distances, np.inf).min(axis=1)
    return np.where(np.isfinite(distances), np.tanh(distances / 8.0), 0.5).astype(np.float32)


def two_kinds(scene: Scene, blank: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
    """Split blanks in two kinds by background and frame (k-means, k = 2): (n,) 1 or 2, 0 for other tiles."""
    kinds = np.zeros(len(blank), dtype=np.intp)
    if not blank.any():
        return kinds
    vectors = np.concatenate([scene.background / 8.0, scene.frame], axis=1)[blank]
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
    """Return the share of numbers touching a group that cannot hold if just it were opened, (groups,)."""
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
    backgrounds = [middle_of(scene.background[kind]) for kind in tiles]
    apart = np.tanh(np.linalg.norm(backgrounds[0] - backgrounds[1]) / 8.0)
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
