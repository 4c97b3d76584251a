"""Board and mine count -> exact odds; knows no pixels."""

from visionsweeper.solver.odds import STATE_LIMIT
from visionsweeper.solver.solution import Solution, solve

__all__ = ["STATE_LIMIT", "Solution", "solve"]
