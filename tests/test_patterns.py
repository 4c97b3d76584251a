"""The catalogue of patterns: what it says is what the exact solver proves, and no more."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from outside_data import PATTERN_FACTS, needs

from visionsweeper.board import Board
from visionsweeper.geometry import Position
from visionsweeper.solver import solve
from visionsweeper.solver.techniques import explain
from visionsweeper.tutorial.patterns import patterns

PATTERNS = Path(__file__).parents[1] / "samples" / "patterns"
FILES = sorted(PATTERNS.glob("*.txt"))


def tiles(text: str, key: str) -> list[Position]:
    (line,) = (line for line in text.splitlines() if line.startswith(f"# {key}:"))
    pairs = [part.split(",") for part in line.partition(":")[2].split()]
    return [(int(row), int(column)) for row, column in pairs]


def title(text: str) -> str:
    return text.splitlines()[0].removeprefix("# ")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_solver_proves_what_the_catalogue_says(path: Path) -> None:
    text = path.read_text()
    board = Board.from_text(text)
    solution = solve(board)
    assert solution.safe == tiles(text, "safe")
    assert solution.mine == tiles(text, "mine")
    assert solution.safe or solution.mine
    steps = explain(board)
    assert sorted(t for step in steps for t in step.safe) == solution.safe
    assert sorted(t for step in steps for t in step.mine) == solution.mine


@pytest.mark.parametrize(
    "pattern",
    [
        "1-1",
        "1-2",
        "1-2-1",
        "1-2-2-1",
        "1-3-1 corner",
        "2-2-2 corner",
        "1-1 hole",
        "1-2 hole",
        "1-1, reduced",
        "1-2, reduced",
        "1-2-2-1, reduced",
    ],
)
def test_a_board_under_a_name_is_explained_by_that_name(pattern: str) -> None:
    texts = [text for text in (path.read_text() for path in FILES) if title(text) == pattern]
    assert texts
    for text in texts:
        assert {step.pattern for step in explain(Board.from_text(text))} == {pattern}


def test_the_table_lists_every_board_by_its_name() -> None:
    table = (PATTERNS / "README.md").read_text()
    for path in FILES:
        _, about = (line.removeprefix("# ") for line in path.read_text().splitlines()[:2])
        assert f"| `{path.name}` | {title(path.read_text())} | {about} |" in table
    assert table.count(".txt` |") == len(FILES)


def test_every_pattern_of_the_folder_can_be_asked_for() -> None:
    found = patterns()
    assert {one.id for one in found} == {path.stem for path in FILES}
    assert len(found) == len(FILES)
    assert all(one.title and one.note for one in found)


@needs(PATTERN_FACTS)
def test_the_catalogue_agrees_with_the_published_facts() -> None:
    texts = [path.read_text() for path in FILES]
    ours = {Board.from_text(text): (tiles(text, "safe"), tiles(text, "mine")) for text in texts}
    facts = json.loads(PATTERN_FACTS.read_text())["patterns"]
    for fact in facts:
        # The facts draw known mines as flags, the catalogue as shown mines.
        board = Board.from_text("\n".join(fact["board"]).replace("F", "*"))
        assert board in ours, fact["id"]
        safe, mine = ours[board]
        assert safe == sorted(map(tuple, fact["safe"])), fact["id"]
        assert mine == sorted(map(tuple, fact["mine"])), fact["id"]
    assert len(facts) >= 39
