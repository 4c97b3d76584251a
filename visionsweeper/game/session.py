"""A game at the keyboard: what every key and every typed line does, whatever screen shows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from visionsweeper.board import COVERED, FLAG, SAFE, Board
from visionsweeper.errors import InvalidInput, TooWide, VisionsweeperError
from visionsweeper.game.game import Action, Game
from visionsweeper.game.minefield import lay
from visionsweeper.game.no_guess import lay_no_guess
from visionsweeper.game.rules import Rules
from visionsweeper.game.styles import play_certain
from visionsweeper.geometry import Position
from visionsweeper.solver import Limit, Solution, solve
from visionsweeper.solver.limits import DEFAULT
from visionsweeper.wording import plural

HELP: Final = (
    "arrows or R,C  go to a tile",
    "space, enter   open it; on a number: open around it (chord)",
    "f              flag, or take the flag away",
    "u              undo the last flag",
    "p / l          show / hide the probabilities",
    "c              open all that is certainly safe",
    "h              a hint, with its reason",
    "n              new game",
    "q              quit",
)

_STEPS: Final = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}


@dataclass
class Session:
    """One player's games, one after another."""

    rules: Rules
    random: np.random.Generator
    no_guess: bool = False
    game: Game | None = None
    """None until the first tile is opened: the mines are laid then."""
    last: Game | None = None
    """The game before this one."""
    cursor: Position = (0, 0)
    odds_shown: bool = False
    message: str = ""
    """What the last command said."""
    finished: bool = False
    """Whether the player has had enough."""

    @property
    def board(self) -> Board:
        """What is shown."""
        if self.game is None:
            return Board(np.full((self.rules.height, self.rules.width), COVERED, dtype=np.uint8))
        return self.game.board

    @property
    def mines_left(self) -> int:
        """Mines less flags."""
        return self.rules.mines if self.game is None else self.game.mines_left

    @property
    def solution(self) -> Solution | None:
        """The odds of what is shown, flags not believed; None when the game is over or too wide to count."""
        if self.game is not None and self.game.state != "playing":
            return None
        try:
            return solve(self.board, mines=self.rules.mines)
        except VisionsweeperError as error:
            self.message = str(error)
            return None

    def do(self, command: str) -> None:
        """Do what one key, by its name, or one typed line says: a command, R,C, or a command with R,C."""
        self.message = ""
        word, _, place = command.strip().partition(" ")
        keys: dict[str, Callable[[], None]] = {
            "open": self._open,
            "o": self._open,
            "flag": self._flag,
            "f": self._flag,
            "chord": self._open,
            "undo": self._undo,
            "u": self._undo,
            "p": lambda: self._show(True),
            "l": lambda: self._show(False),
            "c": self._open_certain,
            "h": self._hint,
            "n": self._new,
            "q": self._quit,
            "?": lambda: self._say("; ".join(" ".join(line.split()) for line in HELP)),
        }
        if word in _STEPS:
            self._step(*_STEPS[word])
        elif "," in word:
            if self.go_to(word):
                self._open()
        elif word not in keys:
            self._say(f"{command.strip()[:30]!r} is not a command: type ? for a list")
        elif not place or self.go_to(place):
            keys[word]()

    @property
    def state(self) -> str:
        """How the game stands, in a word or two."""
        return "not begun" if self.game is None else self.game.state

    def replay(self, action: Action, tile: Position) -> None:
        """Make one move of a saved game."""
        assert self.game is not None
        self.game.play(action, tile)
        if action != "undo":
            self.cursor = tile
        self.message = action if action == "undo" else f"{action} {tile[0]},{tile[1]}"

    def go_to(self, place: str) -> bool:
        """Move to R,C; False with a message when that is no tile of the board."""
        row, _, column = (part.strip() for part in place.partition(","))
        if not (row.isascii() and row.isdigit() and column.isascii() and column.isdigit()):
            self._say(f"{place[:30]!r} is not a tile: write R,C, as in 2,3")
            return False
        # No board has a million rows, and Python refuses numbers of thousands of digits.
        tile = (int(row[:7]), int(column[:7]))
        if not (tile[0] < self.rules.height and tile[1] < self.rules.width):
            self._say(f"rows are 0 to {self.rules.height - 1}, columns 0 to {self.rules.width - 1}")
            return False
        self.cursor = tile
        return True

    def _step(self, down: int, right: int) -> None:
        row, column = self.cursor
        self.cursor = (
            min(max(row + down, 0), self.rules.height - 1),
            min(max(column + right, 0), self.rules.width - 1),
        )

    def _begun(self) -> Game | None:
        """Begin the game with a first click on the cursor if need be; None when none can be made."""
        if self.game is None:
            make = lay_no_guess if self.no_guess else lay
            try:
                self.game = Game(make(self.rules, self.cursor, self.random))
            except InvalidInput as error:
                self._say(str(error))
        return self.game

    def _open(self) -> None:
        game = self._begun()
        if game is None:
            return
        numbered = game.board[self.cursor] < COVERED
        done = game.chord(self.cursor) if numbered else game.open(self.cursor)
        if game.state != "playing":
            self._tell_end(game)
        elif not done:
            code = game.board[self.cursor]
            flagged = code == FLAG
            self._say(
                "a flag is there: take it away first"
                if flagged
                else "the number of flags around it does not match"
            )

    def _flag(self) -> None:
        if self.game is None:
            self._say("open a tile first")
        elif not self.game.flag(self.cursor):
            self._say("only covered tiles can be flagged")

    def _undo(self) -> None:
        if self.game is None or not self.game.undo_flag():
            self._say("there is no flag to undo")

    def _show(self, shown: bool) -> None:
        self.odds_shown = shown

    def _open_certain(self) -> None:
        """Open what is certain, and what follows from that, until a guess would be needed."""
        opened = 0
        if self.game is not None:
            try:
                opened = play_certain(self.game)["open"]
            except VisionsweeperError as error:
                self._say(str(error))
                return
            if self.game.state != "playing":
                self._tell_end(self.game)
                return
        self._say(f"opened {opened} safe tiles" if opened else "no tile is certainly safe")

    def _hint(self) -> None:
        from visionsweeper.game.first_click import advise_first_click  # only hints need these
        from visionsweeper.solver.advice import advise

        if self.game is None:
            advice = advise_first_click(self.rules)
            self.cursor = advice.ranking[0].tile
            self._say(advice.reason)
            return
        solution = self.solution
        if solution is None:
            return
        found = advise(solution)
        if found.best is not None:
            self.cursor = found.best
        self._say(found.reason)

    def _new(self) -> None:
        self.last = self.game or self.last
        self.game = None

    def _quit(self) -> None:
        self.finished = True

    def _tell_end(self, game: Game) -> None:
        if game.state == "won":
            self._say("won: every safe tile is open (n for a new game)")
        else:
            wrong = int((game.board.cells == SAFE).sum())
            flags = f", {plural(wrong, 'wrong flag')}" if wrong else ""
            self._say(f"lost: that was a mine{flags} (n for a new game)")

    def _say(self, message: str) -> None:
        self.message = message


def is_needless_guess(game: Game, action: Action, tile: Position, limit: Limit = DEFAULT) -> bool:
    """Tell whether a move risks a mine though other tiles are certainly safe: the hard-core rule forbids it.

    False where the odds are too wide to count.
    """
    tiles = game.opened_by(action, tile)
    try:
        safe = solve(game.board, mines=game.field.count, limit=limit).safe if tiles else []
    except TooWide:
        return False
    return bool(safe) and not set(tiles) <= set(safe)
