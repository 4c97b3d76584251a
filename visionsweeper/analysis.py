"""The analysis of one board: how it was read, its odds, and warnings."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias

from visionsweeper.errors import ImpossibleBoard, InconsistentBoard, TooWide
from visionsweeper.solver.doubt import Certainty
from visionsweeper.solver.flags import doubtful_flags, wrong_flags
from visionsweeper.wording import tile_names

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from visionsweeper.board import Board
    from visionsweeper.geometry import Position
    from visionsweeper.solver import Solution
    from visionsweeper.vision.reading import Reading

MinesSource: TypeAlias = Literal["given", "counter", "standard", "unknown"]
"""Where a mine count came from."""


@dataclass(frozen=True, eq=False)
class Analysis:
    """The analysis of one board: how it was read, its odds, and warnings."""

    board: Board
    """What the player sees."""
    reading: Reading | None
    """How the board was read; None when it came as text."""
    mines: int | None
    """Mines on the whole board; None when unknown (the probabilities are local then)."""
    mines_source: MinesSource
    """Where the mine count came from."""
    solution: Solution | None
    """The probabilities; None exactly when there is a problem."""
    problem: ImpossibleBoard | TooWide | None
    """Why there are no probabilities: no placement of mines fits, or there are too many to count."""
    noted: tuple[str, ...]
    """What the user is to be warned of besides the flags, one sentence each."""
    doubted: npt.NDArray[np.bool_] | None = None
    """(rows, columns) bool: the uncertain tiles; None if there are none."""

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """Warnings for the user, one sentence each."""
        return (*self.noted, *flag_warnings(self))

    @property
    def mines_doubted(self) -> bool:
        """Whether the mine count is merely the standard one for the size, or was read with doubt."""
        if self.mines_source == "counter":
            return self.reading is not None and self.reading.mines_uncertain
        return self.mines_source == "standard"

    @cached_property
    def certain(self) -> Certainty:
        """The tiles that are certain in any case, and those certain only if what is in doubt is right.

        That is what the doubted tiles were read as, and a doubtful mine count.
        """
        # A board too wide to count still has tiles that single numbers settle.
        found = self.problem if isinstance(self.problem, TooWide) else self.solution
        if found is None:
            return Certainty()
        return Certainty.of(found, self.doubted, self.board, count_doubted=self.mines_doubted)

    @property
    def conflict(self) -> tuple[Position, ...]:
        """(row, column) of numbers that contradict each other or the board; empty if there are none."""
        return self.problem.conflict if isinstance(self.problem, InconsistentBoard) else ()

    @property
    def uncertain(self) -> tuple[Position, ...]:
        """The uncertain tiles; of a reading, the least certain first."""
        if self.doubted is None:
            return ()
        tiles = [
            (r, c) for r in range(self.board.rows) for c in range(self.board.columns) if self.doubted[r, c]
        ]
        reading = self.reading
        return tuple(
            tiles if reading is None else sorted(tiles, key=lambda at: float(reading.confidence[at]))
        )


def flag_warnings(analysis: Analysis) -> list[str]:
    """Return what to warn of about flags, which are claims: those that are wrong or not certain."""
    solution = analysis.solution
    if solution is None or not analysis.board.flags.any():
        return []
    certain = analysis.certain
    wrong, doubtful = wrong_flags(solution, certain), doubtful_flags(solution, certain)
    return [
        f"{'this flag is' if len(tiles) == 1 else 'these flags are'} {what}: {tile_names(tiles)}"
        for tiles, what in ((wrong, "certainly on a safe tile"), (doubtful, "not certain to be a mine"))
        if tiles
    ]
