"""Board and mine count -> every covered tile's mine probability, as floats and as exact fractions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import comb, prod
from operator import mul
from typing import Literal, Self, cast

import numpy as np
import numpy.typing as npt

from visionsweeper.board import Board
from visionsweeper.errors import ImpossibleMineCount, TooWide
from visionsweeper.geometry import Position
from visionsweeper.solver.chances import Chances, weigh
from visionsweeper.solver.conflict import contradiction
from visionsweeper.solver.constraints import Component, System, bit_indices, build_system
from visionsweeper.solver.counting import (
    FEW_CONSTRAINTS,
    PACKED_BITS,
    Counted,
    Polynomial,
    count_few,
    count_packed,
    packed_bits,
)
from visionsweeper.solver.joining import multiply, relative_binomials
from visionsweeper.solver.limits import DEFAULT, Budget, Limit
from visionsweeper.solver.solutions import ComponentSolutions, component_solutions
from visionsweeper.solver.strategy import choose
from visionsweeper.solver.sweep import Sweep

Scope = Literal["global", "local"]


@dataclass(frozen=True, eq=False)
class Odds:
    """What counting found out about every covered tile; what takes long is computed when asked for."""

    board: Board
    mines: int | None
    """Mines on the board, shown ones included; None when unknown, as for a board that goes on."""
    trust_flags: bool
    """Whether flags were counted as mines."""
    system: System = field(repr=False)
    """What the numbers say, by component."""
    counts: list[Counted | Sweep] = field(repr=False)
    """[component] its solutions by mine count."""
    chances: Chances = field(repr=False)
    """[component][group] probability of a mine."""
    limit: Limit = field(default=DEFAULT, repr=False)
    """Memory and time that counting may take."""
    estimated: dict[Position, float] = field(default_factory=dict, repr=False)
    """Covered tiles whose probability is an estimate: half the width of its 95 % confidence interval. Empty
    for what `solve` returns. With any, there are no counts and no fractions."""

    @classmethod
    def of(cls, board: Board, mines: int | None, *, trust_flags: bool, limit: Limit) -> Self:
        """Count every component and weigh it under the mine count; raises as `solve` does."""
        if board.continues:
            mines = None  # nobody knows how many of them are in view
        system = build_system(board, trust_flags=trust_flags)
        try:
            counts = _count(system, limit)
        except TooWide as error:
            error.safe = tuple(system.list_tiles(system.safe))
            error.mine = tuple(system.list_tiles(system.mines))
            error.limit = limit
            raise
        if counts is None:
            raise contradiction(board, system, trust_flags=trust_flags, count=lambda s: _count(s, limit))
        chances = weigh(system, counts, mines)
        return cls(board, mines, trust_flags, system, counts, chances, limit)

    @property
    def scope(self) -> Scope:
        """Either "global", the mine count being known, or "local"."""
        return "local" if self.mines is None else "global"

    @cached_property
    def probability(self) -> npt.NDArray[np.float64]:
        """(rows, columns) float64, read-only: probability of a mine, 0.0 and 1.0 only when certain.

        NaN for opened tiles, shown mines and safe marks, and in local scope for tiles next to no number.
        """
        system, found = self.system, self.chances
        flat = np.empty(system.bits + system.unseen)
        flat.fill(np.nan)
        in_view = flat[: system.bits]
        if found.non_frontier is not None:
            np.putmask(in_view, system.flat(system.non_frontier), found.non_frontier)
        # Single values are set faster by it than by the array.
        places = cast("memoryview[float]", flat.data)
        for bit in bit_indices(system.mines):
            places[bit] = 1.0
        for bit in bit_indices(system.safe):
            places[bit] = 0.0
        for groups, chances in zip(system.tiles, found.groups, strict=True):
            for tiles, chance in zip(groups, chances, strict=True):
                for bit in tiles:
                    places[bit] = chance
        grid = in_view.reshape(system.rows, system.columns + 1)[:, :-1]
        grid.setflags(write=False)
        return grid

    @cached_property
    def safe(self) -> list[Position]:
        """Covered tiles that certainly hold no mine, in reading order."""
        return self._certain(self.system.safe, self.chances.safe, 0.0)

    @cached_property
    def mine(self) -> list[Position]:
        """Covered tiles that certainly hold a mine (shown mines are not listed), in reading order."""
        return self._certain(self.system.mines, self.chances.mines, 1.0)

    def _certain(self, settled: int, groups: list[list[int]], non_frontier: float) -> list[Position]:
        system = self.system
        bits = bit_indices(settled)
        for tiles, chosen in zip(system.tiles, groups, strict=True):
            for group in chosen:
                bits += tiles[group]
        if self.chances.non_frontier == non_frontier:
            bits += bit_indices(system.non_frontier)
        if system.unseen:
            bits = [bit for bit in bits if bit < system.bits]
        bits.sort()
        stride = system.columns + 1
        return [(bit // stride, bit % stride) for bit in bits]

    @cached_property
    def safest(self) -> tuple[Position | None, str]:
        """A tile least likely to hold a mine, certain ones first, and why; (None, why) if there is none."""
        return choose(self.board, self.probability, self.safe)

    @property
    def countable(self) -> bool:
        """Whether `count` stays within the limit: on wide boards it takes longer than the odds."""
        cells = sum([counted.exact_cells for counted in self.counts if isinstance(counted, Sweep)])
        return not self.estimated and cells <= Budget(self.limit).cells

    @cached_property
    def count(self) -> int:
        """Number of solutions: placements of all mines, or in local scope of the frontier's mines."""
        if self.mines is None:
            return prod([sum(totals) for _, totals in self.polynomials])
        placements, left, ways = self._placements
        total: int = sum(map(mul, placements, ways))
        at = next(at for at, way in enumerate(ways) if way)
        result: int = total * comb(self.non_frontier_tiles, left - at) // ways[at]
        return result

    @property
    def mine_range(self) -> Position:
        """Fewest and most mines on the whole board with which the numbers can hold."""
        parts = self.polynomials
        known = self.system.shown + self.system.mines.bit_count()
        least = known + sum(low for low, _ in parts)
        return least, least + sum(len(totals) - 1 for _, totals in parts) + self.non_frontier_tiles

    def exact(self, row: int, column: int) -> Fraction:
        """Return the probability of a mine as an exact fraction.

        Raises ValueError where `probability` is NaN, and outside the board.
        """
        if self.mines is None:
            return self.local_exact(row, column)
        bit = self._bit(row, column)
        settled = self._settled(bit)
        if settled is not None:
            return settled
        self._require_counts()
        if self.system.non_frontier >> bit & 1:
            placements, left, ways = self._placements
            weighed = list(map(mul, placements, ways))
            mines = sum([weight * (left - at) for at, weight in enumerate(weighed)])
            return Fraction(mines, sum(weighed) * self.non_frontier_tiles)
        index, group = self._place(bit)
        weights = self._exact_weights(index)
        low, totals = self.polynomials[index]
        from_low, with_tile = self.group_polynomial(index, group)
        return Fraction(sum(map(mul, with_tile, weights[from_low - low :])), sum(map(mul, totals, weights)))

    def local_exact(self, row: int, column: int) -> Fraction:
        """Return the probability of a mine by the numbers alone, the mine count ignored.

        Raises ValueError for tiles next to no number, tiles that are not covered, and outside the board.
        """
        bit = self._bit(row, column)
        settled = self._settled(bit)
        if settled is not None:
            return settled
        if self.system.non_frontier >> bit & 1:
            raise ValueError(f"row {row}, column {column} is next to no number: the mine count is needed")
        index, group = self._place(bit)
        self._require_counts()
        return Fraction(sum(self.group_polynomial(index, group)[1]), sum(self.polynomials[index][1]))

    @cached_property
    def components(self) -> tuple[ComponentSolutions, ...]:
        """The connected components of the frontier with their solutions; settled tiles belong to none."""
        return component_solutions(self.system, self.polynomials)

    def chance(self, tile: Position) -> Fraction:
        """Return the probability of a mine: the exact one, or the estimate where nothing exact is known."""
        return Fraction(float(self.probability[tile])) if self.estimated else self.exact(*tile)

    def _require_counts(self) -> None:
        if self.estimated:
            raise TooWide(
                "the frontier is too wide to count exactly: some of the probabilities are estimates; open "
                "more tiles first, or allow more with --limit-memory and --limit-seconds"
            )

    def _bit(self, row: int, column: int) -> int:
        system = self.system
        if not (0 <= row < system.rows and 0 <= column < system.columns):
            raise ValueError(f"row {row}, column {column} is outside the board")
        bit = row * (system.columns + 1) + column
        if not system.covered >> bit & 1:
            raise ValueError(f"row {row}, column {column} is not covered: it has no mine probability")
        return bit

    def _settled(self, bit: int) -> Fraction | None:
        if self.system.mines >> bit & 1:
            return Fraction(1)
        return Fraction(0) if self.system.safe >> bit & 1 else None

    def _place(self, bit: int) -> tuple[int, int]:
        """(component, group) of a tile on the unsettled frontier."""
        return next(
            (index, group)
            for index, groups in enumerate(self.system.tiles)
            for group, tiles in enumerate(groups)
            if bit in tiles
        )

    @cached_property
    def non_frontier_tiles(self) -> int:
        """Number of covered tiles next to no number."""
        return self.system.non_frontier.bit_count()

    @cached_property
    def polynomials(self) -> list[Polynomial]:
        """N(m) of every component. Raises TooWide where one was estimated."""
        self._require_counts()
        return [
            counted.exact_totals if isinstance(counted, Sweep) else (counted.low, counted.totals)
            for counted in self.counts
        ]

    @cached_property
    def joined(self) -> Polynomial:
        """Solutions of all components together, by mine count."""
        return multiply(self.polynomials)

    def group_polynomial(self, index: int, group: int) -> Polynomial:
        """Return N_t(m) of the tiles of one group."""
        counted = self.counts[index]
        if isinstance(counted, Sweep):
            return counted.exact(group)
        size = self.system.components[index].sizes[group]
        return counted.low, tuple(mines // size for mines in counted.mines[group])

    @cached_property
    def _placements(self) -> tuple[Sequence[int], int, list[int]]:
        """What places the mines: components by mine count, and the non-frontier tiles.

        (Solutions of all components for each mine count from their fewest on, mines left for the others
        at the first of these, ways to place those at each, up to a common factor).
        """
        low, coefficients = self.joined
        left = self.mines_left - low
        return coefficients, left, relative_binomials(self.non_frontier_tiles, left, len(coefficients))

    @property
    def mines_left(self) -> int:
        """Mines that components and non-frontier tiles hold together; the mine count must be known."""
        assert self.mines is not None
        return self.mines - self.system.shown - self.system.mines.bit_count()

    def _exact_weights(self, index: int) -> list[int]:
        """For each mine count of a component, the placements of all other mines, up to a common factor."""
        others = [part for at, part in enumerate(self.polynomials) if at != index]
        low, coefficients = multiply(others)
        own, totals = self.polynomials[index]
        left = self.mines_left - low - own
        binomials = relative_binomials(self.non_frontier_tiles, left, len(coefficients) + len(totals) - 1)
        return [sum(map(mul, coefficients, binomials[at:])) for at in range(len(totals))]

    def opened(self, tile: Position, code: int) -> Odds | None:
        """Return the odds after a covered tile turned out to be `code`; None when it cannot.

        `code` is the number it shows, MINE, or SAFE where its number is not known.

        Components that stay as they were are not counted again. Raises TooWide as `solve` does.
        """
        self._require_counts()
        cells = self.board.cells.copy()
        cells[tile] = code
        board = self.board.changed(cells)
        system = build_system(board, trust_flags=self.trust_flags)
        known = dict(zip(self.system.components, self.counts, strict=True))
        counts = _count(system, self.limit, known)
        if counts is None:
            return None
        try:
            chances = weigh(system, counts, self.mines)
        except ImpossibleMineCount:
            return None
        return Odds(board, self.mines, self.trust_flags, system, counts, chances, self.limit)


def _count(
    system: System, limit: Limit, known: dict[Component, Counted | Sweep] | None = None
) -> list[Counted | Sweep] | None:
    """Count every component; None when the numbers cannot all hold. `known` ones are taken from there."""
    if system.broken:
        return None
    if known is None:
        known = {}
    counts: list[Counted | Sweep] = []
    budget = Budget(limit)
    for component in system.components:
        # Looking a component up hashes all of it, which takes longer than to count a small one.
        few = len(component.owed) <= FEW_CONSTRAINTS
        counted = count_few(component) if few else known.get(component)
        if counted is None:
            counted = known[component] = count_component(component, budget)
        if not counted.possible:
            return None
        counts.append(counted)
    return counts


def count_component(component: Component, budget: Budget) -> Counted | Sweep:
    """Count one component. Raises TooWide where that takes more than is left of the budget."""
    counted = count_packed(component) if packed_bits(component) <= PACKED_BITS else None
    return Sweep(component, budget) if counted is None else counted
