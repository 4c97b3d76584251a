"""Reads the mine counter of every screenshot of a folder of labelled ones, and of windows drawn for it.

    python benchmarks/counter.py FOLDER

A folder holds one folder a look; a shot is NAME.full.png (the whole window or page), NAME.txt (the truth in
the board notation) and NAME.json (at least mines and the board's box). The true board and box are given to
the reader of counters; with --whole it gets what the program itself finds and reads in the picture.
--drawn N reads N drawn windows, seeded, in fonts of this system. --worn puts every picture through JPEG of
quality 60 first.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections import Counter as Tally
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from visionsweeper import Board, read_board
from visionsweeper.errors import VisionsweeperError
from visionsweeper.geometry import Grid
from visionsweeper.io.images import load_image
from visionsweeper.synthetic import draw, find_fonts, random_game, random_theme
from visionsweeper.vision.counter.counter import Counter, read_counter
from visionsweeper.vision.tiles.classes import tiles_of_classes

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))

from counter_windows import draw_window

DRAWN_SEED = 50_000


@dataclass(frozen=True)
class Case:
    """One picture and its truth."""

    look: str
    name: str
    image: np.ndarray
    grid: Grid
    board: Board
    mines: int | None
    """None where no counter is drawn: then none may be read."""


def screenshots(folder: Path) -> Iterator[Case]:
    """All labelled shots of a folder of folders."""
    for path in sorted(folder.glob("*/*.full.png")):
        stem = path.name.removesuffix(".full.png")
        record = json.loads(path.with_name(f"{stem}.json").read_text())
        board = Board.from_text(path.with_name(f"{stem}.txt").read_text())
        grid = Grid.even(tuple(record["box"]), board.columns, board.rows)
        yield Case(path.parent.name, stem, load_image(path), grid, board, record["mines"])


def drawn(count: int) -> Iterator[Case]:
    """Windows drawn from seeds that nothing was tuned to."""
    fonts = find_fonts()
    for seed in range(DRAWN_SEED, DRAWN_SEED + count):
        rng = np.random.default_rng(seed)
        position = random_game(rng)
        window = draw_window(draw(random_theme(rng, fonts), position.labels, rng), position, fonts, rng)
        board = Board(tiles_of_classes(position.labels))
        yield Case(f"drawn {window.style}", str(seed), window.image, window.grid, board, window.mines)


def outcome(case: Case, counter: Counter | None) -> str:
    """Right, wrong or not read."""
    if counter is None:
        return "right" if case.mines is None else "not read"
    return "right" if counter.mines == case.mines else "wrong"


def worn(image: np.ndarray) -> np.ndarray:
    """Return the picture after JPEG of quality 60."""
    _, packed = cv2.imencode(".jpg", image[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 60])
    decoded = cv2.imdecode(packed, cv2.IMREAD_COLOR)
    assert decoded is not None
    return np.ascontiguousarray(decoded[..., ::-1])


def read_whole(image: np.ndarray) -> Counter | None:
    """Read the counter as the program does with nothing given."""
    try:
        return read_board(image, themes=()).counter
    except VisionsweeperError:
        return None


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--drawn", type=int, default=0, metavar="N")
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--worn", action="store_true")
    arguments = parser.parse_args()
    cases = (
        drawn(arguments.drawn) if arguments.drawn or not arguments.folder else screenshots(arguments.folder)
    )
    tallies: dict[str, Tally[str]] = defaultdict(Tally)
    seconds = []
    for case in cases:
        shown = case.image if not arguments.worn else worn(case.image)
        begin = time.process_time()
        counter = read_whole(shown) if arguments.whole else read_counter(shown, case.grid, case.board)
        seconds.append(time.process_time() - begin)
        result = outcome(case, counter)
        tallies[case.look][result] += 1
        if result == "wrong":
            print(f"{case.look}/{case.name}: {case.mines} mines, read {counter}")
    width = max(map(len, tallies), default=4)
    print(f"{'look':{width}}  right  wrong  not read")
    for look, tally in [*sorted(tallies.items()), ("all", sum(tallies.values(), Tally()))]:
        print(f"{look:{width}}  {tally['right']:5}  {tally['wrong']:5}  {tally['not read']:8}")
    if seconds:
        kind = "whole reading" if arguments.whole else "counter"
        middle, most = statistics.median(seconds) * 1000, max(seconds) * 1000
        print(f"{kind}: median {middle:.0f} ms, most {most:.0f} ms CPU")


if __name__ == "__main__":
    main()
