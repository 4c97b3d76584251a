"""Recordings of games: every position and moment exact, risks as counted, files that are no video."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from commandline import Run

from visionsweeper.board import Board
from visionsweeper.cli.video import Told
from visionsweeper.game.game import Game
from visionsweeper.game.minefield import lay
from visionsweeper.game.rules import Rules
from visionsweeper.io.images import load_image
from visionsweeper.io.video import Frame, VideoFile, open_video
from visionsweeper.options import SolveOptions
from visionsweeper.solver import solve
from visionsweeper.synthetic import draw
from visionsweeper.synthetic.named_themes import NAMED_THEMES
from visionsweeper.synthetic.render import render_board
from visionsweeper.video.chart import chance_line
from visionsweeper.video.follow import Seen
from visionsweeper.video.moves import Move, Recorder
from visionsweeper.vision.tiles.classes import EXPLODED

RATE = 30


@dataclass
class Recording:
    """A drawn recording, and the board that each of its frames shows."""

    path: Path
    codec: str = "mp4v"
    size: tuple[int, int] = (480, 360)
    theme: str = "classic"
    tile: int = 24
    truth: list[Board] = field(default_factory=list)

    def __enter__(self) -> Recording:
        code = cv2.VideoWriter.fourcc(*self.codec)
        self.writer = cv2.VideoWriter(str(self.path), cv2.CAP_FFMPEG, code, RATE, self.size)
        return self

    def __exit__(self, *_: object) -> None:
        self.writer.release()

    def show(self, board: Board, frames: int = 6, at: tuple[int, int] = (40, 50)) -> None:
        self.picture(render_board(board, self.theme, tile=self.tile), frames, at)
        self.truth += [board] * frames

    def picture(self, picture: npt.NDArray[np.uint8], frames: int, at: tuple[int, int]) -> None:
        frame = np.full((self.size[1], self.size[0], 3), 226, np.uint8)
        frame[at[1] : at[1] + picture.shape[0], at[0] : at[0] + picture.shape[1]] = picture
        for _ in range(frames):
            self.writer.write(np.ascontiguousarray(frame[:, :, ::-1]))

    @property
    def positions(self) -> list[Board]:
        """The different boards one after another."""
        return [board for board, _ in itertools.groupby(self.truth)]

    @property
    def moments(self) -> list[float]:
        """When each of them begins, in seconds."""
        begins = [at for at, board in enumerate(self.truth) if at == 0 or self.truth[at - 1] != board]
        return [at / RATE for at in begins]


def play(
    seed: int, size: tuple[int, int, int] = (9, 9, 10), most: int = 1000
) -> Iterator[tuple[Board, Game]]:
    """The positions of a game that flags mines and opens safe tiles, in an order by chance."""
    width, height, _ = size
    middle = (height // 2, width // 2)
    game, rng = Game(lay(Rules(*size), middle, np.random.default_rng(seed))), np.random.default_rng(seed)
    yield game.board, game
    game.open(middle)
    for _ in range(most):
        yield game.board, game
        if game.state != "playing":
            return
        left = np.argwhere(game.board.covered & ~game.board.flags)
        beside = [
            (int(row), int(column))
            for row, column in left
            if any(game.board[one] < 9 for one in game.board.neighbours(int(row), int(column)))
        ]
        tile = beside[rng.integers(len(beside))] if beside else (int(left[0][0]), int(left[0][1]))
        game.flag(tile) if game.field.mines[tile] else game.open(tile)


def moves_of(told: str) -> list[dict[str, object]]:
    return [move for line in told.splitlines() if (move := json.loads(line))["move"] != "end"]


def board_of(move: dict[str, object]) -> Board:
    rows = move["board"]
    assert isinstance(rows, list)
    return Board.from_text("\n".join(rows))


def check(run: Run, recording: Recording) -> list[dict[str, object]]:
    """Read a recording; every position and its moment have to be right."""
    told = run("video", recording.path, "--json")
    assert told.status == 0, told.err
    moves = moves_of(told.out)
    assert [board_of(move) for move in moves] == recording.positions
    assert [move["seconds"] for move in moves] == pytest.approx(recording.moments, abs=0.002)
    return moves


@pytest.mark.slow
@pytest.mark.parametrize(
    ("theme", "codec", "ending"),
    [
        ("classic", "mp4v", "mp4"),
        ("dark", "MJPG", "avi"),
        ("paper", "VP80", "webm"),
        ("checker", "mp4v", "mp4"),
    ],
)
def test_every_position_of_a_recording(run: Run, tmp_path: Path, theme: str, codec: str, ending: str) -> None:
    with Recording(tmp_path / f"game.{ending}", codec, theme=theme) as recording:
        for board, _ in play(7):
            recording.show(board)
    moves = check(run, recording)
    assert (moves[0]["move"], moves[-1]["state"]) == ("start", "won")


@pytest.mark.slow
def test_an_expert_game(run: Run, tmp_path: Path) -> None:
    with Recording(tmp_path / "game.mp4", size=(800, 480)) as recording:
        for board, _ in play(5, (30, 16, 99), 60):
            recording.show(board)
    check(run, recording)


@pytest.mark.slow
def test_a_window_that_moves_and_a_new_game(run: Run, tmp_path: Path) -> None:
    games = [[board for board, _ in play(seed, most=6)] for seed in (1, 2)]
    with Recording(tmp_path / "game.mp4", theme="mono") as recording:
        for board in games[0][:4]:
            recording.show(board)
        for step in range(1, 30):  # dragged: by whole tiles and parts of such, at last by two and a half
            recording.show(games[0][3], 1, (40 + 2 * step, 50 + step))
        for board in games[0][3:] + games[1]:
            recording.show(board, 20, (100, 80))
    moves = check(run, recording)
    starts = [move["seconds"] for move in moves if move["move"] == "start"]
    assert starts == pytest.approx([0, recording.moments[-len(games[1])]], abs=0.002)


@pytest.mark.slow
def test_the_mine_that_lost_a_game(run: Run, tmp_path: Path) -> None:
    game = Game(lay(Rules(9, 9, 10), (4, 4), np.random.default_rng(2)))
    with Recording(tmp_path / "game.mp4") as recording:
        recording.show(game.board)
        game.open((4, 4))
        before = game.board
        recording.show(before)
        chances = solve(before, mines=10).probability
        fatal = next(
            tile for tile in map(tuple, np.argwhere(game.field.mines).tolist()) if 0 < chances[tile] < 1
        )
        game.open((fatal[0], fatal[1]))
        classes = game.board.cells.copy()
        classes[fatal] = EXPLODED
        theme = NAMED_THEMES["classic"].make()
        drawn = draw(theme, classes, np.random.default_rng(0)).image
        recording.picture(cv2.resize(drawn, (216, 216), interpolation=cv2.INTER_AREA), 12, (40, 50))  # type: ignore[arg-type]
    told = run("video", recording.path, "--json", "--mines", "10")
    last = moves_of(told.out)[-1]
    assert (last["state"], last["chosen"]) == ("lost", [list(fatal)])
    assert board_of(last) == game.board
    assert last["risk"] == pytest.approx(chances[fatal])


def seen(seconds: float, text: str) -> Seen:
    board = Board.from_text(text)
    return Seen(seconds, board, np.zeros(board.cells.shape, np.bool_), None)


def recorded(mines: int, *boards: Seen) -> list[Move]:
    recorder = Recorder(SolveOptions(mines=mines))
    return [move for one in boards for move in recorder.take(one)] + list(recorder.end())


def share_with_a_mine(text: str, mines: int, tiles: set[tuple[int, int]]) -> float:
    """By trying all placements: in how many of those that fit one of the tiles holds a mine."""
    board = Board.from_text(text)
    covered = [(int(row), int(column)) for row, column in np.argwhere(board.covered)]
    fitting = hit = 0
    for chosen in itertools.combinations(covered, mines):
        laid = set(chosen)
        numbers = ((int(row), int(column)) for row, column in np.argwhere(board.numbers))
        if all(len(laid & set(board.neighbours(*tile))) == board[tile] for tile in numbers):
            fitting += 1
            hit += bool(laid & tiles)
    return hit / fitting


BEFORE = "????\n1211\n????\n"


@pytest.mark.parametrize(
    ("after", "chosen"),
    [
        ("?1??\n1211\n????\n", {(0, 1)}),
        ("?1??\n1211\n???1\n", {(0, 1), (2, 3)}),
        ("1?1?\n1211\n????\n", {(0, 0), (0, 2)}),
    ],
)
def test_the_risk_of_a_move(after: str, chosen: set[tuple[int, int]]) -> None:
    *_, move = recorded(2, seen(0, BEFORE), seen(1, after))
    assert (move.kind, set(move.chosen)) == ("open", chosen)
    assert move.risk == pytest.approx(share_with_a_mine(BEFORE, 2, chosen))


def test_an_opening_is_one_choice_and_what_comes_late_belongs_to_it() -> None:
    opening = "?10\n?10\n?10\n"
    moves = recorded(1, seen(0, "???\n???\n???\n"), seen(1, "??0\n???\n???\n"), seen(1.2, opening))
    assert [(move.kind, move.seconds) for move in moves] == [("start", 0), ("open", 1)]
    assert (str(moves[1].board), moves[1].risk) == (opening, None)  # of the first move it is not known
    assert len(moves[1].opened) == 6


def test_flags_and_what_was_taken_back() -> None:
    boards = [
        "????\n1211\n????\n",
        "F???\n1211\n????\n",
        "????\n1211\n????\n",
        "?1??\n1211\n????\n",
        "????\n1211\n????\n",
    ]
    moves = recorded(2, *(seen(at, board) for at, board in enumerate(boards)))
    assert [move.kind for move in moves] == ["start", "flag", "flag", "open", "cover"]
    assert (moves[1].flagged, moves[2].unflagged, moves[4].covered) == (((0, 0),), ((0, 0),), ((0, 1),))
    # One that is covered again at once was only pressed.
    pressed = recorded(2, seen(0, boards[0]), seen(1, boards[3]), seen(1.1, boards[0]))
    assert [move.kind for move in pressed if move.opened] == []


def chances(mines: int, *boards: Seen) -> dict[float, float]:
    """The line of the chart: at each moment of a change the percentage after it."""
    told = Told("game.mp4", "nothing")
    for move in recorded(mines, *boards):
        told.tell(move)
    return dict(zip(*chance_line(told.risks, 100), strict=True))


def test_the_chance_of_the_chart_begins_anew_with_each_game() -> None:
    after, empty = "1?1?\n1211\n????\n", "????\n????\n????\n"
    left = 100 * (1 - share_with_a_mine(BEFORE, 2, {(0, 0), (0, 2)}))
    assert 0 < left < 100
    # Given up, and another begun: the first click of that has no risk that is known.
    given_up = chances(2, seen(0, BEFORE), seen(1, after), seen(5, empty), seen(6, "?1??\n????\n????\n"))
    assert given_up == pytest.approx({0: 100, 1: left, 5: 100, 100: 100})
    # Lost, and which mine it was is not known.
    lost = chances(2, seen(0, BEFORE), seen(1, after), seen(5, "1*1*\n1211\n????\n"))
    assert lost == pytest.approx({0: 100, 1: left, 5: 100, 100: 100})
    # A flag begins nothing.
    flag = chances(2, seen(0, BEFORE), seen(1, after), seen(5, "1F1?\n1211\n????\n"))
    assert flag == pytest.approx({0: 100, 1: left, 100: left})


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    with Recording(tmp_path_factory.mktemp("short") / "game.avi", "MJPG") as recording:
        for board, _ in play(3, most=4):
            recording.show(board)
    return recording


@pytest.mark.slow
def test_what_is_written(run: Run, short: Recording, tmp_path: Path) -> None:
    solved, chart = tmp_path / "new" / "solved.mp4", tmp_path / "risk.png"
    told = run("video", short.path, "-o", solved, "--chart", chart)
    assert told.status == 0, told.err
    assert len(told.out.splitlines()) == len(short.positions) + 1
    assert load_image(chart).std() > 5
    with open_video(short.path) as before, open_video(solved) as after:
        pairs = list(zip(before.frames(), after.frames(), strict=True))
    changed = np.abs(pairs[-1][0].image.astype(int) - pairs[-1][1].image).max(axis=2) > 60
    assert changed[50:266, 40:256].mean() > 0.02
    changed[50:266, 40:256] = False
    assert not changed.any()
    assert list(solved.parent.iterdir()) == [solved]
    text = run("video", short.path, "--text").out
    assert Board.from_text(text.rpartition("# ")[2].partition("\n")[2]) == short.positions[-1]


def written(path: Path, rate: float, frames: list[tuple[float, npt.NDArray[np.uint8]]]) -> list[Frame]:
    """The frames of a video that is made of these, each with its time."""
    with VideoFile(path, rate) as video:
        for seconds, pixels in frames:
            video.add(Frame(seconds, pixels))
    with open_video(path) as video:
        return list(video.frames())


def test_frames_of_another_size_are_fitted_into_the_first(tmp_path: Path) -> None:
    small, large = np.full((48, 64, 3), 60, np.uint8), np.full((96, 128, 3), 200, np.uint8)
    square = np.full((200, 200, 3), 140, np.uint8)
    pictures = [small] * 30 + [large] * 30 + [square] * 3
    found = written(tmp_path / "all.avi", 10, [(at / 10, one) for at, one in enumerate(pictures)])
    assert [one.pixels.shape for one in found] == [small.shape] * len(pictures)
    for one, gray in zip(found[:60], [60] * 30 + [200] * 30, strict=True):
        assert np.abs(one.pixels.astype(int) - gray).max() < 10
    # What is not as broad keeps its proportions: 48 columns of it between 8 black ones on either side.
    rows = found[-1].pixels.astype(int)
    assert np.abs(rows[:, 16:48] - 140).max() < 10
    assert rows[:, :8].mean() < 20 > rows[:, 56:].mean()


def gray(level: int) -> npt.NDArray[np.uint8]:
    return np.full((48, 64, 3), level, np.uint8)


def test_a_long_pause_is_cut_once(tmp_path: Path) -> None:
    times = [at / 10 for at in range(11)] + [36_000 + at / 10 for at in range(10)]
    found = written(tmp_path / "all.avi", 10, [(at, gray(100 if at < 2 else 200)) for at in times])
    levels = [one.pixels.mean() > 150 for one in found]
    # The second before the pause, a minute of it, and what came after at its own speed.
    assert levels == [False] * (11 + 600) + [True] * 10


def test_frames_that_come_too_fast_are_thinned(tmp_path: Path) -> None:
    times = [at / 1000 for at in range(1000)]
    found = written(tmp_path / "all.avi", 1000, [(at, gray(50 + int(150 * at))) for at in times])
    assert len(found) == pytest.approx(121, abs=1)
    assert found[-1].seconds == pytest.approx(1, abs=0.02)
    for one in found:
        assert one.pixels.mean() == pytest.approx(50 + 150 * one.seconds, abs=5)
    assert found[-1].pixels.mean() == pytest.approx(199, abs=2)


def test_the_last_frame_is_written_even_if_its_place_is_taken(tmp_path: Path) -> None:
    frames = [(0.0, gray(50)), (0.1, gray(50)), (0.11, gray(200))]
    found = written(tmp_path / "all.avi", 10, frames)
    assert [one.pixels.mean() > 150 for one in found] == [False, False, True]
    # Another frame that comes in time takes over from it.
    found = written(tmp_path / "more.avi", 10, [*frames, (0.3, gray(120))])
    assert [round(one.pixels.mean(), -1) for one in found] == [50, 50, 200, 120]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs RLIMIT_FSIZE")
@pytest.mark.parametrize("room", [0, 20000])
def test_a_video_that_finds_no_room(short: Recording, tmp_path: Path, room: int) -> None:
    """A limit on the size of files stands for a full disk: nothing half-done stays."""
    (tmp_path / "old.mp4").write_bytes(b"before")
    code = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, {room}))\n"
        "from visionsweeper.cli import main; main(sys.argv[1:])"
    )
    told = subprocess.run(
        [sys.executable, "-c", code, "video", short.path, "-o", tmp_path / "old.mp4"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 6, told.stderr
    (line,) = told.stderr.splitlines()
    assert "OpenCV" not in line  # which is not to blame
    assert (tmp_path / "old.mp4").read_bytes() == b"before"
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.slow
def test_a_recording_that_was_cut_off(run: Run, short: Recording, tmp_path: Path) -> None:
    whole, part = short.path.read_bytes(), tmp_path / "part.avi"
    part.write_bytes(whole[: len(whole) * 6 // 10])
    # A process of its own, since FFmpeg writes to stderr past Python.
    told = subprocess.run(
        [sys.executable, "-m", "visionsweeper", "video", part, "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (told.returncode, len(told.stderr.splitlines())) == (3, 1)
    assert "frames could be read" in told.stderr
    found = [board_of(move) for move in moves_of(told.stdout)]
    assert found == short.positions[: len(found)]
    assert 1 < len(found) < len(short.positions)
    assert json.loads(told.stdout.splitlines()[-1])["complete"] is False


@pytest.mark.slow
def test_a_recording_without_a_board(run: Run, tmp_path: Path) -> None:
    with Recording(tmp_path / "talk.mp4") as recording:
        recording.picture(np.random.default_rng(1).integers(0, 256, (200, 300, 3), np.uint8), 30, (20, 20))
    told = run("video", recording.path)
    assert (told.status, told.out, len(told.complaints)) == (4, "", 1)
    assert "30 frames" in told.err


@pytest.mark.parametrize("kind", ["missing", "folder", "empty", "text", "playlist", "no end", "noise"])
def test_what_is_no_video(run: Run, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "game.mp4"
    content = {
        "empty": b"",
        "text": b"no video at all",
        "playlist": b"#EXTM3U\n#EXTINF:1,\n/etc/passwd\n",
        "no end": b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom\0\0\x10\0mdat" + bytes(2000),
        "noise": b"RIFF\0\0\0\0AVI " + np.random.default_rng(0).bytes(5000),
    }
    if kind == "folder":
        path.mkdir()
    elif kind != "missing":
        path.write_bytes(content[kind])
    told = run("video", path)
    assert (told.status, told.out, len(told.complaints)) == (3, "", 1)
    assert "game.mp4" in told.err


@pytest.mark.parametrize(
    ("more", "status"),
    [
        (["--json", "--text"], 2),
        (["-o", "solved.txt"], 6),
        (["-o", "."], 6),
        (["--chart", "risk.txt"], 6),
        (["-o", "game.avi"], 2),
    ],
)
def test_what_cannot_be_asked_for(
    run: Run, short: Recording, more: list[str], status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(short.path.parent)
    told = run("video", "game.avi", *more)
    assert (told.status, told.out, len(told.complaints)) == (status, "", 1)
