"""An isolated part of the board played out as a game of its own, compiled; as in `solver.parts`.

A part is isolated when its tiles touch no unknown tile outside of it, and no number that does: whatever is
opened elsewhere tells nothing of it but how many mines it holds. Each of its solutions is weighed by the ways
to lay the other mines on the rest of the board.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from visionsweeper.engine.compiling import compiled, inlined
from visionsweeper.engine.counting import Count
from visionsweeper.engine.endgame import (
    ANYTHING,
    OUT_OF_REACH,
    SOLUTIONS_LIMIT,
    Tree,
    lay,
    lay_box,
    ones,
    search_tree,
    show_solutions,
)
from visionsweeper.engine.position import OPENED, UNKNOWN, PositionArrays
from visionsweeper.engine.structures import by_reference

_MOST_TILES: Final = 60
"""Parts with more tiles have too many solutions, nearly always."""

_MOST_BEYOND: Final = 8
"""Tiles beside no number: each doubles the solutions."""

_HEAVIEST: Final = 1 << 30
"""The weight of the likeliest solutions; lighter ones are rounded, and left out if that gives 0."""


@by_reference
class Part(NamedTuple):
    """Room for finding and weighing a part; T tiles."""

    seen: npt.NDArray[np.uint8]
    """(T,) scratch, 0 between uses."""
    has_box: npt.NDArray[np.uint8]
    """(T,) whether the part has each box, 0 between uses."""
    rest: npt.NDArray[np.float64]
    """(2, T + 2) the other components joined, by mines above their fewest, up to a factor; and scratch."""
    share: npt.NDArray[np.float64]
    """(S,) scratch: the ways to lay the other mines, for each solution, up to a factor."""
    figures: npt.NDArray[np.int64]
    """(3,) what is in `rest`: which row, how many values, the fewest mines."""


def new_part(tiles: int) -> Part:
    """Return arrays for boards with so many tiles."""
    return Part(
        seen=np.zeros(tiles, np.uint8),
        has_box=np.zeros(tiles, np.uint8),
        rest=np.zeros((2, tiles + 2)),
        share=np.zeros(SOLUTIONS_LIMIT + 1),
        figures=np.zeros(3, np.int64),
    )


@inlined
def play_part(p: PositionArrays, c: Count, e: Tree, x: Part, mines: int, start: int) -> int:
    """Return the tile that wins the isolated part around `start` most often; OUT_OF_REACH without one.

    The position must have been counted, with so many mines on its unknown tiles, and no tile be certain.
    """
    tiles = _find_part(p, e, x, start)
    if tiles < 0:
        return OUT_OF_REACH
    e.figures[0] = tiles
    solutions = _list_solutions(p, c, e, x, mines)
    if solutions < 2 or search_tree(e, solutions, True) < 0:
        return OUT_OF_REACH
    return int(e.tile[e.chosen[0]])


@compiled
def _find_part(p: PositionArrays, e: Tree, x: Part, start: int) -> int:
    """Write down the tiles of the part; how many, or -1 beyond the limit."""
    e.tile[0] = start
    x.seen[start] = 1
    top, done = 1, 0
    while done < top <= _MOST_TILES:
        tile = e.tile[done]
        done += 1
        for i in range(p.degree[tile]):
            other = p.around[tile, i]
            if p.state[other] == UNKNOWN:
                top = _note_tile(e, x, top, other)
            elif p.state[other] == OPENED:
                for j in range(p.degree[other]):
                    if p.state[p.around[other, j]] == UNKNOWN:
                        top = _note_tile(e, x, top, p.around[other, j])
    for i in range(top):
        x.seen[e.tile[i]] = 0
    return top if top <= _MOST_TILES else -1


@compiled
def _note_tile(e: Tree, x: Part, top: int, tile: int) -> int:
    # A step beyond the limit is noted, so that it is seen.
    if not x.seen[tile] and top <= _MOST_TILES:
        x.seen[tile] = 1
        e.tile[top] = tile
        top += 1
    return top


@compiled
def _list_solutions(p: PositionArrays, c: Count, e: Tree, x: Part, mines: int) -> int:
    """Write down the part's solutions and weigh them; how many there are, or -1 beyond the limits."""
    tiles, beyond = e.figures[0], 0
    for i in range(tiles):
        e.place[e.tile[i]] = i
        box = c.box_of[e.tile[i]]
        if box < 0:
            beyond += 1
        else:
            x.has_box[box] = 1
    found, now = _lay_components(c, e, x, tiles)
    _join_rest(c, x)
    for i in range(tiles):
        if c.box_of[e.tile[i]] >= 0:
            x.has_box[c.box_of[e.tile[i]]] = 0
    if beyond and found >= 0:
        found = _lay_beyond(c, e, now, found, beyond)
        now = 1 - now
    if found < 0:
        return -1
    found = _weigh_solutions(c, e, x, now, found, mines, c.sizes[3] - beyond)
    show_solutions(p, e, now, found)
    return found


@compiled
def _lay_components(c: Count, e: Tree, x: Part, tiles: int) -> tuple[int, int]:
    """Every solution of the part's components: how many, or -1 beyond the limit, and where they are laid."""
    now, found = 0, 1
    e.laid[0, 0, :tiles] = 0
    e.mines[0, 0] = 0
    for component in range(c.sizes[2]):
        begin, end = c.first_box[component], c.first_box[component + 1]
        if not x.has_box[c.order[begin]]:
            continue
        for s in range(found):
            e.node[now, s] = c.layer[begin + component]
        for at in range(begin, end):
            found = lay_box(c, e, now, found, at, at == end - 1, ANYTHING)
            if found < 0:
                return -1, now
            now = 1 - now
    return found, now


@compiled
def _lay_beyond(c: Count, e: Tree, now: int, found: int, beyond: int) -> int:
    """Every way to lay mines on the part's tiles beside no number; the number of ways, or -1."""
    if beyond > _MOST_BEYOND:
        return -1
    made = 0
    for s in range(found):
        for chosen in range(1 << beyond):
            if made > SOLUTIONS_LIMIT:
                return -1
            lay(c, e, now, s, made, -1, chosen)
            e.mines[1 - now, made] = e.mines[now, s] + ones(chosen)
            made += 1
    return made


@compiled
def _join_rest(c: Count, x: Part) -> None:
    """Join the components that are not of the part."""
    row, length, least = 0, 1, 0
    x.rest[0, 0] = 1.0
    for component in range(c.sizes[2]):
        if x.has_box[c.order[c.first_box[component]]]:
            continue
        ways = c.ways_at[component]
        count = c.ways_at[component + 1] - ways
        least += c.low[component]
        for i in range(length + count - 1):
            x.rest[1 - row, i] = 0.0
        largest = 0.0
        for i in range(length):
            for j in range(count):
                x.rest[1 - row, i + j] += x.rest[row, i] * c.ways[ways + j]
        row = 1 - row
        length += count - 1
        for i in range(length):
            largest = max(largest, x.rest[row, i])
        for i in range(length):
            x.rest[row, i] /= largest
    x.figures[0], x.figures[1], x.figures[2] = row, length, least


@compiled
def _weigh_solutions(c: Count, e: Tree, x: Part, now: int, found: int, mines: int, others: int) -> int:
    """Weigh each solution by the ways to lay the other mines; how many are left, those without any left out.

    `others` are the tiles beside no number that are not of the part.
    """
    scale = -np.inf
    for s in range(found):
        for i in range(x.figures[1]):
            if x.rest[x.figures[0], i] > 0.0:
                scale = max(scale, _log_ways(c, others, mines - x.figures[2] - e.mines[now, s] - i))
    heaviest, last, same = 0.0, -1, 0.0
    for s in range(found):
        if e.mines[now, s] != last:  # else it is the weight of the solution before
            last, same = e.mines[now, s], 0.0
            for i in range(x.figures[1]):
                log_ways = _log_ways(c, others, mines - x.figures[2] - last - i)
                same += x.rest[x.figures[0], i] * np.exp(log_ways - scale)
        x.share[s] = same
        heaviest = max(heaviest, same)
    kept = 0
    for s in range(found):
        weight = np.int64(x.share[s] / heaviest * _HEAVIEST + 0.5)
        if weight > 0:
            e.weight[kept] = weight
            for i in range(e.figures[0]):
                e.laid[now, kept, i] = e.laid[now, s, i]
            kept += 1
    return kept


@compiled
def _log_ways(c: Count, tiles: int, mines: int) -> float:
    """Return the logarithm of the ways to lay mines on tiles; minus infinity where there are none."""
    if mines < 0 or mines > tiles:
        return -np.inf
    ways: float = c.log_factorial[tiles] - c.log_factorial[mines] - c.log_factorial[tiles - mines]
    return ways
