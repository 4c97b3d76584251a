"""Reads every screenshot of a folder of labelled ones and states tiles and boards right, by game.

    python benchmarks/recognition.py ../shared/screens

A folder holds one folder a look; a shot is NAME.png (cropped to the board), NAME.txt (the truth in the board
notation) and NAME.json (at least width and height). Crop, width and height are given to the reader; with
--uncropped it gets NAME.full.png, the whole window or page, and nothing else.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from visionsweeper import Board, read_board
from visionsweeper.board import SYMBOLS
from visionsweeper.errors import VisionsweeperError
from visionsweeper.vision.image import load_image


@dataclass(frozen=True)
class Result:
    """One shot."""

    name: str
    tiles: int
    wrong: int
    marked: int
    """Wrong tiles that were reported as uncertain."""
    needless: int
    """Right tiles that were reported as uncertain."""
    confidence: np.ndarray
    right: np.ndarray
    mistakes: tuple[tuple[str, str], ...]
    """(truth, read) of each wrong tile."""
    seconds: float


def measure(text: Path, model: str | None, *, uncropped: bool) -> Result:
    """Read one shot and compare with its truth."""
    truth = Board.from_text(text.read_text())
    image = load_image(text.with_suffix(".full.png" if uncropped else ".png"))
    size = (None, None) if uncropped else (truth.columns, truth.rows)
    begin = time.perf_counter()
    try:
        reading = read_board(image, *size, model=model)
    except VisionsweeperError as error:
        print(f"{text}: {error}")
        return unread(text.stem, truth.cells.size, said_so=True)
    seconds = time.perf_counter() - begin
    if reading.board.cells.shape != truth.cells.shape:
        print(f"{text}: read as {reading.board.columns}x{reading.board.rows}")
        return unread(text.stem, truth.cells.size, said_so=False)
    right = reading.board.cells == truth.cells
    unsure = reading.uncertain
    return Result(
        name=text.stem,
        tiles=right.size,
        wrong=int((~right).sum()),
        marked=int((~right & unsure).sum()),
        needless=int((right & unsure).sum()),
        confidence=reading.confidence.ravel(),
        right=right.ravel(),
        mistakes=tuple(
            (SYMBOLS[a], SYMBOLS[b])
            for a, b in zip(truth.cells[~right], reading.board.cells[~right], strict=True)
        ),
        seconds=seconds,
    )


def unread(name: str, tiles: int, *, said_so: bool) -> Result:
    """A shot whose board was not found, or not in its size: no tile of it is right."""
    nothing = np.zeros(tiles)
    return Result(name, tiles, tiles, tiles * said_so, 0, nothing, nothing.astype(bool), (), 0.0)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--model", help="a model file instead of the standard one")
    parser.add_argument("--uncropped", action="store_true", help="whole windows and pages, nothing given")
    parser.add_argument("--json", type=Path, help="write the figures to this file too")
    options = parser.parse_args()
    games: dict[str, list[Result]] = defaultdict(list)
    for text in sorted(options.folder.glob("*/*.txt")):
        games[text.parent.name].append(measure(text, options.model, uncropped=options.uncropped))
    if not games:
        raise SystemExit(f"no labelled shots in {options.folder}")
    print(
        f"{'game':26}{'tiles %':>9}{'wrong':>7}{'boards':>9}{'marked':>8}{'needless':>9}{'ms':>6}  mistakes"
    )
    for game, results in games.items():
        print_row(game, results)
    everything = [result for results in games.values() for result in results]
    print_row("all", everything)
    print("\nconfidence   tiles   of them right")
    confidence = np.concatenate([result.confidence for result in everything])
    right = np.concatenate([result.right for result in everything])
    edges = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 1.01)
    for low, high in pairwise(edges):
        inside = (confidence >= low) & (confidence < high)
        if inside.any():
            print(f"{low:.2f}-{min(high, 1):.2f} {inside.sum():9d} {100 * right[inside].mean():9.2f} %")
    if options.json:
        figures = {
            game: {
                "tiles": sum(r.tiles for r in results),
                "wrong": sum(r.wrong for r in results),
                "boards": len(results),
                "perfect": sum(r.wrong == 0 for r in results),
            }
            for game, results in games.items()
        }
        options.json.write_text(json.dumps(figures, indent=1) + "\n")


def print_row(name: str, results: list[Result]) -> None:
    """One line of the table: a game, or all of them."""
    tiles, wrong = sum(r.tiles for r in results), sum(r.wrong for r in results)
    perfect = sum(r.wrong == 0 for r in results)
    counts: dict[tuple[str, str], int] = defaultdict(int)
    for result in results:
        for mistake in result.mistakes:
            counts[mistake] += 1
    common = sorted(counts.items(), key=lambda item: -item[1])[:4]
    mistakes = "  ".join(f"{a} as {b}: {count}" for (a, b), count in common)
    boards = f"{perfect}/{len(results)}"
    milliseconds = 1000 * float(np.median([r.seconds for r in results]))
    print(
        f"{name:26}{100 * (1 - wrong / tiles):9.2f}{wrong:7d}{boards:>9}{sum(r.marked for r in results):8d}"
        f"{sum(r.needless for r in results):9d}{milliseconds:6.0f}  {mistakes}"
    )


if __name__ == "__main__":
    main()
