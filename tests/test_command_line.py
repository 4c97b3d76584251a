"""The command line that people guess: commands left out or mistyped, folders, and what a terminal shows."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from commandline import Run
from PIL import Image
from smearing import DOUBTED, smeared

from visionsweeper.board import Board
from visionsweeper.cli.show import board_lines
from visionsweeper.errors import InvalidInput
from visionsweeper.game.finishing import take_up
from visionsweeper.pipeline import advise, analyse
from visionsweeper.solver import solve
from visionsweeper.wording import printable

SAMPLES = Path(__file__).parent.parent / "samples"
EXPERT = SAMPLES / "expert.png"
RING = "?????\n?????\n?111?\n?????\n?????\n"


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def shot(tmp_path: Path) -> Path:
    return Path(shutil.copy(SAMPLES / "beginner-flat.png", tmp_path / "shot.png"))


# --- what was meant


@pytest.mark.slow
def test_a_picture_alone_is_parsed(run: Run, shot: Path) -> None:
    assert run(shot).out == run("parse", shot).out
    assert run("-w", 9, shot).out == run("parse", "--width", 9, shot).out
    assert shot.with_name("shot.solved.png").is_file()


def test_a_board_alone_is_solved(run: Run) -> None:
    Path("ring.txt").write_text(RING)
    assert run("ring.txt", "-m", 2).out == run("solve", "ring.txt", "--mines", 2).out


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (["prase", "x"], "parse"),
        (["sovle"], "solve"),
        (["explian"], "explain"),
        (["parse", "--widht", "9"], "--width"),
        (["parse", "--mine", "9"], "--mines"),
    ],
)
def test_the_right_word_is_suggested(run: Run, typed: list[str], meant: str) -> None:
    outcome = run(*typed)
    assert outcome.status == 2
    assert meant in outcome.err


def test_a_missing_picture_is_no_mistyped_command(run: Run) -> None:
    outcome = run("missing.png")
    assert (outcome.status, outcome.err) == (3, "visionsweeper: missing.png: no such file\n")


def test_short_options(run: Run, shot: Path) -> None:
    short = json.loads(run("parse", shot, "-w", 9, "-H", 9, "-m", 10, "--json").out)
    assert (short["width"], short["height"], short["mines_source"]) == (9, 9, "given")
    assert run("-V").out == run("--version").out


# --- folders


@pytest.fixture
def folder(shot: Path, tmp_path: Path) -> Path:
    for name in ("shots/b.png", "shots/a.png", "shots/deep/a.png", "shots/.hidden/c.png"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(shot, tmp_path / name)
    (tmp_path / "shots" / "notes.txt").write_text("no picture")
    shutil.copy(shot, tmp_path / "shots" / "b.solved.png")
    return tmp_path / "shots"


@pytest.mark.slow
def test_a_folder_is_read_without_what_this_program_wrote(run: Run, folder: Path) -> None:
    answers = [json.loads(line) for line in run("parse", folder, "--json").out.splitlines()]
    assert [Path(one["image"]).name for one in answers] == ["a.png", "b.png"]
    again = [json.loads(line) for line in run("parse", folder, "--json").out.splitlines()]
    assert [one["image"] for one in again] == [one["image"] for one in answers]


@pytest.mark.slow
def test_folders_in_it_and_a_folder_for_the_pictures(run: Run, folder: Path, tmp_path: Path) -> None:
    assert run("parse", folder, "--recursive", "-q", "-o", "out/pictures").status == 0
    made = sorted(str(path.relative_to(tmp_path / "out")) for path in (tmp_path / "out").rglob("*.png"))
    assert made == [f"pictures/{name}.solved.png" for name in ("a", "b", "deep/a")]


def test_a_folder_with_one_picture_has_a_folder_for_it_too(run: Run, tmp_path: Path) -> None:
    (tmp_path / "shots").mkdir()
    (tmp_path / "shots" / "a.png").write_bytes((SAMPLES / "beginner-flat.png").read_bytes())
    assert run("parse", tmp_path / "shots", "-q", "-o", tmp_path / "out").status == 0
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["a.solved.png"]
    assert run("parse", tmp_path / "shots", "-q", "-o", tmp_path / "one.png").status == 0
    assert (tmp_path / "one.png").is_file()


def test_a_list_from_the_shell_passes_over_solved_pictures(run: Run, folder: Path) -> None:
    answers = run("parse", folder / "b.png", folder / "b.solved.png", "--json").out.splitlines()
    assert [json.loads(one)["image"] for one in answers] == [str(folder / "b.png")]


def test_a_folder_without_pictures(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty" / "deep").mkdir(parents=True)
    outcome = run("parse", "empty")
    assert outcome.status == 3
    assert "--recursive" in outcome.err


# --- where results go


@pytest.mark.slow
def test_the_picture_on_standard_output(shot: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "visionsweeper", str(shot), "-o", "-"], capture_output=True, check=True
    )
    assert (np.asarray(Image.open(io.BytesIO(done.stdout))) == _solved(shot)).all()
    assert done.stderr == b""


def _solved(shot: Path) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    subprocess.run([sys.executable, "-m", "visionsweeper", str(shot), "-q"], check=True)
    return np.asarray(Image.open(shot.with_name("shot.solved.png")))


def test_quiet_prints_nothing(run: Run, shot: Path) -> None:
    outcome = run(shot, "-q")
    assert (outcome.status, outcome.out, outcome.err) == (0, "", "")
    assert shot.with_name("shot.solved.png").is_file()


@pytest.mark.slow
def test_strict_tells_doubt_by_the_status(run: Run, shot: Path) -> None:
    shot.write_bytes(smeared(*DOUBTED))
    sure, doubted = (json.loads(run("parse", name, "--json", "-o", "a.png").out) for name in (EXPERT, shot))
    assert not sure["uncertain"], "this test needs a picture that is read without doubt"
    assert doubted["uncertain"], "and one with doubt"
    assert run("parse", EXPERT, "-o", "expert.png", "--strict").status == 0
    outcome = run("parse", shot, "--strict", "--json")
    assert outcome.status == 8
    answer = json.loads(outcome.out)
    assert answer.pop("error")["kind"] == "doubtful"
    assert all(doubted[key] == value for key, value in answer.items() if key != "output")
    assert shot.with_name("shot.solved.png").is_file()


@pytest.mark.slow
def test_pictures_are_opened(run: Run, shot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    def launch(path: str) -> int:
        opened.append(path)
        return 0

    monkeypatch.setattr("click.launch", launch)
    assert run(shot, "--open", "-q").status == 0
    assert opened == [str(shot.with_name("shot.solved.png"))]
    # Else viewers would take the name for an option.
    shot.with_name("-a.png").write_bytes(shot.read_bytes())
    assert run("parse", "--open", "-q", "--", "-a.png").status == 0
    assert opened[1:] == [str(shot.with_name("-a.solved.png"))]
    monkeypatch.setattr("click.launch", lambda path: 1)
    assert run(shot, "--open").status == 6


# --- terminals


def test_the_board_in_the_terminal() -> None:
    analysis = analyse(Board.from_text("1?10\nF?10\n1110\n"), mines=1)
    lines = [line.plain for line in board_lines(analysis, advise(analysis), 3)]
    assert lines == ["   0", "0  1 ok< 1    ", "1 okF!!  1    ", "2  1  1  1    "]


def test_odds_are_never_rounded_to_certainty() -> None:
    analysis = analyse(Board.from_text("?" * 300 + "\n" + "1" + "?" * 299), mines=1)
    shown = board_lines(analysis, None, 2)[1].plain
    assert "ok" in shown
    assert "33" in shown
    rare = analyse(Board.from_text("?" * 300), mines=1)
    assert board_lines(rare, None, 2)[1].plain == "0 " + " 1" * 300


def test_the_shown_board_calls_nothing_certain_by_a_mine_count_that_was_not_seen() -> None:
    board = Board.from_text(
        "*2*2*2*2*\n121212121\n111111000\n1*11*1000\n111111000\n111001110\n1*1001*21\n1110012??\n0000001??\n"
    )
    shown = [
        "\n".join(line.plain for line in board_lines(analyse(board, mines=mines), None, 2))
        for mines in (None, 10)
    ]
    assert ("ok" in shown[0], "!!" in shown[0]) == (False, False)
    assert (shown[1].count("ok"), shown[1].count("!!")) == (3, 1)


@pytest.mark.slow
def test_show_prints_the_board_even_in_a_pipe(run: Run, shot: Path) -> None:
    assert "chance of a mine" not in run(shot).out
    assert "chance of a mine" in run(shot, "--show", "-q").out


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")
@pytest.mark.parametrize("no_color", ["", "1"])
def test_colours_on_a_terminal(shot: Path, no_color: str) -> None:
    shown = _on_a_terminal(shot, {"NO_COLOR": no_color} if no_color else {})
    assert "ok" in shown
    assert ("\x1b[38;" in shown) == (not no_color)


@pytest.mark.slow
def test_pictures_in_terminals_that_show_them(shot: Path) -> None:
    pytest.importorskip("textual_image")
    assert "\x1bP" in _on_a_terminal(shot, {}, {b"\x1b[c": b"\x1b[?62;4c", b"\x1b[16t": b"\x1b[6;16;8t"})


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")
def test_a_dumb_terminal_gets_nothing_but_text(shot: Path) -> None:
    shown = _on_a_terminal(shot, {"TERM": "dumb"})
    assert "ok" in shown
    assert "\x1b" not in shown


def _on_a_terminal(shot: Path, environment: dict[str, str], answers: dict[bytes, bytes] | None = None) -> str:
    """What a terminal of 120 columns gets, which answers questions with these."""
    import fcntl
    import pty
    import struct
    import termios

    kept = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    kept |= {"TERM": "xterm-256color", "COLORTERM": "truecolor", **environment}
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 120, 960, 800))
    child = subprocess.Popen(
        [sys.executable, "-m", "visionsweeper", str(shot)],
        stdin=follower,
        stdout=follower,
        env=kept,
        start_new_session=True,
    )
    os.close(follower)
    shown = b""
    while True:
        try:
            part = os.read(leader, 65536)
        except OSError:  # nobody holds the other end any more
            break
        if not part:
            break
        shown += part
        for question, answer in (answers or {}).items():
            if question in part:
                os.write(leader, answer)
    os.close(leader)
    assert child.wait(60) == 0
    return shown.decode(errors="replace")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such names")
def test_file_names_cannot_steer_the_terminal(run: Run, shot: Path) -> None:
    evil = "a\x1b]0;owned\x07\u202e\n.png"
    shutil.copy(shot, evil)
    Path("b\x1b[2J.png").write_bytes(b"no picture")
    outcome = run(evil, "b\x1b[2J.png")
    assert outcome.status == 3
    for text in (outcome.out, outcome.err):
        assert not set(text) & {"\x1b", "\x07", "\u202e"}
    assert "\\x1b]0;owned" in outcome.out
    assert "\\x1b[2J" in outcome.err
    assert len(outcome.complaints) == 1


def test_names_that_are_printed_as_they_are() -> None:
    for name in ("Brett–ü.png", "盤面 1.png", "a\\b.png", "✓💣.png"):
        assert printable(name) == name
    assert printable("a\tb\n", keep="\n\t") == "a\tb\n"
    assert printable("a\r\x9b\u2028b") == "a\\r\\x9b\\u2028b"


# --- configuration


@pytest.fixture
def configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "settings" / "config.toml"
    place.parent.mkdir()
    monkeypatch.setenv("VISIONSWEEPER_CONFIG", str(place))
    return place


def test_defaults_come_from_the_file_then_the_environment_then_the_command(
    run: Run, configured: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("row.txt").write_text("?????????1\n")

    def mines(*more: object) -> int:
        return int(json.loads(run("solve", "row.txt", "--json", *map(str, more)).out)["mines"])

    configured.write_text("mines = 2\n[parse]\nwidth = 5\n")
    assert mines() == 2
    configured.write_text("mines = 2\n[solve]\nmines = 3\nquiet = true\n")
    assert mines() == 3
    monkeypatch.setenv("VISIONSWEEPER_SOLVE_MINES", "4")
    assert mines() == 4
    assert mines("--mines", 5) == 5
    assert run("solve", "row.txt").out == ""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("width = [", "not TOML"),
        ("[parse]\nwidth = 'many'", "[parse] width"),
        ("[parse]\nwidth = 0", "[parse] width"),
        ("[parse]\nstrict = 1", "true or false"),
        ("[parse]\nwidht = 9", "did you mean width?"),
        ("[prase]\nwidth = 9", "did you mean parse?"),
        ("[parse]\nbox = [1, 2, 3]", "[parse] box"),
    ],
)
def test_a_configuration_that_cannot_be_used(run: Run, configured: Path, text: str, told: str) -> None:
    configured.write_text(text)
    outcome = run("parse", "a.png")
    assert outcome.status == 3
    assert told in outcome.err
    assert str(configured) in outcome.err
    assert len(outcome.complaints) == 1
    shown = run("config")
    assert text in shown.out
    assert told in shown.err


def test_the_configuration_is_shown(run: Run, configured: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("config", "path").out == f"{configured}\n"
    assert "config edit" in run("config").out
    monkeypatch.setenv("VISIONSWEEPER_PARSE_MINES", "99")
    for end in (b"\n", b"\r\n"):
        configured.write_bytes(b"[parse]" + end + b"width = 30" + end)
        assert run("config").out.splitlines()[:3] == [f"# {configured}", "[parse]", "width = 30"]
    assert "# VISIONSWEEPER_PARSE_MINES=99" in run("config").out


def test_the_configuration_is_kept_only_if_it_can_be_used(
    run: Run, configured: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configured.parent.rmdir()
    monkeypatch.setattr("click.edit", lambda text, **_: text + "[parse]\nwidth = 9\n")
    assert run("config", "edit").status == 0
    kept = configured.read_text()
    assert kept.endswith("width = 9\n")
    monkeypatch.setattr("click.edit", lambda text, **_: text.replace("9", "'nine'"))
    assert "was not changed" in run("config", "edit").err
    assert configured.read_text() == kept


# --- positions from anywhere


def test_boards_are_written_for_other_programs(run: Run) -> None:
    Path("ring.txt").write_text("# mines: 2\n" + RING)
    emoji = run("solve", "ring.txt", "--format", "emoji").out
    assert emoji.splitlines()[2] == "🟦1️⃣1️⃣1️⃣🟦"
    assert run("solve", "-", "--text", stdin=emoji.encode()).out == RING
    assert run("solve", "ring.txt", "--format", "jsminesweeper").out.startswith("5x5x2\n")
    outcome = run("solve", "ring.txt", "--format", "mbf")
    assert (outcome.status, outcome.out) == (3, "")
    assert "whole minefield" in outcome.err


@pytest.mark.slow
def test_a_minefield_is_written_as_bytes(tmp_path: Path) -> None:
    (tmp_path / "done.txt").write_text("F1\n11\n")
    command = [sys.executable, "-m", "visionsweeper", "solve", "done.txt", "--format", "mbf"]
    assert subprocess.run(command, capture_output=True, check=True).stdout == bytes([2, 2, 0, 1, 0, 0])


@pytest.mark.parametrize("command", ["solve", "explain", "advise"])
def test_a_board_on_the_clipboard(run: Run, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_picture() -> bytes:
        raise InvalidInput("there is no picture on the clipboard: copy one first")

    monkeypatch.setattr("visionsweeper.io.clipboard.read_picture", no_picture)
    monkeypatch.setattr("visionsweeper.io.clipboard.read_text", lambda: "🟦🟦1️⃣\n1️⃣1️⃣1️⃣\n")
    answer = json.loads(run(command, "--clipboard", "--json").out)
    assert answer["board"] == ["??1", "111"]
    monkeypatch.setattr("visionsweeper.io.clipboard.read_text", lambda: "good morning")
    assert run(command, "--clipboard").status == 3


def test_a_game_goes_on_from_a_position(run: Run) -> None:
    Path("ring.txt").write_text(RING)
    outcome = run("play", "--board", "ring.txt", "--mines", 2, "--seed", 1, stdin=b"p\nq\n")
    assert outcome.status == 0
    assert "2 mines left, playing" in outcome.out
    assert "--mines" in run("play", "--board", "ring.txt").err
    Path("lost.txt").write_text("*1\n11\n")
    assert "game is over" in run("play", "--board", "lost.txt", "--mines", 1).err


def test_games_from_a_position_have_its_numbers() -> None:
    board = Board.from_text(RING)
    seen = set()
    for seed in range(200):
        game = take_up(solve(board, 2), np.random.default_rng(seed))
        assert game.field.count == 2
        assert (game.field.numbers[2, 1:4] == 1).all()
        seen.add(str(game.field))
    assert len(seen) == solve(board, 2).count


@pytest.mark.parametrize("value", ["1e3", "'mines'", "[1]"])
def test_a_value_by_the_name_of_a_command_is_no_table(run: Run, configured: Path, value: str) -> None:
    configured.write_text(f"models = {value}\n")
    (complaint,) = run("config").complaints
    assert "no command has an option 'models'" in complaint
