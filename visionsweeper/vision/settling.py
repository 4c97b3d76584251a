"""The reading that is given: under which of several cuts of a picture, and how much of it is in doubt."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED, SIDES, Side, lines_from
from visionsweeper.errors import NoBoardFound, SeveralBoards
from visionsweeper.geometry import Box, Grid
from visionsweeper.vision.borders import (
    ending_before,
    outer_blanks,
    speak_against,
    without_headers,
    without_page,
)
from visionsweeper.vision.detection.candidates import BEYOND_DOUBT, Candidate, same_pitch
from visionsweeper.vision.detection.centred import centred
from visionsweeper.vision.detection.locate import Location, described, named
from visionsweeper.vision.detection.missed_tiles import with_line
from visionsweeper.vision.numbered import numbered_tiles
from visionsweeper.vision.open_ends import (
    FEWEST_WANTING,
    cropped_roughly,
    strained_sides,
    wanting_numbers,
    wanting_sides,
)
from visionsweeper.vision.part_tiles import HALF, cut_sides, in_view, sides_with_parts, with_part_tiles
from visionsweeper.vision.plausibility import covered_differ, why_no_board
from visionsweeper.vision.reading import Reading
from visionsweeper.vision.sharpen import refitted, same_board, sharpest
from visionsweeper.vision.tiles.solvability import conflict_of

_MOST_ASKED_BESIDE: Final = 2_000
"""Tiles of a board up to which it is read again with a line more at each side."""

_MOST_TILES: Final = 4_000
"""Tiles that are read at most to choose among several cuts: more than those of five boards of 30x24.

Of patterns and noise with more, hardly anything is a board, and to read them all takes long.
"""

_MOST_CHANGED: Final = 0.1
"""Share of a board's tiles that may be read otherwise without the header beside it."""

_FEWEST_NUMBERS: Final = 3
"""Numbers in a line beside a board that show it to be one of its own."""

_MOST_UNSURE: Final = 0.25
"""Share of the tiles of a line beside a board, and of the board itself, that may be in doubt."""

_AS_SURE: Final = 1.25
"""How many times as doubtful as a board of another size one of the told size may be.

Of 130 crops divided evenly into one or two columns too many or too few, those without a contradiction are
four times as doubtful or more; candidates with a column of page, beside boards in doubt, 1.8 times.
"""

_AS_WIDE: Final = 0.25
"""How far from the sides of the picture or box a board ends at most that is as wide, tiles."""

_LATTICES: Final = 8
"""Places considered in whose lattices numbers of rows and columns are looked for where none convinces."""

_DOUBT: Final = 0.5
"""Confidence of what may be no tile."""


@dataclass(frozen=True)
class Reader:
    """Reads the board under a grid."""

    read: Callable[[Grid, tuple[Side, ...]], Reading]
    """Takes the grid, and the sides where the board goes on beyond the picture."""
    continues: tuple[Side, ...] | None = None
    """These sides as the user told them; None where nothing was said of it."""

    def __call__(self, grid: Grid) -> Reading:
        """Return what is read there."""
        return self.read(grid, self.continues or ())


def settle(image: npt.NDArray[np.uint8], place: Location, read: Reader, number: int | None = None) -> Reading:
    """Read the board at its place in the (H, W, 3) uint8 RGB picture.

    Where the borders leave the cut in doubt, the reading chooses among several.

    All tiles are doubted where the borders do not convince (or do so in the blurred picture alone, and most
    tiles are not read surely), where the rules say that an outer line is no part of the board, or where what
    is read looks like no board, or, in a place that was told, like no covered tiles. `number` says which of
    several boards is meant, from 1 in reading order. Raises NoBoardFound when what was found is no board, or
    there are fewer than `number`, SeveralBoards when there is more than one and no number.
    """
    if place.others:
        return _only_board(image, place, read, number)
    if number is not None and number > 1:
        raise NoBoardFound(f"board {number} was asked for, but only {described([place.grid])} found")
    numbered = _of_numbered(image, place, read)
    if numbered is not None:
        reading, sure = numbered
        return replace(_with_doubts(image, place, reading, everywhere=not sure), guessed=not sure)
    if place.convincing:
        reading, sure = _of_convincing(image, place, read)
    elif place.contrary is not None and not place.wanted.fits(place.grid):
        reading, sure = _of_told_size(image, place, read, place.contrary), True
    else:
        reading = _of_unproven(image, place, read)
        # Covered tiles alone bear nothing out: noisy squared paper looks the same.
        told = same_board(place.grid, reading.grid) and not _untouched(reading)
        borne_out = told and _sure_more_than_unsure(reading) > 0
        sure = place.blurred and borne_out
    if read.continues is None:
        reading = _open_ended(image, place, reading, read)
    if sure:
        # A header that the numbers beside it speak against looks like a side where the board goes on.
        ends = read.continues is not None or _ending(reading, place) is reading.grid
        sure = ends and not _spoken_against(reading, place)
    reason = None if place.as_told else why_no_board(image, reading)
    unlikely = reason is not None or (place.as_told and covered_differ(image, reading))
    answer = _with_doubts(image, place, reading, everywhere=not sure or unlikely)
    answer = replace(answer, guessed=not place.convincing and not place.as_told and not sure)
    if reason is not None and not place.convincing:
        raise _no_board(reading.grid, reason, answer)
    return answer


def _of_convincing(image: npt.NDArray[np.uint8], place: Location, read: Reader) -> tuple[Reading, bool]:
    """Read a board whose borders convince; say whether the reading bears out that it ends there."""

    def on(cut: Grid) -> tuple[Reading, bool]:
        sides = read.continues
        reading = read.read(cut, _sides_cut(image, place, cut) if sides is None else sides)
        shorter = _without_header(reading, place, read)
        if shorter is None:
            return reading, True
        return shorter, shorter is not reading and _sure_more_than_unsure(shorter) > 0

    best = on(_sharpened(image, place, place.grid))
    if best[0].uncertain.mean() > _MOST_UNSURE:
        # Borders may convince where they are a little off: then the looks of the tiles tell better.
        cut = refitted(image, place.grid)
        if cut is not place.grid:
            best = max(best, on(cut), key=lambda each: _sure_more_than_unsure(each[0]))
    reading, borne_out = best
    longer = _with_lines_beside(image, place, reading, read)
    longer = _with_blank_lines(image, place, longer, read)
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
            reading = read(_sharpened(image, place, tiles.grid))
            return None if _denies_numbers(image, place, reading) else (reading, True)
        if grid is place.grid and "top" not in (read.continues or ()):
            under_header = tiles.grid
    if under_header is None:
        return None
    reading = read(_sharpened(image, place, under_header))
    if read.continues is None:
        reading = _open_ended(image, place, reading, read)
    return None if _denies_numbers(image, place, reading) else (reading, place.convincing)


def _denies_numbers(image: npt.NDArray[np.uint8], place: Location, reading: Reading) -> bool:
    """Tell whether the reading of a board speaks against the numbers that told of it."""
    if reading.uncertain.mean() > _MOST_UNSURE or conflict_of(reading.board):
        return True
    return why_no_board(image, reading) is not None or _spoken_against(reading, place)


def _of_told_size(
    image: npt.NDArray[np.uint8], place: Location, read: Reader, contrary: NoBoardFound
) -> Reading:
    """Read the board of the told size where one of another size was found.

    It is that one without headers around it, or one of the cuts as told that is read as surely, or nearly.
    Raises `contrary` without one.
    """
    wanted = place.wanted
    other = read(_sharpened(image, place, place.grid))
    found = []
    for grid in without_headers(other, wanted.columns, wanted.rows):
        reading = _kept(other, grid, read) if wanted.fits(grid) else None
        if reading is not None and not conflict_of(reading.board):
            found.append(_without_header(reading, place, read) or reading)
    best = max(found, key=_sure_more_than_unsure, default=None)
    if best is not None and _sure_more_than_unsure(best) > 0:
        return best
    _, *rivals = _a_few((place.grid, *place.rivals))
    cuts = [_sharpened(image, place, grid) for grid in rivals]
    readings = [read(cut) for cut in cuts if not _denied_by_borders(image, place, cut, other)]
    as_told = [_without_header(reading, place, read) or reading for reading in readings]
    boards = [each for each in as_told if not conflict_of(each.board) and why_no_board(image, each) is None]
    best = min(boards, key=_mean_doubt, default=None)
    if best is None or _mean_doubt(best) > _AS_SURE * _mean_doubt(other):
        raise contrary
    return best


def _denied_by_borders(image: npt.NDArray[np.uint8], place: Location, cut: Grid, other: Reading) -> bool:
    """Tell whether a cut differs from another board only in lines of which the borders tell, not the reading.

    A part of a board is read as surely as all of it, and a line of page may look like covered tiles. But
    where the cut is as wide as the picture or box, or the other board contradicts itself, some were missed.
    """
    if not same_pitch(cut, other.grid):
        return False
    if cut.rows * cut.columns <= other.grid.rows * other.grid.columns:
        return True
    left, _, right, _ = _frame(image, place)
    as_wide = max(abs(cut.x[0] - left), abs(cut.x[-1] - right)) < _AS_WIDE * cut.pitch_x
    return not (as_wide or conflict_of(other.board))


def _mean_doubt(reading: Reading) -> float:
    """How likely a tile is misread, in the mean."""
    return float(1.0 - reading.confidence.mean())


def _of_unproven(image: npt.NDArray[np.uint8], place: Location, read: Reader) -> Reading:
    """Read the likeliest of the places whose borders do not convince. Raises NoBoardFound: see `contrary`."""
    if place.contrary is None:
        sharpened = _sharpened(image, place, place.grid)
        cuts = [place.grid]
        cuts += [grid for grid in (sharpened, refitted(image, sharpened)) if grid not in cuts]
        readings = (read(grid) for grid in _a_few((*cuts, *place.rivals)))
        whole = (_without_header(reading, place, read) or reading for reading in readings)

        def sureness(reading: Reading) -> tuple[int, bool]:
            # Of outer lines of opened blanks nothing tells that they are no page.
            page = outer_blanks(reading.board) & ~reading.uncertain
            return _sure_more_than_unsure(reading) - int(page.sum()), why_no_board(image, reading) is None

        return _with_lines_beside(image, place, max(whole, key=sureness), read)
    for grid in (place.grid, *place.rivals):
        reading = read(_sharpened(image, place, grid))
        if not conflict_of(reading.board):
            return reading
    raise place.contrary


def _with_lines_beside(
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
    if place.wanted.box is not None or many or reading.uncertain.mean() > _MOST_UNSURE:
        return reading
    height, width = image.shape[:2]
    known = _judged(place, reading.grid) if place.convincing else None
    for number, side in enumerate(SIDES):
        longer = with_line(reading.grid, number)
        seen = longer.x[0] >= 0 and longer.y[0] >= 0 and longer.x[-1] <= width and longer.y[-1] <= height
        settled = known is not None and known.sides[number] >= BEYOND_DOUBT
        if settled or not (seen and _not_told(side, place)):
            continue
        more = read(longer)
        shown = _shows_numbers(more, side) or (place.convincing and _shows_more_covered(more, side))
        shown = shown or _shows_wanted_mines(reading, more, side)
        if shown and _ending(more, place) is more.grid and not conflict_of(more.board):
            reading = more
    return reading


def _with_blank_lines(
    image: npt.NDArray[np.uint8], place: Location, reading: Reading, read: Reader
) -> Reading:
    """Return the reading with the blank lines that bring the board into the middle of the frame around it.

    Opened tiles without borders look like the ground beside them: then the frame alone may tell where they
    end. At sides where the board ends beyond doubt nothing is asked.
    """
    known = _judged(place, reading.grid)
    if place.wanted.box is not None or known is None or reading.uncertain.mean() > _MOST_UNSURE:
        return reading
    left, right, top, bottom = (
        -1.0 if odds < BEYOND_DOUBT and _not_told(side, place) else 1.0
        for side, odds in zip(SIDES, known.sides, strict=True)
    )
    longer = centred(image, reading.grid, (left, right, top, bottom))
    if longer is reading.grid:
        return reading
    more = read(longer)
    x, y = _place_in(longer.x, reading.grid.x), _place_in(longer.y, reading.grid.y)
    blank = more.board.cells == 0
    added = np.ones(blank.shape, np.bool_)
    added[y : y + reading.grid.rows, x : x + reading.grid.columns] = False
    like_others = np.isin(more.groups[added], more.groups[blank & ~added]).all()
    return more if blank[added].all() and like_others and not conflict_of(more.board) else reading


def _shows_numbers(reading: Reading, side: Side) -> bool:
    """Whether some numbers are read surely in the outermost line at a side, and hardly a tile is in doubt."""
    sure = (reading.board.cells > 0) & reading.board.numbers & ~reading.uncertain
    numbers, unsure = (lines_from(side, each)[0] for each in (sure, reading.uncertain))
    return bool(numbers.sum() >= _FEWEST_NUMBERS and unsure.mean() <= _MOST_UNSURE)


def _shows_wanted_mines(reading: Reading, longer: Reading, side: Side) -> bool:
    """Whether numbers at a side want more mines than there is room for, and a line more there has it.

    With it they are read surely, as hardly a tile of the line is not.
    """
    wanting = lines_from(side, wanting_numbers(reading.board))[0]
    still, unsure = (lines_from(side, each) for each in (wanting_numbers(longer.board), longer.uncertain))
    settled = wanting & ~still[1] & ~unsure[1]
    return bool(settled.sum() >= FEWEST_WANTING and unsure[0].mean() <= _MOST_UNSURE)


def _shows_more_covered(reading: Reading, side: Side) -> bool:
    """Whether the outermost line at a side is read surely as covered tiles that others look like."""
    covered = (reading.board.cells == COVERED) & ~reading.uncertain
    groups = lines_from(side, reading.groups)
    return bool(lines_from(side, covered)[0].all() and np.isin(groups[0], groups[1:]).all())


def _a_few(grids: Iterable[Grid]) -> Iterator[Grid]:
    """Yield the first of the grids, and of the others as many as have _MOST_TILES with it."""
    tiles = 0
    for grid in grids:
        tiles += grid.rows * grid.columns
        if tiles > _MOST_TILES and tiles > grid.rows * grid.columns:
            return
        yield grid


def _without_header(reading: Reading, place: Location, read: Reader) -> Reading | None:
    """Return the reading without outer lines that are none of the board, as far as that has a solution.

    None where there are no such lines. Without those of one axis, those of the other may show better, and so
    may page that is ruled like the board.
    """
    grid = reading.grid
    shorter = _ending(reading, place)
    if shorter is grid:
        return None
    without = _kept(reading, shorter, read)
    if without is None:
        return reading
    rows, columns = _asked(place)
    same_rows, same_columns = shorter.rows == grid.rows, shorter.columns == grid.columns
    sheet = without_page(without, rows=rows, columns=columns, alike=place.convincing)
    if sheet is not without.grid:
        without = _kept(without, sheet, read) or without
    rows, columns = rows and same_rows, columns and same_columns
    again = ending_before(without, rows=rows, columns=columns, alike=place.convincing)
    further = None if again is without.grid else _kept(without, again, read)
    shown = (each for each in (further, without) if each is not None)
    return next((each for each in shown if not conflict_of(each.board)), reading)


def _kept(reading: Reading, shorter: Grid, read: Reader) -> Reading | None:
    """Return the reading of a part of the board that was read; None where it is read otherwise.

    Without a line of the board, tiles beside it may be taken for others: then numbers that miss its mines
    contradict nothing.
    """
    without = read(shorter)
    row, column = _place_in(reading.grid.y, shorter.y), _place_in(reading.grid.x, shorter.x)
    before = reading.board.cells[row : row + shorter.rows, column : column + shorter.columns]
    changed = float((before != without.board.cells).mean())
    return None if changed > _MOST_CHANGED else without


def _place_in(edges: npt.NDArray[np.float64], part: npt.NDArray[np.float64]) -> int:
    """At which tile along an axis a part of a board begins, given the edges of both."""
    return int(np.abs(edges - part[0]).argmin())


def _ending(reading: Reading, place: Location) -> Grid:
    """Return the grid of the reading without outer lines that are none of the board, where no size was given.

    Blank lines beside covered tiles may be such tiles, misread, where the borders say that they are tiles.
    """
    rows, columns = _asked(place)
    return ending_before(reading, rows=rows, columns=columns, alike=place.convincing)


def _spoken_against(reading: Reading, place: Location) -> bool:
    """Whether rules or signs say that an outer line is none of the board, where no size was given."""
    rows, columns = _asked(place)
    return speak_against(reading, rows=rows, columns=columns)


def _asked(place: Location) -> tuple[bool, bool]:
    """Whether outer rows, and columns, may be none of the board: not those whose number was given."""
    return place.wanted.rows is None, place.wanted.columns is None


def _open_ended(image: npt.NDArray[np.uint8], place: Location, reading: Reading, read: Reader) -> Reading:
    """Read the board once more where it goes on beyond the picture, which nobody told.

    It does at sides where tiles are cut off, and where the picture ends between two tiles if the numbers
    there need more mines than are in view. Of an axis whose size was given nothing is asked.
    """
    if place.wanted.box is not None or not place.convincing:
        return reading
    shape = image.shape[:2]
    if place.wanted.told:
        # The sharpened cut may tell more of the part tiles than the one that was found.
        longer = with_part_tiles(image, reading.grid, place.wanted.columns, place.wanted.rows)
        if longer is not None and (longer.columns, longer.rows) != (reading.grid.columns, reading.grid.rows):
            reading = read(longer)
    grid = reading.grid
    cut = set(_sides_cut(image, place, grid))
    strained = {side for side in strained_sides(reading, shape) if _not_told(side, place)} - cut
    if strained:
        open_ended = read.read(grid, _in_order(cut | strained))
        wanting = strained & set(wanting_sides(open_ended))
        if wanting == strained:
            return open_ended
        cut |= wanting
    sides = _in_order(cut)
    return reading if reading.board.continues == sides else read.read(grid, sides)


def _sides_cut(image: npt.NDArray[np.uint8], place: Location, grid: Grid) -> tuple[Side, ...]:
    """Return the sides at which the picture cuts through tiles, of the axes whose size was not given."""
    if place.wanted.box is not None:
        return ()
    cut = set(cut_sides(image, grid))
    if not cropped_roughly(grid, image.shape):
        cut |= set(sides_with_parts(grid, image.shape))
    return _in_order({side for side in cut if _not_told(side, place)})


def _not_told(side: Side, place: Location) -> bool:
    given = place.wanted.columns if side in {"left", "right"} else place.wanted.rows
    return given is None


def _in_order(sides: set[Side]) -> tuple[Side, ...]:
    return tuple(side for side in SIDES if side in sides)


def _sharpened(image: npt.NDArray[np.uint8], place: Location, grid: Grid) -> Grid:
    """Return the truest of the cuts of a board whose borders convince."""
    return sharpest(image, grid, (each.grid for each in place.considered), _frame(image, place))


def _frame(image: npt.NDArray[np.uint8], place: Location) -> Box:
    """Return the box that the user gave, px, or the whole picture."""
    return place.wanted.box or (0.0, 0.0, float(image.shape[1]), float(image.shape[0]))


def _sure_more_than_unsure(reading: Reading) -> int:
    """Count the tiles that are read surely, less the others: the true cut has the most, nearly always."""
    return int((~reading.uncertain).sum()) - int(reading.uncertain.sum())


def _only_board(image: npt.NDArray[np.uint8], place: Location, read: Reader, number: int | None) -> Reading:
    """Return the reading of the one place that holds a board, or of the one that is meant.

    All of it is doubted where the borders of that place do not convince.
    """
    unproven = [each.grid for each in place.others if not each.convincing]
    cuts = (place.grid, *(each.grid for each in place.others))
    readings = [read(_sharpened(image, place, grid)) for grid in cuts]
    reasons = [why_no_board(image, reading) for reading in readings]
    boards = [reading for reading, reason in zip(readings, reasons, strict=True) if reason is None]
    # Covered tiles alone bear nothing out: patterns look the same. Boards of one game have tiles of one size.
    played = [board.grid for board in boards if not _untouched(board)]
    if played and number is None:
        boards = [
            board
            for board in boards
            if not _untouched(board) or any(same_pitch(board.grid, grid) for grid in played)
        ]
    boards = _in_reading_order(boards)
    grids = [board.grid for board in boards]
    if number is not None and number > len(boards) > 0:
        raise NoBoardFound(f"board {number} was asked for, but only {described(grids)} found")
    if boards and (len(boards) == 1 or number is not None):
        board = boards[(number or 1) - 1]
        unsure = any(same_board(board.grid, grid) for grid in unproven)
        return _with_doubts(image, place, board, everywhere=unsure or _spoken_against(board, place))
    if boards:
        raise SeveralBoards(
            f"{described(grids)} found in the picture: say which one with --board 1 to {len(grids)}, "
            "or with --box",
            tuple((grid.columns, grid.rows, grid.box) for grid in grids),
        )
    raise _no_board(place.grid, reasons[0] or "")


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


def _untouched(reading: Reading) -> bool:
    """Whether nothing but covered tiles was read."""
    return bool((reading.board.cells == COVERED).all())


def _no_board(grid: Grid, reason: str, guess: Reading | None = None) -> NoBoardFound:
    return NoBoardFound(
        f"no board was found: the likeliest place, {named(grid)}, is probably not one: {reason} "
        f"(if it is one, crop the picture to it and give --width {grid.columns})",
        guess,
    )


def _with_doubts(
    image: npt.NDArray[np.uint8], place: Location, reading: Reading, *, everywhere: bool = False
) -> Reading:
    """Return the reading with its tiles doubted that are cut or hidden, or all of them."""
    return doubted(reading, image.shape[:2], _hidden(place, reading.grid) | everywhere)


def _hidden(place: Location, grid: Grid) -> npt.NDArray[np.bool_]:
    """(rows, columns) whether a cell looks like no tile, as where a message or a menu lies over it."""
    known = _judged(place, grid)
    if known is None or not known.convincing:
        return np.zeros((grid.rows, grid.columns), np.bool_)
    return known.cells < 0


def _judged(place: Location, grid: Grid) -> Candidate | None:
    """Return the likeliest of what the search considered that is this board, convincing ones first."""
    return next((each for each in place.considered if same_board(each.grid, grid)), None)


def doubted(reading: Reading, shape: tuple[int, ...], hidden: npt.NDArray[np.bool_] | None = None) -> Reading:
    """Lower the confidence in (rows, columns) `hidden` tiles, and in those that a picture of `shape` cuts."""
    doubtful = cut_off(reading.grid, shape)
    if hidden is not None:
        doubtful |= hidden
    if not doubtful.any():
        return reading
    confidence = np.where(doubtful, np.minimum(reading.confidence, _DOUBT), reading.confidence)
    confidence.setflags(write=False)
    return replace(reading, confidence=confidence)


def cut_off(grid: Grid, shape: tuple[int, ...]) -> npt.NDArray[np.bool_]:
    """(rows, columns) whether less than half of a tile lies in a picture of (height, width) px."""
    across, down = ~in_view(grid.x, shape[1], HALF), ~in_view(grid.y, shape[0], HALF)
    outer = np.zeros((grid.rows, grid.columns), np.bool_)
    outer[:, [0, -1]] |= across[[0, -1]]
    outer[[0, -1]] |= down[[0, -1], None]
    return outer
