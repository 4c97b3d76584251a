"""Uniformly random whole numbers of any size, from either of the usual generators."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    # Both take a while to load, and whoever has a generator has loaded its own.
    import random

    import numpy as np

    Rng: TypeAlias = np.random.Generator | random.Random
    """A seeded generator, NumPy's or the standard library's."""


def below(rng: Rng, bound: int) -> int:
    """Return a uniformly random whole number from 0 to bound - 1; `bound` is at least 1, of any size."""
    if hasattr(rng, "randrange"):
        return rng.randrange(bound)
    bits = (bound - 1).bit_length()
    while True:  # rejection keeps it exactly uniform; half of the draws or more are kept
        drawn = int.from_bytes(rng.bytes((bits + 7) // 8), "little") & ((1 << bits) - 1)
        if drawn < bound:
            return drawn
