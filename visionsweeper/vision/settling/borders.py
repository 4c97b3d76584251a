"""Whether a board ends before its cut does: what lies beside it may continue its lattice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED, SIDES, Board, Side, count_around, lines_from
from visionsweeper.geometry import Grid
from visionsweeper.vision.reading import Reading
from visionsweeper.vision.settling.open_ends import wanting_numbers

_DOUBTED: Final = 0.5
"""Share of the tiles of a line in doubt from which it may be none of the board."""

_MORE: Final = 1.5
"""How much more in doubt than most of the board a tile has to be to count: an odd theme is so as a whole."""

_LONE: Final = 0.75
"""Share of the tiles of a doubted line that are like none of another line, from which it is no board's."""

_LONE_ELSEWHERE: Final = 0.25
"""Share of all other tiles that may be like no other then: of 1,088 lines 14 are so, none of them doubted."""

_COUNTED: Final = 0.75
"""Share of the digits 1 to 8 that are where they belong if a line numbers the rows or columns."""

_FIRST_COUNTED: Final = 5
"""Digits, from 1 on, that all have to be there: beside an opened 4 no outer tile has five mines around it."""

_FEWEST_COUNTED: Final = 4
"""Digits that a shorter line has to have: then the 4 is in a corner, which has three neighbours."""

_KNOWN: Final = 0.5
"""Share of the tiles of blank outer lines that have to look like other blanks to be page."""

_SOME: Final = 2
"""Tiles that bear out that the blanks beside them are page: one might be misread."""

_IMPOSSIBLE: Final = 0.5
"""Share of impossible numbers in an outer line from which it is none of the board."""

_FEWEST_IMPOSSIBLE: Final = 3
"""How many impossible numbers such a line has to have, since single tiles may be misread."""


def ending_before(reading: Reading, *, rows: bool, columns: bool, alike: bool = True) -> Grid:
    """Return the grid without outer lines of tiles that are none: they hold most of the doubt, or count up.

    Displays and buttons in a row above the board may continue its lattice, so may numbers and letters of
    rows and columns; read as tiles, most of them are doubted while the board itself is read surely or while
    they alone have looks that are found nowhere else, or are blanks that show what no others do. `rows` and
    `columns` say which may be taken off, one at each side.
    Where lines are page that is ruled like the board (see `_page`), these alone are taken off. `alike`:
    whether they have to look like blanks of the board.
    """
    grid, asked = reading.grid, _asked(rows, columns)
    if not asked:
        return grid
    page = _page(reading, asked, alike=alike)
    if page:
        return _without(grid, page)
    certain = _counted(reading, _asked(rows, columns, reading.board.continues))
    certain |= reading.headers.aligned.intersection(asked)
    unsure = _unsure(reading)
    doubted = _doubted_sides(reading, unsure, _asked(rows and grid.rows > 2, columns and grid.columns > 2))
    certain |= {side for side in doubted if _unlike_others(lines_from(side, reading.groups))}
    off = certain | set(doubted)
    for side in certain:
        lines_from(side, unsure)[0] = True
    rest = unsure[
        "top" in off : grid.rows - ("bottom" in off), "left" in off : grid.columns - ("right" in off)
    ]
    if not rest.size or 2 * int(rest.sum()) >= int(unsure.sum()) or rest.mean() > _DOUBTED:
        return _without(grid, certain)
    return _without(grid, off)


def without_page(reading: Reading, *, rows: bool, columns: bool, alike: bool) -> Grid:
    """Return the grid without outer lines of page that is ruled like the board.

    `rows` and `columns` say which may be taken off; `alike`: whether they have to look like blanks of it.
    """
    return _without(reading.grid, _page(reading, _asked(rows, columns), alike=alike))


def without_headers(reading: Reading, columns: int | None, rows: int | None) -> tuple[Grid, ...]:
    """Return the grid without as many outer lines as it has too many: headers, and the most doubted.

    `columns` and `rows`: how many the board has, as the user said; None where nothing was said. Of such an
    axis the first grid keeps all lines; a second, where that is another, none that is a header or mostly
    doubted. Both have lines too many where not enough are so.
    """
    grid, headed, unsure = reading.grid, reading.headers.aligned, _unsure(reading)
    first: set[Side] = set()
    second: set[Side] = set()
    for sides, has, told in ((SIDES[:2], grid.columns, columns), (SIDES[2:], grid.rows, rows)):
        doubt = _doubted_sides(reading, unsure, sides)
        doubt |= dict.fromkeys(headed.intersection(sides), 1.0)
        by_doubt = sorted(doubt, key=lambda side: -doubt[side])
        first |= set(by_doubt[: 0 if told is None else has - told])
        second |= set(by_doubt if told is None else by_doubt[: has - told])
    return tuple(_without(grid, off) for off in ([first] if first == second else [first, second]))


def _unsure(reading: Reading) -> npt.NDArray[np.bool_]:
    """(rows, columns) which tiles are in doubt, and more so than most of the board."""
    doubt = 1.0 - reading.confidence
    unsure: npt.NDArray[np.bool_] = reading.uncertain & (doubt > _MORE * np.median(doubt))
    return unsure


def _doubted_sides(
    reading: Reading, unsure: npt.NDArray[np.bool_], asked: tuple[Side, ...]
) -> dict[Side, float]:
    """Return the sides asked for whose outermost line is mostly unsure, unless all of it is covered tiles.

    With each the share of its tiles that is. `unsure`: (rows, columns), as `_unsure` tells.
    """
    closed = reading.board.cells == COVERED
    doubt = {side: float(lines_from(side, unsure)[0].mean()) for side in asked}
    return {
        side: share
        for side, share in doubt.items()
        if share > _DOUBTED and not lines_from(side, closed)[0].all()
    }


def speak_against(reading: Reading, *, rows: bool, columns: bool) -> bool:
    """Tell whether the rules of the game say that an outer line of tiles is page, or no part of the board.

    Outer lines of opened blanks beside covered tiles are page that is ruled like the board: a game opens all
    tiles around a blank one, but for flags. Nor are covered outer lines beside _SOME blanks a part of the
    board: these would have opened them. And a line is none of the board if most of its tiles show numbers
    larger than the mines that there can be around them, unless the board goes on there beyond the picture.
    Nor is one whose blanks show signs that no others do. `rows` and `columns` say of which it is asked.
    """
    asked = _asked(rows, columns)
    if not asked:
        return False
    cells, large = reading.board.cells, wanting_numbers(reading.board)
    blank, covered = cells == 0, cells == COVERED
    page = any(lines_from(side, covered)[run].any() for side, run in _lines_of(blank, asked).items())
    shut = _lines_of(covered, asked).items()
    ring = any(lines_from(side, blank)[run].sum() >= _SOME for side, run in shut)
    closed = _asked(rows, columns, reading.board.continues)
    impossible = any(_is_impossible(lines_from(side, large)[0]) for side in closed)
    signs = reading.headers.sides.intersection(asked)
    return bool(page or ring or impossible or signs)


def _asked(rows: bool, columns: bool, open_sides: tuple[Side, ...] = ()) -> tuple[Side, ...]:
    """Return the sides at which outer lines are asked for, the first two along the columns."""
    asked = {"left": columns, "right": columns, "top": rows, "bottom": rows}
    return tuple(side for side in SIDES if asked[side] and side not in open_sides)


def _without(grid: Grid, lines: Iterable[Side]) -> Grid:
    """Return the grid without an outer line each time a side is named; itself if hardly any were left."""
    off = Counter(lines)
    x = slice(off["left"], grid.columns + 1 - off["right"])
    y = slice(off["top"], grid.rows + 1 - off["bottom"])
    if not off or x.stop - x.start < 2 or y.stop - y.start < 2:
        return grid
    return Grid(grid.x[x], grid.y[y])


def _page(reading: Reading, sides: tuple[Side, ...], *, alike: bool) -> Counter[Side]:
    """How many outer lines at each of the sides are page that is ruled like the board.

    Lines of opened blanks, up to one with _SOME tiles, read surely, that a game leaves beside no blank:
    covered ones, mines, and flags on what some number needs as a mine, since a wrong flag stays there. Where
    other sides have more of them, one will do: a sheet is all around.
    `alike`: only lines of blanks most of which look like others of the board; covered tiles that were misread
    would not.
    """
    blank, left = reading.board.cells == 0, never_beside_blanks(reading)
    runs = _lines_of(blank, sides)
    known = np.isin(reading.groups, reading.groups[blank & ~_within(runs, blank.shape)])
    beside = {side: int(lines_from(side, left)[run].sum()) for side, run in runs.items()}
    fewest = 1 if sum(beside.values()) > _SOME else _SOME
    return Counter(
        {
            side: run
            for side, run in runs.items()
            if beside[side] >= fewest and (not alike or lines_from(side, known)[:run].mean() > _KNOWN)
        }
    )


def outer_blanks(board: Board) -> npt.NDArray[np.bool_]:
    """(rows, columns) which tiles lie in outer lines of opened blanks alone, which may be page."""
    blank = board.cells == 0
    return _within(_lines_of(blank, SIDES), blank.shape)


def _within(runs: dict[Side, int], shape: tuple[int, ...]) -> npt.NDArray[np.bool_]:
    """Which tiles of a board of this shape, (rows, columns), lie in so many outer lines at these sides."""
    within = np.zeros(shape, np.bool_)
    for side, run in runs.items():
        lines_from(side, within)[:run] = True
    return within


def _lines_of(kind: npt.NDArray[np.bool_], sides: tuple[Side, ...]) -> dict[Side, int]:
    """Return the sides with outer lines of tiles of a kind alone, and how many; none where all are of it."""
    runs = {side: int(lines_from(side, kind).all(axis=1).argmin()) for side in sides}
    return {side: run for side, run in runs.items() if run}


def never_beside_blanks(reading: Reading) -> npt.NDArray[np.bool_]:
    """(rows, columns) which tiles are covered, shown mines, or flags that a number needs; none in doubt."""
    board = reading.board
    room = count_around(board.covered | board.shown_mines) + board.unseen_around
    needed = count_around(board.numbers & (board.cells > 0) & (board.cells == room)) > 0
    never = (board.covered & (~board.flags | needed)) | board.shown_mines
    return np.asarray(never & ~reading.uncertain)


def _is_impossible(large: npt.NDArray[np.bool_]) -> bool:
    """Tell whether so many numbers of a line, (n,), are too large that it is none of the board."""
    return int(large.sum()) >= _FEWEST_IMPOSSIBLE and bool(large.mean() > _IMPOSSIBLE)


def _unlike_others(groups: npt.NDArray[np.intp]) -> bool:
    """Tell whether the first of (n, m) lines has looks that no other line has, as signs do, and most have."""
    line, rest = groups[0], groups[1:]
    lone = np.bincount(rest.ravel())[rest] == 1
    return bool((~np.isin(line, rest)).mean() >= _LONE and lone.mean() <= _LONE_ELSEWHERE)


def _counted(reading: Reading, sides: tuple[Side, ...]) -> set[Side]:
    """Return the sides at which a line numbers the board's rows or columns.

    Where both are numbered, the corner is empty, and each line counts from its second tile on.
    """
    digits = reading.votes.argmax(axis=1)[reading.groups]
    return {side for side in sides if _counts_up(lines_from(side, digits)[0])}


def _counts_up(digits: npt.NDArray[np.intp]) -> bool:
    """Tell whether a line of tiles, (n,) classes, counts up from 0 or 1, at once or from the second tile."""
    for first in (-1, 0, 1):
        expected = np.arange(first, first + len(digits))
        hits = (digits == expected)[(expected >= 1) & (expected <= 8)]
        if len(hits) >= _FEWEST_COUNTED and hits.mean() >= _COUNTED and hits[:_FIRST_COUNTED].all():
            return True
    return False
