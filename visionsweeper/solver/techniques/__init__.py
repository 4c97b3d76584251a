"""Why a tile is certain: techniques that a person can follow, each usable alone, and the steps they make."""

from visionsweeper.solver.techniques.equations import Step
from visionsweeper.solver.techniques.gauss import SystemMatrix, system_matrix
from visionsweeper.solver.techniques.ladder import (
    Deduction,
    deduce,
    explain,
    follow,
    steps_to,
)
from visionsweeper.solver.techniques.registry import TECHNIQUES, Technique
from visionsweeper.solver.techniques.shortening import shorten

__all__ = [
    "TECHNIQUES",
    "Deduction",
    "Step",
    "SystemMatrix",
    "Technique",
    "deduce",
    "explain",
    "follow",
    "shorten",
    "steps_to",
    "system_matrix",
]
