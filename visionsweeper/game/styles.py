"""What is certain, played as players do: without flags, with flags and chords, or with few clicks."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Literal, TypeAlias

from visionsweeper.board import COVERED, FLAG
from visionsweeper.solver import Limit, solve
from visionsweeper.solver.limits import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Collection

    from visionsweeper.game.game import Action, Game
    from visionsweeper.geometry import Position

Style: TypeAlias = Literal["no_flags", "flags", "efficient"]
"""`no_flags`: every safe tile is opened by a click of its own. `flags`: every certain mine is flagged, and
numbers are chorded. `efficient`: mines are flagged only where a chord then saves clicks."""


def play_certain(game: Game, style: Style = "no_flags", limit: Limit = DEFAULT) -> Counter[Action]:
    """Open all that is certainly safe, and what follows from that; the clicks of each kind that it took.

    Flags are not believed: one on a safe tile is taken away. Raises TooWide where the odds cannot be counted.
    """
    clicks: Counter[Action] = Counter()
    while game.state == "playing":
        solution = solve(game.board, mines=game.field.count, limit=limit)
        if style == "flags":
            for tile in solution.mine:
                if game.board[tile] == COVERED:
                    clicks["flag"] += game.flag(tile)
        if not solution.safe:
            break
        for tile in solution.safe:
            if game.board[tile] == FLAG:
                clicks["flag"] += game.flag(tile)
        if style != "no_flags":
            clicks += _chord(game, set(solution.safe), set(solution.mine))
        for tile in solution.safe:
            if game.board[tile] == COVERED:
                clicks["open"] += game.open(tile)
    return clicks


def _chord(game: Game, safe: Collection[Position], mines: Collection[Position]) -> Counter[Action]:
    """Chord where that saves clicks, the most first, the flags that it takes counted."""
    clicks: Counter[Action] = Counter()
    numbers = {one for tile in safe for one in game.board.neighbours(*tile) if game.board[one] < COVERED}

    def saved(number: Position) -> int:
        """Return how many clicks a chord there saves; 0 where it may not be made."""
        around = list(game.board.neighbours(*number))
        flags = [one for one in around if game.board[one] == FLAG]
        covered = [one for one in around if game.board[one] == COVERED]
        missing, opened = [one for one in covered if one in mines], [one for one in covered if one in safe]
        sound = len(missing) + len(opened) == len(covered) and all(one in mines for one in flags)
        return len(opened) - 1 - len(missing) if sound else 0

    for number in sorted(numbers, key=lambda one: (-saved(one), one)):
        if saved(number) <= 0:  # what was opened before may have changed it
            continue
        for one in game.board.neighbours(*number):
            if one in mines and game.board[one] == COVERED:
                clicks["flag"] += game.flag(one)
        clicks["chord"] += game.chord(number)
    return clicks
