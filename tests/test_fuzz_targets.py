"""The fuzz targets on their seeds and seeded mutations of these; `fuzz/` runs them guided by coverage."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))

from targets import TARGETS

pytestmark = pytest.mark.filterwarnings("default")


@pytest.mark.parametrize("name", sorted(TARGETS))
def test_seeds_are_read(name: str) -> None:
    seeds, attempt = TARGETS[name]
    read = [attempt(seed) for seed in seeds()]
    assert any(read)


@pytest.mark.parametrize("name", sorted(TARGETS))
def test_mutations_are_read_or_refused(name: str) -> None:
    seeds, attempt = TARGETS[name]
    random = np.random.default_rng(5)
    for seed in seeds():
        for _ in range(12):
            data = bytearray(seed)
            for _ in range(int(random.integers(1, 6))):
                if not data:
                    break
                at = int(random.integers(len(data)))
                change = int(random.integers(4))
                if change == 0:
                    data[at] = int(random.integers(256))
                elif change == 1:
                    del data[at : at + int(random.integers(1, 40))]
                elif change == 2:
                    data[at:at] = bytes(random.integers(0, 256, int(random.integers(1, 20)), dtype=np.uint8))
                else:
                    data[at] ^= 1 << int(random.integers(8))
            attempt(bytes(data))
