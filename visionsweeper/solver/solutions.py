"""The solutions themselves: of a component the k-th in order of mine count, or a uniformly random one.

Nothing is listed: for every state of the elimination order the number of its completions by mine count is
counted once, backwards; the k-th solution is then found by walking forward and subtracting counts.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Final, NamedTuple

from visionsweeper.board import MINE, SAFE, Board
from visionsweeper.errors import TooWide
from visionsweeper.geometry import Position
from visionsweeper.solver.constraints import Component, System
from visionsweeper.solver.counting import Polynomial, most_mines
from visionsweeper.solver.order_search import best_plan
from visionsweeper.solver.orders import Step
from visionsweeper.solver.random_integers import below

if TYPE_CHECKING:
    from visionsweeper.solver.random_integers import Rng

BITS_LIMIT: Final = 8 * 10**9
"""Completion counts of one component may take this many bits together (a gigabyte)."""

_BITS_OWED: Final = 4
"""Bits of a packed state for an open constraint: at most 8 mines are owed."""

_CHOICES: Final = tuple(tuple(tuple(combinations(range(n), k)) for k in range(n + 1)) for n in range(9))


class Range(NamedTuple):
    """The solutions with one mine count."""

    mines: int
    """Mines in each of them."""
    first: int
    """Number of the first of them, from 0."""
    last: int
    """Number of the last of them."""


@dataclass(frozen=True, eq=False)
class ComponentSolutions:
    """The solutions of one component, numbered from 0 in order of mine count."""

    groups: tuple[tuple[Position, ...], ...]
    """Tiles (row, column) that share exactly the same numbers, and so the same chance."""
    low: int
    """Fewest mines of a solution."""
    totals: tuple[int, ...]
    """N(m), the number of solutions with m mines, for m = low, low + 1, …"""
    _component: Component = field(repr=False)

    @cached_property
    def tiles(self) -> tuple[Position, ...]:
        """All tiles of the component, in reading order."""
        return tuple(sorted(tile for group in self.groups for tile in group))

    @cached_property
    def count(self) -> int:
        """Number of solutions."""
        return sum(self.totals)

    @cached_property
    def ranges(self) -> tuple[Range, ...]:
        """Which numbers the solutions of each mine count have; mine counts without solutions are left out."""
        found = []
        first = 0
        for mines, total in enumerate(self.totals, self.low):
            if total:
                found.append(Range(mines, first, first + total - 1))
            first += total
        return tuple(found)

    def solution(self, index: int) -> tuple[Position, ...]:
        """Return the mines of solution number `index` (from 0), in reading order.

        Raises IndexError beyond the last, and TooWide when the component has too many states to hold.
        """
        if not 0 <= index < self.count:
            raise IndexError(f"solution {index} of {self.count}: they are numbered from 0")
        found = self.ranges[bisect_right(self.ranges, index, key=lambda part: part.first) - 1]
        return self._walk(found.mines, index - found.first)

    def with_mines(self, mines: int) -> Iterator[tuple[Position, ...]]:
        """Yield all solutions with this many mines, one by one (none when there are none)."""
        if 0 <= mines - self.low < len(self.totals):
            for rank in range(self.totals[mines - self.low]):
                yield self._walk(mines, rank)

    def __iter__(self) -> Iterator[tuple[Position, ...]]:
        """All solutions in order, one by one."""
        for part in self.ranges:
            yield from self.with_mines(part.mines)

    def random(self, rng: Rng, mines: int | None = None) -> tuple[Position, ...]:
        """Draw a uniformly random solution, of all or of those with `mines` mines.

        `rng` is a numpy Generator or a random.Random. Raises ValueError when none has that many mines.
        """
        if mines is None:
            return self.solution(below(rng, self.count))
        total = self.totals[mines - self.low] if 0 <= mines - self.low < len(self.totals) else 0
        if not total:
            raise ValueError(f"no solution of this component has {mines} mines")
        return self._walk(mines, below(rng, total))

    @cached_property
    def with_mine(self) -> tuple[tuple[int, ...], ...]:
        """[group][m - low]: N_t(m), the solutions with m mines of which one is on a given tile of the group.

        Every state's ways to reach it times its completions, all groups in one pass. Raises TooWide.
        """
        width, sizes = self._width, self._component.sizes
        mask = (1 << width) - 1
        found: list[tuple[int, ...]] = [()] * len(self.groups)
        reached = {0: 1}
        for at, (step, _, _) in enumerate(self._moves):
            following = self._completions[at + 1]
            size = sizes[step.group]
            after: dict[int, int] = {}
            total = 0
            for state, ways in reached.items():
                mined = 0
                for number, new in self._next(at, state):
                    completions = following.get(new)
                    if completions:
                        if number:
                            mined += comb(size - 1, number - 1) * completions << number * width
                        after[new] = after.get(new, 0) + (comb(size, number) * ways << number * width)
                if mined:
                    total += _times(ways, mined)
            reached = after
            total >>= self.low * width
            found[step.group] = tuple([total >> m * width & mask for m in range(len(self.totals))])
        return tuple(found)

    @cached_property
    def _moves(self) -> list[tuple[Step, int, tuple[tuple[int, int], ...]]]:
        """For each step: (step, what to add to a state for the constraints it opens, (place, rest)…)."""
        owed = self._component.owed
        place: dict[int, int] = {}
        free: list[int] = []
        used = 0
        moves = []
        for step in best_plan(self._component):
            add = 0
            for index in step.opened:
                if free:
                    place[index] = free.pop()
                else:
                    place[index] = used
                    used += _BITS_OWED
                add += owed[index] << place[index]
            touched = tuple((place[index], rest) for index, rest in zip(step.touched, step.left, strict=True))
            moves.append((step, add, touched))
            free += [place[index] for index in step.closed]
        return moves

    def _next(self, at: int, state: int) -> Iterator[tuple[int, int]]:
        """(mines on the group of step `at`, state after) for every number that can still be met."""
        step, add, touched = self._moves[at]
        state += add
        low, high, unit = 0, self._component.sizes[step.group], 0
        for place, rest in touched:
            owed = state >> place & 15
            unit += 1 << place
            low = max(low, owed - rest)
            high = min(high, owed)
        for number in range(low, high + 1):
            yield number, state - number * unit

    @cached_property
    def _width(self) -> int:
        """Bits of a packed coefficient."""
        return sum(self._component.sizes) + 1

    @cached_property
    def _completions(self) -> list[dict[int, int]]:
        """[step] state before it -> its completions: their number by mine count, packed into one integer."""
        layers: list[set[int]] = [{0}]
        for at in range(len(self._moves)):
            layers.append({after for state in layers[-1] for _, after in self._next(at, state)})
        sizes, width = self._component.sizes, self._width
        counted: list[dict[int, int]] = [dict.fromkeys(layers[-1], 1)]
        bits = 0
        most = most_mines(self._component)
        for at in range(len(self._moves) - 1, -1, -1):
            following = counted[-1]
            size = sizes[self._moves[at][0].group]
            values: dict[int, int] = {}
            for state in layers.pop(at):
                value = 0
                for number, after in self._next(at, state):
                    term = following.get(after)
                    if term:
                        value += comb(size, number) * term << number * width
                if value:
                    values[state] = value
                    bits += value.bit_length()
            if bits > BITS_LIMIT:
                raise TooWide(
                    f"the frontier is too wide to number its solutions: {len(self.tiles)} covered tiles with "
                    f"up to {most} mines form one connected component; open more tiles first"
                )
            counted.append(values)
        counted.reverse()
        return counted

    def _walk(self, mines: int, rank: int) -> tuple[Position, ...]:
        """Solution number `rank` of those with this many mines."""
        width = self._width
        mask = (1 << width) - 1
        found: list[Position] = []
        state = 0
        for at, (step, _, _) in enumerate(self._moves):
            following = self._completions[at + 1]
            group = self.groups[step.group]
            for number, after in self._next(at, state):
                ways = following.get(after, 0) >> (mines - number) * width & mask if number <= mines else 0
                choices = _CHOICES[len(group)][number]
                if rank < ways * len(choices):
                    choice, rank = divmod(rank, ways)
                    found += [group[place] for place in choices[choice]]
                    mines -= number
                    state = after
                    break
                rank -= ways * len(choices)
        return tuple(sorted(found))


def _times(a: int, b: int) -> int:
    """Return a product, without the trailing zeros' share of the work."""
    low, high = (a & -a).bit_length() - 1, (b & -b).bit_length() - 1
    return (a >> low) * (b >> high) << low + high


def place(board: Board, tiles: Iterable[Position], mines: Iterable[Position]) -> Board:
    """Place a solution on the board, to be printed or drawn: `mines` as `*`, the rest of `tiles` as `x`."""
    cells = board.cells.copy()
    for tile in tiles:
        cells[tile] = SAFE
    for tile in mines:
        cells[tile] = MINE
    return board.changed(cells)


def component_solutions(system: System, polynomials: Sequence[Polynomial]) -> tuple[ComponentSolutions, ...]:
    """Return the solutions of every component, their polynomials N(m) being known.

    Tiles settled by single numbers belong to none.
    """
    return tuple(
        ComponentSolutions(
            groups=tuple(tuple(system.tile(bit) for bit in tiles) for tiles in groups),
            low=low,
            totals=totals,
            _component=component,
        )
        for component, groups, (low, totals) in zip(system.components, system.tiles, polynomials, strict=True)
    )
