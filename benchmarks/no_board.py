"""Asks for the board in drawn pictures that hold none: what is refused, what is doubted, what is believed.

    python benchmarks/no_board.py

Pictures are drawn here and in `boardless.py`, seeded, of 44 kinds: chess boards and other games, wallpaper,
sheets, calendars, keyboards, pages of text, photographs, noise. A picture that is neither refused nor read
with doubt is a wrong answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import cv2
import numpy as np
from boardless import Picture, blank, more_pictures, word, write

from visionsweeper import read_board, solve
from visionsweeper.errors import ImpossibleBoard, NoBoardFound

_DOUBTED = 0.5
"""Share of uncertain tiles from which on nobody will trust the reading."""


def _checks(rng: np.random.Generator, side: int, count: int, pieces: bool) -> Picture:
    ground, other = rng.integers(60, 256, (2, 3))
    picture = blank(side * count, side * count)
    for r in range(count):
        for c in range(count):
            y, x = r * side, c * side
            picture[y : y + side, x : x + side] = other if (r + c) % 2 else ground
            if pieces and (r in (0, 1, count - 2, count - 1) or rng.random() < 0.1):
                shade = (20, 20, 20) if r < count / 2 else (245, 245, 245)
                cv2.circle(picture, (x + side // 2, y + side // 2), side // 3, shade, -1, cv2.LINE_AA)
    return picture


def _sheet(rng: np.random.Generator, width: int, height: int, filled: float) -> Picture:
    picture = blank(12 * width, 20 * height)
    picture[::height] = picture[:, ::width] = 205
    for r in range(20):
        for c in range(12):
            if rng.random() < filled:
                write(
                    picture, str(rng.integers(0, 10**4)), c * width + 3, r * height + 0.7 * height, height / 2
                )
    return picture


def _calendar(rng: np.random.Generator, width: int, height: int) -> Picture:
    picture = blank(7 * width + 1, 6 * height + 1)
    picture[::height] = picture[:, ::width] = 210
    for day in range(30):
        r, c = divmod(day + int(rng.integers(0, 1)), 7)
        write(picture, str(day + 1), c * width + 4, r * height + 0.6 * height, height / 2)
    return picture


def _keyboard(side: int, ground: int) -> Picture:
    picture = blank(13 * side, 5 * side, ground)
    for r, row in enumerate(("1234567890", "QWERTYUIOP", "ASDFGHJKL", "ZXCVBNM")):
        for c, letter in enumerate(row):
            x, y = round((c + 0.4 * r) * side) + 4, r * side + 4
            cv2.rectangle(picture, (x, y), (x + side - 6, y + side - 6), (120, 120, 120), 1)
            write(picture, letter, x + side / 4, y + 0.6 * side, side / 2, (90, 90, 90))
    return picture


def _text(rng: np.random.Generator, dark: bool) -> Picture:
    picture = blank(800, 600, 25 if dark else 255)
    for y in range(30, 590, 22):
        line = " ".join(word(rng) for _ in range(int(rng.integers(3, 12))))
        write(picture, line, 20, y, 15, (210, 210, 210) if dark else (30, 30, 30))
    return picture


def _photograph(rng: np.random.Generator) -> Picture:
    picture = np.zeros((480, 640, 3), np.float32)
    for scale in (4, 16, 60, 160):
        noise = rng.normal(0, 1, (480 // scale + 2, 640 // scale + 2, 3)).astype(np.float32)
        picture += np.asarray(cv2.resize(noise, (640, 480), interpolation=cv2.INTER_CUBIC)) * scale**0.6
    spread = float(np.ptp(picture))
    return np.asarray((picture - picture.min()) / spread * 255, np.uint8)


def _sudoku(rng: np.random.Generator, side: int) -> Picture:
    picture = blank(9 * side + 3, 9 * side + 3)
    for line in range(10):
        width = 3 if line % 3 == 0 else 1
        picture[line * side : line * side + width] = picture[:, line * side : line * side + width] = 40
    for r in range(9):
        for c in range(9):
            if rng.random() < 0.4:
                digit = str(rng.integers(1, 10))
                write(picture, digit, (c + 0.3) * side, (r + 0.7) * side, 0.7 * side)
    return picture


def pictures(seed: int = 0) -> Iterator[tuple[str, Picture]]:
    """Name of the kind, and (H, W, 3) uint8 RGB."""
    rng = np.random.default_rng(seed)
    for side in (30, 45, 60, 80):
        yield "chess", _checks(rng, side, 8, pieces=True)
        yield "chess, empty", _checks(rng, side, 8, pieces=False)
    for side in (16, 24, 40):
        yield "checkered wallpaper", _checks(rng, side, 20, pieces=False)
    for width, height, filled in ((80, 20, 0.4), (64, 21, 0.7), (30, 30, 0.5), (24, 24, 0.1)):
        yield "sheet", _sheet(rng, width, height, filled)
    for width, height in ((60, 40), (110, 90), (36, 36), (28, 24)):
        yield "calendar", _calendar(rng, width, height)
    for side, ground in ((50, 240), (40, 30), (32, 240)):
        yield "keyboard", _keyboard(side, ground)
    for dark in (False, True):
        yield "text", _text(rng, dark)
    for _ in range(3):
        yield "photograph", _photograph(rng)
    for side in (30, 40, 52):
        yield "sudoku", _sudoku(rng, side)
    for scale in (1, 4, 16, 32):
        noise = rng.integers(0, 256, (320 // scale, 480 // scale, 3)).astype(np.uint8)
        yield "noise", np.repeat(np.repeat(noise, scale, axis=0), scale, axis=1)
    for colour in (0, 128, 255):
        yield "plain", blank(400, 300, colour)
    yield from more_pictures(rng)


def _outcome(picture: Picture) -> str:
    """Say what becomes of a picture without a board."""
    try:
        reading = read_board(picture, themes=())
    except NoBoardFound:
        return "refused"
    if reading.uncertain.mean() > _DOUBTED:
        return "doubted"
    try:
        solve(reading.board)
    except ImpossibleBoard:
        return "contradicts itself"
    return "BELIEVED"


def main() -> None:
    """Print what becomes of each kind of picture."""
    told: dict[str, Counter[str]] = {}
    for kind, picture in pictures():
        told.setdefault(kind, Counter())[_outcome(picture)] += 1
    for kind, outcomes in told.items():
        print(f"{kind:22s} {dict(outcomes)}")
    print("all", dict(sum(told.values(), Counter())))


if __name__ == "__main__":
    main()
