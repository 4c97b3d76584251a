"""The watch with real files and a real process."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from commandline import Run
from PIL import Image
from watching import Watch, board_of, is_whole, shot

from visionsweeper.watch.journal import Journal, Status
from visionsweeper.watch.service import JOURNAL_NAME

pytestmark = pytest.mark.slow

Begin = Callable[..., Watch]


PIECES_APART = 0.25
"""Seconds between the pieces in which a slow program writes a file: long enough for a look or two at it."""

GONE_FOR = 3
"""Seconds for which a folder is away: long enough for the watch to come to all pictures in its queue."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "in"
    path.mkdir()
    return path


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Begin]:
    begun: list[Watch] = []

    def start(*arguments: str | Path, ready: bool = True) -> Watch:
        begun.append(Watch(tmp_path / "log", *arguments, ready=ready))
        return begun[-1]

    yield start
    for watch in begun:
        if watch.process.poll() is None:
            watch.process.kill()
        watch.process.wait(60)


def entries(folder: Path) -> list[tuple[str, Status]]:
    with Journal(folder / JOURNAL_NAME, read_only=True) as journal:
        return [(entry.source.name, entry.status) for entry in journal.entries()]


def test_pictures_that_arrive_in_all_ways(begin: Begin, folder: Path, tmp_path: Path) -> None:
    (folder / "before.png").write_bytes(shot(99))
    watch = begin(folder, "--json", "-v")
    out = folder / "solved"

    # In pieces.
    data = shot(1)
    with (folder / "slow.png").open("wb") as file:
        for at in range(0, len(data), len(data) // 5 + 1):
            file.write(data[at : at + len(data) // 5 + 1])
            file.flush()
            os.fsync(file.fileno())
            time.sleep(PIECES_APART)
            assert watch.told("done slow") == watch.told("failed slow") == []
    # Under a temporary name, then renamed; and moved here from elsewhere.
    (folder / "late.png.part").write_bytes(shot(2))
    (folder / ".hidden.png").write_bytes(shot(3))
    (tmp_path / "moved.png").write_bytes(shot(4))
    watch.until(lambda: watch.told("done slow"), "to look at all that is there")
    (folder / "late.png.part").rename(folder / "late.png")
    (tmp_path / "moved.png").rename(folder / "moved.png")
    # Names that trip up the careless.
    names = [
        "two words.png",
        'quote\'s "and" more.png',
        "größe 扫雷 💣.png",
        "line\nend.png",
        "-q.png",
        "a;b|c&d$e.png",
    ]
    for number, name in enumerate(names, start=5):
        (folder / name).write_bytes(shot(number))
    # A name that another source has already, by another kind of picture.
    (folder / "late.jpg").write_bytes(shot(2, "JPEG"))
    # Links.
    (tmp_path / "elsewhere.png").write_bytes(shot(20))
    (folder / "link.png").symlink_to(tmp_path / "elsewhere.png")
    (folder / "dangling.png").symlink_to(tmp_path / "nowhere.png")
    # What is no board, no picture, or nothing.
    (folder / "notes.txt").write_text("nothing for us")
    (folder / "blank.png").write_bytes(blank())
    watch.until(lambda: len(watch.told("done")) == 11 and watch.told("passed over"), "to do all of them")

    for source, seed in [("slow", 1), ("late", 2), ("moved", 4), ("link", 20), *zip(
        [name.removesuffix(".png") for name in names], range(5, 11), strict=True
    )]:  # fmt: skip
        assert is_whole(out / f"{source}.solved.png")
        told = json.loads((out / f"{source}.solved.json").read_text())
        assert told["board"] == board_of(seed).to_rows()
        assert told["output"] == str(out / f"{source}.solved.png")
    assert is_whole(out / "late-2.solved.png")
    assert len(list(out.glob("*.png"))) == 11
    assert [line.split(":")[0] for line in watch.told("passed over")] == ["passed over blank.png"]
    assert all("\n" not in line for line in watch.lines)
    assert not watch.told("failed")

    # A newer version replaces the picture under its old name; a touched file is no news.
    (folder / "moved.png").write_bytes(shot(30))
    (folder / "slow.png").touch()
    watch.until(lambda: len(watch.told("done moved")) == 2, "to do the newer version")
    assert json.loads((out / "moved.solved.json").read_text())["board"] == board_of(30).to_rows()
    assert len(watch.told("done slow")) == 1
    assert "before.png" not in " ".join(watch.lines)
    assert watch.end() == 0
    assert (("before.png", Status.PRESENT)) in entries(out)
    assert sorted(path.name for path in folder.iterdir() if path.name.startswith("before")) == ["before.png"]


def blank() -> bytes:

    data = io.BytesIO()
    Image.new("RGB", (200, 150), "white").save(data, "PNG")
    return data.getvalue()


def test_a_burst_with_two_workers_keeps_its_order(begin: Begin, folder: Path) -> None:
    watch = begin(folder, "--workers", "2")
    for number in range(30):
        (folder / f"{number:02}.png").write_bytes(shot(number))
    watch.until(lambda: len(watch.told("done")) == 30, "to do the burst")
    out = folder / "solved"
    assert all(is_whole(out / f"{number:02}.solved.png") for number in range(30))
    with Journal(out / JOURNAL_NAME, read_only=True) as journal:
        order = [entry.source.name for entry in journal.entries()]
    assert [line.split()[1] for line in watch.told("done")] == order
    assert watch.end(signal.SIGINT) == 0


def test_damaged_pictures_fail_and_end_nothing(
    begin: Begin, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = begin(folder)
    (folder / "half.png").write_bytes(shot(1)[:2000])
    (folder / "text.png").write_text("no picture at all")
    (folder / "empty.png").write_bytes(b"")
    (folder / "good.png").write_bytes(shot(2))
    watch.until(lambda: watch.told("done good"), "to do the good one")
    assert not watch.told("failed")  # they may still be on their way
    watch.until(lambda: len(watch.told("failed")) == 3, "to give the others up")
    # What was damaged arrives whole after all.
    (folder / "half.png").write_bytes(shot(1))
    watch.until(lambda: watch.told("done half"), "to do it once it is whole")
    assert watch.end() == 0


def test_it_goes_on_after_a_kill(begin: Begin, folder: Path) -> None:
    watch = begin(folder)
    for number in range(12):
        (folder / f"{number:02}.png").write_bytes(shot(number))
    watch.until(lambda: len(watch.told("done")) >= 3, "to do some")
    watch.process.kill()
    watch.process.wait(60)
    done = len(watch.told("done"))
    assert done < 12
    # What arrives while nothing watches is not skipped; what goes is not missed.
    (folder / "12.png").write_bytes(shot(12))
    again = begin(folder)
    again.until(lambda: len(set(again.told("done"))) == 13, "to do the rest")
    assert len(again.told("done")) <= 14  # at most the one in hand was told twice
    assert again.end() == 0
    assert [status for _, status in entries(folder / "solved")] == [Status.DONE] * 13
    assert len(list((folder / "solved").glob("*.png"))) == 13
    assert not list((folder / "solved").glob(".*.tmp"))
    # A third run finds nothing left to do.
    third = begin(folder)
    (folder / "last.png").write_bytes(shot(13))
    third.until(lambda: third.told("done last"), "to do the one that came last")
    assert len(set(third.told("done"))) == 14
    assert third.end() == 0


def test_a_second_watch_is_refused(begin: Begin, folder: Path, run: Run) -> None:
    watch = begin(folder)
    told = run("watch", folder)
    assert told.status == 3
    [complaint] = told.complaints
    assert f"process {watch.process.pid}" in complaint
    assert watch.end() == 0
    # Given up with the process.
    third = begin(folder)
    assert third.end() == 0


def test_existing_pictures_several_folders_and_one_output(begin: Begin, tmp_path: Path) -> None:
    one, two, out = tmp_path / "one", tmp_path / "two", tmp_path / "out"
    (one / "deep" / "deeper").mkdir(parents=True)
    two.mkdir()
    for number, path in enumerate([one / "shot.png", one / "deep" / "deeper" / "shot.png", two / "shot.png"]):
        path.write_bytes(shot(number))
    (one / "round").symlink_to(one, target_is_directory=True)  # round and round
    (two / "other.bmp").write_bytes(shot(8))
    watch = begin(one, two, "--existing", "--recursive", "--output-dir", out, "--include", "*.PNG")
    watch.until(lambda: len(watch.told("done")) == 3, "to do those that were there")
    assert sorted(path.name for path in out.glob("*.png")) == [
        "shot-2.solved.png",
        "shot-3.solved.png",
        "shot.solved.png",
    ]
    assert watch.end() == 0


def test_outputs_beside_the_inputs_are_never_input(begin: Begin, folder: Path) -> None:
    watch = begin(folder, "--output-dir", folder)
    (folder / "shot.png").write_bytes(shot(1))
    watch.until(lambda: watch.told("done"), "to do it")
    (folder / "later.png").write_bytes(shot(2))
    watch.until(lambda: watch.told("done later"), "to do what came after its output")
    assert len(watch.told("done")) == 2
    assert watch.end() == 0


@pytest.mark.parametrize("polling", [False, True])
def test_a_folder_that_goes_and_comes_back(begin: Begin, folder: Path, tmp_path: Path, polling: bool) -> None:
    watch = begin(folder, "--output-dir", tmp_path / "out", *(["--polling"] if polling else []))
    (folder / "first.png").write_bytes(shot(1))
    watch.until(lambda: watch.told("done first"), "to do the first")
    shutil.rmtree(folder)
    watch.until(lambda: any("waiting for it to come back" in line for line in watch.lines), "to miss it")
    folder.mkdir()
    (folder / "second.png").write_bytes(shot(2))
    watch.until(lambda: watch.told("done second"), "to do the second")
    (folder / "third.png").write_bytes(shot(3))
    watch.until(lambda: watch.told("done third"), "to do the third")
    assert watch.end() == 0


def test_a_command_is_run_for_every_picture(begin: Begin, folder: Path, tmp_path: Path) -> None:
    script = tmp_path / "note it.py"
    script.write_text(
        "import os, sys; names = [os.environ['VISIONSWEEPER_' + one] for one in ('INPUT', 'OUTPUT')]; "
        "assert names == sys.argv[1:3]; "
        "open(sys.argv[3], 'a').write('|'.join(names) + chr(10))"
    )
    notes = tmp_path / "notes"
    watch = begin(folder, "--command", f"'{sys.executable}' '{script}' {{input}} {{output}} {notes}")
    (folder / "it's $HOME.png").write_bytes(shot(1))
    watch.until(lambda: notes.exists() and notes.read_text().endswith("\n"), "to run the command")
    assert notes.read_text() == f"{folder}/it's $HOME.png|{folder}/solved/it's $HOME.solved.png\n"
    assert watch.end() == 0
    watch = begin(folder, "--command", "/nowhere/at-all {input}")
    (folder / "next.png").write_bytes(shot(2))
    watch.until(
        lambda: any("the command /nowhere/at-all failed" in line for line in watch.lines), "to say so"
    )
    assert watch.told("done next")
    assert watch.end() == 0


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "small"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m,nr_inodes=1000", "tmpfs", str(place)]
    able = sys.platform == "linux" and shutil.which("mount")
    if not able or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a small disk of one's own cannot be mounted here")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=False)


def test_a_full_disk_is_waited_for(begin: Begin, folder: Path, small_disk: Path) -> None:
    watch = begin(folder, "--output-dir", small_disk)
    ballast = small_disk / "ballast"
    with ballast.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"\0" * 1024)
        except OSError:
            pass
    (folder / "shot.png").write_bytes(shot(1))
    watch.until(lambda: any("disk is full" in line or "journal" in line for line in watch.lines), "to say so")
    assert not list(small_disk.glob("*.png"))
    ballast.unlink()
    watch.until(lambda: watch.told("done shot"), "to do it when there is room")
    assert is_whole(small_disk / "shot.solved.png")
    assert watch.end() == 0


def test_a_read_only_folder(begin: Begin, folder: Path, tmp_path: Path, run: Run, small_disk: Path) -> None:
    (small_disk / "shot.png").write_bytes(shot(1))
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    told = run("watch", small_disk)
    assert told.status == 6
    [complaint] = told.complaints
    assert "--output-dir" in complaint
    watch = begin(small_disk, "--existing", "--output-dir", tmp_path / "out")
    watch.until(lambda: watch.told("done shot"), "to do it")
    assert watch.end() == 0


def test_status_is_printed_and_changes_nothing(begin: Begin, folder: Path, run: Run) -> None:
    assert "no watch has used" in run("watch", "--status", folder).err
    watch = begin(folder)
    (folder / "shot.png").write_bytes(shot(1))
    (folder / "blank.png").write_bytes(blank())
    watch.until(lambda: watch.told("done") and watch.told("passed over"), "to do both")
    told = run("watch", "--status", folder)  # while the watch goes on
    assert told.status == 0
    assert told.out.splitlines()[0] == "1 done, 1 passed"
    assert "shot.solved.png" in told.out
    assert watch.end() == 0
    before = {path: path.read_bytes() for path in (folder / "solved").iterdir()}
    assert run("watch", "--status", folder).out == told.out
    assert {path: path.read_bytes() for path in (folder / "solved").iterdir()} == before


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["nowhere"], 3, "no folder"),
        (["-q", "-v", "."], 2, "choose one"),
        (["--command", "'", "."], 3, "cannot be understood"),
        (["--command", "", "."], 2, "empty"),
        (["--output-dir", "", "."], 2, "empty"),
        ([""], 2, "empty"),
        (["--workers", "0", "."], 2, "--jobs"),
        (["--model", "nowhere.npz", "."], 7, "nowhere.npz"),
        (["--state", f"{__file__}/state", "."], 6, "is a file"),
        (["--log-file", f"{__file__}/log", "."], 6, "is a file"),
        (["--output-dir", __file__, "."], 6, "is a file"),
    ],
)
def test_bad_options_get_one_clear_line(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], status: int, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    told = run("watch", *arguments)
    assert told.status == status
    [complaint] = told.complaints
    assert message in complaint


def test_a_file_that_is_no_journal_is_left_alone(run: Run, folder: Path) -> None:
    (folder / "solved").mkdir()
    journal = folder / "solved" / JOURNAL_NAME
    journal.write_bytes(b"something else entirely " * 100)
    told = run("watch", folder)
    assert told.status == 3
    assert "not a journal" in told.err
    assert journal.read_bytes() == b"something else entirely " * 100


def workers_of(watch: Watch) -> list[int]:
    task = Path(f"/proc/{watch.process.pid}/task/{watch.process.pid}/children")
    return [
        int(child)
        for child in task.read_text().split()
        if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="processes are looked up in /proc")
def test_a_worker_that_dies_is_replaced(begin: Begin, folder: Path) -> None:
    watch = begin(folder)
    (folder / "00.png").write_bytes(shot(0))
    watch.until(lambda: watch.told("done"), "to do the first")
    for number in range(1, 12):
        (folder / f"{number:02}.png").write_bytes(shot(number))
    watch.until(lambda: len(watch.told("done")) >= 3, "to do some")
    for worker in workers_of(watch):
        os.kill(worker, signal.SIGKILL)
    watch.until(lambda: len(watch.told("done")) == 12, "to do the rest with another worker")
    assert not watch.told("failed")
    left = workers_of(watch)
    watch.process.kill()
    watch.process.wait(60)
    # Workers go with the main process, however that ends.
    end = time.monotonic() + 60
    while any(Path(f"/proc/{worker}").exists() for worker in left) and time.monotonic() < end:
        time.sleep(0.05)
    assert not any(Path(f"/proc/{worker}").exists() for worker in left)


def test_pictures_are_shown_with_the_systems_viewer(
    begin: Begin, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if sys.platform != "linux":
        pytest.skip("the viewer is replaced by a script of the name that Linux uses")
    viewer = tmp_path / "bin" / "xdg-open"
    viewer.parent.mkdir()
    viewer.write_text(f'#!/bin/sh\necho "$1" >> "{tmp_path}/shown"\n')
    viewer.chmod(0o755)
    monkeypatch.setenv("PATH", f"{viewer.parent}{os.pathsep}{os.environ['PATH']}")
    watch = begin(folder, "--open")
    (folder / "shot.png").write_bytes(shot(1))
    shown = tmp_path / "shown"
    watch.until(lambda: shown.exists() and shown.read_text(), "to show it")
    assert shown.read_text() == f"{folder}/solved/shot.solved.png\n"
    assert watch.end() == 0


def test_quiet_tells_only_what_is_wrong_and_the_log_all(begin: Begin, folder: Path, tmp_path: Path) -> None:
    log = tmp_path / "new" / "all.log"
    watch = begin(folder, "-q", "--log-file", log, ready=False)
    watch.until(lambda: log.exists() and "watching" in log.read_text(), "to begin")
    (folder / "shot.png").write_bytes(shot(1))
    watch.until(lambda: "done shot.png" in log.read_text(), "to do it")
    assert watch.end() == 0
    assert watch.lines == []


def test_a_live_line_on_a_terminal(folder: Path) -> None:
    pty = pytest.importorskip("pty", reason="terminals are a matter of POSIX")
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "visionsweeper", "watch", str(folder)],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "60", "LINES": "20"},
        start_new_session=True,
    )
    os.close(slave)
    said = ""
    wrote = False
    end = time.monotonic() + 60
    while "1 done, 0 passed over" not in said and time.monotonic() < end:
        said += os.read(master, 65536).decode()
        if not wrote and "watching" in said:
            (folder / "shot.png").write_bytes(shot(1))
            wrote = True
    assert "1 folder watched: 1 done, 0 passed over, 0 failed" in said
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 0
    os.close(master)


def test_what_comes_while_nothing_was_recorded_yet_is_not_skipped(begin: Begin, folder: Path) -> None:
    watch = begin(folder)
    assert watch.end() == 0
    (folder / "between.png").write_bytes(shot(1))
    watch = begin(folder)
    watch.until(lambda: watch.told("done between"), "to do what came between two watches")
    watch.process.kill()
    watch.process.wait()
    # Another folder of the same journal is new all the same: what is in it was there before.
    other = folder.parent / "other"
    other.mkdir()
    (other / "old.png").write_bytes(shot(2))
    both = begin(folder, other, "--output-dir", folder / "solved")
    (other / "new.png").write_bytes(shot(3))
    both.until(lambda: both.told("done new"), "to do the new one")
    assert not both.told("done old")
    assert both.end() == 0
    # What was only noted as present is worked off when that is asked for.
    later = begin(other, "--output-dir", folder / "solved", "--existing")
    later.until(lambda: later.told("done old"), "to work off what was there")
    assert later.end() == 0


def test_a_folder_gone_in_the_middle_of_a_burst_loses_nothing(begin: Begin, folder: Path) -> None:
    out = folder.parent / "out"
    watch = begin(folder, "--output-dir", out)
    staged = folder.parent / "staged"
    staged.mkdir()
    for number in range(20):
        (staged / f"{number:02}.png").write_bytes(shot(number))
    for path in sorted(staged.iterdir()):
        path.rename(folder / path.name)
    watch.until(lambda: len(watch.told("done")) >= 2, "to begin with the burst")
    away = folder.parent / "away"
    folder.rename(away)
    watch.until(lambda: watch.told(f"{folder} is gone"), "to notice it")
    time.sleep(GONE_FOR)
    away.rename(folder)
    watch.until(lambda: len(watch.told("done")) == 20, "to do all of the burst")
    assert all(is_whole(out / f"{number:02}.solved.png") for number in range(20))
    assert not watch.told("passed over")
    assert watch.end() == 0


@pytest.mark.parametrize("removed", ["folder", "outputs"])
def test_folders_taken_away_with_the_journal_in_them(begin: Begin, folder: Path, removed: str) -> None:
    watch = begin(folder)
    (folder / "a.png").write_bytes(shot(1))
    watch.until(lambda: watch.told("done a"), "to do the first")
    shutil.rmtree(folder if removed == "folder" else folder / "solved")
    folder.mkdir(exist_ok=True)
    (folder / "b.png").write_bytes(shot(2))
    watch.until(lambda: watch.told("done b"), "to go on with a new journal")
    assert is_whole(folder / "solved" / "b.solved.png")
    assert watch.end() == 0
    if removed == "outputs":
        assert len(watch.told("done a")) == 1, "what was known is known still"
    with Journal(folder / "solved" / JOURNAL_NAME, read_only=True) as journal:
        assert {entry.source.name for entry in journal.entries()} == {"a.png", "b.png"}


def test_pictures_in_the_making_are_not_answered_for(begin: Begin, folder: Path) -> None:
    """Of an animated picture the first frame is soon there; a file of full size may be half empty."""
    frames = [Image.open(io.BytesIO(shot(seed))).convert("RGB") for seed in range(3)]
    moving, whole = io.BytesIO(), io.BytesIO()
    frames[0].save(moving, "GIF", save_all=True, append_images=frames[1:])
    frames[2].save(whole, "TIFF")
    watch = begin(folder, "--json")
    with (
        (folder / "moving.gif").open("wb", buffering=0) as slow,
        (folder / "sized.tif").open("wb", 0) as sized,
    ):
        sized.truncate(len(whole.getvalue()))
        step = -(-len(moving.getvalue()) // 5)
        part = -(-len(whole.getvalue()) // 5)
        for at in range(5):
            slow.write(moving.getvalue()[at * step : (at + 1) * step])
            sized.write(whole.getvalue()[at * part : (at + 1) * part])
            time.sleep(3 * PIECES_APART)
    watch.until(lambda: len(watch.told("done")) == 2, "to do both")
    (folder / "last.png").write_bytes(shot(9))
    watch.until(lambda: watch.told("done last"), "to do what came after them")
    assert len(watch.told("done")) == 3
    found = json.loads((folder / "solved" / "sized.solved.json").read_text())
    assert found["board"] == board_of(2).to_rows()
    assert watch.end() == 0


def test_a_locked_journal_and_a_full_log_end_nothing(begin: Begin, folder: Path) -> None:
    watch = begin(folder, "--log-file", "/dev/full")
    assert watch.told("the log cannot be written")
    place = folder / "solved" / JOURNAL_NAME
    locking = sqlite3.connect(place, isolation_level=None)
    locking.execute("BEGIN EXCLUSIVE")
    (folder / "a.png").write_bytes(shot(1))
    watch.until(lambda: watch.told("cannot write the journal"), "to say so")
    locking.execute("ROLLBACK")
    locking.close()
    watch.until(lambda: watch.told("done a"), "to go on")
    assert watch.end() == 0


def test_a_folder_has_one_journal_whatever_it_is_called(begin: Begin, folder: Path) -> None:
    (folder / "real").mkdir()
    (folder / "link").symlink_to("real")
    watch = begin(folder, folder.parent / "x" / ".." / folder.name, "--recursive")
    (folder / "real" / "y.png").write_bytes(shot(1))
    hidden = folder / ".partial"
    hidden.mkdir()
    (hidden / "z.png").write_bytes(shot(2))
    watch.until(lambda: watch.told("done y"), "to do the picture")
    (hidden / "z.png").rename(folder / "z.png")
    watch.until(lambda: watch.told("done z"), "to do the one that was moved")
    with pytest.raises(AssertionError, match="another watch"):
        begin(folder, "--state", folder.parent / "other.sqlite")
    assert watch.end() == 0
    again = begin(folder.parent / folder.name, "--recursive")
    (folder / "last.png").write_bytes(shot(3))
    again.until(lambda: again.told("done last"), "to do the one that came last")
    assert len(again.told("done")) == 3, "both runs write one log: only the last one came to it"
    assert again.end() == 0
    outputs = sorted(path.name for path in (folder / "solved").glob("*.png"))
    assert outputs == ["last.solved.png", "y.solved.png", "z.solved.png"]


def test_longest_names_and_a_database_of_others(begin: Begin, folder: Path) -> None:
    watch = begin(folder)
    name = "x" * 251 + ".png"
    (folder / name).write_bytes(shot(1))
    watch.until(lambda: watch.told("done xxx"), "to do it under a shorter name")
    assert watch.end() == 0
    foreign = folder.parent / "foreign.db"
    with sqlite3.connect(foreign) as database:
        database.execute("CREATE TABLE theirs (a)")
    database.close()
    before = foreign.read_bytes()
    with pytest.raises(AssertionError, match="database of another program"):
        begin(folder, "--state", foreign)
    assert foreign.read_bytes() == before
    assert not foreign.with_name("foreign.db.lock").exists()
