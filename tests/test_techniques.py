"""The ladder of techniques against brute force: never a wrong claim, and every certain tile explained."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from outside_data import POSITIONS, needs
from paces import mostly_slow

from visionsweeper.board import COVERED, FLAG, MINE, SAFE, Board
from visionsweeper.errors import ImpossibleBoard, InconsistentBoard, TooWide
from visionsweeper.geometry import Position
from visionsweeper.solver import solve
from visionsweeper.solver.techniques import (
    TECHNIQUES,
    Step,
    deduce,
    explain,
    follow,
    ladder,
    shorten,
    steps_to,
    system_matrix,
)
from visionsweeper.solver.techniques.contradiction import find_contradictions
from visionsweeper.solver.techniques.equations import equations_of

SAMPLES = Path(__file__).parents[1] / "samples"

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


def covered_tiles(board: Board) -> list[Position]:
    return [(int(r), int(c)) for r, c in np.argwhere((board.cells == COVERED) | (board.cells == FLAG))]


def placements(
    board: Board, known: dict[Position, bool], numbers: Collection[Position], mines: int | None
) -> Iterator[set[Position]]:
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


def numbers(board: Board) -> list[Position]:
    return [(int(r), int(c)) for r, c in np.argwhere(board.cells < COVERED)]


def certain(board: Board, mines: int | None) -> dict[Position, bool]:
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
    known: dict[Position, bool],
    rests_on: Collection[Position],
    mines: int | None,
    tile: Position,
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
    known: dict[Position, bool] = {}
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


@pytest.mark.slow
@COMMON
@given(case=boards(), counted=st.booleans())
def test_every_certain_tile_is_explained_by_numbers_that_prove_it(
    case: tuple[Board, int], counted: bool
) -> None:
    board, total = case
    mines = total if counted else None
    known: dict[Position, bool] = {}
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


@pytest.mark.slow
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


@pytest.mark.slow
@COMMON
@given(boards())
def test_higher_rungs_find_what_lower_ones_find(case: tuple[Board, int]) -> None:
    board, mines = case
    found = {name: {d.tile for d in deduce(board, name, mines)} for name in TECHNIQUES}
    assert found["single"] <= found["subset"] <= found["gauss"] <= found["exact"]
    assert found["single"] <= found["contradiction"] <= found["exact"]
    assert found["pattern"] <= found["exact"]
    assert found["mine_count"] <= found["exact"]


@pytest.mark.slow
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


@pytest.mark.slow
@COMMON
@given(st.lists(st.sampled_from("012345678??F*x"), min_size=9, max_size=12), st.sampled_from(TECHNIQUES[:-1]))
def test_impossible_boards_do_no_harm(tiles: list[str], technique: str) -> None:
    rows = ["".join(tiles[at : at + 3]) for at in range(0, len(tiles) - 2, 3)]
    board = Board.from_text("\n".join(rows))
    found = deduce(board, technique, 3)
    assert len({d.tile for d in found}) == len(found)
    system_matrix(board)


def flags(board: Board) -> dict[Position, bool]:
    return {(int(r), int(c)): True for r, c in np.argwhere(board.cells == FLAG)}


def too_wide(*_: object, **__: object) -> None:
    raise TooWide("too wide")


def claims(step: Step) -> dict[Position, bool]:
    return dict.fromkeys(step.safe, False) | dict.fromkeys(step.mine, True)


NAMED = re.compile(r"the (\d) at row (\d+), column (\d+)(?: \((\d|no) mines? still to find\))?")
ONE_NUMBER = re.compile(
    r"^The (\d) at .* touches just (\w+) covered tiles?(?: besides the (?:(\w+) )?mines? already found)?"
)
WORDS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight"]


def sentence_is_true(board: Board, known: dict[Position, bool], step: Step) -> None:
    """What the sentence says of numbers and tiles around them holds on the board as it is, by counting."""

    def left(number: Position) -> set[Position]:
        return {t for t in board.neighbours(*number) if board[t] in (COVERED, FLAG) and t not in known}

    def found(number: Position) -> int:
        return sum(board[t] == MINE or known.get(t, False) for t in board.neighbours(*number))

    told = list(NAMED.finditer(step.sentence[0].lower() + step.sentence[1:]))
    for match in told:
        value, row, column = map(int, match.groups()[:3])
        assert board[row, column] == value
        if step.technique != "single" and match[4] is not None:
            assert int(match[4].replace("no", "0")) == value - found((row, column))
    if step.technique == "single":
        (number,) = step.numbers
        assert set(claims(step)) == left(number)
        just = ONE_NUMBER.match(step.sentence)
        if just:
            assert WORDS.index(just[2]) == len(left(number))
            assert found(number) == (WORDS.index(just[3] or "one") if "already found" in just[0] else 0)
        else:
            assert found(number) == board[number]
    if "all covered tiles left around" in step.sentence.lower():
        one, other = ((int(m[2]), int(m[3])) for m in told[:2])
        assert left(one) < left(other)


def check_short(
    board: Board,
    steps: list[Step],
    tile: Position,
    technique: str | None = None,
    *,
    trust_flags: bool = False,
) -> list[Step]:
    """The short explanation of a tile, after checking everything but the proofs of its steps."""
    given = steps_to(board, steps, tile)
    short = shorten(board, given, tile, technique, trust_flags=trust_flags)
    assert len(short) <= len(given)
    assert claims(short[-1])[tile] is claims(given[-1])[tile]
    hard, harder = (
        sorted((TECHNIQUES.index(step.technique) for step in found), reverse=True) for found in (short, given)
    )
    assert all(new <= old for new, old in zip(hard, harder, strict=False))
    known = flags(board) if trust_flags else {}
    for step in short:
        assert not claims(step).keys() & known.keys()
        if technique is None and not step.whole:
            sentence_is_true(board, known, step)
        known |= claims(step)
    return short


@pytest.mark.slow
@COMMON
@given(case=boards(8), counted=st.booleans(), trust_flags=st.booleans())
def test_the_short_explanation_of_a_tile_is_proved_step_by_step(
    case: tuple[Board, int], counted: bool, trust_flags: bool
) -> None:
    board, total = case
    mines = total if counted else None
    try:
        steps = explain(board, mines, trust_flags=trust_flags)
    except ImpossibleBoard:
        return
    for tile in [tile for step in steps for tile in claims(step)]:
        known = flags(board) if trust_flags else {}
        for step in check_short(board, steps, tile, trust_flags=trust_flags):
            for one, mine in claims(step).items():
                assert proved(board, known, step.numbers, mines if step.whole else None, one, mine)
            known |= claims(step)


@pytest.mark.slow
@settings(COMMON, max_examples=60)
@given(case=boards(8), technique=st.sampled_from(TECHNIQUES))
def test_one_technique_alone_is_shortened_by_itself(case: tuple[Board, int], technique: str) -> None:
    board, mines = case
    steps = follow(board, technique, mines)
    for tile in [tile for step in steps for tile in claims(step)]:
        known: dict[Position, bool] = {}
        for step in check_short(board, steps, tile, technique):
            assert step.technique == technique
            for one, mine in claims(step).items():
                assert proved(board, known, step.numbers, mines if step.whole else None, one, mine)
            known |= claims(step)


@pytest.mark.slow
@COMMON
@given(st.lists(st.sampled_from("012345678??F*x"), min_size=9, max_size=16))
def test_shortening_impossible_boards_does_no_harm(tiles: list[str]) -> None:
    # Boards too wide to count are explained without anybody knowing whether they are possible.
    width = len(tiles) // 3
    board = Board.from_text("\n".join("".join(tiles[at * width : at * width + width]) for at in range(3)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ladder, "solve", too_wide)
        steps = explain(board, 3)
    for tile in [tile for step in steps for tile in claims(step)]:
        given = steps_to(board, steps, tile)
        short = shorten(board, given, tile)
        assert len(short) <= len(given)
        assert claims(short[-1])[tile] is any(tile in step.mine for step in given)


def proved_by_solver(board: Board, known: dict[Position, bool], step: Step, mines: int | None) -> None:
    """The claims of a step are certain by its numbers alone, the tiles settled before being shown."""
    cells = np.where((board.cells < COVERED) & (not step.whole), SAFE, board.cells)
    for number in step.numbers:
        cells[number] = board.cells[number]
    for tile, mine in known.items():
        cells[tile] = MINE if mine else SAFE
    solution = solve(Board(cells.astype(np.uint8)), mines if step.whole else None)
    assert set(step.safe) <= set(solution.safe)
    assert set(step.mine) <= set(solution.mine)


@pytest.mark.slow
@needs(POSITIONS)
def test_short_explanations_in_real_positions() -> None:
    seen: dict[str, int] = {}
    before = after = 0
    for line in POSITIONS.read_text().splitlines():
        position = json.loads(line)
        name = position["set"]
        seen[name] = seen.get(name, 0) + 1
        if position.get("error") or seen[name] > 4 or name == "huge":
            continue
        board, mines = Board.from_text("\n".join(position["board"])), position["mines"]
        steps = explain(board, mines)
        proofs: set[tuple[Step, frozenset[tuple[Position, bool]]]] = set()
        for tile in [tile for step in steps for tile in claims(step)][::3]:
            known: dict[Position, bool] = {}
            short = check_short(board, steps, tile)
            for step in short:
                proof = (step, frozenset(known.items()))
                if proof not in proofs:
                    proofs.add(proof)
                    proved_by_solver(board, known, step, mines)
                known |= claims(step)
            if not any(step.whole for step in short):
                before += len(steps_to(board, steps, tile))
                after += len(short)
    assert after < before / 2


@pytest.mark.parametrize("trust_flags", mostly_slow([False, True], fast=1))
def test_the_expert_sample_is_explained_tile_by_tile(trust_flags: bool) -> None:
    board = Board.from_text((SAMPLES / "expert.txt").read_text())
    steps = explain(board, trust_flags=trust_flags)
    before = after = 0
    for tile in [tile for step in steps for tile in claims(step)]:
        known = flags(board) if trust_flags else {}
        short = check_short(board, steps, tile, trust_flags=trust_flags)
        for step in short:
            proved_by_solver(board, known, step, None)
            known |= claims(step)
        before += len(steps_to(board, steps, tile))
        after += len(short)
    assert after < before / 2


def test_a_tile_of_the_expert_sample_takes_three_steps() -> None:
    board = Board.from_text((SAMPLES / "expert.txt").read_text())
    steps = explain(board, 99)
    assert len(steps_to(board, steps, (10, 17))) > 10
    short = check_short(board, steps, (10, 17))
    assert len(short) <= 3
    assert {step.technique for step in short} == {"single"}
    known: dict[Position, bool] = {}
    for step in short:
        proved_by_solver(board, known, step, None)
        known |= claims(step)


def technique_of(text: str, mines: int | None = None) -> dict[Position, tuple[str, str | None]]:
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
    text: str, tile: Position, expected: tuple[str, str | None] | None
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
    monkeypatch.setattr(ladder, "solve", too_wide)
    steps = explain(Board.from_text("?????\n?121?\nxxxxx\n"))
    assert sorted(tile for step in steps for tile in step.mine) == [(0, 1), (0, 3)]


@pytest.mark.slow
@needs(POSITIONS)
def test_positions_with_known_answers_are_explained_whole() -> None:
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
