"""`solve --batch`: positions as JSON Lines, answered in their order, alike however many work."""

from __future__ import annotations

import json
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commandline import Run

from visionsweeper.board import COVERED, FLAG, MINE, Board, count_around
from visionsweeper.errors import ImpossibleBoard, InvalidInput
from visionsweeper.io.cluster import Done
from visionsweeper.solver import solve
from visionsweeper.solver.compiled import count_compiled, is_countable
from visionsweeper.solver.many import solve_many

POSITIONS: list[dict[str, Any]] = [
    {"board": ["???", "111", "000"], "mines": 1},
    {"board": "??\n2?\n", "mines": 2},
    {"board": ["?1?", "???"]},
]


EXACTLY = ("--batch", "--engine", "exact")
"""Where the count was compiled before, few lines go to it as well, which loads numba and rounds."""


def as_lines(positions: list[Any]) -> bytes:
    return "".join(json.dumps(one) + "\n" for one in positions).encode()


def test_each_line_has_the_odds_of_its_board(run: Run) -> None:
    told = run("solve", "-", *EXACTLY, stdin=as_lines(POSITIONS))
    assert told.status == 0
    answers = [json.loads(line) for line in told.out.splitlines()]
    assert [one["line"] for one in answers] == [1, 2, 3]
    assert [one["scope"] for one in answers] == ["global", "global", "local"]
    for position, answer in zip(POSITIONS, answers, strict=True):
        rows = position["board"]
        board = Board.from_text(rows if isinstance(rows, str) else "\n".join(rows))
        solution = solve(board, position.get("mines"))
        flat = [None if p != p else p for p in solution.probability.ravel().tolist()]
        assert [p for row in answer["probability"] for p in row] == flat
        assert [tuple(tile) for tile in answer["safe"]] == solution.safe
        assert [tuple(tile) for tile in answer["mine"]] == solution.mine


def test_a_board_that_goes_on_is_solved_as_such(run: Run) -> None:
    """The 1 may have its mine beyond the right edge."""
    closed = {"board": ["?1"]}
    told = run("solve", "-", *EXACTLY, stdin=as_lines([closed, {**closed, "continues": ["right"]}]))
    [alone, going_on] = [json.loads(line) for line in told.out.splitlines()]
    assert (alone["mine"], going_on["mine"]) == ([[0, 0]], [])
    solution = solve(Board(Board.from_text("?1").cells, ("right",)))
    assert 0 < going_on["probability"][0][0] == solution.probability[0, 0] < 1
    refused = run("solve", "-", *EXACTLY, "--continues", "right", stdin=as_lines([closed]))
    assert refused.status == 2


def test_positions_that_workers_died_of_are_told_as_such(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def dying(_work: Any, chunks: Any, _address: str) -> Any:
        yield (Done(chunk, None, "its worker died each time") for chunk in chunks)

    monkeypatch.setattr("visionsweeper.io.cluster.on_cluster", dying)
    told = run("solve", "-", "--batch", "--scheduler", "tcp://127.0.0.1:9", stdin=as_lines(POSITIONS))
    assert told.status == 1
    errors = [json.loads(line)["error"] for line in told.out.splitlines()]
    assert [error["kind"] for error in errors] == ["workers_lost"] * 3
    assert len(told.complaints) == 1


def test_a_line_that_is_no_position_is_answered_as_such(run: Run) -> None:
    wrong = [{"board": ["?1"], "mines": "1"}, {"board": ["?1"], "continues": "left"}]
    lines = as_lines([POSITIONS[0], *wrong])
    lines += b"{\n[]\n" + as_lines([{"board": ["3?"], "mines": 1}, POSITIONS[1]])
    told = run("solve", "-", *EXACTLY, stdin=lines)
    assert told.status == 5
    answers = [json.loads(line) for line in told.out.splitlines()]
    kinds = [one["error"] and one["error"]["kind"] for one in answers]
    assert kinds == [None, *["invalid_input"] * 4, "contradiction", None]
    assert len(told.complaints) == 1


@pytest.mark.slow
def test_processes_answer_in_the_order_of_the_lines(run: Run, tmp_path: Path) -> None:
    (tmp_path / "many.jsonl").write_bytes(as_lines(POSITIONS * 1200))
    alone = run("solve", tmp_path / "many.jsonl", "--batch", "--engine", "exact")
    spread = run("solve", tmp_path / "many.jsonl", "--batch", "--engine", "exact", "--jobs", "2")
    assert (alone.status, spread.status) == (0, 0)
    assert alone.out == spread.out
    assert [json.loads(line)["line"] for line in alone.out.splitlines()] == list(range(1, 3601))


def boards_by_chance(count: int) -> list[tuple[Board, int | None]]:
    """Positions of small games, some with what the compiled count does not take."""
    rng = np.random.default_rng(5)
    found: list[tuple[Board, int | None]] = []
    while len(found) < count:
        rows, columns = rng.integers(2, 8, 2).tolist()
        mined = rng.random((rows, columns)) < rng.uniform(0.05, 0.5)
        opened = ~mined & (rng.random((rows, columns)) < rng.uniform(0, 1))
        cells = np.where(opened, count_around(mined), COVERED).astype(np.uint8)
        cells[(cells == COVERED) & (rng.random((rows, columns)) < 0.1)] = FLAG
        if rng.random() < 0.1:
            cells[mined & (rng.random((rows, columns)) < 0.5)] = MINE
        mines = int(mined.sum()) if rng.random() < 0.9 else None
        found.append((Board(cells, ("left",) if rng.random() < 0.05 else ()), mines))
    return found


@pytest.mark.slow
def test_the_compiled_count_says_what_the_exact_one_does(run: Run, tmp_path: Path) -> None:
    """By two programs: floats over compiled states, and integers in Python."""
    pytest.importorskip("numba")
    positions = boards_by_chance(400)
    assert sum(one is not None for one in count_compiled(positions)) > 250
    for engine in ("exact", "compiled"):
        for (board, mines), odds in zip(positions, solve_many(positions, engine=engine), strict=True):
            solution = solve(board, mines)
            assert odds.probability == pytest.approx(solution.probability, abs=1e-9, nan_ok=True)
            assert [tuple(tile) for tile in np.argwhere(odds.safe).tolist()] == sorted(solution.safe)
            assert [tuple(tile) for tile in np.argwhere(odds.mine).tolist()] == sorted(solution.mine)
    lines = [
        {"board": str(board).split(), "mines": mines} for board, mines in positions if not board.continues
    ]
    (tmp_path / "many.jsonl").write_bytes(as_lines([*lines, {"board": ["3?"], "mines": 1}, {}]))
    exact, compiled = (
        [
            json.loads(line)
            for line in run("solve", tmp_path / "many.jsonl", "--batch", "--engine", one).out.splitlines()
        ]
        for one in ("exact", "compiled")
    )
    for one, other in zip(exact, compiled, strict=True):
        numbers = [[p for row in each.pop("probability", []) for p in row] for each in (one, other)]
        assert numbers[0] == pytest.approx(numbers[1], abs=1e-9)
        assert one == other


def test_what_the_compiled_count_does_not_take_is_solved_exactly() -> None:
    """Without compiling anything: none of these comes to it."""
    pytest.importorskip("numba")
    wide = Board(np.full((101, 100), COVERED, np.uint8))
    taken = [
        (Board.from_text("?1"), None),
        (Board.from_text("*1?"), 1),
        (
            Board.from_text(
                "?1",
            ),
            1,
        ),
        (wide, 9),
    ]
    assert [is_countable(*one) for one in taken] == [False, False, True, False]
    assert not is_countable(Board(taken[2][0].cells, ("right",)), 1)
    [odds] = solve_many([taken[1]], engine="compiled")
    assert odds.safe.tolist() == [[False, False, True]]
    with pytest.raises(ImpossibleBoard):
        list(solve_many([(Board.from_text("*2"), 2)], engine="exact"))
    with pytest.raises(InvalidInput, match="no engine 'fast'"):
        list(solve_many([], engine="fast"))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--jobs", "2"], "go with --batch"),
        (["--engine", "exact"], "go with --batch"),
        (["--batch", "-o", "a.png"], "JSON Lines only"),
        (["--batch", "--jobs", "2", "--scheduler", "tcp://127.0.0.1:9"], "one of them"),
    ],
)
def test_options_that_do_not_go_together(run: Run, arguments: list[str], message: str) -> None:
    told = run("solve", "-", *arguments, stdin=b"")
    assert told.status == 2
    assert message in told.err
