"""A component -> its solutions by mine count, and each group's mines in them, exactly.

Dynamic programming over the groups in an elimination order; the state is the number of mines still owed by
each open constraint, packed into one integer; solutions are never listed. Two engines share order and
states:

* `count_packed`, for ordinary components: the value of a state is one big integer that holds the polynomial
  in the mine count and, behind it, one polynomial for each group done so far (the mines placed on the group,
  summed over the solutions), so that one forward pass yields everything exactly.
* `Sweep`, for wide components: states are sorted numpy arrays, values are rows of floats (all terms are
  positive, so the relative error stays near rounding) or of residues (from which exact counts are put
  together when asked for); a forward pass and its adjoint give every group's share.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from math import comb, exp, frexp, gcd, log
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from visionsweeper.errors import TooWide
from visionsweeper.solver.constraints import Component

PACKED_BITS: Final = 300_000
"""Components whose packed value would be longer than this many bits go to `Sweep`."""

PACKED_STATES: Final = 1_000
"""So do components with more states than this in one step."""

_BITS_OWED: Final = 5
"""Bits of a packed state for an open constraint: 4 for the mines owed, 1 to catch borrows."""

_BINOMIALS: Final = tuple(tuple(comb(n, k) for k in range(n + 1)) for n in range(9))

Polynomial = tuple[int, tuple[int, ...]]
"""(lowest exponent, coefficients from there on); first and last coefficient are not 0."""


class Step(NamedTuple):
    """One group's turn in the elimination order."""

    group: int
    touched: tuple[int, ...]
    """Constraints of the group."""
    opened: tuple[int, ...]
    """Those of them that begin with this group."""
    closed: tuple[int, ...]
    """Those of them that end with this group."""
    left: tuple[int, ...]
    """For each touched constraint, the tiles that remain to it after this group."""


def elimination_order(  # noqa: PLR0912 - one loop, kept fast
    component: Component, start: int | None = None
) -> list[int]:
    """Groups in an order that keeps few constraints open: always finish the constraint that opens the fewest.

    Ties go to the constraint with the fewest groups left; the first is `start`, or else the one with the
    fewest neighbours.
    """
    members = component.members
    touching: list[int] = [0] * len(component.sizes)
    for index, groups in enumerate(members):
        for group in groups:
            touching[group] |= 1 << index
    if len(members) == 1:
        return list(members[0])
    opens = []  # constraint -> the constraints it shares groups with, itself included
    for groups in members:
        mask = 0
        for group in groups:
            mask |= touching[group]
        opens.append(mask)
    if start is None:
        counts = [mask.bit_count() for mask in opens]
        start = counts.index(min(counts))
    order: list[int] = []
    placed = [False] * len(touching)
    unopened = (1 << len(members)) - 1
    unopened ^= 1 << start
    live = [start]
    while live:
        best = live[0]
        if len(live) > 1:
            least = 1 << 30
            for index in live:
                cost = (opens[index] & unopened).bit_count() << 8
                if cost <= least:
                    for group in members[index]:
                        if not placed[group]:
                            cost += 1
                    if cost < least:
                        best, least = index, cost
        todo = [group for group in members[best] if not placed[group]]
        if len(todo) > 1:
            todo.sort(key=lambda group: (touching[group] & unopened).bit_count())
        for group in todo:
            placed[group] = True
            order.append(group)
        fresh = opens[best] & unopened
        live.remove(best)
        while fresh:
            low = fresh & -fresh
            live.append(low.bit_length() - 1)
            fresh ^= low
            unopened ^= low
    return order


def plan(component: Component, order: Sequence[int]) -> list[Step]:
    """The steps of an order: what each group touches, opens and closes."""
    sizes, members = component.sizes, component.members
    touching: list[list[int]] = [[] for _ in sizes]
    left = []
    for index, groups in enumerate(members):
        total = 0
        for group in groups:
            touching[group].append(index)
            total += sizes[group]
        left.append(total)
    begun = [False] * len(members)
    steps = []
    for group in order:
        touched = touching[group]
        size = sizes[group]
        opened = []
        closed = []
        remain = []
        for index in touched:
            if not begun[index]:
                begun[index] = True
                opened.append(index)
            rest = left[index] = left[index] - size
            remain.append(rest)
            if not rest:
                closed.append(index)
        steps.append(Step(group, tuple(touched), tuple(opened), tuple(closed), tuple(remain)))
    return steps


_STATES_A_TRIAL: Final = 700
"""A further elimination order is tried for every so many estimated states: trying costs about as much."""

_TRIALS: Final = 24


def best_plan(component: Component) -> list[Step]:
    """The steps of a good order: several starts are tried where the first promises many states."""
    steps = plan(component, elimination_order(component))
    cost = estimated_states(component, steps)
    constraints = len(component.owed)
    trials = min(int(cost / _STATES_A_TRIAL), _TRIALS, constraints)
    for trial in range(trials):
        other = plan(component, elimination_order(component, trial * constraints // trials))
        other_cost = estimated_states(component, other)
        if other_cost < cost:
            steps, cost = other, other_cost
    return steps


def estimated_states(component: Component, steps: Sequence[Step]) -> float:
    """A rough estimate of the states of all steps together, for comparing orders."""
    owed = component.owed
    begun = [0] * len(owed)  # tiles done
    before = [0.0] * len(owed)
    total = size = 0.0
    for step in steps:
        for index, rest in zip(step.touched, step.left, strict=True):
            begun[index] += component.sizes[step.group]
            least = owed[index] - begun[index]
            span = min(owed[index], rest) - (least if least > 0 else 0)
            # Of the states that the ranges allow, fewer are reached the more constraints are open: the
            # exponent was fitted to real boards.
            new = _SPAN_LOGS[span]
            size += new - before[index]
            before[index] = new
        total += exp(size)
    return total


_SPAN_LOGS: Final = tuple(0.7 * log(span + 1) for span in range(9))


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
    """An upper bound of a component's mines."""
    return min(sum(component.sizes), sum(component.owed))


def packed_bits(component: Component) -> int:
    """Bits of a packed value of the component."""
    return (len(component.sizes) + 1) * (most_mines(component) + 1) * (sum(component.sizes) + 3)


def count_packed(  # noqa: PLR0912, PLR0915 - the hot loop: a call a transition would double its time
    component: Component,
) -> Counted | None:
    """Count an ordinary component in one pass over packed integers.

    None when it turns out wide: more than PACKED_STATES states in one step.
    """
    if len(component.owed) == 1:
        return _count_single(component)
    sizes, owed = component.sizes, component.owed
    width = sum(sizes) + 3  # bits of a coefficient: at most 2**tiles solutions, times a group's mines
    most = most_mines(component)
    length = (most + 1) * width
    plain = (1 << length) - 1
    shift = [0] * len(owed)
    free: list[int] = []
    used = offset = before = 0
    state: dict[int, int] = {0: 1}
    order = elimination_order(component)
    for group, touched, opened, closed, left in plan(component, order):
        offset += length
        for index in opened:
            if free:
                shift[index] = free.pop()
            else:
                shift[index] = used
                used += _BITS_OWED
        unit = guard = add = 0
        bound = (1 << used) - 1
        for index, rest in zip(touched, left, strict=True):
            at = shift[index]
            unit |= 1 << at
            # A state's field holds 16 + owed; 32 + rest less that has its 16 only when owed <= rest.
            bound += (rest + 1) << at
        guard = unit << 4
        for index in opened:
            add += owed[index] << shift[index]
        add += guard - before  # the step before left its guard bits set
        before = guard
        after: dict[int, int] = {}
        size = sizes[group]
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
            ways = _BINOMIALS[size]
            every = range(size + 1)
            for key, value in state.items():
                full = key + add
                numbers: Sequence[int] = every
                if closed:
                    number = full >> shift[closed[0]] & 15
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
        for index in closed:
            free.append(shift[index])
    if not state:
        return Counted(0, (), ())
    (value,) = state.values()
    return _unpack(value, order, length, width, most)


def _unpack(value: int, order: Sequence[int], length: int, width: int, most: int) -> Counted:
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


def _count_single(component: Component) -> Counted:
    """A constraint alone: its groups have no other constraint, so they are one group."""
    size, owed = component.sizes[0], component.owed[0]
    if not 0 <= owed <= size:
        return Counted(0, (), ())
    total = comb(size, owed)
    return Counted(owed, (total,), ((total * owed,),))


def too_wide(component: Component, limit: int, states: int) -> TooWide:
    """Return the error for a component that needs more states than allowed, or than fit a 63-bit key each."""
    over = f"need more than {limit:,} states" if states > limit else "leave too many numbers open at once"
    return TooWide(
        f"the frontier is too wide to count exactly: {len(component.owed)} numbers over "
        f"{sum(component.sizes)} covered tiles {over}; open more tiles first"
        + (", or pass a higher state_limit in Python" if states > limit else ""),
        limit,
    )


class Move(NamedTuple):
    """All transitions of one step that place the same number of mines."""

    number: int
    """Mines placed on the group."""
    ways: int
    """Ways to choose the tiles."""
    source: npt.NDArray[np.intp]
    """Rows of the states before."""
    target: npt.NDArray[np.intp]
    """Rows of the states after, each at most once."""


class Sweep:
    """Forward and adjoint passes over one wide component."""

    def __init__(self, component: Component, state_limit: int) -> None:
        """Find order and states. Raises TooWide beyond `state_limit` states of all steps together."""
        self.component = component
        steps = best_plan(component)
        self.order = [step.group for step in steps]
        self.moves: list[list[Move]] = []
        self.counts: list[int] = [1]
        """States before each step, and after the last."""
        self._find_states(steps, state_limit)

    def _find_states(self, steps: list[Step], limit: int) -> None:
        component = self.component
        shift = [0] * len(component.owed)
        taken = total = 0
        keys = np.zeros(1, dtype=np.int64)
        for step in steps:
            size = component.sizes[step.group]
            add = 0
            for index in step.opened:
                field = (1 << component.owed[index].bit_length()) - 1
                at = 0
                while taken >> at & field:
                    at += 1
                if at + field.bit_length() > 63:
                    raise too_wide(component, limit, total)
                taken |= field << at
                shift[index] = at
                add += component.owed[index] << at
            if add:
                keys = keys + add
            low = np.zeros(len(keys), dtype=np.int64)
            high = np.full(len(keys), size, dtype=np.int64)
            unit = 0
            for index, rest in zip(step.touched, step.left, strict=True):
                field = (1 << component.owed[index].bit_length()) - 1
                owed = keys >> shift[index] & field
                unit += 1 << shift[index]
                np.minimum(high, owed, out=high)
                np.maximum(low, owed - rest, out=low)
                if not rest:
                    taken &= ~(field << shift[index])
            chosen = []
            for number in range(size + 1):
                rows = np.flatnonzero((low <= number) & (number <= high))
                if len(rows):
                    chosen.append((number, rows, keys[rows] - number * unit))
            keys = _merged([new for _, _, new in chosen])
            total += len(keys)
            if total > limit:
                raise too_wide(component, limit, total)
            ways = _BINOMIALS[size]
            self.moves.append([Move(n, ways[n], rows, np.searchsorted(keys, new)) for n, rows, new in chosen])
            self.counts.append(len(keys))

    @property
    def possible(self) -> bool:
        """Whether there is any solution."""
        return self.counts[-1] > 0

    @cached_property
    def _layers(self) -> list[npt.NDArray[np.float64]]:
        """Before each step and at the end: (states, mine counts) float64 solutions so far."""
        return [rows for _, rows in self._forward(0)]

    def _forward(self, modulus: int, mined: int | None = None) -> Iterator[tuple[int, npt.NDArray[Any]]]:
        """(lowest mine count, ways to reach each state by mine count): floats, or residues of `modulus`.

        Floats are scaled down by powers of two where they would overflow. With `mined`, only placements
        with a mine on a given tile of that group count.
        """
        rows: npt.NDArray[Any] = np.ones((1, 1), dtype=np.int64 if modulus else np.float64)
        low = 0
        yield low, rows
        for group, moves, states in zip(self.order, self.moves, self.counts[1:], strict=True):
            least, most = moves[0].number, moves[-1].number
            width = rows.shape[1]
            after = np.zeros((states, width + most - least), dtype=rows.dtype)
            for number, ways, source, target in moves:
                term = rows if len(source) == len(rows) else rows[source]
                if group == mined:
                    ways = ways * number // self.component.sizes[group]  # noqa: PLW2901
                if ways != 1:
                    term = term * ways
                after[target, number - least : number - least + width] += term
            if modulus:
                after %= modulus
            elif self._scaled:
                _scale_down(after)
            low += least
            rows = after
            yield low, rows

    @cached_property
    def _scaled(self) -> bool:
        return sum(self.component.sizes) > _UNSCALED_TILES

    @cached_property
    def totals(self) -> tuple[int, npt.NDArray[np.float64]]:
        """(fewest mines, N(m) from there on as float64), up to a common power of two."""
        row = self._layers[-1][0]
        low = sum(moves[0].number for moves in self.moves)
        if self._scaled:
            present = np.flatnonzero(self._supports(np.ones(len(row), dtype=np.bool_))[0])
        else:
            present = np.flatnonzero(row)
        return low + int(present[0]), row[present[0] : present[-1] + 1]

    def weigh(self, share: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], list[int], list[int]]:
        """Each group's chance of a mine when the component holds m mines with probability share[m - low].

        `share` is as long as the totals, not negative, and 0 only for mine counts that are ruled out (a
        share too small for a float may be any tiny number). Returns (probability of a mine on a tile of each
        group (groups,) float64, the groups that are always empty, the groups that are always full); the
        lists rest on which solutions exist, not on rounding.
        """
        low, totals = self.totals
        row = self._layers[-1][0]
        offset = low - sum(moves[0].number for moves in self.moves)
        # Raised to a floor, a share stays far below any rounding of the result, and every product stays
        # within the range of floats, so that a sum is 0 only where it has no terms.
        raised = np.maximum(share / share.max(), 2.0**-200)
        value: npt.NDArray[np.float64] = np.zeros((1, len(row)))
        allowed = (share > 0) & (totals > 0)
        value[0, offset : offset + len(totals)][allowed] = raised[allowed] / totals[allowed]
        chance = np.zeros(len(self.order))
        empty: list[int] = []
        full: list[int] = []
        for step in range(len(self.order) - 1, -1, -1):
            group, rows, moves = self.order[step], self._layers[step], self.moves[step]
            least, width = moves[0].number, rows.shape[1]
            before: npt.NDArray[np.float64] = np.zeros(rows.shape)
            placed = total = 0.0
            size = self.component.sizes[group]
            some = some_not = False
            for number, ways, source, target in moves:
                term = value[target, number - least : number - least + width]
                if ways > 1:
                    term *= ways
                if len(source) == len(rows):
                    part = float(np.vdot(rows, term))
                    before += term
                else:
                    part = float(np.vdot(rows[source], term))
                    before[source] += term
                placed += number * part
                total += part
                some |= part > 0 and number > 0
                some_not |= part > 0 and number < size
            value = before
            if self._scaled:
                _scale_down(value)
            chance[group] = placed / (size * total) if some and some_not else float(some)
            if not some:
                empty.append(group)
            elif not some_not:
                full.append(group)
        if self._scaled:
            mask = np.zeros(len(row), dtype=np.bool_)
            mask[offset : offset + len(totals)] = share > 0
            _, empty, full = self._supports(mask)
            chance[empty] = 0.0
            chance[full] = 1.0
        return chance, empty, full

    def _supports(self, allowed: npt.NDArray[np.bool_]) -> tuple[npt.NDArray[np.bool_], list[int], list[int]]:
        """Which mine counts exist at all, and which groups are always empty or always full under `allowed`.

        The same two passes in booleans, for components whose floats had to be scaled.
        """
        layers = [np.ones((1, 1), dtype=np.bool_)]
        for moves, states in zip(self.moves, self.counts[1:], strict=True):
            rows = layers[-1]
            least, width = moves[0].number, rows.shape[1]
            after = np.zeros((states, width + moves[-1].number - least), dtype=np.bool_)
            for number, _, source, target in moves:
                after[target, number - least : number - least + width] |= rows[source]
            layers.append(after)
        existing: npt.NDArray[np.bool_] = layers[-1][0]
        value = (existing & allowed)[np.newaxis, :]
        empty = []
        full = []
        for step in range(len(self.order) - 1, -1, -1):
            group, rows, moves = self.order[step], layers[step], self.moves[step]
            least, width = moves[0].number, rows.shape[1]
            before = np.zeros(rows.shape, dtype=np.bool_)
            numbers = set()
            for number, _, source, target in moves:
                term = value[target, number - least : number - least + width]
                before[source] |= term
                if bool((rows[source] & term).any()):
                    numbers.add(number)
            value = before
            if numbers == {0}:
                empty.append(group)
            elif numbers == {self.component.sizes[group]}:
                full.append(group)
        return existing, empty, full

    @cached_property
    def exact_totals(self) -> Polynomial:
        """N(m) exactly."""
        return self.exact(None)

    def exact(self, group: int | None) -> Polynomial:
        """N(m), or N_t(m) of the tiles of a group, put together from residues of enough moduli."""
        bits = sum(self.component.sizes) + 1
        modulus = 1
        result: list[int] = []
        low = 0
        for prime in _moduli():
            rows: npt.NDArray[Any] = np.zeros((1, 1), dtype=np.int64)
            for low, rows in self._forward(prime, group):  # noqa: B007 - only the last layer is wanted
                pass
            residues = rows[0].tolist()
            if result:
                inverse = pow(modulus, -1, prime)
                residues = [
                    a + modulus * ((b - a) * inverse % prime) for a, b in zip(result, residues, strict=True)
                ]
            result = residues
            modulus *= prime
            if modulus.bit_length() > bits:
                break
        return trimmed(low, result)


_UNSCALED_TILES: Final = 800
"""Up to this many tiles, floats hold every number of solutions and its reciprocal."""


def _scale_down(values: npt.NDArray[np.float64]) -> None:
    """Multiply in place by a power of two where values grow large (the power is of no interest)."""
    peak = float(values.max())
    if peak > 2.0**400:
        values *= 2.0 ** -frexp(peak)[1]


def trimmed(low: int, coefficients: Sequence[int]) -> Polynomial:
    """Without zeros at either end."""
    first = 0
    last = len(coefficients)
    while last and not coefficients[last - 1]:
        last -= 1
    while first < last and not coefficients[first]:
        first += 1
    return low + first, tuple(coefficients[first:last])


def _moduli() -> Iterator[int]:
    """Numbers downwards from 2**31, each without a common divisor with those before."""
    product = 1
    candidate = 2**31 - 1
    while True:
        if gcd(candidate, product) == 1:
            product *= candidate
            yield candidate
        candidate -= 2


def _merged(ascending: list[npt.NDArray[np.int64]]) -> npt.NDArray[np.int64]:
    """The distinct values of ascending arrays, ascending."""
    if not ascending:
        return np.zeros(0, dtype=np.int64)
    if len(ascending) == 1:
        return ascending[0]
    both = np.concatenate(ascending)
    both.sort(kind="stable")  # merges ascending runs in linear time
    keep = np.empty(len(both), dtype=np.bool_)
    keep[0] = True
    np.not_equal(both[1:], both[:-1], out=keep[1:])
    return both[keep]
