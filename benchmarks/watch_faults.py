"""Kills a watch again and again while a burst of pictures arrives: nothing may be lost or done twice.

    python benchmarks/watch_faults.py [--pictures 500] [--kills 50] [--workers 1] [--seed 1]

The watch runs as a real process and is ended with SIGKILL at random moments, and begun again, until it was
killed as often as asked and the burst is worked off. Then every picture must have exactly one whole output,
the journal must agree with the files, and no temporary file be left. Prints the figures; the exit status is 1
when anything is amiss.
"""

from __future__ import annotations

import argparse
import io
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
from PIL import Image

from visionsweeper.drawing.board import draw_board
from visionsweeper.game.game import Game
from visionsweeper.game.minefield import lay
from visionsweeper.game.rules import Rules
from visionsweeper.watch.journal import Journal, Status
from visionsweeper.watch.service import JOURNAL_NAME


def picture(seed: int) -> bytes:
    """Draw a screenshot of a small game, another one for every seed."""
    game = Game(lay(Rules(8, 8, 9), (4, 4), np.random.default_rng(seed)))
    game.open((4, 4))
    drawn, _ = draw_board(game.board)
    data = io.BytesIO()
    Image.fromarray(np.pad(drawn, ((12, 12), (12, 12), (0, 0)), constant_values=240)).save(data, "PNG")
    return data.getvalue()


def arrive(folder: Path, pictures: list[bytes], seconds: float, seed: int) -> None:
    """Write the pictures over so many seconds, some in pieces, some under a temporary name first."""
    random = np.random.default_rng(seed)
    for number, data in enumerate(pictures):
        path = folder / f"{number:04}.png"
        manner = int(random.integers(3))
        if manner == 0:
            path.write_bytes(data)
        elif manner == 1:
            with path.open("wb") as file:
                file.write(data[: len(data) // 2])
                file.flush()
                time.sleep(0.02)
                file.write(data[len(data) // 2 :])
        else:
            part = path.with_suffix(".png.part")
            part.write_bytes(data)
            part.rename(path)
        time.sleep(float(random.exponential(seconds / len(pictures))))


def begin_first(folder: Path, workers: int, log: Path) -> subprocess.Popen[bytes]:
    """Begin the first watch of a folder: it notes what was there before, and leaves that alone."""
    folder.mkdir()
    watch = begin(folder, workers, log)
    while b"watching" not in log.read_bytes():
        time.sleep(0.02)
    return watch


def begin(folder: Path, workers: int, log: Path) -> subprocess.Popen[bytes]:
    """Begin a watch of the folder, first one or next."""
    with log.open("ab") as out:
        return subprocess.Popen(
            [sys.executable, "-m", "visionsweeper", "watch", str(folder), "--workers", str(workers)],
            stdout=out,
            stderr=out,
            stdin=subprocess.DEVNULL,
            env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
        )


def finished(place: Path) -> int:
    """Entries of the journal that are done."""
    if not place.is_file():
        return 0
    with Journal(place, read_only=True) as journal:
        return journal.counts()[Status.DONE]


def check(folder: Path, count: int) -> list[str]:
    """Everything that is not as it must be."""
    out, wrong = folder / "solved", []
    with Journal(out / JOURNAL_NAME, read_only=True) as journal:
        entries = journal.entries()
    for number in range(count):
        name = f"{number:04}.png"
        mine = [entry for entry in entries if entry.source.name == name]
        done = [entry for entry in mine if entry.status is Status.DONE]
        # A picture written in pieces may have been seen in a state that decoded; only the last is whole.
        if len(done) != 1 or mine[-1].status is not Status.DONE:
            wrong.append(f"{name}: {[entry.status.value for entry in mine]} in the journal")
            continue
        try:
            with Image.open(done[0].output or "") as drawn:
                drawn.load()
        except (OSError, SyntaxError) as error:
            wrong.append(f"{name}: its output is not whole ({error})")
    outputs = {path.name for path in out.iterdir() if path.suffix == ".png"}
    expected = {f"{number:04}.solved.png" for number in range(count)}
    wrong += [f"{name}: a file nobody asked for" for name in sorted(outputs - expected)]
    wrong += [f"{path.name}: left behind" for path in out.glob(".*.tmp")]
    return wrong


def main() -> int:
    """Run it, print the figures; 1 when anything is wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pictures", type=int, default=500)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    random = np.random.default_rng(options.seed)
    pictures = [picture(number) for number in range(options.pictures)]
    with tempfile.TemporaryDirectory() as temporary:
        folder, log = Path(temporary) / "in", Path(temporary) / "log"
        place = folder / "solved" / JOURNAL_NAME
        watch = begin_first(folder, options.workers, log)
        start = time.monotonic()
        # The burst lasts as long as the kills are expected to take.
        burst = threading.Thread(
            target=arrive, args=(folder, pictures, options.kills * 1.7, options.seed + 1), daemon=True
        )
        burst.start()
        kills = 0
        while kills < options.kills and (burst.is_alive() or finished(place) < options.pictures):
            time.sleep(float(random.uniform(0.05, 3.0)))
            watch.send_signal(signal.SIGKILL)
            watch.wait()
            kills += 1
            watch = begin(folder, options.workers, log)
        burst.join()
        while finished(place) < options.pictures and time.monotonic() - start < 3600:
            if watch.poll() is not None:
                print(f"the watch ended by itself: {log.read_text()[-500:]}")
                return 1
            time.sleep(0.2)
        # One that is told to end while it only begins ends as any program does.
        time.sleep(5)
        watch.terminate()
        status = watch.wait(60)
        lines = [line for line in log.read_text().splitlines() if " done " in line]
        wrong = check(folder, options.pictures)
        took = time.monotonic() - start
        told = {line.split(" done ")[1] for line in lines}
        print(f"{options.pictures} pictures, {kills} kills, {took:.0f} s, {options.workers} workers")
        print(f"told as done: {len(lines)} times for {len(told)} pictures")
        print(f"the last watch ended with status {status}")
        print(f"amiss: {len(wrong)}")
        for line in wrong[:20]:
            print(f"  {line}")
    return 1 if wrong or status else 0


if __name__ == "__main__":
    sys.exit(main())
