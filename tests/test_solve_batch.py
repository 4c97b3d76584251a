"""`solve --batch`: positions as JSON Lines, answered in their order, alike however many work."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from commandline import Run

from visionsweeper.board import Board
from visionsweeper.solver import solve

POSITIONS: list[dict[str, Any]] = [
    {"board": ["???", "111", "000"], "mines": 1},
    {"board": "??\n2?\n", "mines": 2},
    {"board": ["?1?", "???"]},
]


def as_lines(positions: list[Any]) -> bytes:
    return "".join(json.dumps(one) + "\n" for one in positions).encode()


def test_each_line_has_the_odds_of_its_board(run: Run) -> None:
    told = run("solve", "-", "--batch", stdin=as_lines(POSITIONS))
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
    told = run("solve", "-", "--batch", stdin=as_lines([closed, {**closed, "continues": ["right"]}]))
    [alone, going_on] = [json.loads(line) for line in told.out.splitlines()]
    assert (alone["mine"], going_on["mine"]) == ([[0, 0]], [])
    solution = solve(Board(Board.from_text("?1").cells, ("right",)))
    assert 0 < going_on["probability"][0][0] == solution.probability[0, 0] < 1
    refused = run("solve", "-", "--batch", "--continues", "right", stdin=as_lines([closed]))
    assert refused.status == 2


def test_a_line_that_is_no_position_is_answered_as_such(run: Run) -> None:
    lines = as_lines([POSITIONS[0]]) + b"{\n[]\n" + as_lines([{"board": ["3?"], "mines": 1}, POSITIONS[1]])
    told = run("solve", "-", "--batch", stdin=lines)
    assert told.status == 5
    answers = [json.loads(line) for line in told.out.splitlines()]
    kinds = [one["error"] and one["error"]["kind"] for one in answers]
    assert kinds == [None, "invalid_input", "invalid_input", "contradiction", None]
    assert len(told.complaints) == 1


@pytest.mark.slow
def test_processes_answer_in_the_order_of_the_lines(run: Run, tmp_path: Path) -> None:
    (tmp_path / "many.jsonl").write_bytes(as_lines(POSITIONS * 1200))
    alone = run("solve", tmp_path / "many.jsonl", "--batch")
    spread = run("solve", tmp_path / "many.jsonl", "--batch", "--jobs", "2")
    assert (alone.status, spread.status) == (0, 0)
    assert alone.out == spread.out
    assert [json.loads(line)["line"] for line in alone.out.splitlines()] == list(range(1, 3601))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--jobs", "2"], "go with --batch"),
        (["--batch", "-o", "a.png"], "JSON Lines only"),
        (["--batch", "--jobs", "2", "--scheduler", "tcp://127.0.0.1:9"], "one of them"),
    ],
)
def test_options_that_do_not_go_together(run: Run, arguments: list[str], message: str) -> None:
    told = run("solve", "-", *arguments, stdin=b"")
    assert told.status == 2
    assert message in told.err
