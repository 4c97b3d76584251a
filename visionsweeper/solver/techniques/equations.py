"""What each number still says about its covered tiles, and what a combination of numbers proves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from visionsweeper.board import COVERED, FLAG, MINE, Board
from visionsweeper.geometry import Position, positions_of

Known: TypeAlias = Mapping[Position, bool]
"""Covered tiles that are settled: True for a mine."""


@dataclass(frozen=True)
class Equation:
    """A number and the covered tiles around it that are not settled yet."""

    number: Position
    value: int
    """The number shown, 0 to 8."""
    need: int
    """Mines it still needs among its unsettled tiles; below 0 or above their number when it cannot hold."""
    unknown: frozenset[Position]
    """Unsettled covered tiles around it."""


@dataclass(frozen=True)
class Step:
    """One step of reasoning: what follows, by which technique, from which numbers, and why in plain words."""

    technique: str
    """One of TECHNIQUES."""
    pattern: str | None
    """Name of the pattern it is a case of, as in `1-2-1`; None when it has none."""
    safe: tuple[Position, ...]
    """Tiles proved to hold no mine, in reading order."""
    mine: tuple[Position, ...]
    """Tiles proved to hold a mine, in reading order."""
    numbers: tuple[Position, ...]
    """The numbers it rests on, in reading order; for the mine count and the full count possibly none."""
    sentence: str
    """Why, for somebody who only knows how to play; rows and columns count from 0."""
    whole: bool = False
    """Whether it counts the mines of the board, and so rests on all that the steps before it have settled."""


def starting_facts(board: Board, *, trust_flags: bool) -> dict[Position, bool]:
    """Return the covered tiles settled from the start: the flags if trusted, else none."""
    if not trust_flags:
        return {}
    return dict.fromkeys(positions_of(board.flags), True)


def numbers_of(board: Board) -> list[Position]:
    """Return all numbers with a covered tile around them, in reading order."""
    rows, columns = board.cells.shape
    covered = np.zeros((rows + 2, columns + 2), dtype=np.bool_)
    covered[1:-1, 1:-1] = board.covered
    near = np.zeros((rows, columns), dtype=np.bool_)
    for down in range(3):
        for right in range(3):
            near |= covered[down : down + rows, right : right + columns]
    places = np.argwhere(near & board.numbers).tolist()
    return [(row, column) for row, column in places]


def equation(board: Board, known: Known, number: Position) -> Equation:
    """Return what a number still says, given the settled tiles.

    One with neighbours that are not in view, and not all of its mines, says nothing of those that are.
    """
    value = need = board[number]
    unknown = []
    for tile in board.neighbours(*number):
        code = board[tile]
        if code == MINE:
            need -= 1
        elif code in {COVERED, FLAG}:
            mine = known.get(tile)
            if mine is None:
                unknown.append(tile)
            else:
                need -= mine
    if need and board.continues and board.unseen_around[number]:
        unknown.clear()
    return Equation(number, value, need, frozenset(unknown))


def equations_of(board: Board, known: Known, numbers: Iterable[Position] | None = None) -> list[Equation]:
    """Return the equations of numbers (by default all) that still have unsettled tiles."""
    chosen = numbers_of(board) if numbers is None else numbers
    return [e for e in (equation(board, known, number) for number in chosen) if e.unknown]


def by_tile(equations: Iterable[Equation]) -> dict[Position, list[Equation]]:
    """Return every unsettled tile with the equations it is in."""
    found: dict[Position, list[Equation]] = {}
    for one in equations:
        for tile in one.unknown:
            found.setdefault(tile, []).append(one)
    return found


def neighbours_of(equations: Sequence[Equation]) -> dict[Position, list[Equation]]:
    """Return every number with the other equations that share unsettled tiles with it, in reading order."""
    tiles = by_tile(equations)
    return {
        one.number: sorted(
            {
                other.number: other for tile in one.unknown for other in tiles[tile] if other is not one
            }.values(),
            key=lambda e: e.number,
        )
        for one in equations
    }


def components(equations: Sequence[Equation]) -> list[list[Equation]]:
    """Return the equations in groups that share no unsettled tile with each other, each in reading order."""
    around = neighbours_of(equations)
    seen: set[Position] = set()
    found = []
    for first in equations:
        if first.number in seen:
            continue
        seen.add(first.number)
        part = [first]
        for one in part:
            for other in around[one.number]:
                if other.number not in seen:
                    seen.add(other.number)
                    part.append(other)
        found.append(sorted(part, key=lambda e: e.number))
    return found


@dataclass(frozen=True)
class Proof:
    """What a combination of numbers comes to when it meets one of its bounds."""

    more: frozenset[Position]
    """Tiles counted positively: all mines."""
    less: frozenset[Position]
    """Tiles counted negatively: all safe."""


def combine(terms: Sequence[tuple[Equation, int]]) -> Proof | None:
    """Return what follows from the sum of multiples of equations, if it meets its upper bound.

    The sum is at most what it is with a mine on every tile counted positively and on none counted negatively:
    if it must be that much, all of these are settled. (For the lower bound give all multiples reversed.)
    """
    weights: dict[Position, int] = {}
    total = 0
    for one, factor in terms:
        total += factor * one.need
        for tile in one.unknown:
            weights[tile] = weights.get(tile, 0) + factor
    if total != sum([weight for weight in weights.values() if weight > 0]):
        return None
    more = frozenset([tile for tile, weight in weights.items() if weight > 0])
    less = frozenset([tile for tile, weight in weights.items() if weight < 0])
    return Proof(more, less) if more or less else None
