"""Our solver beside ms_toollib (a compiled one) on the same positions, in one run.

Ours counts exactly, and by compiled code where numba is installed. All solve each position in turn, each in
a worker process of its own, which is killed and replaced when it exceeds the cap or crashes. Times are
process CPU time of the solving alone, each position solved once, boards converted beforehand. Ours remembers
nothing between positions. Wrong: a probability off by more than 1e-9, or an answer to a board that cannot be
(or the other way round). docs/test-data.md describes the positions.

    python benchmarks/solver.py FOLDER [--sets expert,huge] [--cap 20] [--limit 30]
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import ms_toollib
import numpy as np

from visionsweeper.board import Board
from visionsweeper.engine import Engine
from visionsweeper.engine.compiling import COMPILED
from visionsweeper.errors import VisionsweeperError
from visionsweeper.solver import solve

TOLERANCE = 1e-9

Answer = list[list[float]] | None
"""Probabilities, or None for a board refused."""

Result = tuple[float, bool | None]
"""CPU seconds, and whether the answer was right; (inf, None) for a time-out or crash."""


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path, help="the folder of positions.jsonl")
    parser.add_argument("--sets", help="only these, comma-separated")
    parser.add_argument("--cap", type=float, default=20.0, help="seconds a position before it is a time-out")
    parser.add_argument("--limit", type=int, default=0, help="at most so many positions a set")
    options = parser.parse_args()
    positions = options.folder / "positions.jsonl"
    if not positions.exists():
        sys.exit(f"{positions} does not exist; docs/test-data.md describes the positions.")

    sets: dict[str, list[dict[str, Any]]] = {}
    with positions.open(encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            sets.setdefault(record["set"], []).append(record)
    chosen = options.sets.split(",") if options.sets else list(sets)

    print("CPU ms a position: median / 95th percentile / maximum (time-outs, wrong)\n")
    names = " | ".join(SOLVERS)
    print(f"| set | positions | {names} | median of ours by theirs: {', '.join(OURS)} |")
    print(f"| --- | ---: | {'--- | ' * len(SOLVERS)}--- |")
    for name in chosen:
        records = sets[name][: options.limit or None]
        workers = {who: Worker(make, records, options.cap) for who, make in SOLVERS.items()}
        results: dict[str, list[Result]] = {who: [] for who in workers}
        for number in range(len(records)):
            order = list(workers)[number % len(workers) :] + list(workers)[: number % len(workers)]
            for who in order:
                results[who].append(workers[who].measure(number))
        for worker in workers.values():
            worker.close()
        cells = " | ".join(shown(each, options.cap) for each in results.values())
        ratios = " ".join(f"{median(results[who]) / median(results[THEIRS]):.2f}" for who in OURS)
        print(f"| {name} | {len(records)} | {cells} | {ratios} |", flush=True)


def ours(record: dict[str, Any], engine: Engine = "exact") -> Callable[[], Answer]:
    """Our solver on a position; all that a caller reads at once is computed within the time."""
    board = Board.from_text("\n".join(record["board"]))
    mines = record["mines"]

    def run() -> Answer:
        try:
            solution = solve(board, mines, engine=engine)
            result = solution.probability
            _ = solution.safe, solution.mine
        except VisionsweeperError:
            return None
        return list(result.tolist())

    return run


def theirs(record: dict[str, Any]) -> Callable[[], Answer]:
    """ms_toollib on a position; flags are covered tiles to it as they are to us."""
    cells = [[int(c) if c.isdigit() else 10 for c in row] for row in record["board"]]
    mines = record["mines"]

    def run() -> Answer:
        try:
            return list(ms_toollib.cal_probability_onboard(cells, mines)[0])
        except Exception:
            return None

    return run


OURS = {"exact": ours} | ({"compiled": partial(ours, engine="compiled")} if COMPILED else {})

THEIRS = "ms_toollib"

SOLVERS: dict[str, Callable[[dict[str, Any]], Callable[[], Answer]]] = {**OURS, THEIRS: theirs}

WARM_BOARD = {"board": ["??????", "??21??", "?112??", "??????"], "mines": 6}


class Worker:
    """A process that solves positions on demand."""

    def __init__(
        self,
        make: Callable[[dict[str, Any]], Callable[[], Answer]],
        records: list[dict[str, Any]],
        cap: float,
    ) -> None:
        self._make, self._records, self._cap = make, records, cap
        self._start()

    def measure(self, number: int) -> Result:
        """(CPU seconds, whether right; None for a time-out or crash) of one position."""
        try:
            self._pipe.send(number)
            result: Result = self._pipe.recv()
        except (EOFError, ConnectionError):
            self.close()
            self._start()
            return math.inf, None
        return result

    def close(self) -> None:
        """End the process."""
        self._pipe.close()
        self._process.kill()
        self._process.join()

    def _start(self) -> None:
        context = multiprocessing.get_context("fork")
        self._pipe, far = context.Pipe()
        self._process = context.Process(target=self._serve, args=(far,), daemon=True)
        self._process.start()
        far.close()

    def _serve(self, pipe: Connection) -> None:
        self._pipe.close()
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # panics of theirs
        signal.signal(signal.SIGALRM, signal.SIG_DFL)  # compiled code never returns to a Python handler
        for _ in range(50):
            self._make(WARM_BOARD)()
        while True:
            record = self._records[pipe.recv()]
            run = self._make(record)
            signal.setitimer(signal.ITIMER_REAL, self._cap)
            start = time.process_time()
            answer = run()
            taken = time.process_time() - start
            signal.setitimer(signal.ITIMER_REAL, 0)
            pipe.send((taken, right(answer, record)))


def right(answer: Answer, record: dict[str, Any]) -> bool:
    """Whether an answer equals the exact one; opened tiles are not compared."""
    if record.get("error") or answer is None:
        return bool(record.get("error")) == (answer is None)
    expected = np.array(record["p"], dtype=float)
    asked = ~np.isnan(expected)
    return bool((np.abs(np.array(answer, dtype=float)[asked] - expected[asked]) <= TOLERANCE).all())


def median(results: list[Result]) -> float:
    """Median seconds, time-outs counting as endless."""
    return sorted(seconds for seconds, _ in results)[len(results) // 2]


def shown(results: list[Result], cap: float) -> str:
    """One cell of the table."""
    times = sorted(seconds for seconds, _ in results)
    at = [times[len(times) // 2], times[min(len(times) - 1, int(len(times) * 0.95))], times[-1]]
    text = " / ".join(f"> {cap:.0f} s" if math.isinf(t) else f"{t * 1000:.3g}" for t in at)
    outs = sum(verdict is None for _, verdict in results)
    wrong = sum(verdict is False for _, verdict in results)
    return f"{text} ({outs}, {wrong})"


if __name__ == "__main__":
    main()
