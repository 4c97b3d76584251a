"""Many games one after another, compiled: dealing, playing by one technique, and keeping count."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from visionsweeper.engine.compiling import compiled, compiled_and_kept, inlined
from visionsweeper.engine.counting import (
    CERTAINLY_SAFE,
    FITS,
    Count,
    count_odds,
    new_count,
)
from visionsweeper.engine.deductions import apply_subsets, search_contradictions
from visionsweeper.engine.elimination import Matrix, eliminate, new_matrix
from visionsweeper.engine.endgame import SOLUTIONS_LIMIT, Tree, new_tree, play_out
from visionsweeper.engine.lookahead import LookaheadBuffers, best_guess, least_likely, new_lookahead
from visionsweeper.engine.parts import Part, new_part, play_part
from visionsweeper.engine.position import (
    COUNT_MINED,
    COUNT_OPENED,
    COUNT_SAFE,
    UNKNOWN,
    PositionArrays,
    clear,
    forget_changes,
    mark_mine,
    mark_safe,
    new_position,
    settle,
    show,
)
from visionsweeper.engine.structures import by_reference

# By their places in `simulation.techniques.TECHNIQUES`.
_SUBSET: Final = 1
_GAUSS: Final = 2
_CONTRADICTION: Final = 3
_EXACT: Final = 4
_BEST: Final = 6

WON: Final = 0
STUCK: Final = 1
LOST: Final = 2
_GOES_ON: Final = 3

FROM_POSITION: Final = 3
"""In the place of a rule for the first click: games go on from the table's position."""

BINS: Final = 20
"""Of the odds, for calibration."""

PARTS_OF_ONE: Final = 1_000_000_000
"""Sums of probabilities are kept as whole numbers, so that they do not depend on their order."""


@by_reference
class Table(NamedTuple):
    """Everything that playing games of one size needs, and what came of them."""

    position: PositionArrays
    solutions: Count
    matrix: Matrix
    tree: Tree
    part: Part
    lookahead: LookaheadBuffers
    mine: npt.NDArray[np.uint8]
    """(T,) the truth."""
    opened: npt.NDArray[np.uint8]
    """(T,) 1 for the tiles that are open where games go on from a position."""
    pool: npt.NDArray[np.int64]
    """(T,) scratch."""
    inside: npt.NDArray[np.uint8]
    """(T,) scratch, 0 between uses."""
    ends: npt.NDArray[np.int64]
    """(3,) games won, stuck and lost."""
    guesses: npt.NDArray[np.int64]
    """(2,) uncertain tiles opened after the first click, and the games that had any."""
    said: npt.NDArray[np.int64]
    """(3, BINS) of the unknown tiles before each guess, by their odds: how many, the sum of their odds in
    PARTS_OF_ONE, and how many held a mine."""


def new_table(rows: int, columns: int) -> Table:
    """Return arrays for boards of this size."""
    tiles = rows * columns
    return Table(
        position=new_position(rows, columns),
        solutions=new_count(tiles),
        matrix=new_matrix(rows, columns),
        tree=new_tree(tiles),
        part=new_part(tiles),
        lookahead=new_lookahead(rows, columns),
        mine=np.zeros(tiles, np.uint8),
        opened=np.zeros(tiles, np.uint8),
        pool=np.zeros(tiles, np.int64),
        inside=np.zeros(tiles, np.uint8),
        ends=np.zeros(3, np.int64),
        guesses=np.zeros(2, np.int64),
        said=np.zeros((3, BINS), np.int64),
    )


def play_games(
    t: Table,
    technique: int,
    first_click: int,
    starts: npt.NDArray[np.int64],
    draws: npt.NDArray[np.uint32],
) -> None:
    """Play one game for every start, adding to the table's counts.

    `technique` and `first_click` are places in TECHNIQUES of `simulation.techniques` and FIRST_CLICK_RULES of
    `game.rules`. `starts` is (G,): the first tile of each. `draws` is (G, mines): random bits that lay its
    mines. With FROM_POSITION as `first_click` `draws` are the tiles that hold them, and only the number of
    `starts` counts.
    """
    entry_of(technique)(t, technique, first_click, starts, draws)


def entry_of(technique: int) -> Callable[..., None]:
    """Return the compiled function that plays by a technique: each compiles only what it needs."""
    if technique == _GAUSS:
        return _play_by_elimination
    if technique < _EXACT:
        return _play_by_numbers
    return _play_at_best if technique == _BEST else _play_by_counting


@compiled_and_kept
def _play_by_numbers(
    t: Table,
    technique: int,
    first_click: int,
    starts: npt.NDArray[np.int64],
    draws: npt.NDArray[np.uint32],
) -> None:
    for game in range(starts.size):
        end = _begin(t, first_click, starts[game], draws[game])
        while end == _GOES_ON:
            end = _open_safe(t.position, t.mine, draws.shape[1], False)
            if end == _GOES_ON and not _settle(t, technique):
                end = STUCK
        t.ends[end] += 1


@compiled_and_kept
def _play_by_elimination(
    t: Table,
    technique: int,
    first_click: int,
    starts: npt.NDArray[np.int64],
    draws: npt.NDArray[np.uint32],
) -> None:
    for game in range(starts.size):
        end = _begin(t, first_click, starts[game], draws[game])
        while end == _GOES_ON:
            end = _open_safe(t.position, t.mine, draws.shape[1], True)
            if end == _GOES_ON:
                forget_changes(t.position)
                if not eliminate(t.position, t.matrix):
                    end = STUCK
        t.ends[end] += 1


@compiled_and_kept
def _play_by_counting(
    t: Table,
    technique: int,
    first_click: int,
    starts: npt.NDArray[np.int64],
    draws: npt.NDArray[np.uint32],
) -> None:
    for game in range(starts.size):
        end, guesses = _begin(t, first_click, starts[game], draws[game]), 0
        while end == _GOES_ON:
            end = _open_certain(t, draws.shape[1])
            if end == _GOES_ON and technique == _EXACT:
                end = STUCK
            elif end == _GOES_ON:
                _note_odds(t)
                mark_safe(t.position, least_likely(t.position, t.solutions))
                guesses += 1
        t.ends[end] += 1
        _note_guesses(t, guesses)


@compiled_and_kept
def _play_at_best(
    t: Table,
    technique: int,
    first_click: int,
    starts: npt.NDArray[np.int64],
    draws: npt.NDArray[np.uint32],
) -> None:
    for game in range(starts.size):
        end, guesses = _begin(t, first_click, starts[game], draws[game]), 0
        while end == _GOES_ON:
            end = _open_certain(t, draws.shape[1])
            if end == _GOES_ON:
                _note_odds(t)
                mark_safe(t.position, _best_tile(t, draws.shape[1]))
                guesses += 1
        t.ends[end] += 1
        _note_guesses(t, guesses)


@inlined
def _open_certain(t: Table, mines: int) -> int:
    """Open all that an exact count makes certain: LOST, WON, STUCK (too wide to count) or _GOES_ON."""
    while True:
        end = _open_safe(t.position, t.mine, mines, False)
        if end != _GOES_ON:
            return end
        if _settle(t, _SUBSET):
            continue
        certain = _mark_certain(t, mines)
        if certain < 0:
            return STUCK
        if certain == 0:
            return _GOES_ON


@inlined
def _begin(t: Table, first_click: int, start: int, draws: npt.NDArray[np.uint32]) -> int:
    """Deal a game and click its first tile, or take it up: LOST, or _GOES_ON."""
    if first_click == FROM_POSITION:
        _take_up(t, draws)
        return _GOES_ON
    _deal(t.position, t.mine, t.pool, start, first_click, draws)
    clear(t.position)
    if t.mine[start]:
        return LOST
    mark_safe(t.position, start)
    return _GOES_ON


@compiled
def _take_up(t: Table, mines: npt.NDArray[np.uint32]) -> None:
    """Lay the mines on these tiles, and show what is open in the table's position."""
    p, mine = t.position, t.mine
    mine[:] = 0
    for k in range(mines.size):
        mine[mines[k]] = 1
    clear(p)
    for tile in range(mine.size):
        if t.opened[tile]:
            show(p, tile, _number(p, mine, tile))


@compiled
def _number(p: PositionArrays, mine: npt.NDArray[np.uint8], tile: int) -> int:
    """Mines around a tile."""
    number = 0
    for i in range(p.degree[tile]):
        number += mine[p.around[tile, i]]
    return number


@compiled
def _deal(
    p: PositionArrays,
    mine: npt.NDArray[np.uint8],
    pool: npt.NDArray[np.int64],
    start: int,
    first_click: int,
    draws: npt.NDArray[np.uint32],
) -> None:
    """Lay the mines, all ways alike, where the rule of the first click allows."""
    mine[:] = 0
    if first_click >= 1:
        mine[start] = 1
    if first_click >= 2:
        for i in range(p.degree[start]):
            mine[p.around[start, i]] = 1
    free = 0
    for tile in range(mine.size):
        if not mine[tile]:
            pool[free] = tile
            free += 1
    mine[:] = 0
    for k in range(draws.size):
        # A number below what is left, from 32 random bits.
        chosen = k + (np.int64(draws[k]) * (free - k) >> 32)
        mine[pool[chosen]] = 1
        pool[chosen] = pool[k]


@compiled
def _open_safe(p: PositionArrays, mine: npt.NDArray[np.uint8], mines: int, around_zeros: bool) -> int:
    """Open all that is safe, and with `around_zeros` what is around zeros: LOST, WON or _GOES_ON."""
    while p.tally[COUNT_SAFE]:
        p.tally[COUNT_SAFE] -= 1
        tile = p.safe[p.tally[COUNT_SAFE]]
        if mine[tile]:
            return LOST
        number = _number(p, mine, tile)
        show(p, tile, number)
        if around_zeros and number == 0:
            for i in range(p.degree[tile]):
                if p.state[p.around[tile, i]] == UNKNOWN:
                    mark_safe(p, p.around[tile, i])
    return WON if p.tally[COUNT_OPENED] == p.state.size - mines else _GOES_ON


@compiled
def _settle(t: Table, technique: int) -> bool:
    """Whether single numbers find anything safe, or what the technique adds to them."""
    p = t.position
    settle(p)
    if p.tally[COUNT_SAFE]:
        return True
    if technique == _CONTRADICTION:
        return search_contradictions(p, t.lookahead.position)
    if technique == _SUBSET:
        apply_subsets(p, t.inside)
    return p.tally[COUNT_SAFE] > 0  # type: ignore[no-any-return]


@inlined
def _mark_certain(t: Table, mines: int) -> int:
    """Mark what an exact count makes certain: how many tiles; -1 where the frontier is too wide to count."""
    p, c = t.position, t.solutions
    if count_odds(p, c, mines - p.tally[COUNT_MINED]) != FITS:
        return -1
    if c.sizes[5]:
        for tile in range(p.state.size):
            if p.state[tile] == UNKNOWN and c.certain[tile]:
                if c.certain[tile] == CERTAINLY_SAFE:
                    mark_safe(p, tile)
                else:
                    mark_mine(p, tile)
    return int(c.sizes[5])


@inlined
def _best_tile(t: Table, mines: int) -> int:
    p, c = t.position, t.solutions
    if c.figures[0] < np.log(SOLUTIONS_LIMIT + 0.5):
        tile, _, _ = play_out(p, c, t.tree, mines - p.tally[COUNT_MINED])
        if tile >= 0:
            return tile
    tile = best_guess(p, c, t.lookahead, mines)
    # In a part that is a game of its own, what wins it most often.
    in_part = play_part(p, c, t.tree, t.part, mines - p.tally[COUNT_MINED], tile)
    return in_part if in_part >= 0 else tile


@compiled
def _note_guesses(t: Table, guesses: int) -> None:
    t.guesses[0] += guesses
    if guesses:
        t.guesses[1] += 1


@compiled
def _note_odds(t: Table) -> None:
    p, c, said = t.position, t.solutions, t.said
    for tile in range(p.state.size):
        if p.state[tile] == UNKNOWN:
            chance = c.probability[tile]
            place = min(int(chance * BINS), BINS - 1)
            said[0, place] += 1
            said[1, place] += int(chance * PARTS_OF_ONE + 0.5)
            said[2, place] += t.mine[tile]
