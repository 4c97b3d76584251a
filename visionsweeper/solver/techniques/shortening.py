"""The explanation of one tile, made short: from fewer numbers nearby, by techniques no harder.

An explanation of the whole board takes the simplest steps wherever they are, and those that lead to one tile
then rest on much that it could do without: a number that touches just as many covered tiles as it needs
settles them by itself, but once some of these are found before it, the way there seems to be part of the
reason. So the tile is explained anew from the numbers around it alone, and then without each of them in turn.

Numbers that are left out are merely not looked at: the covered tiles stay what they are. What a step says of
the covered tiles left around its numbers therefore holds on the whole board, given the steps before it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from visionsweeper.board import COVERED, Board
from visionsweeper.geometry import Position
from visionsweeper.solver.techniques.equations import (
    Equation,
    Known,
    Step,
    components,
    equations_of,
    starting_facts,
)
from visionsweeper.solver.techniques.ladder import steps_to
from visionsweeper.solver.techniques.registry import METHODS, TECHNIQUES

_Effort: TypeAlias = tuple[bool, int, tuple[int, ...]]

_REACHES: Final = (1, 2, 3, 4, 6)
"""Distances up to which numbers around the tile are looked at, before those of the steps themselves."""

_LOOKS_LIMIT: Final = 6000
"""Numbers that may be looked at in all, each counted once a look: keeps the longest within a fraction of a
second."""


def shorten(
    board: Board,
    steps: Sequence[Step],
    tile: Position,
    technique: str | None = None,
    *,
    trust_flags: bool = False,
) -> list[Step]:
    """Shorten the steps that settle a tile: no more than these, none harder, often far fewer.

    `steps` are those that lead to the tile (`steps_to`), all by one `technique` where that is given. Step for
    step, from the hardest down, none of the new ones is harder than those given. Steps that count mines rest
    on the whole board and stay as they are. Flags are covered tiles unless `trust_flags`.
    """
    if len(steps) < 2 or any(step.technique not in METHODS for step in steps):
        return list(steps)
    shortener = _Shortener(board, steps, tile, technique, trust_flags=trust_flags)
    return shortener.shortest()


class _Shortener:
    """One tile's explanation on the way to a shorter one."""

    def __init__(
        self, board: Board, steps: Sequence[Step], tile: Position, technique: str | None, *, trust_flags: bool
    ) -> None:
        self._board = board
        self._facts = starting_facts(board, trust_flags=trust_flags)
        self._tile = tile
        self._mine = any(tile in step.mine for step in steps)
        self._given = list(steps)
        self._ranks = _ranks(steps)
        self._technique = technique
        if technique is None:
            self._finds = tuple(METHODS[name].find for name in TECHNIQUES[: self._ranks[0] + 1])
        else:
            self._finds = METHODS[technique].alone
        self._work = _LOOKS_LIMIT

    def shortest(self) -> list[Step]:
        best = self._given
        for numbers in self._starts():
            found = self._settle(numbers)
            if found:
                found = self._without_needless(found)
                if self._effort(found) < self._effort(best):
                    best = found
            # Two steps are short enough not to look any further.
            if len(best) <= 2 and best is not self._given:
                break
        return best

    def _starts(self) -> Iterator[set[Position]]:
        used = _numbers(self._given)
        furthest = max(self._distance(number) for number in used)
        for reach in _REACHES:
            if reach < furthest:
                yield self._within(reach)
        yield used

    def _within(self, reach: int) -> set[Position]:
        row, column = self._tile
        return {
            (r, c)
            for r in range(max(0, row - reach), min(self._board.rows, row + reach + 1))
            for c in range(max(0, column - reach), min(self._board.columns, column + reach + 1))
            if self._board[r, c] < COVERED
        }

    def _without_needless(self, steps: list[Step]) -> list[Step]:
        """Make the steps anew without each of their numbers, the furthest first, where that is no worse."""
        for number in sorted(_numbers(steps), key=self._distance, reverse=True):
            used = _numbers(steps)
            if number in used and len(used) > 1:
                fewer = self._settle(used - {number})
                if fewer and self._effort(fewer) <= self._effort(steps):
                    steps = fewer
        return steps

    def _settle(self, numbers: Collection[Position]) -> list[Step]:
        """Find steps by which these numbers alone settle the tile, simplest first; none if they do not."""
        known = dict(self._facts)
        steps: list[Step] = []
        part = self._part(known, sorted(numbers))
        while part and self._work > 0:
            step = self._simplest(part)
            if step is None:
                break
            steps.append(step)
            known |= dict.fromkeys(step.safe, False) | dict.fromkeys(step.mine, True)
            if self._tile in known:
                return steps_to(self._board, steps, self._tile) if known[self._tile] is self._mine else []
            part = self._part(known, [one.number for one in part])
        return []

    def _part(self, known: Known, numbers: Iterable[Position]) -> list[Equation]:
        """Those of the numbers in the connected component of the tile."""
        parts = components(equations_of(self._board, known, numbers))
        return next((part for part in parts if any(self._tile in one.unknown for one in part)), [])

    def _simplest(self, part: Sequence[Equation]) -> Step | None:
        for find in self._finds:
            self._work -= len(part)
            step = next(find(part), None)
            if step is not None:
                return step if self._technique is None else replace(step, technique=self._technique)
        return None

    def _effort(self, steps: Sequence[Step]) -> _Effort:
        """Whether any is harder than those given, then how many, then how hard: less is better."""
        ranks = _ranks(steps)
        harder = len(ranks) > len(self._ranks) or any(
            new > old for new, old in zip(ranks, self._ranks, strict=False)
        )
        return harder, len(ranks), ranks

    def _distance(self, number: Position) -> int:
        return max(abs(number[0] - self._tile[0]), abs(number[1] - self._tile[1]))


def _ranks(steps: Iterable[Step]) -> tuple[int, ...]:
    """How hard each step is, the hardest first."""
    return tuple(sorted((TECHNIQUES.index(step.technique) for step in steps), reverse=True))


def _numbers(steps: Iterable[Step]) -> set[Position]:
    return {number for step in steps for number in step.numbers}
