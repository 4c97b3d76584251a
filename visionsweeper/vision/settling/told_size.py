"""The board of the told size where one of another size was found."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.errors import NoBoardFound
from visionsweeper.geometry import Grid
from visionsweeper.vision.detection.candidates import Wanted, same_pitch
from visionsweeper.vision.detection.locate import Location
from visionsweeper.vision.reading import Reading
from visionsweeper.vision.settling.borders import without_headers
from visionsweeper.vision.settling.outer_lines import read_shorter, with_outer_lines, without_outer_lines
from visionsweeper.vision.settling.plausibility import why_no_board
from visionsweeper.vision.settling.reader import (
    Reader,
    a_few,
    judged,
    sharpened,
    sure_more_than_unsure,
)
from visionsweeper.vision.settling.sheet import in_sheet
from visionsweeper.vision.tiles.solvability import conflict_of

_AS_SURE: Final = 1.25
"""How many times as doubtful as a board of another size one of the told size may be.

Of 130 crops divided evenly into one or two columns too many or too few, those without a contradiction are
four times as doubtful or more; candidates with a column of page, beside boards in doubt, 1.8 times.
"""

_AS_WIDE: Final = 0.25
"""How far from the sides of the picture or box a board ends at most that is as wide, tiles."""


def of_told_size(
    image: npt.NDArray[np.uint8], place: Location, read: Reader, contrary: NoBoardFound
) -> tuple[Reading, bool]:
    """Read the board of the told size where one of another size was found; say whether it is sure to be one.

    It is that one without headers around it or with outer lines that it lacks; or one of the cuts as told
    that is read as surely, or nearly; or the board in a sheet, which may be doubtful. Raises `contrary`
    without one.
    """
    wanted = place.wanted
    other = read(sharpened(image, place, place.grid))
    found = []
    for grid in without_headers(other, wanted.columns, wanted.rows):
        reading = read_shorter(other, grid, read) if wanted.fits(grid) else None
        if reading is not None and not conflict_of(reading.board):
            found.append(without_outer_lines(reading, place, read) or reading)
    longer = _with_lines_it_lacks(image, place, other, read)
    if longer is not other and wanted.fits(longer.grid):
        found.append(longer)
    best = max(found, key=sure_more_than_unsure, default=None)
    if best is not None and sure_more_than_unsure(best) > 0:
        return best, True
    _, *rivals = a_few((place.grid, *place.rivals))
    cuts = [sharpened(image, place, grid) for grid in rivals]
    readings = [read(cut) for cut in cuts if not _denied_by_borders(image, place, cut, other)]
    as_told = [without_outer_lines(reading, place, read) or reading for reading in readings]
    boards = [each for each in as_told if not conflict_of(each.board) and why_no_board(image, each) is None]
    best = min(boards, key=_mean_doubt, default=None)
    if best is not None and _mean_doubt(best) <= _AS_SURE * _mean_doubt(other):
        return best, True
    part = in_sheet(image, place, other, read, proven=False)
    if part is None:
        raise contrary
    return part


def _with_lines_it_lacks(
    image: npt.NDArray[np.uint8], place: Location, other: Reading, read: Reader
) -> Reading:
    """Return a board of another size with the outer lines that it lacks, as if these were not told.

    That what tells of lines agrees with what was told is proof. Its borders have to convince in the picture.
    """
    known = judged(place, place.grid)
    wanted, grid = place.wanted, other.grid
    too_large = grid.columns > (wanted.columns or grid.columns) or grid.rows > (wanted.rows or grid.rows)
    if too_large or known is None or known.blurred or not known.convincing:
        return other
    agreed = Wanted(
        grid.columns if wanted.columns == grid.columns else None,
        grid.rows if wanted.rows == grid.rows else None,
        wanted.box,
    )
    return with_outer_lines(image, replace(place, wanted=agreed, convincing=True), other, read)


def _denied_by_borders(image: npt.NDArray[np.uint8], place: Location, cut: Grid, other: Reading) -> bool:
    """Tell whether a cut differs from another board only in lines of which the borders tell, not the reading.

    A part of a board is read as surely as all of it, and a line of page may look like covered tiles. But
    where the cut is as wide as the picture or box, or the other board contradicts itself, some were missed.
    """
    if not same_pitch(cut, other.grid):
        return False
    if cut.rows * cut.columns <= other.grid.rows * other.grid.columns:
        return True
    left, _, right, _ = place.wanted.frame(image.shape)
    as_wide = max(abs(cut.x[0] - left), abs(cut.x[-1] - right)) < _AS_WIDE * cut.pitch_x
    return not (as_wide or conflict_of(other.board))


def _mean_doubt(reading: Reading) -> float:
    """How likely a tile is misread, in the mean."""
    return float(1.0 - reading.confidence.mean())
