"""50/50s, pairs that only look like one, and dead tiles: against all placements of the mines."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from seen_boards import positions

from visionsweeper.board import COVERED, FLAG, MINE, Board
from visionsweeper.geometry import Position
from visionsweeper.solver import solve
from visionsweeper.solver.advice import advise
from visionsweeper.solver.guesses import find_guesses

MANY = settings(max_examples=400, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
Placement = frozenset[Position]


def placements(board: Board, mines: int) -> list[Placement]:
    """All mines, shown ones included, of every solution."""
    tiles = list(np.ndindex(board.rows, board.columns))
    covered = [tile for tile in tiles if board[tile] in (COVERED, FLAG)]
    shown = {tile for tile in tiles if board[tile] == MINE}
    found = [frozenset(shown.union(some)) for some in combinations(covered, mines - len(shown))]
    numbers = [tile for tile in tiles if board[tile] < COVERED]
    return [one for one in found if all(number(board, one, tile) == board[tile] for tile in numbers)]


def number(board: Board, mines: Placement, tile: Position) -> int:
    return len(mines & set(board.neighbours(*tile)))


def is_forced(board: Board, every: list[Placement], pair: tuple[Position, Position]) -> bool:
    """Whether the two swap in every placement, and no tile that is safe then ever shows a difference."""
    a, b = pair
    known = set(every)
    for one in every:
        if (a in one) == (b in one):
            return False
        other = one ^ {a, b}
        if other not in known:
            return False
        for tile in np.ndindex(board.rows, board.columns):
            if tile not in one | other and number(board, one, tile) != number(board, other, tile):
                return False
    return True


def pairs_at_numbers(board: Board, unsure: list[Position]) -> set[tuple[Position, ...]]:
    """Two tiles each, the only ones around a number that are not certain."""
    numbers = [tile for tile in np.ndindex(board.rows, board.columns) if board[tile] < COVERED]
    around = (tuple(sorted(set(board.neighbours(*tile)) & set(unsure))) for tile in numbers)
    return {tiles for tiles in around if len(tiles) == 2}


@pytest.mark.slow
@MANY
@given(positions(8, (4, 4), "oo??Fx*", least_covered=2))
def test_all_that_is_named_is_so_and_every_forced_guess_is_named(case: tuple[Board, int]) -> None:
    board, mines = case
    solution = solve(board, mines)
    found = find_guesses(solution)
    if solution.safe:
        assert found == type(found)()
        return
    every = placements(board, mines)
    unsure = [t for t in np.ndindex(board.rows, board.columns) if 0 < solution.probability[t] < 1]
    forced = {pair for pair in combinations(unsure, 2) if is_forced(board, every, pair)}
    assert set(found.fifty_fifty) == forced
    even = {
        pair
        for pair in pairs_at_numbers(board, unsure)
        if all(len(one.intersection(pair)) == 1 for one in every)
        and 2 * sum(pair[0] in one for one in every) == len(every)
    }
    assert set(found.pseudo_fifty_fifty) == even - forced
    dead = {t for t in unsure if len({number(board, one, t) for one in every if t not in one}) == 1}
    assert set(found.dead) == dead


def test_a_forced_guess_is_named_in_the_advice() -> None:
    # Nothing is open but the numbers: whichever of the two is opened, no other tile will ever tell.
    solution = solve(Board.from_text("?1\n?1\n"), 1)
    assert find_guesses(solution).fifty_fifty == (((0, 0), (1, 0)),)
    assert "50/50" in advise(solution).reason
    assert "Row 0, column 0 or row 1, column 0 is a 50/50" in advise(solution).reason


def test_what_only_looks_like_a_50_50_is_told_apart() -> None:
    # Each lower 1 says that one of two tiles is a mine; the corner tiles above touch just one of these.
    board = Board.from_text("??????\n?2112?\n?1001?\n")
    solution = solve(board, 4)
    found = find_guesses(solution)
    assert found.fifty_fifty == ()
    assert found.pseudo_fifty_fifty == (((1, 0), (2, 0)), ((1, 5), (2, 5)))
    every = placements(board, 4)
    assert not any(is_forced(board, every, pair) for pair in found.pseudo_fifty_fifty)
    assert "Row 1, column 0 or row 2, column 0 only looks like a 50/50" in advise(solution).reason
