"""Everything that was counted, as plain exact values: components, mine counts, tiles.

Notation: N(m) is the number of a component's solutions with m mines, N_t(m) of those with a mine on tile t,
U the number of tiles next to no number and M the mines left for components and those tiles together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, gcd
from operator import mul

from visionsweeper.board import COVERED
from visionsweeper.geometry import Position
from visionsweeper.solver.constraints import bit_indices
from visionsweeper.solver.joining import relative_binomials
from visionsweeper.solver.odds import Odds
from visionsweeper.solver.solutions import ComponentSolutions
from visionsweeper.solver.sweep import Sweep


@dataclass(frozen=True)
class Constraint:
    """What one number says about a component."""

    tile: Position
    """(row, column) of the number."""
    number: int
    """What it shows."""
    owed: int
    """Mines it still needs: the number less the mines around it that are shown or settled."""
    tiles: tuple[Position, ...]
    """Unsettled covered tiles around it."""


@dataclass(frozen=True)
class MineCount:
    """One possible number of mines."""

    mines: int
    """m."""
    solutions: int
    """N(m)."""
    weight: int | None
    """Placements of all other mines for each of them; None in local scope. 0 when the mine count rules m
    out."""
    probability: Fraction
    """That there are m: its share of the solutions, weighted in global scope."""


@dataclass(frozen=True)
class ComponentTable:
    """One connected component: numbers that share covered tiles, and those tiles."""

    tiles: tuple[Position, ...]
    """Its tiles in reading order."""
    groups: tuple[tuple[Position, ...], ...]
    """Its tiles that share exactly the same numbers."""
    constraints: tuple[Constraint, ...]
    """Its numbers in reading order."""
    solutions: int
    """Number of its solutions, the mine count of the board ignored."""
    mine_counts: tuple[MineCount, ...]
    """By mine count, those without solutions left out."""


@dataclass(frozen=True)
class TileTable:
    """One covered tile next to a number."""

    tile: Position
    """(row, column)."""
    component: int | None
    """Index of its component; None when single numbers settle it."""
    with_mine: tuple[int, ...]
    """N_t(m), for each of the component's mine counts; empty without a component."""
    local: Fraction
    """Probability of a mine by the numbers alone."""
    probability: Fraction
    """Probability of a mine, the mine count weighed in when it is known."""


@dataclass(frozen=True)
class NonFrontier:
    """The covered tiles next to no number, all alike."""

    tiles: tuple[Position, ...]
    """In reading order."""
    probability: Fraction | None
    """Probability of a mine on each; None in local scope, or when there are none."""


@dataclass(frozen=True)
class Tables:
    """The whole count of one board."""

    mines: int | None
    """Mines on the board, None in local scope."""
    known_mines: int
    """Of these, mines that are shown or settled by single numbers."""
    solutions: int
    """Number of solutions: of the board, or of the frontier in local scope."""
    mine_counts: tuple[MineCount, ...]
    """For all components together: their solutions by mine count, weighted by C(U, M - m)."""
    components: tuple[ComponentTable, ...]
    """The components."""
    tiles: tuple[TileTable, ...]
    """Covered tiles next to numbers (settled ones and trusted flags included), in reading order."""
    non_frontier: NonFrontier
    """The covered tiles next to no number."""


def tables(odds: Odds) -> Tables:
    """Return the tables of a solved board."""
    system = odds.system
    others = tuple(system.list_tiles(system.non_frontier))
    weights = _weights(odds)
    return Tables(
        mines=odds.mines,
        known_mines=system.shown + system.mines.bit_count(),
        solutions=odds.count,
        mine_counts=_board_mine_counts(odds),
        components=_components(odds, weights),
        tiles=_tiles(odds, weights),
        non_frontier=NonFrontier(
            others, odds.exact(*others[0]) if others and odds.mines is not None else None
        ),
    )


def _board_mine_counts(odds: Odds) -> tuple[MineCount, ...]:
    low, totals = odds.joined
    weights = None
    if odds.mines is not None:
        left = odds.mines_left - low
        weights = [_ways(odds.non_frontier_tiles, left - at) for at in range(len(totals))]
    return _mine_counts(low, totals, weights, odds.count)


def _ways(tiles: int, mines: int) -> int:
    return comb(tiles, mines) if mines >= 0 else 0


def _mine_counts(
    low: int, totals: tuple[int, ...], weights: list[int] | None, solutions: int
) -> tuple[MineCount, ...]:
    return tuple(
        MineCount(
            mines,
            total,
            None if weights is None else weights[at],
            Fraction(total * (1 if weights is None else weights[at]), solutions),
        )
        for at, (mines, total) in enumerate(enumerate(totals, low))
        if total
    )


def _weights(odds: Odds) -> list[list[int]]:
    """[component][m - low]: placements of all other mines, up to a common factor; 1 in local scope."""
    if odds.mines is None:
        return [[1] * len(part.totals) for part in odds.components]
    low, joined = odds.joined
    left = odds.mines_left - low
    binomials = relative_binomials(odds.non_frontier_tiles, left, len(joined))
    known: dict[tuple[int, ...], list[int]] = {}
    for part in odds.components:
        totals = part.totals
        if totals not in known:
            others = _divided(joined, totals) if len(totals) > 1 else ()
            weights = [sum(map(mul, others, binomials[at:])) for at in range(len(totals))]
            divisor = gcd(*weights) if others else 0
            known[totals] = [weight // divisor for weight in weights] if divisor else [1]
    return [known[part.totals] for part in odds.components]


def _divided(product: Sequence[int], factor: Sequence[int]) -> Sequence[int]:
    """Return a product of polynomials without one of its factors."""
    rest = list(product)
    length = len(rest) - len(factor) + 1
    for at in range(length):
        rest[at] //= factor[0]  # without a remainder
        for ahead, coefficient in enumerate(factor[1:], at + 1):
            rest[ahead] -= rest[at] * coefficient
    return rest[:length]


def _components(odds: Odds, relative: list[list[int]]) -> tuple[ComponentTable, ...]:
    numbers = _constraints(odds)
    in_view = odds.system.in_view
    found = []
    for index, part in enumerate(odds.components):
        solutions = part.count
        weights = None
        if odds.mines is not None:
            # Known up to a common factor; together they must make the number of solutions of the board.
            whole = sum(map(mul, part.totals, relative[index]))
            weights = [odds.count * weight // whole for weight in relative[index]]
            solutions = odds.count
        found.append(
            ComponentTable(
                tiles=tuple(filter(in_view, part.tiles)),
                groups=tuple(tuple(filter(in_view, group)) for group in part.groups),
                constraints=tuple(numbers[index]),
                solutions=part.count,
                mine_counts=_mine_counts(part.low, part.totals, weights, solutions),
            )
        )
    return tuple(found)


def _constraints(odds: Odds) -> list[list[Constraint]]:
    """Return the numbers of each component, in reading order."""
    board, system = odds.board, odds.system
    at: dict[Position, int] = {}
    for index, part in enumerate(odds.components):
        at.update(dict.fromkeys(filter(system.in_view, part.tiles), index))
    facts = set(system.list_tiles(system.mines)) | {
        (int(row), int(column)) for row, column in zip(*board.shown_mines.nonzero(), strict=True)
    }
    found: list[list[Constraint]] = [[] for _ in odds.components]
    for tile in sorted({number for covered in at for number in board.neighbours(*covered)}):
        number = board[tile]
        if number < COVERED:
            around = list(board.neighbours(*tile))
            tiles = tuple(other for other in around if other in at)
            owed = number - sum(other in facts for other in around)
            found[at[tiles[0]]].append(Constraint(tile, number, owed, tiles))
    return found


def _tiles(odds: Odds, relative: list[list[int]]) -> tuple[TileTable, ...]:
    system = odds.system
    found = [
        TileTable(system.tile(bit), None, (), Fraction(chance), Fraction(chance))
        for mask, chance in ((system.mines, 1), (system.safe, 0))
        for bit in bit_indices(mask)
    ]
    for index, part in enumerate(odds.components):
        counts = _with_mine(odds, index, part)
        present = [at for at, total in enumerate(part.totals) if total]
        weights = relative[index]
        weighted = sum(map(mul, part.totals, weights))
        for tiles, row in zip(part.groups, counts, strict=True):
            local = Fraction(sum(row), part.count)
            chance = Fraction(sum(map(mul, row, weights)), weighted)
            full = tuple(row[at] for at in present)
            found += [TileTable(tile, index, full, local, chance) for tile in filter(system.in_view, tiles)]
    return tuple(sorted(found, key=lambda table: table.tile))


def _with_mine(odds: Odds, index: int, part: ComponentSolutions) -> Sequence[Sequence[int]]:
    """[group][m - low]: N_t(m); wide components need a pass for all groups, others have them already."""
    if isinstance(odds.counts[index], Sweep):
        return part.with_mine
    found = []
    for group in range(len(part.groups)):
        from_low, row = odds.group_polynomial(index, group)
        before = from_low - part.low
        found.append([0] * before + list(row) + [0] * (len(part.totals) - before - len(row)))
    return found
