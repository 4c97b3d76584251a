"""The ladder of techniques against brute force: never a wrong claim, and every certain tile explained."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from visionsweeper.board import COVERED, FLAG, MINE, SAFE, Board
from visionsweeper.errors import ImpossibleBoard, InconsistentBoard, TooWide
from visionsweeper.solver import solve
from visionsweeper.solver.techniques import TECHNIQUES, deduce, explain, ladder, system_matrix
from visionsweeper.solver.techniques.contradiction import find_contradictions
from visionsweeper.solver.techniques.equations import equations_of

POSITIONS = Path(__file__).parents[2] / "shared" / "positions" / "positions.jsonl"
Place = tuple[int, int]

COMMON = settings(max_examples=200, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


@st.composite
def boards(draw: st.DrawFn, most_covered: int = 10) -> tuple[Board, int]:
    """A possible board, seen from a random placement, and its mine count."""
    rows, columns = draw(st.integers(1, 5)), draw(st.integers(1, 6))
    size = rows * columns
    thin = draw(st.sampled_from([3, 4, 6]))
    mine = draw(st.lists(st.integers(1, thin), min_size=size, max_size=size))
    looks = draw(st.lists(st.sampled_from("oooo???Fx*"), min_size=size, max_size=size))
    truth = np.array(mine).reshape(rows, columns) == 1
    cells = np.full((rows, columns), COVERED, dtype=np.uint8)
    board = Board(cells)
    covered = 0
    for index, look in enumerate(looks):
        tile = divmod(index, columns)
        if truth[tile]:
            cells[tile] = MINE if look == "*" or covered >= most_covered else COVERED
            cells[tile] = FLAG if look == "F" and cells[tile] == COVERED else cells[tile]
        elif look == "x":
            cells[tile] = SAFE
        elif look in "F?" and covered < most_covered:
            cells[tile] = FLAG if look == "F" else COVERED
        else:
            cells[tile] = sum(truth[n] for n in board.neighbours(*tile))
        covered += cells[tile] in (COVERED, FLAG)
    return Board(cells), int(truth.sum())


def covered_tiles(board: Board) -> list[Place]:
    return [(int(r), int(c)) for r, c in np.argwhere((board.cells == COVERED) | (board.cells == FLAG))]


def placements(
    board: Board, known: dict[Place, bool], numbers: Collection[Place], mines: int | None
) -> Iterator[set[Place]]:
    """All ways to put mines on covered tiles that agree with some of the numbers (and the mine count)."""
    shown = {(int(r), int(c)) for r, c in np.argwhere(board.cells == MINE)}
    around = {number: set(board.neighbours(*number)) for number in numbers}
    free = [
        tile
        for tile in covered_tiles(board)
        if tile not in known and (mines is not None or any(tile in near for near in around.values()))
    ]
    fixed = shown | {tile for tile, mine in known.items() if mine}
    for choice in product((False, True), repeat=len(free)):
        placed = fixed | {tile for tile, mine in zip(free, choice, strict=True) if mine}
        if mines is not None and len(placed) != mines:
            continue
        if all(len(near & placed) == board[number] for number, near in around.items()):
            yield placed


def numbers(board: Board) -> list[Place]:
    return [(int(r), int(c)) for r, c in np.argwhere(board.cells < COVERED)]


def certain(board: Board, mines: int | None) -> dict[Place, bool]:
    """Every certain tile by brute force; without a mine count only those next to a number."""
    every = numbers(board)
    ways = list(placements(board, {}, every, mines))
    assert ways
    near = {n for number in every for n in board.neighbours(*number)}
    tiles = [t for t in covered_tiles(board) if mines is not None or t in near]
    told = {tile: {tile in way for way in ways} for tile in tiles}
    return {tile: values.pop() for tile, values in told.items() if len(values) == 1}


def proved(
    board: Board,
    known: dict[Place, bool],
    rests_on: Collection[Place],
    mines: int | None,
    tile: Place,
    mine: bool,
) -> bool:
    return all((tile in way) is mine for way in placements(board, known, rests_on, mines))


@COMMON
@given(case=boards(), technique=st.sampled_from(TECHNIQUES), counted=st.booleans())
def test_no_technique_claims_what_its_numbers_do_not_prove(
    case: tuple[Board, int], technique: str, counted: bool
) -> None:
    board, total = case
    mines = total if counted else None
    truth = certain(board, mines)
    known: dict[Place, bool] = {}
    for deduction in deduce(board, technique, mines):
        assert truth[deduction.tile] is deduction.mine
        assert deduction.technique == technique
        assert deduction.tile not in known
        uses_count = mines if technique in {"mine_count", "exact"} else None
        before = dict(known)
        assert proved(board, before, deduction.numbers, uses_count, deduction.tile, deduction.mine)
        known[deduction.tile] = deduction.mine
    if technique == "exact":
        assert known == truth


@COMMON
@given(case=boards(), counted=st.booleans())
def test_every_certain_tile_is_explained_by_numbers_that_prove_it(
    case: tuple[Board, int], counted: bool
) -> None:
    board, total = case
    mines = total if counted else None
    known: dict[Place, bool] = {}
    for step in explain(board, mines):
        assert step.technique in TECHNIQUES
        assert (step.pattern is not None) == (step.technique == "pattern")
        assert step.safe or step.mine
        assert step.sentence[0].isupper()
        assert step.sentence.endswith(".")
        assert list(step.numbers) == sorted(set(step.numbers))
        uses_count = mines if step.technique in {"mine_count", "exact"} else None
        settled = dict.fromkeys(step.safe, False) | dict.fromkeys(step.mine, True)
        assert not settled.keys() & known.keys()
        for tile, mine in settled.items():
            assert proved(board, known, step.numbers, uses_count, tile, mine)
        known |= settled
    assert known == certain(board, mines)


@COMMON
@given(boards(), st.booleans())
def test_trusted_flags_are_known_from_the_start(case: tuple[Board, int], counted: bool) -> None:
    board, total = case
    mines = total if counted else None
    try:
        solution = solve(board, mines, trust_flags=True)
    except ImpossibleBoard:
        return
    steps = explain(board, mines, trust_flags=True)
    assert sorted(t for step in steps for t in step.safe) == solution.safe
    assert sorted(t for step in steps for t in step.mine) == [t for t in solution.mine if board[t] != FLAG]


@COMMON
@given(boards())
def test_higher_rungs_find_what_lower_ones_find(case: tuple[Board, int]) -> None:
    board, mines = case
    found = {name: {d.tile for d in deduce(board, name, mines)} for name in TECHNIQUES}
    assert found["single"] <= found["subset"] <= found["gauss"] <= found["exact"]
    assert found["single"] <= found["contradiction"] <= found["exact"]
    assert found["pattern"] <= found["exact"]
    assert found["mine_count"] <= found["exact"]


@COMMON
@given(boards())
def test_the_matrix_holds_for_every_placement(case: tuple[Board, int]) -> None:
    board, _ = case
    system = system_matrix(board)
    assert system.before.shape == (len(system.numbers), len(system.tiles) + 1)
    for row, number in enumerate(system.numbers):
        around = {tile for tile, entry in zip(system.tiles, system.before[row], strict=False) if entry}
        assert around == set(board.neighbours(*number)) & set(covered_tiles(board))
    # Solutions of the one are exactly the solutions of the other, over all placements.
    if len(system.tiles) <= 10:
        for choice in product((0, 1), repeat=len(system.tiles)):
            values = np.array([*choice, -1], dtype=np.object_)
            holds = [
                not np.any(matrix.dot(values)) for matrix in (system.before, system.after) if len(matrix)
            ]
            assert len(set(holds)) <= 1
    pivots = [next(at for at, entry in enumerate(row) if entry) for row in system.after]
    assert pivots == sorted(set(pivots))
    for row, pivot in enumerate(pivots):
        assert system.after[row, pivot] > 0
        assert np.count_nonzero(system.after[:, pivot]) == 1
        assert np.gcd.reduce([int(entry) for entry in system.after[row]]) == 1
    assert not system.before.flags.writeable
    assert not system.after.flags.writeable


@COMMON
@given(st.lists(st.sampled_from("012345678??F*x"), min_size=9, max_size=12), st.sampled_from(TECHNIQUES[:-1]))
def test_impossible_boards_do_no_harm(tiles: list[str], technique: str) -> None:
    rows = ["".join(tiles[at : at + 3]) for at in range(0, len(tiles) - 2, 3)]
    board = Board.from_text("\n".join(rows))
    found = deduce(board, technique, 3)
    assert len({d.tile for d in found}) == len(found)
    system_matrix(board)


def technique_of(text: str, mines: int | None = None) -> dict[Place, tuple[str, str | None]]:
    return {
        tile: (step.technique, step.pattern)
        for step in explain(Board.from_text(text), mines)
        for tile in (*step.safe, *step.mine)
    }


@pytest.mark.parametrize(
    ("text", "tile", "expected"),
    [
        ("??\n1x\n00\n", (0, 0), None),
        ("?1x\n", (0, 0), ("single", None)),
        ("????\nx?1x\nx1xx\n", (0, 0), None),
        ("x???\nx11x\nxxxx\n", (0, 3), ("pattern", "1-1")),
        ("????\nx12x\nxxxx\n", (0, 3), ("pattern", "1-2")),
        ("?????\n?x13x\n?xxx*\n", (0, 4), ("pattern", "1-2, reduced")),
        ("?????\n?121?\nxxxxx\n", (0, 1), ("pattern", "1-2-1")),
        ("??????\n?1221?\nxxxxxx\n", (0, 2), ("pattern", "1-2-2-1")),
        ("????\nx13?\nxx1?\nxxx?\n", (0, 3), ("pattern", "1-3-1 corner")),
        ("????\nx22?\nxx2?\n?xx?\n", (0, 3), ("pattern", "2-2-2 corner")),
        ("?????\n??1??\nxx1xx\nxxxxx\n", (0, 2), ("pattern", "1-1 hole")),
        ("xxxxx\nxx?xx\n?2?2x\n???xx\n", (3, 0), ("subset", None)),
        ("?????\n???1x\n???2x\n?x??x\nx*21x\nxxxxx\n", (0, 2), ("gauss", None)),
    ],
)
def test_known_positions_get_the_simplest_technique(
    text: str, tile: Place, expected: tuple[str, str | None] | None
) -> None:
    assert technique_of(text).get(tile) == expected


def test_a_known_mine_reduces_a_pattern() -> None:
    found = technique_of("*x??x\nx22xx\nx0xxx\n".replace("0", "x"))
    assert {pattern for _, pattern in found.values()} <= {None, "1-2, reduced"}
    assert found[(0, 3)] == ("pattern", "1-2, reduced") or found[(0, 3)][0] == "single"


def test_the_mine_count_settles_the_rest() -> None:
    found = explain(Board.from_text("?1?x??\n"), 1)
    assert [(step.technique, step.safe) for step in found] == [("mine_count", ((0, 4), (0, 5)))]
    assert "only 1 mine of the board's 1 is still to find" in found[0].sentence.lower()
    full = explain(Board.from_text("?1?x??\n"), 3)
    assert [(step.technique, step.mine) for step in full] == [("mine_count", ((0, 4), (0, 5)))]


def test_sentences_name_the_number_and_the_reason() -> None:
    steps = explain(Board.from_text("?x?\n?1*\nxx?\n"))
    assert [step.sentence for step in steps] == [
        "The 1 at row 1, column 1 already has its mine, so its other covered tiles (row 0, columns 0 and 2; "
        "row 1, column 0; and row 2, column 2) are safe."
    ]
    assert steps[0].numbers == ((1, 1),)


def test_a_contradiction_says_at_which_number() -> None:
    board = Board.from_text("?x?\n?1*\nxx?\n")
    found = {d.tile: d for d in deduce(board, "contradiction")}
    assert found[(0, 0)].sentence == (
        "If any of row 0, columns 0 and 2; row 1, column 0; and row 2, column 2 were a mine, the 1 at row 1, "
        "column 1 (no mine still to find) would get 1 mine, more than it can have; so all are safe."
    )


def test_a_contradiction_names_the_numbers_it_follows() -> None:
    equations = equations_of(Board.from_text("?????\n?121?\nxxxxx\n"), {})
    (step,) = find_contradictions(equations, {(0, 2)})
    assert step.sentence == (
        "If row 0, column 2 were a mine, then, following the 1 at row 1, column 1 and the 2 at row 1, "
        "column 2 one after the other, the 1 at row 1, column 3 would get 2 mines, more than it can have; so "
        "it is safe."
    )
    assert step.numbers == ((1, 1), (1, 2), (1, 3))


def test_unknown_techniques_are_refused() -> None:
    with pytest.raises(ValueError, match="known are single, pattern"):
        deduce(Board.from_text("?1\n"), "magic")


def test_contradictory_boards_are_refused() -> None:
    with pytest.raises(InconsistentBoard):
        explain(Board.from_text("?2\n"))


def test_a_board_too_wide_to_count_is_explained_as_far_as_it_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_wide(*_: object, **__: object) -> None:
        raise TooWide("too wide", 1)

    monkeypatch.setattr(ladder, "solve", too_wide)
    steps = explain(Board.from_text("?????\n?121?\nxxxxx\n"))
    assert sorted(tile for step in steps for tile in step.mine) == [(0, 1), (0, 3)]


def test_positions_with_known_answers_are_explained_whole() -> None:
    if not POSITIONS.exists():
        pytest.skip("the positions with exact answers are not here")
    seen: dict[str, int] = {}
    for line in POSITIONS.read_text().splitlines():
        position = json.loads(line)
        name = position["set"]
        seen[name] = seen.get(name, 0) + 1
        if position.get("error") or seen[name] > 12 or name == "huge":
            continue
        steps = explain(Board.from_text("\n".join(position["board"])), position["mines"])
        assert sorted(list(t) for step in steps for t in step.safe) == sorted(position["safe"])
        assert sorted(list(t) for step in steps for t in step.mine) == sorted(position["certain_mines"])
