"""Draws a pointer, a message or a menu over labelled shots, and counts what becomes of the tiles under it.

    python benchmarks/occlusion.py FOLDER

A folder is one of labelled shots (see docs/training.md); crop, width and height are given to the reader. A
tile counts as under a thing that hides 4 % or more of it. What was read rightly before, and is read wrongly
now, is a new error; a missed one where the tile is not in doubt. These are counted beside the thing too.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from visionsweeper import Reading, read_board
from visionsweeper.errors import VisionsweeperError
from visionsweeper.training.dataset import find_shots

Picture = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]

HIDDEN = 0.04
POINTER = np.array([[0, 0], [0, 17], [4, 13], [7, 20], [10, 19], [7, 12], [12, 12]])
WORDS = ("New  F2", "Beginner", "Intermediate", "Expert", "Custom...", "Marks (?)", "Color", "Exit")


def pointer(picture: Picture, reading: Reading, rng: np.random.Generator) -> None:
    """Draw a white arrow with a black edge."""
    place = [rng.uniform(edges[0], edges[-1]) for edges in (reading.grid.x, reading.grid.y)]
    outline = (POINTER * rng.choice([1.0, 1.5]) + place).astype(np.int32)
    cv2.fillPoly(picture, [outline], (255, 255, 255))
    cv2.polylines(picture, [outline], True, (0, 0, 0), 1)


def message(picture: Picture, reading: Reading, rng: np.random.Generator) -> None:
    """Draw a window with a title bar, a text and a button over the middle of the board."""
    x0, y0, x1, y1 = reading.grid.box
    width, height = int((x1 - x0) * rng.uniform(0.3, 0.5)), int((y1 - y0) * rng.uniform(0.25, 0.4))
    left, top = int((x0 + x1 - width) / 2), int((y0 + y1 - height) / 2)
    window(picture, (left, top, width, height), int(rng.integers(200, 256)))
    cv2.rectangle(picture, (left, top), (left + width, top + height // 6), (0, 60, 160), -1)
    words(picture, ("Game over",), left + 8, top + height // 2, 0)
    button = left + width // 3, top + int(0.7 * height)
    cv2.rectangle(picture, button, (button[0] + width // 3, top + int(0.9 * height)), (200, 200, 200), -1)
    words(picture, ("New game",), button[0] + 4, button[1] + height // 7, 0)


def menu(picture: Picture, reading: Reading, rng: np.random.Generator) -> None:
    """Draw an opened menu over the upper left corner."""
    left, top, _, bottom = (int(edge) for edge in reading.grid.box)
    height = int((bottom - top) * rng.uniform(0.3, 0.6))
    window(picture, (left, top, int(4.5 * reading.grid.pitch_x), height), int(rng.integers(230, 256)))
    words(picture, WORDS, left + 8, top + height // 12, height // len(WORDS))


def window(picture: Picture, place: tuple[int, int, int, int], gray: int) -> None:
    """Draw a plain box with a dark edge; place is left, top, width and height, px."""
    left, top, width, height = place
    cv2.rectangle(picture, (left, top), (left + width, top + height), (gray,) * 3, -1)
    cv2.rectangle(picture, (left, top), (left + width, top + height), (90, 90, 90), 1)


def words(picture: Picture, lines: tuple[str, ...], left: int, top: int, apart: int) -> None:
    """Write lines of black text."""
    for at, line in enumerate(lines):
        place = left, top + at * apart
        cv2.putText(picture, line, place, cv2.FONT_HERSHEY_SIMPLEX, 0.4, (0, 0, 0), 1, cv2.LINE_AA)


THINGS: dict[str, Callable[[Picture, Reading, np.random.Generator], None]] = {
    "pointer": pointer,
    "message": message,
    "menu": menu,
}


def hidden_tiles(changed: Mask, reading: Reading) -> Mask:
    """(rows, columns) bool: the tiles of which enough pixels changed."""
    x, y = (
        np.clip(np.rint(edges).astype(int), 0, length)
        for edges, length in ((reading.grid.x, changed.shape[1]), (reading.grid.y, changed.shape[0]))
    )
    total = np.pad(np.cumsum(np.cumsum(changed, axis=0), axis=1), ((1, 0), (1, 0)))
    count = np.diff(np.diff(total[np.ix_(y, x)], axis=0), axis=1)
    area = np.outer(np.diff(y), np.diff(x))
    return np.asarray(count >= HIDDEN * np.maximum(area, 1))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--every", type=int, default=3, metavar="N", help="only each Nth shot")
    options = parser.parse_args()
    counts: dict[str, Counter[str]] = {thing: Counter() for thing in THINGS}
    rng = np.random.default_rng(0)
    for shot in find_shots(options.folder)[:: options.every]:
        picture, truth = shot.cropped(), shot.board.cells
        before = read_board(picture, width=truth.shape[1], height=truth.shape[0], themes=())
        right = before.board.cells == truth
        for thing, draw in THINGS.items():
            drawn, found = picture.copy(), counts[thing]
            draw(drawn, before, rng)
            under = hidden_tiles((drawn != picture).any(axis=2), before)
            try:
                after = read_board(drawn, width=truth.shape[1], height=truth.shape[0], themes=())
            except VisionsweeperError:
                found["refused"] += 1
                continue
            wrong = right & (after.board.cells != truth)
            found["boards"] += 1
            found["all doubted"] += bool(after.uncertain.all())
            found["under it"] += int(under.sum())
            found["in doubt"] += int((under & after.uncertain).sum())
            found["wrong"] += int((under & wrong).sum())
            found["missed"] += int((under & wrong & ~after.uncertain).sum())
            found["missed beside"] += int((~under & wrong & ~after.uncertain).sum())
    titles = ("boards", "refused", "all doubted", "under it", "in doubt", "wrong", "missed", "missed beside")
    print(f"{'':10s}" + "".join(f"{title:>14s}" for title in titles))
    for thing, found in counts.items():
        print(f"{thing:10s}" + "".join(f"{found[title]:14d}" for title in titles))


if __name__ == "__main__":
    main()
