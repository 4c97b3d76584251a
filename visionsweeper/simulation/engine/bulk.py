"""Many games one after another, compiled: dealing, playing by one technique, and keeping count."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from visionsweeper.simulation.engine.compiling import compiled, compiled_and_kept
from visionsweeper.simulation.engine.counting import (
    CERTAINLY_SAFE,
    FITS,
    TOO_WIDE,
    Count,
    count_odds,
    new_count,
)
from visionsweeper.simulation.engine.deductions import apply_subsets, search_contradictions
from visionsweeper.simulation.engine.elimination import Matrix, eliminate, new_matrix
from visionsweeper.simulation.engine.endgame import SOLUTIONS_LIMIT, Tree, new_tree, play_out
from visionsweeper.simulation.engine.lookahead import Thought, best_guess, least_likely, new_thought
from visionsweeper.simulation.engine.position import (
    COUNT_MINED,
    COUNT_OPENED,
    COUNT_SAFE,
    UNKNOWN,
    Position,
    clear,
    forget_changes,
    mark_mine,
    mark_safe,
    new_position,
    settle,
    show,
)

# By their places in `simulation.techniques.TECHNIQUES`.
_SUBSET: Final = 1
_GAUSS: Final = 2
_CONTRADICTION: Final = 3
_EXACT: Final = 4
_BEST: Final = 6

WON: Final = 0
STUCK: Final = 1
LOST: Final = 2

BINS: Final = 20
"""Of the odds, for calibration."""

PARTS_OF_ONE: Final = 1_000_000_000
"""Sums of probabilities are kept as whole numbers, so that they do not depend on their order."""


class Table(NamedTuple):
    """Everything that playing games of one size needs, and what came of them."""

    position: Position
    solutions: Count
    matrix: Matrix
    tree: Tree
    thought: Thought
    mine: npt.NDArray[np.uint8]
    """(T,) the truth."""
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
    """Room for boards of this size."""
    tiles = rows * columns
    return Table(
        position=new_position(rows, columns),
        solutions=new_count(tiles),
        matrix=new_matrix(rows, columns),
        tree=new_tree(tiles),
        thought=new_thought(rows, columns),
        mine=np.zeros(tiles, np.uint8),
        pool=np.zeros(tiles, np.int64),
        inside=np.zeros(tiles, np.uint8),
        ends=np.zeros(3, np.int64),
        guesses=np.zeros(2, np.int64),
        said=np.zeros((3, BINS), np.int64),
    )


@compiled_and_kept
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
    mines.
    """
    # Taken apart once: handing many arrays on with every call would cost more than the play.
    p, c, m, e, x = t.position, t.solutions, t.matrix, t.tree, t.thought
    mine, inside, guesses, said = t.mine, t.inside, t.guesses, t.said
    for game in range(starts.size):
        _deal(p, mine, t.pool, starts[game], first_click, draws[game])
        before = guesses[0]
        end = _play(p, c, m, e, x, mine, inside, guesses, said, technique, draws.shape[1], starts[game])
        t.ends[end] += 1
        if guesses[0] > before:
            guesses[1] += 1


@compiled
def _deal(
    p: Position,
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
def _play(
    p: Position,
    c: Count,
    m: Matrix,
    e: Tree,
    x: Thought,
    mine: npt.NDArray[np.uint8],
    inside: npt.NDArray[np.uint8],
    guesses: npt.NDArray[np.int64],
    said: npt.NDArray[np.int64],
    technique: int,
    mines: int,
    start: int,
) -> int:
    clear(p)
    if mine[start]:
        return LOST
    mark_safe(p, start)
    while True:
        if not _open_safe(p, mine, technique == _GAUSS):
            return LOST
        if p.tally[COUNT_OPENED] == p.state.size - mines:
            return WON
        if technique == _GAUSS:
            forget_changes(p)
            if eliminate(p, m):
                continue
            return STUCK
        if _find_certain(p, c, x, inside, technique, mines):
            continue
        if technique <= _EXACT:
            return STUCK
        if c.sizes[5] != 0:  # frontier too wide to count
            return STUCK
        _note_odds(p, c, mine, said)
        mark_safe(p, _guess(p, c, e, x, technique, mines))
        guesses[0] += 1


@compiled
def _open_safe(p: Position, mine: npt.NDArray[np.uint8], around_zeros: bool) -> bool:
    """Open all that is safe, and with `around_zeros` what is around zeros; False when it was a mine."""
    while p.tally[COUNT_SAFE]:
        p.tally[COUNT_SAFE] -= 1
        tile = p.safe[p.tally[COUNT_SAFE]]
        if mine[tile]:
            return False
        number = 0
        for i in range(p.degree[tile]):
            number += mine[p.around[tile, i]]
        show(p, tile, number)
        if around_zeros and number == 0:
            for i in range(p.degree[tile]):
                if p.state[p.around[tile, i]] == UNKNOWN:
                    mark_safe(p, p.around[tile, i])
    return True


@compiled
def _find_certain(  # noqa: PLR0911 - one step of the ladder after the other
    p: Position, c: Count, x: Thought, inside: npt.NDArray[np.uint8], technique: int, mines: int
) -> bool:
    """Whether the technique finds anything certain; cheaper ones that it includes go first."""
    settle(p)
    if p.tally[COUNT_SAFE]:
        return True
    if technique == _CONTRADICTION:
        return search_contradictions(p, x.position)
    if technique >= _SUBSET:
        apply_subsets(p, inside)
        if p.tally[COUNT_SAFE]:
            return True
    if technique < _EXACT:
        return False
    if count_odds(p, c, mines - p.tally[COUNT_MINED]) != FITS:
        c.sizes[5] = TOO_WIDE
        return False
    if c.sizes[5] == 0:
        return False
    for tile in range(p.state.size):
        if p.state[tile] == UNKNOWN and c.certain[tile]:
            if c.certain[tile] == CERTAINLY_SAFE:
                mark_safe(p, tile)
            else:
                mark_mine(p, tile)
    return True


@compiled
def _guess(p: Position, c: Count, e: Tree, x: Thought, technique: int, mines: int) -> int:
    if technique == _BEST:
        if c.figures[0] < np.log(SOLUTIONS_LIMIT + 0.5):
            tile, _, _ = play_out(p, c, e, mines - p.tally[COUNT_MINED])
            if tile >= 0:
                return tile
        return best_guess(p, c, x, mines)
    return least_likely(p, c)


@compiled
def _note_odds(p: Position, c: Count, mine: npt.NDArray[np.uint8], said: npt.NDArray[np.int64]) -> None:
    for tile in range(p.state.size):
        if p.state[tile] == UNKNOWN:
            chance = c.probability[tile]
            place = min(int(chance * BINS), BINS - 1)
            said[0, place] += 1
            said[1, place] += int(chance * PARTS_OF_ONE + 0.5)
            said[2, place] += mine[tile]
