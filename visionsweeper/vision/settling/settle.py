"""The reading that is given: under which of several cuts of a picture, and how much of it is in doubt."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.errors import NoBoardFound
from visionsweeper.geometry import Grid
from visionsweeper.vision.detection.locate import Location, described
from visionsweeper.vision.reading import Reading
from visionsweeper.vision.settling.borders import outer_blanks
from visionsweeper.vision.settling.doubts import with_doubts
from visionsweeper.vision.settling.numbered import numbered_tiles
from visionsweeper.vision.settling.open_ends import cut_sides_not_told, read_open_ended
from visionsweeper.vision.settling.outer_lines import (
    grid_without_outer_lines,
    spoken_against,
    with_enclosed_lines,
    with_lines_beside,
    with_outer_lines,
    without_outer_lines,
)
from visionsweeper.vision.settling.plausibility import (
    covered_differ,
    mostly_covered,
    no_board_error,
    why_no_board,
)
from visionsweeper.vision.settling.reader import (
    MOST_UNSURE,
    Reader,
    a_few,
    judged,
    sharpened,
    sure_more_than_unsure,
    untouched,
)
from visionsweeper.vision.settling.several import only_board
from visionsweeper.vision.settling.sharpen import refitted, same_board
from visionsweeper.vision.settling.sheet import covers_page, in_sheet
from visionsweeper.vision.settling.told_size import of_told_size
from visionsweeper.vision.tiles.solvability import conflict_of

_LATTICES: Final = 8
"""Places considered in whose lattices numbers of rows and columns are looked for where none convinces."""


def settle(image: npt.NDArray[np.uint8], place: Location, read: Reader, number: int | None = None) -> Reading:
    """Read the board at its place in the (H, W, 3) uint8 RGB picture.

    Where the borders leave the cut in doubt, the reading chooses among several; where much of it is in doubt,
    a part of what was cut may be the board, in a sheet that is ruled like it.

    All tiles are doubted where the borders do not convince, unless most tiles are read surely and the board
    is seen in the blurred picture or fills a crop of the told size; where the rules say that an outer line is
    no part of the board; and where what is read looks like no board, or, in a place that was told, like no
    covered tiles. `number` says which of several boards is meant, from 1 in reading order. Raises
    NoBoardFound when what was found is no board, or there are fewer than `number`, SeveralBoards when there
    is more than one and no number.
    """
    if place.others:
        return only_board(image, place, read, number)
    if number is not None and number > 1:
        raise NoBoardFound(f"board {number} was asked for, but only {described([place.grid])} found")
    numbered = _of_numbered(image, place, read)
    if numbered is not None:
        reading, sure = numbered
        return replace(with_doubts(image, place, reading, read, everywhere=not sure), guessed=not sure)
    reading, sure = _of_whole(image, place, read)
    whole, why = reading, why_no_board(image, reading)
    told = place.wanted.told or place.wanted.box is not None or bool(read.continues)
    page = not told and covers_page(image, reading)
    doubtful = page or why is not None or reading.uncertain.mean() > MOST_UNSURE
    part = in_sheet(image, place, reading, read, proven=not doubtful) if doubtful or not sure else None
    if part is not None:
        reading, sure = part
    sure = sure and not page
    if read.continues is None:
        reading = read_open_ended(image, place, reading, read)
    if sure:
        # A header that the numbers beside it speak against looks like a side where the board goes on.
        ends = read.continues is not None or grid_without_outer_lines(reading, place) is reading.grid
        sure = ends and not spoken_against(reading, place)
    if reading is not whole:
        why = why_no_board(image, reading)
    reason = None if place.as_told else why
    unlikely = reason is not None or (place.as_told and covered_differ(image, reading))
    answer = with_doubts(image, place, reading, read, everywhere=not sure or unlikely)
    convincing = place.convincing and part is None
    answer = replace(answer, guessed=not convincing and not place.as_told and not sure)
    if reason is not None and not place.convincing:
        raise no_board_error(reading.grid, reason, answer)
    return answer


def _of_whole(image: npt.NDArray[np.uint8], place: Location, read: Reader) -> tuple[Reading, bool]:
    """Read a board as a whole; say whether its borders or the reading tell that it is one, and all of it."""
    if place.convincing:
        return _of_convincing(image, place, read)
    if place.contrary is not None and not place.wanted.fits(place.grid):
        return of_told_size(image, place, read, place.contrary)
    reading = _of_unproven(image, place, read)
    # Covered tiles alone bear nothing out: noisy squared paper looks the same.
    told = same_board(place.grid, reading.grid) and not untouched(reading)
    borne_out = told and sure_more_than_unsure(reading) > 0
    return reading, borne_out and (place.blurred or _fills_crop(image, place, reading))


def _of_convincing(image: npt.NDArray[np.uint8], place: Location, read: Reader) -> tuple[Reading, bool]:
    """Read a board whose borders convince; say whether the reading bears out that it ends there."""

    def on(cut: Grid) -> tuple[Reading, bool]:
        sides = read.continues
        reading = read.read(cut, cut_sides_not_told(image, place, cut) if sides is None else sides)
        shorter = without_outer_lines(reading, place, read)
        if shorter is None:
            return reading, True
        return shorter, shorter is not reading and sure_more_than_unsure(shorter) > 0

    best = on(sharpened(image, place, place.grid))
    if best[0].uncertain.mean() > MOST_UNSURE:
        # Borders may convince where they are a little off: then the looks of the tiles tell better.
        cut = refitted(image, place.grid)
        if cut is not place.grid:
            best = max(best, on(cut), key=lambda each: sure_more_than_unsure(each[0]))
    reading, borne_out = best
    longer = with_outer_lines(image, place, reading, read)
    return longer, borne_out and longer is reading


def _of_numbered(image: npt.NDArray[np.uint8], place: Location, read: Reader) -> tuple[Reading, bool] | None:
    """Read the first board whose rows and columns are numbered; say whether the numbers or borders prove it.

    None without such a board, or where it is denied. Numbers of the columns alone tell what is above a board,
    not where it lies and ends: so they are asked of the likeliest place only, and prove nothing.
    The reading denies it where much of it is in doubt, where it contradicts itself or looks like no board, or
    where rules or signs say that an outer line is none of it: a spreadsheet numbers its cells too, around a
    board as well. Where a box is given nothing is asked.
    """
    if place.wanted.box is not None:
        return None
    others = () if place.convincing else [each.grid for each in place.considered[:_LATTICES]]
    under_header = None
    for grid in (place.grid, *place.rivals, *others):
        tiles = numbered_tiles(image, grid)
        if tiles is None or not place.wanted.fits(tiles.grid):
            continue
        if tiles.complete:
            reading = read(sharpened(image, place, tiles.grid))
            return None if _denies_numbers(image, place, reading) else (reading, True)
        if grid is place.grid and "top" not in (read.continues or ()):
            under_header = tiles.grid
    if under_header is None:
        return None
    reading = read(sharpened(image, place, under_header))
    if read.continues is None:
        reading = read_open_ended(image, place, reading, read)
    return None if _denies_numbers(image, place, reading) else (reading, place.convincing)


def _denies_numbers(image: npt.NDArray[np.uint8], place: Location, reading: Reading) -> bool:
    """Tell whether the reading of a board speaks against the numbers that told of it."""
    if reading.uncertain.mean() > MOST_UNSURE or conflict_of(reading.board):
        return True
    return why_no_board(image, reading) is not None or spoken_against(reading, place)


def _fills_crop(image: npt.NDArray[np.uint8], place: Location, reading: Reading) -> bool:
    """Tell whether what fills the picture or box, and is as wide or high as told, is all of a board.

    More has to speak for it than against, though a side or a line of it does not convince, unless the user
    told all; it must not contradict itself, nor may a board of another size be likelier.
    """
    if not place.as_told or place.contrary is not None or mostly_covered(reading):
        return False
    known, wanted = judged(place, reading.grid), place.wanted
    likely = wanted.complete or (known is not None and known.score > 0)
    return likely and reading.grid.fills(wanted.frame(image.shape)) and not conflict_of(reading.board)


def _of_unproven(image: npt.NDArray[np.uint8], place: Location, read: Reader) -> Reading:
    """Read the likeliest of the places whose borders do not convince. Raises NoBoardFound: see `contrary`."""
    if place.contrary is None:
        sharper = sharpened(image, place, place.grid)
        cuts = [place.grid]
        cuts += [grid for grid in (sharper, refitted(image, sharper)) if grid not in cuts]
        readings = (read(grid) for grid in a_few((*cuts, *place.rivals)))
        whole = (without_outer_lines(reading, place, read) or reading for reading in readings)

        def sureness(reading: Reading) -> tuple[bool, int, float]:
            # Whatever is small or has no opened tile is a board if the user says so.
            unlikely = covered_differ(image, reading) if place.as_told else bool(why_no_board(image, reading))
            # Of outer lines of opened blanks nothing tells that they are no page.
            page = outer_blanks(reading.board) & ~reading.uncertain
            sure = sure_more_than_unsure(reading) - int(page.sum())
            return not unlikely, sure, float(reading.confidence.mean())

        longer = with_lines_beside(image, place, max(whole, key=sureness), read)
        return with_enclosed_lines(image, place, longer, read)
    for grid in (place.grid, *place.rivals):
        reading = read(sharpened(image, place, grid))
        if not conflict_of(reading.board):
            return reading
    raise place.contrary
