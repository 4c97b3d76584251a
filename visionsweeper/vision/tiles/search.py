"""The search for the best naming: coordinate descent over groups, under evidence and rules together."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED, MINE
from visionsweeper.vision.tiles.classes import LOOK_NAMES, WRONG_FLAG, tiles_of_looks
from visionsweeper.vision.tiles.context import Scene, two_kinds
from visionsweeper.vision.tiles.features import FloatArray
from visionsweeper.vision.tiles.rules import COUNT_WEIGHT, TABLE_ROW, Looks, Rules, penalty_table

_WITHIN: Final = 5.0  # looks less likely than the best by more than this (natural log) are not tried
_SWEEPS: Final = 4
_SIZE_POWER: Final = 0.4  # errors repeat over a whole group: n tiles are worth n ** this of evidence
_MOST_MARGIN: Final = 30.0

_FREQUENCY: Final = np.array(
    [0.25, 0.17, 0.1, 0.05, 0.02, 6e-3, 2e-3, 1e-3, 1e-3, 0.3, 0.08, 0.02, 3e-3, 3e-3]
)
"""Look code -> rough share of the tiles of games in play."""
_FREQUENCY_WEIGHT: Final = 0.05  # enough to refuse a board full of question marks, too little to forbid one 8


class Search:
    """Coordinate descent over the groups; a change is weighed only where it is felt."""

    def __init__(self, scene: Scene, likelihood: FloatArray) -> None:
        self.scene = scene
        self.rules = Rules(scene.rows, scene.columns)
        count = len(likelihood)
        size = np.bincount(scene.groups, minlength=count)
        self.unary = -likelihood.astype(np.float64) * (size**_SIZE_POWER)[:, None]
        self.unary -= np.outer(size, np.log(_FREQUENCY)) * _FREQUENCY_WEIGHT
        self.unary -= self.unary.min(axis=1, keepdims=True)
        self.candidates = [_candidates(logs) for logs in likelihood]
        self._likelihood = likelihood
        self.size = size
        self.felt: list[npt.NDArray[np.intp]] = []
        """By group: the tiles that feel its name, being its own or beside one of them."""
        self.own: list[npt.NDArray[np.bool_]] = []
        """By group: which of these are its own."""
        self.around: list[npt.NDArray[np.int64]] = []
        """By group: how many of the eight tiles around each of these are its own."""
        n = len(scene.groups)
        by_group = np.argsort(scene.groups, kind="stable")
        for members in np.split(by_group, np.cumsum(size)[:-1]):
            beside = np.bincount(self.rules.around[members].ravel(), minlength=n + 1)[:n]
            mine = np.zeros(n, dtype=bool)
            mine[members] = True
            felt = np.flatnonzero(mine | (beside > 0))
            self.felt.append(felt)
            self.own.append(mine[felt])
            self.around.append(beside[felt])

    def starts(self) -> Iterable[Looks]:
        """Namings to descend from: as the evidence says, and each way of calling the two kinds of blanks."""
        plain: Looks = self._likelihood.argmax(axis=1)
        yield plain
        blank = (plain == 0) | (plain == COVERED)
        if not blank.any():
            return
        kinds = two_kinds(self.scene, blank[self.scene.groups])
        second = np.bincount(self.scene.groups, weights=kinds == 2, minlength=len(plain))
        in_second = second > self.size / 2
        for one, two in ((COVERED, 0), (0, COVERED), (COVERED, COVERED)):
            start = plain.copy()
            start[blank & ~in_second] = one
            start[blank & in_second] = two
            yield start

    def total(self, looks: Looks) -> float:
        """What a naming, (groups,) look codes, costs in all (natural log; lower is likelier)."""
        own = float(self.unary[np.arange(len(looks)), looks].sum())
        return own + float(self.rules.penalties(looks[self.scene.groups]).sum()) + _roles(looks)

    def descend(self, start: Looks) -> Looks:
        """Change one group at a time for the better until none is left to change."""
        looks = start.copy()
        state = State(self, looks)
        for _ in range(_SWEEPS):
            changed = False
            for group in np.argsort(-self.size, kind="stable").tolist():
                gains = [(state.change(group, look), look) for look in self.candidates[group]]
                gain, look = min(gains)
                if gain < -1e-9:
                    state.set(group, look)
                    changed = True
            if not changed:
                break
        return state.looks

    def margins(self, looks: Looks) -> npt.NDArray[np.float64]:
        """How much each group's tile could be another before the whole is as unlikely."""
        state = State(self, looks)
        codes = tiles_of_looks(np.arange(len(LOOK_NAMES), dtype=np.uint8))
        margins = np.full(len(looks), _MOST_MARGIN)
        for group, kept in enumerate(looks.tolist()):
            for look in np.flatnonzero(codes != codes[kept]).tolist():
                least = self.unary[group, look] - self.unary[group, kept]
                tried = look in self.candidates[group]
                margins[group] = min(margins[group], state.change(group, look) if tried else least)
        return np.asarray(np.maximum(margins, 0.0))


class State:
    """A naming in the making, with the counts and penalties of every tile kept up to date."""

    def __init__(self, search: Search, looks: Looks) -> None:
        self._search = search
        self.looks = looks.copy()
        self._tiles = looks[search.scene.groups]
        self._counts = search.rules.counts(self._tiles)
        self._penalties = penalty_table()[self._counts + TABLE_ROW[self._tiles]]

    def change(self, group: int, look: int) -> float:
        """What the whole costs more (or, below 0, less) with the group named so."""
        kept = int(self.looks[group])
        if look == kept:
            return 0.0
        felt = self._search.felt[group]
        counts, rows = self._moved(group, look)
        new = float(penalty_table()[counts + rows].sum()) - float(self._penalties[felt].sum())
        own = self._search.unary[group, look] - self._search.unary[group, kept]
        return new + float(own) + self._role_change(group, look)

    def set(self, group: int, look: int) -> None:
        """Name the group."""
        felt = self._search.felt[group]
        counts, rows = self._moved(group, look)
        self._counts[felt] = counts
        self._tiles[felt[self._search.own[group]]] = look
        self._penalties[felt] = penalty_table()[counts + rows]
        self.looks[group] = look

    def _moved(self, group: int, look: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        search = self._search
        felt = search.felt[group]
        shift = COUNT_WEIGHT[look] - COUNT_WEIGHT[self.looks[group]]
        rows = np.where(search.own[group], TABLE_ROW[look], TABLE_ROW[self._tiles[felt]])
        return self._counts[felt] + shift * search.around[group], rows

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
