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


def count_packed(  # noqa: PLR0912, PLR0915 - the hot loop: a call a transition would double its time
    component: Component,
) -> Counted | None:
    """Count an ordinary component in one pass over packed integers.

    None when it turns out wide: more than PACKED_STATES states in one step.
    """
    if len(component.owed) <= FEW_CONSTRAINTS:
        return count_few(component)
    sizes, owed = component.sizes, component.owed
    width = sum(sizes) + 3  # bits of a coefficient: at most 2**tiles solutions, times a group's mines
    most = most_mines(component)
    length = (most + 1) * width
    plain = (1 << length) - 1
    touching: list[list[int]] = [[] for _ in sizes]
    left = [0] * len(owed)  # tiles of each constraint whose turn is still to come
    for index, groups in enumerate(component.members):
        for group in groups:
            touching[group].append(index)
            left[index] += sizes[group]
    shift = [-1] * len(owed)
    free: list[int] = []
    used = offset = before = 0
    state: dict[int, int] = {0: 1}
    order = elimination_order(component)
    for group in order:
        offset += length
        size = sizes[group]
        unit = add = bound = 0
        closed: list[int] = []
        for index in touching[group]:
            at = shift[index]
            if at < 0:  # it begins with this group
                if free:
                    at = free.pop()
                else:
                    at = used
                    used += _BITS_OWED
                shift[index] = at
                add += owed[index] << at
            rest = left[index] = left[index] - size
            if not rest:
                closed.append(at)
            unit |= 1 << at
            # A state's field holds 16 + owed; 32 + rest less that has its 16 only when owed <= rest.
            bound += (rest + 1) << at
        guard = unit << 4
        bound += (1 << used) - 1
        add += guard - before  # the step before left its guard bits set
        before = guard
        after: dict[int, int] = {}
        if size == 1:
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
        else:
            ways = BINOMIALS[size]
            every = range(size + 1)
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
        state = after
        if len(state) > PACKED_STATES:
            return None
        free += closed
    if not state:
        return Counted(0, (), ())
    (value,) = state.values()
    return _unpack(value, order, length, width)


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
