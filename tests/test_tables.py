"""Solutions by number, outcome distributions and tables, against brute force."""

import json
import random
import re
from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from seen_boards import positions

from visionsweeper.board import COVERED, FLAG, MINE, SAFE, Board
from visionsweeper.errors import ImpossibleBoard
from visionsweeper.report.as_json import advice_to_json, outcomes_to_json, tables_to_json
from visionsweeper.report.text_tables import advice_to_text, outcomes_to_text, tables_to_text
from visionsweeper.solver import Solution, solve
from visionsweeper.solver.outcomes import opening_chances
from visionsweeper.solver.solutions import place

FEW = settings(
    max_examples=120, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)


def placements(board: Board, mines: int | None) -> list[frozenset[tuple[int, int]]]:
    """The covered mines of every solution, by trying all; without a count, of tiles next to numbers."""
    cells = board.cells
    covered = [(int(r), int(c)) for r, c in np.argwhere((cells == COVERED) | (cells == FLAG))]
    shown = {tuple(map(int, t)) for t in np.argwhere(cells == MINE)}
    numbers = [tuple(map(int, t)) for t in np.argwhere(cells < COVERED)]
    if mines is None:
        covered = [t for t in covered if any(cells[n] < COVERED for n in board.neighbours(*t))]
    sizes = range(len(covered) + 1) if mines is None else [max(0, mines - len(shown))]
    return [
        frozenset(chosen)
        for size in sizes
        for chosen in combinations(covered, size)
        if all(len((shown | set(chosen)) & set(board.neighbours(*n))) == cells[n] for n in numbers)
    ]


POSITIONS = positions(12, (5, 5), "oooo???Fx*")


def covered_tiles(board: Board) -> list[tuple[int, int]]:
    return [t for t in np.ndindex(board.rows, board.columns) if board[t] in (COVERED, FLAG)]


@pytest.mark.slow
@FEW
@given(POSITIONS, st.booleans(), st.integers(0, 1000))
def test_solutions_are_all_and_in_order(case: tuple[Board, int], local: bool, seed: int) -> None:
    board, mines = case
    solution = solve(board, None if local else mines)
    everything = placements(board, None)
    for part in solution.components:
        listed = [part.solution(index) for index in range(part.count)]
        assert listed == list(part)
        assert {frozenset(one) for one in listed} == {one & set(part.tiles) for one in everything}
        assert len(set(listed)) == len(listed)
        assert [len(one) for one in listed] == sorted(map(len, listed))
        for mines_in, first, last in part.ranges:
            assert {len(one) for one in listed[first : last + 1]} == {mines_in}
        assert sum(last - first + 1 for _, first, last in part.ranges) == part.count
        for index in (-1, part.count):
            with pytest.raises(IndexError, match="numbered from 0"):
                part.solution(index)
        for group, tiles in enumerate(part.groups):
            expected = Counter(len(one) for one in listed if tiles[0] in one)
            found = part.with_mine[group]
            assert list(found) == [expected[m] for m in range(part.low, part.low + len(part.totals))]
        rng = np.random.default_rng(seed)
        assert part.random(rng) in listed
        assert part.random(rng, part.low) in listed[: part.totals[0]]
        with pytest.raises(ValueError, match="mines"):
            part.random(rng, part.low - 1)
    drawn = solution.random(random.Random(seed))
    assert frozenset(drawn) in placements(board, solution.mines)


@pytest.mark.slow
def test_random_solutions_are_uniform() -> None:
    board = Board.from_text("???????\n1?2?1??\n???????\n")
    solution = solve(board, 4)
    expected = placements(board, 4)
    for rng in (random.Random(1), np.random.default_rng(2)):
        draws = 40 * len(expected)
        seen = Counter(frozenset(solution.random(rng)) for _ in range(draws))
        assert set(seen) <= set(expected)
        chi_square = sum((seen[one] - 40) ** 2 / 40 for one in expected)
        freedom = len(expected) - 1
        assert abs(chi_square - freedom) < 4 * (2 * freedom) ** 0.5
    assert solution.random(random.Random(5)) == solution.random(random.Random(5))


def test_a_far_solution_of_a_component_with_very_many() -> None:
    rows = ["?" * 61, "?" + "2" * 59 + "?", "?" * 61]
    rows[1] = "".join("2" if column % 2 else "?" for column in range(61))
    board = Board.from_text("\n".join(rows))
    (part,) = solve(board).components
    assert part.count > 10**12
    found = set(part.solution(10**11))
    assert next(mines for mines, first, last in part.ranges if first <= 10**11 <= last) == len(found)
    for tile in np.ndindex(3, 61):
        if board[tile] == 2:
            assert sum(other in found for other in board.neighbours(*tile)) == 2
    assert len({part.solution(index) for index in range(10**11, 10**11 + 50)}) == 50


@pytest.mark.slow
@FEW
@given(POSITIONS, st.booleans())
def test_outcomes_equal_brute_force(case: tuple[Board, int], local: bool) -> None:
    board, mines = case
    solution = solve(board, None if local else mines)
    everything = placements(board, solution.mines)
    shown = {tuple(map(int, t)) for t in np.argwhere(board.cells == MINE)}
    for tile in covered_tiles(board):
        around = list(board.neighbours(*tile))
        unknown = np.isnan([solution.probability[n] for n in around if board[n] in (COVERED, FLAG)]).any()
        if np.isnan(solution.probability[tile]) or (unknown and solution.probability[tile] < 1):
            with pytest.raises(ValueError, match="mine count"):
                solution.outcomes(*tile)
            continue
        found = solution.outcomes(*tile)
        assert found.mine + sum(found.numbers) == 1
        total = len(everything)
        assert found.mine == Fraction(sum(tile in one for one in everything), total)
        seen = Counter(len((one | shown) & set(around)) for one in everything if tile not in one)
        assert found.numbers == tuple(Fraction(seen[number], total) for number in range(9))
        assert set(outcomes_to_json(found)) == {"mine", *"012345678"}


def test_outcomes_of_opened_tiles_are_refused() -> None:
    solution = solve(Board.from_text("1?\n??\n"), 1)
    with pytest.raises(ValueError, match="not covered"):
        solution.outcomes(0, 0)
    assert solution.outcomes(1, 1).numbers[1] == Fraction(2, 3)


@pytest.mark.slow
@FEW
@given(POSITIONS, st.booleans())
def test_tables_equal_brute_force(case: tuple[Board, int], local: bool) -> None:
    board, mines = case
    solution = solve(board, None if local else mines)
    tables = solution.tables
    on_frontier = placements(board, None)
    everything = placements(board, solution.mines)
    assert tables.solutions == len(everything)
    check_components(solution, on_frontier, everything)
    inside = {tile for component in tables.components for tile in component.tiles}
    for row in tables.mine_counts:
        assert row.solutions == len({one & inside for one in on_frontier if len(one & inside) == row.mines})
        found = sum(len(one & inside) == row.mines for one in everything)
        assert row.probability == Fraction(found, len(everything))
        if not local:
            left = mines - tables.known_mines - row.mines
            assert row.weight == (comb(len(tables.non_frontier.tiles), left) if left >= 0 else 0)
    assert sum(row.probability for row in tables.mine_counts) == 1
    for tile in tables.non_frontier.tiles:
        chance = None if local else Fraction(sum(tile in one for one in everything), len(everything))
        assert tables.non_frontier.probability == chance
    assert sorted([*tables.non_frontier.tiles, *(row.tile for row in tables.tiles)]) == covered_tiles(board)
    plain = json.loads(json.dumps(tables_to_json(tables)))
    assert int(plain["solutions"]) == tables.solutions


def check_components(
    solution: Solution,
    on_frontier: list[frozenset[tuple[int, int]]],
    everything: list[frozenset[tuple[int, int]]],
) -> None:
    tables, board = solution.tables, solution.board
    for index, component in enumerate(tables.components):
        tiles = set(component.tiles)
        own = {one & tiles for one in on_frontier}
        assert component.solutions == len(own)
        by_mines = Counter(map(len, own))
        assert {row.mines: row.solutions for row in component.mine_counts} == by_mines
        assert sum(row.probability for row in component.mine_counts) == 1
        for row in component.mine_counts:
            placed = sum(len(one & tiles) == row.mines for one in everything)
            if row.weight is None:
                assert row.probability == Fraction(row.solutions, len(own))
            else:
                assert placed == row.solutions * row.weight
                assert row.probability == Fraction(placed, len(everything))
        for at, table in enumerate(t for t in tables.tiles if t.component == index):
            assert table.tile == component.tiles[at]
            with_mine = Counter(len(one) for one in own if table.tile in one)
            assert table.with_mine == tuple(with_mine[row.mines] for row in component.mine_counts)
            assert table.local == Fraction(sum(with_mine.values()), len(own))
            assert table.probability == solution.exact(*table.tile)
        assert {tile for one in component.constraints for tile in one.tiles} == tiles
        assert sorted(tile for group in component.groups for tile in group) == list(component.tiles)
        for one in component.constraints:
            assert board[one.tile] == one.number
            assert {len(found & set(one.tiles)) for found in own} == {one.owed}


@FEW
@given(POSITIONS)
def test_flags_are_audited(case: tuple[Board, int]) -> None:
    board, mines = case
    solution = solve(board, mines)
    everything = placements(board, mines)
    flags = [tile for tile in covered_tiles(board) if board[tile] == FLAG]
    assert solution.flags_right == [t for t in flags if all(t in one for one in everything)]
    assert solution.flags_wrong == [t for t in flags if not any(t in one for one in everything)]
    audited = {*solution.flags_right, *solution.flags_wrong, *solution.flags_uncertain}
    assert audited == set(flags)


def test_tables_of_a_large_board_can_be_written() -> None:
    cells = np.full((150, 150), COVERED, dtype=np.uint8)
    cells[10, 10] = 1
    tables = solve(Board(cells), 4000).tables
    assert len(tables_to_json(tables)["solutions"]) > 4300
    first = tables_to_text(tables).splitlines()[0]
    assert re.fullmatch(r"\d\.\d{3}e\+4\d{3} solutions with 4000 mines", first)


def test_impossible_boards_have_no_tables() -> None:
    with pytest.raises(ImpossibleBoard):
        _ = solve(Board.from_text("3?\n1?\n")).tables


WRITTEN = """\
10 solutions with 2 mines

Component 1: 5 tiles, 1 number, 5 solutions
  number              still owes  to
  row 0, column 3  1  1           0,2 0,4 1,2 1,3 1,4
  mines  solutions  weight  probability
  1      5          2       100%
  tile             with 1  by numbers alone  mine
  row 0, column 2  1       20.0% (1/5)       20.0% (1/5)
  row 0, column 4  1       20.0% (1/5)       20.0% (1/5)
  row 1, column 2  1       20.0% (1/5)       20.0% (1/5)
  row 1, column 3  1       20.0% (1/5)       20.0% (1/5)
  row 1, column 4  1       20.0% (1/5)       20.0% (1/5)

Settled by single numbers:
  tile
  row 0, column 1  safe
  row 1, column 0  safe
  row 1, column 1  safe

2 tiles, each next to no number: a mine with 50.0% (1/2)"""


def test_everything_reads_well() -> None:
    cells = np.full((3, 5), COVERED, dtype=np.uint8)
    cells[0, 0], cells[0, 3], cells[2, 2:] = 0, 1, SAFE
    solution = solve(Board(cells), 2)
    assert tables_to_text(solution.tables) == WRITTEN
    assert outcomes_to_text(solution.outcomes(2, 0)) == "  mine  50.0% (1/2)\n  1     50.0% (1/2)"
    local = tables_to_text(solve(solution.board).tables)
    assert local.startswith("5 solutions of the tiles next to numbers, the mine count being unknown\n")
    assert local.endswith("2 tiles, each next to no number: unknown without the mine count")
    advice = advice_to_json(solution.advice)
    assert advice["tile"] == list(solution.advice.best or ())
    assert json.loads(json.dumps(advice))["win"] == str(solution.advice.win)
    assert advice_to_text(solution.advice).startswith(solution.advice.reason)


def test_a_solution_on_the_board() -> None:
    board = Board.from_text("1?\n??\n")
    (part,) = solve(board, 1).components
    drawn = {str(place(board, part.tiles, mines)) for mines in part}
    assert drawn == {"1*\nxx\n", "1x\n*x\n", "1x\nx*\n"}


@pytest.mark.parametrize("trust_flags", [False, True])
def test_the_chance_of_an_opening_is_that_of_showing_0(trust_flags: bool) -> None:
    cells = np.full((9, 12), 9, np.uint8)
    cells[:2, :4] = [[0, 1, 9, 9], [1, 2, 9, 9]]
    cells[6, 8] = FLAG
    solution = solve(Board(cells), 15, trust_flags=trust_flags)
    chances = opening_chances(solution)
    for tile in [(6, 8), (5, 8), (5, 7), (8, 11), (3, 3), (2, 0), (4, 10)]:
        assert chances[tile] == pytest.approx(float(solution.outcomes(*tile).numbers[0]), abs=1e-12)
