"""Reads pictures before and after what changes nothing, and counts where size and tiles stay the same.

    python benchmarks/stability.py FOLDER --every 10
    python benchmarks/stability.py --screens 50

Padding by 1 to 40 px of any colour, shifts by fractions of a pixel, scaling by 0.97 to 1.03, JPEG of
quality 90, and a larger canvas with other things on it. Pictures are the whole ones of a folder of labelled
shots (see docs/training.md), else drawn screens; nothing is given to the reader. A picture that is refused
before and after counts as the same. Tiles are compared where both readings are sure of them, and all of them.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from visionsweeper import read_board
from visionsweeper.errors import NoBoardFound
from visionsweeper.io.images import load_image
from visionsweeper.synthetic import find_fonts
from visionsweeper.synthetic.clutter import Painter
from visionsweeper.synthetic.degradation import compressed
from visionsweeper.synthetic.fonts import FontSource
from visionsweeper.synthetic.pages import random_page
from visionsweeper.training.dataset import find_shots
from visionsweeper.vision.reading import Reading

Picture = npt.NDArray[np.uint8]
Change = Callable[[Picture, np.random.Generator], Picture]


def padded(image: Picture, rng: np.random.Generator) -> Picture:
    """1 to 40 px of one colour, another number on each side."""
    top, bottom, left, right = (int(each) for each in rng.integers(1, 41, 4))
    colour = [int(each) for each in rng.integers(0, 256, 3)]
    wider = cv2.copyMakeBorder(image, top, bottom, left, right, cv2.BORDER_CONSTANT, value=colour)
    return np.asarray(wider, np.uint8)


def shifted(image: Picture, rng: np.random.Generator) -> Picture:
    """By up to half a pixel along both axes, interpolated linearly."""
    matrix = np.array([[1, 0, rng.uniform(-0.5, 0.5)], [0, 1, rng.uniform(-0.5, 0.5)]], np.float32)
    size = (image.shape[1], image.shape[0])
    return np.asarray(cv2.warpAffine(image, matrix, size, borderMode=cv2.BORDER_REPLICATE), np.uint8)


def rescaled(image: Picture, rng: np.random.Generator) -> Picture:
    """By 0.97 to 1.03, both axes alike."""
    factor = rng.uniform(0.97, 1.03)
    return np.asarray(cv2.resize(image, None, fx=factor, fy=factor), np.uint8)


def as_jpeg(image: Picture, _: np.random.Generator) -> Picture:
    """Quality 90."""
    return compressed(image, "jpeg", 90)


def on_larger_canvas(fonts: list[FontSource]) -> Change:
    """Return a change that sets the picture on a canvas up to twice as large, other things beside it."""

    def change(image: Picture, rng: np.random.Generator) -> Picture:
        height, width = image.shape[:2]
        beside, below = int(width * rng.uniform(0.3, 1.0)), int(height * rng.uniform(0.3, 1.0))
        level = float(rng.integers(0, 256))
        ground = (level, level, level)
        painter = Painter((width + beside, height + below), ground, rng, fonts)
        painter.paragraph((width + 20, 10, width + beside - 10, height), ground)
        painter.buttons((10, height + 15, width + beside, height + below), ground)
        painter.paragraph((10, height + 70, width + beside, height + below), ground)
        canvas = np.array(painter.image)
        canvas[:height, :width] = image
        return canvas

    return change


def read(image: Picture) -> Reading | None:
    """Read a picture with nothing given; None where no board is found."""
    try:
        return read_board(np.ascontiguousarray(image), themes=())
    except NoBoardFound:
        return None


def same_size(one: Reading | None, other: Reading | None) -> bool:
    """Tell whether both are boards of one size, or none is a board."""
    if one is None or other is None:
        return one is other
    return one.board.cells.shape == other.board.cells.shape


def same_tiles(one: Reading | None, other: Reading | None, sure: bool) -> bool:
    """Tell the same of the tiles: of all of them, or of those that both readings are `sure` of."""
    if one is None or other is None or not same_size(one, other):
        return one is other
    same = one.board.cells == other.board.cells
    return bool((same | one.uncertain | other.uncertain).all() if sure else same.all())


def pictures(folder: Path | None, every: int, screens: int, fonts: list[FontSource]) -> Iterator[Picture]:
    """Whole pictures of the folder's shots, or drawn screens."""
    if folder is not None:
        for shot in find_shots(folder)[::every]:
            path = shot.full or shot.image
            if path is not None:
                yield load_image(path)
        return
    rng = np.random.default_rng(2027)
    for _ in range(screens):
        yield random_page(rng, fonts).image


def main() -> None:
    """Print the shares that stay the same, by change."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--every", type=int, default=1, help="take every Nth shot")
    parser.add_argument("--screens", type=int, default=50, help="drawn ones, without a folder")
    options = parser.parse_args()
    fonts = find_fonts()
    changes: dict[str, Change] = {
        "padding by 1 to 40 px": padded,
        "shift by up to half a pixel": shifted,
        "scaling by 0.97 to 1.03": rescaled,
        "JPEG 90": as_jpeg,
        "larger canvas": on_larger_canvas(fonts),
    }
    same = dict.fromkeys(changes, np.zeros(3, np.int64))
    count = 0
    for image in pictures(options.folder, options.every, options.screens, fonts):
        before = read(image)
        for place, (name, change) in enumerate(changes.items()):
            after = read(change(image, np.random.default_rng((count, place))))
            stays = (
                same_size(before, after),
                same_tiles(before, after, True),
                same_tiles(before, after, False),
            )
            same[name] = same[name] + np.array(stays)
        count += 1
    print(f"{'of ' + str(count) + ' pictures':30s}{'size':>8s}{'sure tiles':>12s}{'all tiles':>11s}")
    mean = np.mean(list(same.values()), axis=0)
    for name, kept in {**same, "all": mean}.items():
        size, sure, every = kept / count
        print(f"{name:30s}{size:8.1%}{sure:12.1%}{every:11.1%}")


if __name__ == "__main__":
    main()
