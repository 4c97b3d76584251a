"""The end of a game played out over its solutions, compiled; the search of `solver.endgame`.

A position is the set of solutions that what was opened leaves. A tile that is safe in all of them can be
opened for nothing; the game is won once a single solution is left.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from visionsweeper.engine.compiling import compiled, inlined
from visionsweeper.engine.counting import Count
from visionsweeper.engine.position import UNKNOWN, PositionArrays, mines_around
from visionsweeper.engine.structures import by_reference

SOLUTIONS_LIMIT: Final = 500
"""Positions with more solutions are not searched."""

WORK_LIMIT: Final = 2_000_000
"""Solutions times tiles looked at before a search gives up: some milliseconds."""

OUT_OF_REACH: Final = -1

ANYTHING: Final = -(1 << 30)
"""No place of `Count.after`: whatever follows is allowed."""

_MINE: Final = 9
_MOST_TILES: Final = 128
_MOST_BEYOND: Final = 20
_DEPTH: Final = 64
_KNOWN_SETS: Final = 1 << 15
_TRIES: Final = 8


@by_reference
class Tree(NamedTuple):
    """Room for a search: S solutions at most, U unknown tiles at most."""

    tile: npt.NDArray[np.int32]
    """(U,) the unknown tiles."""
    place: npt.NDArray[np.int32]
    """(T,) and back."""
    laid: npt.NDArray[np.uint8]
    """(2, S, U) mines of solutions in the making, and of the step before."""
    node: npt.NDArray[np.int32]
    """(2, S) the node of the count that each has come to."""
    mines: npt.NDArray[np.int32]
    """(2, S) mines in the components that are done."""
    shows: npt.NDArray[np.uint8]
    """(S, U) what each tile would show, 9 for a mine."""
    code: npt.NDArray[np.int64]
    """(S,) random bits of each solution; a set's are combined by exclusive or."""
    weight: npt.NDArray[np.int64]
    """(S,) what each solution counts for, where not all count alike: wins are sums of it."""
    member: npt.NDArray[np.int32]
    """Stack of sets, as solution indices."""
    guess: npt.NDArray[np.int32]
    """(depth, U) tiles to try, safest first."""
    bound: npt.NDArray[np.int64]
    """(depth, U) the weight of the solutions in which each is safe."""
    known_code: npt.NDArray[np.int64]
    """Hash table of the sets whose wins are known."""
    known_wins: npt.NDArray[np.int64]
    """Their wins."""
    known_search: npt.NDArray[np.int64]
    """The search that found them."""
    low: npt.NDArray[np.int32]
    """(depth,) where the set of each depth begins in `member`."""
    high: npt.NDArray[np.int32]
    """(depth,) where it ends."""
    guesses: npt.NDArray[np.int32]
    """(depth,) tiles worth guessing."""
    turn: npt.NDArray[np.int32]
    """(depth,) the one whose turn it is."""
    number: npt.NDArray[np.int32]
    """(depth,) the number that it shows next."""
    wins: npt.NDArray[np.int64]
    """(depth,) its wins, as far as known: an upper bound."""
    best: npt.NDArray[np.int64]
    """(depth,) wins of the best so far."""
    chosen: npt.NDArray[np.int32]
    """(depth,) and which it is."""
    figures: npt.NDArray[np.int64]
    """(4,) unknown tiles, number of this search, work done, whether solutions have weights."""


def new_tree(tiles: int) -> Tree:
    """Return arrays for positions with so many tiles, some 1 MB."""
    most = SOLUTIONS_LIMIT + 1
    return Tree(
        tile=np.zeros(_MOST_TILES, np.int32),
        place=np.zeros(tiles, np.int32),
        laid=np.zeros((2, most, _MOST_TILES), np.uint8),
        node=np.zeros((2, most), np.int32),
        mines=np.zeros((2, most), np.int32),
        shows=np.zeros((most, _MOST_TILES), np.uint8),
        code=np.random.default_rng(2013).integers(-(1 << 63), 1 << 63, most, dtype=np.int64),
        weight=np.zeros(most, np.int64),
        member=np.zeros(most * _DEPTH, np.int32),
        guess=np.zeros((_DEPTH, _MOST_TILES), np.int32),
        bound=np.zeros((_DEPTH, _MOST_TILES), np.int64),
        known_code=np.zeros(_KNOWN_SETS, np.int64),
        known_wins=np.zeros(_KNOWN_SETS, np.int64),
        known_search=np.zeros(_KNOWN_SETS, np.int64),
        low=np.zeros(_DEPTH, np.int32),
        high=np.zeros(_DEPTH, np.int32),
        guesses=np.zeros(_DEPTH, np.int32),
        turn=np.zeros(_DEPTH, np.int32),
        number=np.zeros(_DEPTH, np.int32),
        wins=np.zeros(_DEPTH, np.int64),
        best=np.zeros(_DEPTH, np.int64),
        chosen=np.zeros(_DEPTH, np.int32),
        figures=np.zeros(4, np.int64),
    )


@inlined
def play_out(p: PositionArrays, c: Count, e: Tree, mines: int) -> tuple[int, int, int]:
    """Return the tile that wins most often, in how many solutions, and of how many.

    The position must have been counted, with so many mines on its unknown tiles, and no tile be certain.
    (OUT_OF_REACH, 0, 0) beyond the limits.
    """
    solutions = _list_solutions(p, c, e, mines)
    if solutions < 0:
        return OUT_OF_REACH, 0, 0
    wins = search_tree(e, solutions, False)
    if wins < 0:
        return OUT_OF_REACH, 0, 0
    return int(e.tile[e.chosen[0]]), wins, solutions


@compiled
def _list_solutions(p: PositionArrays, c: Count, e: Tree, mines: int) -> int:
    """Write down what every tile shows in every solution; their number, or -1 where they are too many."""
    unknown = 0
    for tile in range(p.state.size):
        if p.state[tile] == UNKNOWN:
            if unknown == _MOST_TILES:
                return -1
            e.tile[unknown] = tile
            e.place[tile] = unknown
            unknown += 1
    e.figures[0] = unknown
    now, found, least = 0, 1, 0
    e.laid[0, 0, :unknown] = 0
    e.mines[0, 0] = 0
    for component in range(c.sizes[2]):
        begin, end = c.first_box[component], c.first_box[component + 1]
        least += c.low[component]
        for s in range(found):
            e.node[now, s] = c.layer[begin + component]
        for at in range(begin, end):
            # Where a component ends, the mines so far must leave the rest of the board something that fits.
            after = c.after_at[component + 1] - least
            found = lay_box(c, e, now, found, at, at == end - 1, after)
            if found < 0:
                return -1
            now = 1 - now
    if c.sizes[3] > _MOST_BEYOND:
        return -1
    if c.sizes[3]:
        found = _lay_off_frontier(c, e, now, found, mines)
        now = 1 - now
    show_solutions(p, e, now, found)
    return found


@compiled
def show_solutions(p: PositionArrays, e: Tree, now: int, found: int) -> None:
    """Fill in `e.shows` from what is laid."""
    for i in range(e.figures[0]):
        tile = e.tile[i]
        known = mines_around(p, tile)
        for s in range(found):
            shown = known
            for j in range(p.degree[tile]):
                other = p.around[tile, j]
                if p.state[other] == UNKNOWN:
                    shown += e.laid[now, s, e.place[other]]
            e.shows[s, i] = _MINE if e.laid[now, s, i] else shown


@compiled
def lay_box(c: Count, e: Tree, now: int, found: int, at: int, ends: bool, after: int) -> int:
    """Lay mines in one box in every way; return the number of ways, or -1 beyond the limit.

    Where it `ends` its component, `after` plus the mines so far is the place of what follows in `c.after`;
    with ANYTHING whatever may follow is allowed.
    """
    box = c.order[at]
    made = 0
    for s in range(found):
        move = c.first_move[e.node[now, s]]
        while move < c.box_moves[at + 1] and c.move_from[move] == e.node[now, s]:
            to, wanted = c.move_to[move], c.move_mines[move]
            move += 1
            mines = e.mines[now, s] + (c.state_2[to] if ends else 0)
            if not c.alive[to] or (ends and after != ANYTHING and not c.after_fits[after + mines]):
                continue
            for chosen in range(1 << c.box_size[box]):
                if ones(chosen) == wanted:
                    if made > SOLUTIONS_LIMIT:
                        return -1
                    lay(c, e, now, s, made, box, chosen)
                    e.node[1 - now, made] = to
                    e.mines[1 - now, made] = mines
                    made += 1
    return made


@compiled
def _lay_off_frontier(c: Count, e: Tree, now: int, found: int, mines: int) -> int:
    """Every way to lay what is left on the tiles beside no number."""
    made = 0
    for s in range(found):
        for chosen in range(1 << c.sizes[3]):
            if ones(chosen) == mines - e.mines[now, s]:
                if made > SOLUTIONS_LIMIT:
                    return -1
                lay(c, e, now, s, made, -1, chosen)
                made += 1
    return made


@compiled
def lay(c: Count, e: Tree, now: int, s: int, made: int, box: int, chosen: int) -> None:
    """Copy one solution in the making, with the chosen tiles of a box mined."""
    bit = 0
    for i in range(e.figures[0]):
        e.laid[1 - now, made, i] = e.laid[now, s, i]
        if c.box_of[e.tile[i]] == box:
            e.laid[1 - now, made, i] = chosen >> bit & 1
            bit += 1


@compiled
def ones(bits: int) -> int:
    """Return the number of bits that are set."""
    count = 0
    while bits:
        bits &= bits - 1
        count += 1
    return count


@compiled
def _rank_guesses(e: Tree, low: int, high: int, depth: int) -> int:
    """Rank the tiles worth guessing for a set, safest first; how many. One safe in all stands alone."""
    guesses = 0
    for i in range(e.figures[0]):
        first = e.shows[e.member[low], i]
        differs, mined = False, 0
        for k in range(low, high):
            shown = e.shows[e.member[k], i]
            differs |= shown != first
            mined += shown == _MINE
        if not differs:
            continue
        safe = high - low - mined
        if e.figures[3]:
            safe = _safe_weight(e, low, high, i)
        if mined == 0:
            e.guess[depth, 0] = i
            e.bound[depth, 0] = safe
            return 1
        at = guesses
        while at > 0 and e.bound[depth, at - 1] < safe:
            e.bound[depth, at] = e.bound[depth, at - 1]
            e.guess[depth, at] = e.guess[depth, at - 1]
            at -= 1
        e.bound[depth, at] = safe
        e.guess[depth, at] = i
        guesses += 1
    return guesses


@compiled
def _safe_weight(e: Tree, low: int, high: int, i: int) -> int:
    """Return the weight of those of a set in which a tile is safe."""
    weight = np.int64(0)
    for k in range(low, high):
        if e.shows[e.member[k], i] != _MINE:
            weight += e.weight[e.member[k]]
    return weight  # type: ignore[return-value]


@compiled
def search_tree(e: Tree, solutions: int, weighted: bool) -> int:
    """Return the weight of the solutions that the best play wins; -1 when the work runs out.

    Each weighs 1 unless they are `weighted`. The first tile is at `chosen[0]` of `e.tile`.
    A depth-first search over sets of solutions, written with a stack of its own.
    """
    e.figures[1] += 1
    e.figures[2] = 0
    e.figures[3] = weighted
    for k in range(solutions):
        e.member[k] = k
    depth = 0
    e.low[0], e.high[0] = 0, solutions
    _begin_set(e, 0)
    while True:
        low, high, guess = e.low[depth], e.high[depth], e.guess[depth, e.turn[depth]]
        if e.number[depth] < _MINE and e.wins[depth] > e.best[depth]:
            # The next number that the guess can show: the solutions in which it does are a set of their own.
            top = high
            for k in range(low, high):
                if e.shows[e.member[k], guess] == e.number[depth]:
                    e.member[top] = e.member[k]
                    top += 1
            e.number[depth] += 1
            size = top - high
            if size < 2:  # a single solution is won
                continue
            known = _known_wins(e, high, top)
            if known >= 0:
                e.wins[depth] -= _weigh(e, high, top) - known
                continue
            e.figures[2] += size * e.figures[0]
            if e.figures[2] > WORK_LIMIT or depth + 1 == _DEPTH:
                return -1
            depth += 1
            e.low[depth], e.high[depth] = high, top
            _begin_set(e, depth)
            continue
        if e.wins[depth] > e.best[depth]:
            e.best[depth] = e.wins[depth]
            e.chosen[depth] = guess
        e.turn[depth] += 1
        if e.turn[depth] < e.guesses[depth] and e.bound[depth, e.turn[depth]] > e.best[depth]:
            _begin_guess(e, depth)
            continue
        _remember(e, low, high, e.best[depth])
        if depth == 0:
            return int(e.best[0])
        depth -= 1
        e.wins[depth] -= _weigh(e, low, high) - e.best[depth + 1]


@compiled
def _weigh(e: Tree, low: int, high: int) -> int:
    """Return the weight of a set."""
    if not e.figures[3]:
        return high - low
    weight = np.int64(0)
    for k in range(low, high):
        weight += e.weight[e.member[k]]
    return weight  # type: ignore[return-value]


@compiled
def _begin_set(e: Tree, depth: int) -> None:
    e.guesses[depth] = _rank_guesses(e, e.low[depth], e.high[depth], depth)
    e.best[depth] = 0
    e.turn[depth] = 0
    _begin_guess(e, depth)


@compiled
def _begin_guess(e: Tree, depth: int) -> None:
    """Begin with bounds: a guess wins at most when its tile is safe; what it shows can only take from it."""
    e.number[depth] = 0
    e.wins[depth] = e.bound[depth, e.turn[depth]]


@compiled
def _code(e: Tree, low: int, high: int) -> int:
    code = np.int64(0)
    for k in range(low, high):
        code ^= e.code[e.member[k]]
    return code  # type: ignore[return-value]


@compiled
def _known_wins(e: Tree, low: int, high: int) -> int:
    """Return the wins of a set that this search has met before; -1 for others."""
    code = _code(e, low, high)
    for i in range(_TRIES):
        slot = (code ^ code >> 31) + i & _KNOWN_SETS - 1
        if e.known_search[slot] != e.figures[1]:
            return -1
        if e.known_code[slot] == code:
            return int(e.known_wins[slot])
    return -1


@compiled
def _remember(e: Tree, low: int, high: int, wins: int) -> None:
    code = _code(e, low, high)
    for i in range(_TRIES):
        slot = (code ^ code >> 31) + i & _KNOWN_SETS - 1
        if e.known_search[slot] != e.figures[1]:
            e.known_search[slot] = e.figures[1]
            e.known_code[slot] = code
            e.known_wins[slot] = wins
            return
