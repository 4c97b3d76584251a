"""Board and mine count -> every covered tile's exact mine probability: `solve` and its `Solution`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import comb, prod
from operator import mul
from typing import TYPE_CHECKING, Final, Literal

import numpy as np
import numpy.typing as npt

from visionsweeper.board import Board
from visionsweeper.errors import ImpossibleMineCount, TooFewMines, TooManyMines, TooWide
from visionsweeper.solver.conflict import contradiction
from visionsweeper.solver.constraints import Component, System, bit_indices, build_system
from visionsweeper.solver.counting import (
    PACKED_BITS,
    Counted,
    Polynomial,
    Sweep,
    count_packed,
    packed_bits,
)
from visionsweeper.solver.joining import (
    attainable,
    inside,
    join_exactly,
    join_floats,
    relative_binomials,
    shifted_union,
)
from visionsweeper.solver.strategy import choose
from visionsweeper.wording import plural

if TYPE_CHECKING:
    from visionsweeper.solver.advice import Advice
    from visionsweeper.solver.outcomes import Outcomes
    from visionsweeper.solver.random_integers import Rng
    from visionsweeper.solver.solutions import ComponentSolutions
    from visionsweeper.solver.tables import Tables

STATE_LIMIT: Final = 1_000_000
"""Default limit on the states of a component, all steps together.

Just within it, a position takes some six seconds and two gigabytes; a 36x36 board with every second tile of
every second row opened is about that wide. Ordinary boards need hundreds."""

_EXACT_SPREAD: Final = 100
"""Join in whole numbers while the components' possible mine counts span no more than this."""

Scope = Literal["global", "local"]


@dataclass(frozen=True, eq=False)
class _Odds:
    """What joining found, by component and group."""

    chances: list[list[float]]
    """[component][group] probability of a mine on each of its tiles."""
    safe: list[list[int]]
    """[component] -> groups certainly without mines."""
    mines: list[list[int]]
    """[component] -> groups certainly all mines."""
    beyond: float | None
    """Probability of a mine on each tile next to no number; None when unknown or there are none."""


@dataclass(frozen=True, eq=False)
class Solution:
    """What is known about every covered tile. Made by `solve`; dear answers are computed when asked for."""

    board: Board
    mines: int | None
    """Mines on the board, shown ones included; None when unknown."""
    trust_flags: bool
    """Whether flags were counted as mines."""
    _system: System = field(repr=False)
    _counts: list[Counted | Sweep] = field(repr=False)
    _odds: _Odds = field(repr=False)
    _state_limit: int = field(default=STATE_LIMIT, repr=False)

    @property
    def scope(self) -> Scope:
        """Either "global", the mine count being known, or "local"."""
        return "local" if self.mines is None else "global"

    @cached_property
    def probability(self) -> npt.NDArray[np.float64]:
        """(rows, columns) float64, read-only: probability of a mine, 0.0 and 1.0 only when certain.

        NaN for opened tiles, shown mines and safe marks, and in local scope for tiles next to no number.
        """
        system, odds = self._system, self._odds
        grid = np.full((system.rows, system.columns + 1), np.nan)
        flat = grid.ravel()
        if odds.beyond is not None:
            grid[:, :-1][system.grid(system.beyond)] = odds.beyond
        places = bit_indices(system.mines)
        values = [1.0] * len(places)
        settled = bit_indices(system.safe)
        places += settled
        values += [0.0] * len(settled)
        for groups, chances in zip(system.tiles, odds.chances, strict=True):
            for tiles, chance in zip(groups, chances, strict=True):
                places += tiles
                if len(tiles) == 1:
                    values.append(chance)
                else:
                    values += [chance] * len(tiles)
        flat[places] = values
        result = grid[:, :-1]
        result.setflags(write=False)
        return result

    @cached_property
    def safe(self) -> list[tuple[int, int]]:
        """Covered tiles that certainly hold no mine, in reading order."""
        return self._certain(self._system.safe, self._odds.safe, 0.0)

    @cached_property
    def mine(self) -> list[tuple[int, int]]:
        """Covered tiles that certainly hold a mine (shown mines are not listed), in reading order."""
        return self._certain(self._system.mines, self._odds.mines, 1.0)

    def _certain(self, settled: int, groups: list[list[int]], beyond: float) -> list[tuple[int, int]]:
        system = self._system
        bits = bit_indices(settled)
        for tiles, chosen in zip(system.tiles, groups, strict=True):
            for group in chosen:
                bits += tiles[group]
        if self._odds.beyond == beyond:
            bits += bit_indices(system.beyond)
        bits.sort()
        stride = system.columns + 1
        return [divmod(bit, stride) for bit in bits]

    @cached_property
    def safest(self) -> tuple[tuple[int, int] | None, str]:
        """A tile least likely to hold a mine, certain ones first, and why; (None, why) if there is none."""
        return choose(self.board, self.probability, self.safe)

    @property
    def best(self) -> tuple[int, int] | None:
        """The tile to open next, the first of `advice`; None if there is none."""
        return self.advice.best

    @property
    def best_reason(self) -> str:
        """Why `best` was chosen, or why there is none: a few sentences."""
        return self.advice.reason

    @cached_property
    def flags_wrong(self) -> list[tuple[int, int]]:
        """Flags on tiles that certainly hold no mine (none when flags were trusted)."""
        flags = set(self._system.list_tiles(self._system.flags)) if self._system.flags else set()
        return [tile for tile in self.safe if tile in flags]

    @cached_property
    def flags_uncertain(self) -> list[tuple[int, int]]:
        """Flags on tiles that may or may not hold a mine (none when flags were trusted)."""
        if not self._system.flags:
            return []
        certain = {*self.safe, *self.mine}
        return [tile for tile in self._system.list_tiles(self._system.flags) if tile not in certain]

    @cached_property
    def flags_right(self) -> list[tuple[int, int]]:
        """Flags on tiles that certainly hold a mine (all of them when flags were trusted)."""
        flags = set(self._system.list_tiles(self._system.flags)) if self._system.flags else set()
        return [tile for tile in self.mine if tile in flags]

    # Exact answers: from here on everything is computed on demand, in whole numbers.

    @cached_property
    def count(self) -> int:
        """Number of solutions: placements of all mines, or in local scope of the frontier's mines."""
        if self.mines is None:
            return prod([sum(totals) for _, totals in self._polynomials])
        placements, left, ways = self._placements
        total: int = sum(map(mul, placements, ways))
        at = next(at for at, way in enumerate(ways) if way)
        result: int = total * comb(self._beyond_tiles, left - at) // ways[at]
        return result

    @property
    def mine_range(self) -> tuple[int, int]:
        """Fewest and most mines on the whole board with which the numbers can hold."""
        parts = self._polynomials
        known = self._system.shown + self._system.mines.bit_count()
        least = known + sum(low for low, _ in parts)
        return least, least + sum(len(totals) - 1 for _, totals in parts) + self._beyond_tiles

    def exact(self, row: int, column: int) -> Fraction:
        """The probability of a mine as an exact fraction.

        Raises ValueError where `probability` is NaN, and outside the board.
        """
        if self.mines is None:
            return self.local_exact(row, column)
        bit = self._bit(row, column)
        settled = self._settled(bit)
        if settled is not None:
            return settled
        if self._system.beyond >> bit & 1:
            placements, left, ways = self._placements
            weighed = list(map(mul, placements, ways))
            mines = sum([weight * (left - at) for at, weight in enumerate(weighed)])
            return Fraction(mines, sum(weighed) * self._beyond_tiles)
        index, group = self._place(bit)
        weights = self._exact_weights(index)
        low, totals = self._polynomials[index]
        from_low, with_tile = self._group_polynomial(index, group)
        return Fraction(sum(map(mul, with_tile, weights[from_low - low :])), sum(map(mul, totals, weights)))

    def local_exact(self, row: int, column: int) -> Fraction:
        """The probability of a mine by the numbers alone, the mine count ignored.

        Raises ValueError for tiles next to no number, tiles that are not covered, and outside the board.
        """
        bit = self._bit(row, column)
        settled = self._settled(bit)
        if settled is not None:
            return settled
        if self._system.beyond >> bit & 1:
            raise ValueError(f"row {row}, column {column} is next to no number: the mine count is needed")
        index, group = self._place(bit)
        return Fraction(sum(self._group_polynomial(index, group)[1]), sum(self._polynomials[index][1]))

    # More than odds; their modules load on first use, so that reading a board alone stays light.

    @cached_property
    def components(self) -> tuple[ComponentSolutions, ...]:
        """The frontier's independent parts with their solutions; settled tiles belong to none."""
        from visionsweeper.solver.solutions import component_solutions

        return component_solutions(self)

    def random(self, rng: Rng) -> tuple[tuple[int, int], ...]:
        """The covered mines of a uniformly random solution of the board, in reading order.

        `rng` is a numpy Generator or a random.Random. In local scope, mines next to numbers only.
        """
        from visionsweeper.solver.solutions import random_mines

        return random_mines(self, rng)

    def outcomes(self, row: int, column: int) -> Outcomes:
        """The exact probability of each thing that opening a covered tile can show.

        Raises ValueError for tiles that are not covered, and in local scope for tiles that touch tiles whose
        odds are unknown.
        """
        from visionsweeper.solver.outcomes import outcomes

        return outcomes(self, (row, column))

    @cached_property
    def advice(self) -> Advice:
        """The tiles worth opening next, ranked; dearer than `safest`, and better."""
        from visionsweeper.solver.advice import advise

        return advise(self)

    @cached_property
    def tables(self) -> Tables:
        """Everything that was counted, exactly."""
        from visionsweeper.solver.tables import tables

        return tables(self)

    def _bit(self, row: int, column: int) -> int:
        system = self._system
        if not (0 <= row < system.rows and 0 <= column < system.columns):
            raise ValueError(f"row {row}, column {column} is outside the board")
        bit = row * (system.columns + 1) + column
        if not system.covered >> bit & 1:
            raise ValueError(f"row {row}, column {column} is not covered: it has no mine probability")
        return bit

    def _settled(self, bit: int) -> Fraction | None:
        if self._system.mines >> bit & 1:
            return Fraction(1)
        return Fraction(0) if self._system.safe >> bit & 1 else None

    def _place(self, bit: int) -> tuple[int, int]:
        """(component, group) of a tile on the unsettled frontier."""
        return next(
            (index, group)
            for index, groups in enumerate(self._system.tiles)
            for group, tiles in enumerate(groups)
            if bit in tiles
        )

    @cached_property
    def _beyond_tiles(self) -> int:
        return self._system.beyond.bit_count()

    @cached_property
    def _polynomials(self) -> list[Polynomial]:
        """N(m) of every component."""
        return [
            counted.exact_totals if isinstance(counted, Sweep) else (counted.low, counted.totals)
            for counted in self._counts
        ]

    @cached_property
    def _joined(self) -> Polynomial:
        """Solutions of all components together, by mine count."""
        return _multiplied(self._polynomials)

    def _group_polynomial(self, index: int, group: int) -> Polynomial:
        """N_t(m) of the tiles of one group."""
        counted = self._counts[index]
        if isinstance(counted, Sweep):
            return counted.exact(group)
        size = self._system.components[index].sizes[group]
        return counted.low, tuple(mines // size for mines in counted.mines[group])

    @cached_property
    def _placements(self) -> tuple[Sequence[int], int, list[int]]:
        """What places the mines: components by mine count, and the tiles beyond.

        (Solutions of all components for each mine count from their fewest on, mines left for the tiles beyond
        at the first of these, ways to place those at each, up to a common factor).
        """
        low, coefficients = self._joined
        left = self._mines_left() - low
        return coefficients, left, relative_binomials(self._beyond_tiles, left, len(coefficients))

    def _mines_left(self) -> int:
        assert self.mines is not None
        return self.mines - self._system.shown - self._system.mines.bit_count()

    def _exact_weights(self, index: int) -> list[int]:
        """For each mine count of a component, the placements of all other mines, up to a common factor."""
        others = [part for at, part in enumerate(self._polynomials) if at != index]
        low, coefficients = _multiplied(others)
        own, totals = self._polynomials[index]
        left = self._mines_left() - low - own
        binomials = relative_binomials(self._beyond_tiles, left, len(coefficients) + len(totals) - 1)
        return [sum(map(mul, coefficients, binomials[at:])) for at in range(len(totals))]


def solve(
    board: Board, mines: int | None = None, *, trust_flags: bool = False, state_limit: int = STATE_LIMIT
) -> Solution:
    """The exact mine probability of every covered tile.

    `mines` is the number of mines on the whole board, shown ones included; without it only the tiles next to
    numbers get a (local) probability. Flags are covered tiles like others unless `trust_flags`.

    Raises InconsistentBoard when numbers contradict each other, TooFewMines or TooManyMines when they can
    hold but not with this many mines, and TooWide (with what is certain all the same) when counting a
    component needs more than `state_limit` states, all steps together.
    """
    system = build_system(board, trust_flags=trust_flags)
    try:
        counts = _count(system, state_limit)
    except TooWide as error:
        error.safe = tuple(system.list_tiles(system.safe))
        error.mine = tuple(system.list_tiles(system.mines))
        raise
    if counts is None:
        raise contradiction(board, system, trust_flags=trust_flags, count=lambda s: _count(s, state_limit))
    odds = _local(system, counts) if mines is None else _global(system, counts, mines)
    return Solution(board, mines, trust_flags, system, counts, odds, state_limit)


def solve_opened(solution: Solution, tile: tuple[int, int], number: int) -> Solution | None:
    """The solution after a covered tile was opened and shows `number`; None when it cannot show that.

    Components that stay as they were are not counted again. Raises TooWide as `solve` does.
    """
    cells = solution.board.cells.copy()
    cells[tile] = number
    board = Board(cells)
    system = build_system(board, trust_flags=solution.trust_flags)
    known = dict(zip(solution._system.components, solution._counts, strict=True))
    counts = _count(system, solution._state_limit, known)
    if counts is None:
        return None
    try:
        odds = _local(system, counts) if solution.mines is None else _global(system, counts, solution.mines)
    except ImpossibleMineCount:
        return None
    return Solution(board, solution.mines, solution.trust_flags, system, counts, odds, solution._state_limit)


def _count(
    system: System, state_limit: int, known: dict[Component, Counted | Sweep] | None = None
) -> list[Counted | Sweep] | None:
    """Count every component; None when the numbers cannot all hold. `known` ones are taken from there."""
    if system.broken:
        return None
    if known is None:
        known = {}
    counts: list[Counted | Sweep] = []
    for component in system.components:
        counted = known.get(component)
        if counted is None:
            if packed_bits(component) <= PACKED_BITS:
                counted = count_packed(component)
            if counted is None:
                counted = Sweep(component, state_limit)
            if not counted.possible:
                return None
            known[component] = counted
        counts.append(counted)
    return counts


def _local(system: System, counts: Sequence[Counted | Sweep]) -> _Odds:
    chances: list[list[float]] = []
    safe: list[list[int]] = []
    full: list[list[int]] = []
    for component, counted in zip(system.components, counts, strict=True):
        if isinstance(counted, Sweep):
            totals = counted.totals[1]
            found, empty, all_mines = counted.weigh(totals / totals.sum())
            chances.append(found.tolist())
        else:
            total = sum(counted.totals)
            part = [sum(mines) for mines in counted.mines]
            row, empty, all_mines = _ratios(part, component.sizes, total)
            chances.append(row)
        safe.append(empty)
        full.append(all_mines)
    return _Odds(chances, safe, full, None)


def _ratios(
    mines: Sequence[int], sizes: Sequence[int], total: int
) -> tuple[list[float], list[int], list[int]]:
    """Chances mines / (size * total), and the groups where they are 0 and 1."""
    chances = []
    empty = []
    full = []
    for group, (found, size) in enumerate(zip(mines, sizes, strict=True)):
        whole = size * total
        if not found:
            empty.append(group)
            chances.append(0.0)
        elif found == whole:
            full.append(group)
            chances.append(1.0)
        else:
            chances.append(inside(found / whole))
    return chances, empty, full


def _global(system: System, counts: Sequence[Counted | Sweep], mines: int) -> _Odds:
    left = mines - system.shown - system.mines.bit_count()
    beyond_tiles = system.beyond.bit_count()
    exact: list[Polynomial] = []
    for counted in counts:
        if isinstance(counted, Sweep):
            break
        exact.append((counted.low, counted.totals))
    if len(exact) < len(counts) or sum([len(totals) - 1 for _, totals in exact]) > _EXACT_SPREAD:
        return _global_floats(system, counts, beyond_tiles, left, mines)
    join = join_exactly(exact, beyond_tiles, left)
    if not join.total:
        raise _impossible_count(system, [(low, _support(totals)) for low, totals in exact], left, mines)
    chances: list[list[float]] = []
    safe: list[list[int]] = []
    full: list[list[int]] = []
    for component, counted, weights in zip(system.components, counts, join.weights, strict=True):
        assert isinstance(counted, Counted)
        if len(weights) == 1:
            total = counted.totals[0]
            part = [row[0] for row in counted.mines]
        else:
            total = join.total
            part = [sum(map(mul, row, weights)) for row in counted.mines]
        row, empty, all_mines = _ratios(part, component.sizes, total)
        chances.append(row)
        safe.append(empty)
        full.append(all_mines)
    numerator, denominator = join.beyond
    beyond = None
    if beyond_tiles:
        beyond = numerator / denominator
        if 0 < numerator < denominator:
            beyond = inside(beyond)
    return _Odds(chances, safe, full, beyond)


def _global_floats(
    system: System, counts: Sequence[Counted | Sweep], beyond_tiles: int, left: int, mines: int
) -> _Odds:
    parts = []
    for counted in counts:
        low, totals = (
            counted.totals
            if isinstance(counted, Sweep)
            else (counted.low, np.array(counted.totals, dtype=np.float64))
        )
        parts.append((low, totals, _support(totals.tolist())))
    supports = [(low, support) for low, _, support in parts]
    base = sum(low for low, _ in supports)
    reach = attainable([support for _, support in supports])
    room = left - base
    if room < 0 or not reach & ((1 << (room + 1)) - (1 << max(0, room - beyond_tiles))):
        raise _impossible_count(system, supports, left, mines)
    join = join_floats(parts, beyond_tiles, left)
    chances: list[list[float]] = []
    safe: list[list[int]] = []
    full: list[list[int]] = []
    for component, counted, share in zip(system.components, counts, join.shares, strict=True):
        if isinstance(counted, Sweep):
            found, empty, all_mines = counted.weigh(share)
            chances.append(found.tolist())
        else:
            row, empty, all_mines = _shared(component, counted, share.tolist())
            chances.append(row)
        safe.append(empty)
        full.append(all_mines)
    return _Odds(chances, safe, full, join.beyond if beyond_tiles else None)


def _shared(
    component: Component, counted: Counted, share: list[float]
) -> tuple[list[float], list[int], list[int]]:
    """Chances when the component holds low + i mines with probability share[i]; certain on whole numbers."""
    if len(share) == 1:
        return _ratios([row[0] for row in counted.mines], component.sizes, counted.totals[0])
    chances = []
    empty = []
    full = []
    present = [at for at, chance in enumerate(share) if chance > 0]
    totals = counted.totals
    for group, (row, size) in enumerate(zip(counted.mines, component.sizes, strict=True)):
        if not any(row[at] for at in present):
            empty.append(group)
            chances.append(0.0)
        elif all(row[at] == size * totals[at] for at in present):
            full.append(group)
            chances.append(1.0)
        else:
            chances.append(inside(sum([share[at] * (row[at] / totals[at]) for at in present]) / size))
    return chances, empty, full


def _support(totals: Sequence[float]) -> int:
    """Mask of the positions that are not 0."""
    return sum([1 << at for at, total in enumerate(totals) if total])


def _multiplied(parts: Sequence[Polynomial]) -> Polynomial:
    """The product of polynomials, each packed into one integer."""
    low = sum(first for first, _ in parts)
    scale = prod([totals[0] for _, totals in parts if len(totals) == 1])
    several = [totals for _, totals in parts if len(totals) > 1]
    if not several:
        return low, (scale,)
    width = sum([sum(totals).bit_length() for totals in several]) + 1
    size = (width + 7) // 8
    packed = [
        int.from_bytes(b"".join([n.to_bytes(size, "little") for n in totals]), "little") for totals in several
    ]
    while len(packed) > 1:
        packed = [prod(packed[at : at + 2]) for at in range(0, len(packed), 2)]
    length = sum([len(totals) - 1 for totals in several]) + 1
    raw = packed[0].to_bytes(length * size, "little")
    return low, tuple(
        [scale * int.from_bytes(raw[at : at + size], "little") for at in range(0, length * size, size)]
    )


def _impossible_count(
    system: System, supports: Sequence[tuple[int, int]], left: int, mines: int
) -> ImpossibleMineCount:
    known = mines - left
    least = known + sum([low for low, _ in supports])
    reach = attainable([support for _, support in supports])
    most = least + reach.bit_length() - 1 + system.beyond.bit_count()
    said = plural(mines, "mine")
    if mines < least:
        return TooFewMines(
            f"{said} cannot be: the board needs at least {least}; check the mine count and the numbers",
            least,
            most,
        )
    if mines > most:
        return TooManyMines(
            f"{said} cannot be: at most {most} fit on the board; check the mine count and the numbers",
            least,
            most,
        )
    counts = [
        least + at for at in bit_indices(shifted_union(reach, (1 << system.beyond.bit_count() + 1) - 1))
    ]
    below = max(n for n in counts if n < mines)
    above = min(n for n in counts if n > mines)
    return ImpossibleMineCount(
        f"{said} cannot be: the numbers allow {below} or {above} mines but nothing between; check the mine "
        "count and the numbers",
        least,
        most,
    )
