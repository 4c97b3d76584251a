"""An isolated part of the board played out as a game of its own, before the end of the whole game.

A part is isolated when its tiles touch no covered tile outside of it that may be safe, and no number that
does: whatever is opened elsewhere tells nothing of it but how many mines it holds. Each of its solutions is
weighed by the ways to lay the other mines on the rest of the board.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product
from math import comb, prod
from typing import Final

from visionsweeper.board import MINE, Board
from visionsweeper.geometry import Position
from visionsweeper.solver.endgame import NODES_LIMIT, SOLUTIONS_LIMIT, Endgame, play_tree
from visionsweeper.solver.joining import multiply
from visionsweeper.solver.odds import Odds
from visionsweeper.solver.solutions import ComponentSolutions

_MOST_TILES: Final = 60
"""Parts with more tiles have too many solutions, nearly always."""


def play_part(odds: Odds, start: Position) -> Endgame | None:
    """Return the chances to win the isolated part that holds a covered tile.

    None where the tile belongs to no part smaller than the board, beyond the limits of `endgame.play_out`,
    and without the mine count. No tile may be certainly safe.
    """
    if odds.mines is None or not odds.countable:
        return None
    certain = set(odds.mine)
    part = _part_around(odds.board, start, certain)
    if part is None or len(part) == odds.system.covered.bit_count() - len(certain):
        return None
    if odds.mine:  # what is certain joins components that have nothing else in common
        odds = _with_mines_shown(odds)
    inside = [one for one in odds.components if one.tiles[0] in part]
    beyond = sorted(part.difference(*(one.tiles for one in inside)))
    if prod([one.count for one in inside]) << len(beyond) > SOLUTIONS_LIMIT:
        return None
    weights = _weights(odds, inside, odds.non_frontier_tiles - len(beyond))
    placements = [mines for mines in _placements(inside, beyond) if weights(len(mines))]
    return play_tree(
        odds, sorted(part), placements, [weights(len(mines)) for mines in placements], NODES_LIMIT
    )


def _part_around(board: Board, start: Position, mines: set[Position]) -> set[Position] | None:
    """Return the unknown tiles that can tell anything of `start`; None where they are too many."""
    part, waiting = {start}, [start]
    while waiting and len(part) <= _MOST_TILES:
        near = set(board.neighbours(*waiting.pop()))
        numbers = [tile for tile in near if board.numbers[tile]]
        near.update(*(board.neighbours(*number) for number in numbers))
        fresh = [tile for tile in near if board.covered[tile] and tile not in mines and tile not in part]
        part.update(fresh)
        waiting += fresh
    return part if len(part) <= _MOST_TILES else None


def _with_mines_shown(odds: Odds) -> Odds:
    cells = odds.board.cells.copy()
    for tile in odds.mine:
        cells[tile] = MINE
    return Odds.of(odds.board.changed(cells), odds.mines, trust_flags=odds.trust_flags, limit=odds.limit)


def _weights(odds: Odds, inside: Sequence[ComponentSolutions], others: int) -> _Weights:
    outside = [one for one in odds.components if one not in inside]
    return _Weights(multiply([(one.low, one.totals) for one in outside]), others, odds.mines_left)


class _Weights:
    """The ways to lay all other mines, by those of the part."""

    def __init__(self, outside: tuple[int, Sequence[int]], others: int, mines: int) -> None:
        """`outside`: the other components by mine count; `others`: their tiles next to no number."""
        self._outside, self._others, self._mines = outside, others, mines
        self._known: dict[int, int] = {}

    def __call__(self, mines: int) -> int:
        if mines not in self._known:
            low, ways = self._outside
            left = self._mines - mines - low
            self._known[mines] = sum(
                [way * comb(self._others, left - at) for at, way in enumerate(ways) if left >= at]
            )
        return self._known[mines]


def _placements(
    inside: Sequence[ComponentSolutions], beyond: Sequence[Position]
) -> Iterator[frozenset[Position]]:
    """Yield the mines of each solution of the part."""
    subsets = [chosen for count in range(len(beyond) + 1) for chosen in combinations(beyond, count)]
    for parts in product(*inside, subsets):
        yield frozenset().union(*parts)
