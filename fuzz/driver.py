"""Runs one target under atheris, on its seeds, and tells how many inputs were read."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["visionsweeper", "PIL", "zipfile", "numpy.lib"]):
    from targets import TARGETS


def run(name: str) -> None:
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
        atheris.Setup([*sys.argv, folder], one)
        atheris.Fuzz()
