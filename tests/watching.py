"""A watch as a real process, and small pictures to feed it."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import numpy as np
from PIL import Image

from visionsweeper.board import Board
from visionsweeper.drawing.board import draw_board
from visionsweeper.game.game import Game
from visionsweeper.game.minefield import lay
from visionsweeper.game.rules import Rules


@lru_cache(maxsize=1024)
def shot(seed: int, kind: str = "PNG") -> bytes:
    """A screenshot of a small game, different for every seed."""
    field = lay(Rules(9, 9, 10), (4, 4), np.random.default_rng(seed))
    game = Game(field)
    game.open((4, 4))
    picture, _ = draw_board(game.board)
    framed = np.pad(picture, ((16, 16), (16, 16), (0, 0)), constant_values=240)
    data = io.BytesIO()
    Image.fromarray(framed).save(data, kind, **({"quality": 95} if kind == "JPEG" else {}))
    return data.getvalue()


def board_of(seed: int) -> Board:
    game = Game(lay(Rules(9, 9, 10), (4, 4), np.random.default_rng(seed)))
    game.open((4, 4))
    return game.board


class Watch:
    """`visionsweeper watch` with these arguments; what it prints goes to a file."""

    def __init__(self, log: Path, *arguments: str | Path, ready: bool = True) -> None:
        self.log = log
        with log.open("ab") as out:
            before = log.stat().st_size
            self.process = subprocess.Popen(
                [sys.executable, "-m", "visionsweeper", "watch", *map(str, arguments)],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
                start_new_session=True,
            )
        if ready:
            self.until(lambda: b"watching" in self.log.read_bytes()[before:], "to begin")

    @property
    def lines(self) -> list[str]:
        """What was told, without the time."""
        return [line[20:] if line[:2] == "20" else line for line in self.log.read_text().splitlines()]

    def told(self, start: str) -> list[str]:
        return [line for line in self.lines if line.startswith(start)]

    def until(self, condition: Callable[[], object], what: str, seconds: float = 60) -> None:
        end = time.monotonic() + seconds
        while not condition():
            assert self.process.poll() is None, f"the watch ended: {self.log.read_text()}"
            assert time.monotonic() < end, f"waited in vain for it {what}: {self.log.read_text()}"
            time.sleep(0.02)

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(60)


def is_whole(path: Path) -> bool:
    """Whether there is a picture that decodes to the end."""
    try:
        with Image.open(path) as picture:
            picture.load()
    except (OSError, SyntaxError):
        return False
    return True
