"""The end of the game played out: the best chance to win when few solutions are left, exactly.

A position is the set of solutions that what was opened leaves. Which tiles are open adds nothing to it: a
tile that is safe in every solution of the set can be opened for nothing, and one that shows the same in all
of them tells nothing. So the tree is searched over sets of solutions, each held as one bit mask. The game is
won when every tile without a mine is open; that is certain once a single solution is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Final

from visionsweeper.geometry import Position
from visionsweeper.solver.joining import shifted_union
from visionsweeper.solver.odds import Odds

SOLUTIONS_LIMIT: Final = 2_000
"""Positions with more solutions are not searched."""

NODES_LIMIT: Final = 100_000
"""Different sets of solutions looked into before the search gives up: about a second."""


@dataclass(frozen=True)
class Endgame:
    """What the search found; every number is exact."""

    chance: Fraction
    """Probability to win with the best play."""
    by_tile: dict[Position, Fraction]
    """Probability to win when this tile is opened next, and play is the best from then on: for every covered
    tile, certain mines included (0)."""


class _OutOfNodes(Exception):
    pass


def play_out(
    odds: Odds, *, solutions_limit: int = SOLUTIONS_LIMIT, nodes_limit: int = NODES_LIMIT
) -> Endgame | None:
    """Search to the end; None beyond the limits, without the mine count, or with no tile to open."""
    if odds.mines is None or not odds.countable or odds.count > solutions_limit:
        return None
    placements = list(all_placements(odds))
    tiles = odds.system.list_tiles(odds.system.covered)
    return play_tree(odds, tiles, placements, [1] * len(placements), nodes_limit)


def play_tree(
    odds: Odds,
    tiles: Sequence[Position],
    placements: Sequence[frozenset[Position]],
    weights: Sequence[int],
    nodes_limit: int,
) -> Endgame | None:
    """Search a game with these covered tiles, mine placements and their weights; None beyond the limit."""
    tree = _Tree(odds, tiles, placements, weights, nodes_limit)
    total = sum(weights)
    try:
        best = tree.wins(tree.everything)
        by_tile = {tile: Fraction(sum(map(tree.wins, parts)), total) for tile, parts in tree.split.items()}
    except _OutOfNodes:
        return None
    return Endgame(Fraction(best, total), by_tile) if by_tile else None


def all_placements(odds: Odds) -> Iterator[frozenset[Position]]:
    """Yield the covered mines of every solution of the whole board; the mine count must be known."""
    system = odds.system
    parts = odds.components
    others = system.list_tiles(system.non_frontier)
    fixed = system.list_tiles(system.mines)
    # reach[i]: how many mines the components from i on and the non-frontier tiles can hold together.
    reach = [(1 << len(others) + 1) - 1]
    for part in reversed(parts):
        support = sum(1 << at for at, total in enumerate(part.totals) if total)
        reach.append(shifted_union(reach[-1], support) << part.low)
    reach.reverse()

    def place(index: int, left: int, placed: list[Position]) -> Iterator[frozenset[Position]]:
        if index == len(parts):
            for chosen in combinations(others, left):
                yield frozenset(placed).union(chosen)
            return
        for mines, _, _ in parts[index].ranges:
            if mines <= left and reach[index + 1] >> left - mines & 1:
                for found in parts[index].with_mines(mines):
                    yield from place(index + 1, left - mines, [*placed, *found])

    yield from place(0, odds.mines_left, fixed)


class _Tree:
    """The game tree over sets of solutions, with what was found remembered."""

    def __init__(
        self,
        odds: Odds,
        covered: Sequence[Position],
        placements: Sequence[frozenset[Position]],
        weights: Sequence[int],
        nodes_limit: int,
    ) -> None:
        board = odds.board
        alike: dict[int, int] = {}  # weight -> the solutions that have it
        for index, weight in enumerate(weights):
            alike[weight] = alike.get(weight, 0) | 1 << index
        self._weighing = list(alike.items())
        self.weigh: Callable[[int], int] = int.bit_count if list(alike) == [1] else self._weigh
        shown = {(int(row), int(column)) for row, column in zip(*board.shown_mines.nonzero(), strict=True)}
        self.everything = (1 << len(placements)) - 1
        self.split: dict[Position, list[int]] = {}
        """Covered tile -> the solutions in which it is safe, apart by the number it shows."""
        for tile in covered:
            around = set(board.neighbours(*tile))
            known = len(around & shown)
            parts: dict[int, int] = {}
            for index, mines in enumerate(placements):
                if tile not in mines:
                    number = known + len(around & mines)
                    parts[number] = parts.get(number, 0) | 1 << index
            self.split[tile] = list(parts.values())
        self._moves = [
            (sum(parts), list(parts))
            for parts in dict.fromkeys(tuple(sorted(parts)) for parts in self.split.values())
            if parts and parts != (self.everything,)
        ]
        self._known: dict[int, int] = {}
        self._nodes_limit = nodes_limit

    def _weigh(self, left: int) -> int:
        return sum([weight * (left & alike).bit_count() for weight, alike in self._weighing])

    def wins(self, left: int) -> int:
        """How many of a set of solutions the best play wins, by their weights."""
        if not left & left - 1:
            return self.weigh(left)
        found = self._known.get(left)
        if found is None:
            if len(self._known) >= self._nodes_limit:
                raise _OutOfNodes
            found = self._known[left] = self._search(left)
        return found

    def _search(self, left: int) -> int:
        guesses = []
        for at, (safe, parts) in enumerate(self._moves):
            survivors = safe & left
            if survivors == left:
                if not any(left & part == left for part in parts):
                    return sum([self.wins(left & part) for part in parts if left & part])
            elif survivors:
                guesses.append((self.weigh(survivors), at))
        guesses.sort(key=lambda guess: -guess[0])
        best = 0
        for bound, at in guesses:
            if bound <= best:  # even winning whenever it is safe would not be better
                break
            total = bound
            for part in self._moves[at][1]:
                reached = left & part
                if reached & reached - 1:
                    total -= self.weigh(reached) - self.wins(reached)
                    if total <= best:
                        break
            best = max(best, total)
        return best
