"""Names for groups of look-alikes: jointly the likeliest under the evidence and the rules of the game."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED, FLAG, MINE, neighbour_table
from visionsweeper.vision.context import Scene, two_kinds
from visionsweeper.vision.features import FloatArray
from visionsweeper.vision.looks import LOOK_NAMES, QUESTION, WRONG_FLAG, tiles_of_looks

_WITHIN: Final = 5.0  # looks less likely than the best by more than this (natural log) are not tried
_SWEEPS: Final = 4
_SIZE_POWER: Final = 0.4  # errors repeat over a whole group: n tiles are worth n ** this of evidence
_MOST_MARGIN: Final = 30.0

_FREQUENCY: Final = np.array(
    [0.25, 0.17, 0.1, 0.05, 0.02, 6e-3, 2e-3, 1e-3, 1e-3, 0.3, 0.08, 0.02, 3e-3, 3e-3]
)
"""Look code -> rough share of the tiles of games in play."""
_FREQUENCY_WEIGHT: Final = 0.05  # enough to refuse a board full of question marks, too little to forbid one 8

Looks = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Naming:
    """One look for every group."""

    looks: npt.NDArray[np.uint8]
    """(groups,) look codes."""
    margin: npt.NDArray[np.float64]
    """(groups,) natural log, at least 0: how much worse the whole is with the group read as another tile."""
    cost: float
    """Of the whole naming; lower is likelier."""


class Rules:
    """What a naming costs where it breaks the rules of the game.

    A number beyond what surrounds it or below the mines shown around it; an opened 0 that touches a covered
    tile, a flag or a mine; more flags than the number. And a little for a number that touches no opened 0:
    calling every blank covered breaks no rule, yet most numbers were opened by a 0.
    """

    def __init__(self, rows: int, columns: int) -> None:
        # Tile n stands for the outside and matches no look.
        table = neighbour_table(rows, columns)
        self.around = np.where(table < 0, rows * columns, table)
        """(n, 8) indices of the tiles around each; n where there is none."""

    def counts(self, looks: Looks) -> npt.NDArray[np.int64]:
        """(n,) what is around each tile of (n,) look codes, as digits to base 9 (see COUNT_WEIGHT)."""
        padded = np.append(looks, len(LOOK_NAMES))
        counts: npt.NDArray[np.int64] = COUNT_WEIGHT[padded][self.around].sum(axis=1)
        return counts

    def penalties(self, looks: Looks) -> npt.NDArray[np.float64]:
        """(n,) penalty of each tile of (n,) look codes."""
        penalties: npt.NDArray[np.float64] = penalty_table()[self.counts(looks) + TABLE_ROW[looks]]
        return penalties


def _count_weights() -> npt.NDArray[np.int64]:
    weights = np.zeros(len(LOOK_NAMES) + 1, dtype=np.int64)
    weights[[COVERED, QUESTION]] = 1
    weights[FLAG] = 9
    weights[MINE] = 81
    weights[0] = 729
    return weights


COUNT_WEIGHT: Final = _count_weights()
"""Look code -> its weight in a count; eight tiles at most never carry over to the next base-9 digit."""

TABLE_ROW: Final = np.minimum(np.arange(len(LOOK_NAMES)), 9) * 9**4
"""Look code -> where its part of the penalty table begins; all that are no number share the last."""


@lru_cache(maxsize=1)
def penalty_table() -> npt.NDArray[np.float64]:
    """Penalty by number and count: one look-up a tile instead of arithmetic, thousands of times a board."""
    count = np.arange(9**4)
    covered, flags, mines, zeros = count % 9, count // 9 % 9, count // 81 % 9, count // 729
    parts = [np.minimum(0.8 * covered + 0.8 * flags + 1.5 * mines, 4.0)]
    for number in range(1, 9):
        short = np.maximum(number - covered - flags - mines, 0)
        beyond = np.maximum(mines - number, 0)
        flagged = np.maximum(flags + mines - number, 0)
        broken = np.minimum(2.0 * short + 2.0 * beyond + 0.5 * flagged, 4.0)
        parts.append(broken + 0.15 * (zeros == 0))
    return np.concatenate([*parts, np.zeros(9**4)])


def name_groups(scene: Scene, likelihood: FloatArray) -> Naming:
    """The likeliest joint naming.

    `likelihood`: (groups, 14) log likelihood of each look for each group. Descends from several starts (as
    the evidence says; each way of calling the two kinds of blanks) by changing one group at a time.
    """
    search = _Search(scene, likelihood)
    best = min((search.descend(start) for start in search.starts()), key=search.total)
    return Naming(best.astype(np.uint8), search.margins(best), search.total(best))


class _Search:
    """Coordinate descent over the groups; a change is weighed only where it is felt."""

    def __init__(self, scene: Scene, likelihood: FloatArray) -> None:
        self._scene = scene
        self._rules = Rules(scene.rows, scene.columns)
        count = len(likelihood)
        size = np.bincount(scene.groups, minlength=count)
        self._unary = -likelihood.astype(np.float64) * (size**_SIZE_POWER)[:, None]
        self._unary -= np.outer(size, np.log(_FREQUENCY)) * _FREQUENCY_WEIGHT
        self._unary -= self._unary.min(axis=1, keepdims=True)
        self._candidates = [_candidates(logs) for logs in likelihood]
        self._likelihood = likelihood
        self._size = size
        # How many of the tiles around each belong to each group, and the tiles that feel a group's name.
        n = len(scene.groups)
        padded = np.append(scene.groups, count)
        self._touching = np.zeros((count + 1, n), dtype=np.int64)
        np.add.at(self._touching, (padded[self._rules.around], np.arange(n)[:, None]), 1)
        own = scene.groups[None, :] == np.arange(count)[:, None]
        self._felt = [np.flatnonzero(row) for row in (self._touching[:-1] > 0) | own]
        self._own = [own[g, felt] for g, felt in enumerate(self._felt)]
        self._around = [self._touching[g, felt] for g, felt in enumerate(self._felt)]

    def starts(self) -> Iterable[Looks]:
        plain: Looks = self._likelihood.argmax(axis=1)
        yield plain
        blank = (plain == 0) | (plain == COVERED)
        if not blank.any():
            return
        kinds = two_kinds(self._scene, blank[self._scene.groups])
        second = np.bincount(self._scene.groups, weights=kinds == 2, minlength=len(plain))
        in_second = second > self._size / 2
        for one, two in ((COVERED, 0), (0, COVERED), (COVERED, COVERED)):
            start = plain.copy()
            start[blank & ~in_second] = one
            start[blank & in_second] = two
            yield start

    def total(self, looks: Looks) -> float:
        own = float(self._unary[np.arange(len(looks)), looks].sum())
        return own + float(self._rules.penalties(looks[self._scene.groups]).sum()) + _roles(looks)

    def descend(self, start: Looks) -> Looks:
        looks = start.copy()
        state = _State(self, looks)
        for _ in range(_SWEEPS):
            changed = False
            for group in np.argsort(-self._size, kind="stable").tolist():
                gains = [(state.change(group, look), look) for look in self._candidates[group]]
                gain, look = min(gains)
                if gain < -1e-9:
                    state.set(group, look)
                    changed = True
            if not changed:
                break
        return state.looks

    def margins(self, looks: Looks) -> npt.NDArray[np.float64]:
        """How much each group's tile could be another before the whole is as unlikely."""
        state = _State(self, looks)
        codes = tiles_of_looks(np.arange(len(LOOK_NAMES), dtype=np.uint8))
        margins = np.full(len(looks), _MOST_MARGIN)
        for group, kept in enumerate(looks.tolist()):
            for look in np.flatnonzero(codes != codes[kept]).tolist():
                least = self._unary[group, look] - self._unary[group, kept]
                tried = look in self._candidates[group]
                margins[group] = min(margins[group], state.change(group, look) if tried else least)
        return np.asarray(np.maximum(margins, 0.0))


class _State:
    """A naming in the making, with the counts and penalties of every tile kept up to date."""

    def __init__(self, search: _Search, looks: Looks) -> None:
        self._search = search
        self.looks = looks.copy()
        self._tiles = looks[search._scene.groups]
        self._counts = search._rules.counts(self._tiles)
        self._penalties = penalty_table()[self._counts + TABLE_ROW[self._tiles]]

    def change(self, group: int, look: int) -> float:
        """What the whole costs more (or, below 0, less) with the group named so."""
        kept = int(self.looks[group])
        if look == kept:
            return 0.0
        felt = self._search._felt[group]
        counts, rows = self._moved(group, look)
        new = float(penalty_table()[counts + rows].sum()) - float(self._penalties[felt].sum())
        own = self._search._unary[group, look] - self._search._unary[group, kept]
        return new + float(own) + self._role_change(group, look)

    def set(self, group: int, look: int) -> None:
        """Name the group."""
        felt = self._search._felt[group]
        counts, rows = self._moved(group, look)
        self._counts[felt] = counts
        self._tiles[felt[self._search._own[group]]] = look
        self._penalties[felt] = penalty_table()[counts + rows]
        self.looks[group] = look

    def _moved(self, group: int, look: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        search = self._search
        felt = search._felt[group]
        shift = COUNT_WEIGHT[look] - COUNT_WEIGHT[self.looks[group]]
        rows = np.where(search._own[group], TABLE_ROW[look], TABLE_ROW[self._tiles[felt]])
        return self._counts[felt] + shift * search._around[group], rows

    def _role_change(self, group: int, look: int) -> float:
        kept = self.looks[group]
        if not {int(kept), look} & {MINE, WRONG_FLAG}:
            return 0.0
        before = _roles(self.looks)
        self.looks[group] = look
        after = _roles(self.looks)
        self.looks[group] = kept
        return after - before


def _candidates(logs: FloatArray) -> list[int]:
    """The looks worth trying for a group, the likeliest first."""
    order = np.argsort(-logs, kind="stable")
    looks: list[int] = order[logs[order] > logs.max() - _WITHIN][:5].tolist()
    if max(logs[0], logs[COVERED]) > logs.max() - 2.0:
        looks += [look for look in (0, COVERED) if look not in looks]
    return looks


def _roles(looks: Looks) -> float:
    """Wrong flags are shown only on lost boards, where mines are shown too."""
    return 3.0 if (looks == WRONG_FLAG).any() and not (looks == MINE).any() else 0.0
