"""What a move risked, and whether it had to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from visionsweeper.board import SAFE
from visionsweeper.errors import ImpossibleBoard, InvalidInput
from visionsweeper.solver import solve

if TYPE_CHECKING:
    from collections.abc import Sequence

    from visionsweeper.geometry import Position
    from visionsweeper.solver import Solution


@dataclass(frozen=True)
class Review:
    """What a move risked."""

    risk: Fraction
    """Probability that a mine was among the tiles that it opened."""
    least: Fraction
    """The least probability of a mine that any covered tile had."""
    safest: Position
    """A tile that had it."""
    safe: tuple[Position, ...]
    """Tiles that were certainly safe."""

    @property
    def forced(self) -> bool:
        """Whether nothing could have been opened at less risk."""
        return self.risk <= self.least


def review(solution: Solution, tiles: Sequence[Position]) -> Review:
    """Say what opening these covered tiles at once risks on the solved board, and what the least risk was.

    Raises InvalidInput for tiles of which nothing is known: opened ones, and without a mine count those next
    to no number.
    """
    if not tiles:
        raise InvalidInput("no tile was opened: name at least one")
    risk = risk_of(solution, tiles)
    safest = solution.safest[0] or tiles[0]  # none is named where all are mines
    return Review(risk, solution.chance(safest), safest, tuple(solution.safe))


def risk_of(solution: Solution, tiles: Sequence[Position]) -> Fraction:
    """Return the probability that a mine is among the tiles: each one's given that those before hold none.

    Raises InvalidInput for tiles of which nothing is known, and as `solve` does.
    """
    none = Fraction(1)
    known = solution
    tiles = tuple(dict.fromkeys(tiles))
    for tile in tiles:
        try:
            chance = known.chance(tile)
        except ValueError:
            row, column = tile
            raise InvalidInput(
                f"nothing is known of row {row}, column {column}: it has to be covered, and without a mine "
                "count next to a number"
            ) from None
        none *= 1 - chance
        if none == 0 or tile == tiles[-1]:
            break
        cells = known.board.cells.copy()
        cells[tile] = SAFE
        try:
            board = replace(known.board, cells=cells)
            known = solve(board, solution.mines, trust_flags=solution.trust_flags, limit=solution.limit)
        except ImpossibleBoard:
            return Fraction(1)
    return 1 - none
