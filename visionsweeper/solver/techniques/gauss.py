"""Several numbers combined: Gaussian elimination, with the lower and upper bound of each row.

Tiles that are in exactly the same numbers form one column, which can hold from none to all of them. A row
of the reduced system that can only reach its right side at one of its bounds settles all its tiles.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import gcd, lcm

import numpy as np
import numpy.typing as npt

from visionsweeper.board import Board
from visionsweeper.geometry import Position
from visionsweeper.solver.techniques.equations import (
    Equation,
    Proof,
    Step,
    by_tile,
    combine,
    components,
    equations_of,
    neighbours_of,
    starting_facts,
)
from visionsweeper.solver.techniques.words import are_mines, are_safe, joined, mines, named, places, sentence

_Row = dict[int, Fraction]
_SIMPLIFY_UP_TO = 24
"""Look for a combination of fewer numbers below this many."""


@dataclass(frozen=True, eq=False)
class SystemMatrix:
    """The numbers of a board as a system of linear equations, before and after elimination."""

    numbers: tuple[Position, ...]
    """(row, column) of the number behind each row of `before`, n of them."""
    tiles: tuple[Position, ...]
    """(row, column) of the covered tile behind each column, t of them."""
    before: npt.NDArray[np.object_]
    """(n, t + 1) whole numbers (Python int), read-only: 1 where the number touches the tile, last the mines
    that it still needs."""
    after: npt.NDArray[np.object_]
    """(rank, t + 1) whole numbers (Python int), read-only: the reduced row echelon form, every row scaled to
    whole numbers without a common divisor, its first entry positive; last the right side."""


def system_matrix(board: Board, *, trust_flags: bool = False) -> SystemMatrix:
    """Return the system of equations of all numbers with covered tiles around them, dense, for tables.

    Flags are covered tiles unless `trust_flags`, then mines. A board that contradicts itself is no error
    here: its last reduced row may be all 0 but for the right side.
    """
    equations = equations_of(board, starting_facts(board, trust_flags=trust_flags))
    tiles = tuple(sorted(by_tile(equations)))
    column = {tile: index for index, tile in enumerate(tiles)}
    before = np.zeros((len(equations), len(tiles) + 1), dtype=np.object_)
    for row, one in enumerate(equations):
        before[row, [column[tile] for tile in one.unknown]] = 1
        before[row, -1] = one.need
    after = []
    for part in components(equations):
        rows = [dict.fromkeys((column[tile] for tile in one.unknown), Fraction(1)) for one in part]
        for row_index, one in enumerate(part):
            if one.need:
                rows[row_index][len(tiles)] = Fraction(one.need)
        after += _reduce(rows)
    reduced = np.zeros((len(after), len(tiles) + 1), dtype=np.object_)
    for index, found in enumerate(sorted(after, key=min)):
        for at, entry in _whole(found).items():
            reduced[index, at] = entry
    before.setflags(write=False)
    reduced.setflags(write=False)
    return SystemMatrix(tuple(one.number for one in equations), tiles, before, reduced)


def find_gauss(equations: Sequence[Equation]) -> Iterator[Step]:
    """Yield every decided row of the reduced systems, one a component of equations, fewest numbers first."""
    for part in components(equations):
        yield from _threes(part)
        found = [_simplified(terms) for terms in _decided(part)]
        for terms in sorted(found, key=lambda terms: (len(terms), terms[0][0].number)):
            proof = combine(terms)
            if proof is not None:
                yield _step(terms, proof)


def _threes(equations: Sequence[Equation]) -> Iterator[Step]:
    """Three numbers added and taken away that meet a bound: elimination does not pass by all of these."""
    around = neighbours_of(equations)
    for one in equations:
        for first, second in combinations(around[one.number], 2):
            for terms in (
                [(one, 1), (first, -1), (second, -1)],
                [(one, -1), (first, 1), (second, 1)],
            ):
                # The bound is at least 0: the quick way to see that most cannot meet it.
                if sum(factor * term.need for term, factor in terms) >= 0:
                    proof = combine(terms)
                    if proof is not None:
                        yield _step(terms, proof)


_Terms = list[tuple[Equation, int]]


def _decided(equations: Sequence[Equation]) -> Iterator[_Terms]:
    """Yield the combinations of equations behind decided rows, signed so that the upper bound is met."""
    groups = sorted({tuple(sorted(e.number for e in found)) for found in by_tile(equations).values()})
    column = {group: index for index, group in enumerate(groups)}
    index_of = {one.number: index for index, one in enumerate(equations)}
    width = len(groups)
    for order in (range(width), range(width - 1, -1, -1)):
        rows: list[_Row] = [{} for _ in equations]
        for group, index in column.items():
            for number in group:
                rows[index_of[number]][order[index]] = Fraction(1)
        # Columns beyond the tiles' record which equations a row is made of; they never become pivots.
        for index, row in enumerate(rows):
            row[width + index] = Fraction(1)
        for row in _reduce(rows, width):
            whole = _whole(row)
            terms = [(equations[at - width], factor) for at, factor in whole.items() if at >= width]
            for signed in (terms, [(one, -factor) for one, factor in terms]):
                if combine(signed) is not None:
                    yield signed


def _reduce(rows: list[_Row], width: int | None = None) -> list[_Row]:
    """Reduced row echelon form of sparse rows; columns from `width` on are carried along, never pivots."""
    left = [dict(row) for row in rows]
    done: list[tuple[int, _Row]] = []
    while left:
        firsts = [min((at for at in row if width is None or at < width), default=None) for row in left]
        left = [row for row, first in zip(left, firsts, strict=True) if first is not None]
        known = [first for first in firsts if first is not None]
        if not left:
            break
        pivot = min(known)
        at = min((index for index, first in enumerate(known) if first == pivot), key=lambda i: len(left[i]))
        row = left.pop(at)
        scale = row[pivot]
        if scale != 1:
            row = {column: entry / scale for column, entry in row.items()}
        for other in left:
            _eliminate(other, row, pivot)
        for _, other in done:
            _eliminate(other, row, pivot)
        done.append((pivot, row))
    return [row for _, row in done]


def _eliminate(row: _Row, pivot_row: _Row, pivot: int) -> None:
    factor = row.get(pivot)
    if factor is None:
        return
    for column, entry in pivot_row.items():
        value = row.get(column, 0) - factor * entry
        if value:
            row[column] = value
        else:
            row.pop(column, None)


def _whole(row: _Row) -> dict[int, int]:
    """Return the row times the least factor that makes it whole, without a common divisor."""
    scale = lcm(*(entry.denominator for entry in row.values()))
    whole = {column: int(entry * scale) for column, entry in row.items()}
    divisor = gcd(*whole.values())
    return {column: entry // divisor for column, entry in whole.items()}


def _simplified(terms: _Terms) -> _Terms:
    """Combine fewer of the same numbers so that something is still settled, if leaving some out works."""
    if not 2 < len(terms) <= _SIMPLIFY_UP_TO:
        return terms
    for left_out in range(len(terms)):
        rest = [one for index, (one, _) in enumerate(terms) if index != left_out]
        shorter = min(_decided(rest), key=len, default=None)
        if shorter is not None and len(shorter) < len(terms):
            return _simplified(shorter)
    return terms


def _step(terms: _Terms, proof: Proof) -> Step:
    safe, mine = tuple(sorted(proof.less)), tuple(sorted(proof.more))
    plus = [(one, factor) for one, factor in terms if factor > 0]
    minus = [(one, -factor) for one, factor in terms if factor < 0]
    if len(plus) == 1 and len(minus) > 1 and all(abs(factor) == 1 for _, factor in terms):
        text = _one_against_several(plus[0][0], [one for one, _ in minus], safe, mine)
    else:
        text = _sum(plus, minus, safe, mine)
    numbers = tuple(sorted(one.number for one, _ in terms))
    return Step("gauss", None, safe, mine, numbers, sentence(text))


def _one_against_several(
    one: Equation, others: list[Equation], safe: tuple[Position, ...], mine: tuple[Position, ...]
) -> str:
    listed = joined([named(other) for other in sorted(others, key=lambda e: e.number)])
    together = sum(other.need for other in others)
    if not mine:
        several = "one of these" if len(others) == 2 else "some of these"
        return (
            f"look at {named(one)} together with {listed}: every covered tile left around the former also "
            f"touches {several}, and it needs as many mines as they do together ({together}); so these are "
            f"the same mines, none of them counted twice: {are_safe(safe)}"
        )
    text = (
        f"{named(one)} needs {mines(one.need)}, and {listed} together only {together}: even if all of those "
        f"were around the former, {len(mine)} would be missing, on the tiles that touch it alone: "
        f"{are_mines(mine)}"
    )
    return f"{text}; none is left for the rest, so {are_safe(safe)}" if safe else text


def _sum(plus: _Terms, minus: _Terms, safe: tuple[Position, ...], mine: tuple[Position, ...]) -> str:
    total = sum(factor * one.need for one, factor in plus) - sum(factor * one.need for one, factor in minus)
    text = f"add up {_listed(plus)}"
    if minus:
        text += f" and take away {_listed(minus)}"
    weights: dict[Position, int] = {}
    for one, factor in (*plus, *((one, -factor) for one, factor in minus)):
        for tile in one.unknown:
            weights[tile] = weights.get(tile, 0) + factor
    counted = any(abs(weights[tile]) > 1 for tile in (*safe, *mine))
    often = " (some of them counted more than once)" if counted else ""
    text += ", tile by tile: "
    if mine and safe:
        takes = "mines on all of the former" if len(mine) > 1 else "a mine on the former"
        text += (
            f"what is left says that {places(mine)} must come to {total} more than {places(safe)}{often}; "
            f"that takes {takes} and none on the latter"
        )
    elif mine:
        each = "so each is a mine" if len(mine) > 1 else "so it is one"
        text += f"what is left says that {places(mine)} must hold {mines(total)}{often}, {each}"
    else:
        verb = "are" if len(safe) > 1 else "is"
        text += f"no mine is left over for {places(safe)}, which {verb} safe"
    return text


def _listed(terms: _Terms) -> str:
    """Numbers with how often each is taken."""
    ordered = sorted(terms, key=lambda term: term[0].number)
    return joined([named(one) + (f" ({factor} times)" if factor > 1 else "") for one, factor in ordered])
