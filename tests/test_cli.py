"""The commands as a person meets them: results, pictures, complaints on one line, exit statuses."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
from commandline import Outcome, Run
from PIL import Image

from visionsweeper import __version__
from visionsweeper.board import MAX_TILES, Board
from visionsweeper.cli import COMMANDS
from visionsweeper.cli.options import Seconds, WholeNumber
from visionsweeper.drawing.board import draw_board
from visionsweeper.geometry import Grid
from visionsweeper.options import ReadOptions, SolveOptions, offers
from visionsweeper.vision.reading import Reading

RING = "?????\n?????\n?111?\n?????\n?????\n"
CONTRADICTION = "1?3\n"
SQUARE_CONTRADICTION = "1?300\n" + "00000\n" * 4


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("VISIONSWEEPER_DEBUG", raising=False)


@pytest.fixture
def ring(tmp_path: Path) -> Path:
    path = tmp_path / "ring.txt"
    path.write_text(RING)
    return path


@pytest.fixture
def reads_as(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Replaces the recognition, so that tests say what is read; gives the grids it was to read on."""

    def set_board(text: str, confidence: float = 0.99) -> list[Grid]:
        board, grids = Board.from_text(text), list[Grid]()

        def read(image: Any, grid: Grid, model: Any, themes: Any = (), continues: Any = ()) -> Reading:
            grids.append(grid)
            sure = np.full(board.cells.shape, confidence)
            even = Grid.even((0, 0, image.shape[1], image.shape[0]), board.columns, board.rows)
            used = grid if (grid.rows, grid.columns) == board.cells.shape else even
            return Reading(
                board=board,
                image=image,
                grid=used,
                classes=board.cells,
                groups=board.cells.astype(np.intp),
                confidence=sure,
                mines=None,
                nearest=np.zeros(board.cells.shape, np.int64),
                distance=np.zeros(14, np.float32),
                votes=np.zeros((14, 14), np.float32),
            )

        monkeypatch.setattr("visionsweeper.vision.reading.read", read)
        monkeypatch.setattr("visionsweeper.vision.tiles.knn.load_model", lambda source: None)
        return grids

    return set_board


@pytest.fixture
def shot(tmp_path: Path) -> Path:
    path = tmp_path / "shot.png"
    Image.fromarray(draw_board(Board.from_text(RING))[0]).save(path)
    return path


def complaint(outcome: Outcome, status: int) -> str:
    """The one line on stderr of a call that failed with this status."""
    assert outcome.status == status, outcome
    (line,) = outcome.complaints
    assert line.startswith("visionsweeper: ")
    return line


# --- help and version


@pytest.mark.parametrize("arguments", [["--help"], ["parse", "--help"], ["solve", "-h"], ["train", "--help"]])
def test_every_command_has_help_with_an_example(run: Run, arguments: list[str]) -> None:
    outcome = run(*arguments)
    assert outcome.status == 0
    assert "Example: visionsweeper " in outcome.out
    assert outcome.err == ""


@pytest.mark.parametrize(
    "command",
    [
        ("parse", "shot.png"),
        ("solve", "board.txt"),
        ("render", "board.txt"),
        ("explain", "board.txt"),
        ("advise", "board.txt"),
    ],
)
@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("out.xyz", "use a name that ends in .png"),
        ("board.txt/out.png", "board.txt is a file"),
        ("board.txt/new/", "board.txt is a file"),
    ],
)
def test_what_cannot_be_a_picture_is_said_before_the_work(
    run: Run, shot: Path, tmp_path: Path, command: tuple[str, str], place: str, said: str
) -> None:
    (tmp_path / "board.txt").write_text(RING)
    outcome = run(command[0], str(tmp_path / command[1]), "-o", f"{tmp_path}/{place}")
    assert said in complaint(outcome, 6)
    assert outcome.out == ""


@pytest.mark.parametrize("place", ["out.xyz", "file/out.png"])
def test_a_screen_is_not_captured_for_what_cannot_be_written(run: Run, tmp_path: Path, place: str) -> None:
    (tmp_path / "file").touch()
    assert place in complaint(run("screen", "-o", f"{tmp_path}/{place}"), 6)


@pytest.mark.parametrize("seconds", ["nan", "inf"])
@pytest.mark.parametrize("option", [("parse", "shot.png", "--timeout"), ("screen", "--every")])
def test_a_time_is_a_finite_number_of_seconds(run: Run, option: tuple[str, ...], seconds: str) -> None:
    assert option[-1] in complaint(run(*option, seconds), 2)


def test_version(run: Run) -> None:
    outcome = run("--version")
    assert (outcome.status, outcome.err) == (0, "")
    assert __version__ in outcome.out


def test_without_a_command_the_help_is_shown(run: Run) -> None:
    outcome = run()
    assert outcome.status == 2
    assert "Commands:" in outcome.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["frobnicate"],
        ["parse"],
        ["parse", "a.png", "--width", "0"],
        ["parse", "a.png", "--width", "-3"],
        ["parse", "a.png", "--width", "many"],
        ["parse", "a.png", "--width", str(MAX_TILES + 1)],
        ["parse", "a.png", "--width", "9", "--height", "1" + "0" * 400],
        ["parse", "a.png", "--width", "9", "--mines", "-1"],
        ["parse", "a.png", "--width", "9", "--box", "1,2,3"],
        ["parse", "a.png", "--width", "9", "--box", "5,5,5,9"],
        ["parse", "a.png", "--width", "9", "--box", "nan,0,9,9"],
        ["parse", "a.png", "--width", "9", "--box", "0,0,inf,9"],
        ["parse", "a.png", "--width", "9", "--json", "--text"],
        ["parse", "a.png", "--width", "9", "--text", "--exact"],
        ["parse", "-", "-", "--width", "9"],
        ["parse", "a.png", "b.png", "--width", "9", "-o", "one.png"],
        ["parse", "a.png", "b.png", "--width", "9", "-o", "-"],
        ["parse", "a.png", "--width", "9", "--json", "-o", "-"],
        ["parse", "a.png", "--width", "9", "--text", "--format", "emoji"],
        ["parse", "-", "--width", "9", "--open"],
        ["parse", "a.png", "--width", "9", "--nonsense"],
        ["solve"],
        ["solve", "a.txt", "b.txt"],
        ["solve", "a.txt", "--mines", "1.5"],
        ["train"],
        ["train", "-o", "m.npz", "--boards", "0"],
        ["train", "-o", "m.npz", "--fonts", "missing"],
    ],
)
def test_wrong_usage(run: Run, arguments: list[str]) -> None:
    assert "--help`" in complaint(run(*arguments), 2)


def test_numbers_are_called_what_people_call_them(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for command in COMMANDS:
        for one in import_module(f"visionsweeper.cli.{command}").command.params:
            kind = one.type
            if isinstance(kind, click.types.IntParamType | click.types.FloatParamType):
                assert isinstance(kind, WholeNumber | Seconds), (command, one.name)
    assert "whole number" in complaint(run("parse", "a.png", "--width", "abc"), 2)
    monkeypatch.setenv("VISIONSWEEPER_PARSE_WIDTH", "abc")
    assert "whole number" in complaint(run("parse", "a.png"), 2)
    assert "number of seconds" in complaint(run("screen", "--every", "abc"), 2)


def test_the_help_of_solve_speaks_of_no_picture(run: Run) -> None:
    told = " ".join(run("solve", "--help").out.split())
    assert "what the file says, else none" in told
    assert "cut off" not in told
    assert "cut off" in " ".join(run("parse", "--help").out.split())


# --- solve


def test_solve_writes_a_picture_beside_the_board(run: Run, ring: Path) -> None:
    outcome = run("solve", ring)
    assert (outcome.status, outcome.err) == (0, "")
    assert "5x5" in outcome.out
    assert "local" in outcome.out
    assert "ring.solved.png" in outcome.out
    with Image.open(ring.with_name("ring.solved.png")) as picture:
        assert min(picture.size) > 100


def test_solve_from_stdin_writes_no_picture_and_says_so(run: Run, tmp_path: Path) -> None:
    outcome = run("solve", "-", stdin=RING.encode())
    assert (outcome.status, outcome.err) == (0, "")
    assert "-o" in outcome.out
    assert list(tmp_path.iterdir()) == []


def test_solve_from_stdin_with_a_place(run: Run, tmp_path: Path) -> None:
    assert run("solve", "-", "-o", "here.png", stdin=RING.encode()).status == 0
    assert [path.name for path in tmp_path.iterdir()] == ["here.png"]


def test_solve_into_a_folder(run: Run, ring: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    assert run("solve", ring, "-o", "out").status == 0
    assert run("solve", "-", "-o", "out", stdin=RING.encode()).status == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "ring.solved.png",
        "stdin.solved.png",
    ]


def test_solve_says_which_count_was_assumed(run: Run) -> None:
    board = ("?" * 9 + "\n") * 9
    assert "10 mines (the standard count" in run("solve", "-", stdin=board.encode()).out
    assert "12 mines (given)" in run("solve", "-", "--mines", 12, stdin=board.encode()).out


def test_solve_names_flags_that_are_not_certain(run: Run) -> None:
    outcome = run("solve", "-", stdin=b"F1\n?1\n")
    assert "not certain" in outcome.out
    assert "row 0, column 0" in outcome.out
    assert "not certain" not in run("solve", "-", "--trust-flags", stdin=b"F1\n?1\n").out


def test_solve_as_text_gives_the_board_back(run: Run) -> None:
    outcome = run("solve", "-", "--text", stdin=b"# mine\n\n. 1 ?\r\n_ 1 F\n011")
    assert (outcome.status, outcome.out, outcome.err) == (0, "01?\n01F\n011\n", "")


def test_solve_exact_in_the_summary(run: Run) -> None:
    outcome = run("solve", "-", "--exact", stdin=RING.encode())
    assert "1/14" in outcome.out


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_boards_saved_by_windows_editors(run: Run, tmp_path: Path, encoding: str) -> None:
    (tmp_path / "b.txt").write_bytes(RING.replace("\n", "\r\n").encode(encoding))
    assert run("solve", "b.txt", "--text").out == RING


def test_a_contradictory_board_still_has_its_picture(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_text(CONTRADICTION)
    line = complaint(run("solve", "bad.txt"), 5)
    assert "row 0, column" in line
    assert (tmp_path / "bad.solved.png").is_file()


@pytest.mark.parametrize("mines", [0, 25])
def test_an_impossible_mine_count(run: Run, ring: Path, mines: int) -> None:
    complaint(run("solve", ring, "--mines", mines), 5)


@pytest.mark.parametrize(
    "board",
    [
        b"",
        b"\n\n# nothing\n",
        b"123\n12\n",
        b"12z\n",
        b"\x89PNG\r\n\x1a\n\x00\xff",
        b"\xff\xfe\x00",
        b"\x00" * 10,
        ("?" * 1001 + "\n").encode() * 1000,
    ],
)
def test_what_is_no_board(run: Run, tmp_path: Path, board: bytes) -> None:
    (tmp_path / "b.txt").write_bytes(board)
    complaint(run("solve", "b.txt"), 3)
    assert "standard input" in complaint(run("solve", "-", stdin=board), 3)


def test_board_files_that_cannot_be_read(run: Run, tmp_path: Path) -> None:
    assert "no such file" in complaint(run("solve", "missing.txt"), 3)
    assert "folder" in complaint(run("solve", tmp_path), 3)


def test_a_board_file_that_is_far_too_large(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("visionsweeper.cli.inputs.MAX_BOARD_BYTES", 100)
    (tmp_path / "b.txt").write_text("#" * 101)
    assert "too large" in complaint(run("solve", "b.txt"), 3)
    assert "too large" in complaint(run("solve", "-", stdin=b"#" * 101), 3)


# --- where pictures go


def test_an_input_is_never_overwritten(run: Run, ring: Path, tmp_path: Path) -> None:
    assert "overwrite" in complaint(run("solve", ring, "-o", ring), 2)
    (tmp_path / "link.png").symlink_to(ring)
    assert "overwrite" in complaint(run("solve", ring, "-o", "link.png"), 2)
    assert ring.read_text() == RING


def test_the_picture_of_one_input_does_not_replace_another(run: Run, ring: Path, tmp_path: Path) -> None:
    other = tmp_path / "b.txt"
    other.write_text(RING)
    (tmp_path / "ring.solved.png").hardlink_to(other)
    assert "overwrite" in complaint(run("parse", ring, other, "-o", tmp_path), 2)
    assert other.read_text() == RING


def test_two_inputs_with_one_output_are_refused(run: Run, shot: Path) -> None:
    shot.with_name("shot.jpg").write_bytes(b"")
    assert "both" in complaint(run("parse", shot, shot.with_name("shot.jpg"), "--width", 5), 2)


def test_an_older_picture_is_replaced(run: Run, ring: Path) -> None:
    ring.with_name("ring.solved.png").write_text("old")
    assert run("solve", ring).status == 0
    with Image.open(ring.with_name("ring.solved.png")) as picture:
        picture.verify()


def test_results_are_printed_even_when_the_picture_cannot_be_written(run: Run, ring: Path) -> None:
    ring.with_name("ring.solved.png").mkdir()
    outcome = run("solve", ring)
    assert "folder" in complaint(outcome, 6)
    assert "best next tile" in outcome.out
    outcome = run("solve", ring, "--json")
    answer = json.loads(outcome.out)
    assert (answer["output"], answer["error"]["kind"]) == (None, "write_failed")
    assert answer["solutions"] == "14"


def test_an_unknown_picture_suffix(run: Run, ring: Path) -> None:
    assert ".png" in complaint(run("solve", ring, "-o", "ring.xyz"), 6)


@pytest.mark.parametrize("command", ["solve", "render", "explain", "advise"])
def test_missing_folders_of_outputs_are_made(run: Run, ring: Path, tmp_path: Path, command: str) -> None:
    assert run(command, ring, "-o", tmp_path / "new" / "deep" / "out.png").status == 0
    assert (tmp_path / "new" / "deep" / "out.png").is_file()
    assert run(command, ring, "-o", f"{tmp_path}/other/").status == 0
    assert [path.suffix for path in (tmp_path / "other").iterdir()] == [".png"]


def test_a_folder_for_debugging_that_cannot_be_is_said_before_the_work(run: Run, shot: Path) -> None:
    outcome = run("parse", shot, "--debug", shot)
    assert "is a file" in complaint(outcome, 6)
    assert outcome.out == ""
    assert not shot.with_name("shot.solved.png").exists()


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="the superuser may write anywhere")
def test_no_permission_to_write(run: Run, ring: Path, tmp_path: Path) -> None:
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    assert "permission" in complaint(run("solve", ring, "-o", locked / "ring.png"), 6)


# --- parse


def test_parse_writes_a_picture_beside_the_image(run: Run, shot: Path, reads_as: Any) -> None:
    reads_as(RING)
    outcome = run("parse", shot, "--width", 5, "--mines", 2)
    assert (outcome.status, outcome.err) == (0, "")
    assert "5x5, 2 mines (given)" in outcome.out
    assert shot.with_name("shot.solved.png").is_file()


def test_parse_names_what_was_hard_to_read(run: Run, shot: Path, reads_as: Any) -> None:
    reads_as(RING, confidence=0.5)
    outcome = run("parse", shot, "--width", 5)
    assert "low confidence: 25 tiles" in outcome.out
    assert "50.0% sure" in outcome.out


def test_parse_from_stdin(run: Run, shot: Path, tmp_path: Path, reads_as: Any) -> None:
    reads_as(RING)
    outcome = run("parse", "-", "--width", 5, stdin=shot.read_bytes())
    assert (outcome.status, outcome.err) == (0, "")
    assert "-o" in outcome.out
    assert run("parse", "-", "--width", 5, "-o", "here.png", stdin=shot.read_bytes()).status == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["here.png", "shot.png"]


def test_one_bad_image_does_not_stop_the_others(run: Run, shot: Path, tmp_path: Path, reads_as: Any) -> None:
    reads_as(RING)
    (tmp_path / "bad.png").write_text("not a picture")
    other = tmp_path / "other.png"
    other.write_bytes(shot.read_bytes())
    outcome = run("parse", shot, "bad.png", other, "missing.png", "--width", 5)
    assert outcome.status == 3
    assert [line.split(":")[0] for line in outcome.complaints] == ["visionsweeper"] * 2
    assert "bad.png" in outcome.complaints[0]
    assert "missing.png" in outcome.complaints[1]
    assert (tmp_path / "shot.solved.png").is_file()
    assert (tmp_path / "other.solved.png").is_file()


def test_the_exit_status_is_the_highest(run: Run, shot: Path, reads_as: Any) -> None:
    reads_as(SQUARE_CONTRADICTION)
    outcome = run("parse", shot, "missing.png", "--width", 5)
    assert outcome.status == 5
    assert len(outcome.complaints) == 2


def test_several_images_as_json_lines(run: Run, shot: Path, reads_as: Any) -> None:
    reads_as(RING)
    outcome = run("parse", shot, "missing.png", "--width", 5, "--json")
    first, second = (json.loads(line) for line in outcome.out.splitlines())
    assert first["image"] == str(shot)
    assert first["error"] is None
    assert second["image"] == "missing.png"
    assert second["error"]["kind"] == "invalid_input"
    assert second["board"] is None
    assert set(first) == set(second)


def test_several_images_as_text_can_be_told_apart(
    run: Run, shot: Path, tmp_path: Path, reads_as: Any
) -> None:
    reads_as(RING)
    other = tmp_path / "other.png"
    other.write_bytes(shot.read_bytes())
    outcome = run("parse", shot, other, "--width", 5, "--text")
    assert outcome.out.count(RING) == 2
    assert "shot.png" in outcome.out
    assert run("parse", shot, "--width", 5, "--text").out == RING


def test_parse_gives_a_text_that_solve_reads(run: Run, shot: Path, reads_as: Any) -> None:
    reads_as(RING)
    text = run("parse", shot, "--width", 5, "--text").out
    assert run("solve", "-", "--text", stdin=text.encode()).out == text


def test_a_picture_that_reads_as_a_contradiction(run: Run, shot: Path, reads_as: Any) -> None:
    reads_as(SQUARE_CONTRADICTION)
    outcome = run("parse", shot, "--width", 5, "--json")
    complaint(outcome, 5)
    answer = json.loads(outcome.out)
    assert answer["consistent"] is False
    assert answer["conflict"]
    assert answer["output"] == str(shot.with_name("shot.solved.png"))
    assert shot.with_name("shot.solved.png").is_file()


@pytest.mark.parametrize("content", [b"", b"text", b"\x89PNG\r\n\x1a\n", b"GIF89a"])
def test_what_is_no_image(run: Run, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.png").write_bytes(content)
    assert "x.png" in complaint(run("parse", "x.png", "--width", 9), 3)
    assert "standard input" in complaint(run("parse", "-", "--width", 9, stdin=content), 3)


def test_images_that_cannot_be_read(run: Run, tmp_path: Path) -> None:
    complaint(run("parse", "missing.png", "--width", 9), 3)
    complaint(run("parse", tmp_path, "--width", 9), 3)
    complaint(run("parse", "nul\0byte.png", "--width", 9), 3)


@pytest.mark.parametrize("size", [["--width", "100000"], ["--width", "5", "--height", "4000"]])
def test_a_size_that_does_not_fit_the_picture(run: Run, shot: Path, size: list[str]) -> None:
    complaint(run("parse", shot, *size), 4)


@pytest.mark.parametrize("content", [None, b"", b"not a model"])
def test_a_model_that_is_none(run: Run, shot: Path, tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "m.npz").write_bytes(content)
    assert "m.npz" in complaint(run("parse", shot, "--width", 5, "--model", "m.npz"), 7)


@pytest.fixture
def window(tmp_path: Path) -> Path:
    """The ring drawn somewhere in a larger picture, its corner at (37, 61)."""
    board = draw_board(Board.from_text(RING))[0]
    picture = np.full((board.shape[0] + 120, board.shape[1] + 90, 3), 235, dtype=np.uint8)
    picture[61 : 61 + board.shape[0], 37 : 37 + board.shape[1]] = board
    path = tmp_path / "window.png"
    Image.fromarray(picture).save(path)
    return path


@pytest.mark.parametrize("options", [[], ["--height", "5"], ["--box", "20,40,280,300"]])
def test_without_a_width_the_board_is_looked_for(
    run: Run, window: Path, reads_as: Any, options: list[str]
) -> None:
    grids = reads_as(RING)
    assert run("parse", window, *options).status == 0
    (grid,) = grids
    assert (grid.columns, grid.rows) == (5, 5)
    margin = 10  # draw_board leaves a quarter of a tile around the tiles
    assert grid.box == pytest.approx((37 + margin, 61 + margin, 247, 271), abs=3)


def test_no_board_to_be_found(run: Run, tmp_path: Path, window: Path, reads_as: Any) -> None:
    reads_as(RING)
    Image.new("RGB", (200, 100), "white").save(tmp_path / "blank.png")
    assert "--width" in complaint(run("parse", "blank.png"), 4)
    assert "--height 7 was given" in complaint(run("parse", window, "--height", 7), 4)
    assert "outside" in complaint(run("parse", window, "--box", "5000,5000,6000,6000"), 4)


# --- what nobody expects


def test_an_unexpected_error_is_one_line(run: Run, ring: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("broken\nin two lines")

    monkeypatch.setattr("visionsweeper.pipeline.analyse_with", fail)
    line = complaint(run("solve", ring), 1)
    assert "unexpected error: RuntimeError: broken in two lines" in line
    assert "VISIONSWEEPER_DEBUG=1" in line


def test_an_interrupt(run: Run, ring: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("visionsweeper.pipeline.analyse_with", interrupt)
    assert run("solve", ring).status == 130


# --- the real program


def program(
    *arguments: str, stdin: bytes = b"", environment: dict[str, str] | None = None, **options: Any
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "visionsweeper", *arguments],
        input=stdin,
        capture_output=True,
        env=os.environ | (environment or {}),
        check=False,
        **options,
    )


def test_the_program_runs_as_a_module(ring: Path) -> None:
    done = program("solve", str(ring), "--json")
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["solutions"] == "14"


@pytest.mark.slow
def test_debugging_shows_the_details(ring: Path) -> None:
    wreck = "import visionsweeper.pipeline as p, visionsweeper.cli as c; p.analyse_with = None; c.main()"
    command = [sys.executable, "-c", wreck, "solve", str(ring)]
    environment = os.environ | {"VISIONSWEEPER_DEBUG": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 1
    assert "Traceback" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("columns", ["20", "1", "0", "nonsense"])
def test_narrow_terminals(ring: Path, columns: str) -> None:
    environment = {"COLUMNS": columns}
    assert program("solve", str(ring), environment=environment).returncode == 0
    assert program("parse", "--help", environment=environment).returncode == 0


@pytest.mark.slow
def test_a_terminal_of_ascii_only(tmp_path: Path) -> None:
    (tmp_path / "brett–ü.txt").write_text(RING)
    environment = {"LANG": "C", "LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = program("solve", "brett–ü.txt", environment=environment)
    assert done.returncode == 0, done.stderr
    assert done.stdout.isascii()
    assert (tmp_path / "brett–ü.solved.png").is_file()
    missing = program("solve", "fehlt–ü.txt", environment=environment)
    assert missing.returncode == 3
    assert missing.stderr.isascii()


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_under_stdout(ring: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "visionsweeper", "solve", str(ring), "--json"],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 6
    (line,) = done.stderr.decode().splitlines()
    assert os.strerror(errno.ENOSPC) in line


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="pipes end in another way there")
def test_a_reader_that_went_away(ring: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "visionsweeper", "solve", str(ring), "--json"],
        stdout=writer,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writer)
    assert done.stderr == b""
    assert done.returncode == 141


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")
def test_closed_streams(ring: Path) -> None:
    program_name = f'"{sys.executable}" -m visionsweeper'
    for command in (
        f"{program_name} solve {ring} >&-",
        f"{program_name} solve missing.txt 2>&-",
        f"{program_name} solve - <&-",
    ):
        done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
        assert "Traceback" not in done.stderr
        assert done.returncode in (0, 3)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")
def test_a_progress_bar_on_a_terminal_only(shot: Path, tmp_path: Path) -> None:
    import pty  # POSIX only

    (tmp_path / "a.png").write_bytes(b"")
    (tmp_path / "b.png").write_bytes(b"")
    leader, follower = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-m", "visionsweeper", "parse", "a.png", "b.png", "--width", "9"],
        stdout=subprocess.PIPE,
        stderr=follower,
        env=os.environ | {"TERM": "xterm"},
        check=False,
    )
    os.close(follower)
    shown = os.read(leader, 10000).decode(errors="replace")  # it may end in the midst of a sign
    os.close(leader)
    assert done.returncode == 3
    assert "Reading" in shown
    assert "100%" in shown
    assert shown.count("visionsweeper: ") == 2


def test_shell_completion_scripts() -> None:
    for shell in ("bash", "zsh", "fish"):
        environment = {"_VISIONSWEEPER_COMPLETE": f"{shell}_source"}
        done = program(environment=environment)
        assert done.returncode == 0
        assert b"_VISIONSWEEPER_COMPLETE" in done.stdout


@pytest.mark.slow
def test_shell_completion_of_commands_and_options() -> None:
    def complete(words: str, position: int) -> list[str]:
        environment = {
            "_VISIONSWEEPER_COMPLETE": "bash_complete",
            "COMP_WORDS": words,
            "COMP_CWORD": str(position),
        }
        return program(environment=environment).stdout.decode().split()

    assert "plain,parse" in complete("visionsweeper pa", 1)
    assert "plain,--trust-flags" in complete("visionsweeper parse --tr", 2)
    assert "plain,gauss" in complete("visionsweeper explain --technique ga", 3)
    assert "plain,dark" in complete("visionsweeper render --theme da", 3)
    assert complete("visionsweeper models show ", 3) == ["plain,standard"], "no networks that are no models"


# --- train


@pytest.mark.slow
def test_train_writes_a_model_that_parse_takes(run: Run, shot: Path, tmp_path: Path) -> None:
    (tmp_path / "fonts").mkdir()
    outcome = run("train", "-o", "m.npz", "--boards", 18, "--seed", 2, "--fonts", "fonts")
    assert outcome.status == 0
    assert all(" left" in line for line in outcome.complaints), "nothing but the progress"
    assert outcome.out.startswith("m.npz: ")
    assert "\nthe shipped model, for comparison: " in outcome.out
    assert outcome.out.count("boards perfect") == 2
    parsed = run("parse", shot, "--width", 5, "--model", "m.npz", "--json")
    answer = json.loads(parsed.out)
    assert (answer["width"], answer["height"]) == (5, 5)


@pytest.mark.parametrize("place", ["model.zip", "file/m.npz", "taken.npz"])
def test_train_says_at_once_where_it_cannot_write(run: Run, tmp_path: Path, place: str) -> None:
    (tmp_path / "taken.npz").mkdir()
    (tmp_path / "file").write_text("")
    assert str(Path(place)) in complaint(run("train", "-o", place), 6)


@pytest.mark.parametrize(
    ("name", "text", "mines"),
    [
        ("board.mine", "3x2x1\nHHH\n111\n", 1),
        ("board.txt", "# mines: 1\n???\n111\n", 1),
        ("board.csv", "-1,-1,-1\n1,1,1\n", None),
        ("board.json", '{"board": ["???", "111"], "mines": 1}', 1),
    ],
)
@pytest.mark.parametrize("command", ["solve", "explain", "advise"])
def test_boards_are_read_in_all_known_forms(
    run: Run, tmp_path: Path, command: str, name: str, text: str, mines: int | None
) -> None:
    (tmp_path / name).write_text(text)
    found = json.loads(run(command, tmp_path / name, "--json").out)
    assert (found["board"], found["mines"]) == (["???", "111"], mines)
    piped = json.loads(run(command, "-", "--json", stdin=text.encode()).out)
    assert (piped["board"], piped["mines"]) == (["???", "111"], mines)


def test_a_count_that_is_given_wins_over_the_files(run: Run, tmp_path: Path) -> None:
    board = tmp_path / "board.txt"
    board.write_text("# mines: 1\n????\n111?\n")
    assert json.loads(run("solve", board, "--mines", "2", "--json").out)["mines"] == 2
    assert json.loads(run("solve", board, "--local", "--json").out)["mines"] is None


def test_a_minefield_file_is_solved(run: Run, tmp_path: Path) -> None:
    (tmp_path / "board.mbf").write_bytes(bytes([3, 2, 0, 2, 2, 0, 0, 1]))
    assert json.loads(run("solve", tmp_path / "board.mbf", "--json").out)["board"] == ["12F", "F21"]


def test_the_mine_count_goes_through_a_pipe(run: Run, ring: Path) -> None:
    text = run("solve", ring, "--mines", "3", "--text").out
    assert json.loads(run("solve", "-", "--json", stdin=text.encode()).out)["mines"] == 3


def test_a_picture_given_for_a_board_is_told(run: Run, shot: Path) -> None:
    assert "is a picture, not a board: read it with `visionsweeper parse`" in complaint(run("solve", shot), 3)


@pytest.mark.parametrize(
    ("command", "left_out"),
    [
        ("parse", set()),
        ("explain", set()),
        ("advise", set()),
        ("watch", set()),
        ("learn", {"continues", "mines", "trust-flags", "local", "limit-memory", "limit-seconds"}),
        ("screen", {"box"}),
        ("solve", {"width", "height", "box", "model", "no-learned", "board"}),
    ],
)
def test_commands_take_the_same_options(run: Run, command: str, left_out: set[str]) -> None:
    told = run(command, "--help").out
    names = {name.replace("_", "-") for kind in (ReadOptions, SolveOptions) for name in offers(kind)}
    assert {name for name in names if f"--{name}" not in told.split()} == left_out


@pytest.mark.parametrize("command", ["explain", "advise"])
def test_one_input_or_the_clipboard(run: Run, ring: Path, command: str) -> None:
    assert "give one input, or --clipboard" in complaint(run(command), 2)
    assert "give one input, or --clipboard" in complaint(run(command, ring, "--clipboard"), 2)


def test_a_configuration_file_that_is_no_text_is_told(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "config.toml"
    place.write_bytes(b"\xff\xfe\xff")
    monkeypatch.setenv("VISIONSWEEPER_CONFIG", str(place))
    for command in (("config",), ("config", "edit")):
        assert f"the configuration file {place} cannot be read" in complaint(run(*command), 3)
