"""The page served by a real process, as a user starts it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest


@dataclass(frozen=True)
class Served:
    process: subprocess.Popen[bytes]
    address: str
    """http://…:port/"""
    log: Path

    def stop(self, number: int = signal.SIGINT) -> int:
        self.process.send_signal(number)
        return self.process.wait(60)


@contextmanager
def serving(
    folder: Path, *arguments: str, module: str = "visionsweeper", **environment: str
) -> Iterator[Served]:
    """`visionsweeper serve`, or another module that serves, with learned themes in `folder`."""
    log = folder / "serve.log"
    command = ["serve", "--no-browser"] if module == "visionsweeper" else []
    own = {"OPENBLAS_NUM_THREADS": "1", "VISIONSWEEPER_DATA": str(folder / "data")}
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", module, *command, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            env=os.environ | own | environment,
        )
    try:
        end = time.monotonic() + 60
        while "http://" not in log.read_text():
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < end, log.read_text()
            time.sleep(0.05)
        told = log.read_text()
        address = told[told.index("http://") :].split()[0]
        yield Served(process, address, log)
    finally:
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("served")) as one:
        yield one


@pytest.fixture
def client(served: Served) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=served.address, timeout=60) as one:
        yield one
