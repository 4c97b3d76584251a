"""Reads Minesweeper screenshots and computes every covered tile's exact mine probability.

The public names load on first use, so that `import visionsweeper` alone stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from visionsweeper.analysis import Analysis
    from visionsweeper.board import Board
    from visionsweeper.drawing.annotate import annotate
    from visionsweeper.errors import (
        BadModel,
        ImpossibleBoard,
        ImpossibleMineCount,
        InconsistentBoard,
        InvalidInput,
        NoBoardFound,
        SeveralBoards,
        TooFewMines,
        TooManyMines,
        TooWide,
        VisionsweeperError,
        WriteFailed,
    )
    from visionsweeper.pipeline import advise, analyse, picture, read_board
    from visionsweeper.solver import Solution, solve
    from visionsweeper.solver.many import solve_many
    from visionsweeper.vision.reading import Reading

__all__ = [
    "Analysis",
    "BadModel",
    "Board",
    "ImpossibleBoard",
    "ImpossibleMineCount",
    "InconsistentBoard",
    "InvalidInput",
    "NoBoardFound",
    "Reading",
    "SeveralBoards",
    "Solution",
    "TooFewMines",
    "TooManyMines",
    "TooWide",
    "VisionsweeperError",
    "WriteFailed",
    "__version__",
    "advise",
    "analyse",
    "annotate",
    "picture",
    "read_board",
    "solve",
    "solve_many",
]

_HOMES = {
    "Analysis": "analysis",
    "Board": "board",
    "Reading": "vision.reading",
    "Solution": "solver",
    "advise": "pipeline",
    "analyse": "pipeline",
    "annotate": "drawing.annotate",
    "picture": "pipeline",
    "read_board": "pipeline",
    "solve": "solver",
    "solve_many": "solver.many",
}


def __getattr__(name: str) -> object:
    """Load a public name from the module it lives in."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{_HOMES.get(name, 'errors')}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
