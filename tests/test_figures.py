"""3BV and ZiNi as others compute them, and what a move risked by all placements of the mines."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, pairwise

import ms_toollib
import numpy as np
import pytest
from paces import mostly_slow

from visionsweeper.board import Board
from visionsweeper.errors import InvalidInput
from visionsweeper.game.figures import measure
from visionsweeper.game.game import Game
from visionsweeper.game.minefield import Minefield
from visionsweeper.game.review import review
from visionsweeper.solver import solve


def random_field(rng: np.random.Generator, rows: int, columns: int, mines: int) -> Minefield:
    laid = np.zeros(rows * columns, dtype=np.bool_)
    laid[rng.choice(laid.size, mines, replace=False)] = True
    return Minefield(laid.reshape(rows, columns))


def as_others_take_it(field: Minefield) -> list[list[int]]:
    return np.where(field.mines, -1, field.numbers.astype(int)).tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("rows", "columns", "mines"),
    mostly_slow([(9, 9, 10), (5, 7, 3), (1, 12, 3), (4, 4, 0), (16, 16, 40), (16, 30, 99)], fast=4),
)
def test_3bv_and_zini_are_those_of_ms_toollib(rows: int, columns: int, mines: int) -> None:
    rng = np.random.default_rng(7)
    covered = Board(np.full((rows, columns), 9, dtype=np.uint8))
    for _ in range(30):
        field = random_field(rng, rows, columns, mines)
        theirs = as_others_take_it(field)
        ours = measure(field, covered)
        assert ours.bbbv == ms_toollib.cal_bbbv(theirs)
        assert ours.bbbv_done == 0
        zini = ms_toollib.cal_zini(theirs)  # type: ignore[call-arg]  # its stub is of another version
        assert ours.zini == zini, f"\n{field}"


def test_the_3bv_done_grows_by_one_with_every_click_that_is_needed() -> None:
    field = Minefield.from_text("*....\n.....\n....*\n..*..\n")
    game = Game(field)
    done = [measure(field, game.board).bbbv_done]
    for row in range(4):
        for column in range(5):
            if not field.mines[row, column] and game.open((row, column)):
                done.append(measure(field, game.board).bbbv_done)
    assert game.state == "won"
    # Of the clicks here none is wasted on the border of an opening that is opened later, but the first.
    assert done[0] == 0
    assert done[-1] == measure(field, game.board).bbbv
    assert all(after - before in {0, 1} for before, after in pairwise(done))


def placements(board: Board, mines: int) -> list[set[tuple[int, int]]]:
    """All ways to lay the mines that fit, by trying every one."""
    covered = [(r, c) for r in range(board.rows) for c in range(board.columns) if board[r, c] >= 9]
    found = []
    for chosen in map(set, combinations(covered, mines)):
        if all(
            board[r, c] >= 9 or board[r, c] == sum(one in chosen for one in board.neighbours(r, c))
            for r in range(board.rows)
            for c in range(board.columns)
        ):
            found.append(chosen)
    return found


def shown(field: str, *opened: tuple[int, int]) -> Board:
    game = Game(Minefield.from_text(field))
    for tile in opened:
        game.open(tile)
    assert game.state == "playing"
    return game.board


BOARD = shown("*..*\n....\n.*..\n....\n", (1, 1), (1, 2), (2, 2))
"""A position with three mines."""


@pytest.mark.parametrize("tiles", [[(0, 0)], [(0, 0), (0, 1)], [(0, 2), (1, 3), (3, 0)], [(3, 3), (0, 2)]])
def test_what_a_move_risked_is_what_all_placements_say(tiles: list[tuple[int, int]]) -> None:
    all_of_them = placements(BOARD, 3)
    assert len(all_of_them) > 1
    found = review(solve(BOARD, mines=3), tiles)
    exploded = sum(any(tile in mines for tile in tiles) for mines in all_of_them)
    assert found.risk == Fraction(exploded, len(all_of_them))
    covered = [(r, c) for r in range(4) for c in range(4) if BOARD[r, c] == 9]
    chances = [Fraction(sum(tile in mines for mines in all_of_them), len(all_of_them)) for tile in covered]
    assert found.least == min(chances)
    assert chances[covered.index(found.safest)] == found.least
    assert set(found.safe) == {tile for tile, chance in zip(covered, chances, strict=True) if chance == 0}
    assert found.forced == (found.risk == min(chances))


def test_a_guess_between_two_is_forced_and_one_beside_a_safe_tile_is_not() -> None:
    fifty = review(solve(Board.from_text("?1\n?1"), mines=1), [(0, 0)])
    assert (fifty.risk, fifty.forced) == (Fraction(1, 2), True)
    # The 1 in the corner has one covered neighbour, so all others of the 1 beside it are safe.
    board = shown("*..\n...\n...\n..*\n", (0, 1), (1, 1), (1, 0))
    found = review(solve(board, mines=2), [(0, 0)])
    assert (found.risk, found.forced, bool(found.safe)) == (Fraction(1), False, True)


def test_nothing_is_said_of_opened_tiles() -> None:
    with pytest.raises(InvalidInput, match="row 0, column 1"):
        review(solve(Board.from_text("?1\n?1"), mines=1), [(0, 1)])


def test_where_all_are_mines_the_loss_was_forced() -> None:
    found = review(solve(Board.from_text("??"), mines=2), [(0, 0)])
    assert (found.risk, found.least, found.forced) == (Fraction(1), Fraction(1), True)
