"""In which order the groups of a component are eliminated, and what each step opens and closes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from visionsweeper.solver.constraints import Component


class Step(NamedTuple):
    """One group's turn in the elimination order."""

    group: int
    touched: tuple[int, ...]
    """Constraints of the group."""
    opened: tuple[int, ...]
    """Those of them that begin with this group."""
    closed: tuple[int, ...]
    """Those of them that end with this group."""
    left: tuple[int, ...]
    """For each touched constraint, the tiles that remain to it after this group."""


def elimination_order(
    component: Component, start: int | None = None, handicaps: Sequence[int] | None = None
) -> list[int]:
    """Order groups so that few constraints are open: always finish the one that opens the fewest.

    Ties go to the constraint with the fewest groups left; the first is `start`, or else the one with the
    fewest neighbours. `handicaps` are added to the cost of each constraint, for other orders of the same
    kind: 1 is a group left, 256 a constraint opened.
    """
    members = component.members
    if len(members) == 1:
        return list(members[0])
    touching: list[int] = [0] * len(component.sizes)
    bit = 1
    for groups in members:
        for group in groups:
            touching[group] |= bit
        bit <<= 1
    opens = [_joined(touching, groups) for groups in members]
    if start is None:
        counts = [mask.bit_count() for mask in opens]
        start = counts.index(min(counts))
    order: list[int] = []
    placed = [False] * len(touching)
    unopened = (1 << len(members)) - 1
    unopened ^= 1 << start
    live = [start]
    while live:
        best = live[0]
        if len(live) > 1:
            best = _cheapest(live, opens, unopened, members, placed, handicaps)
        todo = [group for group in members[best] if not placed[group]]
        fresh = opens[best] & unopened
        if fresh and len(todo) > 1:
            todo.sort(key=lambda group: (touching[group] & unopened).bit_count())
        for group in todo:
            placed[group] = True
            order.append(group)
        live.remove(best)
        while fresh:
            low = fresh & -fresh
            live.append(low.bit_length() - 1)
            fresh ^= low
            unopened ^= low
    return order


def _joined(touching: Sequence[int], groups: Sequence[int]) -> int:
    """Return the constraints that touch any of the groups, as bits."""
    mask = 0
    for group in groups:
        mask |= touching[group]
    return mask


def _cheapest(
    live: Sequence[int],
    opens: Sequence[int],
    unopened: int,
    members: Sequence[Sequence[int]],
    placed: Sequence[bool],
    handicaps: Sequence[int] | None,
) -> int:
    """Return the open constraint that costs least to finish, the first of them."""
    best, least = live[0], 1 << 30
    for index in live:
        cost = (opens[index] & unopened).bit_count() << 8
        if handicaps is not None:
            cost += handicaps[index]
        if cost <= least:
            for group in members[index]:
                if not placed[group]:
                    cost += 1
            if cost < least:
                best, least = index, cost
    return best


def plan(component: Component, order: Sequence[int]) -> list[Step]:
    """Return the steps of an order: what each group touches, opens and closes."""
    sizes, members = component.sizes, component.members
    touching: list[list[int]] = [[] for _ in sizes]
    left = []
    for index, groups in enumerate(members):
        total = 0
        for group in groups:
            touching[group].append(index)
            total += sizes[group]
        left.append(total)
    begun = [False] * len(members)
    steps = []
    for group in order:
        touched = touching[group]
        size = sizes[group]
        opened = []
        closed = []
        remain = []
        for index in touched:
            if not begun[index]:
                begun[index] = True
                opened.append(index)
            rest = left[index] = left[index] - size
            remain.append(rest)
            if not rest:
                closed.append(index)
        steps.append(Step(group, tuple(touched), tuple(opened), tuple(closed), tuple(remain)))
    return steps
