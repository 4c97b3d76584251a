"""Wide frontiers: CPU seconds and peak memory of counting them, each board in a process of its own.

The boards: every second tile of every second row opened, a mine on every fifth covered tile, of several
sizes; four such blocks of 40x40 beside each other, which is one board; and with the folder of the kept
positions (docs/test-data.md) those of long and wide frontiers.

    python benchmarks/wide.py [FOLDER] [--sizes 28,34,38,40,44] [--boards 2]
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

from visionsweeper.board import COVERED, Board
from visionsweeper.errors import TooWide
from visionsweeper.solver import solve
from visionsweeper.solver.sweep import Sweep

SETS = ("long_frontier", "huge")


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", help="the folder of positions.jsonl")
    parser.add_argument("--sizes", default="28,34,38,40,44", help="of the lattices, comma-separated")
    parser.add_argument("--boards", type=int, default=2, help="of each size")
    options = parser.parse_args()
    print("| board | CPU s | peak MB | states | cells |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for size in map(int, options.sizes.split(",")):
        for seed in range(options.boards):
            print(row(f"lattice {size}x{size}, {seed}", *lattice(size, seed)), flush=True)
    print(row("four lattices 40x40", *blocks(4, 40)), flush=True)
    if options.folder is not None:
        for name in SETS:
            times = sorted(measured(board, mines)[0] for board, mines in positions(options.folder, name))
            at = [times[len(times) // 2], times[int(len(times) * 0.95)], times[-1]]
            shown = " / ".join(f"{1000 * seconds:.0f}" for seconds in at)
            print(f"{name}: CPU ms, median / 95th percentile / maximum: {shown}", flush=True)


def lattice(size: int, seed: int) -> tuple[Board, int]:
    """Make a square board with every second tile of every second row opened, and its mines."""
    random = np.random.default_rng([size, seed])
    opened = np.zeros((size, size), dtype=np.bool_)
    opened[1::2, 1::2] = True
    mines = (random.random((size, size)) < 0.2) & ~opened
    cells = np.full((size, size), COVERED, dtype=np.uint8)
    covered = Board(cells)
    for row_, column in np.argwhere(opened).tolist():
        cells[row_, column] = sum(mines[other] for other in covered.neighbours(row_, column))
    return Board(cells), int(mines.sum())


def blocks(count: int, size: int) -> tuple[Board, int]:
    """Lattices beside each other on one board, two covered columns between them."""
    parts = [lattice(size, seed) for seed in range(count)]
    gap = np.full((size, 2), COVERED, dtype=np.uint8)
    cells = np.hstack([columns for board, _ in parts for columns in (board.cells, gap)])
    return Board(cells), sum(mines for _, mines in parts)


def positions(folder: Path, name: str) -> Iterator[tuple[Board, int]]:
    """Yield the kept positions of a set."""
    with (folder / "positions.jsonl").open(encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            if record["set"] == name:
                yield Board.from_text("\n".join(record["board"])), record["mines"]


def row(name: str, board: Board, mines: int) -> str:
    """One line of the table."""
    seconds, megabytes, states, cells = measured(board, mines)
    if not states:
        return f"| {name} | {seconds:.1f} | {megabytes:.0f} | refused | |"
    return f"| {name} | {seconds:.1f} | {megabytes:.0f} | {states:,} | {cells:,} |"


def measured(board: Board, mines: int) -> tuple[float, float, int, int]:
    """CPU seconds, peak memory in megabytes, states and cells (0 where refused), in a process of its own."""
    context = multiprocessing.get_context("fork")
    near, far = context.Pipe()
    process = context.Process(target=_measure, args=(far, board, mines))
    process.start()
    far.close()  # so that a process that dies ends the wait for its answer
    found: tuple[float, float, int, int] = near.recv()
    process.join()
    return found


def _measure(pipe: Connection, board: Board, mines: int) -> None:
    begin = time.process_time()
    states = cells = 0
    try:
        solution = solve(board, mines)
        _ = solution.probability, solution.safe, solution.mine
        wide = [counted for counted in solution.counts if isinstance(counted, Sweep)]
        states, cells = sum(sum(one.counts) for one in wide), sum(one.cells for one in wide)
    except TooWide:
        pass
    seconds = time.process_time() - begin
    pipe.send((seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000, states, cells))


if __name__ == "__main__":
    main()
