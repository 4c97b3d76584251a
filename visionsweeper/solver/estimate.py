"""A component too wide to count -> an estimate of each group's share of mines, with its error.

The dynamic program of `sweep`, but of the states of each step only some are kept, drawn at random: one of
weight w with a probability proportional to w, its weight divided by that probability, so that every sum
stays right on average. A mine counts with a factor, the tilt, in place of the exact mine count of the board:
the tilt is chosen so that the expected mines agree with it. Several runs tell the error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from visionsweeper.solver.constraints import Component
from visionsweeper.solver.counting import BINOMIALS
from visionsweeper.solver.order_search import best_plan
from visionsweeper.solver.orders import Step

_STATES: Final = 3_000
"""States kept of each step, at most."""

_STATES_OF_A_RUN: Final = 1_500_000
"""States kept of all steps together: a second or two."""

_LEAST_STATES: Final = 300

_RUNS: Final = 5

_ATTEMPTS: Final = 3
"""Runs that may end without a solution, for each that does not."""

_WORD: Final = (1 << 64) - 1

_ERROR_FACTOR: Final = 2.78
"""Of Student's distribution, for 95 % and five runs."""

_LEAST_ERROR: Final = 0.01
"""What the tilt in place of the exact mine count may cost: more than it did on boards that can be counted."""

Floats = npt.NDArray[np.float64]


class _Turn(NamedTuple):
    """The transitions of one step in one run."""

    source: npt.NDArray[np.intp]
    number: npt.NDArray[np.intp]
    """Mines placed."""
    factor: Floats
    """Ways to place them, tilted; 0 where the state after was not kept, divided by its chance to be."""
    target: npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class _Run:
    chance: Floats
    """(groups,) probability of a mine on a tile of each."""
    mean: float
    """Of the component's mines under the tilt."""
    variance: float


@dataclass(frozen=True, eq=False)
class Estimate:
    """What several runs under one tilt agree on."""

    chance: Floats
    """(groups,) probability of a mine on a tile of each group, strictly between 0 and 1."""
    error: Floats
    """(groups,) half the width of the 95 % confidence interval."""
    mean: float
    """Of the component's mines."""
    variance: float
    tilt: float
    """The logarithm of what a mine weighed."""


class Estimator:
    """Estimates of one component under any tilt; the same for the same component."""

    def __init__(self, component: Component) -> None:
        self.component = component
        self._steps = best_plan(component)

    def estimate(self, tilt: float, *, runs: int = _RUNS) -> Estimate | None:
        """Return the estimate when each mine weighs e**tilt; None where the runs find no solution."""
        random = np.random.default_rng(len(self._steps))
        found: list[_Run] = []
        for _ in range(runs * _ATTEMPTS):
            run = _run(self.component, self._steps, tilt, random)
            if run is not None:
                found.append(run)
            if len(found) == runs:
                break
        else:
            return None
        chances = np.array([run.chance for run in found])
        error = _ERROR_FACTOR * chances.std(axis=0, ddof=1) / sqrt(runs) if runs > 1 else 0 * chances[0]
        return Estimate(
            np.clip(chances.mean(axis=0), 1e-6, 1 - 1e-6),
            np.maximum(error, _LEAST_ERROR),
            float(np.mean([run.mean for run in found])),
            float(np.mean([run.variance for run in found])),
            tilt,
        )


def _run(
    component: Component, steps: Sequence[Step], tilt: float, random: np.random.Generator
) -> _Run | None:
    """One pass forth and back over states drawn at random; None where none of them led to a solution."""
    signs = random.integers(1, 2**63, len(component.owed), dtype=np.uint64) | np.uint64(1)
    # A state is told from others by the sum of its mines owed times these: 64 bits hardly ever coincide.
    names = np.zeros(1, dtype=np.uint64)
    owed = np.zeros((1, 0), dtype=np.int8)
    slots: dict[int, int] = {}
    moments = np.array([[1.0, 0.0, 0.0]])  # of each state: weight, times mines, times their square
    weights = [moments[:, 0]]
    turns: list[_Turn] = []
    most = min(_STATES, max(_LEAST_STATES, _STATES_OF_A_RUN // len(steps)))
    for step in steps:
        owed = _opened(component, step, owed, slots)
        names = names + np.uint64(
            sum(component.owed[index] * int(signs[index]) for index in step.opened) & _WORD
        )
        source, number = _transitions(component, step, owed, slots)
        if not len(source):
            return None
        ways = np.array(BINOMIALS[component.sizes[step.group]], dtype=np.float64)
        factor = (ways * np.exp(tilt * np.arange(len(ways))))[number]
        unit = np.uint64(sum(int(signs[index]) for index in step.touched) & _WORD)
        names, first, target = np.unique(
            names[source] - number.astype(np.uint64) * unit, return_index=True, return_inverse=True
        )
        terms = moments[source] * factor[:, None]
        terms[:, 2] += number * (2 * terms[:, 1] + number * terms[:, 0])
        terms[:, 1] += number * terms[:, 0]
        moments = np.stack([np.bincount(target, terms[:, at], len(names)) for at in range(3)], axis=1)
        after = owed[source[first]]
        for index in step.touched:
            after[:, slots[index]] -= number[first].astype(np.int8)
        kept, scale = _drawn(moments[:, 0], most, random)
        place = np.cumsum(kept) - 1
        chosen = kept[target]
        turns.append(
            _Turn(
                source[chosen], number[chosen], factor[chosen] * scale[target[chosen]], place[target[chosen]]
            )
        )
        names, owed = names[kept], after[kept]
        moments = moments[kept] * scale[kept][:, None]
        total = moments[:, 0].sum()
        moments /= total
        turns[-1] = turns[-1]._replace(factor=turns[-1].factor / total)
        weights.append(moments[:, 0])
        for index in step.closed:
            del slots[index]
    mean = float(moments[0, 1] / moments[0, 0])
    variance = float(moments[0, 2] / moments[0, 0]) - mean * mean
    return _Run(_shares(component, steps, turns, weights), mean, max(variance, 1e-3))


def _opened(
    component: Component, step: Step, owed: npt.NDArray[np.int8], slots: dict[int, int]
) -> npt.NDArray[np.int8]:
    """Return the mines owed, (states, slots), with a slot for each constraint that the step opens."""
    for index in step.opened:
        taken = set(slots.values())
        slot = next(at for at in range(len(taken) + 1) if at not in taken)
        slots[index] = slot
        if slot == owed.shape[1]:
            owed = np.hstack([owed, np.zeros((len(owed), 1), dtype=np.int8)])
        owed[:, slot] = component.owed[index]
    return owed


def _transitions(
    component: Component, step: Step, owed: npt.NDArray[np.int8], slots: dict[int, int]
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """(state before, mines placed) of every way on that the touched constraints allow."""
    low = np.zeros(len(owed), dtype=np.int64)
    high = np.full(len(owed), component.sizes[step.group], dtype=np.int64)
    for index, rest in zip(step.touched, step.left, strict=True):
        column = owed[:, slots[index]].astype(np.int64)
        np.minimum(high, column, out=high)
        np.maximum(low, column - rest, out=low)
    counts = np.maximum(high - low + 1, 0)
    source = np.repeat(np.arange(len(owed)), counts)
    begins = np.cumsum(counts) - counts
    return source, low[source] + np.arange(len(source)) - begins[source]


def _drawn(weights: Floats, most: int, random: np.random.Generator) -> tuple[npt.NDArray[np.bool_], Floats]:
    """Which states are kept, some `most` of them, and by what the weight of each grows then."""
    scale = np.ones(len(weights))
    if len(weights) <= most:
        return np.ones(len(weights), dtype=np.bool_), scale
    sure = np.zeros(len(weights), dtype=np.bool_)
    while True:  # those heavier than their share are kept for sure
        unit = weights[~sure].sum() / max(most - int(sure.sum()), 1)
        heavier = ~sure & (weights >= unit)
        if not heavier.any():
            break
        sure |= heavier
    chance = np.where(sure, 1.0, weights / unit)
    # One random number for all: of every stretch of the cumulated chances just one state is kept.
    steps = np.floor(np.cumsum(chance) + random.random())
    kept = sure | (np.diff(steps, prepend=0.0) > 0)
    scale[kept] = 1 / chance[kept]
    return kept, scale


def _shares(component: Component, steps: Sequence[Step], turns: list[_Turn], weights: list[Floats]) -> Floats:
    """Return (groups,) probability of a mine on a tile of each group, by the pass back."""
    chance = np.zeros(len(component.sizes))
    value = np.ones(len(weights[-1]))
    for step, turn, before in zip(reversed(steps), reversed(turns), reversed(weights[:-1]), strict=True):
        back = turn.factor * value[turn.target]
        part = before[turn.source] * back
        chance[step.group] = float((part * turn.number).sum() / part.sum()) / component.sizes[step.group]
        value = np.bincount(turn.source, back, len(before)).astype(np.float64)
        value /= value.max()
    return chance


def normal_totals(estimate: Estimate, most: int) -> Floats:
    """Return solutions by mine count, (mine counts 0 … most,) up to a factor: as if normally distributed."""
    at = np.arange(most + 1, dtype=np.float64)
    logs = -((at - estimate.mean) ** 2) / (2 * estimate.variance) - estimate.tilt * at
    result: Floats = np.exp(np.maximum(logs - logs.max(), -600))
    return result
