"""What Windows and macOS do otherwise, as far as it can be tested here: consoles, names, locks, signals."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import types
from pathlib import Path

import pytest
from commandline import Run

from visionsweeper.board import Board
from visionsweeper.cli.outputs import plan_outputs
from visionsweeper.formats import read_position
from visionsweeper.io import files

pytestmark = pytest.mark.slow

BOARD = "# mines: 2\n?1?\n?2?\n?1?\n"
SHOT = Path(__file__).resolve().parents[1] / "samples" / "beginner-flat.png"
NAME = "fünf 五.png"
"""cp1252 has the first letter, and not the second."""


def in_console(encoding: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Run the command in a process of its own, whose streams have this encoding."""
    return subprocess.run(
        [sys.executable, "-m", "visionsweeper", *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=200,
        check=False,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "b.txt").write_text(BOARD)
    (tmp_path / NAME).write_bytes(SHOT.read_bytes())
    return tmp_path


@pytest.mark.parametrize("encoding", ["cp1252", "cp437", "cp932"])
@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("parse", NAME), 0),
        (("parse", ".", "--no-picture", "--json"), 0),
        (("parse", ".", "--no-picture", "--jobs", "1"), 0),
        (("solve", "b.txt"), 0),
        (("explain", "b.txt", "--tile", "0,0"), 0),
        (("advise", "b.txt"), 0),
        (("simulate", "--board", "b.txt", "--games", "500", "--technique", "single"), 0),
        (("render", "--list"), 0),
        (("render", "b.txt", "-o", NAME), 0),
        (("models",), 0),
        (("config",), 0),
        (("learn", NAME, "--width", "9", "--board", "五.txt", "--name", "五"), 3),
        (("train", "五", "-o", "a.npz"), 3),
        (("evaluate", "五"), 3),
        (("video", "五.mp4"), 3),
        (("watch", "五"), 3),
        (("serve", "五.png"), 3),
        (("play", "--replay", "五.txt"), 3),
        (("solve", "五.txt"), 3),
        (("五",), 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_consoles_that_lack_characters_are_written_to(
    folder: Path, encoding: str, arguments: tuple[str, ...], status: int
) -> None:
    done = in_console(encoding, folder, *arguments)
    said = done.stdout.decode(encoding) + done.stderr.decode(encoding)  # each must be of that encoding
    assert done.returncode == status, said
    assert "Traceback" not in said
    assert "unexpected" not in said
    assert said.strip()


def test_every_help_can_be_printed_in_cp1252(tmp_path: Path) -> None:
    from visionsweeper.cli import COMMANDS

    script = (
        "import sys; from visionsweeper.cli import COMMANDS, main\n"
        "for name in COMMANDS:\n"
        "    try: main([name, '--help'])\n"
        "    except SystemExit as leaving: assert leaving.code == 0, name\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"},
        cwd=tmp_path,
        capture_output=True,
        timeout=200,
        check=True,
    )
    assert done.stdout.decode("cp1252").count("Usage: ") == len(COMMANDS)


def test_a_board_as_emoji_goes_whole_into_a_file(folder: Path) -> None:
    done = in_console("cp1252", folder, "solve", "b.txt", "--format", "emoji")
    assert done.returncode == 0
    assert read_position(done.stdout).board == Board.from_text(BOARD)


def test_a_board_as_a_windows_shell_writes_it_is_read(run: Run, tmp_path: Path) -> None:
    for number, data in enumerate(
        (
            BOARD.replace("\n", "\r\n").encode("utf-16"),
            b"\xef\xbb\xbf" + BOARD.encode(),
            BOARD.encode("utf-16"),
        )
    ):
        (tmp_path / f"{number}.txt").write_bytes(data)
        told = run("solve", tmp_path / f"{number}.txt", "--text")
        assert (told.status, told.err) == (0, "")


def test_a_configuration_with_windows_line_ends_and_mark_is_read(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "config.toml"
    place.write_bytes(b"\xef\xbb\xbf[solve]\r\nmines = 2\r\n")
    monkeypatch.setenv("VISIONSWEEPER_CONFIG", str(place))
    (tmp_path / "b.txt").write_text("?1?\n?2?\n?1?\n")
    assert "2 mines (given)" in run("solve", tmp_path / "b.txt", "-o", tmp_path / "b.png").out


def test_a_configuration_that_names_the_home_of_nobody_is_told(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "config.toml"
    place.write_text('[simulate]\nboard = "~nobody-of-this-name/b.txt"\n')
    monkeypatch.setenv("VISIONSWEEPER_CONFIG", str(place))
    told = run("simulate", "--games", "1")
    assert told.status == 3
    assert told.complaints == ["visionsweeper: ~nobody-of-this-name/b.txt: no such file"]


@pytest.mark.skipif(sys.platform == "win32", reason="such names are devices there")
@pytest.mark.parametrize("name", ["CON.png", "nul.png", "COM1.png", "a:b.png", "a?.png", "trailing .png"])
def test_names_that_windows_keeps_for_itself_are_ordinary_here(run: Run, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(SHOT.read_bytes())
    told = run("parse", tmp_path / name, "--width", "9")
    assert told.status == 0, told.err
    assert (tmp_path / f"{Path(name).stem}.solved.png").is_file()


def test_a_path_longer_than_windows_takes_gets_one_line_or_a_picture(run: Run, tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*(["d" * 100] * 4))
    deep.mkdir(parents=True)
    (deep / "a.png").write_bytes(SHOT.read_bytes())
    assert run("parse", deep / "a.png", "--width", "9").status == 0
    told = run("parse", deep / ("n" * 300 + ".png"), "--width", "9")
    assert (told.status, len(told.complaints)) == (3, 1)
    told = run("parse", deep / "a.png", "--width", "9", "-o", deep / ("n" * 300 + ".png"))
    assert (told.status, len(told.complaints)) == (6, 1)


def test_outputs_that_differ_in_case_alone_are_one_where_names_have_no_case(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import click

    names = [("Shot.png", "shot.png"), ("f\u00fcnf.png", "fu\u0308nf.png")]
    for one, other in names:
        inputs = [str(tmp_path / "one" / one), str(tmp_path / "two" / other)]
        monkeypatch.setattr(sys, "platform", "linux")
        assert len(plan_outputs(inputs, f"{tmp_path}/out/")) == 2
        for system in ("win32", "darwin"):
            monkeypatch.setattr(sys, "platform", system)
            with pytest.raises(click.UsageError, match="both be written"):
                plan_outputs(inputs, f"{tmp_path}/out/")


def test_a_watch_gives_two_outputs_to_sources_that_differ_in_case_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from visionsweeper.watch.journal import Journal

    monkeypatch.setattr(sys, "platform", "darwin")
    with Journal(tmp_path / "journal") as journal:
        outputs = [
            entry.output.name
            for number, name in enumerate(["a/Shot.png", "b/shot.png", "c/SHOT.png", "a/Shot.png"])
            if (entry := journal.queue(tmp_path / name, f"{number}", 1, 1, tmp_path)) and entry.output
        ]
    assert outputs == ["Shot.solved.png", "shot-2.solved.png", "SHOT-3.solved.png", "Shot.solved.png"]


def test_the_watch_locks_by_msvcrt_where_there_is_no_fcntl(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from visionsweeper.errors import InvalidInput
    from visionsweeper.io import lock
    from visionsweeper.watch.lock import WatchLock

    held: dict[int, int] = {}

    def locking(descriptor: int, kind: int, count: int) -> None:
        """As Windows does: from the file's position on, and refused where another has it."""
        assert (kind, count) == (2, 1)
        place = os.lseek(descriptor, 0, os.SEEK_CUR)
        found = os.fstat(descriptor).st_ino
        if held.get(found) == place:
            raise OSError(36, "Resource deadlock avoided")
        held[found] = place

    monkeypatch.setattr(lock, "fcntl", None)
    monkeypatch.setitem(
        sys.modules,
        "msvcrt",
        types.SimpleNamespace(LK_NBLCK=2, locking=locking),
    )
    with WatchLock(tmp_path / "lock"):
        assert (tmp_path / "lock").read_text().strip() == str(os.getpid())
        with pytest.raises(InvalidInput, match=f"process {os.getpid()}"):
            WatchLock(tmp_path / "lock").__enter__()
    [place] = held.values()
    assert place > 100  # the number of the process can be read while it is held


def test_a_system_with_few_signals_can_run_commands(tmp_path: Path) -> None:
    """Windows has no SIGHUP, no SIGPIPE and no alarm."""
    (tmp_path / "b.txt").write_text(BOARD)
    script = (
        "import asyncio, multiprocessing.connection, selectors, signal, subprocess, sys\n"
        "for name in ('SIGHUP', 'SIGPIPE', 'SIGALRM', 'SIGWINCH', 'setitimer', 'alarm', 'pause'):\n"
        "    if hasattr(signal, name): delattr(signal, name)\n"
        "for name in ('fcntl', 'resource', 'termios', 'tty', 'pwd', 'grp'): sys.modules[name] = None\n"
        "import types; from visionsweeper.cli import main\n"
        "sys.modules['msvcrt'] = types.SimpleNamespace(LK_NBLCK=2, locking=lambda *_: None)\n"
        "main(sys.argv[1:])\n"
    )
    for arguments in (
        ["solve", "b.txt"],
        ["parse", str(SHOT), "--no-picture", "--jobs", "1", "--max-memory", "900", "--timeout", "100"],
        ["simulate", "--preset", "beginner", "--games", "20", "--technique", "single", "--jobs", "1"],
    ):
        done = subprocess.run(
            [sys.executable, "-c", script, *arguments],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=200,
            check=False,
        )
        assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="Windows has no such signal")
def test_a_closed_terminal_window_ends_a_command_cleanly(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "visionsweeper", "play", "--preset", "beginner"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"open 1,1\n")
    process.stdin.flush()
    process.stdout.readline()
    process.send_signal(signal.SIGHUP)
    _, told = process.communicate(timeout=60)
    assert b"Traceback" not in told
    assert process.returncode != 0


def test_files_are_read_and_written_where_only_pipes_know_of_waiting(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """On Windows from Python 3.12 on `os.set_blocking` fails for everything that is no pipe."""

    def fail(descriptor: int, blocking: bool) -> None:
        raise OSError(22, "Invalid function")

    monkeypatch.setattr(os, "set_blocking", fail)
    monkeypatch.setattr(files, "_WITHOUT_WAITING", 0)
    (tmp_path / "board.txt").write_bytes(BOARD.encode())
    assert files.read_at_most(tmp_path / "board.txt", 1000) == BOARD.encode()
    files.write_to_device(tmp_path / "board.txt", b"other\n")
    assert (tmp_path / "board.txt").read_bytes().startswith(b"other\n")
