"""Rates of `parse FOLDER --jobs N --jsonl`: pictures a second, processor time, scaling and memory.

    python benchmarks/batch.py [FOLDER] [--pictures 120] [--jobs 1 2] [--rounds 2]

Reads expert windows that it draws (30x16, games in progress, 720x384 pixels and a margin), or the pictures of
FOLDER. Each number of processes has its turn in each round, since other programs may be at work too. A run of
few pictures is taken off each figure, so that the figures are those of processes that have begun. Prints for
each number of processes the best round: pictures a second by the clock, and by the processor time (user and
system) of all processes, which other programs disturb less; and the most resident memory of all processes, in
MB (Linux).
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image
from watch_memory import children, resident

from visionsweeper.drawing.board import draw_board
from visionsweeper.game.game import Game
from visionsweeper.game.minefield import lay
from visionsweeper.game.rules import Rules
from visionsweeper.game.styles import play_certain
from visionsweeper.io.files import PICTURE_SUFFIXES

FEW = 8
"""Pictures for each process of the run that is taken off."""


@dataclass(frozen=True)
class Run:
    """What a run took."""

    pictures: int
    seconds: float
    """By the clock."""
    processor: float
    """Seconds of processor time, of all processes."""
    memory: float
    """MB, the most that all processes had together."""


def draw(folder: Path, count: int) -> None:
    """Draw windows of expert games, each opened as far as certainty goes."""
    random = np.random.default_rng(1)
    rules = Rules(30, 16, 99)
    for number in range(count):
        game = Game(lay(rules, (8, 15), random))
        game.open((8, 15))
        play_certain(game)
        drawn, _ = draw_board(game.board)
        edge = ((60, 12), (12, 12), (0, 0))
        Image.fromarray(np.pad(drawn, edge, constant_values=200)).save(folder / f"{number:04}.png")


def run(pictures: list[Path], jobs: int) -> Run:
    """Read the pictures with so many processes."""
    with tempfile.TemporaryDirectory() as folder:
        before, start, memory = os.times(), time.monotonic(), 0.0
        process = subprocess.Popen(
            [
                sys.executable, "-m", "visionsweeper", "parse", *map(str, pictures), "--no-picture",
                "--jobs", str(jobs), "--jsonl", str(Path(folder) / "results.jsonl"),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
        )  # fmt: skip
        while process.poll() is None:
            memory = max(memory, sum(map(resident, [process.pid, *children(process.pid)])))
            time.sleep(0.1)
        after = os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return Run(len(pictures), time.monotonic() - start, spent, memory)


def main() -> None:
    """Run it and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--pictures", type=int, default=120)
    parser.add_argument("--jobs", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        if options.folder is None:
            draw(folder, options.pictures)
        pictures = sorted(one for one in folder.iterdir() if one.suffix.lower() in PICTURE_SUFFIXES)
        print(f"{len(pictures)} pictures, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start")
        runs: dict[int, list[tuple[Run, Run]]] = {jobs: [] for jobs in options.jobs}
        for _ in range(options.rounds):
            for jobs in options.jobs:
                runs[jobs].append((run(pictures[: FEW * jobs], jobs), run(pictures, jobs)))
        print(f"{'processes':>9}{'a second':>10}{'a second of a core':>20}{'memory, MB':>12}{'all, s':>8}")
        for jobs, rounds in runs.items():
            clock = max((b.pictures - a.pictures) / (b.seconds - a.seconds) for a, b in rounds)
            core = max((b.pictures - a.pictures) / (b.processor - a.processor) for a, b in rounds)
            memory, whole = max(b.memory for _, b in rounds), min(b.seconds for _, b in rounds)
            print(f"{jobs:9}{clock:10.1f}{core:20.1f}{memory:12.0f}{whole:8.1f}", flush=True)


if __name__ == "__main__":
    main()
