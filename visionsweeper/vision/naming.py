"""Names for groups of look-alikes: jointly the likeliest under the evidence and the rules of the game."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
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
    """What a naming costs where it breaks the rules of the game."""

    def __init__(self, rows: int, columns: int) -> None:
        # Tile n stands for the outside and matches no look.
        table = neighbour_table(rows, columns)
        self._around = np.where(table < 0, rows * columns, table).T.copy()
        self._weights = _count_weights()

    def cost(self, looks: Looks) -> float:
        """Sum of the penalties of (n,) look codes."""
        return float(self.penalties(looks).sum())

    def penalties(self, looks: Looks) -> npt.NDArray[np.float64]:
        """(n,) penalty of each tile.

        A number beyond what surrounds it or below the mines shown around it; an opened 0 that touches a
        covered tile, a flag or a mine; more flags than the number. And a little for a number that touches no
        opened 0: calling every blank covered breaks no rule, yet most numbers were opened by a 0.
        """
        padded = np.append(looks, len(LOOK_NAMES))
        # One packed sum counts covered, flags and mines at once: 4 bits each hold up to 8.
        counts = self._weights[padded][self._around].sum(axis=0)
        covered, flags, mines, zeros = counts & 15, (counts >> 4) & 15, (counts >> 8) & 15, counts >> 12
        number = np.where(looks <= 8, looks, -1)
        short = np.maximum(number - covered - flags - mines, 0)
        beyond = np.maximum(mines - number, 0)
        flagged = np.maximum(flags + mines - number, 0) * 0.5
        digit = np.where(
            number > 0, np.minimum(2.0 * short + 2.0 * beyond + flagged, 4.0) + 0.15 * (zeros == 0), 0.0
        )
        zero = np.where(number == 0, np.minimum(0.8 * covered + 0.8 * flags + 1.5 * mines, 4.0), 0.0)
        total: npt.NDArray[np.float64] = digit + zero
        return total


def _count_weights() -> npt.NDArray[np.int64]:
    weights = np.zeros(len(LOOK_NAMES) + 1, dtype=np.int64)
    weights[[COVERED, QUESTION]] = 1
    weights[FLAG] = 1 << 4
    weights[MINE] = 1 << 8
    weights[0] = 1 << 12
    return weights


def name_groups(scene: Scene, likelihood: FloatArray) -> Naming:
    """The likeliest joint naming.

    `likelihood`: (groups, 14) log likelihood of each look for each group. Descends from several starts (as
    the evidence says; each way of calling the two kinds of blanks) by changing one group at a time.
    """
    search = _Search(scene, likelihood)
    best = min((search.descend(start) for start in search.starts()), key=search.total)
    return Naming(best.astype(np.uint8), search.margins(best), search.total(best))


class _Search:
    def __init__(self, scene: Scene, likelihood: FloatArray) -> None:
        self._scene = scene
        self._rules = Rules(scene.rows, scene.columns)
        size = np.bincount(scene.groups, minlength=len(likelihood))
        self._unary = -likelihood.astype(np.float64) * (size**_SIZE_POWER)[:, None]
        self._unary -= self._unary.min(axis=1, keepdims=True)
        self._likelihood = likelihood
        self._size = size

    def total(self, looks: Looks) -> float:
        own = float(self._unary[np.arange(len(looks)), looks].sum())
        return own + self._rules.cost(looks[self._scene.groups]) + _roles(looks)

    def candidates(self, group: int) -> list[int]:
        logs = self._likelihood[group]
        looks = np.flatnonzero(logs > logs.max() - _WITHIN)
        order = sorted(looks.tolist(), key=lambda look: -logs[look])[:5]
        if logs[0] > logs.max() - 2 or logs[COVERED] > logs.max() - 2:
            order += [look for look in (0, COVERED) if look not in order]
        return order

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

    def descend(self, start: Looks) -> Looks:
        looks = start.copy()
        cost = self.total(looks)
        for _ in range(_SWEEPS):
            before = cost
            for group in np.argsort(-self._size, kind="stable").tolist():
                kept = looks[group]
                for look in self.candidates(group):
                    if look == kept:
                        continue
                    looks[group] = look
                    changed = self.total(looks)
                    if changed < cost - 1e-9:
                        cost, kept = changed, look
                looks[group] = kept
            if cost >= before - 1e-9:
                break
        return looks

    def margins(self, looks: Looks) -> npt.NDArray[np.float64]:
        """How much each group's tile could be another before the whole is as unlikely."""
        base = self.total(looks)
        codes = tiles_of_looks(np.arange(len(LOOK_NAMES), dtype=np.uint8))
        margins = np.full(len(looks), _MOST_MARGIN)
        trial = looks.copy()
        for group, kept in enumerate(looks.tolist()):
            others = [look for look in self.candidates(group) if codes[look] != codes[kept]]
            for look in others:
                trial[group] = look
                margins[group] = min(margins[group], self.total(trial) - base)
            trial[group] = kept
            rest = [k for k in range(len(codes)) if codes[k] != codes[kept] and k not in others]
            far = self._unary[group, rest].min() - self._unary[group, kept]
            margins[group] = max(min(margins[group], float(far)), 0.0)
        return margins


def _roles(looks: Looks) -> float:
    """Wrong flags are shown only on lost boards, where mines are shown too."""
    return 3.0 if (looks == WRONG_FLAG).any() and not (looks == MINE).any() else 0.0
