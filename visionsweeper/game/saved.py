"""Games as text: the minefield, and the moves one a line.

    # visionsweeper game
    .*.
    ...

    open 1,0
    flag 0,1

Lines that begin with # say something for people; tiles are ROW,COLUMN from 0, top left first.
"""

from __future__ import annotations

from itertools import takewhile
from typing import Final

from visionsweeper.board import MAX_TILES
from visionsweeper.errors import InvalidInput
from visionsweeper.game.game import ACTIONS, Game
from visionsweeper.game.minefield import Minefield
from visionsweeper.geometry import Position

_HEAD: Final = "# visionsweeper game"


def to_text(game: Game) -> str:
    """Return the game so far, as `replay` reads it."""
    moves = [action if action == "undo" else f"{action} {tile[0]},{tile[1]}" for action, tile in game.moves]
    return "\n".join([_HEAD, f"# {game.state} after {len(moves)} moves", str(game.field), *moves, ""])


def replay(text: str) -> Game:
    """Play a saved game again, move by move.

    Raises InvalidInput, with the line, for what is no game and for a move that changes nothing.
    """
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), start=1)]
    lines = [(number, line) for number, line in lines if line and not line.startswith("#")]
    rows = [line for _, line in takewhile(lambda item: set(item[1]) <= set("*."), lines)]
    if not rows:
        raise InvalidInput("this is not a saved game: one begins with rows of . and * for the minefield")
    if sum(map(len, rows)) > MAX_TILES:
        raise InvalidInput(f"the minefield is too large: at most {MAX_TILES} tiles are accepted")
    game = Game(Minefield.from_text("\n".join(rows)))
    for number, line in lines[len(rows) :]:
        action, _, place = line.partition(" ")
        known = next((one for one in ACTIONS if one == action), None)
        if known is None:
            raise InvalidInput(
                f"line {number} of the game is not a move: {line[:40]!r}; moves are open, "
                "chord and flag with "
                "R,C, and undo"
            )
        try:
            done = game.play(known, (0, 0) if known == "undo" else _tile(place))
        except InvalidInput as error:
            raise InvalidInput(f"line {number} of the game, {line[:40]!r}: {error}") from error
        if not done:
            raise InvalidInput(f"line {number} of the game, {line[:40]!r}, changes nothing there")
    return game


def _tile(text: str) -> Position:
    row, comma, column = (part.strip() for part in text.partition(","))
    if not (comma and row.isascii() and row.isdigit() and column.isascii() and column.isdigit()):
        raise InvalidInput(f"{text[:40]!r} is not a tile R,C")
    if len(row) > 6 or len(column) > 6:
        raise InvalidInput("that tile is outside the board")
    return int(row), int(column)
