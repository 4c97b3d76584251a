"""One game as a player sees it: opening, chording, flags."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import numpy as np

from visionsweeper.board import COVERED, FLAG, MINE, SAFE, Board
from visionsweeper.errors import InvalidInput
from visionsweeper.game.minefield import Minefield
from visionsweeper.geometry import Position

State: TypeAlias = Literal["playing", "won", "lost"]

Action: TypeAlias = Literal["open", "chord", "flag", "undo"]

ACTIONS: Final[tuple[Action, ...]] = ("open", "chord", "flag", "undo")


class Game:
    """What is shown of a minefield, changed by the player's moves.

    Moves that mean nothing (opening a flag, chording a number whose flags do not add up) change nothing and
    return False. Flags are the player's claims: wrong ones lose a game only when a chord acts on them.
    """

    def __init__(self, field: Minefield) -> None:
        self.field = field
        self.state: State = "playing"
        self.moves: list[tuple[Action, Position]] = []
        """Every move that changed anything, in order."""
        self._cells = np.full(field.mines.shape, COVERED, dtype=np.uint8)
        self._flags: list[Position] = []
        """Flag changes that can be undone, in order."""

    def go_on_from(self, board: Board) -> None:
        """Take up a game that was shown so far as `board`; its moves before are not known.

        Raises InvalidInput for a board that this minefield never shows.
        """
        cells = board.cells
        if cells.shape != self.field.mines.shape:
            raise InvalidInput("the board of the game is not of its minefield's size")
        opened = cells < COVERED
        if not np.array_equal(cells[opened], self.field.numbers[opened]) or (opened & self.field.mines).any():
            raise InvalidInput("the board of the game shows numbers that its minefield does not have")
        if not np.isin(cells[~opened], (COVERED, FLAG)).all():
            raise InvalidInput("the game is over: begin a new one")
        self._cells = cells.copy()

    @property
    def board(self) -> Board:
        """What is shown, with the mines and the wrong flags once the game is lost."""
        return Board(self._cells)

    @property
    def mines_left(self) -> int:
        """Mines less flags: what a counter beside the board shows, which wrong flags make negative."""
        return self.field.count - int((self._cells == FLAG).sum())

    def play(self, action: Action, tile: Position) -> bool:
        """Make any move by its name; True if it changed anything. Raises InvalidInput off the board."""
        rows, columns = self.field.mines.shape
        if not (0 <= tile[0] < rows and 0 <= tile[1] < columns):
            raise InvalidInput(
                f"row {tile[0]}, column {tile[1]} is outside the board: it has rows 0 to {rows - 1} and "
                f"columns 0 to {columns - 1}"
            )
        if self.state != "playing":
            return False
        done = {"open": self._open, "chord": self._chord, "flag": self._flag, "undo": self._undo}[action](
            tile
        )
        if done:
            self.moves.append((action, (0, 0) if action == "undo" else tile))
        return done

    def open(self, tile: Position) -> bool:
        """Open a covered tile, and all around it when it shows 0."""
        return self.play("open", tile)

    def chord(self, tile: Position) -> bool:
        """Open all around a number that has as many flags around it."""
        return self.play("chord", tile)

    def flag(self, tile: Position) -> bool:
        """Set a flag, or take it away."""
        return self.play("flag", tile)

    def undo_flag(self) -> bool:
        """Take back the last change of a flag that still can be."""
        return self.play("undo", (0, 0))

    def opened_by(self, action: Action, tile: Position) -> list[Position]:
        """Return the covered tiles that a move clicks on; none where it means nothing."""
        if action == "open":
            return [tile] if self._cells[tile] == COVERED else []
        if action != "chord":
            return []
        around = list(Board(self._cells).neighbours(*tile))
        met = self._cells[tile] == sum(self._cells[one] == FLAG for one in around)
        return [one for one in around if met and self._cells[one] == COVERED]

    def forfeit(self) -> None:
        """Lose the game without a mine being hit, as a rule of its own may have it."""
        if self.state == "playing":
            self._lose()

    def _open(self, tile: Position) -> bool:
        return self._click("open", tile)

    def _chord(self, tile: Position) -> bool:
        return self._click("chord", tile)

    def _click(self, action: Action, tile: Position) -> bool:
        tiles = self.opened_by(action, tile)
        if tiles:
            self._uncover(tiles)
        return bool(tiles)

    def _flag(self, tile: Position) -> bool:
        if self._cells[tile] not in {COVERED, FLAG}:
            return False
        self._cells[tile] = COVERED if self._cells[tile] == FLAG else FLAG
        self._flags.append(tile)
        return True

    def _undo(self, _: Position) -> bool:
        while self._flags:
            tile = self._flags.pop()
            if self._cells[tile] in {COVERED, FLAG}:
                self._cells[tile] = COVERED if self._cells[tile] == FLAG else FLAG
                return True
        return False

    def _uncover(self, tiles: list[Position]) -> None:
        exploded = [tile for tile in tiles if self.field.mines[tile]]
        board = Board(self._cells)
        left = [tile for tile in tiles if not self.field.mines[tile]]
        while left:
            tile = left.pop()
            if self._cells[tile] != COVERED:
                continue
            self._cells[tile] = self.field.numbers[tile]
            if self._cells[tile] == 0:
                left.extend(board.neighbours(*tile))
        if exploded:
            self._lose()
        elif not ((self._cells >= COVERED) & ~self.field.mines).any():
            self.state = "won"
            self._cells[self.field.mines] = FLAG

    def _lose(self) -> None:
        self.state = "lost"
        mines, flags = self.field.mines, self._cells == FLAG
        self._cells[mines & ~flags] = MINE
        self._cells[flags & ~mines] = SAFE
