"""The moves of a recording -> its games, each as a replay that can be stepped through."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from visionsweeper.board import COVERED, Board
from visionsweeper.game.replay import Replay, as_played
from visionsweeper.geometry import Position
from visionsweeper.video.moves import Move


@dataclass
class Game:
    """One game of a recording, as far as it was seen."""

    begins: float
    """Seconds of the recording at which its board was seen first."""
    mines: int | None = None
    boards: list[Board] = field(default_factory=list)
    """As they were while it was played: of the mines that the end of a lost game shows, only the one hit."""
    moments: list[float] = field(default_factory=list)
    """Seconds of the recording at which each was seen first."""
    uncertain: list[tuple[Position, ...]] = field(default_factory=list)
    """The tiles of each that were read with doubt."""

    @property
    def replay(self) -> Replay:
        """The same with times from the first move on."""
        first = self.moments[1] if len(self.moments) > 1 else 0.0
        return Replay(tuple(self.boards), self.mines, tuple(max(0.0, at - first) for at in self.moments))

    def take(self, move: Move) -> None:
        """Add the board after a move; what earlier ones said otherwise was read wrongly, and is put right."""
        self.mines = self.mines if move.mines is None else move.mines
        if move.kind == "reread":
            last = self.boards[-1]
            self._keep_boards([_corrected(board, last, move.board) for board in self.boards])
        board = move.board
        if self.boards and move.state == "lost" and move.chosen:
            board = as_played(self.boards[-1], board, move.chosen)
        if not self.boards or board != self.boards[-1]:
            self.boards.append(board)
            self.moments.append(move.seconds)
            self.uncertain.append(move.uncertain)

    def _keep_boards(self, boards: list[Board]) -> None:
        """Keep these boards in place of the ones there are, without those that are like the one before."""
        kept = [at for at, board in enumerate(boards) if at == 0 or board != boards[at - 1]]
        self.boards = [boards[at] for at in kept]
        self.moments = [self.moments[at] for at in kept]
        self.uncertain = [self.uncertain[at] for at in kept]


def games_of(moves: Iterable[Move]) -> list[Game]:
    """Return the games in the order in which they were played."""
    games: list[Game] = []
    for move in moves:
        if move.kind == "start" or not games:
            games.append(Game(move.seconds))
        games[-1].take(move)
    return games


def _corrected(before: Board, last: Board, now: Board) -> Board:
    """Return an earlier board with the opened tiles put right that the last one shows otherwise than now."""
    wrong = before.numbers & (before.cells == last.cells) & (now.cells <= COVERED)
    return before.changed(np.where(wrong, now.cells, before.cells))
