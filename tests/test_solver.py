"""The solver against brute force, published answers and positions with exact answers."""

import json
from fractions import Fraction
from itertools import combinations, product
from math import comb, prod
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from outside_data import POSITIONS, needs

from visionsweeper.board import COVERED, FLAG, MINE, SAFE, Board
from visionsweeper.engine import Engine
from visionsweeper.errors import (
    ImpossibleBoard,
    ImpossibleMineCount,
    InconsistentBoard,
    TooFewMines,
    TooManyMines,
    TooWide,
    VisionsweeperError,
)
from visionsweeper.solver import Limit, Solution, solve
from visionsweeper.solver.constraints import Component
from visionsweeper.solver.counting import count_few


def brute_force(board: Board, mines: int | None, trust_flags: bool) -> tuple[int, dict[tuple[int, int], int]]:
    """(number of placements, placements with a mine by tile) by trying all of them."""
    cells = board.cells
    covered = [(int(r), int(c)) for r, c in np.argwhere((cells == COVERED) | (cells == FLAG))]
    numbers = [tuple(map(int, t)) for t in np.argwhere(cells < COVERED)]
    shown = {(int(r), int(c)) for r, c in np.argwhere(cells == MINE)}
    if mines is None:
        covered = [
            t
            for t in covered
            if (trust_flags and cells[t] == FLAG) or any(cells[n] < COVERED for n in board.neighbours(*t))
        ]
    forced = {t for t in covered if trust_flags and cells[t] == FLAG}
    free = [t for t in covered if t not in forced]
    total = 0
    by_tile = dict.fromkeys(covered, 0)
    needs = [(cells[n], set(board.neighbours(*n))) for n in numbers]
    sizes = range(len(free) + 1) if mines is None else [mines - len(shown) - len(forced)]
    for size in sizes:
        if size < 0:
            continue
        for chosen in combinations(free, size):
            placed = shown.union(forced, chosen)
            if all(len(around & placed) == need for need, around in needs):
                total += 1
                for tile in (*forced, *chosen):
                    by_tile[tile] += 1
    return total, by_tile


@st.composite
def boards(draw: st.DrawFn, most_covered: int = 12) -> tuple[Board, int]:
    """A board seen from a random placement, sometimes with a wrong number; and its mine count."""
    rows, columns = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    size = rows * columns
    mine = draw(st.lists(st.sampled_from([False, False, True]), min_size=size, max_size=size))
    looks = draw(st.lists(st.sampled_from("ooooc??Fx*"), min_size=size, max_size=size))
    truth = np.array(mine).reshape(rows, columns)
    cells = np.full((rows, columns), COVERED, dtype=np.uint8)
    board = Board(cells)
    covered = 0
    for index, look in enumerate(looks):
        tile = divmod(index, columns)
        if truth[tile]:
            cells[tile] = MINE if look == "*" else FLAG if look in "Fx" else COVERED
        elif look == "x":
            cells[tile] = SAFE
        elif look in "F?" and covered < most_covered:
            cells[tile] = FLAG if look == "F" else COVERED
        else:
            cells[tile] = sum(truth[n] for n in board.neighbours(*tile))
        covered += cells[tile] in (COVERED, FLAG)
    if draw(st.integers(0, 9)) == 0:
        opened = np.argwhere(cells < COVERED)
        if len(opened):
            at = tuple(opened[draw(st.integers(0, len(opened) - 1))])
            cells[at] = draw(st.integers(0, 8))
    return Board(cells), int(truth.sum())


def check_against_brute_force(board: Board, mines: int | None, trust_flags: bool) -> None:
    total, by_tile = brute_force(board, mines, trust_flags)
    if not total:
        without_count = mines is None or not brute_force(board, None, trust_flags)[0]
        with pytest.raises(InconsistentBoard if without_count else ImpossibleMineCount):
            solve(board, mines, trust_flags=trust_flags)
        return
    solution = solve(board, mines, trust_flags=trust_flags)
    assert solution.count == total
    assert solution.scope == ("local" if mines is None else "global")
    for tile in np.ndindex(board.rows, board.columns):
        if tile in by_tile:
            assert solution.exact(*tile) == Fraction(by_tile[tile], total)
            assert solution.probability[tile] == pytest.approx(by_tile[tile] / total, abs=1e-12)
        else:
            assert np.isnan(solution.probability[tile])
            with pytest.raises(ValueError, match=r"row \d+, column \d+"):
                solution.exact(*tile)
    assert solution.safe == sorted(t for t, n in by_tile.items() if n == 0)
    assert solution.mine == sorted(t for t, n in by_tile.items() if n == total)
    assert not solution.probability.flags.writeable
    if mines is not None:
        shown = int((board.cells == MINE).sum())
        assert sum(solution.exact(*tile) for tile in by_tile) == mines - shown
    flags = {t for t in by_tile if board[t] == FLAG}
    assert set(solution.flags_wrong) == flags & set(solution.safe)
    known = set(solution.safe) | set(solution.mine)
    if mines is not None:
        assert set(solution.flags_uncertain) == flags - known
    check_best(solution)


def check_best(solution: Solution) -> None:
    assert solution.best_reason.endswith(".")
    if solution.safe:
        assert solution.best in solution.safe
    elif solution.best is not None:
        assert solution.probability[solution.best] < 1
        safest, _ = solution.safest
        assert safest is not None
        assert solution.probability[safest] <= np.nanmin(solution.probability) + 1e-12
    else:
        known = solution.probability[~np.isnan(solution.probability)]
        assert (known == 1).all()


COMMON = settings(
    max_examples=300, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)


@pytest.mark.slow
@COMMON
@given(boards(), st.integers(-2, 2), st.booleans())
def test_global_equals_brute_force(case: tuple[Board, int], off: int, trust_flags: bool) -> None:
    board, mines = case
    check_against_brute_force(board, mines + (off if off in (-1, 1) else 0), trust_flags)


@pytest.mark.slow
@COMMON
@given(boards(), st.booleans())
def test_local_equals_brute_force(case: tuple[Board, int], trust_flags: bool) -> None:
    check_against_brute_force(case[0], None, trust_flags)


@pytest.mark.slow
@settings(COMMON, max_examples=200, suppress_health_check=list(HealthCheck))
@given(case=boards(), local=st.booleans(), trust_flags=st.booleans())
def test_wide_engine_and_float_join_equal_brute_force(
    case: tuple[Board, int], local: bool, trust_flags: bool
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("visionsweeper.solver.odds.PACKED_BITS", 0)
        patch.setattr("visionsweeper.solver.chances._EXACT_SPREAD", -1)
        check_against_brute_force(case[0], None if local else case[1], trust_flags)


@pytest.mark.slow
@settings(COMMON, max_examples=100, suppress_health_check=list(HealthCheck))
@given(case=boards(), local=st.booleans())
def test_scaled_floats_equal_brute_force(case: tuple[Board, int], local: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("visionsweeper.solver.odds.PACKED_BITS", 0)
        patch.setattr("visionsweeper.solver.sweep._UNSCALED_TILES", 0)
        check_against_brute_force(case[0], None if local else case[1], False)


@pytest.mark.slow
@settings(COMMON, max_examples=100, suppress_health_check=list(HealthCheck))
@given(case=boards(), local=st.booleans(), unscaled=st.sampled_from([0, 800]))
def test_rows_computed_again_between_the_passes_equal_brute_force(
    case: tuple[Board, int], local: bool, unscaled: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("visionsweeper.solver.odds.PACKED_BITS", 0)
        patch.setattr("visionsweeper.solver.sweep._KEPT_CELLS", 0)
        patch.setattr("visionsweeper.solver.sweep._UNSCALED_TILES", unscaled)
        check_against_brute_force(case[0], None if local else case[1], False)


def test_one_one_one_has_fourteen_solutions() -> None:
    solution = solve(Board.from_text("?????\n?????\n?111?\n?????\n?????\n"))
    assert solution.count == 14
    around = [solution.exact(1, column) for column in range(5)]
    assert around == [Fraction(n, 14) for n in (2, 3, 1, 3, 2)]
    assert np.isnan(solution.probability[0]).all()
    with pytest.raises(ValueError, match="next to no number"):
        solution.exact(0, 0)
    by_mines = {m: solve(solution.board, m).count for m in (1, 2)}
    assert by_mines == {1: 2, 2: 12 + 2 * 10}  # two mines: 12 on the ring, or 1 there and 1 of 10 beyond


def test_global_answer_off_the_frontier() -> None:
    # One mine among a and b, two of the remaining three tiles: neither unweighted formula gives 2/3 here.
    solution = solve(Board.from_text("?1?x???\n"), 3)
    assert [solution.exact(0, c) for c in (0, 2, 4, 5, 6)] == [Fraction(1, 2)] * 2 + [Fraction(2, 3)] * 3


@pytest.mark.parametrize("mines", [0, 4, 9])
def test_without_numbers(mines: int) -> None:
    solution = solve(Board.from_text("???\n???\n???\n"), mines)
    assert {solution.exact(r, c) for r in range(3) for c in range(3)} == {Fraction(mines, 9)}
    assert len(solution.safe) == (9 if mines == 0 else 0)
    assert len(solution.mine) == (9 if mines == 9 else 0)


def test_the_reason_calls_nothing_certain_that_is_not() -> None:
    # 1 of 2,500 tiles is free of a mine: the chance of one rounds to 100.0%, and must not be said so.
    solution = solve(Board.from_text("\n".join(["?" * 50] * 50)), 2499)
    assert "row 0, column 0 is the least likely mine (>99.9%" in solution.safest[1]
    assert "100%" not in solution.best_reason


def test_local_without_numbers_knows_nothing() -> None:
    solution = solve(Board.from_text("??\n??\n"))
    assert np.isnan(solution.probability).all()
    assert (solution.best, solution.count, solution.safe, solution.mine) == (None, 1, [], [])
    assert "mine count" in solution.best_reason


def test_nothing_covered() -> None:
    solution = solve(Board.from_text("01*\n011\n"), 1)
    assert np.isnan(solution.probability).all()
    assert (solution.best, solution.count) == (None, 1)
    with pytest.raises(TooManyMines) as caught:
        solve(solution.board, 2)
    assert (caught.value.least, caught.value.most) == (1, 1)


def test_flags_are_claims_unless_trusted() -> None:
    board = Board.from_text("F1?\n???\n")
    solution = solve(board)
    assert solution.flags_uncertain == [(0, 0)]
    trusting = solve(board, trust_flags=True)
    assert trusting.mine == [(0, 0)]
    assert trusting.flags_uncertain == []
    assert solve(Board.from_text("F0\n"), 0).flags_wrong == [(0, 0)]


def test_trusted_flags_that_contradict() -> None:
    board = Board.from_text("F1F\n")
    assert solve(board).count == 2
    with pytest.raises(InconsistentBoard, match=r"the 1 at row 0, column 1.*trust") as caught:
        solve(board, trust_flags=True)
    assert caught.value.conflict == ((0, 1),)


def test_a_number_larger_than_its_neighbours() -> None:
    with pytest.raises(InconsistentBoard, match=r"the 5 at row 0, column 0.*3 covered") as caught:
        solve(Board.from_text("5?1\n???\n"), 3)
    assert caught.value.conflict == ((0, 0),)


def test_contradiction_goes_before_the_mine_count() -> None:
    with pytest.raises(InconsistentBoard):
        solve(Board.from_text("?8?\n"), 500)


def test_mine_counts_that_cannot_be() -> None:
    board = Board.from_text("?2?x??\n")
    with pytest.raises(TooFewMines, match="at least 2") as few:
        solve(board, 1)
    assert (few.value.least, few.value.most) == (2, 4)
    with pytest.raises(TooManyMines, match="at most 4"):
        solve(board, 5)
    with pytest.raises(TooFewMines):
        solve(board, -1)
    assert solve(board, 2).safe == [(0, 4), (0, 5)]


def impossible_alone(board: Board, trust_flags: bool) -> list[tuple[int, int]]:
    """Numbers that no choice among the covered tiles around them meets, by trying how many are mines."""
    found = []
    for row, column in np.argwhere(board.cells < COVERED).tolist():
        codes = [board[tile] for tile in board.neighbours(row, column)]
        shown = codes.count(MINE) + (codes.count(FLAG) if trust_flags else 0)
        open_to_choice = codes.count(COVERED) + (0 if trust_flags else codes.count(FLAG))
        if board[row, column] not in {shown + chosen for chosen in range(open_to_choice + 1)}:
            found.append((row, column))
    return found


def conflict_is_right(error: InconsistentBoard, board: Board, trust_flags: bool = False) -> None:
    alone = impossible_alone(board, trust_flags)
    assert error.alone is bool(alone)
    assert "\n" not in str(error)
    if alone:
        assert error.conflict == tuple(alone)
    elif not trust_flags:
        conflict_is_irreducible(board, error.conflict)
    assert all(f"row {r}, column {c}" in str(error) for r, c in error.conflict[:8])


def conflict_is_irreducible(board: Board, conflict: tuple[tuple[int, int], ...]) -> None:
    def holds(numbers: list[tuple[int, int]]) -> bool:
        cells = np.where(board.cells < COVERED, SAFE, board.cells)
        for tile in numbers:
            cells[tile] = board.cells[tile]
        try:
            solve(Board(cells))
        except InconsistentBoard:
            return False
        return True

    assert conflict
    assert not holds(list(conflict))
    for tile in conflict:
        assert holds([other for other in conflict if other != tile])


@pytest.mark.slow
@settings(COMMON, max_examples=150, suppress_health_check=list(HealthCheck))
@given(case=boards(), number=st.integers(0, 8), at=st.integers(0, 24))
def test_conflicts_name_no_number_too_many(case: tuple[Board, int], number: int, at: int) -> None:
    cells = case[0].cells.copy()
    opened = np.argwhere(cells < COVERED)
    if not len(opened):
        return
    cells[tuple(opened[at % len(opened)])] = number
    board = Board(cells)
    if brute_force(board, None, False)[0]:
        return
    with pytest.raises(InconsistentBoard) as caught:
        solve(board)
    conflict_is_right(caught.value, board)


@pytest.mark.slow
@settings(COMMON, max_examples=150, suppress_health_check=list(HealthCheck))
@given(
    case=boards(),
    wrong=st.lists(st.tuples(st.integers(0, 24), st.integers(0, 8)), min_size=1, max_size=6),
    trust_flags=st.booleans(),
)
def test_all_numbers_that_cannot_be_by_themselves_are_named(
    case: tuple[Board, int], wrong: list[tuple[int, int]], trust_flags: bool
) -> None:
    cells = case[0].cells.copy()
    opened = np.argwhere(cells < COVERED)
    if not len(opened):
        return
    for at, number in wrong:
        cells[tuple(opened[at % len(opened)])] = number
    board = Board(cells)
    if not impossible_alone(board, trust_flags):
        return
    with pytest.raises(InconsistentBoard) as caught:
        solve(board, trust_flags=trust_flags)
    conflict_is_right(caught.value, board, trust_flags)


def test_several_numbers_that_cannot_be_are_told_in_one_line() -> None:
    # The 8 and the 3 ask for more than there is; the 0 and the 1 have too many shown mines.
    board = Board.from_text("8?x?3\nxxxxx\n0*x*1\nxxx*x\n")
    with pytest.raises(InconsistentBoard) as caught:
        solve(board)
    assert caught.value.conflict == ((0, 0), (0, 4), (2, 0), (2, 4))
    assert str(caught.value) == (
        "the 8 at row 0, column 0, the 3 at row 0, column 4, the 0 at row 2, column 0 and the 1 at row 2, "
        "column 4 cannot hold, each by itself; check how these tiles were read"
    )
    with pytest.raises(InconsistentBoard) as many:
        solve(Board.from_text("8" * 30 + "\n"))
    assert len(many.value.conflict) == 30
    assert " and 22 more cannot hold, each by itself; " in str(many.value)


def test_numbers_that_contradict_only_each_other_are_named_together() -> None:
    # Before them go numbers that cannot be by themselves, wherever on the board.
    with pytest.raises(InconsistentBoard, match="cannot hold together") as caught:
        solve(Board.from_text("1?1?1xxx\n"))
    assert (caught.value.conflict, caught.value.alone) == (((0, 0), (0, 2), (0, 4)), False)
    with pytest.raises(InconsistentBoard, match="cannot hold with 1 covered neighbour;") as caught:
        solve(Board.from_text("1?1?1x?3\n"))
    assert (caught.value.conflict, caught.value.alone) == (((0, 7),), True)


def test_too_wide_is_refused() -> None:
    rng = np.random.default_rng(7)
    truth = rng.random((24, 24)) < 0.2
    board = Board(np.full((24, 24), COVERED, dtype=np.uint8))
    cells = board.cells.copy()
    for tile in np.ndindex(24, 24):
        if not truth[tile] and rng.random() < 0.3:
            cells[tile] = sum(truth[n] for n in board.neighbours(*tile))
    with pytest.raises(TooWide, match="take more than 1e-06 s; open more tiles first, or allow") as caught:
        solve(Board(cells), int(truth.sum()), limit=Limit(seconds=1e-6))
    settled = np.where(truth, 1, 0)
    assert {settled[tile] for tile in caught.value.safe} <= {0}
    assert {settled[tile] for tile in caught.value.mine} == {1}


def expected(record: dict[str, Any], board: Board, trust_flags: bool, engine: Engine) -> None:
    answer = record["flags_as_mines"] if trust_flags else record
    mines = record["mines"]
    if answer.get("error"):
        with pytest.raises(ImpossibleBoard) as caught:
            solve(board, mines, trust_flags=trust_flags, engine=engine)
        assert caught.value.kind == answer["error"]
        if isinstance(caught.value, InconsistentBoard):
            conflict_is_right(caught.value, board, trust_flags)
        return
    solution = solve(board, mines, trust_flags=trust_flags, engine=engine)
    wanted = np.array(answer["p"], dtype=float)
    error = 1e-12 if engine == "exact" else 1e-9
    np.testing.assert_allclose(solution.probability, wanted, rtol=0, atol=error)
    assert solution.safe == [tuple(t) for t in answer["safe"]]
    assert solution.mine == [tuple(t) for t in answer["certain_mines"]]
    if answer.get("p_exact"):
        for row, line in enumerate(answer["p_exact"]):
            for column, text in enumerate(line):
                if text is not None:
                    assert solution.exact(row, column) == Fraction(text)
    if answer.get("solutions") is not None:
        assert solution.count == int(answer["solutions"])


SETS = [
    "worked",
    "beginner",
    "intermediate",
    "expert",
    "early",
    "endgame",
    "dense",
    "huge",
    "long_frontier",
    "inconsistent",
]


@pytest.mark.slow
@needs(POSITIONS)
@pytest.mark.parametrize("engine", ["exact", "compiled"])
@pytest.mark.parametrize("name", SETS)
def test_positions(name: str, engine: Engine) -> None:
    if engine == "compiled":
        pytest.importorskip("numba")
    checked = 0
    with POSITIONS.open(encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            if record["set"] != name:
                continue
            board = Board.from_text("\n".join(record["board"]))
            try:
                expected(record, board, trust_flags=False, engine=engine)
                if record["flags_as_mines"]:
                    expected(record, board, trust_flags=True, engine=engine)
            except (AssertionError, VisionsweeperError) as error:
                raise AssertionError(f"{record['id']}: {error}") from error
            checked += 1
    assert checked


@pytest.mark.slow
@needs(POSITIONS)
@pytest.mark.parametrize("identity", ["long_frontier-020", "long_frontier-000", "dense-000", "huge-000"])
def test_exact_answers_of_large_positions_agree_with_the_floats(identity: str) -> None:
    with POSITIONS.open(encoding="utf-8") as lines:
        record = next((r for r in map(json.loads, lines) if r["id"] == identity), None)
    if record is None:
        pytest.skip(f"no position {identity}")
    solution = solve(Board.from_text("\n".join(record["board"])), record["mines"])
    tiles = np.argwhere(~np.isnan(solution.probability))
    for row, column in tiles[:: max(1, len(tiles) // 6)]:
        exact = solution.exact(int(row), int(column))
        assert float(exact) == pytest.approx(record["p"][row][column], abs=1e-15)


@pytest.mark.parametrize("owed", [(0, 1), (1, 1), (1, 2), (2, 3), (3, 2), (4, 4), (5, 1)])
def test_the_formula_for_two_constraints_is_a_count(owed: tuple[int, int]) -> None:
    """Of every size of the three groups: one constraint's own, both's, the other's own."""
    for own, shared, others in product(range(4), range(1, 4), range(4)):
        sizes = [shared]
        first, second = [0], [0]
        for size, members in ((own, first), (others, second)):
            if size:
                members.append(len(sizes))
                sizes.append(size)
        component = Component(tuple(sizes), owed, (tuple(first), tuple(second)))
        found: dict[int, list[int]] = {}
        for mines in product(*(range(size + 1) for size in sizes)):
            sums = tuple(sum(mines[group] for group in one) for one in component.members)
            if sums != owed:
                continue
            ways = prod(comb(size, number) for size, number in zip(sizes, mines, strict=True))
            row = found.setdefault(sum(mines), [0] * (len(sizes) + 1))
            row[0] += ways
            for group, number in enumerate(mines, start=1):
                row[group] += ways * number
        counted = count_few(component)
        assert counted.totals == tuple(found[mines][0] for mines in sorted(found))
        if found:
            assert counted.low == min(found)
            for group, by_count in enumerate(counted.mines, start=1):
                assert by_count == tuple(found[mines][group] for mines in sorted(found))
