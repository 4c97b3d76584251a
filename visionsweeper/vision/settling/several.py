"""The board that is meant, of several in one picture."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from visionsweeper.errors import NoBoardFound, SeveralBoards
from visionsweeper.vision.detection.candidates import same_pitch
from visionsweeper.vision.detection.locate import Location, described
from visionsweeper.vision.reading import Reading
from visionsweeper.vision.settling.doubts import with_doubts
from visionsweeper.vision.settling.outer_lines import spoken_against
from visionsweeper.vision.settling.plausibility import no_board_error, why_no_board
from visionsweeper.vision.settling.reader import Reader, sharpened, untouched
from visionsweeper.vision.settling.sharpen import same_board


def only_board(image: npt.NDArray[np.uint8], place: Location, read: Reader, number: int | None) -> Reading:
    """Return the reading of the one place that holds a board, or of the one that is meant.

    All of it is doubted where the borders of that place do not convince.
    """
    unproven = [each.grid for each in place.others if not each.convincing]
    cuts = (place.grid, *(each.grid for each in place.others))
    readings = [read(sharpened(image, place, grid)) for grid in cuts]
    reasons = [why_no_board(image, reading) for reading in readings]
    boards = [reading for reading, reason in zip(readings, reasons, strict=True) if reason is None]
    # Covered tiles alone bear nothing out: patterns look the same. Boards of one game have tiles of one size.
    played = [board.grid for board in boards if not untouched(board)]
    if played and number is None:
        boards = [
            board
            for board in boards
            if not untouched(board) or any(same_pitch(board.grid, grid) for grid in played)
        ]
    boards = _in_reading_order(boards)
    grids = [board.grid for board in boards]
    if number is not None and number > len(boards) > 0:
        raise NoBoardFound(f"board {number} was asked for, but only {described(grids)} found")
    if boards and (len(boards) == 1 or number is not None):
        board = boards[(number or 1) - 1]
        unsure = any(same_board(board.grid, grid) for grid in unproven)
        return with_doubts(image, place, board, read, everywhere=unsure or spoken_against(board, place))
    if boards:
        raise SeveralBoards(
            f"{described(grids)} found in the picture: say which one with --board 1 to {len(grids)}, "
            "or with --box",
            tuple((grid.columns, grid.rows, grid.box) for grid in grids),
        )
    raise no_board_error(place.grid, reasons[0] or "")


def _in_reading_order(boards: Iterable[Reading]) -> list[Reading]:
    """Return the boards row by row: one that begins above the middle of the first of a row is in that row."""
    rows: list[list[Reading]] = []
    for board in sorted(boards, key=lambda board: board.box[1]):
        first = rows[-1][0].box if rows else None
        if first is not None and board.box[1] < (first[1] + first[3]) / 2:
            rows[-1].append(board)
        else:
            rows.append([board])
    return [board for row in rows for board in sorted(row, key=lambda board: board.box[0])]
