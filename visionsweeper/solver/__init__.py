"""Board and mine count -> exact odds; knows no pixels."""

from visionsweeper.solver.limits import Limit
from visionsweeper.solver.solution import Solution, solve

__all__ = ["Limit", "Solution", "solve"]
