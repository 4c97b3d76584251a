"""`visionsweeper explain` as a person meets it."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from commandline import Run
from PIL import Image

from visionsweeper.board import MINE, Board
from visionsweeper.drawing.board import draw_board
from visionsweeper.report.as_json import outcomes_to_json, tables_to_json
from visionsweeper.solver import solve
from visionsweeper.solver.techniques import TECHNIQUES, system_matrix

SAMPLES = Path(__file__).parents[1] / "samples"
BOARD = "?x?xxxx\n?1*xx1?\nxx?xxxx\n"


@pytest.fixture
def board(tmp_path: Path) -> Path:
    path = tmp_path / "board.txt"
    path.write_text(BOARD)
    return path


def test_help_has_an_example(run: Run) -> None:
    outcome = run("explain", "--help")
    assert outcome.status == 0
    assert "Example: visionsweeper explain" in outcome.out


def test_help_lists_the_techniques_of_the_solver(run: Run) -> None:
    assert f"[{'|'.join(TECHNIQUES)}]" in "".join(run("explain", "--help").out.split())
    outcome = run("explain", "--technique", "none", "-")
    assert outcome.status == 2
    assert all(repr(name) in outcome.err for name in TECHNIQUES)


def test_steps_are_numbered_sentences(run: Run, board: Path) -> None:
    outcome = run("explain", board)
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.splitlines()[:3] == [
        "1. The 1 at row 1, column 1 already has its mine, so its other covered tiles (row 0, columns 0 and "
        "2; row 1, column 0; and row 2, column 2) are safe.",
        "2. The 1 at row 1, column 5 touches just one covered tile (row 1, column 6) and needs it: it is a "
        "mine.",
        "That makes 4 safe tiles and 1 mine.",
    ]
    assert run("explain", "-", stdin=BOARD.encode()).out == outcome.out


def test_only_the_steps_that_lead_to_a_tile(run: Run, board: Path) -> None:
    lines = run("explain", board, "--tile", "1,6").out.splitlines()
    assert lines[0].startswith("1. The 1 at row 1, column 5")
    assert lines[1:] == ["", "Opened, it shows", "  mine  100%"]


def test_a_chain_of_steps_is_told_from_its_beginning(run: Run) -> None:
    board = SAMPLES / "patterns" / "1-1-1-reduced.txt"
    lines = run("explain", board, "--tile", "2,0").out.splitlines()
    assert lines[2] == ""
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
    assert (outcome.status, outcome.out.splitlines()[0]) == (0, said)


@pytest.mark.parametrize("tile", ["3,0", "0,7", "1", "a,b", "1,2,3", "-1,0"])
def test_tiles_that_are_none(run: Run, board: Path, tile: str) -> None:
    outcome = run("explain", board, "--tile", tile)
    assert outcome.status == 2
    assert len(outcome.complaints) == 1


def test_one_technique_alone(run: Run) -> None:
    corner = SAMPLES / "patterns" / "2-2-2-corner.txt"
    assert run("explain", corner, "--technique", "single").out == "No tile can be settled that way.\n"
    alone = run("explain", corner, "--technique", "single", "--tile", "0,3")
    assert alone.out == "Row 0, column 3 is safe, but not by these steps.\n"
    assert "Add up" in run("explain", corner, "--technique", "gauss").out
    for technique in TECHNIQUES:
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


RING = SAMPLES / "boards" / "ring.txt"
TWO_PARTS = "?1?xx\nxxxxx\nxx?1?\n"


def test_the_next_tile_and_the_winning_chance(run: Run) -> None:
    text = run("explain", RING, "--mines", "2").out
    assert (
        "Which tile next? No tile is certain. The best play from here wins with 87.5% (7/8), exactly" in text
    )
    assert "row 0, column 2  93.8% (15/16)  87.5% (7/8)" in text
    found = json.loads(run("explain", RING, "--mines", "2", "--json").out)
    assert found["advice"]["win"] == "7/8"
    assert found["advice"]["tile"] == [0, 2]


def test_what_a_tile_shows_and_its_table(run: Run) -> None:
    # Of the 14 solutions of the ring two have one mine (C(10, 1) ways for the other), twelve have two.
    lines = run("explain", RING, "--mines", "2", "--tile", "1,1").out.splitlines()
    at = lines.index("Opened, it shows")
    shown = dict(line.split(maxsplit=1) for line in lines[at + 1 : lines.index("", at)])
    assert shown["mine"] == "9.4% (3/32)"
    assert sum(Fraction(chance.split("(")[1].rstrip(")")) for chance in shown.values()) == 1
    rows = [line.split() for line in lines]
    assert ["1", "2", "0", "10"] in rows
    assert ["2", "12", "3", "1"] in rows
    found = json.loads(run("explain", RING, "--mines", "2", "--tile", "1,1", "--json").out)
    solution = solve(Board.from_text(RING.read_text()), 2)
    assert found["outcomes"] == {"tile": [1, 1], **outcomes_to_json(solution.outcomes(1, 1))}


def test_flags_are_audited(run: Run) -> None:
    # The first 1 has one covered tile only; the second has its mine, the shown one; the third has two.
    board = "F1xxxx\nxxxxxx\nxxxxF1\nF1?xx*\n"
    lines = run("explain", "-", stdin=board.encode()).out.splitlines()
    at = lines.index("Flags:")
    assert lines[at + 1 : at + 4] == [
        "  row 2, column 4  certainly wrong: the tile is safe",
        "  row 3, column 0  only probable: right with 50.0% (1/2)",
        "  certainly right (1): 0,0",
    ]
    assert "warning" not in "\n".join(lines)
    found = json.loads(run("explain", "-", "--json", stdin=board.encode()).out)
    assert found["flags"] == {"right": [[0, 0]], "wrong": [[2, 4]], "uncertain": [[3, 0]]}
    assert "Flags:" not in run("explain", RING).out


def test_tables_and_equations(run: Run) -> None:
    text = run("explain", "-", "--tables", stdin=b"?1?\n").out
    assert "Component 1: 2 tiles, 1 number, 2 solutions" in text
    assert "row 0, column 1  1   1   = 1" in text
    assert "After elimination:" in text
    found = json.loads(run("explain", RING, "--json").out)
    solution = solve(Board.from_text(RING.read_text()))
    assert found["tables"] == json.loads(json.dumps(tables_to_json(solution.tables)))
    matrix = found["matrix"]
    assert matrix["numbers"] == [[2, 1], [2, 2], [2, 3]]
    rebuilt = system_matrix(solution.board)
    for rows, expected in ((matrix["before"], rebuilt.before), (matrix["after"], rebuilt.after)):
        dense = np.zeros((len(rows), len(matrix["tiles"]) + 1), dtype=int)
        for line, row in zip(dense, rows, strict=True):
            for index, entry in row["terms"]:
                line[index] = entry
            line[-1] = row["sum"]
        assert np.array_equal(dense, expected.astype(int))


@pytest.mark.slow
def test_equations_are_left_out_where_there_are_too_many(run: Run) -> None:
    lone = ("?1x" * 40 + "\n" + "xxx" * 40 + "\n") * 26
    outcome = run("explain", "-", "--tables", stdin=lone.encode())
    assert outcome.status == 0
    assert "The equations are left out" in outcome.out
    assert json.loads(run("explain", "-", "--json", stdin=lone.encode()).out)["matrix"] is None


def test_every_solution_is_a_board_of_its_own(run: Run) -> None:
    seen = set()
    for number in range(14):
        outcome = run("explain", RING, "--solution", str(number))
        assert outcome.status == 0
        placed = Board.from_text(outcome.out)  # the heading is a comment
        assert solve(placed).count == 1
        seen.add(str(placed))
    assert len(seen) == 14
    assert "# by mine count: 0 to 1 with 1, 2 to 13 with 2" in outcome.out


def test_a_random_solution(run: Run) -> None:
    placed = Board.from_text(run("explain", RING, "--mines", "2", "--solution", "random").out)
    assert (placed.cells == MINE).sum() == 2
    assert solve(placed, 2).count == 1
    found = json.loads(run("explain", RING, "--solution", "random", "--component", "1", "--json").out)
    drawn = found["solution"]
    assert drawn["component"] == 1
    again = run("explain", RING, "--solution", str(drawn["number"]), "--component", "1", "--json").out
    assert json.loads(again)["solution"] == drawn
    board = Board.from_text("\n".join(drawn["board"]))
    assert np.argwhere(board.cells == MINE).tolist() == drawn["mines"]
    assert solve(board).count == 1


def test_the_component_of_a_solution(run: Run) -> None:
    for component, mine in ((1, (0, 0)), (2, (2, 2))):
        found = {
            run(
                "explain", "-", "--solution", str(k), "--component", str(component), stdin=TWO_PARTS.encode()
            ).out
            for k in range(2)
        }
        assert len(found) == 2
        assert sum(Board.from_text(one)[mine] == MINE for one in found) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--solution", "0"], "choose one with --component 1 to 2"),
        (["--solution", "2", "--component", "1"], "2 solutions are numbered from 0"),
        (["--solution", "0", "--component", "3"], "there is no component 3"),
        (["--solution", "-1"], "neither a number from 0 up nor random"),
        (["--solution", "some"], "neither a number from 0 up nor random"),
        (["--solution", "9" * 5000], "neither a number from 0 up nor random"),
        (["--solution", "0", "--component", "0"], "0"),
        (["--component", "1"], "--component goes with --solution"),
        (["--tables", "--technique", "gauss"], "leave out --tables and --solution"),
    ],
)
def test_wrong_usage_is_told_in_a_line(run: Run, arguments: list[str], said: str) -> None:
    outcome = run("explain", "-", *arguments, stdin=TWO_PARTS.encode())
    assert (outcome.status, outcome.out) == (2, "")
    assert len(outcome.complaints) == 1
    assert said in outcome.err


def test_no_component_to_take_a_solution_from(run: Run, board: Path) -> None:
    outcome = run("explain", board, "--solution", "0")
    assert (outcome.status, len(outcome.complaints)) == (2, 1)
    assert "there is no component" in outcome.err
    assert run("explain", board, "--solution", "random").status == 0


def test_a_contradictory_board_has_equations_only(run: Run) -> None:
    found = json.loads(run("explain", "-", "--json", "--tile", "0,1", stdin=b"1?3\n").out)
    assert [found[key] for key in ("advice", "flags", "tables", "outcomes")] == [None] * 4
    assert found["matrix"]["numbers"] == [[0, 0], [0, 2]]
    outcome = run("explain", "-", "--solution", "random", stdin=b"1?3\n")
    assert (outcome.status, outcome.out, len(outcome.complaints)) == (5, "", 1)


def test_a_picture_is_explained_as_its_board_is(run: Run) -> None:
    picture = run("explain", SAMPLES / "expert.png", "--width", "30")
    text = run("explain", SAMPLES / "expert.txt")
    assert picture.status == text.status == 0
    assert picture.out == text.out
    assert picture.out.lstrip().startswith("1. The ")


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
    assert run("explain", board, "-o", tmp_path / "new" / "why.png").status == 0
    assert (tmp_path / "new" / "why.png").read_bytes() == output.read_bytes()
    (tmp_path / "folder").mkdir()
    assert run("explain", board, "-o", tmp_path / "folder").status == 0
    assert [path.name for path in (tmp_path / "folder").iterdir()] == ["board.solved.png"]
    assert run("explain", board, "-o", "-").status == 2
