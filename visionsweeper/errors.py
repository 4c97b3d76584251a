"""The exception family: every class carries the exit status of the command line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, TypeAlias

BoardPlace: TypeAlias = tuple[int, int, tuple[float, float, float, float]]
"""Columns, rows and x0, y0, x1, y1 in pixels of a board in a picture."""


UNEXPECTED: Final = 1
"""Exit status of an error that should not be."""


class VisionsweeperError(Exception):
    """An error with a known cause; its message says what to do."""

    exit_status = UNEXPECTED
    kind = "error"
    """Short machine-readable name, the `error.kind` of the JSON output."""


def kind_of(error: Exception) -> str:
    """Return the `error.kind` of the JSON output for any error."""
    return error.kind if isinstance(error, VisionsweeperError) else "unexpected"


def status_of(error: BaseException) -> int:
    """Return the exit status for any error."""
    return error.exit_status if isinstance(error, VisionsweeperError) else UNEXPECTED


class InvalidInput(VisionsweeperError):
    """The input is not a readable image or board."""

    exit_status = 3
    kind = "invalid_input"


class Unreachable(InvalidInput):
    """A file could not be fetched, but another try may succeed."""


class DamagedTheme(UserWarning):
    """A learned theme that cannot be read; pictures are read without it."""


class NoBoardFound(VisionsweeperError):
    """No board in the image, or the given size does not fit it."""

    exit_status = 4
    kind = "no_board"

    def __init__(self, message: str, guess: object | None = None) -> None:
        super().__init__(message)
        self.guess = guess
        """The reading of the likeliest place, all its tiles uncertain; None if nothing was read."""

    considered: tuple[Any, ...] = ()
    """What the search considered (`vision.detection.candidates.Candidate`), the likeliest first."""


class SeveralBoards(NoBoardFound):
    """Several boards are in the image, and it was not said which one to read."""

    kind = "several_boards"

    def __init__(self, message: str, boards: tuple[BoardPlace, ...] = ()) -> None:
        super().__init__(message)
        self.boards = boards
        """The boards in reading order; the option `board` takes the number of one, from 1."""


class ImpossibleBoard(VisionsweeperError):
    """No placement of mines satisfies the board (base of the three ways it can happen)."""

    exit_status = 5
    kind = "impossible"


class InconsistentBoard(ImpossibleBoard):
    """Numbers contradict each other."""

    kind = "contradiction"

    def __init__(self, message: str, conflict: Iterable[tuple[int, int]], *, alone: bool = False) -> None:
        super().__init__(message)
        self.conflict: tuple[tuple[int, int], ...] = tuple(sorted(conflict))
        """(row, column) of the contradictory numbers: all that are impossible by themselves, or if none is,
        a few that contradict each other, but not without any one of them."""
        self.alone = alone
        """Whether each number of the conflict is impossible by itself."""


class ImpossibleMineCount(ImpossibleBoard):
    """The numbers are possible, but not with this mine count."""

    def __init__(self, message: str, least: int, most: int) -> None:
        super().__init__(message)
        self.least = least
        """Fewest mines that fit."""
        self.most = most
        """Most mines that fit."""


class TooFewMines(ImpossibleMineCount):
    """The mine count is below the least that the numbers need."""

    kind = "too_few_mines"


class TooManyMines(ImpossibleMineCount):
    """The mine count is above the most that fits."""

    kind = "too_many_mines"


class TooWide(VisionsweeperError):
    """The frontier is too wide to count exactly within the limit on memory and time."""

    exit_status = 5
    kind = "too_wide"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.safe: tuple[tuple[int, int], ...] = ()
        """(row, column) of tiles that are certainly safe by single numbers."""
        self.mine: tuple[tuple[int, int], ...] = ()
        """(row, column) of tiles that are certainly mines by single numbers."""
        self.limit: Any = None
        """The `solver.Limit` that the count had; None if it was refused before."""


class WriteFailed(VisionsweeperError):
    """An output could not be written."""

    exit_status = 6
    kind = "write_failed"


class WorkersLost(VisionsweeperError):
    """The worker processes or the cluster that did the work are gone."""

    kind = "workers_lost"


class BadModel(VisionsweeperError):
    """A model file is missing, damaged or of another version."""

    exit_status = 7
    kind = "bad_model"


class NothingToUndo(VisionsweeperError):
    """There is no step that could be undone, or redone."""

    exit_status = 2
    kind = "nothing_to_undo"


class Doubtful(VisionsweeperError):
    """Tiles are uncertain where that is not allowed; all results were written."""

    exit_status = 8
    kind = "doubtful"

    @classmethod
    def about(cls, tiles: int) -> Doubtful:
        """Return the error for a number of doubted tiles."""
        doubted = "1 tile was" if tiles == 1 else f"{tiles} tiles were"
        return cls(f"{doubted} read with doubt, which --strict does not allow: check the outlined tiles")
