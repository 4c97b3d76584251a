"""The screen and the clipboard, with a real display and a real game on it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import pytest
from commandline import Run
from watching import Watch, is_whole, shot

from visionsweeper.board import COVERED, Board
from visionsweeper.game.game import Game
from visionsweeper.game.minefield import Minefield, lay
from visionsweeper.game.rules import Rules
from visionsweeper.io.images import load_image
from visionsweeper.io.screen import Area
from visionsweeper.pipeline import analyse
from visionsweeper.synthetic.render import render_board
from visionsweeper.watch import screen as watched
from visionsweeper.watch.screen import ScreenReader, news

pytestmark = pytest.mark.slow

SAMPLES = Path(__file__).resolve().parents[1] / "samples"
SEARCHED = os.pathsep.join([os.environ.get("PATH", ""), "/usr/games"])


@dataclass(frozen=True)
class Desktop:
    display: str

    @property
    def environment(self) -> dict[str, str]:
        return os.environ | {"DISPLAY": self.display, "OPENBLAS_NUM_THREADS": "1", "PATH": SEARCHED}

    def run(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "visionsweeper", *map(str, arguments)],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def point(self, *what: str | int) -> None:
        """Move the pointer and press its buttons, as xdotool has it."""
        subprocess.run(["xdotool", *map(str, what)], env=self.environment, check=True)

    def click(self, x: int, y: int) -> None:
        self.point("mousemove", x, y, "click", 1, "mousemove", 780, 580)


def needed(*programs: str) -> None:
    missing = [one for one in programs if shutil.which(one, path=SEARCHED) is None]
    if missing:
        pytest.skip(f"needs {', '.join(missing)} (Debian: xvfb, xdotool, sgt-puzzles, xclip)")


@pytest.fixture(scope="module")
def desktop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desktop]:
    needed("Xvfb")
    log = tmp_path_factory.mktemp("desktop") / "Xvfb.log"
    reading, writing = os.pipe()
    with log.open("w") as told, os.fdopen(reading) as number:
        server = subprocess.Popen(
            [
                "Xvfb",
                "-displayfd",
                str(writing),
                "-screen",
                "0",
                "800x600x24",
                "-nolisten",
                "tcp",
                "-noreset",
            ],
            pass_fds=[writing],
            stdout=told,
            stderr=told,
        )
        os.close(writing)
        try:
            yield Desktop(f":{number.readline().strip()}")
        finally:
            server.terminate()
            server.wait(60)


@pytest.fixture
def truth() -> Game:
    """The game on the screen, as it begins."""
    game = Game(lay(Rules(9, 9, 10), (4, 4), np.random.default_rng(3)))
    game.open((4, 4))
    return game


@pytest.fixture
def mines_on_screen(desktop: Desktop, truth: Game) -> Iterator[Desktop]:
    """Simon Tatham's Mines with that very minefield: its game description holds the mines as bits."""
    needed("sgt-mines", "xdotool")
    bits = np.packbits(truth.field.mines.ravel()).tobytes().hex()[: -(-81 // 4)]
    game = subprocess.Popen(
        [str(shutil.which("sgt-mines", path=SEARCHED)), f"9x9:4,4,u{bits}"],
        env=desktop.environment,
        stderr=subprocess.DEVNULL,
    )
    end = time.monotonic() + 20
    try:
        before, now = "", shown_on(desktop)
        while (not now or now != before) and time.monotonic() < end:  # until it is drawn to the end
            before, now = now, shown_on(desktop)
        yield desktop
    finally:
        game.terminate()
        game.wait(60)
    while shown_on(desktop) and time.monotonic() < end + 20:
        pass


def shown_on(desktop: Desktop) -> str:
    """A digest of what the desktop shows; empty while it is blank."""
    code = (
        "import hashlib\n"
        "from visionsweeper.io.screen import Area, take\n"
        "picture = take(Area())\n"
        "print(hashlib.sha256(picture.tobytes()).hexdigest() if picture.any() else '')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=desktop.environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_a_real_game_is_read_from_the_screen(mines_on_screen: Desktop, truth: Game, tmp_path: Path) -> None:
    out = tmp_path / "seen.png"
    told = mines_on_screen.run("screen", "--json", "-o", out)
    assert told.returncode == 0, told.stderr
    found = json.loads(told.stdout)
    assert Board.from_text("\n".join(found["board"])) == truth.board
    assert (found["mines"], found["mines_source"]) == (10, "counter")
    assert is_whole(out)
    # A region in which the board lies, and one in which it does not.
    x0, y0, x1, y1 = found["box"]
    region = f"{x0 - 8:.0f},{y0 - 8:.0f},{x1 + 8:.0f},{y1 + 8:.0f}"
    part = json.loads(mines_on_screen.run("screen", "--region", region, "--json").stdout)
    assert part["board"] == found["board"]
    assert part["box"][0] == pytest.approx(8, abs=2)
    nothing = mines_on_screen.run("screen", "--region", "500,300,700,500")
    assert nothing.returncode == 4
    assert len(nothing.stderr.splitlines()) == 1


def test_again_and_again_only_what_is_new(mines_on_screen: Desktop, truth: Game, tmp_path: Path) -> None:
    log = tmp_path / "log"
    with log.open("wb") as out:
        watching = subprocess.Popen(
            [sys.executable, "-m", "visionsweeper", "screen", "--every", "0.2"],
            env=mines_on_screen.environment,
            stdout=out,
            stderr=subprocess.STDOUT,
        )

    def until(count: int, start: str) -> list[str]:
        end = time.monotonic() + 30
        while True:
            lines = [line for line in log.read_text().splitlines() if line.startswith(start)]
            if len(lines) >= count:
                return lines
            assert time.monotonic() < end, log.read_text()
            time.sleep(0.05)

    def told_of(shown: int, row: int, column: int, before: int) -> str:
        """Wait until all of it is told; return the advice.

        Where the game was seen drawing, it is told in several parts, or advice is given again.
        """
        end = time.monotonic() + 30
        while True:
            lines = until(before, "")[before:]
            opened = [line for line in lines if " opened: " in line]
            told = sum(int(line.split()[0]) for line in opened)
            if told >= shown and lines[-1].startswith("best next tile on the screen"):
                break
            assert time.monotonic() < end, log.read_text()
            time.sleep(0.05)
        assert told == shown, log.read_text()
        assert len(opened) > 1 or opened[0].startswith(f"{shown} opened: row {row}, column {column}")
        return lines[-1]

    def play_on() -> None:
        [best] = until(1, "best next tile on the screen")
        first, end = shown_on(mines_on_screen), time.monotonic() + 30
        while shown_on(mines_on_screen) == first:  # the game's clock goes on: that is no news
            assert time.monotonic() < end
        assert len(until(1, "best next tile on the screen")) == 1
        while truth.state == "playing" and (safe := analyse(truth.board, mines=10).solution.safe):  # type: ignore[union-attr]
            told = len(until(0, ""))
            row, column = (int(part.split()[1]) for part in best.split(":")[1].split(",")[:2])
            assert (row, column) in safe
            x, y = (int(part) for part in best.rsplit(" ", 1)[1].split(","))
            before = truth.board
            mines_on_screen.click(x, y)
            truth.open((row, column))
            shown = (truth.board.cells < COVERED) & (before.cells >= COVERED)
            if (truth.board.cells < COVERED).sum() == truth.board.cells.size - 10:
                break
            best = told_of(int(shown.sum()), row, column, told)
        assert truth.state == "won"

    try:
        play_on()
        watching.send_signal(signal.SIGINT)
        assert watching.wait(60) == 0
    finally:
        watching.kill()
        watching.wait()
    assert "Traceback" not in log.read_text()


def test_a_window_that_moves_by_a_tile_is_followed(mines_on_screen: Desktop, tmp_path: Path) -> None:
    log = tmp_path / "log"
    with log.open("wb") as out:
        watching = subprocess.Popen(
            [sys.executable, "-m", "visionsweeper", "screen", "--every", "0.2"],
            env=mines_on_screen.environment,
            stdout=out,
            stderr=subprocess.STDOUT,
        )

    def best(count: int) -> tuple[str, int, int]:
        end = time.monotonic() + 40
        while True:
            told = [line for line in log.read_text().splitlines() if line.startswith("best next tile on")]
            if len(told) >= count:
                name, _, place = told[-1].partition(", at pixel ")
                x, y = place.split(",")
                return name, int(x), int(y)
            assert time.monotonic() < end, log.read_text()
            time.sleep(0.05)

    try:
        tile, x, y = best(1)
        tool = ["xdotool", "search", "--name", "Mines"]
        found = subprocess.run(tool, env=mines_on_screen.environment, capture_output=True, check=True)
        window = found.stdout.decode().split()[-1]  # the first is a helper window of the toolkit's
        subprocess.run(
            ["xdotool", "windowmove", "--relative", window, "20", "0"],
            env=mines_on_screen.environment,
            check=True,
        )
        moved = best(2)
        assert moved[0] == tile
        assert moved[1] == pytest.approx(x + 20, abs=2)
        assert moved[2] == pytest.approx(y, abs=2)
    finally:
        watching.kill()
        watching.wait()


def record_real_game(desktop: Desktop, game: Game, video: Path, *, cursor: bool) -> list[Board]:
    """Play the game on the screen, to its end, and record it; returns its positions."""
    import mss

    codec = cv2.VideoWriter.fourcc(*"mp4v")
    writer = cv2.VideoWriter(str(video), cv2.CAP_FFMPEG, codec, 30, (800, 600))
    x0, y0, x1, y1 = json.loads(desktop.run("screen", "--json").stdout)["box"]
    positions, end = [game.board], time.monotonic() + 200
    with mss.MSS(display=desktop.display, with_cursor=cursor) as screen:

        def take() -> bytes:
            shot = screen.grab(screen.monitors[0])
            frame = np.frombuffer(shot.bgra, np.uint8).reshape(600, 800, 4)[:, :, :3]
            writer.write(np.ascontiguousarray(frame))
            return frame[int(y0) : int(y1), int(x0) : int(x1)].tobytes()  # the clock is beside the board

        def until_still(frames: int = 6) -> bytes:
            seen = [take()]
            while len(seen) < frames or len(set(seen[-frames:])) > 1:
                seen.append(take())
                assert time.monotonic() < end
            return seen[-1]

        for row, column in np.argwhere(~game.field.mines).tolist():
            tile = int(row), int(column)
            if not game.open(tile):
                continue
            positions.append(game.board)
            before = until_still()
            # Where the pointer, once drawn, leaves the number free.
            place = [
                round(first + (at + 0.8) * (last - first) / 9)
                for at, first, last in ((tile[1], x0, x1), (tile[0], y0, y1))
            ]
            desktop.point("mousemove", *place, "mousedown", 1)
            while until_still() == before:
                pass
            pressed = until_still()
            # A game that is won flags its mines at once: none of them may lie under the pointer.
            won = game.state == "won"
            desktop.point("mouseup", 1, *(("mousemove", 2, 2) if won else ()))
            while until_still() == pressed:
                pass
        until_still(60)  # the game that was won flashes
    writer.release()
    return positions


@pytest.mark.parametrize("cursor", [False, True])
def test_a_recording_of_a_real_game(
    mines_on_screen: Desktop, truth: Game, tmp_path: Path, run: Run, cursor: bool
) -> None:
    video = tmp_path / "game.mp4"
    positions = record_real_game(mines_on_screen, truth, video, cursor=cursor)
    told = run("video", video, "--json")
    assert told.status == 0, told.err
    *moves, end = map(json.loads, told.out.splitlines())
    assert [Board.from_text("\n".join(move["board"])) for move in moves] == positions
    assert (moves[0]["mines"], moves[-1]["state"], end["moves"]) == (10, "won", len(positions) - 1)


def test_no_board_and_no_such_monitor(desktop: Desktop) -> None:
    told = desktop.run("screen")
    assert told.returncode == 4
    assert told.stderr.startswith("visionsweeper: no board was found on the screen")
    told = desktop.run("screen", "--monitor", "7")
    assert told.returncode == 3
    assert "there is no monitor 7" in told.stderr
    told = desktop.run("screen", "--region", "900,0,950,50")
    assert told.returncode == 3
    assert "800x600" in told.stderr


def test_no_display() -> None:
    environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    for arguments, message in (
        (["screen"], "is there a display?"),
        (["parse", "--clipboard"], "there is no display here"),
    ):
        told = subprocess.run(
            [sys.executable, "-m", "visionsweeper", *arguments],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if sys.platform in ("win32", "darwin"):
            pytest.skip("these systems always have a screen")
        assert told.returncode == 3
        [line] = told.stderr.splitlines()
        assert message in line


@pytest.fixture
def clipboard(desktop: Desktop, monkeypatch: pytest.MonkeyPatch) -> Desktop:
    needed("xclip")
    monkeypatch.setenv("DISPLAY", desktop.display)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    return desktop


def test_a_picture_from_the_clipboard(
    clipboard: Desktop, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    from visionsweeper.io.clipboard import copy_picture, copy_text

    copy_picture((SAMPLES / "expert.png").read_bytes())
    told = run("parse", "--clipboard", "--json")
    found = json.loads(told.out)
    assert told.status == 0
    assert Board.from_text("\n".join(found["board"])) == Board.from_text((SAMPLES / "expert.txt").read_text())
    assert found["image"] is None
    assert (load_image("clipboard.solved.png") == load_image(_solved(run, tmp_path))).all()
    copy_text("no picture")
    told = run("parse", "--clipboard")
    assert told.status == 3
    assert "there is no picture on the clipboard" in told.err
    told = run("parse", "--clipboard", "some.png")
    assert told.status == 2
    assert run("parse").status == 2


def _solved(run: Run, folder: Path) -> Path:
    run("parse", SAMPLES / "expert.png", "-o", folder / "beside.png")
    return folder / "beside.png"


def test_the_missing_program_is_named(
    clipboard: Desktop, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    told = run("parse", "--clipboard")
    assert told.status == 3
    [complaint] = told.complaints
    assert "install xclip" in complaint
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    assert "install wl-clipboard" in run("parse", "--clipboard").err


@pytest.mark.parametrize("kind", ["picture", "text"])
def test_the_watch_copies_what_it_made(clipboard: Desktop, tmp_path: Path, kind: str) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    watch = Watch(tmp_path / "log", folder, "--clipboard", kind)
    (folder / "shot.png").write_bytes(shot(3))
    watch.until(lambda: watch.told("done"), "to do it")
    target = ["-t", "image/png"] if kind == "picture" else []
    reading = ["xclip", "-selection", "clipboard", *target, "-o"]
    expected = b""

    def copied() -> bool:
        nonlocal expected
        solved = folder / "solved" / "shot.solved.png"
        game = Game(lay(Rules(9, 9, 10), (4, 4), np.random.default_rng(3)))
        game.open((4, 4))
        expected = solved.read_bytes() if kind == "picture" else str(game.board).encode()
        return subprocess.run(reading, capture_output=True, timeout=20, check=False).stdout == expected

    watch.until(copied, "to copy it")
    assert watch.end() == 0


def test_news_of_a_game_that_goes_on() -> None:
    field = Minefield.from_text("...*.\n.....\n.....\n*....\n")
    game = Game(field)
    game.open((1, 1))
    before = analyse(game.board, mines=2)
    game.open((0, 4))
    now = analyse(game.board, mines=2)
    found = news(before, now)
    assert found.opened == ((0, 4),)
    assert not found.another
    assert set(found.safe).isdisjoint(before.solution.safe)  # type: ignore[union-attr]
    assert news(None, now).another
    assert news(now, before).another  # what was opened is covered again: a new game
    assert news(analyse(Board.from_text("???\n")), now).another


def captures_of(monkeypatch: pytest.MonkeyPatch, shots: list[np.ndarray]) -> list[int]:
    """Let the screen show these pictures, one a capture, the last for ever; return a count of captures."""
    count = [0]

    def take(_: Area) -> np.ndarray:
        count[0] += 1
        return shots[min(count[0], len(shots)) - 1]

    monkeypatch.setattr(watched, "take", take)
    return count


@pytest.fixture
def game_so_far() -> tuple[Board, Board, Board]:
    """A game before and after its first tile is opened, and half drawn in between."""
    game = Game(lay(Rules(9, 9, 10), (4, 4), np.random.default_rng(3)))
    first = game.board
    game.open((4, 4))
    half = Board(np.where(np.arange(9)[:, None] < 5, game.board.cells, first.cells))
    return first, half, game.board


def test_a_board_is_read_when_it_has_stopped_changing(
    monkeypatch: pytest.MonkeyPatch, game_so_far: tuple[Board, Board, Board]
) -> None:
    first, half, opened = (render_board(board, tile=24) for board in game_so_far)
    captures_of(monkeypatch, [first, half, opened])
    eye = ScreenReader(Area())
    seen = [eye.capture(), eye.capture()]
    boards = [capture.analysis.board for capture in seen if capture and capture.analysis]
    assert boards == [game_so_far[0], game_so_far[2]]
    assert eye.capture() is None


def test_a_board_that_appears_is_read_when_it_is_drawn_to_the_end(
    monkeypatch: pytest.MonkeyPatch, game_so_far: tuple[Board, Board, Board]
) -> None:
    whole = render_board(game_so_far[2], tile=24)
    gray = np.full_like(whole, 128)
    part = gray.copy()
    part[: 4 * 24] = whole[: 4 * 24]
    captures_of(monkeypatch, [gray, part, whole])
    eye = ScreenReader(Area())
    empty, seen = eye.capture(), eye.capture()
    assert empty is not None
    assert empty.analysis is None
    assert seen is not None
    assert seen.analysis is not None
    assert seen.analysis.board == game_so_far[2]


def test_a_change_that_goes_back_is_no_news(
    monkeypatch: pytest.MonkeyPatch, game_so_far: tuple[Board, Board, Board]
) -> None:
    first = render_board(game_so_far[0], tile=24)
    lit = first.copy()
    lit[:24, :24] = 255
    captures_of(monkeypatch, [first, lit, first])
    eye = ScreenReader(Area())
    assert eye.capture() is not None
    assert eye.capture() is None


def test_a_board_that_never_stands_still_is_read_all_the_same(
    monkeypatch: pytest.MonkeyPatch, game_so_far: tuple[Board, Board, Board]
) -> None:
    picture = render_board(game_so_far[2], tile=24)
    shots = [picture.copy() for _ in range(99)]
    for number, shot_ in enumerate(shots):
        shot_[30, 30 + number % 5] = 255 - picture[30, 30]
    count = captures_of(monkeypatch, shots)
    eye = ScreenReader(Area())
    for captured in (1, 10):
        capture = eye.capture()
        assert capture is not None
        assert capture.analysis is not None
        assert capture.analysis.board == game_so_far[2]
        assert count[0] == captured
