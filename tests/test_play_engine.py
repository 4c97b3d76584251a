"""The engine of bulk play against the exact solver, and what must hold of any play."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from math import exp
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from visionsweeper.board import COVERED, Board
from visionsweeper.engine import counting, deductions, elimination, endgame, lookahead, parts
from visionsweeper.engine import position as positions
from visionsweeper.engine.bulk import new_table, play_games
from visionsweeper.engine.compiling import COMPILED
from visionsweeper.engine.counting import CERTAINLY_MINED, CERTAINLY_SAFE, FITS, new_count
from visionsweeper.engine.elimination import new_matrix
from visionsweeper.engine.endgame import new_tree
from visionsweeper.engine.position import COUNT_MINED, MINED, SAFE, UNKNOWN, PositionArrays, new_position
from visionsweeper.game.rules import FIRST_CLICK_RULES, Rules
from visionsweeper.simulation.run import play_block
from visionsweeper.simulation.techniques import TECHNIQUES, Technique
from visionsweeper.solver import advice, solve
from visionsweeper.solver.endgame import play_out as play_out_exactly
from visionsweeper.solver.parts import play_part as play_part_exactly

pytestmark = pytest.mark.slow

RNG = np.random.default_rng(20)


def from_python(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of the engine that only compiled code can call, as one that Python can call."""
    if not COMPILED:
        return function
    from numba import njit

    compiler: Any = njit(error_model="numpy")  # as the engine itself is compiled
    dispatcher: Any = function
    return compiler(dispatcher.py_func)  # type: ignore[no-any-return]


show, settle = from_python(positions.show), from_python(positions.settle)
forget_changes = from_python(positions.forget_changes)
apply_subsets = from_python(deductions.apply_subsets)
search_contradictions = from_python(deductions.search_contradictions)
count_odds, eliminate = from_python(counting.count_odds), from_python(elimination.eliminate)
play_out = from_python(endgame.play_out)
play_part, mark_mine = from_python(parts.play_part), from_python(positions.mark_mine)


def numbers_of(mines: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint8]:
    padded = np.pad(mines.astype(np.uint8), 1)
    rows, columns = mines.shape
    around = [padded[r : r + rows, c : c + columns] for r in range(3) for c in range(3) if (r, c) != (1, 1)]
    numbers: npt.NDArray[np.uint8] = np.sum(around, axis=0, dtype=np.uint8)
    return numbers


def some_board(rows: int, columns: int, mines: int, opened: float) -> tuple[Board, npt.NDArray[np.bool_]]:
    """A board of a real minefield with a share of its safe tiles opened, and where the mines are."""
    field = np.zeros((rows, columns), bool)
    field.flat[RNG.choice(rows * columns, mines, replace=False)] = True
    cells = np.where((RNG.random((rows, columns)) < opened) & ~field, numbers_of(field), COVERED)
    return Board(cells.astype(np.uint8)), field


def position_of(board: Board) -> PositionArrays:
    position = new_position(board.rows, board.columns)
    for tile, code in enumerate(board.cells.ravel().tolist()):
        if code < COVERED:
            show(position, tile, code)
    return position


def settled(position: PositionArrays) -> tuple[set[int], set[int]]:
    """Tiles that the position holds to be safe, and mines."""
    state = position.state
    return set(np.flatnonzero(state == SAFE).tolist()), set(np.flatnonzero(state == MINED).tolist())


@pytest.mark.parametrize(
    ("rows", "columns", "mines", "opened"),
    [(4, 4, 3, 0.3), (5, 6, 8, 0.5), (9, 9, 10, 0.4), (16, 16, 40, 0.3), (16, 30, 99, 0.25), (9, 9, 40, 0.4)],
)
def test_odds_are_those_of_the_exact_solver(rows: int, columns: int, mines: int, opened: float) -> None:
    for _ in range(25):
        board, _ = some_board(rows, columns, mines, opened)
        solution = solve(board, mines=mines)
        position, count = position_of(board), new_count(board.cells.size)
        assert settle(position)
        left = mines - int(position.tally[COUNT_MINED])
        assert count_odds(position, count, left) == FITS
        safe, mined = settled(position)
        unknown = position.state == UNKNOWN
        safe |= set(np.flatnonzero(unknown & (count.certain == CERTAINLY_SAFE)).tolist())
        mined |= set(np.flatnonzero(unknown & (count.certain == CERTAINLY_MINED)).tolist())
        assert safe == {row * columns + column for row, column in solution.safe}
        assert mined == {row * columns + column for row, column in solution.mine}
        said = solution.probability.ravel()[unknown]
        assert count.probability[unknown] == pytest.approx(said, abs=1e-11)
        assert exp(count.figures[0] - np.log(float(solution.count))) == pytest.approx(1, rel=1e-9)


def test_a_position_that_cannot_be_is_refused() -> None:
    position = position_of(Board.from_text("?1?\n???\n"))
    count = new_count(6)
    assert settle(position)
    assert count_odds(position, count, 5) != FITS
    assert count_odds(position, count, 0) != FITS
    assert not settle(position_of(Board.from_text("?3\n??\n0?\n")))


@pytest.mark.parametrize("technique", ["single", "subset", "contradiction", "gauss"])
def test_techniques_find_nothing_that_the_exact_solver_does_not(technique: str) -> None:
    found = 0
    for _ in range(60):
        board, field = some_board(9, 9, 14, 0.35)
        solution = solve(board)
        position = position_of(board)
        if technique == "gauss":
            forget_changes(position)
            eliminate(position, new_matrix(9, 9))
        else:
            assert settle(position)
        if technique == "subset":
            apply_subsets(position, np.zeros(81, np.uint8))
        if technique == "contradiction":
            search_contradictions(position, new_position(9, 9))
        safe, mined = settled(position)
        assert safe <= {row * 9 + column for row, column in solution.safe}
        assert mined <= {row * 9 + column for row, column in solution.mine}
        assert all(not field.ravel()[tile] for tile in safe)
        found += len(safe) + len(mined)
    assert found > 100


def where_only_a_guess_goes_on(rows: int, columns: int, mines: int, opened: float) -> Board:
    """A board on which everything that is certainly safe has been opened."""
    board, field = some_board(rows, columns, mines, opened)
    while safe := solve(board, mines=mines).safe:
        cells = board.cells.copy()
        for tile in safe:
            cells[tile] = numbers_of(field)[tile]
        board = Board(cells)
    return board


def assert_played_out_as_by_the_solver(board: Board, mines: int) -> None:
    solution = solve(board, mines=mines)
    position, count = position_of(board), new_count(board.cells.size)
    assert settle(position)
    left = mines - int(position.tally[COUNT_MINED])
    assert count_odds(position, count, left) == FITS
    tile, wins, solutions = play_out(position, count, new_tree(board.cells.size), left)
    exact = play_out_exactly(solution)
    assert exact is not None
    assert solutions == solution.count
    assert wins == exact.chance * solution.count
    assert exact.by_tile[divmod(tile, board.columns)] == exact.chance


def test_the_end_is_played_out_as_exactly_as_by_the_solver() -> None:
    searched = 0
    for _ in range(150):
        board = where_only_a_guess_goes_on(6, 7, 11, 0.4)
        if 2 <= solve(board, mines=11).count <= 300:
            assert_played_out_as_by_the_solver(board, 11)
            searched += 1
    assert searched > 20


def test_without_a_tile_beside_no_number_the_mine_count_decides_the_end() -> None:
    """Nine ways to lay mines suit the numbers, but only four of them have eleven mines."""
    board = Board.from_text("??2?3?2\n123????\n01?23??\n122123?\n2?201??\n2?2012?\n")
    assert solve(board, mines=11).count == 4
    assert_played_out_as_by_the_solver(board, 11)


def test_isolated_parts_are_played_as_by_the_solver() -> None:
    played = different = 0
    tree, room = new_tree(144), parts.new_part(144)
    for _ in range(250):
        board = where_only_a_guess_goes_on(12, 12, 48, 0.6)
        solution = solve(board, mines=48)
        position, count = position_of(board), new_count(144)
        assert settle(position)
        for row, column in solution.mine:
            if position.state[row * 12 + column] != MINED:
                mark_mine(position, row * 12 + column)
        assert settle(position)
        left = 48 - int(position.tally[COUNT_MINED])
        assert count_odds(position, count, left) == FITS
        for start in np.flatnonzero(position.state == UNKNOWN).tolist():
            tile = play_part(position, count, tree, room, left, start)
            exact = play_part_exactly(solution, divmod(start, 12))
            if tile < 0 or exact is None:  # beyond the limits, which differ, or all that is left
                continue
            assert float(exact.by_tile[divmod(tile, 12)]) == pytest.approx(float(exact.chance), abs=1e-7)
            played += 1
            different += len(set(exact.by_tile.values())) > 1
    assert played > 100
    assert different > 20


@pytest.mark.parametrize("first_click", FIRST_CLICK_RULES)
def test_mines_are_laid_by_the_rule_and_all_tiles_alike(first_click: str) -> None:
    table, start, games = new_table(4, 5), 6, 4000
    around = {0, 1, 2, 5, 7, 10, 11, 12}
    kept = {"any": set(), "safe": {start}, "opening": {start} | around}[first_click]
    seen = np.zeros(20)
    draws = RNG.integers(0, 1 << 32, (games, 7), dtype=np.uint32)
    for game in range(games):
        play_games(table, 0, FIRST_CLICK_RULES.index(first_click), np.array([start]), draws[game : game + 1])
        assert table.mine.sum() == 7
        seen += table.mine
    assert all(seen[tile] == 0 for tile in kept)
    free = [seen[tile] for tile in range(20) if tile not in kept]
    share = 7 / len(free)
    spread = 5 * (games * share * (1 - share)) ** 0.5
    assert np.abs(np.array(free) - games * share).max() <= spread


@pytest.mark.parametrize("technique", TECHNIQUES[:5])
def test_what_claims_certainty_never_loses(technique: Technique) -> None:
    games = 0
    for rules in (Rules(9, 9, 10), Rules(30, 16, 99), Rules(8, 8, 10, (7, 0), "safe"), Rules(5, 24, 30)):
        for block in range(6):
            (won, stuck, lost), guesses, _, _ = play_block(rules, technique, 5, block, 0, 500)
            assert lost == 0
            assert guesses == [0, 0]
            assert won + stuck == 500
            games += 500
    assert games == 12_000


def test_each_technique_wins_all_games_that_a_weaker_one_wins() -> None:
    won: dict[str, set[int]] = {}
    rules = Rules(16, 16, 40)
    for technique in ("single", "subset", "contradiction", "exact"):
        won[technique] = {
            game for game in range(300) if play_block(rules, technique, 1, 0, game, game + 1)[0][0]
        }
    assert won["single"] < won["subset"] < won["exact"]
    assert won["single"] < won["contradiction"] < won["exact"]


@pytest.mark.parametrize(
    ("technique", "rules", "percent"),
    [
        ("gauss", Rules(9, 9, 10), 74.09),
        ("gauss", Rules(16, 16, 40), 43.43),
        ("gauss", Rules(30, 16, 99), 1.707),
        ("exact", Rules(9, 9, 10), 89.96),
        ("exact", Rules(16, 16, 40), 70.4),
        ("exact", Rules(30, 16, 99), 15.2),
        ("lowest", Rules(9, 9, 10), 96.7),
        ("lowest", Rules(16, 16, 40), 87.7),
        ("lowest", Rules(30, 16, 99), 50.4),
        ("lowest", Rules(9, 9, 10, "corner", "safe"), 91.0),
        ("lowest", Rules(16, 16, 40, "corner", "safe"), 75.5),
        ("lowest", Rules(30, 16, 99, "corner", "safe"), 39.1),
    ],
)
def test_known_win_rates_come_out(technique: Technique, rules: Rules, percent: float) -> None:
    # The published shares have errors of their own, of some 0.2 to 0.5 percent; which of several equal tiles
    # is guessed is not said.
    games = 3000
    won = sum(play_block(rules, technique, 2, block, 0, 500)[0][0] for block in range(games // 500))
    share = percent / 100
    assert abs(won / games - share) <= 4 * (share * (1 - share) / games) ** 0.5 + 0.005


def test_odds_said_are_odds_held() -> None:
    said = np.zeros((3, 20))
    for block in range(6):
        said += np.array(play_block(Rules(16, 16, 40), "lowest", 3, block, 0, 500)[2])
    tiles, total, held = said[0], said[1] / 1e9, said[2]
    for place in np.flatnonzero(tiles > 500):
        share = total[place] / tiles[place]
        # Tiles of one position depend on each other: the spread is wider than of independent tiles.
        assert abs(held[place] - total[place]) <= 12 * (tiles[place] * share * (1 - share)) ** 0.5 + 5
    assert held.sum() == pytest.approx(total.sum(), rel=0.01)


def test_guessing_better_than_the_least_likely_mine() -> None:
    rules = Rules(9, 9, 10, "corner", "safe")
    won = {
        technique: sum(play_block(rules, technique, 9, block, 0, 500)[0][0] for block in range(12))
        for technique in ("lowest", "best")
    }
    assert won["best"] > won["lowest"]


def test_interpreted_it_plays_the_same() -> None:
    code = (
        "from visionsweeper.game.rules import Rules\n"
        "from visionsweeper.simulation.run import play_block\n"
        "for technique in ('gauss', 'contradiction', 'best'):\n"
        "    print(play_block(Rules(6, 6, 8, 'corner', 'safe'), technique, 4, 0, 0, 6)[:3])\n"
    )
    expected = "".join(
        f"{play_block(Rules(6, 6, 8, 'corner', 'safe'), technique, 4, 0, 0, 6)[:3]}\n"
        for technique in ("gauss", "contradiction", "best")
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout == expected


def test_the_player_weighs_guesses_as_advice_does() -> None:
    # Compiled code cannot take them from there: what is kept of it is named after the engine's own text.
    assert lookahead.SURVIVAL_WEIGHT == advice.SURVIVAL_WEIGHT
    assert lookahead.TILES_LOOKED_INTO == advice.TILES_LOOKED_INTO
    assert lookahead.NON_FRONTIER_LOOKED_INTO == advice.NON_FRONTIER_LOOKED_INTO
