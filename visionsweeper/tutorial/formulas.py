"""Formulas that other tools and players use for the odds of a tile, beside the truth by brute force.

The truth here is found by trying every placement of the mines, so that it can be believed without believing
the solver; that limits it to boards with few covered tiles.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Final, TypeAlias

from visionsweeper.board import COVERED, FLAG, MINE, Board
from visionsweeper.errors import InconsistentBoard, InvalidInput
from visionsweeper.geometry import Position

Odds: TypeAlias = dict[Position, Fraction | None]

MOST_PLACEMENTS: Final = 200_000
"""Placements tried at most: some tenths of a second."""


@dataclass(frozen=True)
class Formula:
    """One way to reckon the odds, and what it gives."""

    name: str
    rule: str
    """What it does, in one sentence."""
    flaw: str
    """What is wrong with it, in one sentence."""
    odds: Odds
    """(row, column) -> probability of a mine, in reading order; None where the formula says nothing."""


@dataclass(frozen=True)
class Comparison:
    """What the formulas give for one position, and what is true."""

    true: dict[Position, Fraction]
    """(row, column) -> probability of a mine, by brute force, in reading order."""
    placements: int
    """Placements of the mines that were tried."""
    solutions: int
    """Those that fit every number."""
    formulas: tuple[Formula, ...]


def compare(board: Board, mines: int) -> Comparison:
    """Hold the usual formulas against brute force; flags count as covered tiles.

    Raises InvalidInput for boards with too many placements to try, InconsistentBoard where none fits.
    """
    true, placements, solutions = brute_force(board, mines)
    return Comparison(
        true,
        placements,
        solutions,
        tuple(Formula(name, rule, flaw, reckon(board, mines)) for name, rule, flaw, reckon in _FORMULAS),
    )


def brute_force(board: Board, mines: int) -> tuple[dict[Position, Fraction], int, int]:
    """Return the exact odds of covered tiles by brute force, the placements tried, and those that fit.

    Raises as `compare` does.
    """
    covered = _covered(board)
    left = mines - int(board.shown_mines.sum())
    placements = comb(len(covered), left) if left >= 0 else 0
    if placements > MOST_PLACEMENTS:
        raise InvalidInput(
            f"{placements} placements of {left} mines on {len(covered)} covered tiles are too many to try: "
            f"at most {MOST_PLACEMENTS} are; open more tiles"
        )
    needs = [(owed, set(around)) for owed, around in _numbers(board)]
    held = dict.fromkeys(covered, 0)
    solutions = 0
    for placement in combinations(covered, left) if left >= 0 else ():
        chosen = set(placement)
        if all(len(chosen & around) == owed for owed, around in needs):
            solutions += 1
            for tile in placement:
                held[tile] += 1
    if not solutions:
        raise InconsistentBoard("no placement of the mines fits these numbers", ())
    return {tile: Fraction(count, solutions) for tile, count in held.items()}, placements, solutions


def _covered(board: Board) -> list[Position]:
    return [
        (row, column)
        for row in range(board.rows)
        for column in range(board.columns)
        if board[row, column] in {COVERED, FLAG}
    ]


def _numbers(board: Board) -> list[tuple[int, list[Position]]]:
    """For every number with covered tiles around it: the mines it still needs, and those tiles."""
    found = []
    for row in range(board.rows):
        for column in range(board.columns):
            if board[row, column] <= 8:
                around = list(board.neighbours(row, column))
                covered = [tile for tile in around if board[tile] in {COVERED, FLAG}]
                shown = sum(board[tile] == MINE for tile in around)
                if covered:
                    found.append((board[row, column] - shown, covered))
    return found


def _shares(board: Board) -> dict[Position, list[Fraction]]:
    """For every tile next to numbers: mines needed over covered tiles, of each of its numbers."""
    found: dict[Position, list[Fraction]] = {}
    for owed, around in _numbers(board):
        for tile in around:
            found.setdefault(tile, []).append(Fraction(owed, len(around)))
    return found


def _density(board: Board, mines: int) -> Fraction:
    covered = _covered(board)
    left = mines - int(board.shown_mines.sum())
    return Fraction(left, len(covered)) if covered else Fraction(0)


def _by_shares(reckon: Callable[[list[Fraction]], Fraction]) -> Callable[[Board, int], Odds]:
    def odds(board: Board, mines: int) -> Odds:
        shares, density = _shares(board), _density(board, mines)
        return {tile: reckon(shares[tile]) if tile in shares else density for tile in _covered(board)}

    return odds


def _mean(shares: list[Fraction]) -> Fraction:
    return sum(shares, Fraction(0)) / len(shares)


def _independent(shares: list[Fraction]) -> Fraction:
    safe = Fraction(1)
    for share in shares:
        safe *= 1 - share
    return 1 - safe


def _every_solution_alike(board: Board, mines: int) -> Odds:
    """Frontier solutions counted one each, however many placements of the other mines each leaves."""
    needs = [(owed, set(around)) for owed, around in _numbers(board)]
    frontier = sorted({tile for _, around in needs for tile in around})
    if 1 << len(frontier) > MOST_PLACEMENTS:
        return dict.fromkeys(_covered(board))
    held = dict.fromkeys(frontier, 0)
    solutions = inside = 0
    for code in range(1 << len(frontier)):
        chosen = {tile for at, tile in enumerate(frontier) if code >> at & 1}
        if all(len(chosen & around) == owed for owed, around in needs):
            solutions += 1
            inside += len(chosen)
            for tile in chosen:
                held[tile] += 1
    left = mines - int(board.shown_mines.sum())
    covered, total = _covered(board), max(solutions, 1)
    beyond = len(covered) - len(held)
    return {
        tile: Fraction(held[tile], total) if tile in held else (left - Fraction(inside, total)) / beyond
        for tile in covered
    }


_FORMULAS: Final[tuple[tuple[str, str, str, Callable[[Board, int], Odds]], ...]] = (
    (
        "largest share",
        "Of the numbers around a tile, the largest of mines still needed over covered tiles.",
        "It uses one number only, and ignores what the others rule out.",
        _by_shares(max),
    ),
    (
        "mean share",
        "The mean of those shares over all numbers around the tile.",
        "Numbers are not votes: all of them must be satisfied, and together they can make a tile certain.",
        _by_shares(_mean),
    ),
    (
        "independent numbers",
        "1 minus the product of (1 - share), as if numbers were separate chances of a mine.",
        "The numbers share the same mine, and multiplying counts it several times.",
        _by_shares(_independent),
    ),
    (
        "every solution alike",
        "The share of frontier solutions with a mine on the tile, each solution counted once; the mines "
        "left over, on average, are spread over the other tiles.",
        "A solution with fewer mines leaves more of them for the other tiles, which can be placed in "
        "another number of ways, mostly in more: each must be weighed by it. The odds of tiles next to no "
        "number can even come out below 0 % or above 100 %.",
        _every_solution_alike,
    ),
)
