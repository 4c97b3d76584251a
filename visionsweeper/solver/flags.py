"""Which flags are wrong whatever is in doubt, and which merely may be."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from visionsweeper.geometry import Position
    from visionsweeper.solver.doubt import Certainty
    from visionsweeper.solver.solution import Solution


def wrong_flags(solution: Solution, certain: Certainty) -> tuple[Position, ...]:
    """Return the flags on tiles that hold no mine whatever is in doubt, (row, column) in reading order."""
    safe = frozenset(certain.safe)
    return tuple(tile for tile in solution.flags_wrong if tile in safe)


def doubtful_flags(solution: Solution, certain: Certainty) -> tuple[Position, ...]:
    """Return the flags on tiles that may hold no mine, or hold none if what is in doubt is right."""
    flags = {*solution.flags_uncertain, *solution.flags_wrong}
    return tuple(sorted(flags.difference(wrong_flags(solution, certain))))
