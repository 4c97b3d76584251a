"""Board and mine count -> exact odds; knows no pixels."""

from visionsweeper.solver.probability import STATE_LIMIT, Solution, solve

__all__ = ["STATE_LIMIT", "Solution", "solve"]
