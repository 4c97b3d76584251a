"""`visionsweeper explain` as a person meets it."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from commandline import Run, runner
from PIL import Image

from visionsweeper.board import Board
from visionsweeper.cli.explain import TECHNIQUE_NAMES
from visionsweeper.drawing import draw_board
from visionsweeper.solver.techniques import TECHNIQUES

SAMPLES = Path(__file__).parents[1] / "samples"
BOARD = "?x?xxxx\n?1*xx1?\nxx?xxxx\n"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(monkeypatch, capsys)


@pytest.fixture
def board(tmp_path: Path) -> Path:
    path = tmp_path / "board.txt"
    path.write_text(BOARD)
    return path


def test_help_has_an_example(run: Run) -> None:
    outcome = run("explain", "--help")
    assert outcome.status == 0
    assert "Example: visionsweeper explain" in outcome.out


def test_the_names_of_the_techniques_are_those_of_the_solver() -> None:
    assert TECHNIQUE_NAMES == TECHNIQUES


def test_steps_are_numbered_sentences(run: Run, board: Path) -> None:
    outcome = run("explain", board)
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.splitlines() == [
        "1. The 1 at row 1, column 1 already has its mine, so its other covered tiles (row 0, columns 0 and "
        "2; row 1, column 0; and row 2, column 2) are safe.",
        "2. The 1 at row 1, column 5 touches just one covered tile (row 1, column 6) and needs it: it is a "
        "mine.",
        "That makes 4 safe tiles and 1 mine.",
    ]
    assert run("explain", "-", stdin=BOARD.encode()).out == outcome.out


def test_only_the_steps_that_lead_to_a_tile(run: Run, board: Path) -> None:
    lines = run("explain", board, "--tile", "1,6").out.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("1. The 1 at row 1, column 5")


def test_a_chain_of_steps_is_told_from_its_beginning(run: Run) -> None:
    board = SAMPLES / "patterns" / "1-1-1-reduced.txt"
    lines = run("explain", board, "--tile", "2,0").out.splitlines()
    assert len(lines) == 2
    assert "the reduced 1-1 pattern" in lines[0] or "(reduced 1-1 pattern)" in lines[0]
    assert lines[1].endswith("it is a mine.")


@pytest.mark.parametrize(
    ("text", "tile", "said"),
    [
        ("?1?\n", "0,0", "Row 0, column 0 is not certain: it is a mine with a probability of 50.0%."),
        ("?1?\n", "0,1", "Row 0, column 1 is not covered: there is nothing to explain."),
        (
            "?1???\n",
            "0,4",
            "Row 0, column 4 is not settled, and its odds are not known without the mine count.",
        ),
    ],
)
def test_tiles_that_are_not_certain(run: Run, text: str, tile: str, said: str) -> None:
    outcome = run("explain", "-", "--tile", tile, stdin=text.encode())
    assert (outcome.status, outcome.out.splitlines()) == (0, [said])


@pytest.mark.parametrize("tile", ["3,0", "0,7", "1", "a,b", "1,2,3", "-1,0"])
def test_tiles_that_are_none(run: Run, board: Path, tile: str) -> None:
    outcome = run("explain", board, "--tile", tile)
    assert outcome.status == 2
    assert len(outcome.complaints) == 1


def test_one_technique_alone(run: Run) -> None:
    corner = SAMPLES / "patterns" / "2-2-2-corner.txt"
    assert run("explain", corner, "--technique", "single").out == "No tile can be settled that way.\n"
    alone = run("explain", corner, "--technique", "single", "--tile", "0,3")
    assert alone.out == "Row 0, column 3 is safe, but that is not how it is found.\n"
    assert "Add up" in run("explain", corner, "--technique", "gauss").out
    for technique in TECHNIQUE_NAMES:
        assert run("explain", corner, "--technique", technique).status == 0


def test_json_adds_the_steps(run: Run, board: Path) -> None:
    found = json.loads(run("explain", board, "--json", "--mines", "2").out)
    assert found["mines"] == 2
    assert found["error"] is None
    assert [step["technique"] for step in found["steps"]] == ["single", "single"]
    assert found["steps"][1]["mine"] == [[1, 6]]
    assert found["steps"][1]["numbers"] == [[1, 5]]
    assert np.shape(found["probability"]) == (3, 7)


def test_a_contradictory_board(run: Run) -> None:
    outcome = run("explain", "-", "--json", stdin=b"1?3\n")
    assert outcome.status == 5
    assert len(outcome.complaints) == 1
    found = json.loads(outcome.out)
    assert (found["steps"], found["error"]["kind"]) == ([], "contradiction")
    assert run("explain", "-", stdin=b"1?3\n").out == ""


def test_a_picture(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def read_board(*arguments: object) -> SimpleNamespace:
        asked.append(arguments)
        return SimpleNamespace(board=Board.from_text(BOARD), mines=None)

    monkeypatch.setattr("visionsweeper.pipeline.read_board", read_board)
    outcome = run("explain", "shot.png", "--width", "7")
    assert outcome.status == 0
    assert asked == [("shot.png", 7, None)]
    assert outcome.out.splitlines()[0].startswith("1. The 1 at row 1, column 1")
    assert run("explain", "-", "--width", "7", stdin=b"pixels").out == outcome.out
    assert asked[1] == (b"pixels", 7, None)


def test_solve_with_one_technique(run: Run, board: Path) -> None:
    outcome = run("solve", board, "--technique", "single")
    assert outcome.status == 0
    assert outcome.out == run("explain", board, "--technique", "single").out
    assert list(board.parent.iterdir()) == [board]
    found = json.loads(run("solve", board, "--technique", "exact", "--json").out)
    assert {step["technique"] for step in found["steps"]} == {"exact"}
    assert run("solve", board, "--technique", "single", "--text").status == 2


def test_a_picture_of_the_steps(run: Run, board: Path, tmp_path: Path) -> None:
    output = tmp_path / "why.png"
    assert run("explain", board, "-o", output).status == 0
    with Image.open(output) as picture:
        drawn = np.asarray(picture)
    plain, grid = draw_board(Board.from_text(BOARD))
    assert drawn.shape == plain.shape
    settled = {(0, 0), (0, 2), (1, 0), (2, 2), (1, 6)}
    for tile in np.ndindex(3, 7):
        x0, y0, x1, y1 = (round(edge) for edge in grid.tile_box(*tile))
        changed = np.any(drawn[y0:y1, x0:x1] != plain[y0:y1, x0:x1])
        assert changed == (tile in settled or tile in {(1, 1), (1, 5)})
    assert run("explain", board, "-o", board).status == 2
    assert run("explain", board, "-o", tmp_path / "none" / "why.png").status == 6
