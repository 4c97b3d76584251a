"""Outer lines that a board lacks, or that are none of it, as far as its reading tells."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED, SIDES, Side, lines_from
from visionsweeper.geometry import Grid
from visionsweeper.vision.detection.candidates import BEYOND_DOUBT, Candidate
from visionsweeper.vision.detection.centred import centred
from visionsweeper.vision.detection.enclosed import enclosed
from visionsweeper.vision.detection.locate import Location
from visionsweeper.vision.detection.missed_tiles import with_line
from visionsweeper.vision.reading import Reading
from visionsweeper.vision.settling.borders import ending_before, speak_against, without_page
from visionsweeper.vision.settling.open_ends import FEWEST_WANTING, wanting_numbers
from visionsweeper.vision.settling.reader import MOST_UNSURE, Reader, judged
from visionsweeper.vision.tiles.solvability import conflict_of

_MOST_ASKED_BESIDE: Final = 2_000
"""Tiles of a board up to which it is read again with more lines."""

_MOST_CHANGED: Final = 0.1
"""Share of a board's tiles that may be read otherwise without its outer lines."""

_ALIKE: Final = 0.75
"""Share of the tiles added to a board that look like others of it."""

_FEWEST_NUMBERS: Final = 3
"""Numbers in a line beside a board that show it to be one of its own."""


def with_outer_lines(
    image: npt.NDArray[np.uint8], place: Location, reading: Reading, read: Reader
) -> Reading:
    """Return the reading with the outer lines that its cut lacks; the same where it lacks none."""
    for longer in (with_lines_beside, with_blank_lines, with_enclosed_lines):
        reading = longer(image, place, reading, read)
    return reading


def with_lines_beside(
    image: npt.NDArray[np.uint8], place: Location, reading: Reading, read: Reader
) -> Reading:
    """Return the reading with an outer line more at each side where one shows.

    It shows in numbers that are read surely. Where opened tiles have no borders, these may be all that tells
    of a line, or those beside it, which want mines that are nowhere without it. Beside a board that convinces
    covered tiles that all look like its own are such a line too, unless the rules forbid them; but sides
    where it ends beyond doubt are not asked. Numbers of rows and columns are no tiles. Nothing is asked of
    very large boards: each side costs as much as the board itself.
    """
    many = reading.uncertain.size > _MOST_ASKED_BESIDE
    if place.wanted.box is not None or many or reading.uncertain.mean() > MOST_UNSURE:
        return reading
    height, width = image.shape[:2]
    may_go_on = _may_go_on(place, judged(place, reading.grid) if place.convincing else None)
    for number, side in enumerate(SIDES):
        longer = with_line(reading.grid, number)
        seen = longer.x[0] >= 0 and longer.y[0] >= 0 and longer.x[-1] <= width and longer.y[-1] <= height
        if not may_go_on[number] or not seen:
            continue
        more = read(longer)
        shown = _shows_numbers(more, side) or (place.convincing and _shows_more_covered(more, side))
        shown = shown or _shows_wanted_mines(reading, more, side)
        if shown and grid_without_outer_lines(more, place) is more.grid and not conflict_of(more.board):
            reading = more
    return reading


def with_blank_lines(
    image: npt.NDArray[np.uint8], place: Location, reading: Reading, read: Reader
) -> Reading:
    """Return the reading with the blank lines that bring the board into the middle of the frame around it.

    Opened tiles without borders look like the ground beside them: then the frame alone may tell where they
    end. At sides where the board ends beyond doubt nothing is asked.
    """
    known = judged(place, reading.grid)
    if place.wanted.box is not None or known is None or reading.uncertain.mean() > MOST_UNSURE:
        return reading
    left, right, top, bottom = (-1.0 if may else 1.0 for may in _may_go_on(place, known))
    longer = centred(image, reading.grid, (left, right, top, bottom))
    if longer is reading.grid:
        return reading
    more = read(longer)
    blank = more.board.cells == 0
    added = _added(reading.grid, longer)
    like_others = np.isin(more.groups[added], more.groups[blank & ~added]).all()
    return more if blank[added].all() and like_others and not conflict_of(more.board) else reading


def with_enclosed_lines(
    image: npt.NDArray[np.uint8], place: Location, reading: Reading, read: Reader
) -> Reading:
    """Return the reading with the outer lines that fill the frame around the board.

    Most of them are read surely and look like other tiles of the board; where it has no blank tile, they may
    be the first. At sides where the board ends beyond doubt nothing is asked, nor of very large boards.
    """
    many = reading.uncertain.size > _MOST_ASKED_BESIDE
    if place.wanted.box is not None or many or reading.uncertain.mean() > MOST_UNSURE:
        return reading
    asked = _may_go_on(place, judged(place, reading.grid))
    for longer in enclosed(image, reading.grid, asked):
        more = read(longer)
        if _belong(reading, more) and not conflict_of(more.board) and not spoken_against(more, place):
            return more
    return reading


def _may_go_on(place: Location, known: Candidate | None) -> list[bool]:
    """Tell for each of SIDES whether a board may go on there: its end is neither told nor beyond doubt.

    `known`: what the search says of the board; None where it says nothing.
    """
    return [
        not place.wanted.tells(side) and (known is None or known.sides[number] < BEYOND_DOUBT)
        for number, side in enumerate(SIDES)
    ]


def _added(grid: Grid, longer: Grid) -> npt.NDArray[np.bool_]:
    """(rows, columns) which tiles of a longer grid are none of the grid that it continues."""
    x, y = place_in(longer.x, grid.x), place_in(longer.y, grid.y)
    added = np.ones((longer.rows, longer.columns), np.bool_)
    added[y : y + grid.rows, x : x + grid.columns] = False
    return added


def _belong(reading: Reading, longer: Reading) -> bool:
    """Tell whether most tiles that a longer reading adds look like others of the board and are sure."""
    added = _added(reading.grid, longer.grid)
    blank = longer.board.cells == 0
    alike = np.isin(longer.groups[added], longer.groups[~added])
    alike |= blank[added] & ~blank[~added].any()
    return bool(alike.mean() >= _ALIKE and longer.uncertain[added].mean() <= MOST_UNSURE)


def _shows_numbers(reading: Reading, side: Side) -> bool:
    """Tell whether the outermost line at a side has numbers read surely, and hardly a tile in doubt."""
    sure = (reading.board.cells > 0) & reading.board.numbers & ~reading.uncertain
    numbers, unsure = (lines_from(side, each)[0] for each in (sure, reading.uncertain))
    return bool(numbers.sum() >= _FEWEST_NUMBERS and unsure.mean() <= MOST_UNSURE)


def _shows_wanted_mines(reading: Reading, longer: Reading, side: Side) -> bool:
    """Tell whether numbers at a side want mines for which there is no room, and a line more there has it.

    With it they are read surely, as hardly a tile of the line is not.
    """
    wanting = lines_from(side, wanting_numbers(reading.board))[0]
    still, unsure = (lines_from(side, each) for each in (wanting_numbers(longer.board), longer.uncertain))
    settled = wanting & ~still[1] & ~unsure[1]
    return bool(settled.sum() >= FEWEST_WANTING and unsure[0].mean() <= MOST_UNSURE)


def _shows_more_covered(reading: Reading, side: Side) -> bool:
    """Tell whether the outermost line at a side is read surely as covered tiles that others look like."""
    covered = (reading.board.cells == COVERED) & ~reading.uncertain
    groups = lines_from(side, reading.groups)
    return bool(lines_from(side, covered)[0].all() and np.isin(groups[0], groups[1:]).all())


def without_outer_lines(reading: Reading, place: Location, read: Reader) -> Reading | None:
    """Return the reading without outer lines that are none of the board, as far as that has a solution.

    None where there are no such lines. Without those of one axis, those of the other may show better, and so
    may page that is ruled like the board.
    """
    grid = reading.grid
    shorter = grid_without_outer_lines(reading, place)
    if shorter is grid:
        return None
    without = read_shorter(reading, shorter, read)
    if without is None:
        return reading
    rows, columns = _asked(place)
    same_rows, same_columns = shorter.rows == grid.rows, shorter.columns == grid.columns
    sheet = without_page(without, rows=rows, columns=columns, alike=place.convincing)
    if sheet is not without.grid:
        without = read_shorter(without, sheet, read) or without
    rows, columns = rows and same_rows, columns and same_columns
    again = ending_before(without, rows=rows, columns=columns, alike=place.convincing)
    further = None if again is without.grid else read_shorter(without, again, read)
    shown = (each for each in (further, without) if each is not None)
    return next((each for each in shown if not conflict_of(each.board)), reading)


def read_shorter(reading: Reading, shorter: Grid, read: Reader) -> Reading | None:
    """Return the reading of a part of the board that was read; None where it is read otherwise.

    Without a line of the board, tiles beside it may be taken for others: then numbers that miss its mines
    contradict nothing.
    """
    without = read(shorter)
    row, column = place_in(reading.grid.y, shorter.y), place_in(reading.grid.x, shorter.x)
    before = reading.board.cells[row : row + shorter.rows, column : column + shorter.columns]
    changed = float((before != without.board.cells).mean())
    return None if changed > _MOST_CHANGED else without


def place_in(edges: npt.NDArray[np.float64], part: npt.NDArray[np.float64]) -> int:
    """Return at which tile along an axis a part of a board begins, given the edges of both."""
    return int(np.abs(edges - part[0]).argmin())


def grid_without_outer_lines(reading: Reading, place: Location) -> Grid:
    """Return the grid of the reading without outer lines that are none of the board, where no size was given.

    Blank lines beside covered tiles may be such tiles, misread, where the borders say that they are tiles.
    """
    rows, columns = _asked(place)
    return ending_before(reading, rows=rows, columns=columns, alike=place.convincing)


def spoken_against(reading: Reading, place: Location) -> bool:
    """Tell whether rules or signs say that an outer line is none of the board, where no size was given."""
    rows, columns = _asked(place)
    return speak_against(reading, rows=rows, columns=columns)


def _asked(place: Location) -> tuple[bool, bool]:
    """Tell whether outer rows, and columns, may be none of the board: not those whose number was given."""
    return place.wanted.rows is None, place.wanted.columns is None
