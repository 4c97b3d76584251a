"""Techniques beyond single numbers, compiled: the subset rule, and search for contradictions."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from visionsweeper.engine.compiling import compiled
from visionsweeper.engine.position import (
    COUNT_FRESH,
    OPENED,
    UNKNOWN,
    PositionArrays,
    copy_position,
    mark_mine,
    mark_safe,
    settle,
)


@compiled
def apply_subsets(p: PositionArrays, inside: npt.NDArray[np.uint8]) -> bool:
    """Apply the subset rule to every pair of numbers of which one changed; True when it found anything.

    `inside` is (T,) scratch, all 0 before and after. Single numbers are settled in between.
    """
    found = False
    while p.tally[COUNT_FRESH]:
        p.tally[COUNT_FRESH] -= 1
        number = p.fresh[p.tally[COUNT_FRESH]]
        p.is_fresh[number] = 0
        if p.state[number] != OPENED:
            continue
        for i in range(p.degree[number]):
            shared = p.around[number, i]
            for j in range(p.degree[shared]):
                other = p.around[shared, j]
                if p.state[shared] != UNKNOWN:
                    break
                if other == number or p.state[other] != OPENED:
                    continue
                if _subset(p, number, other, inside) or _subset(p, other, number, inside):
                    found = True
                    settle(p)
    return found


@compiled
def _subset(p: PositionArrays, small: int, large: int, inside: npt.NDArray[np.uint8]) -> bool:
    """If all unknown tiles of `small` touch `large`, the others around `large` hold the difference."""
    extra = p.unknown[large] - p.unknown[small]
    difference = p.owed[large] - p.owed[small]
    if extra <= 0 or not (difference == 0 or difference == extra):  # noqa: PLR1714 - compiled
        return False
    for i in range(p.degree[large]):
        tile = p.around[large, i]
        if p.state[tile] == UNKNOWN:
            inside[tile] = 1
    shared = 0
    for i in range(p.degree[small]):
        tile = p.around[small, i]
        if p.state[tile] == UNKNOWN:
            shared += inside[tile]
            inside[tile] = 0
    applies = shared == p.unknown[small]
    for i in range(p.degree[large]):
        tile = p.around[large, i]
        if inside[tile]:
            inside[tile] = 0
            if applies:
                if difference == 0:
                    mark_safe(p, tile)
                else:
                    mark_mine(p, tile)
    return bool(applies)


@compiled
def search_contradictions(p: PositionArrays, trial: PositionArrays) -> bool:
    """Suppose a mine on every tile beside a number, then none: what single numbers refute is not so.

    True when anything was found. `trial` is scratch of the same size.
    """
    found = False
    for tile in range(p.state.size):
        if p.state[tile] != UNKNOWN or not _beside_a_number(p, tile):
            continue
        for mined in range(2):
            copy_position(p, trial)
            if mined:
                mark_mine(trial, tile)
            else:
                mark_safe(trial, tile)
            if not settle(trial):
                if mined:
                    mark_safe(p, tile)
                else:
                    mark_mine(p, tile)
                settle(p)
                found = True
                break
    return found


@compiled
def _beside_a_number(p: PositionArrays, tile: int) -> bool:
    for i in range(p.degree[tile]):  # noqa: SIM110 - compiled
        if p.state[p.around[tile, i]] == OPENED:
            return True
    return False
