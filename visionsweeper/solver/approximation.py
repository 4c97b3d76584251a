"""A board with components too wide to count -> odds all the same: those estimated, the others counted."""

from __future__ import annotations

from math import log
from typing import Final

from visionsweeper.board import Board
from visionsweeper.errors import TooWide
from visionsweeper.solver.chances import (
    Chances,
    FloatPart,
    float_part,
    joined_floats,
    weigh_alone,
    weigh_shared,
)
from visionsweeper.solver.constraints import System, build_system
from visionsweeper.solver.counting import Counted
from visionsweeper.solver.estimate import Estimate, Estimator, normal_totals
from visionsweeper.solver.limits import DEFAULT, Budget, Limit
from visionsweeper.solver.odds import count_component
from visionsweeper.solver.solution import Solution
from visionsweeper.solver.sweep import Sweep
from visionsweeper.solver.techniques.ladder import certain_without_counting

_Part = Counted | Sweep | Estimator

_ROUNDS: Final = 2
"""Times that the tilt of an estimate is mended before the last."""


def approximate(
    board: Board, mines: int | None = None, *, trust_flags: bool = False, limit: Limit = DEFAULT
) -> Solution | None:
    """Compute the odds of a board that `solve` refuses as too wide; None where they cannot be estimated.

    Components too wide to count are estimated (`Solution.estimated` has their tiles), the others counted.
    With a mine count known, even these depend on how many mines the estimated ones hold. Tiles are certain
    where a technique that counts no placements says so, or an exact count. Raises what `solve` raises, but
    for TooWide.
    """
    if board.continues:
        mines = None
    known = certain_without_counting(board, mines, trust_flags=trust_flags)
    system = build_system(board, trust_flags=trust_flags, known=known)
    if system.broken:  # the techniques met a contradiction, so that there is nothing to estimate
        return None
    budget = Budget(limit)
    parts: list[_Part] = []
    for component in system.components:
        try:
            counted = count_component(component, budget)
        except TooWide:
            parts.append(Estimator(component))
            continue
        if not counted.possible:
            return None
        parts.append(counted)
    estimates = _locally(parts) if mines is None else _tilted(system, parts, mines)
    if estimates is None:
        return None
    chances = _chances(system, parts, estimates, mines)
    estimated = {
        system.tile(bit): float(error)
        for index, estimate in estimates.items()
        for tiles, error in zip(system.tiles[index], estimate.error, strict=True)
        for bit in tiles
        if bit < system.bits
    }
    counts = [part for part in parts if not isinstance(part, Estimator)]
    return Solution(board, mines, trust_flags, system, counts, chances, limit, estimated)


_Estimates = dict[int, Estimate]
"""By component."""


def _locally(parts: list[_Part]) -> _Estimates | None:
    found: _Estimates = {}
    for index, part in enumerate(parts):
        if isinstance(part, Estimator):
            estimate = part.estimate(0.0)
            if estimate is None:
                return None
            found[index] = estimate
    return found


def _tilted(system: System, parts: list[_Part], mines: int) -> _Estimates | None:
    """Estimates under tilts at which the expected mines of the whole board are the mine count."""
    wide = {index: part for index, part in enumerate(parts) if isinstance(part, Estimator)}
    if not wide:  # the techniques settled what was too wide
        return {}
    left = _left(system, mines)
    unknown = system.non_frontier.bit_count() + sum(sum(one.sizes) for one in system.components)
    share = min(max(left / unknown, 0.01), 0.99)
    tilts = dict.fromkeys(wide, log(share / (1 - share)))
    for last in range(_ROUNDS, -1, -1):
        found: _Estimates = {}
        for index, part in wide.items():
            estimate = part.estimate(tilts[index]) if not last else part.estimate(tilts[index], runs=1)
            if estimate is None:
                return None
            found[index] = estimate
        if last:
            join = joined_floats(system, _float_parts(system, parts, found), left, mines)
            for index, estimate in found.items():
                shares = join.shares[index]
                mean = float(sum(at * chance for at, chance in enumerate(shares.tolist())))
                tilts[index] += (mean - estimate.mean) / estimate.variance
    return found


def _float_parts(system: System, parts: list[_Part], estimates: _Estimates) -> list[FloatPart]:
    """All components as joining takes them; of an estimated one every mine count is held possible."""
    found: list[FloatPart] = []
    for index, part in enumerate(parts):
        if isinstance(part, Estimator):
            most = sum(system.components[index].sizes)
            estimate = estimates[index]
            found.append((0, normal_totals(estimate, most), (1 << most + 1) - 1))
        else:
            found.append(float_part(part))
    return found


def _chances(system: System, parts: list[_Part], estimates: _Estimates, mines: int | None) -> Chances:
    join = None
    if mines is not None:
        floats = _float_parts(system, parts, estimates)
        join = joined_floats(system, floats, _left(system, mines), mines)
    groups: list[list[float]] = []
    safe: list[list[int]] = []
    full: list[list[int]] = []
    for index, (component, part) in enumerate(zip(system.components, parts, strict=True)):
        empty: list[int] = []
        all_mines: list[int] = []
        if isinstance(part, Estimator):
            row = estimates[index].chance.tolist()
        elif join is None:
            row, empty, all_mines = weigh_alone(component, part)
        else:
            row, empty, all_mines = weigh_shared(component, part, join.shares[index])
        groups.append(row)
        safe.append(empty)
        full.append(all_mines)
    rest = join.non_frontier if join is not None and system.non_frontier else None
    return Chances(groups, safe, full, rest)


def _left(system: System, mines: int) -> int:
    """Mines that components and non-frontier tiles hold together."""
    return mines - system.shown - system.mines.bit_count()
