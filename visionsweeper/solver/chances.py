"""Counted components and the mine count -> every group's chance of a mine, and what is certain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import mul
from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.errors import ImpossibleMineCount, TooFewMines, TooManyMines
from visionsweeper.solver.constraints import Component, System, bit_indices
from visionsweeper.solver.counting import Counted, Polynomial
from visionsweeper.solver.joining import (
    FloatJoin,
    attainable,
    inside,
    join_exactly,
    join_floats,
    shifted_union,
)
from visionsweeper.solver.sweep import Sweep

_EXACT_SPREAD: Final = 100
"""Join in whole numbers while the components' possible mine counts span no more than this."""


@dataclass(frozen=True, eq=False)
class Chances:
    """What joining found, by component and group."""

    groups: list[list[float]]
    """[component][group] probability of a mine on each of its tiles."""
    safe: list[list[int]]
    """[component] -> groups certainly without mines."""
    mines: list[list[int]]
    """[component] -> groups certainly all mines."""
    non_frontier: float | None
    """Probability of a mine on each tile next to no number; None when unknown or there are none."""


def weigh(system: System, counts: Sequence[Counted | Sweep], mines: int | None) -> Chances:
    """Return the chances under this mine count, or by the numbers alone when it is None.

    Raises TooFewMines, TooManyMines or ImpossibleMineCount when no solution has that many mines.
    """
    return _weigh_locally(system, counts) if mines is None else _weigh_globally(system, counts, mines)


def _weigh_locally(system: System, counts: Sequence[Counted | Sweep]) -> Chances:
    chances: list[list[float]] = []
    safe: list[list[int]] = []
    full: list[list[int]] = []
    for component, counted in zip(system.components, counts, strict=True):
        row, empty, all_mines = weigh_alone(component, counted)
        chances.append(row)
        safe.append(empty)
        full.append(all_mines)
    return Chances(chances, safe, full, None)


def weigh_alone(component: Component, counted: Counted | Sweep) -> tuple[list[float], list[int], list[int]]:
    """Return chances by group, those always empty and those always full, by the numbers alone."""
    if isinstance(counted, Sweep):
        totals = counted.totals[1]
        found, empty, all_mines = counted.weigh(totals / totals.sum())
        return found.tolist(), empty, all_mines
    return _ratios([sum(mines) for mines in counted.mines], component.sizes, sum(counted.totals))


def _ratios(
    mines: Sequence[int], sizes: Sequence[int], total: int
) -> tuple[list[float], list[int], list[int]]:
    """Chances mines / (size * total), and the groups where they are 0 and 1."""
    chances = []
    empty = []
    full = []
    for group, (found, size) in enumerate(zip(mines, sizes, strict=True)):
        whole = size * total
        if not found:
            empty.append(group)
            chances.append(0.0)
        elif found == whole:
            full.append(group)
            chances.append(1.0)
        else:
            chance = found / whole
            chances.append(chance if 0.0 < chance < 1.0 else inside(chance))
    return chances, empty, full


def _weigh_globally(system: System, counts: Sequence[Counted | Sweep], mines: int) -> Chances:
    left = mines - system.shown - system.mines.bit_count()
    non_frontier_tiles = system.non_frontier.bit_count()
    exact: list[Polynomial] = []
    for counted in counts:
        if isinstance(counted, Sweep):
            break
        exact.append((counted.low, counted.totals))
    if len(exact) < len(counts) or sum([len(totals) - 1 for _, totals in exact]) > _EXACT_SPREAD:
        return _weigh_in_floats(system, counts, non_frontier_tiles, left, mines)
    join = join_exactly(exact, non_frontier_tiles, left)
    if not join.total:
        raise _impossible_count(system, [(low, _support(totals)) for low, totals in exact], left, mines)
    chances: list[list[float]] = []
    safe: list[list[int]] = []
    full: list[list[int]] = []
    for component, counted, weights in zip(system.components, counts, join.weights, strict=True):
        assert isinstance(counted, Counted)
        if len(weights) == 1:
            total = counted.totals[0]
            part = [row[0] for row in counted.mines]
        else:
            total = join.total
            part = [sum(map(mul, row, weights)) for row in counted.mines]
        row, empty, all_mines = _ratios(part, component.sizes, total)
        chances.append(row)
        safe.append(empty)
        full.append(all_mines)
    numerator, denominator = join.non_frontier
    rest = None
    if non_frontier_tiles:
        rest = numerator / denominator
        if 0 < numerator < denominator:
            rest = inside(rest)
    return Chances(chances, safe, full, rest)


def _weigh_in_floats(
    system: System, counts: Sequence[Counted | Sweep], non_frontier_tiles: int, left: int, mines: int
) -> Chances:
    join = joined_floats(system, [float_part(counted) for counted in counts], left, mines)
    chances: list[list[float]] = []
    safe: list[list[int]] = []
    full: list[list[int]] = []
    for component, counted, share in zip(system.components, counts, join.shares, strict=True):
        row, empty, all_mines = weigh_shared(component, counted, share)
        chances.append(row)
        safe.append(empty)
        full.append(all_mines)
    return Chances(chances, safe, full, join.non_frontier if non_frontier_tiles else None)


FloatPart = tuple[int, npt.NDArray[np.float64], int]
"""(lowest mine count, N(m)… up to a factor, which of these are possible, as a mask)."""


def float_part(counted: Counted | Sweep) -> FloatPart:
    """Return the solutions of a component by mine count as `join_floats` takes them."""
    low, totals = (
        counted.totals
        if isinstance(counted, Sweep)
        else (counted.low, np.array(counted.totals, dtype=np.float64))
    )
    return low, totals, _support(totals.tolist())


def joined_floats(system: System, parts: Sequence[FloatPart], left: int, mines: int) -> FloatJoin:
    """Join all components under `left` mines for them and the non-frontier tiles; raises as `weigh` does."""
    non_frontier_tiles = system.non_frontier.bit_count()
    supports = [(low, support) for low, _, support in parts]
    base = sum(low for low, _ in supports)
    reach = attainable([support for _, support in supports])
    room = left - base
    if room < 0 or not reach & ((1 << (room + 1)) - (1 << max(0, room - non_frontier_tiles))):
        raise _impossible_count(system, supports, left, mines)
    return join_floats(parts, non_frontier_tiles, left)


def weigh_shared(
    component: Component, counted: Counted | Sweep, share: npt.NDArray[np.float64]
) -> tuple[list[float], list[int], list[int]]:
    """Return chances by group, those always empty and those always full; low + i mines have share[i]."""
    if isinstance(counted, Sweep):
        found, empty, all_mines = counted.weigh(share)
        return found.tolist(), empty, all_mines
    return _weigh_shared(component, counted, share.tolist())


def _weigh_shared(
    component: Component, counted: Counted, share: list[float]
) -> tuple[list[float], list[int], list[int]]:
    """Chances when the component holds low + i mines with probability share[i]; certain on whole numbers."""
    if len(share) == 1:
        return _ratios([row[0] for row in counted.mines], component.sizes, counted.totals[0])
    chances = []
    empty = []
    full = []
    present = [at for at, chance in enumerate(share) if chance > 0]
    totals = counted.totals
    for group, (row, size) in enumerate(zip(counted.mines, component.sizes, strict=True)):
        if not any(row[at] for at in present):
            empty.append(group)
            chances.append(0.0)
        elif all(row[at] == size * totals[at] for at in present):
            full.append(group)
            chances.append(1.0)
        else:
            chances.append(inside(sum([share[at] * (row[at] / totals[at]) for at in present]) / size))
    return chances, empty, full


def _support(totals: Sequence[float]) -> int:
    """Mask of the positions that are not 0."""
    return sum([1 << at for at, total in enumerate(totals) if total])


def _impossible_count(
    system: System, supports: Sequence[tuple[int, int]], left: int, mines: int
) -> ImpossibleMineCount:
    known = mines - left
    least = known + sum([low for low, _ in supports])
    reach = attainable([support for _, support in supports])
    most = least + reach.bit_length() - 1 + system.non_frontier.bit_count()
    said = f"a mine count of {mines}"
    if mines < least:
        return TooFewMines(
            f"{said} is impossible: the board needs at least {least}; check the mine count and the numbers",
            least,
            most,
        )
    if mines > most:
        return TooManyMines(
            f"{said} is impossible: at most {most} fit on the board; check the mine count and the numbers",
            least,
            most,
        )
    counts = [
        least + at for at in bit_indices(shifted_union(reach, (1 << system.non_frontier.bit_count() + 1) - 1))
    ]
    below = max(n for n in counts if n < mines)
    above = min(n for n in counts if n > mines)
    return ImpossibleMineCount(
        f"{said} is impossible: the numbers allow {below} or {above} mines but nothing between; "
        "check the mine "
        "count and the numbers",
        least,
        most,
    )
