"""The states of an elimination order, step by step: the mines still owed by each open constraint.

States are packed into one 63-bit integer each and kept in sorted arrays.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from visionsweeper.solver.constraints import Component
from visionsweeper.solver.orders import Step

_KEY_BITS: Final = 63


class Unpackable(Exception):
    """More mines are owed by open constraints at once than fit into one integer."""


class Layer(NamedTuple):
    """The states after one step."""

    keys: npt.NDArray[np.int64]
    """(states,) int64, ascending."""
    moves: list[tuple[int, npt.NDArray[np.intp], npt.NDArray[np.int64]]]
    """(mines placed, rows of the states before that can place them, keys that they become), by mines."""


def layers(component: Component, steps: Sequence[Step]) -> Iterator[Layer]:
    """Yield the states after each step; raises Unpackable where they do not fit 63 bits."""
    shift = [0] * len(component.owed)
    taken = 0
    keys = np.zeros(1, dtype=np.int64)
    for step in steps:
        size = component.sizes[step.group]
        add = 0
        for index in step.opened:
            field = (1 << component.owed[index].bit_length()) - 1
            at = 0
            while taken >> at & field:
                at += 1
            if at + field.bit_length() > _KEY_BITS:
                raise Unpackable
            taken |= field << at
            shift[index] = at
            add += component.owed[index] << at
        if add:
            keys = keys + add
        low = np.zeros(len(keys), dtype=np.int64)
        high = np.full(len(keys), size, dtype=np.int64)
        unit = 0
        for index, rest in zip(step.touched, step.left, strict=True):
            field = (1 << component.owed[index].bit_length()) - 1
            owed = keys >> shift[index] & field
            unit += 1 << shift[index]
            np.minimum(high, owed, out=high)
            np.maximum(low, owed - rest, out=low)
            if not rest:
                taken &= ~(field << shift[index])
        moves = []
        for number in range(size + 1):
            rows = np.flatnonzero((low <= number) & (number <= high))
            if len(rows):
                moves.append((number, rows, keys[rows] - number * unit))
        keys = _merged([new for _, _, new in moves])
        yield Layer(keys, moves)


def _merged(ascending: list[npt.NDArray[np.int64]]) -> npt.NDArray[np.int64]:
    """Return the distinct values of ascending arrays, ascending."""
    if not ascending:
        return np.zeros(0, dtype=np.int64)
    if len(ascending) == 1:
        return ascending[0]
    both = np.concatenate(ascending)
    both.sort(kind="stable")  # merges ascending runs in linear time
    keep = np.empty(len(both), dtype=np.bool_)
    keep[0] = True
    np.not_equal(both[1:], both[:-1], out=keep[1:])
    return both[keep]
