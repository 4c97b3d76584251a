"""Which tile to guess, compiled: what each candidate may show is tried, and what it leaves is weighed."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from visionsweeper.engine.compiling import compiled, inlined
from visionsweeper.engine.counting import (
    CERTAINLY_SAFE,
    FITS,
    Count,
    count_solutions,
    new_count,
    share_out,
)
from visionsweeper.engine.position import (
    COUNT_MINED,
    COUNT_SAFE,
    COUNT_UNKNOWN,
    UNKNOWN,
    PositionArrays,
    copy_position,
    mines_around,
    new_position,
    settle,
    show,
)
from visionsweeper.engine.structures import by_reference

SURVIVAL_WEIGHT: Final = 0.92
"""Of a candidate's score, the share of surviving it and the best tile after it; the rest is progress."""

TILES_LOOKED_INTO: Final = 12
"""Candidates looked into at most."""

NON_FRONTIER_LOOKED_INTO: Final = 4
"""Tiles beside no number have the same odds: so many of them are candidates at most."""


@by_reference
class LookaheadBuffers(NamedTuple):
    """Arrays that looking ahead works in; T tiles."""

    position: PositionArrays
    """The position after a guess."""
    solutions: Count
    """The solutions of that position."""
    candidate: npt.NDArray[np.int32]
    """(T,) tiles to look into."""
    rank: npt.NDArray[np.float64]
    """(T,) the lower, the earlier; negative once looked into."""
    alike: npt.NDArray[np.int32]
    """(4,) scratch: candidates beside no number."""
    alike_rank: npt.NDArray[np.float64]
    """(4,) scratch: their ranks."""


def new_lookahead(rows: int, columns: int) -> LookaheadBuffers:
    """Return arrays for boards of this size."""
    tiles = rows * columns
    return LookaheadBuffers(
        position=new_position(rows, columns),
        solutions=new_count(tiles),
        candidate=np.zeros(tiles, np.int32),
        rank=np.zeros(tiles),
        alike=np.zeros(NON_FRONTIER_LOOKED_INTO, np.int32),
        alike_rank=np.zeros(NON_FRONTIER_LOOKED_INTO),
    )


@compiled
def least_likely(p: PositionArrays, c: Count) -> int:
    """Return the unknown tile with the lowest probability, the first of equal ones."""
    best = -1
    for tile in range(p.state.size):
        if p.state[tile] == UNKNOWN and (best < 0 or c.probability[tile] < c.probability[best] - 1e-12):
            best = tile
    return best


@inlined
def best_guess(p: PositionArrays, c: Count, x: LookaheadBuffers, mines: int) -> int:
    """Return the tile to guess in a counted position without a certain tile; `mines` are all of the board."""
    candidate, rank = x.candidate, x.rank
    after, after_count = x.position, x.solutions
    candidates = _find_candidates(p, c, x)
    best, best_score = -1, -1.0
    for _ in range(min(candidates, TILES_LOOKED_INTO)):
        at = 0
        for i in range(1, candidates):
            if rank[at] < 0 or 0 <= rank[i] < rank[at]:
                at = i
        tile = candidate[at]
        rank[at] = -1.0
        if 1.0 - c.probability[tile] <= best_score:  # no score is above the safety
            break
        score = _score(p, c, after, after_count, tile, mines)
        if score > best_score:
            best, best_score = tile, score
    return best


@compiled
def _find_candidates(p: PositionArrays, c: Count, x: LookaheadBuffers) -> int:
    """Tiles beside numbers, and of the others the likeliest zeros and those nearest to the numbers."""
    found = 0
    candidate, rank = x.candidate, x.rank
    alike, ranks = x.alike, x.alike_rank
    alike[:] = -1
    ranks[:] = 1e9
    for tile in range(p.state.size):
        if p.state[tile] != UNKNOWN:
            continue
        if c.box_of[tile] >= 0:
            if c.certain[tile] == 0:
                candidate[found] = tile
                rank[found] = c.probability[tile] + 1e-9 * p.unknown[tile]
                found += 1
            continue
        near = 0
        for i in range(p.degree[tile]):
            other = p.around[tile, i]
            if p.state[other] == UNKNOWN and c.box_of[other] >= 0:
                near += 1
        for kind in range(2):
            value = p.unknown[tile] - 16.0 * near * kind
            first = 2 * kind
            if value < ranks[first]:
                ranks[first + 1], alike[first + 1] = ranks[first], alike[first]
                ranks[first], alike[first] = value, tile
            elif value < ranks[first + 1]:
                ranks[first + 1], alike[first + 1] = value, tile
    for i in range(NON_FRONTIER_LOOKED_INTO):
        tile = alike[i]
        again = False
        for j in range(i):
            again |= alike[j] == tile
        if tile >= 0 and not again:
            candidate[found] = tile
            rank[found] = c.probability[tile] + 1e-9 * p.unknown[tile] + 1e-8
            found += 1
    return found


@inlined
def _score(
    p: PositionArrays, c: Count, after: PositionArrays, after_count: Count, tile: int, mines: int
) -> float:
    """Survival of this tile and the safest after it, and progress: making another tile certainly safe."""
    survival, progress, seen = 0.0, 0.0, 0.0
    known = mines_around(p, tile)
    for number in range(known, known + p.unknown[tile] + 1):
        if seen >= 1.0 - c.probability[tile] - 1e-9:
            break
        chance = _try_number(p, c, after, after_count, tile, number, mines)
        if chance > 0.0:
            seen += chance
            safety = _safest(after, after_count, mines)
            survival += chance * safety
            if safety == 1.0:
                progress += chance
    return SURVIVAL_WEIGHT * survival + (1.0 - SURVIVAL_WEIGHT) * progress


@inlined
def _try_number(
    p: PositionArrays, c: Count, after: PositionArrays, after_count: Count, tile: int, number: int, mines: int
) -> float:
    """Open a tile in thought: the probability that it shows this number, and the position then, settled."""
    copy_position(p, after)
    show(after, tile, number)
    if not settle(after):
        return 0.0
    if count_solutions(after, after_count, mines - after.tally[COUNT_MINED]) != FITS:
        return 0.0
    chance: float = np.exp(after_count.figures[0] - c.figures[0])
    return chance


@compiled
def _safest(p: PositionArrays, c: Count, mines: int) -> float:
    """Return the safety of the safest tile; 1 where one is certain, or where only mines are left."""
    if p.tally[COUNT_SAFE] or p.tally[COUNT_UNKNOWN] == mines - p.tally[COUNT_MINED]:
        return 1.0
    share_out(p, c)
    least = 1.0
    for tile in range(p.state.size):
        if p.state[tile] == UNKNOWN:
            if c.certain[tile] == CERTAINLY_SAFE:
                return 1.0
            least = min(least, c.probability[tile])
    return 1.0 - least
