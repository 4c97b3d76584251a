"""A component -> its solutions by mine count, and each group's mines in them, exactly.

Dynamic programming over the groups in an elimination order; the state is the number of mines still owed by
each open constraint, packed into one integer; solutions are never listed. Two engines share orders and
states: `count_packed` here, for ordinary components, and `sweep.Sweep` for wide ones. Here the value of a
state is one big integer that holds the polynomial in the mine count and, behind it, one polynomial for each
group done so far (the mines placed on the group, summed over the solutions), so that one forward pass yields
everything exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Final, NamedTuple

from visionsweeper.solver.constraints import Component
from visionsweeper.solver.orders import elimination_order

PACKED_BITS: Final = 300_000
"""Components whose packed value would be longer than this many bits go to `Sweep`."""

FEW_CONSTRAINTS: Final = 2
"""Components with no more constraints than this have a formula."""

PACKED_STATES: Final = 1_000
"""So do components with more states than this in one step."""

_BITS_OWED: Final = 5
"""Bits of a packed state for an open constraint: 4 for the mines owed, 1 to catch borrows."""

BINOMIALS: Final = tuple(tuple(comb(n, k) for k in range(n + 1)) for n in range(9))
"""[n][k]: ways to choose k of n tiles."""

Polynomial = tuple[int, tuple[int, ...]]
"""(lowest exponent, coefficients from there on); first and last coefficient are not 0."""


class Counted(NamedTuple):
    """Exact counts of one component."""

    low: int
    """Fewest mines of a solution."""
    totals: tuple[int, ...]
    """N(m) for m = low, low + 1, …; first and last are not 0; empty when there is no solution."""
    mines: tuple[tuple[int, ...], ...]
    """[group][m - low]: mines on the group, summed over the solutions with m mines: its size times N_t(m)."""

    @property
    def possible(self) -> bool:
        """Whether there is any solution."""
        return bool(self.totals)


def most_mines(component: Component) -> int:
    """Return an upper bound of a component's mines."""
    return min(sum(component.sizes), sum(component.owed))


def packed_bits(component: Component) -> int:
    """Return how many bits a packed value of the component has."""
    return (len(component.sizes) + 1) * (most_mines(component) + 1) * (sum(component.sizes) + 3)


class _Turn(NamedTuple):
    """What a group's turn does to the packed states; each field of them is what an open constraint owes."""

    add: int
    """Added to every state: what the constraints that begin here owe, and the guard bits."""
    unit: int
    """Taken away for every mine on the group."""
    guard: int
    """Bits that are set in a state as long as no constraint got more mines than it owes."""
    bound: int
    """`bound - state` keeps them set as long as no constraint owes more than its remaining tiles can hold."""
    closed: Sequence[int]
    """Shifts of the constraints that end here."""


class _Fields:
    """Gives the constraints their bits of a packed state, group by group."""

    def __init__(self, component: Component) -> None:
        self._owed, self._sizes = component.owed, component.sizes
        self._touching: list[list[int]] = [[] for _ in component.sizes]
        self._left = [0] * len(component.owed)  # tiles of each constraint whose turn is still to come
        for index, groups in enumerate(component.members):
            for group in groups:
                self._touching[group].append(index)
                self._left[index] += component.sizes[group]
        self._shift = [-1] * len(component.owed)
        self._free: list[int] = []
        self._used = self._guard = 0

    def turn(self, group: int) -> _Turn:
        """Return what the next group of the order does; what it ends is free for the one after it."""
        size, shift, left, free = self._sizes[group], self._shift, self._left, self._free
        unit = add = bound = 0
        closed: list[int] = []
        for index in self._touching[group]:
            at = shift[index]
            if at < 0:  # it begins with this group
                if free:
                    at = free.pop()
                else:
                    at = self._used
                    self._used += _BITS_OWED
                shift[index] = at
                add += self._owed[index] << at
            rest = left[index] = left[index] - size
            if not rest:
                closed.append(at)
            unit |= 1 << at
            # A state's field holds 16 + owed; 32 + rest less that has its 16 only when owed <= rest.
            bound += (rest + 1) << at
        guard = unit << 4
        add += guard - self._guard  # the turn before left its guard bits set
        self._guard = guard
        free += closed
        return _Turn(add, unit, guard, bound + (1 << self._used) - 1, closed)


def count_packed(component: Component) -> Counted | None:
    """Count an ordinary component in one pass over packed integers.

    None when it turns out wide: more than PACKED_STATES states in one step.
    """
    if len(component.owed) <= FEW_CONSTRAINTS:
        return count_few(component)
    sizes = component.sizes
    width = sum(sizes) + 3  # bits of a coefficient: at most 2**tiles solutions, times a group's mines
    length = (most_mines(component) + 1) * width
    fields = _Fields(component)
    state: dict[int, int] = {0: 1}
    order = elimination_order(component)
    for place, group in enumerate(order, start=1):
        turn = fields.turn(group)
        if sizes[group] == 1:
            state = _after_one_tile(state, turn, width, length, place)
        else:
            state = _after_tiles(state, turn, sizes[group], width, length, place)
        if len(state) > PACKED_STATES:
            return None
    if not state:
        return Counted(0, (), ())
    (value,) = state.values()
    return _unpack(value, order, length, width)


# The two loops over the states are the hot ones: a call a transition would double their time.


def _after_one_tile(
    state: dict[int, int], turn: _Turn, width: int, length: int, place: int
) -> dict[int, int]:
    """Return the states after the turn of a group of one tile; `place`: of the group in the order, from 1."""
    add, unit, guard, bound, _ = turn
    plain, offset = (1 << length) - 1, place * length
    after: dict[int, int] = {}
    for key, value in state.items():
        new = key + add
        if (bound - new) & guard == guard:
            if new in after:
                after[new] += value
            else:
                after[new] = value
        new -= unit
        if new & guard == guard == (bound - new) & guard:
            value <<= width  # noqa: PLW2901
            value += (value & plain) << offset  # noqa: PLW2901
            if new in after:
                after[new] += value
            else:
                after[new] = value
    return after


def _after_tiles(
    state: dict[int, int], turn: _Turn, size: int, width: int, length: int, place: int
) -> dict[int, int]:
    """As `_after_one_tile`, for a group of more tiles."""
    add, unit, guard, bound, closed = turn
    plain, offset = (1 << length) - 1, place * length
    ways, every = BINOMIALS[size], range(size + 1)
    after: dict[int, int] = {}
    for key, value in state.items():
        full = key + add
        numbers: Sequence[int] = every
        if closed:
            number = full >> closed[0] & 15
            if number > size:
                continue
            numbers = (number,)
        for number in numbers:
            new = full - number * unit
            if new & guard == guard == (bound - new) & guard:
                term = value * ways[number] << number * width
                if number:
                    term += (term & plain) * number << offset
                if new in after:
                    after[new] += term
                else:
                    after[new] = term
    return after


def _unpack(value: int, order: Sequence[int], length: int, width: int) -> Counted:
    mask = (1 << width) - 1
    plain = (1 << length) - 1
    packed = value & plain
    low = ((packed & -packed).bit_length() - 1) // width
    high = (packed.bit_length() - 1) // width
    shifts = range(low * width, high * width + 1, width)
    totals = tuple([packed >> at & mask for at in shifts])
    mines: list[tuple[int, ...]] = [()] * len(order)
    for group in order:
        value >>= length
        packed = value & plain
        mines[group] = tuple([packed >> at & mask for at in shifts])
    return Counted(low, totals, tuple(mines))


def count_few(component: Component) -> Counted:
    """Count a component of one constraint or two, as most are on small boards, by their formula."""
    if len(component.owed) == 1:  # its tiles have no other constraint, so they are one group
        size, owed = component.sizes[0], component.owed[0]
        if not 0 <= owed <= size:
            return Counted(0, (), ())
        total = BINOMIALS[size][owed]
        return Counted(owed, (total,), ((total * owed,),))
    (first, second), (one, other) = component.members, component.owed
    # Three groups at most: tiles of both constraints, and of each alone.
    shared = next(group for group in first if group in second)
    size, first_size, second_size = component.sizes[shared], 0, 0
    for group in first:
        if group != shared:
            first_size = component.sizes[group]
    for group in second:
        if group != shared:
            second_size = component.sizes[group]
    least = max(0, one - first_size, other - second_size)
    most = min(size, one, other)
    totals, both, mine_first, mine_second = [], [], [], []
    ways_shared, ways_first, ways_second = BINOMIALS[size], BINOMIALS[first_size], BINOMIALS[second_size]
    for number in range(most, least - 1, -1):  # the more mines they share, the fewer there are
        ways = ways_shared[number] * ways_first[one - number] * ways_second[other - number]
        totals.append(ways)
        both.append(ways * number)
        mine_first.append(ways * (one - number))
        mine_second.append(ways * (other - number))
    if not totals:
        return Counted(0, (), ())
    mines = [tuple(both)] * len(component.sizes)
    for group in first:
        if group != shared:
            mines[group] = tuple(mine_first)
    for group in second:
        if group != shared:
            mines[group] = tuple(mine_second)
    return Counted(one + other - most, tuple(totals), tuple(mines))


def trimmed(low: int, coefficients: Sequence[int]) -> Polynomial:
    """Return a polynomial without zeros at either end: its lowest exponent, and its coefficients upwards.

    `low` is the exponent of the first coefficient that is given.
    """
    first = 0
    last = len(coefficients)
    while last and not coefficients[last - 1]:
        last -= 1
    while first < last and not coefficients[first]:
        first += 1
    return low + first, tuple(coefficients[first:last])
