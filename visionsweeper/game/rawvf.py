"""Replays in the open RawVF text format: a minefield, and what the mouse did on it.

The format: https://github.com/thefinerminer/minesweeper-rawvf
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from visionsweeper.board import COVERED, FLAG, Board
from visionsweeper.errors import InvalidInput
from visionsweeper.game.game import Action, Game
from visionsweeper.game.minefield import Minefield
from visionsweeper.game.replay import as_played
from visionsweeper.geometry import Position

_SQUARE: Final = 16
"""Pixels of a tile where the file does not say it."""

_CHEATS: Final = ("elmar", "nono", "superflag")
"""Settings by which buttons do something else."""

# Columns and rows are passed over: some programs count them from 0, others from 1.
_EVENT: Final = re.compile(r"(-?\d+\.\d+)\s+([lrm][cr]|sc|mt)\b[^(]*(?:\(\s*(-?\d+)(?:\.\d+)?\s+(-?\d+))?")

_BUTTONS: Final = {"l": "left", "r": "right", "m": "middle"}


@dataclass
class Mouse:
    """What the buttons of a mouse do on a game."""

    game: Game
    marks: bool
    """Whether a right click goes on from a flag to a question mark."""
    super_click: bool
    """Whether a left click on a number opens around it."""

    def __post_init__(self) -> None:
        self._held: set[str] = set()
        self._asked: set[Position] = set()
        """Covered tiles with a question mark."""
        self._spent = False
        """Whether a second button was let go: the other one then does nothing."""

    def press(self, button: str, tile: Position | None) -> None:
        """Press `left`, `right`, `middle`, or `shift`: left with the shift key."""
        if "middle" in self._held:
            return
        if button == "middle":
            self._held.clear()
        self._held.discard("shift")
        self._held |= {"left", "shift"} if button == "shift" else {button}
        if button == "right" and "left" not in self._held and tile is not None:
            self._mark(tile)
            self._spent = False

    def release(self, button: str, tile: Position | None) -> None:
        """Let a button go, on a tile or beside the board."""
        if button not in self._held:
            return
        both = {"left", "right"} <= self._held
        action: Action | None = None
        if button == "middle" or both or (button == "left" and "shift" in self._held):
            action = "chord"
        elif button == "left" and not self._spent and tile is not None:
            opened = self.game.board[tile] < COVERED
            action = ("chord" if self.super_click else None) if opened else "open"
        self._held -= {button, "shift"}
        self._spent = both
        if action is not None and tile is not None:
            self.game.play(action, tile)

    def _mark(self, tile: Position) -> None:
        if tile in self._asked:
            self._asked.discard(tile)
            return
        flagged = self.game.board[tile] == FLAG
        if self.game.flag(tile) and flagged and self.marks:
            self._asked.add(tile)


def read_rawvf(text: str, most_tiles: int | None = None) -> tuple[int, Iterator[tuple[float, Board]]]:
    """Return the mine count, and each board that differs from the one before with its time in seconds.

    Raises InvalidInput.
    """
    lines = iter(text.splitlines())
    settings = dict(_settings(lines))
    on = {name for name, value in settings.items() if value.lower() == "on"}
    if on & set(_CHEATS):
        raise InvalidInput("this replay was played with buttons that do something else: it is not read")
    field = _minefield(lines, settings, most_tiles)
    mouse = Mouse(Game(field), bool(on & {"marks", "questionmarks"}), "superclick" in on)
    square = settings.get("squaresize", "")
    return field.count, _boards(lines, mouse, int(square) if square.isdecimal() and int(square) else _SQUARE)


def _settings(lines: Iterator[str]) -> Iterator[tuple[str, str]]:
    """Yield what is said before the board, names in small letters."""
    for line in lines:
        name, _, value = line.partition(":")
        if name.strip().lower() == "board":
            return
        yield name.strip().lower(), value.strip()
    raise InvalidInput("this file holds no RawVF replay: it has no board")


def _minefield(lines: Iterator[str], settings: dict[str, str], most_tiles: int | None) -> Minefield:
    width, height = (settings.get(name, "") for name in ("width", "height"))
    if not (width.isdecimal() and height.isdecimal() and int(width) and int(height)):
        raise InvalidInput("this RawVF replay does not say the size of its board")
    if most_tiles is not None and int(width) * int(height) > most_tiles:
        raise InvalidInput(
            f"the board of this replay is too large, {width}x{height}: at most {most_tiles} tiles are taken"
        )
    rows = [next(lines, "").rstrip() for _ in range(int(height))]
    if any(len(row) != int(width) or set(row) - set("*0") for row in rows):
        raise InvalidInput(f"the board of this RawVF replay is not {width}x{height} of * and 0")
    return Minefield.from_text("\n".join(rows).replace("0", "."))


def _boards(lines: Iterable[str], mouse: Mouse, square: int) -> Iterator[tuple[float, Board]]:
    game = mouse.game
    rows, columns = game.field.mines.shape
    last, start = game.board, None
    yield 0.0, last
    for line in lines:
        found = _EVENT.match(line.strip())
        if found is None or game.state != "playing":
            continue
        seconds, what, x, y = float(found[1]), found[2], found[3], found[4]
        if what == "mt":
            mouse.marks = not mouse.marks
        if what == "mt" or x is None:
            continue
        row, column = int(y) // square, int(x) // square
        tile = (row, column) if 0 <= row < rows and 0 <= column < columns else None
        if what == "sc":
            mouse.press("shift", tile)
        else:
            (mouse.press if what[1] == "c" else mouse.release)(_BUTTONS[what[0]], tile)
        board = _without_ending(last, game)
        if board != last:
            start, last = seconds if start is None else start, board
            yield max(0.0, seconds - start), board


def _without_ending(before: Board, game: Game) -> Board:
    """Return the board of a game without what only its end shows."""
    if game.state == "playing":
        return Board(game.board.cells.copy())
    if game.state == "won":
        cells = game.board.cells.copy()
        cells[(cells == FLAG) & (before.cells == COVERED)] = COVERED
        return Board(cells)
    action, tile = game.moves[-1]
    around = [tile] if action == "open" else before.neighbours(*tile)
    return as_played(before, game.board, [one for one in around if before[one] == COVERED])
