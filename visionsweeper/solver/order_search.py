"""A good elimination order: many are tried where the first one promises to be costly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import exp, log
from random import Random
from typing import Final, NamedTuple

from visionsweeper.solver.constraints import Component
from visionsweeper.solver.orders import Step, elimination_order, plan
from visionsweeper.solver.states import Unpackable, layers

_STATES_A_CONSTRAINT: Final = 10
"""Another order is tried while the best one has more estimated states than so many for each constraint of
each order tried: finding an order takes about as long as counting these states."""

_HANDICAPS: Final = (3, 300, 0)
"""Largest random handicap of a constraint, by turns: ties broken anew, greed given up a little, neither."""

_IMPROVED: Final = 4
"""After an order from every constraint, so many of the best are changed a little again and again."""

_CHANGED: Final = 10
"""Each time one handicap in so many is drawn anew."""

_MOST_WORK: Final = 200_000
"""Orders tried, times constraints, at most: some three seconds."""

_WORTH_COUNTING: Final = 50_000
"""Estimated states from which the most promising orders are told apart by counting their states."""

_COUNTED: Final = 16
"""Counting ends when all orders together had so many times the states of the best one."""

_MOST_COUNTED: Final = 30_000_000
"""States beyond which the count of an order is given up: a second."""


class _Order(NamedTuple):
    """One that was tried."""

    cost: float
    """Estimated states."""
    start: int
    """Its first constraint."""
    handicaps: list[int]
    steps: list[Step]


@lru_cache(maxsize=32)
def best_plan(component: Component) -> tuple[Step, ...]:
    """Return the steps of a good order; the same for the same component.

    Kept, since a component too wide to count is asked for again where it is estimated.
    """
    return tuple(_best_plan(component))


def _best_plan(component: Component) -> list[Step]:
    first = plan(component, elimination_order(component))
    cost = estimated_states(component, first)
    constraints = len(component.owed)
    if cost < _STATES_A_CONSTRAINT * constraints:
        return first
    found = [_Order(cost, 0, [0] * constraints, first)]
    random = Random(constraints)
    for trial, (start, handicaps) in enumerate(_proposals(constraints, found, random), 1):
        if cost < _STATES_A_CONSTRAINT * constraints * trial or trial * constraints > _MOST_WORK:
            break
        steps = plan(component, elimination_order(component, start, handicaps))
        found.append(_Order(estimated_states(component, steps), start, handicaps, steps))
        cost = min(cost, found[-1].cost)
    found.sort(key=lambda order: order.cost)
    return found[0].steps if cost < _WORTH_COUNTING else _fewest_states(component, found)


def _proposals(constraints: int, found: list[_Order], random: Random) -> Iterator[tuple[int, list[int]]]:
    """(first constraint, handicaps) of one order after the other; `found` has those tried so far."""
    for trial, start in enumerate(random.sample(range(constraints), constraints)):
        most = _HANDICAPS[trial % len(_HANDICAPS)]
        yield start, [random.randrange(most) if most else 0 for _ in range(constraints)]
    pool = sorted(found, key=lambda order: order.cost)[:_IMPROVED]
    for trial in range(constraints):
        best = pool[trial % len(pool)]
        handicaps = list(best.handicaps)
        for _ in range(1 + constraints // _CHANGED):
            handicaps[random.randrange(constraints)] = random.randrange(max(_HANDICAPS))
        yield best.start, handicaps
        if found[-1].cost <= best.cost:
            pool[trial % len(pool)] = found[-1]


def _fewest_states(component: Component, orders: Sequence[_Order]) -> list[Step]:
    """Return the steps with the fewest states, counted; each count ends where it exceeds the best so far."""
    best = orders[0].steps
    fewest = _MOST_COUNTED
    counted = 0
    seen: set[int] = set()
    for order in orders:
        if round(order.cost) in seen:  # mostly the same but for a detail
            continue
        seen.add(round(order.cost))
        states = _count_states(component, order.steps, fewest)
        counted += states
        if states < fewest:
            best, fewest = order.steps, states
        if counted > _COUNTED * fewest:
            break
    return best


def _count_states(component: Component, steps: Sequence[Step], most: int) -> int:
    """States of all steps together; `most` where there are so many or they cannot be counted."""
    states = 0
    try:
        for layer in layers(component, steps):
            states += len(layer.keys)
            if states >= most:
                return most
    except Unpackable:
        return most
    return states


def estimated_states(component: Component, steps: Sequence[Step]) -> float:
    """Estimate roughly the states of all steps together, for comparing orders."""
    owed = component.owed
    begun = [0] * len(owed)  # tiles done
    before = [0.0] * len(owed)
    total = size = 0.0
    for step in steps:
        for index, rest in zip(step.touched, step.left, strict=True):
            begun[index] += component.sizes[step.group]
            least = owed[index] - begun[index]
            span = min(owed[index], rest) - (least if least > 0 else 0)
            # Of the states that the ranges allow, fewer are reached the more constraints are open: the
            # exponent was fitted to real boards.
            new = _SPAN_LOGS[span]
            size += new - before[index]
            before[index] = new
        total += exp(size)
    return total


_SPAN_LOGS: Final = tuple(0.7 * log(span + 1) for span in range(9))
