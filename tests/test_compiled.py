"""`solve` by compiled code: the same odds in floating point, and the exact answers for all else."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from seen_boards import positions

from visionsweeper.board import Board
from visionsweeper.engine import compile_once
from visionsweeper.errors import ImpossibleBoard, InvalidInput
from visionsweeper.solver import Limit, solve
from visionsweeper.solver.solution import CompiledSolution, Solution

MANY = settings(max_examples=500, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))

FIVE = Board.from_text("?????\n?1???\n?3???\n?????\n")


@pytest.mark.slow
@MANY
@given(positions(30, (6, 6), "oo??F"))
def test_odds_and_certainty_are_those_of_the_exact_count(case: tuple[Board, int]) -> None:
    pytest.importorskip("numba")
    board, mines = case
    found, exact = solve(board, mines, engine="compiled"), solve(board, mines)
    assert isinstance(found, CompiledSolution)
    np.testing.assert_allclose(found.probability, exact.probability, rtol=0, atol=1e-9)
    assert (found.safe, found.mine, found.scope) == (exact.safe, exact.mine, exact.scope)
    assert found.count == exact.count
    assert (found.flags_wrong, found.flags_right) == (exact.flags_wrong, exact.flags_right)
    for tile in np.argwhere(board.covered).tolist():
        assert found.exact(*tile) == exact.exact(*tile)


@pytest.mark.slow
@settings(MANY, max_examples=100)
@given(positions(12, (4, 5), "oo??F", least_covered=1))
def test_advice_is_that_of_the_exact_count(case: tuple[Board, int]) -> None:
    pytest.importorskip("numba")
    board, mines = case
    found, exact = solve(board, mines, engine="compiled"), solve(board, mines)
    assert (found.best, found.best_reason, found.safest) == (exact.best, exact.best_reason, exact.safest)
    assert (found.advice, found.guesses) == (exact.advice, exact.guesses)


@pytest.mark.slow
@settings(MANY, max_examples=200)
@given(positions(30, (5, 5), "oo??F"))
def test_what_cannot_be_is_refused_alike(case: tuple[Board, int]) -> None:
    """A number one too high, and a mine count of half the tiles."""
    pytest.importorskip("numba")
    board, mines = case
    cells = board.cells.copy()
    numbers = np.argwhere(board.numbers)
    if len(numbers):
        row, column = numbers[0]
        cells[row, column] = min(cells[row, column] + 1, 8)
    for given_board, given_mines in ((Board(cells), mines), (board, board.cells.size // 2)):
        refusals = []
        for engine in ("exact", "compiled"):
            try:
                solve(given_board, given_mines, engine=engine)
                refusals.append("none")
            except ImpossibleBoard as error:
                refusals.append(f"{error.kind}: {error}")
        assert refusals[0] == refusals[1]


@pytest.mark.slow
def test_a_solution_can_be_copied_before_and_after_it_is_counted_exactly() -> None:
    pytest.importorskip("numba")
    solution = solve(FIVE, 5, engine="compiled")
    assert "CompiledSolution" in repr(solution)
    assert pickle.loads(pickle.dumps(solution)).count == 360
    assert solution.count == 360
    assert pickle.loads(pickle.dumps(solution)).best == (0, 2)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = solution.nothing  # type: ignore[attr-defined]


def test_what_the_compiled_count_does_not_take_is_counted_exactly() -> None:
    """Without compiling anything."""
    pytest.importorskip("numba")
    for solution in (
        solve(FIVE, engine="compiled"),
        solve(FIVE, 5, trust_flags=True, engine="compiled"),
        solve(FIVE, 5, limit=Limit(seconds=1), engine="compiled"),
        solve(Board(FIVE.cells, ("left",)), 5, engine="compiled"),
        solve(Board.from_text("*1?"), 1, engine="compiled"),
    ):
        assert type(solution) is Solution


def test_auto_waits_for_no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compile_once, "_COMPILED", set())
    assert type(solve(FIVE, 5, engine="auto")) is Solution


@pytest.mark.slow
def test_auto_takes_the_compiled_count_once_it_is_loaded() -> None:
    pytest.importorskip("numba")
    solve(FIVE, 5, engine="compiled")
    assert type(solve(FIVE, 5, engine="auto")) is CompiledSolution
    assert type(solve(FIVE, 5)) is Solution


def test_an_engine_that_is_not_there() -> None:
    with pytest.raises(InvalidInput, match="no engine 'fast'"):
        solve(FIVE, 5, engine="fast")  # type: ignore[arg-type]
    program = (
        "import sys; sys.modules['numba'] = None; from visionsweeper import Board, solve\n"
        "import importlib.util; importlib.util.find_spec = lambda name: None\n"
        "assert solve(Board.from_text('?1'), 1, engine='auto').mine == [(0, 0)]\n"
        "solve(Board.from_text('?1'), 1, engine='compiled')"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "InvalidInput: the compiled engine needs numba" in told.stderr
