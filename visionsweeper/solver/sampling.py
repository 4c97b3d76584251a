"""Uniformly random solutions of a whole board."""

from __future__ import annotations

from collections.abc import Sequence
from operator import mul
from typing import TYPE_CHECKING

from visionsweeper.geometry import Position
from visionsweeper.solver.constraints import bit_indices
from visionsweeper.solver.counting import Polynomial
from visionsweeper.solver.joining import multiply, relative_binomials
from visionsweeper.solver.odds import Odds
from visionsweeper.solver.random_integers import below

if TYPE_CHECKING:
    from visionsweeper.solver.random_integers import Rng


def random_mines(odds: Odds, rng: Rng) -> tuple[Position, ...]:
    """Return the covered mines of a uniformly random solution of the whole board, in reading order.

    In local scope, of the tiles next to numbers only.
    """
    system = odds.system
    found = system.list_tiles(system.mines)
    parts = odds.components
    if odds.mines is None:
        for part in parts:
            found += filter(system.in_view, part.random(rng))
        return tuple(sorted(found))
    # Polynomials of the components from each on; the mine counts are drawn one after the other with them.
    suffixes: list[Polynomial] = [(0, (1,))]
    for part in reversed(parts):
        suffixes.append(multiply([suffixes[-1], (part.low, part.totals)]))
    suffixes.reverse()
    low, totals = suffixes[0]
    others = bit_indices(system.non_frontier)
    left = odds.mines_left
    weights = list(map(mul, totals, relative_binomials(len(others), left - low, len(totals))))
    held = low + _drawn(rng, weights)
    left -= held
    for part, (low, totals) in zip(parts, suffixes[1:], strict=True):
        weights = [
            own * (totals[rest] if 0 <= (rest := held - mines - low) < len(totals) else 0)
            for mines, own in enumerate(part.totals, part.low)
        ]
        mines = part.low + _drawn(rng, weights)
        found += part.random(rng, mines)
        held -= mines
    for at in range(left):
        other = at + below(rng, len(others) - at)
        others[at], others[other] = others[other], others[at]
    return tuple(sorted(found + [system.tile(bit) for bit in others[:left]]))


def _drawn(rng: Rng, weights: Sequence[int]) -> int:
    """Draw an index with these weights."""
    rank = below(rng, sum(weights))
    for index, weight in enumerate(weights):
        if rank < weight:
            return index
        rank -= weight
    raise AssertionError
