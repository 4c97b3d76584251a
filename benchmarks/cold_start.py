"""How quick `visionsweeper parse` is, cold and warm.

Cold: a process that parses one board against one that only imports the libraries it needs, measured in
turn so that both meet the same machine. Warm: reading and solving the board in a running process.

    python benchmarks/cold_start.py [IMAGE] [--width 30] [--rounds 15]
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

SAMPLE = Path(__file__).parent.parent / "samples" / "expert.png"
RATIO = 3.0
"""A cold start may take this many times as long as the imports alone."""
WARM = 0.1
"""Seconds that reading and solving one board may take."""


def main() -> int:
    """Measure and print; the status is 1 when a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("image", nargs="?", type=Path, default=SAMPLE)
    parser.add_argument("--width", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        parse = [sys.executable, "-m", "visionsweeper", "parse", str(options.image)]
        parse += ["--width", str(options.width), "-o", str(Path(folder) / "solved.png")]
        imports = [sys.executable, "-c", "import cv2, numpy, PIL.Image, click"]
        cold, base = in_turn(lambda: run(parse), lambda: run(imports), options.rounds)
    ratio = statistics.median(cold) / statistics.median(base)
    print(f"imports alone      {statistics.median(base) * 1000:7.0f} ms (median of {options.rounds})")
    print(
        f"visionsweeper parse{statistics.median(cold) * 1000:7.0f} ms, {ratio:.2f} times (target {RATIO:g})"
    )

    warm = measure_warm(options.image, options.width, options.rounds)
    print(f"read and solve warm{statistics.median(warm) * 1000:7.1f} ms (target {WARM * 1000:g})")
    return 0 if ratio <= RATIO and statistics.median(warm) <= WARM else 1


def in_turn(
    one: Callable[[], None], other: Callable[[], None], rounds: int
) -> tuple[list[float], list[float]]:
    """Seconds of each, measured alternately; the first round of both only warms the disk."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds + 1):
        for kept, work in zip(times, (one, other), strict=True):
            kept.append(timed(work))
    return times[0][1:], times[1][1:]


def measure_warm(image: Path, width: int, rounds: int) -> list[float]:
    """Seconds of reading and solving the picture in this process, decoding left out."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command line has it
    from visionsweeper.io.images import load_image
    from visionsweeper.pipeline import analyse, read_board  # after the cold measurements

    pixels = load_image(image)
    return [timed(lambda: analyse(read_board(pixels, width))) for _ in range(rounds + 2)][2:]


def run(command: list[str]) -> None:
    """Run a program to its end; raises CalledProcessError when it fails."""
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def timed(work: Callable[[], object]) -> float:
    """Seconds that a call takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    sys.exit(main())
