"""Boards too wide to count within the limit: estimates against exact counts and the true mines."""

import numpy as np
import pytest

from visionsweeper.board import COVERED, Board
from visionsweeper.errors import ImpossibleMineCount, InconsistentBoard, TooWide
from visionsweeper.options import SolveOptions
from visionsweeper.pipeline import advise, analyse_with
from visionsweeper.report.as_json import to_dict
from visionsweeper.report.result import Report
from visionsweeper.solver import Limit, solve
from visionsweeper.solver.approximation import approximate
from visionsweeper.solver.estimate import _drawn

TIGHT = Limit(seconds=1e-3)
"""Little enough that the lattices below are refused, and enough for their smaller components."""


def lattice(size: int, seed: int, density: float = 0.2) -> tuple[Board, np.ndarray]:
    """Every second tile of every second row opened, and where the mines are."""
    random = np.random.default_rng([size, seed])
    opened = np.zeros((size, size), dtype=np.bool_)
    opened[1::2, 1::2] = True
    mines = (random.random((size, size)) < density) & ~opened
    cells = np.full((size, size), COVERED, dtype=np.uint8)
    covered = Board(cells)
    for row, column in np.argwhere(opened).tolist():
        cells[row, column] = sum(mines[other] for other in covered.neighbours(row, column))
    return Board(cells), mines


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("known", [False, True])
def test_estimates_are_right_within_their_error(seed: int, known: bool) -> None:
    board, truth = lattice(24, seed)
    mines = int(truth.sum()) if known else None
    exact = solve(board, mines)
    found = approximate(board, mines, limit=TIGHT)
    assert found is not None
    assert found.estimated
    wrong = [
        tile
        for tile, error in found.estimated.items()
        if abs(found.probability[tile] - exact.probability[tile]) > error
    ]
    assert len(wrong) <= 0.05 * len(found.estimated)
    assert np.nanmax(np.abs(found.probability - exact.probability)) < 0.03
    # What is called certain is certain, and nothing that is not is shown as such.
    assert set(found.safe) <= set(exact.safe)
    assert set(found.mine) <= set(exact.mine)
    inside = exact.probability[(exact.probability > 0) & (exact.probability < 1)]
    assert len(inside)
    for tile in found.estimated:
        assert 0 < found.probability[tile] < 1
    if not known:  # each component stands for itself, so all others are exact
        others = np.ones(board.cells.shape, dtype=np.bool_)
        for tile in found.estimated:
            others[tile] = False
        np.testing.assert_allclose(found.probability[others], exact.probability[others], rtol=0, atol=1e-12)


@pytest.mark.slow
def test_a_board_too_wide_to_count_is_answered_for_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    board, truth = lattice(20, 3)
    monkeypatch.setattr("visionsweeper.pipeline.SECONDS", TIGHT.seconds)
    with pytest.raises(TooWide, match="--limit-seconds"):
        solve(board, int(truth.sum()), limit=TIGHT)
    analysis = analyse_with(board, SolveOptions(int(truth.sum())))
    assert analysis.problem is None
    assert analysis.solution is not None
    assert len(analysis.solution.estimated) > 50
    assert any("are estimates, right within" in warning for warning in analysis.warnings)
    answer = to_dict(Report(analysis=analysis, advice=advise(analysis)), exact=True)
    assert answer["estimated"] == [list(tile) for tile in sorted(analysis.solution.estimated)]
    assert answer["solutions"] is None
    assert answer["error"] is None
    assert answer["best"] is not None
    assert not any(truth[row, column] for row, column in answer["safe"])
    assert all(truth[row, column] for row, column in answer["mine"])
    with pytest.raises(TooWide, match="estimates"):
        _ = analysis.solution.count
    # The option named by the message exists, and with it the board is counted.
    exact = analyse_with(board, SolveOptions(int(truth.sum()), limit_seconds=60))
    assert exact.solution is not None
    assert not exact.solution.estimated


def test_boards_that_cannot_be_are_not_estimated() -> None:
    board, _ = lattice(12, 0)
    cells = board.cells.copy()
    cells[1, 1], cells[1, 3] = 8, 0
    with pytest.raises(InconsistentBoard):
        solve(Board(cells))
    with pytest.raises(ImpossibleMineCount):
        approximate(board, 144, limit=TIGHT)


def test_a_contradiction_that_the_techniques_meet_is_no_estimate() -> None:
    board = Board.from_text("?2\n22\n")
    with pytest.raises(InconsistentBoard):
        solve(board)
    for mines in (None, 2):
        assert approximate(board, mines, limit=Limit(0, 0)) is None


def test_nothing_is_left_to_estimate_where_the_techniques_settle_all() -> None:
    board = Board.from_text("?1\n11\n")
    for mines in (None, 1):
        found = approximate(board, mines, limit=Limit(0, 0))
        assert found is not None
        assert found.mine == [(0, 0)]
        assert not found.estimated


def test_few_kept_states_weigh_what_all_do_on_average() -> None:
    weights = np.array([0.001, *[1.0] * 7])
    random = np.random.default_rng(1)
    total = np.zeros(8)
    for _ in range(4000):
        kept, scale = _drawn(weights, 4, random)
        assert kept.sum() <= 5
        total += np.where(kept, weights * scale, 0.0)
    np.testing.assert_allclose(total / 4000, weights, atol=0.06)
