"""What no play can avoid and what no play can use: 50/50s, pairs that only look like one, and dead tiles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import numpy as np

from visionsweeper.board import COVERED, FLAG, MINE, SAFE
from visionsweeper.errors import TooWide
from visionsweeper.geometry import Position, positions_of
from visionsweeper.solver.odds import Odds
from visionsweeper.solver.outcomes import openings
from visionsweeper.solver.sweep import Sweep
from visionsweeper.wording import plural, tile_name, tile_names, tile_subject

Pair = tuple[Position, Position]
"""Two tiles, the first before the second in reading order."""

_TILES_LOOKED_INTO: Final = 120
"""Uncertain tiles above which dead ones are not looked for: each costs a count or two."""

_MOST_CELLS: Final = 200_000
"""Nor is anything named where one count of the board sweeps more cells than that."""

_PAIRS_SAID: Final = 3
"""Pairs named in a text."""


@dataclass(frozen=True)
class Guesses:
    """Tiles that are not certain, by what guessing there means; all in reading order."""

    fifty_fifty: tuple[Pair, ...] = ()
    """One of the two holds a mine, and every other tile that can ever be opened touches both or neither:
    nothing will tell which, so that a guess between them is forced, and lost with 1/2."""
    pseudo_fifty_fifty: tuple[Pair, ...] = ()
    """One of the two holds a mine, with 1/2 each as far as is known, but a tile that may be opened later
    touches just one of them and can tell."""
    dead: tuple[Position, ...] = ()
    """If it is safe, the tile shows the same number in every solution: opening it tells nothing more."""


def find_guesses(odds: Odds) -> Guesses:
    """Find 50/50s, pseudo-50/50s and dead tiles; nothing where some tile is safe or counting takes too long.

    Nor where the board goes on beyond what is seen: what is opened there may tell.
    """
    wide = sum(counted.cells for counted in odds.counts if isinstance(counted, Sweep))
    if odds.safe or odds.estimated or odds.board.continues or wide > _MOST_CELLS:
        return Guesses()
    chances = odds.probability
    unsure = positions_of((chances > 0) & (chances < 1))
    with suppress(TooWide):
        alike = set(_alike(odds, unsure))
        forced = [pair for pair in sorted(alike) if _has_one_mine(odds, pair)]
        looking = [pair for pair in _even_pairs(odds) if pair not in alike]
        dead = [tile for tile in unsure if _is_dead(odds, tile)] if len(unsure) <= _TILES_LOOKED_INTO else []
        return Guesses(tuple(forced), tuple(looking), tuple(dead))
    return Guesses()


def _alike(odds: Odds, unsure: Sequence[Position]) -> Iterator[Pair]:
    """Pairs such that every tile that is open or can be opened touches both or neither."""
    board = odds.board
    mines = set(odds.mine)
    seen = {
        tile: frozenset(
            other for other in board.neighbours(*tile) if other not in mines and board[other] != MINE
        )
        for tile in unsure
    }
    apart: dict[frozenset[Position], list[Position]] = {}
    for tile in unsure:
        apart.setdefault(seen[tile], []).append(tile)
        for other in seen[tile]:
            if other > tile and other in seen and seen[tile] - {other} == seen[other] - {tile}:
                yield tile, other
    for tiles in apart.values():
        if len(tiles) == 2:  # of three or more that are alike, no two have just one mine for certain
            yield tiles[0], tiles[1]


def _has_one_mine(odds: Odds, pair: Pair) -> bool:
    """Whether the second tile is a mine just when the first is none, in every solution."""
    first, second = pair
    if odds.chance(first) + odds.chance(second) != 1:
        return False
    mined, free = odds.opened(first, MINE), odds.opened(first, SAFE)
    return mined is not None and free is not None and second in mined.safe and second in free.mine


def _even_pairs(odds: Odds) -> list[Pair]:
    """Pairs with a chance of 1/2 each of which a number says that just one is a mine."""
    board, chances = odds.board, odds.probability
    found: set[Pair] = set()
    for row, column in np.argwhere(board.numbers).tolist():
        around = [one for one in board.neighbours(row, column) if board[one] in {COVERED, FLAG}]
        unsure = sorted(one for one in around if 0 < chances[one] < 1)
        known = sum(chances[one] == 1 for one in around)
        known += sum(board[one] == MINE for one in board.neighbours(row, column))
        if len(unsure) == 2 and board[row, column] - known == 1 and abs(chances[unsure[0]] - 0.5) < 1e-12:
            found.add((unsure[0], unsure[1]))
    return sorted(found)


def _is_dead(odds: Odds, tile: Position) -> bool:
    try:
        shown = openings(odds, tile)
        next(shown, None)
        return next(shown, None) is None
    except ValueError:  # it touches tiles whose odds need the mine count
        return False


def guesses_in_words(guesses: Guesses) -> str:
    """Return what is to be said of them, a sentence each; empty where there is nothing."""
    said = []
    for pairs, what in (
        (guesses.fifty_fifty, "is a 50/50: nothing that can be opened will ever tell which holds the mine"),
        (guesses.pseudo_fifty_fifty, "only looks like a 50/50: a tile opened later may tell"),
    ):
        said += [f"{_named(pair)} {what}." for pair in pairs[:_PAIRS_SAID]]
        if len(pairs) > _PAIRS_SAID:
            said.append(f"The same holds for {plural(len(pairs) - _PAIRS_SAID, 'more pair')}.")
    if guesses.dead:
        said.append(f"Opening these gives no new information: {tile_names(guesses.dead)}.")
    return " ".join(said)


def _named(pair: Pair) -> str:
    one, other = pair
    return f"{tile_subject(*one)} or {tile_name(*other)}"
