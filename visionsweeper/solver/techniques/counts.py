"""The mine count, and the full count of all placements: the last two rungs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

import numpy as np

from visionsweeper.board import MINE, SAFE, Board
from visionsweeper.errors import ImpossibleBoard
from visionsweeper.geometry import Position
from visionsweeper.solver.solution import solve
from visionsweeper.solver.techniques.equations import (
    Equation,
    Known,
    Step,
    equations_of,
)
from visionsweeper.solver.techniques.words import (
    are_mines,
    are_safe,
    mines,
    named_all,
    place,
    places,
    sentence,
)


def find_by_mine_count(board: Board, known: Known, total: int) -> Step | None:
    """Find what the number of mines settles, together with numbers that share no tile with each other."""
    covered = _covered(board)
    unsettled = [tile for tile in covered if tile not in known]
    if not unsettled:
        return None
    left = total - int(board.shown_mines.sum()) - sum(known.values())
    if left == 0:
        which = "all other covered tiles are safe" if len(unsettled) > 1 else "the last covered tile is safe"
        found = f"all {mines(total)} of the board are found" if total > 1 else "the board's mine is found"
        text = f"{found if total else 'the board has no mines'}, so {which} ({places(unsettled)})"
        return Step("mine_count", None, tuple(unsettled), (), (), sentence(text), whole=True)
    if left == len(unsettled):
        text = (
            f"as many of the board's {mines(total)} are still to find as there are covered tiles left "
            f"({left}), so {are_mines(unsettled)}"
        )
        return Step("mine_count", None, (), tuple(unsettled), (), sentence(text), whole=True)
    equations = equations_of(board, known)
    apart = _apart(equations, lambda one: one.need)
    outside = _outside(unsettled, apart)
    if outside and sum(one.need for one in apart) == left:
        text = (
            f"only {mines(left)} of the board's {total} {'is' if left == 1 else 'are'} still to find, and "
            f"{named_all(apart)} {'needs' if len(apart) == 1 else 'need'} all of them, so {are_safe(outside)}"
        )
        return Step("mine_count", None, tuple(outside), (), _numbers(apart), sentence(text), whole=True)
    apart = _apart(equations, lambda one: len(one.unknown) - one.need)
    outside = _outside(unsettled, apart)
    free = len(unsettled) - left
    if outside and sum(len(one.unknown) - one.need for one in apart) == free:
        text = (
            f"with {mines(left)} of the board's {total} still to find on {len(unsettled)} covered tiles, "
            f"{free} of these {'is' if free == 1 else 'are'} safe, all next to "
            f"{named_all(apart)}, so {are_mines(outside)}"
        )
        return Step("mine_count", None, (), tuple(outside), _numbers(apart), sentence(text), whole=True)
    return None


def _apart(equations: Sequence[Equation], worth: Callable[[Equation], int]) -> list[Equation]:
    """Numbers that share no tile, worth much together: the best of a few greedy choices."""
    best: list[Equation] = []
    most = 0
    orders = (
        sorted(equations, key=lambda one: (-worth(one), len(one.unknown), one.number)),
        sorted(equations, key=lambda one: (len(one.unknown) / max(worth(one), 1), one.number)),
        sorted(equations, key=lambda one: one.number),
        sorted(equations, key=lambda one: one.number, reverse=True),
    )
    for order in orders:
        used: set[Position] = set()
        chosen = []
        for one in order:
            if worth(one) > 0 and used.isdisjoint(one.unknown):
                used |= one.unknown
                chosen.append(one)
        together = sum(worth(one) for one in chosen)
        if together > most:
            best, most = chosen, together
    return best


def _outside(unsettled: Iterable[Position], apart: Iterable[Equation]) -> list[Position]:
    used = {tile for one in apart for tile in one.unknown}
    return [tile for tile in unsettled if tile not in used]


def _numbers(equations: Iterable[Equation]) -> tuple[Position, ...]:
    return tuple(sorted(one.number for one in equations))


def _covered(board: Board) -> list[Position]:
    rows, columns = np.nonzero(board.covered)
    return list(zip(rows.tolist(), columns.tolist(), strict=True))


def with_facts(board: Board, known: Known, numbers: Collection[Position] | None = None) -> Board:
    """Return the board with settled tiles shown, and numbers that are not given forgotten (still safe)."""
    cells = board.cells.copy()
    if numbers is not None:
        cells[board.numbers] = SAFE
        for number in numbers:
            cells[number] = board.cells[number]
    for tile, mine in known.items():
        cells[tile] = MINE if mine else SAFE
    return board.changed(cells)


def prove_by_numbers(
    board: Board, known: Known, part: Sequence[Equation], claim: tuple[Position, bool]
) -> Step | None:
    """Find the step for a tile that a component's numbers settle together, with as few of them as will do."""
    tile, mine = claim

    def holds(numbers: Sequence[Equation]) -> bool:
        try:
            solution = solve(with_facts(board, known, [one.number for one in numbers]))
        except ImpossibleBoard:
            return False
        return tile in (solution.mine if mine else solution.safe)

    kept: list[Equation] = []
    for reach in (2, 3, 4, 6, 9, None):
        kept = [
            one
            for one in part
            if reach is None or max(abs(one.number[0] - tile[0]), abs(one.number[1] - tile[1])) <= reach
        ]
        if kept and holds(kept):
            break
    else:
        return None
    for one in sorted(kept, key=lambda e: -max(abs(e.number[0] - tile[0]), abs(e.number[1] - tile[1]))):
        rest = [other for other in kept if other is not one]
        if rest and holds(rest):
            kept = rest
    verdict = "has a mine here" if mine else "leaves this tile free"
    text = (
        f"going through all ways to place the mines around {named_all(kept)}, every one of them {verdict}, "
        f"so {place(tile)} is {'a mine' if mine else 'safe'}"
    )
    return _exact_step(tile, mine, _numbers(kept), text, whole=False)


def prove_by_full_count(board: Board, known: Known, total: int, claim: tuple[Position, bool]) -> Step:
    """Return the step for a tile that only all numbers and the mine count together settle."""
    tile, mine = claim
    numbers = tuple(one.number for one in equations_of(board, known))
    verdict = "has a mine here" if mine else "leaves this tile free"
    text = (
        f"only counting all ways to place the {mines(total)} of the board shows it: every one {verdict}, so "
        f"{place(tile)} is {'a mine' if mine else 'safe'}"
    )
    return _exact_step(tile, mine, numbers, text, whole=True)


def _exact_step(tile: Position, mine: bool, numbers: tuple[Position, ...], text: str, *, whole: bool) -> Step:
    safe, hit = ((), (tile,)) if mine else ((tile,), ())
    return Step("exact", None, safe, hit, numbers, sentence(text), whole)
