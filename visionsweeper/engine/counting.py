"""Every solution of a position counted, compiled: the odds of all its unknown tiles.

The same dynamic program as `solver.counting`: over boxes (tiles that touch exactly the same numbers), the
state being what every open number still owes. Here a node is a state together with the mines so far, values
are floats (sums of positive terms, so nearly exact), and certainty is told by which ends can be reached, not
by the floats. A forward pass counts; a backward pass, weighted by what the other components and the tiles
beside no number allow, gives each box its mines.
"""

from __future__ import annotations

from math import comb
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from visionsweeper.engine.compiling import compiled, inlined
from visionsweeper.engine.position import OPENED, UNKNOWN, PositionArrays
from visionsweeper.engine.structures import by_reference

FITS: Final = 1
IMPOSSIBLE: Final = 0
TOO_WIDE: Final = -1

CERTAINLY_SAFE: Final = 1
CERTAINLY_MINED: Final = 2

_MOST_NODES: Final = 1 << 18
_MOST_MOVES: Final = 1 << 20
_NEARBY: Final = 24
"""Numbers within two tiles of a number."""

# A node's state is packed into two integers, four bits for what an open number owes; the second begins with
# the mines so far.
_SLOT_BITS: Final = 4
_FIRST_SLOTS: Final = 15
_SECOND_SLOTS: Final = 10
_MINES_BITS: Final = 20

_LARGE: Final = 1e150
_LOG_LARGE: Final = float(np.log(_LARGE))

_CHOOSE: Final = np.array([[comb(n, k) for k in range(9)] for n in range(9)], np.float64)


@by_reference
class Count(NamedTuple):
    """Room for a count, and its results; T tiles, K numbers (at most T), B boxes (at most T)."""

    number_tile: npt.NDArray[np.int32]
    """(K,) the tile of each number that has unknown tiles around it."""
    number_at: npt.NDArray[np.int32]
    """(T,) and back."""
    number_boxes: npt.NDArray[np.int32]
    """(K, 8) boxes around each."""
    number_degree: npt.NDArray[np.int32]
    """(K,) how many."""
    number_left: npt.NDArray[np.int32]
    """(K,) tiles around it whose turn is still to come."""
    number_slot: npt.NDArray[np.int32]
    """(K,) where a state holds what it owes."""
    number_nearby: npt.NDArray[np.int32]
    """(K, 24) numbers that share a box with it."""
    number_nearby_count: npt.NDArray[np.int32]
    """(K,) how many."""
    number_turn: npt.NDArray[np.int8]
    """(K,) 0 to come, 1 open, 2 finished."""
    box_size: npt.NDArray[np.int32]
    """(B,) tiles in each."""
    box_numbers: npt.NDArray[np.int32]
    """(B, 8) the numbers that it touches, ascending."""
    box_degree: npt.NDArray[np.int32]
    """(B,) how many."""
    box_placed: npt.NDArray[np.uint8]
    """(B,) whether it has its place in the order."""
    box_of: npt.NDArray[np.int32]
    """(T,) the box of each unknown tile, -1 for those beside no number."""
    order: npt.NDArray[np.int32]
    """(B,) boxes, component by component, in elimination order."""
    first_box: npt.NDArray[np.int32]
    """Where each component begins in `order`."""
    stack: npt.NDArray[np.int32]
    """(T,) scratch."""
    live: npt.NDArray[np.int32]
    """(T,) scratch."""
    seen: npt.NDArray[np.uint8]
    """(T,) scratch, 0 between uses."""
    layer: npt.NDArray[np.int32]
    """First node of every layer; a component has one layer more than boxes."""
    last_node: npt.NDArray[np.int32]
    """Behind the last node of each component."""
    state_1: npt.NDArray[np.int64]
    """Of each node."""
    state_2: npt.NDArray[np.int64]
    """Of each node."""
    forward: npt.NDArray[np.float64]
    """Of each node: ways to reach it."""
    backward: npt.NDArray[np.float64]
    """Of each node: weighted ways to go on."""
    alive: npt.NDArray[np.uint8]
    """Of each node: whether it can be gone on from."""
    first_move: npt.NDArray[np.int32]
    """Of each node: its first move."""
    box_moves: npt.NDArray[np.int32]
    """First move of every box in `order`."""
    move_from: npt.NDArray[np.int32]
    """Node of each move."""
    move_to: npt.NDArray[np.int32]
    """Node of each move."""
    move_mines: npt.NDArray[np.int8]
    """Mines that it lays on the box."""
    table: npt.NDArray[np.int32]
    """Hash table of the nodes of a layer."""
    low: npt.NDArray[np.int32]
    """Of each component: its fewest mines."""
    ways: npt.NDArray[np.float64]
    """Components' solutions by mine count, from the fewest on."""
    ways_at: npt.NDArray[np.int32]
    """Where each component begins in `ways` and `weight`."""
    weight: npt.NDArray[np.float64]
    """What everything else allows when a component holds so many mines."""
    weight_fits: npt.NDArray[np.uint8]
    """Whether it allows that at all."""
    before: npt.NDArray[np.float64]
    """The components before each, joined, by mines above their fewest."""
    before_fits: npt.NDArray[np.uint8]
    """Whether that can be."""
    before_at: npt.NDArray[np.int32]
    """Where each begins."""
    after: npt.NDArray[np.float64]
    """The components from each on and the rest of the board, by mines of those before, above their fewest."""
    after_fits: npt.NDArray[np.uint8]
    """Whether that can be."""
    after_at: npt.NDArray[np.int32]
    """Where each begins."""
    mass: npt.NDArray[np.float64]
    """(B, 9) weighted solutions by mines on the box; afterwards [:, 0] is the probability of each tile."""
    possible: npt.NDArray[np.uint8]
    """(B, 9) whether there are any; afterwards [:, 0] says whether its tiles are certain."""
    log_factorial: npt.NDArray[np.float64]
    """(T + 2,)."""
    probability: npt.NDArray[np.float64]
    """(T,) result: mine probability of the unknown tiles."""
    certain: npt.NDArray[np.int8]
    """(T,) result: 0, CERTAINLY_SAFE or CERTAINLY_MINED for the unknown tiles."""
    figures: npt.NDArray[np.float64]
    """(3,) result: log of the number of solutions; log of a scale; odds of the tiles beside no number."""
    sizes: npt.NDArray[np.int64]
    """(6,) numbers, boxes, components, tiles beside no number, whether those are certain, certain tiles."""


def new_count(tiles: int) -> Count:
    """Return arrays for the counts of positions with so many tiles, some 25 MB."""

    def integers(*shape: int) -> npt.NDArray[np.int32]:
        return np.zeros(shape, np.int32)

    def floats(*shape: int) -> npt.NDArray[np.float64]:
        return np.zeros(shape, np.float64)

    def flags(*shape: int) -> npt.NDArray[np.uint8]:
        return np.zeros(shape, np.uint8)

    joined = 8 * tiles + 16
    log_factorial = np.zeros(tiles + 2)
    log_factorial[1:] = np.cumsum(np.log(np.arange(1, tiles + 2)))
    return Count(
        number_tile=integers(tiles),
        number_at=integers(tiles),
        number_boxes=integers(tiles, 8),
        number_degree=integers(tiles),
        number_left=integers(tiles),
        number_slot=integers(tiles),
        number_nearby=integers(tiles, _NEARBY),
        number_nearby_count=integers(tiles),
        number_turn=np.zeros(tiles, np.int8),
        box_size=integers(tiles),
        box_numbers=integers(tiles, 8),
        box_degree=integers(tiles),
        box_placed=flags(tiles),
        box_of=integers(tiles),
        order=integers(tiles),
        first_box=integers(tiles + 1),
        stack=integers(tiles),
        live=integers(tiles),
        seen=flags(tiles),
        layer=integers(2 * tiles + 2),
        last_node=integers(tiles),
        state_1=np.zeros(_MOST_NODES, np.int64),
        state_2=np.zeros(_MOST_NODES, np.int64),
        forward=floats(_MOST_NODES),
        backward=floats(_MOST_NODES),
        alive=flags(_MOST_NODES),
        first_move=integers(_MOST_NODES),
        box_moves=integers(tiles + 1),
        move_from=integers(_MOST_MOVES),
        move_to=integers(_MOST_MOVES),
        move_mines=np.zeros(_MOST_MOVES, np.int8),
        table=integers(4 * _MOST_NODES),
        low=integers(tiles),
        ways=floats(2 * tiles + 2),
        ways_at=integers(tiles + 1),
        weight=floats(2 * tiles + 2),
        weight_fits=flags(2 * tiles + 2),
        before=floats(joined),
        before_fits=flags(joined),
        before_at=integers(tiles + 2),
        after=floats(joined),
        after_fits=flags(joined),
        after_at=integers(tiles + 2),
        mass=floats(tiles, 9),
        possible=flags(tiles, 9),
        log_factorial=log_factorial,
        probability=floats(tiles),
        certain=np.zeros(tiles, np.int8),
        figures=floats(3),
        sizes=np.zeros(6, np.int64),
    )


@inlined
def count_odds(p: PositionArrays, c: Count, mines: int) -> int:
    """Fill in all results for a settled position with so many mines on its unknown tiles."""
    fits = count_solutions(p, c, mines)
    if fits == FITS:
        share_out(p, c)
    return fits


@compiled
def count_solutions(p: PositionArrays, c: Count, mines: int) -> int:
    """Count the solutions alone (`figures[0]`, the logarithm). Returns FITS, IMPOSSIBLE or TOO_WIDE."""
    _find_boxes(p, c)
    _order_boxes(c)
    c.figures[1] = 0.0
    c.ways_at[0] = 0
    nodes, moves = 0, 0
    for component in range(c.sizes[2]):
        nodes, moves = _sweep(p, c, component, nodes, moves)
        if nodes < 0:
            return moves
        c.last_node[component] = nodes
    return _join(c, mines)


@compiled
def share_out(p: PositionArrays, c: Count) -> None:
    """Work out the odds of every tile, after `count_solutions` found that the position fits."""
    for component in range(c.sizes[2]):
        _go_back(c, component)
    for box in range(c.sizes[1]):
        size = c.box_size[box]
        total, mined = 0.0, 0.0
        can_be_safe, can_be_mined = False, False
        for mines in range(size + 1):
            total += c.mass[box, mines]
            mined += c.mass[box, mines] * mines
            if c.possible[box, mines]:
                can_be_mined |= mines > 0
                can_be_safe |= mines < size
        c.mass[box, 0] = mined / (total * size)
        c.possible[box, 0] = CERTAINLY_SAFE if not can_be_mined else CERTAINLY_MINED if not can_be_safe else 0
    c.sizes[5] = 0
    for tile in range(p.state.size):
        if p.state[tile] == UNKNOWN:
            box = c.box_of[tile]
            c.probability[tile] = c.figures[2] if box < 0 else c.mass[box, 0]
            c.certain[tile] = c.sizes[4] if box < 0 else c.possible[box, 0]
            if c.certain[tile]:
                c.sizes[5] += 1


@compiled
def _find_boxes(p: PositionArrays, c: Count) -> None:
    numbers = 0
    for tile in range(p.state.size):
        if p.state[tile] == OPENED and p.unknown[tile] > 0:
            c.number_tile[numbers] = tile
            c.number_at[tile] = numbers
            c.number_degree[numbers] = 0
            c.number_left[numbers] = p.unknown[tile]
            c.number_turn[numbers] = 0
            numbers += 1
    boxes, others = 0, 0
    for tile in range(p.state.size):
        if p.state[tile] != UNKNOWN:
            continue
        degree = 0
        for i in range(p.degree[tile]):
            other = p.around[tile, i]
            if p.state[other] == OPENED:
                c.box_numbers[boxes, degree] = c.number_at[other]
                degree += 1
        if degree == 0:
            others += 1
            c.box_of[tile] = -1
            continue
        box = _same_box(c, boxes, degree)
        if box == boxes:
            c.box_size[box] = 0
            c.box_degree[box] = degree
            c.box_placed[box] = 0
            for i in range(degree):
                number = c.box_numbers[box, i]
                c.number_boxes[number, c.number_degree[number]] = box
                c.number_degree[number] += 1
            boxes += 1
        c.box_size[box] += 1
        c.box_of[tile] = box
    c.sizes[0], c.sizes[1], c.sizes[3] = numbers, boxes, others


@compiled
def _same_box(c: Count, new: int, degree: int) -> int:
    """Return the box that touches the numbers listed for the box `new`; `new` itself when there is none."""
    number = c.box_numbers[new, 0]
    for i in range(c.number_degree[number]):
        box = c.number_boxes[number, i]
        if c.box_degree[box] == degree:
            equal = True
            for j in range(degree):
                if c.box_numbers[box, j] != c.box_numbers[new, j]:
                    equal = False
                    break
            if equal:
                return int(box)
    return new


@compiled
def _order_boxes(c: Count) -> None:
    """Components, and in each an elimination order as in `solver.counting.elimination_order`."""
    for number in range(c.sizes[0]):
        _find_nearby(c, number)
    components, placed = 0, 0
    for first in range(c.sizes[0]):
        if c.number_turn[first]:
            continue
        c.first_box[components] = placed
        components += 1
        start = _fewest_nearby(c, first)
        c.live[0] = start
        c.number_turn[start] = 1
        lives = 1
        while lives:
            chosen = _cheapest(c, lives)
            number = c.live[chosen]
            lives -= 1
            c.live[chosen] = c.live[lives]
            # Of its boxes, those that open the fewest numbers go first.
            for most in range(9):
                for i in range(c.number_degree[number]):
                    box = c.number_boxes[number, i]
                    if c.box_placed[box]:
                        continue
                    opens = 0
                    for j in range(c.box_degree[box]):
                        if c.number_turn[c.box_numbers[box, j]] == 0:
                            opens += 1
                    if opens > most:
                        continue
                    c.box_placed[box] = 1
                    c.order[placed] = box
                    placed += 1
                    for j in range(c.box_degree[box]):
                        other = c.box_numbers[box, j]
                        if c.number_turn[other] == 0:
                            c.number_turn[other] = 1
                            c.live[lives] = other
                            lives += 1
            c.number_turn[number] = 2
    c.first_box[components] = placed
    c.sizes[2] = components


@compiled
def _find_nearby(c: Count, number: int) -> None:
    found = 0
    for i in range(c.number_degree[number]):
        box = c.number_boxes[number, i]
        for j in range(c.box_degree[box]):
            other = c.box_numbers[box, j]
            if other != number and not c.seen[other]:
                c.seen[other] = 1
                c.number_nearby[number, found] = other
                found += 1
    c.number_nearby_count[number] = found
    for i in range(found):
        c.seen[c.number_nearby[number, i]] = 0


@compiled
def _fewest_nearby(c: Count, first: int) -> int:
    """Return the number with the fewest others nearby, of the component of `first`."""
    start = first
    top, done = 1, 0
    c.stack[0] = first
    c.seen[first] = 1
    while done < top:
        number = c.stack[done]
        done += 1
        if c.number_nearby_count[number] < c.number_nearby_count[start]:
            start = number
        for i in range(c.number_nearby_count[number]):
            other = c.number_nearby[number, i]
            if not c.seen[other]:
                c.seen[other] = 1
                c.stack[top] = other
                top += 1
    for i in range(top):
        c.seen[c.stack[i]] = 0
    return start


@compiled
def _cheapest(c: Count, lives: int) -> int:
    """Return the place of the live number that opens the fewest others; of equals, with the fewest boxes."""
    best, least = 0, 1 << 30
    for i in range(lives):
        number = c.live[i]
        cost = 0
        for j in range(c.number_nearby_count[number]):
            if c.number_turn[c.number_nearby[number, j]] == 0:
                cost += 256
        if cost > least:
            continue
        for j in range(c.number_degree[number]):
            if not c.box_placed[c.number_boxes[number, j]]:
                cost += 1
        if cost < least:
            best, least = i, cost
    return best


@compiled
def _sweep(p: PositionArrays, c: Count, component: int, nodes: int, moves: int) -> tuple[int, int]:
    """Forward over one component: nodes and moves so far; or -1 and IMPOSSIBLE or TOO_WIDE."""
    begin, end = c.first_box[component], c.first_box[component + 1]
    _close_all(c, begin, end)
    c.layer[begin + component] = nodes
    c.state_1[nodes] = 0
    c.state_2[nodes] = 0
    c.forward[nodes] = 1.0
    first, last = nodes, nodes + 1
    free = (1 << _FIRST_SLOTS + _SECOND_SLOTS) - 1
    for at in range(begin, end):
        box = c.order[at]
        c.box_moves[at] = moves
        free, add_1, add_2, step_1, step_2 = _open_numbers(p, c, box, free)
        if free < 0:
            return -1, TOO_WIDE
        new, moves = _lay(c, box, first, last, moves, add_1, add_2, step_1, step_2)
        if new < 0:
            return -1, moves
        free = _close_numbers(c, box, free)
        first, last = last, new
        c.layer[at + component + 1] = first
        _scale_down(c, first, last)
    c.box_moves[end] = moves
    _count_ends(c, component, first, last)
    return last, moves


@inlined
def _close_all(c: Count, begin: int, end: int) -> None:
    """Let no number of these places of the order have a slot."""
    for at in range(begin, end):
        box = c.order[at]
        for i in range(c.box_degree[box]):
            c.number_slot[c.box_numbers[box, i]] = -1


@inlined
def _open_numbers(
    p: PositionArrays, c: Count, box: int, free: int
) -> tuple[int, np.int64, np.int64, np.int64, np.int64]:
    """Give every number of a box a slot; `free`: a bit for each slot that none has.

    Returns what is free now, -1 where there are too few; what the box adds to both halves of a state as its
    numbers open; and what every mine on it adds to them.
    """
    add_1, add_2 = np.int64(0), np.int64(0)
    step_1, step_2 = np.int64(0), np.int64(1)
    for i in range(c.box_degree[box]):
        number = c.box_numbers[box, i]
        slot = c.number_slot[number]
        owed = np.int64(0)
        if slot < 0:
            if free == 0:
                free = -1
                break
            slot = 0
            while not free >> slot & 1:
                slot += 1
            free ^= 1 << slot
            c.number_slot[number] = slot
            owed = np.int64(p.owed[c.number_tile[number]])
        if slot < _FIRST_SLOTS:
            add_1 += owed << _SLOT_BITS * slot
            step_1 -= np.int64(1) << _SLOT_BITS * slot
        else:
            shift = _MINES_BITS + _SLOT_BITS * (slot - _FIRST_SLOTS)
            add_2 += owed << shift
            step_2 -= np.int64(1) << shift
        c.number_left[number] -= c.box_size[box]
    return free, add_1, add_2, step_1, step_2


@inlined
def _close_numbers(c: Count, box: int, free: int) -> int:
    """Take the slots of a box's numbers that have no tiles left; return what is free then."""
    for i in range(c.box_degree[box]):
        number = c.box_numbers[box, i]
        if c.number_left[number] == 0:
            free |= 1 << c.number_slot[number]
    return free


@inlined
def _lay(
    c: Count,
    box: int,
    first: int,
    last: int,
    moves: int,
    add_1: np.int64,
    add_2: np.int64,
    step_1: np.int64,
    step_2: np.int64,
) -> tuple[int, int]:
    """Lay every number of mines that fits on a box, from each node of a layer.

    Returns the end of the next layer and of the moves; or -1 and IMPOSSIBLE or TOO_WIDE.
    """
    size = c.box_size[box]
    mask = _clear_table(c, 4 * (last - first) * (size + 1))
    if mask < 0:
        return -1, TOO_WIDE
    new = last
    for node in range(first, last):
        if moves + 9 > c.move_to.size or new + 9 > c.state_1.size:
            return -1, TOO_WIDE
        here_1, here_2 = c.state_1[node] + add_1, c.state_2[node] + add_2
        least, most = _mines_that_fit(c, box, here_1, here_2)
        c.first_move[node] = moves
        for mines in range(least, most + 1):
            to = _find_node(c, here_1 + mines * step_1, here_2 + mines * step_2, mask, new)
            if to == new:
                new += 1
            c.forward[to] += c.forward[node] * _CHOOSE[size, mines]
            c.move_from[moves] = node
            c.move_to[moves] = to
            c.move_mines[moves] = mines
            moves += 1
    if new == last:
        return -1, IMPOSSIBLE
    return new, moves


@inlined
def _clear_table(c: Count, room: int) -> int:
    """Empty the first slots of the hash table, a power of two and enough; return its mask, -1: too many."""
    mask = 64
    while mask < room:
        mask *= 2
    if mask > c.table.size:
        return -1
    c.table[:mask] = -1
    return mask - 1


@inlined
def _mines_that_fit(c: Count, box: int, here_1: int, here_2: int) -> tuple[int, int]:
    """Return the fewest and the most mines that a state with its numbers open allows on a box."""
    least, most = 0, c.box_size[box]
    for i in range(c.box_degree[box]):
        number = c.box_numbers[box, i]
        slot = c.number_slot[number]
        if slot < _FIRST_SLOTS:
            owes = here_1 >> _SLOT_BITS * slot & 15
        else:
            owes = here_2 >> _MINES_BITS + _SLOT_BITS * (slot - _FIRST_SLOTS) & 15
        most = min(most, owes)
        least = max(least, owes - c.number_left[number])
    return least, most


@inlined
def _find_node(c: Count, state_1: int, state_2: int, mask: int, new: int) -> int:
    """Return the node of the next layer with this state; `new`, now its node, where there was none."""
    place = _hashed(state_1, state_2) & mask
    to: int = c.table[place]
    while to >= 0 and not (c.state_1[to] == state_1 and c.state_2[to] == state_2):
        place = place + 1 & mask
        to = c.table[place]
    if to < 0:
        to = new
        c.table[place] = new
        c.state_1[new] = state_1
        c.state_2[new] = state_2
        c.forward[new] = 0.0
    return to


@inlined
def _scale_down(c: Count, first: int, last: int) -> None:
    """Divide what a layer holds before it gets too large for a float."""
    largest = 0.0
    for node in range(first, last):
        largest = max(largest, c.forward[node])
    if largest > _LARGE:
        _divide(c.forward, first, last, _LARGE)
        c.figures[1] += _LOG_LARGE


@inlined
def _count_ends(c: Count, component: int, first: int, last: int) -> None:
    """Sum up a component's solutions by mine count; the states of its last layer hold nothing else."""
    low, high = 1 << 30, -1
    for node in range(first, last):
        low = min(low, c.state_2[node])
        high = max(high, c.state_2[node])
    at = c.ways_at[component]
    c.low[component] = low
    c.ways_at[component + 1] = at + high - low + 1
    c.ways[at : at + high - low + 1] = 0.0
    for node in range(first, last):
        c.ways[at + c.state_2[node] - low] = c.forward[node]


@compiled
def _divide(values: npt.NDArray[np.float64], first: int, last: int, divisor: float) -> None:
    # By hand: numba takes seconds to compile what assigns one slice to another.
    for i in range(first, last):
        values[i] /= divisor


@compiled
def _hashed(first: int, second: int) -> int:
    # Odd constants of about 62 bits, without any structure; products wrap around.
    mixed = first * 0x1E3779B97F4A7C15 + second * 0x2545F4914F6CDD1D
    mixed = (mixed ^ mixed >> 29) * 0x1F58476D1CE4E5B9
    return mixed ^ mixed >> 32


@inlined
def _join(c: Count, mines: int) -> int:
    """Return what the components, the rest of the board and the mine count allow each other."""
    components, others = c.sizes[2], c.sizes[3]
    length = _join_forward(c)
    if length < 0:
        return TOO_WIDE
    least = 0
    for component in range(components):
        least += c.low[component]
    # At the end all components are behind, and the tiles beside no number hold what is left.
    c.after_at[components] = 0
    if length > c.after.size:
        return TOO_WIDE
    scale = -np.inf
    for i in range(length):
        rest = mines - least - i
        c.after_fits[i] = 0 <= rest <= others
        if c.after_fits[i]:
            c.after[i] = c.log_factorial[others] - c.log_factorial[rest] - c.log_factorial[others - rest]
            scale = max(scale, c.after[i])
    total, mined, fits = 0.0, 0.0, False
    no_mine, all_mines = True, True
    start = c.before_at[components]
    for i in range(length):
        c.after[i] = np.exp(c.after[i] - scale) if c.after_fits[i] else 0.0
        if c.before_fits[start + i] and c.after_fits[i]:
            rest = mines - least - i
            fits = True
            weight = c.before[start + i] * c.after[i]
            total += weight
            mined += weight * rest
            no_mine &= rest == 0
            all_mines &= rest == others
    if not fits:
        return IMPOSSIBLE
    c.figures[0] = np.log(total) + scale + c.figures[1]
    c.figures[2] = mined / (total * others) if others else 0.0
    c.sizes[4] = 0 if others == 0 else CERTAINLY_SAFE if no_mine else CERTAINLY_MINED if all_mines else 0
    return _join_backward(c, length)


@compiled
def _join_forward(c: Count) -> int:
    """`before` for every component; the length of the last, or -1 where there is no room."""
    c.before_at[0] = 0
    c.before[0] = 1.0
    c.before_fits[0] = 1
    length = 1
    for component in range(c.sizes[2]):
        here = c.before_at[component]
        there = here + length
        ways = c.ways_at[component]
        count = c.ways_at[component + 1] - ways
        if there + length + count > c.before.size:
            return -1
        c.before_at[component + 1] = there
        c.before[there : there + length + count - 1] = 0.0
        c.before_fits[there : there + length + count - 1] = 0
        for i in range(length):
            if c.before_fits[here + i]:
                for j in range(count):
                    if c.ways[ways + j] > 0:
                        c.before[there + i + j] += c.before[here + i] * c.ways[ways + j]
                        c.before_fits[there + i + j] = 1
        length += count - 1
        largest = 0.0
        for i in range(length):
            largest = max(largest, c.before[there + i])
        _divide(c.before, there, there + length, largest)
        c.figures[1] += np.log(largest)
    return length


@compiled
def _join_backward(c: Count, length: int) -> int:
    """`weight` and `after` for every component, from the last to the first."""
    for component in range(c.sizes[2] - 1, -1, -1):
        ways = c.ways_at[component]
        count = c.ways_at[component + 1] - ways
        shorter = length - (count - 1)
        here, before = c.after_at[component + 1], c.before_at[component]
        there = here + length
        if there + shorter > c.after.size:
            return TOO_WIDE
        c.after_at[component] = there
        for j in range(count):
            c.weight[ways + j] = 0.0
            c.weight_fits[ways + j] = 0
        largest = 0.0
        for i in range(shorter):
            c.after[there + i] = 0.0
            c.after_fits[there + i] = 0
            for j in range(count):
                if not c.after_fits[here + i + j]:
                    continue
                if c.before_fits[before + i]:
                    c.weight[ways + j] += c.before[before + i] * c.after[here + i + j]
                    c.weight_fits[ways + j] = 1
                if c.ways[ways + j] > 0:
                    c.after[there + i] += c.ways[ways + j] * c.after[here + i + j]
                    c.after_fits[there + i] = 1
            largest = max(largest, c.after[there + i])
        if largest > 0:
            _divide(c.after, there, there + shorter, largest)
        length = shorter
    return FITS


@compiled
def _go_back(c: Count, component: int) -> None:
    """Backward over one component: for each box, the weighted solutions by its mines."""
    begin, end = c.first_box[component], c.first_box[component + 1]
    ends = c.layer[end + component]
    at = c.ways_at[component]
    for node in range(ends, c.last_node[component]):
        above = c.state_2[node] - c.low[component]
        c.backward[node] = c.weight[at + above]
        c.alive[node] = c.weight_fits[at + above]
    for node in range(c.layer[begin + component], ends):
        c.backward[node] = 0.0
        c.alive[node] = 0
    for at in range(end - 1, begin - 1, -1):
        box = c.order[at]
        size = c.box_size[box]
        for mines in range(size + 1):
            c.mass[box, mines] = 0.0
            c.possible[box, mines] = 0
        for move in range(c.box_moves[at], c.box_moves[at + 1]):
            to = c.move_to[move]
            if c.alive[to]:
                node, mines = c.move_from[move], c.move_mines[move]
                value = c.backward[to] * _CHOOSE[size, mines]
                c.alive[node] = 1
                c.backward[node] += value
                c.mass[box, mines] += value * c.forward[node]
                c.possible[box, mines] = 1
        # Only the ratios within a box matter: keep the values in the middle of what floats can hold.
        first, last = c.layer[at + component], c.layer[at + component + 1]
        largest = 0.0
        for node in range(first, last):
            largest = max(largest, c.backward[node])
        if largest > _LARGE or largest < 1 / _LARGE:
            _divide(c.backward, first, last, largest)
