"""The search for the best naming: coordinate descent over groups, under evidence and rules together."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED, FLAG, MINE
from visionsweeper.vision.tiles.classes import CLASS_NAMES, WRONG_FLAG, tiles_of_classes
from visionsweeper.vision.tiles.context import Scene, two_kinds
from visionsweeper.vision.tiles.features import FloatArray
from visionsweeper.vision.tiles.likeness import NO_TIES, Ties
from visionsweeper.vision.tiles.rules import COUNT_WEIGHT, TABLE_ROW, ClassCodes, Rules, penalty_table

_WITHIN: Final = 5.0  # classes less likely than the best by more than this (natural log) are not tried
_SWEEPS: Final = 4
SIZE_POWER: Final = 0.4  # errors repeat over a whole group: n tiles are worth n ** this of evidence
_MOST_MARGIN: Final = 30.0
_RULED_OUT: Final = -100.0  # natural log of a likelihood
_NO_MINES: Final = 3.0  # natural log; what wrong flags cost where there are no mines,
_NO_FLAGS: Final = 1.0  # and where there are no flags
_EXPLODED: Final = 1.7  # what a lost board gains where one mine has a look of its own
_OTHER_LOOK: Final = 3.0  # what wrong flags cost for each look beyond the first: games draw them alike
_LONE: Final = len(CLASS_NAMES)  # in counts of bearers: mines with a look of their own,
_LOOKS: Final = _LONE + 1  # and looks of wrong flags
_TILES: Final = tiles_of_classes(np.arange(len(CLASS_NAMES)))


class Search:
    """Coordinate descent over the groups; a change is weighed only where it is felt."""

    def __init__(self, scene: Scene, likelihood: FloatArray, ties: Ties = NO_TIES) -> None:
        """`likelihood`: (groups, 14) log likelihood of each class."""
        self.scene = scene
        self.rules = Rules(scene.rows, scene.columns, scene.continues)
        count = len(likelihood)
        size = np.bincount(scene.groups, minlength=count)
        self.size = size
        self._weigh(likelihood)
        self._ties = ties
        self._tie_costs = _tie_costs(ties, size)
        self.tied = _by_group(ties, self._tie_costs, count)
        """By group: the groups that it is tied to, and what it costs to name each of them another tile."""
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

    def _weigh(self, likelihood: FloatArray) -> None:
        self.likelihood = likelihood
        self.unary = -likelihood.astype(np.float64) * (self.size**SIZE_POWER)[:, None]
        self.unary -= self.unary.min(axis=1, keepdims=True)
        self.candidates = [_candidates(logs) for logs in likelihood]

    def where_lost(self) -> Search:
        """Return this search with the rules of a lost board."""
        scene, other = self.scene, copy(self)
        other.rules = Rules(scene.rows, scene.columns, scene.continues, lost=True)
        return other

    def without(self, *classes: int) -> Search:
        """Return this search with these tile classes ruled out."""
        likelihood, other = self.likelihood.copy(), copy(self)
        likelihood[:, classes] = _RULED_OUT
        other._weigh(likelihood)
        return other

    def starts(self) -> Iterable[ClassCodes]:
        """Yield namings to descend from: as the evidence says, and each way of calling the two blanks."""
        plain: ClassCodes = self.likelihood.argmax(axis=1)
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

    def total(self, classes: ClassCodes) -> float:
        """Return what a naming, (groups,) tile classes, costs in all (natural log; lower is likelier)."""
        own = float(self.unary[np.arange(len(classes)), classes].sum())
        apart = _TILES[classes[self._ties.one]] != _TILES[classes[self._ties.other]]
        rules = float(self.rules.penalties(classes[self.scene.groups]).sum())
        roles = self.roles(self.bearers(classes))
        return own + rules + roles + float(self._tie_costs[apart].sum())

    def bearers(self, classes: ClassCodes) -> list[int]:
        """Count the groups that bear each class.

        At _LONE, how many of them are mines with a look of their own; at _LOOKS, how many looks the wrong
        flags have.
        """
        lone = int((self.size[classes == MINE] == 1).sum())
        looks = self.looks(np.flatnonzero(classes == WRONG_FLAG).tolist(), classes)
        return [*np.bincount(classes, minlength=len(CLASS_NAMES)).tolist(), lone, looks]

    def looks(self, groups: Iterable[int], classes: ClassCodes, without: int | None = None) -> int:
        """Count the looks of some wrong flags: those that ties join, one by one, have one.

        Any wrong flags may join them, but not the group `without`.
        """
        left, seen, looks = set(groups), {without}, 0
        while left:
            looks += 1
            joined = [left.pop()]
            while joined and left:  # what else this look has does not matter
                tied = self.wrong_flags_beside(joined.pop(), classes) - seen
                seen |= tied
                left -= tied
                joined += tied
        return looks

    def wrong_flags_beside(self, group: int, classes: ClassCodes) -> set[int]:
        """Return the other wrong flags that a group is tied to."""
        others = self.tied[group][0]
        return set(others[classes[others] == WRONG_FLAG].tolist())

    def roles(self, bearers: list[int]) -> float:
        """Return what the classes that some groups bear, as `bearers` counts them, cost together.

        Wrong flags do where there are no mines, and where there are no flags: they are shown only on lost
        boards, where mines are shown too. And they are told from flags by what they look like beside them:
        many games leave the flags of a lost board as they are, though some show the mines under the right
        ones. All of them look alike. A lost board costs less where one mine has a look of its own: most show
        which one exploded.
        """
        cost = -_EXPLODED * (self.rules.lost and bearers[_LONE] > 0)
        if bearers[WRONG_FLAG]:
            cost += _NO_MINES * (not bearers[MINE]) + _NO_FLAGS * (not bearers[FLAG])
            cost += _OTHER_LOOK * (bearers[_LOOKS] - 1)
        return cost

    def descend(self, start: ClassCodes) -> ClassCodes:
        """Change one group at a time for the better until none is left to change."""
        classes = start.copy()
        state = State(self, classes)
        for _ in range(_SWEEPS):
            changed = False
            for group in np.argsort(-self.size, kind="stable").tolist():
                gain, tile_class = min(
                    (state.change(group, tile_class, below=0.0), tile_class)
                    for tile_class in self.candidates[group]
                )
                if gain < -1e-9:
                    state.set(group, tile_class)
                    changed = True
            if not changed:
                break
        return state.classes

    def margins(self, classes: ClassCodes) -> npt.NDArray[np.float64]:
        """Return how much each group's tile could be another before the whole is as unlikely."""
        state = State(self, classes)
        margins = np.full(len(classes), _MOST_MARGIN)
        for group, kept in enumerate(classes.tolist()):
            for tile_class in np.flatnonzero(_TILES[kept] != _TILES).tolist():
                cost = self.unary[group, tile_class] - self.unary[group, kept]
                if tile_class in self.candidates[group]:
                    cost = state.change(group, tile_class, below=margins[group])
                margins[group] = min(margins[group], cost)
        return np.asarray(np.maximum(margins, 0.0))


class State:
    """A naming in the making, with the counts and penalties of every tile kept up to date."""

    def __init__(self, search: Search, classes: ClassCodes) -> None:
        self._search = search
        self.classes = classes.copy()
        self._bearers = search.bearers(classes)
        self._tiles = classes[search.scene.groups]
        self._counts = search.rules.counts(self._tiles)
        self._penalties = penalty_table()[self._counts + TABLE_ROW[self._tiles] + search.rules.part]

    def change(self, group: int, tile_class: int, below: float = np.inf) -> float:
        """Return what the whole costs more (or, below 0, less) with the group named so.

        What is not `below` that much may be less than it really is, but not less than `below`.
        """
        kept = int(self.classes[group])
        if tile_class == kept:
            return 0.0
        search = self._search
        before = float(self._penalties[search.felt[group]].sum())
        cost = float(search.unary[group, tile_class] - search.unary[group, kept]) - before
        cost += self._role_change(group, tile_class) + self._tie_change(group, tile_class)
        if cost >= below:  # even if no rule were broken: the slow part is to count how many are
            return cost
        counts, rows = self._moved(group, tile_class)
        return cost + float(penalty_table()[counts + rows].sum())

    def set(self, group: int, tile_class: int) -> None:
        """Name the group."""
        felt = self._search.felt[group]
        counts, rows = self._moved(group, tile_class)
        self._counts[felt] = counts
        self._tiles[felt[self._search.own[group]]] = tile_class
        self._penalties[felt] = penalty_table()[counts + rows]
        self._bearers = self._with_bearers(group, tile_class)
        self.classes[group] = tile_class

    def _moved(self, group: int, tile_class: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        search = self._search
        felt = search.felt[group]
        shift = COUNT_WEIGHT[tile_class] - COUNT_WEIGHT[self.classes[group]]
        rows = np.where(search.own[group], TABLE_ROW[tile_class], TABLE_ROW[self._tiles[felt]])
        return self._counts[felt] + shift * search.around[group], rows + search.rules.part[felt]

    def _tie_change(self, group: int, tile_class: int) -> float:
        others, costs = self._search.tied[group]
        kept, new = _TILES[self.classes[group]], _TILES[tile_class]
        if kept == new or not len(others):
            return 0.0
        named = _TILES[self.classes[others]]
        return float(costs[named == kept].sum() - costs[named == new].sum())

    def _role_change(self, group: int, tile_class: int) -> float:
        if not {int(self.classes[group]), tile_class} & {FLAG, MINE, WRONG_FLAG}:
            return 0.0
        return self._search.roles(self._with_bearers(group, tile_class)) - self._search.roles(self._bearers)

    def _with_bearers(self, group: int, tile_class: int) -> list[int]:
        """How many groups bear each class once the group is named so."""
        kept, bearers = int(self.classes[group]), self._bearers.copy()
        if kept == tile_class:
            return bearers
        bearers[kept] -= 1
        bearers[tile_class] += 1
        if self._search.size[group] == 1:
            bearers[_LONE] += (tile_class == MINE) - (kept == MINE)
        if WRONG_FLAG in {kept, tile_class}:
            beside = self._search.wrong_flags_beside(group, self.classes)
            joins = self._search.looks(beside, self.classes, without=group) - 1
            bearers[_LOOKS] += joins if kept == WRONG_FLAG else -joins
        return bearers


def _tie_costs(ties: Ties, size: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """(k,) what it costs to name the two groups of each pair different tiles.

    Counted like the evidence of the smaller one; shared out among the ties of both, which say much the same.
    """
    degree = np.bincount(np.concatenate([ties.one, ties.other]), minlength=len(size))
    smaller = np.minimum(size[ties.one], size[ties.other]) ** SIZE_POWER
    costs: npt.NDArray[np.float64] = ties.odds * smaller / np.sqrt(degree[ties.one] * degree[ties.other])
    return costs


def _by_group(
    ties: Ties, costs: npt.NDArray[np.float64], count: int
) -> list[tuple[npt.NDArray[np.intp], npt.NDArray[np.float64]]]:
    """Of each group, the groups that it is tied to, and the costs."""
    here, there = np.concatenate([ties.one, ties.other]), np.concatenate([ties.other, ties.one])
    order = np.argsort(here, kind="stable")
    ends = np.cumsum(np.bincount(here, minlength=count))[:-1]
    return list(zip(np.split(there[order], ends), np.split(np.tile(costs, 2)[order], ends), strict=True))


def _candidates(logs: FloatArray) -> list[int]:
    """Return the classes worth trying for a group, the likeliest first."""
    order = np.argsort(-logs, kind="stable")
    classes: list[int] = order[logs[order] > logs.max() - _WITHIN][:5].tolist()
    if max(logs[0], logs[COVERED]) > logs.max() - 2.0:
        classes += [tile_class for tile_class in (0, COVERED) if tile_class not in classes]
    return classes
