"""`visionsweeper advise`: the tile, the reason, the runners-up, and the picture."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from commandline import Run

from visionsweeper.board import Board
from visionsweeper.io.images import load_image
from visionsweeper.solver import solve

ENDING = "??????\n?2112?\n??????\n"
SAFE = "??????\n112???\n001???\n001???\n"
ROOT = Path(__file__).resolve().parents[1]


def test_a_certain_tile_comes_with_its_reason(run: Run) -> None:
    told = run("advise", "-", "--mines", "4", stdin=SAFE.encode())
    best = solve(Board.from_text(SAFE), 4).best
    assert told.status == 0
    assert best is not None
    lines = told.out.splitlines()
    assert lines[0].startswith(f"Row {best[0]}, column {best[1]} is certainly safe")
    assert lines[1].split()[:2] == ["tile", "safe"]
    assert lines[2].split()[:5] == ["row", f"{best[0]},", "column", f"{best[1]}", "100%"]


def test_at_the_end_it_gives_the_chance_to_win(run: Run) -> None:
    told = run("advise", "-", "--mines", "4", "--json", stdin=ENDING.encode())
    found = json.loads(told.out)
    advice = found["advice"]
    solution = solve(Board.from_text(ENDING), 4)
    assert solution.advice.win is not None
    assert advice["win"] == str(solution.advice.win)
    assert advice["tile"] == advice["ranking"][0]["tile"] == found["best"]["tile"]
    assert found["best"]["reason"] == advice["reason"]
    wins = [one["win"] for one in advice["ranking"]]
    assert wins[0] == advice["win"]


def test_where_nothing_is_open_simulated_games_speak(run: Run) -> None:
    blank = ("?" * 9 + "\n") * 9
    for rule, place, tiles in (("safe", "0,0", 4), ("opening", "2,2", 5)):
        told = run("advise", "-", "--first-click", rule, stdin=blank.encode())
        assert "Simulated games of beginner were won most often from there" in told.out
        ranked = [line.split()[:5] for line in told.out.splitlines()[2:]]
        assert [line[4] for line in ranked] == ["100%"] * tiles
        row, column = place.split(",")
        assert ranked[0][:4] == ["row", f"{row},", "column", column]
    sixteen = ("?" * 16 + "\n") * 16
    for rule, place in (("safe", "row 0, column 0"), ("opening", "row 2, column 2")):
        told = run("advise", "-", "--first-click", rule, stdin=sixteen.encode())
        assert f"begin at {place}" in told.out
    other = ("?" * 20 + "\n") * 12
    told = run("advise", "-", "--mines", "50", "--first-click", "any", stdin=other.encode())
    assert "expert, the standard board nearest in density" in told.out
    # Nothing can be simulated without knowing the mines, nor laid with too many.
    assert "mine count" in run("advise", "-", stdin=b"??\n??\n").out
    assert run("advise", "-", "--mines", "8", stdin=b"???\n???\n???\n").status == 0


@pytest.mark.slow
def test_the_picture_outlines_the_tile_and_the_two_next(run: Run, tmp_path: Path) -> None:
    shot = ROOT / "samples" / "expert.png"
    one, three = tmp_path / "one.png", tmp_path / "three.png"
    assert run("parse", shot, "-o", one).status == 0
    assert run("advise", shot, "-o", three).status == 0
    told = json.loads(run("advise", shot, "--json").out)
    before, after = load_image(one), load_image(three)
    # Small tiles are drawn larger, by a whole factor.
    factor = after.shape[1] / load_image(shot).shape[1]
    left, top, right, bottom = (factor * edge for edge in told["box"])
    pitch = ((right - left) / told["width"], (bottom - top) / told["height"])
    # The legend has one line more to say; the boards differ in nothing but the two further outlines.
    height = round(bottom)
    changed = (before[:height] != after[:height]).any(axis=2)
    marked = {tuple(one["tile"]) for one in told["advice"]["ranking"][1:3]}
    allowed = np.zeros_like(changed)
    for row, column in marked:
        x, y = round(left + column * pitch[0]), round(top + row * pitch[1])
        room = allowed[max(y - 6, 0) : round(y + pitch[1]) + 7, max(x - 6, 0) : round(x + pitch[0]) + 7]
        room[:] = True
        assert changed[max(y - 6, 0) : round(y + pitch[1]) + 7, max(x - 6, 0) : round(x + pitch[0]) + 7].any()
    assert not (changed & ~allowed).any()


@pytest.mark.parametrize(
    ("board", "options", "status", "message"),
    [
        ("1?\n?3\n", [], 5, "cannot hold"),
        ("??\n?1\n", ["--mines", "9"], 5, "mine count of 9"),
        ("hello\n", [], 3, "unknown character"),
    ],
)
def test_bad_boards_get_one_clear_line(
    run: Run, board: str, options: list[str], status: int, message: str
) -> None:
    told = run("advise", "-", *options, stdin=board.encode())
    assert told.status == status
    [complaint] = told.complaints
    assert message in complaint


def test_parse_and_advise_name_the_same_first_tile(run: Run, tmp_path: Path) -> None:
    (tmp_path / "new.txt").write_text("?" * 9 + "\n" + "\n".join(["?" * 9] * 8))
    solved = json.loads(run("solve", tmp_path / "new.txt", "-o", tmp_path / "a.png", "--json").out)
    assert solved["best"]["tile"] == [2, 2]
    told = json.loads(run("advise", tmp_path / "new.txt", "-o", tmp_path / "b.png", "--json").out)
    assert told["best"]["tile"] == told["advice"]["tile"] == [2, 2]
    assert told["output"] == str(tmp_path / "b.png")
    told = json.loads(run("advise", tmp_path / "new.txt", "--first-click", "safe", "--json").out)
    assert told["best"]["tile"] == told["advice"]["tile"] == [0, 0]


def test_first_clicks_off_the_beaten_track(run: Run, tmp_path: Path) -> None:
    (tmp_path / "new.txt").write_text("\n".join(["?" * 9] * 9))
    (tmp_path / "flag.txt").write_text("\n".join(["?" * 9] * 8 + ["F" + "?" * 8]))
    full = run("advise", tmp_path / "new.txt", "--mines", "81", "--first-click", "any")
    assert "Simulated" not in full.out
    assert "begin" not in full.out
    dense = run("advise", tmp_path / "new.txt", "--mines", "75")
    assert "begin at" in dense.out
    assert "%)" not in dense.out.splitlines()[0]
    flagged = run("advise", tmp_path / "flag.txt")
    assert "begin at row 2, column 2" in flagged.out
