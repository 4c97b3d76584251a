"""The ladder: techniques from the simplest to the full count, each usable alone, or all in steps."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from visionsweeper.board import COVERED, Board
from visionsweeper.errors import TooWide
from visionsweeper.geometry import Position
from visionsweeper.solver.odds import Odds
from visionsweeper.solver.solution import solve
from visionsweeper.solver.techniques.contradiction import find_contradictions
from visionsweeper.solver.techniques.counts import (
    find_by_mine_count,
    prove_by_full_count,
    prove_by_numbers,
)
from visionsweeper.solver.techniques.equations import (
    Equation,
    Step,
    components,
    equation,
    equations_of,
    numbers_of,
    starting_facts,
)
from visionsweeper.solver.techniques.registry import METHODS, TECHNIQUES
from visionsweeper.solver.techniques.single import find_single, settle_single
from visionsweeper.solver.techniques.words import conclusion, named_all, sentence
from visionsweeper.solver.techniques.words import mines as count_mines


@dataclass(frozen=True)
class Deduction:
    """What one technique says about one tile."""

    tile: Position
    """(row, column)."""
    mine: bool
    """True for a mine, False for safe."""
    technique: str
    """One of TECHNIQUES."""
    pattern: str | None
    """Name of the pattern, if it is a case of one."""
    numbers: tuple[Position, ...]
    """(row, column) of the numbers it rests on."""
    sentence: str
    """Why, in plain words."""


def deduce(
    board: Board, technique: str, mines: int | None = None, *, trust_flags: bool = False
) -> list[Deduction]:
    """Find all that one technique alone does, over and over until nothing follows, in the order found.

    What it has found counts as known from then on. Flags are covered tiles unless `trust_flags`; shown mines
    and safe marks are facts. `mines` is the number of mines on the whole board: without it "mine_count" finds
    nothing and "exact" goes by the numbers alone. The board has to be possible: of one that is not, only
    "exact" takes notice (and raises what `solve` raises).

    Raises ValueError for an unknown technique.
    """
    return [
        deduction
        for step in follow(board, technique, mines, trust_flags=trust_flags)
        for deduction in _deductions(step)
    ]


def follow(
    board: Board, technique: str, mines: int | None = None, *, trust_flags: bool = False
) -> list[Step]:
    """Return what `deduce` does, in steps that may settle several tiles, each tile in exactly one."""
    if technique not in TECHNIQUES:
        raise ValueError(f"unknown technique {technique!r}; known are {', '.join(TECHNIQUES)}")
    if technique == "exact":
        return _follow_exactly(board, mines, trust_flags)
    known = starting_facts(board, trust_flags=trust_flags)
    taken: list[Step] = []
    while True:
        if technique == "mine_count":
            step = None if mines is None else find_by_mine_count(board, known, mines)
            steps = [] if step is None else [step]
        else:
            equations = equations_of(board, known)
            steps = [step for find in METHODS[technique].alone for step in find(equations)]
        before = len(taken)
        for step in steps:
            # An earlier step of the same round may have said some of it.
            safe = tuple(tile for tile in step.safe if tile not in known)
            mine = tuple(tile for tile in step.mine if tile not in known)
            if safe or mine:
                known |= dict.fromkeys(safe, False) | dict.fromkeys(mine, True)
                taken.append(replace(step, technique=technique, safe=safe, mine=mine))
        if len(taken) == before:
            return taken


def explain(
    board: Board, mines: int | None = None, *, trust_flags: bool = False, solution: Odds | None = None
) -> list[Step]:
    """Return steps that a person can follow, which together settle every tile that is certain.

    Each step uses the simplest technique that gets anywhere from what is settled so far; parts of the board
    that have nothing to do with each other are explained one after another. Every certain tile of
    `solve(board, mines, trust_flags=trust_flags)` is in exactly one step, trusted flags in none. The
    solution can be handed over where it is known.

    Raises what `solve` raises, but for TooWide: then the steps go as far as the techniques that do not count
    placements get.
    """
    try:
        found = solution or solve(board, mines, trust_flags=trust_flags)
    except TooWide:
        return _Climb(board, mines, None, trust_flags=trust_flags).run()
    certain = dict.fromkeys(found.safe, False) | dict.fromkeys(found.mine, True)
    return _Climb(board, mines, certain, trust_flags=trust_flags).run()


def certain_without_counting(
    board: Board, mines: int | None = None, *, trust_flags: bool = False
) -> dict[Position, bool]:
    """Return what the techniques settle that count no placements: covered tile -> whether it is a mine."""
    steps = _Climb(board, mines, None, trust_flags=trust_flags).run()
    return {tile: False for step in steps for tile in step.safe} | {
        tile: True for step in steps for tile in step.mine
    }


def steps_to(board: Board, steps: Sequence[Step], tile: Position) -> list[Step]:
    """Return those steps of an explanation that lead to one tile, in order; empty when no step settles it."""
    wanted = {tile}
    needed: list[Step] = []
    for at in range(len(steps) - 1, -1, -1):
        step = steps[at]
        if wanted.isdisjoint((*step.safe, *step.mine)):
            continue
        needed.append(step)
        if step.whole:
            # It counts mines that may have been found anywhere.
            return [*steps[:at], *reversed(needed)]
        for number in step.numbers:
            wanted.update(board.neighbours(*number))
    return needed[::-1]


def _deductions(step: Step) -> Iterator[Deduction]:
    for tiles, mine in ((step.mine, True), (step.safe, False)):
        for tile in tiles:
            yield Deduction(tile, mine, step.technique, step.pattern, step.numbers, step.sentence)


def _follow_exactly(board: Board, mines: int | None, trust_flags: bool) -> list[Step]:
    solution = solve(board, mines, trust_flags=trust_flags)
    known = starting_facts(board, trust_flags=trust_flags)
    every = equations_of(board, known)
    if mines is not None:
        numbers = tuple(one.number for one in every)
        return _exact_steps(
            [tile for tile in solution.safe if tile not in known],
            [tile for tile in solution.mine if tile not in known],
            numbers,
            f"in every way to place the {count_mines(mines)} of the board",
            whole=True,
        )
    steps = []
    safe, mine = set(solution.safe), set(solution.mine) - known.keys()
    parts = [(part, {tile for one in part for tile in one.unknown}) for part in components(every)]
    if board.continues:  # numbers beside tiles that are not in view belong to no part
        parts = [([equation(board, known, number) for number in numbers_of(board)], safe | mine)]
    for part, around in parts:
        tiles = sorted(around)
        steps += _exact_steps(
            [tile for tile in tiles if tile in safe],
            [tile for tile in tiles if tile in mine],
            tuple(one.number for one in part),
            f"in every way to place the mines around {named_all(part)}",
            whole=False,
        )
    return steps


def _exact_steps(
    safe: list[Position], mine: list[Position], numbers: tuple[Position, ...], way: str, *, whole: bool
) -> list[Step]:
    if not safe and not mine:
        return []
    text = sentence(f"{way}, {conclusion(safe, mine)}")
    return [Step("exact", None, tuple(safe), tuple(mine), numbers, text, whole)]


class _Climb:
    """The state of an explanation under way."""

    def __init__(
        self, board: Board, mines: int | None, certain: dict[Position, bool] | None, *, trust_flags: bool
    ) -> None:
        self._board = board
        self._mines = mines
        self._known = starting_facts(board, trust_flags=trust_flags)
        # What is certain is known beforehand, which spares looking where nothing can be found.
        self._certain = certain
        self._open = set(certain or ()) - self._known.keys()
        self._steps: list[Step] = []

    def run(self) -> list[Step]:
        self._follow_singles(numbers_of(self._board))
        while self._more():
            self._settle_parts(components(equations_of(self._board, self._known)))
            if not self._more():
                break
            step = None
            if self._mines is not None:
                step = find_by_mine_count(self._board, self._known, self._mines)
            if step is None:
                step = self._by_full_count()
            if step is None:
                break
            self._take(step)
            self._follow_singles(self._touched(step))
        return self._steps

    def _more(self) -> bool:
        return self._certain is None or bool(self._open)

    def _promising(self, part: Sequence[Equation]) -> bool:
        return self._certain is None or any(tile in self._open for one in part for tile in one.unknown)

    def _settle_parts(self, parts: Iterable[list[Equation]]) -> None:
        """Everything that techniques without counting find, one part of the board after another."""
        queue = deque(parts)
        while queue:
            part = queue.popleft()
            if not self._promising(part):
                continue
            step = self._simplest(part)
            if step is None:
                continue
            self._take(step)
            self._follow_singles(self._touched(step))
            rest = equations_of(self._board, self._known, [one.number for one in part])
            queue.extendleft(reversed(components(rest)))

    def _simplest(self, part: Sequence[Equation]) -> Step | None:
        candidates: Collection[Position] | None = None if self._certain is None else self._open
        for method in METHODS.values():
            if method.find is find_single:  # all of it was followed before
                continue
            limited = method.find is find_contradictions
            found = find_contradictions(part, candidates) if limited else method.find(part)
            step = next(found, None)
            if step is not None:
                return step
        return None

    def _by_full_count(self) -> Step | None:
        if self._certain is None:
            return None
        parts = components(equations_of(self._board, self._known))
        for part in parts:
            for tile in sorted({tile for one in part for tile in one.unknown} & self._open):
                step = prove_by_numbers(self._board, self._known, part, (tile, self._certain[tile]))
                if step is not None:
                    return step
                if self._mines is None:
                    continue
        tile = min(self._open)
        if self._mines is None and self._board.continues:
            # Numbers beside tiles that are not in view belong to no part.
            every = [equation(self._board, self._known, number) for number in numbers_of(self._board)]
            return prove_by_numbers(self._board, self._known, every, (tile, self._certain[tile]))
        if self._mines is None:
            raise AssertionError(f"{tile} is certain, but no component settles it")
        return prove_by_full_count(self._board, self._known, self._mines, (tile, self._certain[tile]))

    def _take(self, step: Step) -> None:
        self._steps.append(step)
        for tiles, mine in ((step.safe, False), (step.mine, True)):
            for tile in tiles:
                self._known[tile] = mine
                self._open.discard(tile)

    def _touched(self, step: Step) -> list[Position]:
        """Return the numbers around the tiles that a step settles."""
        return sorted(
            {
                number
                for tile in (*step.safe, *step.mine)
                for number in self._board.neighbours(*tile)
                if self._board[number] < COVERED
            }
        )

    def _follow_singles(self, numbers: Iterable[Position]) -> None:
        """All that numbers alone settle, and what follows from that by numbers alone."""
        queue = deque(numbers)
        while queue:
            step = settle_single(equation(self._board, self._known, queue.popleft()))
            if step is not None:
                self._take(step)
                queue.extend(self._touched(step))
