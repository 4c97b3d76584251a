"""What is certain whatever the doubted tiles are: against all placements of mines of small boards."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from unittest.mock import patch

import numpy as np
import numpy.typing as npt
import pytest

from visionsweeper import read_board
from visionsweeper.board import FLAG, MINE, SAFE, Board
from visionsweeper.errors import TooWide
from visionsweeper.pipeline import advise, analyse, picture
from visionsweeper.report.as_json import details_to_json, to_dict
from visionsweeper.report.as_text import explanation_to_text, steps_to_text, to_line, to_summary
from visionsweeper.report.explanation import explain_position
from visionsweeper.report.result import Report
from visionsweeper.solver import Limit, solve
from visionsweeper.solver.doubt import Certainty, hangs_on
from visionsweeper.solver.odds import Odds
from visionsweeper.vision.counter.counter import Counter
from visionsweeper.vision.reading import Reading

SAMPLES = Path(__file__).parents[1] / "samples"


def placements(board: Board, doubted: npt.NDArray[np.bool_], mines: int) -> list[set[tuple[int, int]]]:
    """All sets of so many mines that fit what the tiles beyond doubt show."""
    tiles = [(r, c) for r in range(board.rows) for c in range(board.columns)]
    free = [tile for tile in tiles if doubted[tile] or board[tile] in {9, 10}]
    shown = {tile for tile in tiles if board[tile] == MINE and not doubted[tile]}
    fitting = []
    for chosen in combinations(free, mines - len(shown)):
        laid = shown | set(chosen)
        if all(
            doubted[tile]
            or board[tile] > 8
            or board[tile] == SAFE
            or sum(near in laid for near in board.neighbours(*tile)) == board[tile]
            for tile in tiles
        ):
            fitting.append(laid)
    return fitting


@pytest.mark.parametrize("seed", range(40))
def test_certain_is_what_all_placements_share(seed: int) -> None:
    rng = np.random.default_rng(seed)
    laid = rng.random((4, 4)) < 0.25
    padded = np.pad(laid, 1).astype(int)
    numbers = sum(padded[r : r + 4, c : c + 4] for r in range(3) for c in range(3))
    opened = ~laid & (rng.random((4, 4)) < 0.6)
    board = Board(np.where(opened, numbers, 9).astype(np.uint8))
    doubted = rng.random((4, 4)) < 0.15
    odds = solve(board, int(laid.sum()))
    found = Certainty.of(odds, doubted, board)
    fitting = placements(board, doubted, int(laid.sum()))
    as_read = placements(board, np.zeros_like(doubted), int(laid.sum()))
    covered = [tile for tile in np.ndindex(4, 4) if board[tile] == 9]
    sure = [tile for tile in covered if not doubted[tile]]
    safe = {tile for tile in sure if not any(tile in mines for mines in fitting)}
    mine = {tile for tile in sure if all(tile in mines for mines in fitting)}
    assert set(found.safe) == safe
    assert set(found.mine) == mine
    read_safe = {tile for tile in covered if not any(tile in mines for mines in as_read)}
    read_mine = {tile for tile in covered if all(tile in mines for mines in as_read)}
    assert set(found.safe_if_read_right) == read_safe - safe
    assert set(found.mine_if_read_right) == read_mine - mine


def test_nothing_is_certain_above_a_quarter_in_doubt() -> None:
    board = Board.from_text("?1\n11\n")
    doubted = np.array([[False, True], [True, False]])
    found = Certainty.of(solve(board, 1), doubted, board)
    assert (found.safe, found.mine) == ((), ())
    assert found.mine_if_read_right == ((0, 0),)


def test_a_claim_names_the_doubted_tiles_that_it_hangs_on() -> None:
    # The left pair follows from the 1 in the corner, the right one from a number of its own.
    board = Board.from_text("?10001?\n1100011\n0000000\n")
    doubted = np.zeros((3, 7), np.bool_)
    doubted[0, 1] = doubted[1, 0] = doubted[1, 1] = True
    doubted[2, 3] = True
    odds = solve(board)
    assert Certainty.of(odds, doubted, board).mine == ((0, 6),)
    needed = hangs_on(odds, doubted, (0, 0))
    assert needed
    assert (2, 3) not in needed
    assert hangs_on(odds, doubted, (0, 6)) == ()
    # Read right, they suffice; without any one of them, they do not.
    rest = doubted.copy()
    for tile in needed:
        rest[tile] = False
    assert (0, 0) in Certainty.of(odds, rest, board).mine
    for tile in needed:
        again = rest.copy()
        again[tile] = True
        assert (0, 0) not in Certainty.of(odds, again, board).mine


def test_of_a_tile_that_may_be_none_nothing_is_certain() -> None:
    board = Board.from_text("?10001?\n1100011\n0000000\n")
    doubted = np.zeros((3, 7), np.bool_)
    doubted[0, 0] = True
    odds = solve(board)
    found = Certainty.of(odds, doubted, board)
    assert (found.mine, found.mine_if_read_right) == (((0, 6),), ((0, 0),))
    assert hangs_on(odds, doubted, (0, 0)) == ((0, 0),)


def standard_board(seed: int) -> tuple[Board, npt.NDArray[np.bool_]]:
    """A 9x9 board, open but for a corner, and its mines: 8 to 12, of which 10 would be standard."""
    rng = np.random.default_rng(seed)
    laid = np.zeros((9, 9), np.bool_)
    laid.flat[rng.choice(81, int(rng.integers(8, 13)), replace=False)] = True
    around = np.pad(laid, 1).astype(int)
    numbers = sum(around[r : r + 9, c : c + 9] for r in range(3) for c in range(3))
    opened = ~laid
    opened[:4, :4] = False
    return Board(np.where(opened, numbers, 9).astype(np.uint8)), laid


def test_nothing_is_certain_by_a_mine_count_that_is_merely_usual_for_the_size() -> None:
    hanging = 0
    for seed in range(60):
        board, laid = standard_board(seed)
        found, given = analyse(board), analyse(board, mines=int(laid.sum()))
        if found.mines_source != "standard":
            continue
        certain, by_numbers = found.certain, analyse(board, local=True).certain
        assert (certain.safe, certain.mine) == (by_numbers.safe, by_numbers.mine)
        assert not [tile for tile in certain.safe if laid[tile]]
        assert not [tile for tile in certain.mine if not laid[tile]]
        assert given.certain.condition == ""
        assert bool(certain.condition) == bool(certain.safe_if_read_right or certain.mine_if_read_right)
        hanging += certain.on_mines is not None
    assert hanging > 5


CORNER = "*2*2*2*2*\n121212121\n111111000\n1*11*1000\n111111000\n111001110\n1*1001*21\n1110012??\n0000001??\n"
"""Nine mines are shown. Of the corner the numbers leave one mine or two; with ten in all it is 7, 7."""


def test_summary_advice_and_explanation_name_the_mine_count_that_was_assumed() -> None:
    said = "only if the board has 10 mines, which is not certain"
    found = analyse(Board.from_text(CORNER))
    safe = found.certain.safe_if_read_right
    assert (found.certain.safe, found.certain.mine) == ((), ())
    advice = advise(found)
    assert advice is not None
    assert advice.best in safe
    assert advice.reason == f"It is safe {said}: check this first."
    assert said in to_summary(Report(analysis=found))
    hanging = explain_position(found, tile=safe[0])
    assert (hanging.hangs_on, hanging.hangs_on_mines) == ((), 10)
    assert f"It holds {said}." in steps_to_text(hanging)
    known = explain_position(analyse(found.board, mines=10), tile=safe[0])
    assert known.hangs_on_mines is None


def test_flags_are_right_or_wrong_only_whatever_the_mine_count_is() -> None:
    cells = Board.from_text(CORNER).cells.copy()
    cells[7, 7] = cells[8, 8] = FLAG
    assumed, given = (analyse(Board(cells), mines=mines) for mines in (None, 10))
    assert given.solution is not None
    for found, right, wrong, uncertain in (
        (assumed, [], [], [[7, 7], [8, 8]]),
        (given, [[7, 7]], [[8, 8]], []),
    ):
        details = details_to_json(explain_position(found))
        assert details["flags"] == {"right": right, "wrong": wrong, "uncertain": uncertain}
    assert assumed.warnings == ("this flag is not certain to be a mine: row 8, column 8",)
    assert given.warnings == ("this flag is certainly on a safe tile: row 8, column 8",)
    told = explanation_to_text(explain_position(assumed), None, tables=False)
    condition = "if the board has 10 mines, which is not certain"
    assert re.search(rf"row 7, column 7 +right {condition}", told)
    assert re.search(rf"row 8, column 8 +wrong {condition}", told)
    assert f"4 of these tiles only {condition}." in told
    assert not np.array_equal(picture(assumed), picture(given))
    assert details_to_json(explain_position(assumed, tile=(7, 8)))["hangs_on_mines"] == 10
    assert f"4 more {condition}" in to_line(Report(analysis=assumed))


def test_trusted_flags_are_trusted_without_a_mine_count_too() -> None:
    cells = Board.from_text(CORNER).cells.copy()
    cells[7, 7] = FLAG
    certain = analyse(Board(cells), trust_flags=True).certain
    assert set(certain.safe) == {(7, 8), (8, 7)}
    assert certain.safe_if_read_right == ((8, 8),)


def test_where_most_is_in_doubt_the_condition_names_the_mine_count_too() -> None:
    doubted = np.zeros((9, 9), np.bool_)
    doubted[:4] = True
    certain = analyse(Board.from_text(CORNER), doubted=doubted).certain
    assert (certain.safe, certain.mine) == ((), ())
    assert "the doubted tiles were read right and the board has 10 mines" in certain.condition
    assert analyse(Board.from_text(CORNER), mines=10, doubted=doubted).certain.on_mines is None


def test_doubted_tiles_are_named_where_the_mine_count_would_do_as_well() -> None:
    # The doubted 1 in the corner says it of the tile beside it, and so does the count.
    cells = Board.from_text(CORNER).cells.copy()
    cells[8, 8] = 1
    board, doubted = Board(cells), np.zeros((9, 9), np.bool_)
    doubted[8, 8] = True
    found = analyse(board, doubted=doubted)
    for tile in (*found.certain.safe_if_read_right, *found.certain.mine_if_read_right):
        explained = explain_position(found, tile=tile)
        assert explained.hangs_on or explained.hangs_on_mines is not None


@pytest.mark.parametrize(("confidence", "doubtful"), [(0.9, True), (0.99, False)])
def test_a_counter_read_with_doubt_makes_its_count_doubtful(
    reading: Reading, confidence: float, doubtful: bool
) -> None:
    counter = Counter(10, "10", "left", (0, 0, 20, 10), confidence)
    found = analyse(replace(reading, mines=10, counter=counter))
    assert (found.mines, found.mines_source, found.mines_doubted) == (10, "counter", doubtful)
    assert not analyse(found.reading or found.board, mines=10).mines_doubted


@pytest.fixture(scope="module")
def reading() -> Reading:
    return read_board(SAMPLES / "beginner-flat.png", themes=())


def doubting(reading: Reading, tiles: list[tuple[int, int]]) -> Reading:
    """The reading with so many tiles in doubt."""
    confidence = reading.confidence.copy()
    for tile in tiles:
        confidence[tile] = 0.5
    return replace(reading, confidence=confidence)


def test_json_summary_and_picture_tell_what_hangs_on_doubt(reading: Reading) -> None:
    sure = analyse(reading)
    assert sure.solution is not None
    numbers = [tile for tile in np.ndindex(*reading.board.cells.shape) if 1 <= reading.board[tile] <= 8]
    for tile in numbers:
        doubtful = analyse(doubting(reading, [tile]))
        if doubtful.certain.safe_if_read_right:
            break
    else:
        pytest.fail("no number matters")
    plain, found = to_dict(Report(analysis=sure)), to_dict(Report(analysis=doubtful))
    assert plain["safe_if_read_right"] == plain["mine_if_read_right"] == []
    assert sorted(found["safe"] + found["safe_if_read_right"]) == plain["safe"]
    assert sorted(found["mine"] + found["mine_if_read_right"]) == plain["mine"]
    assert found["probability"] == plain["probability"]
    assert "only if the doubted tiles were read right" in to_summary(Report(analysis=doubtful))
    risky = doubtful.certain.safe_if_read_right[0]
    assert explain_position(doubtful, tile=risky).hangs_on == (tile,)
    assert explain_position(sure, tile=risky).hangs_on == ()
    row, column = risky
    grid, drawn, before = reading.grid, picture(doubtful), picture(sure)
    factor = before.shape[1] / reading.image.shape[1]
    x, y = (round(factor * edges[at + 1] - 2) for edges, at in ((grid.x, column), (grid.y, row)))
    top, left = round(factor * grid.y[row]), round(factor * grid.x[column])
    assert (drawn[top:y, left:x] != before[top:y, left:x]).any()


def test_the_tile_to_open_rests_on_no_doubt_where_one_does_not(reading: Reading) -> None:
    for tile in np.ndindex(*reading.board.cells.shape):
        if not 1 <= reading.board[tile] <= 8:
            continue
        found = analyse(doubting(reading, [tile]))
        advice = advise(found)
        if found.certain.safe:
            assert advice is not None
            assert advice.best in found.certain.safe


def test_a_board_refused_by_a_limit_is_looked_at_within_the_same_limit() -> None:
    # Every second tile of every second row is open: seconds of counting within the default limit.
    board = Board.from_text(("?" * 21 + "\n" + "?1" * 10 + "?\n") * 10)
    limit = Limit(memory=0.001, seconds=0.001)
    with pytest.raises(TooWide) as refused:
        solve(board, limit=limit)
    assert refused.value.limit == limit
    doubted = np.zeros((20, 21), bool)
    doubted[1, 1] = True
    with patch.object(Odds, "of", wraps=Odds.of) as asked:
        assert Certainty.of(refused.value, doubted, board) == Certainty()
    assert {call.kwargs["limit"] for call in asked.call_args_list} == {limit}
