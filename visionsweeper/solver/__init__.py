"""Board and mine count -> exact odds; knows no pixels."""

from visionsweeper.solver.solution import STATE_LIMIT, Solution, solve

__all__ = ["STATE_LIMIT", "Solution", "solve"]
