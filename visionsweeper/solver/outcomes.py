"""What opening a covered tile can show, and how likely each of it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED, FLAG, MINE
from visionsweeper.geometry import Position
from visionsweeper.solver.odds import Odds


@dataclass(frozen=True)
class Outcomes:
    """The exact probability of everything that a covered tile can show; they sum to 1."""

    mine: Fraction
    """That it holds a mine."""
    numbers: tuple[Fraction, ...]
    """[n] that it is opened safely and shows n, for n = 0 to 8."""


class Opened(NamedTuple):
    """One number that a tile can show, and what is known then."""

    number: int
    """0 to 8."""
    probability: Fraction
    """That the tile is safe and shows it; more than 0."""
    odds: Odds
    """Of the board with the tile opened."""


def outcomes(odds: Odds, tile: Position) -> Outcomes:
    """Return the outcome distribution of a covered tile, a flagged one too.

    Raises ValueError for a tile that is not covered, and in local scope for one that touches tiles next to
    no number, unless it is certainly a mine: the mine count is needed to say anything of those.
    """
    mine = odds.exact(*tile)
    numbers = [Fraction(0)] * 9
    if mine != 1:
        for opened in openings(odds, tile):
            numbers[opened.number] = opened.probability
    return Outcomes(mine, tuple(numbers))


def openings(odds: Odds, tile: Position) -> Iterator[Opened]:
    """Yield every number that a covered tile can show, ascending, by solving the board with each.

    Raises ValueError as `outcomes` does; nothing is yielded for a certain mine.
    """
    # The number of solutions with the tile showing n, over that of all, is the probability of n.
    if odds.exact(*tile) == 1:
        return
    board = odds.board
    around = list(board.neighbours(*tile))
    covered = [other for other in around if board[other] in {COVERED, FLAG}]
    if board.continues and board.unseen_around[tile]:
        raise ValueError(f"row {tile[0]}, column {tile[1]} touches tiles that are not in view")
    if any(np.isnan(odds.probability[other]) for other in covered):
        raise ValueError(
            f"row {tile[0]}, column {tile[1]} touches tiles next to no number: the mine count is needed"
        )
    chances = [float(odds.probability[other]) for other in covered]
    least = sum(board[other] == MINE for other in around) + sum(chance == 1 for chance in chances)
    most = least + sum(0 < chance < 1 for chance in chances)
    total = odds.count
    for number in range(least, most + 1):
        opened = odds.opened(tile, number)
        if opened is not None:
            yield Opened(number, Fraction(opened.count, total), opened)


def opening_chances(odds: Odds) -> npt.NDArray[np.float64]:
    """Return (rows, columns) how likely each covered tile shows 0 if opened, and so opens an area.

    NaN for opened tiles, and in local scope for all that touch tiles next to no number.
    """
    board = odds.board
    chances = np.full(board.cells.shape, np.nan)
    total = odds.count
    apart: dict[int, float] = {}
    unsettled = set(odds.system.list_tiles(odds.system.non_frontier))
    for row, column in np.argwhere(np.isin(board.cells, (COVERED, FLAG))):
        tile = (int(row), int(column))
        around = [tile, *board.neighbours(*tile)]
        covered = [other for other in around if board[other] in {COVERED, FLAG}]
        touching = board.continues and board.unseen_around[tile]
        if touching or any(np.isnan(odds.probability[other]) for other in covered):
            continue
        # Among tiles next to no number, only how many are opened and emptied matters.
        alike = all(other in unsettled for other in around)
        if alike and len(covered) in apart:
            chances[tile] = apart[len(covered)]
            continue
        shown = any(board[other] == MINE for other in around) or odds.exact(*tile) == 1
        opened = None if shown else odds.opened(tile, 0)
        chances[tile] = 0.0 if opened is None else float(Fraction(opened.count, total))
        if alike and not shown:
            apart[len(covered)] = chances[tile]
    return chances
