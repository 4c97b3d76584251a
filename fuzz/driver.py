"""Runs one target under atheris, on its seeds, and tells how many inputs were read: see README.md."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["visionsweeper", "PIL", "zipfile", "numpy.lib", "tomllib"]):
    from targets import TARGETS


def run(name: str, arguments: list[str]) -> None:
    """Fuzz until `-atheris_runs=N` inputs were tried, or the first finding."""
    seeds, attempt = TARGETS[name]
    tried = [0, 0]

    def one(data: bytes) -> None:
        tried[0] += 1
        tried[1] += attempt(data)
        if tried[0] % 10_000 == 0:
            print(f"{name}: {tried[0]} inputs tried, {tried[1]} of them read", file=sys.stderr, flush=True)

    with tempfile.TemporaryDirectory() as folder:
        for number, seed in enumerate(seeds()):
            (Path(folder) / f"{number:03d}").write_bytes(seed)
        atheris.Setup([sys.argv[0], *arguments, folder], one)
        atheris.Fuzz()


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in TARGETS:
        sys.exit(f"name one of these targets: {', '.join(TARGETS)}")
    run(sys.argv[1], sys.argv[2:])
