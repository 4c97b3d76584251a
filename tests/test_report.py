"""The JSON answer, field by field, against the documented schema; numbers of any size as text."""

from __future__ import annotations

import json
import math
import re
from dataclasses import fields
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from pydantic import TypeAdapter

from visionsweeper.board import Board
from visionsweeper.errors import InvalidInput, TooWide
from visionsweeper.pipeline import advise, analyse
from visionsweeper.report.as_json import to_dict, to_json
from visionsweeper.report.as_text import to_summary, to_text
from visionsweeper.report.result import Report, Result
from visionsweeper.wording import decimal_text, fraction_text

RING = Board.from_text("?????\n?????\n?111?\n?????\n?????\n")

FIELDS = [one.name for one in fields(Result) if one.name != "exact"]


def test_the_documentation_lists_the_fields_of_a_result() -> None:
    root = Path(__file__).parents[1]
    pages = "\n".join(
        page.read_text() for page in [root / "README.md", *sorted((root / "docs").glob("*.md"))]
    )
    [listed] = re.findall(r"```\w*\n(\{ \"version\".*?)```", pages, re.DOTALL)
    listed = re.sub(r"\{[^{}]*\}", "", listed[1:])  # the fields of nested objects
    assert re.findall(r"\"(\w+)\":", listed) == [one.name for one in fields(Result)]


def report_of(board: Board, *, output: str | None = None, **options: Any) -> Report:
    analysis = analyse(board, **options)
    return Report(analysis=analysis, advice=advise(analysis), output=output)


def check_schema(answer: dict[str, Any]) -> None:
    """Types, shapes and ranges that hold for every answer about a board."""
    TypeAdapter(Result).validate_python(answer)  # there are no other fields
    width, height = answer["width"], answer["height"]
    assert answer["version"] == 1
    assert answer["mines_source"] in {"given", "counter", "standard", "unknown"}
    assert (answer["mines"] is None) == (answer["mines_source"] == "unknown")
    assert answer["scope"] == ("local" if answer["mines"] is None else "global")
    assert [len(row) for row in answer["board"]] == [width] * height
    assert set("".join(answer["board"])) <= set("012345678?F*x")
    assert [len(row) for row in answer["probability"]] == [width] * height
    for text, row in zip(answer["board"], answer["probability"], strict=True):
        for symbol, value in zip(text, row, strict=True):
            if symbol not in "?F":
                assert value is None
            elif value is not None:
                assert 0 <= value <= 1
    for name in ("safe", "mine", "conflict", "uncertain"):
        for row, column in answer[name]:
            assert 0 <= row < height
            assert 0 <= column < width
    for row, column in answer["safe"]:
        assert answer["probability"][row][column] == 0
    for row, column in answer["mine"]:
        assert answer["probability"][row][column] == 1
    if answer["best"] is not None:
        assert set(answer["best"]) == {"tile", "probability", "reason"}
        row, column = answer["best"]["tile"]
        assert answer["board"][row][column] in "?F"
        assert answer["best"]["probability"] == answer["probability"][row][column]
    assert answer["solutions"].isdecimal()
    assert answer["consistent"] is (not answer["conflict"])
    assert answer["error"] is None or set(answer["error"]) == {"kind", "message"}


@pytest.mark.parametrize(
    ("text", "mines"),
    [
        ("?????\n?????\n?111?\n?????\n?????\n", None),
        ("?????\n?????\n?111?\n?????\n?????\n", 2),
        ("?\n", None),
        ("?\n", 1),
        ("0\n", None),
        ("01?\n01F\n011\n", None),
        ("1*\n1?\nx1\n", 1),
        ("?" * 30 + "\n" + ("?" * 30 + "\n") * 15, None),
        ("1?3\n", None),
        ("1?3\n", 5),
        ("1?\n", 0),
    ],
)
def test_every_answer_keeps_to_the_schema(text: str, mines: int | None) -> None:
    answer = json.loads(to_json(report_of(Board.from_text(text), mines=mines)))
    assert list(answer) == FIELDS
    check_schema(answer)


def test_the_board_as_text_has_the_count_that_is_known() -> None:
    assert to_text(analyse(RING, mines=3)).startswith("# mines: 3\n?????\n")
    assert to_text(analyse(RING)) == str(RING).rstrip()
    usual = Board.from_text("?????????\n" * 9)
    assert analyse(usual).mines_source == "standard"
    assert to_text(analyse(usual)).startswith("?????????\n"), "whoever reads it assumes the same"


def test_the_known_answer() -> None:
    answer = to_dict(report_of(RING, output="ring.png"), exact=True)
    assert answer["solutions"] == "14"
    assert answer["output"] == "ring.png"
    assert answer["exact"][1] == ["1/7", "3/14", "1/14", "3/14", "1/7"]
    assert answer["exact"][0] == [None] * 5
    assert answer["probability"][1][1] == pytest.approx(3 / 14)
    assert (answer["box"], answer["confidence"], answer["image"]) == (None, None, None)


def test_global_odds_add_up_to_the_mines() -> None:
    answer = to_dict(report_of(RING, mines=3), exact=True)
    assert sum(Fraction(text) for row in answer["exact"] for text in row if text is not None) == 3


def test_exact_odds_of_every_tile_are_those_of_the_solver() -> None:
    board = Board.from_text("??1F?\n?31?2\n??1?F\n11???\n")
    for trust_flags in (False, True):
        analysis = analyse(board, mines=7, trust_flags=trust_flags)
        assert analysis.solution is not None
        answer = to_dict(Report(analysis=analysis), exact=True)
        for row, texts in enumerate(answer["exact"]):
            for column, text in enumerate(texts):
                if text is not None:
                    assert Fraction(text) == analysis.solution.exact(row, column)


def test_certain_odds_as_fractions() -> None:
    answer = to_dict(report_of(Board.from_text("1?\n"), mines=1), exact=True)
    assert answer["exact"] == [[None, "1/1"]]


def test_a_contradiction_has_no_solution_and_no_odds() -> None:
    answer = to_dict(report_of(Board.from_text("1?3\n")))
    assert answer["consistent"] is False
    assert answer["conflict"]
    assert answer["solutions"] == "0"
    assert answer["probability"] == [[None, None, None]]
    assert answer["error"]["kind"] == "contradiction"
    assert (answer["best"], answer["safe"], answer["mine"]) == (None, [], [])


@pytest.mark.parametrize(("mines", "kind"), [(0, "too_few_mines"), (25, "too_many_mines")])
def test_an_impossible_count_is_told_from_a_contradiction(mines: int, kind: str) -> None:
    answer = to_dict(report_of(RING, mines=mines))
    assert answer["error"]["kind"] == kind
    assert answer["consistent"] is True
    assert (answer["mines"], answer["mines_source"]) == (mines, "given")


def test_a_board_too_wide_to_count_says_only_what_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        error = TooWide("too wide to be counted")
        error.safe, error.mine = ((0, 0), (0, 1)), ((4, 4),)
        raise error

    monkeypatch.setattr("visionsweeper.pipeline.solve", refuse)
    monkeypatch.setattr("visionsweeper.solver.approximation.approximate", lambda *_, **__: None)
    report = report_of(RING)
    answer = to_dict(report)
    assert (answer["solutions"], answer["consistent"]) == (None, None)
    assert answer["error"]["kind"] == "too_wide"
    assert answer["board"] == RING.to_rows()
    assert (answer["safe"], answer["mine"]) == ([[0, 0], [0, 1]], [[4, 4]])
    assert "by single numbers alone: 2 certainly safe, 1 certainly a mine" in to_summary(report)
    assert "the frontier is too wide to count exactly" in to_summary(report)


def test_what_could_not_be_read_is_null() -> None:
    report = Report(image="x.png", error=InvalidInput("x.png is not a picture"))
    answer = json.loads(to_json(report))
    assert list(answer) == FIELDS
    assert answer["error"] == {"kind": "invalid_input", "message": "x.png is not a picture"}
    assert all(
        answer[name] is None for name in ("width", "height", "mines", "board", "probability", "solutions")
    )
    assert list(json.loads(to_json(report, exact=True))) == [
        *FIELDS[:14],
        "exact",
        *FIELDS[14:],
    ]
    assert to_summary(report) == ""


def test_unexpected_errors_have_a_kind_of_their_own() -> None:
    answer = to_dict(Report(error=RuntimeError("broken")))
    assert answer["error"] == {"kind": "unexpected", "message": "broken"}


def test_a_reading_brings_its_confidence_and_box() -> None:
    confidence = np.array([[0.987654321, 0.2], [0.5, 1.0]])
    reading: Any = SimpleNamespace(
        board=Board.from_text("??\n?1\n"),
        mines=None,
        counter=None,
        box=(1.5, 2.0, 60.25, 61.0),
        confidence=confidence,
        uncertain=confidence < 0.9,
    )
    analysis = analyse(reading)
    answer = json.loads(to_json(Report(image="shot.png", analysis=analysis)))
    check_schema(answer)
    assert answer["box"] == [1.5, 2.0, 60.25, 61.0]
    assert answer["confidence"] == [[0.9877, 0.2], [0.5, 1.0]]
    assert answer["uncertain"] == [[0, 1], [1, 0]]
    summary = to_summary(Report(image="shot.png", analysis=analysis))
    assert "low confidence: 2 tiles" in summary
    assert "least sure: row 0, column 1, 20.0% sure" in summary


def test_json_is_one_line_of_ascii_even_for_odd_names() -> None:
    report = Report(image="brett–\ud800\n.png", error=InvalidInput("nö"))
    line = to_json(report)
    assert line.isascii()
    assert "\n" not in line
    assert json.loads(line)["image"] == "brett–\ud800\n.png"


def test_the_board_as_text_reads_back() -> None:
    board = Board.from_text("01?\nF*x\n")
    assert Board.from_text(to_text(analyse(board, mines=3))) == board


def test_a_summary_is_a_few_lines() -> None:
    summary = to_summary(report_of(RING, mines=2, output="ring.png"), exact=True)
    lines = summary.splitlines()
    assert lines[0] == "board: 5x5, 2 mines (given)"
    assert any(line.strip().startswith("best next tile: row ") for line in lines)
    assert lines[-1].strip() == "picture: ring.png"
    assert len(lines) <= 8


def test_a_board_without_covered_tiles() -> None:
    assert "best next tile: none" in to_summary(report_of(Board.from_text("00\n00\n")))


@pytest.mark.parametrize("power", [1, 3999, 4000, 4001, 8000, 20000])
def test_whole_numbers_of_any_size(power: int) -> None:
    # The digits of a power of ten and its neighbours are known without any conversion.
    assert decimal_text(10**power) == "1" + "0" * power
    assert decimal_text(10**power - 1) == "9" * power
    assert decimal_text(-(10**power)) == "-1" + "0" * power
    assert decimal_text(7 * 10**power + 4) == "7" + "4".rjust(power, "0")


def test_fractions_are_always_written_with_both_parts() -> None:
    assert fraction_text(Fraction(0)) == "0/1"
    assert fraction_text(Fraction(2, 8)) == "1/4"


def test_a_huge_board_counts_its_solutions() -> None:
    board = Board(np.full((150, 150), 9, dtype=np.uint8))
    answer = to_dict(report_of(board, mines=10000))
    assert answer["solutions"] == decimal_text(math.comb(22500, 10000))
    assert len(answer["solutions"]) > 4300
