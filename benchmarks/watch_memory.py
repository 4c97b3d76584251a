"""Memory of a watch and its worker over thousands of pictures.

    python benchmarks/watch_memory.py [--pictures 3000] [--workers 1]

Prints the resident memory of the main process and of the workers as pictures are done, in MB (Linux).
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from watch_faults import begin_first, finished, picture

from visionsweeper.watch.service import JOURNAL_NAME


def resident(process: int) -> float:
    """MB of resident memory; 0 for a process that is gone."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0.0
    line = next((line for line in status.splitlines() if line.startswith("VmRSS")), "VmRSS: 0 kB")
    return int(line.split()[1]) / 1024


def children(process: int) -> list[int]:
    """List the processes that it began."""
    try:
        return [int(one) for one in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except OSError:
        return []


def main() -> None:
    """Run it and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pictures", type=int, default=3000)
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder, log = Path(temporary) / "in", Path(temporary) / "log"
        place = folder / "solved" / JOURNAL_NAME
        watch = begin_first(folder, options.workers, log)
        print(f"{'done':>6}{'main, MB':>12}{'workers, MB':>14}")
        start, step = time.monotonic(), max(options.pictures // 10, 1)
        for number in range(options.pictures):
            (folder / f"{number:05}.png").write_bytes(picture(number))
            if (number + 1) % step == 0:
                while finished(place) < number + 1:
                    time.sleep(0.1)
                workers = sum(resident(child) for child in children(watch.pid))
                print(f"{number + 1:6}{resident(watch.pid):12.1f}{workers:14.1f}", flush=True)
        watch.terminate()
        watch.wait(60)
        print(f"{options.pictures / (time.monotonic() - start):.1f} pictures a second")


if __name__ == "__main__":
    main()
