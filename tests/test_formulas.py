"""The formulas that are in use, held against brute force, and brute force against the solver."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from visionsweeper.board import Board
from visionsweeper.errors import InconsistentBoard, InvalidInput
from visionsweeper.game.game import Game
from visionsweeper.game.minefield import lay
from visionsweeper.game.rules import Rules
from visionsweeper.solver import solve
from visionsweeper.tutorial.formulas import compare


def test_brute_force_is_what_the_solver_says() -> None:
    tried = 0
    for seed in range(60):
        game = Game(lay(Rules(5, 4, 4), (1, 1), np.random.default_rng(seed)))
        game.open((1, 1))
        if game.state != "playing":
            continue
        found, solution = compare(game.board, 4), solve(game.board, mines=4)
        assert found.true == {tile: solution.exact(*tile) for tile in found.true}
        assert found.solutions == solution.count
        assert all(list(one.odds) == list(found.true) for one in found.formulas)
        tried += 1
    assert tried > 30


def test_formulas_give_what_they_say() -> None:
    board = Board.from_text("???\n12?\n???")
    odds = {one.name: one.odds for one in compare(board, 2).formulas}
    # 0,0 touches the 1 (4 tiles) and the 2 (7 tiles); 0,2 touches the 2 only.
    assert odds["largest share"][0, 0] == Fraction(2, 7)
    assert odds["mean share"][0, 0] == (Fraction(1, 4) + Fraction(2, 7)) / 2
    assert odds["independent numbers"][0, 0] == 1 - Fraction(3, 4) * Fraction(5, 7)
    assert odds["largest share"][0, 2] == odds["mean share"][0, 2] == Fraction(2, 7)


def test_counting_every_solution_once_is_right_only_without_other_tiles() -> None:
    board = Board.from_text("????\n?12?\n????")
    found = compare(board, 2)
    alike = next(one for one in found.formulas if one.name == "every solution alike")
    assert alike.odds != found.true
    closed = Board.from_text("???\n121")
    found = compare(closed, 2)
    alike = next(one for one in found.formulas if one.name == "every solution alike")
    assert alike.odds == found.true


def test_shown_mines_count_and_flags_do_not() -> None:
    found = compare(Board.from_text("*F\n2?"), 2)
    assert found.true == {(0, 1): Fraction(1, 2), (1, 1): Fraction(1, 2)}


def test_what_cannot_be_tried_is_told() -> None:
    with pytest.raises(InvalidInput, match="too many to try"):
        compare(Board.from_text("\n".join(["?" * 16] * 16)), 40)
    with pytest.raises(InconsistentBoard):
        compare(Board.from_text("??\n3?"), 1)
    with pytest.raises(InconsistentBoard):
        compare(Board.from_text("*1"), 0)
