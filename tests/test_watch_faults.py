"""The watch killed at random moments during a burst; `benchmarks/watch_faults.py` does it at length."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

BENCHMARK = Path(__file__).resolve().parents[1] / "benchmarks" / "watch_faults.py"


@pytest.mark.parametrize("workers", [1, 2])
def test_nothing_is_lost_or_done_twice(workers: int) -> None:
    done = subprocess.run(
        [sys.executable, BENCHMARK, "--pictures", "25", "--kills", "4", "--workers", str(workers)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "amiss: 0" in done.stdout
