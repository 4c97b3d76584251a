"""Which flags are right or wrong whatever is in doubt, and which merely may be."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from visionsweeper.geometry import Position
    from visionsweeper.solver.doubt import Certainty
    from visionsweeper.solver.solution import Solution


def right_flags(solution: Solution, certain: Certainty) -> tuple[Position, ...]:
    """Return the flags on tiles that hold a mine whatever is in doubt, (row, column) in reading order."""
    mine = frozenset(certain.mine)
    return tuple(tile for tile in solution.flags_right if tile in mine)


def wrong_flags(solution: Solution, certain: Certainty) -> tuple[Position, ...]:
    """Return the flags on tiles that hold no mine whatever is in doubt, (row, column) in reading order."""
    safe = frozenset(certain.safe)
    return tuple(tile for tile in solution.flags_wrong if tile in safe)


def doubtful_flags(solution: Solution, certain: Certainty) -> tuple[Position, ...]:
    """Return the flags on tiles that may hold no mine, or hold none if what is in doubt is right."""
    flags = {*solution.flags_uncertain, *solution.flags_wrong}
    return tuple(sorted(flags.difference(wrong_flags(solution, certain))))


def uncertain_flags(solution: Solution, certain: Certainty) -> tuple[Position, ...]:
    """Return the doubtful flags, and those that are right if what is in doubt is right."""
    flags = {*doubtful_flags(solution, certain), *solution.flags_right}
    return tuple(sorted(flags.difference(right_flags(solution, certain))))
