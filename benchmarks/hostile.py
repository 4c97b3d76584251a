"""Times read_board on pictures that are hard on it: seconds, peak memory, and the ratio to decoding.

    python benchmarks/hostile.py

Each picture is read in a process of its own, from a PNG file; times are CPU, of all threads. The aim: an end
within 5 s and 800 MB, 50 megapixels within 3 s and 600 MB. A refusal (no board found) is as good an end as a
board. Memory is the highest resident set of the process (Linux, macOS), imports and the model included.
"""

from __future__ import annotations

import argparse
import json
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from visionsweeper import Board, read_board
from visionsweeper.errors import VisionsweeperError
from visionsweeper.io.images import load_image, save_image
from visionsweeper.synthetic.render import render_board
from visionsweeper.vision.tiles.knn import load_model

Picture = npt.NDArray[np.uint8]

SAMPLES = Path(__file__).parents[1] / "samples"


def gray_grid(side: int, pitch: int) -> Picture:
    """Lines on gray."""
    picture = np.full((side, side, 3), 192, np.uint8)
    picture[::pitch] = picture[:, ::pitch] = 128
    return picture


def checkerboard(side: int, pitch: int) -> Picture:
    """Two colours."""
    odd = (np.arange(side) // pitch) % 2
    return np.repeat(np.where(odd[:, None] ^ odd[None], 220, 40).astype(np.uint8)[..., None], 3, axis=2)


def noise(side: int, grain: int) -> Picture:
    """Random colours, each `grain` px wide."""
    coarse = np.random.default_rng(0).integers(0, 256, (side // grain, side // grain, 3), dtype=np.uint8)
    return coarse.repeat(grain, axis=0).repeat(grain, axis=1)


def enlarged_board(pixels: int) -> Picture:
    """Return a clean expert board with a frame, enlarged without smoothing to about so many pixels."""
    board = Board.from_text((SAMPLES / "expert.txt").read_text())
    window = cv2.copyMakeBorder(
        render_board(board, tile=24), 60, 20, 20, 20, cv2.BORDER_CONSTANT, value=(192,) * 3
    )
    factor = (pixels / (window.shape[0] * window.shape[1])) ** 0.5
    larger = cv2.resize(window, None, fx=factor, fy=factor, interpolation=cv2.INTER_NEAREST)
    return np.asarray(larger, dtype=np.uint8)


PICTURES: dict[str, Callable[[], Picture]] = {
    "noise, 1600x1600, told 100x100": lambda: noise(1600, 1),
    "gray grid, 16 px, 2000x2000": lambda: gray_grid(2000, 16),
    "gray grid, 8 px, 4000x4000": lambda: gray_grid(4000, 8),
    "gray grid, 20 px, 7000x7000": lambda: gray_grid(7000, 20),
    "checkerboard, 8 px, 2000x2000": lambda: checkerboard(2000, 8),
    "checkerboard, 24 px, 4000x4000": lambda: checkerboard(4000, 24),
    "noise, 2000x2000": lambda: noise(2000, 1),
    "noise of 16 px, 4000x4000": lambda: noise(4000, 16),
    "plain, 7000x7000": lambda: np.full((7000, 7000, 3), 200, np.uint8),
    "expert window, 50 megapixels": lambda: enlarged_board(50_000_000),
}


TOLD: dict[str, tuple[int, int]] = {"noise, 1600x1600, told 100x100": (100, 100)}
"""Columns and rows that the reader is given, where it is given any: the board is the whole picture then."""


def read_one(path: Path, size: list[int] | None) -> None:
    """Read a picture in this process; print what became of it, CPU seconds and peak memory, as JSON."""
    cv2.setNumThreads(1)
    load_model(None)
    begin = time.process_time()
    height, width = load_image(path).shape[:2]
    decoding = time.process_time() - begin
    begin = time.process_time()
    try:
        if size is None:
            reading = read_board(path, themes=())
        else:
            reading = read_board(path, size[0], size[1], (0, 0, width, height), themes=())
        end = f"{reading.grid.columns}x{reading.grid.rows}, {reading.uncertain.mean():.0%} doubted"
    except VisionsweeperError as error:
        end = error.kind
    seconds = time.process_time() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
        1024**2 if sys.platform == "darwin" else 1024
    )
    print(json.dumps({"end": end, "seconds": seconds, "decoding": decoding, "peak": peak}))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--size", type=int, nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--patience", type=int, default=120, help="CPU seconds until a picture is given up")
    options = parser.parse_args()
    if options.one is not None:
        resource.setrlimit(resource.RLIMIT_CPU, (options.patience, options.patience + 5))
        read_one(options.one, options.size)
        return
    print(f"{'picture':32s}{'seconds':>9s}{'MB':>7s}{'x decoding':>12s}  end")
    with tempfile.TemporaryDirectory() as folder:
        for name, make in PICTURES.items():
            path = Path(folder) / "picture.png"
            save_image(path, make())
            command = [sys.executable, __file__, "--one", str(path), "--patience", str(options.patience)]
            if name in TOLD:
                command += ["--size", *map(str, TOLD[name])]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode == -signal.SIGXCPU:
                print(f"{name:32s} not done after {options.patience} s", flush=True)
                continue
            if done.returncode:
                last = (done.stderr.strip().splitlines() or [f"ended with status {done.returncode}"])[-1]
                print(f"{name:32s} FAILED: {last}", flush=True)
                continue
            one = json.loads(done.stdout)
            ratio = one["seconds"] / max(one["decoding"], 1e-3)
            print(f"{name:32s}{one['seconds']:9.2f}{one['peak']:7.0f}{ratio:12.1f}  {one['end']}", flush=True)


if __name__ == "__main__":
    main()
