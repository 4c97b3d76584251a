"""Boards one after another -> the moves between them, and the risk that each took."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from visionsweeper.analysis import Analysis
from visionsweeper.board import COVERED, FLAG, MINE, SAFE, Board
from visionsweeper.errors import VisionsweeperError
from visionsweeper.game.game import State
from visionsweeper.game.replay import openings
from visionsweeper.game.review import risk_of
from visionsweeper.geometry import Position, positions_of
from visionsweeper.io.video import Frame, Video
from visionsweeper.options import SolveOptions
from visionsweeper.pipeline import analyse_with
from visionsweeper.solver import Solution
from visionsweeper.video.follow import Follower, Seen

Kind: TypeAlias = Literal["start", "open", "flag", "cover", "reread"]
Mask: TypeAlias = npt.NDArray[np.bool_]

_LATER: Final = (0.15, 1.1, 1.7)
"""Seconds after which a frame that is still shown is looked at again: what it shows rests by then."""

_SOON: Final = 0.5
"""Seconds within which an opened tile that is covered again was never opened."""


@dataclass(frozen=True, eq=False)
class Move:
    """What happened at one moment of a recording."""

    seconds: float
    kind: Kind
    """`start`: a board appears; `cover`: opened tiles were covered again; `reread`: an earlier reading was
    wrong."""
    board: Board
    """The board after it."""
    uncertain: tuple[Position, ...]
    """Its tiles that were read with doubt."""
    mines: int | None
    """Mines on the board, as far as they are known."""
    opened: tuple[Position, ...] = ()
    """Tiles that show a number now."""
    shown_mines: tuple[Position, ...] = ()
    """Mines that are shown now."""
    flagged: tuple[Position, ...] = ()
    unflagged: tuple[Position, ...] = ()
    covered: tuple[Position, ...] = ()
    """Tiles that were opened, and are no more."""
    chosen: tuple[Position, ...] = ()
    """Tiles that the player chose: of each opening the blank tile with the least risk, since any of them may
    have been clicked, and every number that no opening gives. After a loss the mine alone, if it is known."""
    risk: float | None = None
    """Probability, 0 to 1, that one of the chosen tiles held a mine; None where it is not known, and for the
    first move of a game, which most games make safe."""
    state: State = "playing"


class Recorder:
    """Makes moves of boards; the last one is held back, since what comes next may belong to it."""

    def __init__(self, solve: SolveOptions) -> None:
        self._solve = solve
        self._before: Seen | None = None
        """The board before the move in hand."""
        self._now: Seen | None = None
        self._move: Move | None = None

    def take(self, seen: Seen) -> Iterator[Move]:
        """Take the next board; yield the move that is over."""
        now = self._now
        if now is None or self._move is None:
            self._now, self._move = seen, self._new("start", seen)
            return
        if self._before is not None and self._belongs(seen, self._move, now.board):
            joined = self._between(self._before, replace(seen, seconds=self._move.seconds))
            self._now, self._move = seen, joined
            return
        if self._move.board == seen.board:
            return
        yield self._weighed(self._move)
        self._before, self._now, self._move = now, seen, self._between(now, seen)

    def end(self) -> Iterator[Move]:
        """Yield the move in hand."""
        if self._move is not None:
            yield self._weighed(self._move)
            self._move = None

    def _belongs(self, seen: Seen, move: Move, now: Board) -> bool:
        """Whether a board shows only more of the move in hand, or corrects it."""
        if seen.board.cells.shape != now.cells.shape:
            return False
        old, new = now.cells, seen.board.cells
        tiles = set(positions_of(old != new))
        if move.kind == "flag" and len(move.flagged) > 1:
            # A game that is won sets the flags that are left; a pointer may hide the tile that won it.
            opened = all(old[tile] == COVERED and new[tile] < COVERED for tile in tiles)
            return opened and _state(seen.board, move.mines) == "won"
        if move.kind != "open":
            return False
        if move.state == "lost" and np.isin(new[old != new], (MINE, SAFE)).all():
            return True
        if tiles <= set(move.opened):
            return seen.seconds - move.seconds <= _SOON or bool((new[old != new] < COVERED).all())
        # What lies beside an opened blank was opened with it, whenever it came to be seen.
        reached: set[Position] = set()
        edge = [tile for tile in move.opened if old[tile] == 0]
        while edge:
            around = (set(now.neighbours(*edge.pop())) & tiles) - reached
            reached |= around
            edge += [tile for tile in around if new[tile] == 0]
        return reached == tiles and bool(
            (old[old != new] == COVERED).all() and (new[old != new] < COVERED).all()
        )

    def _new(self, kind: Kind, seen: Seen) -> Move:
        analysis = analysed(seen, self._solve)
        return Move(
            seen.seconds,
            kind,
            seen.board,
            positions_of(seen.uncertain),
            analysis.mines,
            state=_state(seen.board, analysis.mines),
        )

    def _between(self, before: Seen, seen: Seen) -> Move:
        """Return the move that leads from one board to the next."""
        if before.board.cells.shape != seen.board.cells.shape:
            return self._new("start", seen)
        old, new = before.board.cells, seen.board.cells
        covered, hidden = np.isin(new, (COVERED, FLAG)), np.isin(old, (COVERED, FLAG))
        if (covered & ~hidden).any() and covered.all():
            return self._new("start", seen)
        kind: Kind = "flag"
        if (covered & ~hidden).any():
            kind = "cover" if (hidden | covered | (old == new)).all() else "start"
        elif (~hidden & (old != new)).any():
            kind = "reread"
        elif (hidden & ~covered).any():
            kind = "open"
        seen = replace(seen, mines=before.mines if seen.mines is None else seen.mines)
        move = replace(
            self._new(kind, seen),
            opened=positions_of(hidden & (new < COVERED)),
            shown_mines=positions_of(hidden & (new == MINE)),
            flagged=positions_of((old == COVERED) & (new == FLAG)),
            unflagged=positions_of((old == FLAG) & (new == COVERED)),
            covered=positions_of(covered & ~hidden),
        )
        if move.state != "lost" or kind != "open":
            return move
        exploded = seen.exploded if seen.exploded in move.shown_mines else None
        fatal = exploded or (move.shown_mines[0] if len(move.shown_mines) == 1 else None)
        return replace(move, chosen=() if fatal is None else (fatal,))

    def _weighed(self, move: Move) -> Move:
        """Return the move with the tiles that the player chose, and their risk."""
        before = self._before
        if move.kind != "open" or before is None or np.isin(before.board.cells, (COVERED, FLAG)).all():
            return move
        analysis = analysed(before, self._solve)
        if analysis.solution is None:
            return move
        chance = analysis.solution.probability
        if move.state == "lost":
            risk = float(chance[move.chosen[0]]) if move.chosen else float("nan")
            return replace(move, risk=None if np.isnan(risk) else risk)
        chosen = tuple(_chosen(move, chance))
        return replace(move, chosen=chosen, risk=_risk(analysis.solution, chosen))


def moves_of(
    recording: Video,
    follower: Follower,
    solve: SolveOptions,
    looked: Callable[[Frame], None] = lambda _: None,
) -> Iterator[Move]:
    """Yield the moves of a recording, each when it is over; `looked` gets every frame once it was read."""
    recorder = Recorder(solve)
    for frame, first in _moments(recording.frames()):
        for seen in follower.see(frame):
            yield from recorder.take(seen)
        if first:
            looked(frame)
    yield from recorder.end()


def _moments(frames: Iterator[Frame]) -> Iterator[tuple[Frame, bool]]:
    """Yield frames, each with True, and again with False where the next one comes much later.

    GIFs, and what some programs record, hold a picture once, however long it is shown.
    """
    before: Frame | None = None
    shown = 0.0
    for frame in frames:
        if before is not None:
            shown = frame.seconds - before.seconds
            yield from _again(before, shown)
        yield frame, True
        before = frame
    if before is not None:  # files do not say how long the last one is shown
        yield from _again(before, shown)


def _again(frame: Frame, shown: float) -> Iterator[tuple[Frame, bool]]:
    return ((replace(frame, seconds=frame.seconds + later), False) for later in _LATER if later < shown)


@lru_cache(maxsize=8)
def _analysed(board: Board, solve: SolveOptions) -> Analysis:
    return analyse_with(board, solve)


def analysed(seen: Seen, solve: SolveOptions) -> Analysis:
    """Return the odds of a board that was seen."""
    return _analysed(seen.board, solve.or_mines(seen.mines))


def _risk(solution: Solution, chosen: tuple[Position, ...]) -> float | None:
    """Probability that any of the tiles held a mine; None where it is not known."""
    each = [float(solution.probability[tile]) for tile in chosen]
    if len(each) <= 1 or not any(each):
        return max(each, default=None) if not np.isnan(each).any() else None
    if solution.mines is None or not solution.countable:
        return None
    try:
        return float(risk_of(solution, chosen))
    except VisionsweeperError:  # too wide to count
        return None


def _chosen(move: Move, chance: npt.NDArray[np.float64]) -> Iterator[Position]:
    """Yield the fewest tiles that explain what was opened."""
    opened = np.zeros(move.board.cells.shape, dtype=np.bool_)
    for tile in move.opened:
        opened[tile] = True
    areas, alone = openings(move.board, opened)
    for area in areas:
        yield min(area, key=lambda tile: float(np.nan_to_num(chance[tile], nan=2.0)))
    yield from alone


def _state(board: Board, mines: int | None) -> State:
    cells = board.cells
    if (cells == MINE).any():
        return "lost"
    covered = int(board.covered.sum())
    return "won" if mines is not None and covered == mines and not board.continues else "playing"
