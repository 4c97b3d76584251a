"""A board in a sheet that is ruled like it, such as a spreadsheet: most of what was cut is empty page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Final, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED, SIDES, count_around, lines_from
from visionsweeper.geometry import Grid
from visionsweeper.vision.cutting import cut_tiles
from visionsweeper.vision.detection.candidates import CONVINCING
from visionsweeper.vision.detection.locate import Location
from visionsweeper.vision.reading import Reading
from visionsweeper.vision.settling.borders import never_beside_blanks
from visionsweeper.vision.settling.outer_lines import place_in, spoken_against, without_outer_lines
from visionsweeper.vision.settling.plausibility import why_no_board
from visionsweeper.vision.settling.reader import MOST_UNSURE, Reader, a_few, judged, sure_more_than_unsure
from visionsweeper.vision.tiles.solvability import conflict_of

_Cells: TypeAlias = tuple[int, int, int, int]
"""Left, top, right and bottom of a part of a sheet, in cells."""

_CELL: Final = 12
"""Pixels along a cell that is looked at; of these two at each side are not, which may be lines."""

_EMPTY: Final = 12
"""Difference from the page's colour up to which a pixel is page, gray levels."""

_FEWEST_EMPTY: Final = 2
"""Sides at which the outer line of a sheet is empty: a board may have one such line."""

_SPARSE: Final = 1 / 4
"""Share of the cells of an outer line with something drawn up to which it may be none of the board."""

_MOST: Final = 1 / 2
"""Share of the tiles along a side of an island beyond which most are covered."""

_FEWEST: Final = 4
"""Lines along each axis that a board in a sheet has."""


def in_sheet(
    image: npt.NDArray[np.uint8], place: Location, reading: Reading, read: Reader, *, proven: bool
) -> tuple[Reading, bool] | None:
    """Read the board in a sheet that was read as a whole; say whether the sheet proves where the board ends.

    It is the first part that is proven, or else, unless only a `proven` one will do, the part with the most
    tiles read surely. None where what was read is no sheet, where no part of it is read surely and without a
    contradiction, and where a box or sides beyond the picture were told. `image`: (H, W, 3) uint8 RGB.
    """
    if place.wanted.box is not None or read.continues:
        return None
    sheet = reading.grid
    drawn = _drawn(image, sheet)
    ends = _borders(image, place, sheet)
    grids = (Grid(sheet.x[x0 : x1 + 1], sheet.y[y0 : y1 + 1]) for x0, y0, x1, y1 in _parts(drawn))
    found = []
    for grid in a_few(grid for grid in grids if place.wanted.fits(grid)):
        board = _board(image, place, grid, read)
        if board is None:
            continue
        if _ends_in(drawn, sheet, board, ends):
            return board, True
        found.append(board)
    if proven or not found:
        return None
    return max(found, key=sure_more_than_unsure), False


def covers_page(image: npt.NDArray[np.uint8], reading: Reading) -> bool:
    """Tell whether covered tiles were read both along the sides of a board and in the empty page beside it.

    Then the two look unlike each other, which covered tiles of one game do not: what stands out from these is
    the opened part of a board, which has numbers along its sides. Only an island that has no empty cell tells
    so, of which most tiles are covered along each side that page lies beside. `image`: (H, W, 3) uint8 RGB.
    """
    covered = reading.board.cells == COVERED
    # The outermost row or column may number the others.
    if sum(lines_from(side, covered)[:2].all(axis=1).any() for side in SIDES) < _FEWEST_EMPTY:
        return False
    drawn = _drawn(image, reading.grid)
    rows, columns = drawn.shape
    page, shut = np.pad(covered & ~drawn, 1), np.pad(covered & drawn, 1)
    for left, top, rest in _in_page(drawn):
        island = next(_islands(rest), None)
        if island is None:
            continue
        x0, y0, x1, y1 = _moved(_dense(rest, island), left, top)
        if min(x1 - x0, y1 - y0) < _FEWEST or not drawn[y0:y1, x0:x1].all():
            continue
        ends = (x0 > 0, x1 < columns, y0 > 0, y1 < rows)
        inside, around = shut[y0 : y1 + 2, x0 : x1 + 2], page[y0 : y1 + 2, x0 : x1 + 2]
        touch = [(lines_from(side, inside)[1] & lines_from(side, around)[0])[1:-1] for side in SIDES]
        if all(side.mean() > _MOST for side, ended in zip(touch, ends, strict=True) if ended):
            return True
    return False


def _board(image: npt.NDArray[np.uint8], place: Location, grid: Grid, read: Reader) -> Reading | None:
    """Read a part of a sheet; None where it is no board, or not one that ends there."""
    part = read(grid)
    part = without_outer_lines(part, place, read) or part
    if (
        part.uncertain.mean() > MOST_UNSURE
        or conflict_of(part.board)
        or why_no_board(image, part) is not None
    ):
        return None
    # A game would have opened such tiles: something beside the board was taken for a part of it.
    shut = never_beside_blanks(part) & (count_around(part.board.cells == 0) > 0)
    return None if shut.any() or spoken_against(part, place) else part


def _parts(drawn: npt.NDArray[np.bool_]) -> Iterator[_Cells]:
    """Yield the parts of a sheet that may be the board, if the outer lines of two sides or more are empty."""
    seen = {(0, 0, drawn.shape[1], drawn.shape[0])}
    for left, top, rest in _in_page(drawn):
        for island in _islands(rest):
            for part in (_moved(island, left, top), _moved(_dense(rest, island), left, top)):
                x0, y0, x1, y1 = part
                if min(x1 - x0, y1 - y0) >= _FEWEST and part not in seen:
                    seen.add(part)
                    yield part


def _in_page(drawn: npt.NDArray[np.bool_]) -> Iterator[tuple[int, int, npt.NDArray[np.bool_]]]:
    """Yield a sheet, with and without its first column and row, where two sides or more are empty.

    These may number the others. With each comes how many columns and rows were taken off.
    """
    for top, left in product((0, 1), (0, 1)):
        rest = drawn[top:, left:]
        if min(rest.shape) < _FEWEST:
            continue
        if sum(not lines_from(side, rest)[0].any() for side in SIDES) >= _FEWEST_EMPTY:
            yield left, top, rest


def _moved(part: _Cells, right: int, down: int) -> _Cells:
    x0, y0, x1, y1 = part
    return x0 + right, y0 + down, x1 + right, y1 + down


def _islands(drawn: npt.NDArray[np.bool_]) -> Iterator[_Cells]:
    """Yield the box of the largest island of what is drawn on a sheet, then with the nearest, and so on."""
    _, _, stats, _ = cv2.connectedComponentsWithStats(drawn.astype(np.uint8), connectivity=8)
    islands = sorted(stats[1:].tolist(), key=lambda island: -island[4])
    boxes: list[_Cells] = [(x, y, x + across, y + down) for x, y, across, down, _ in islands]
    if not boxes:
        return
    part = boxes.pop(0)

    def apart(box: _Cells) -> int:
        return max(box[0] - part[2], part[0] - box[2], box[1] - part[3], part[1] - box[3])

    yield part
    while boxes:
        left, top, right, bottom = boxes.pop(boxes.index(min(boxes, key=apart)))
        x0, y0, x1, y1 = part
        part = (min(x0, left), min(y0, top), max(x1, right), max(y1, bottom))
        yield part


def _dense(drawn: npt.NDArray[np.bool_], part: _Cells) -> _Cells:
    """Return a part of a sheet without outer lines where hardly anything is drawn, such as counters."""
    x0, y0, x1, y1 = part
    while (shown := drawn[y0:y1, x0:x1]).size:
        sparse = [lines_from(side, shown)[0].mean() <= _SPARSE for side in SIDES]
        if not any(sparse):
            break
        x0, x1, y0, y1 = x0 + sparse[0], x1 - sparse[1], y0 + sparse[2], y1 - sparse[3]
    return x0, y0, x1, y1


def _drawn(image: npt.NDArray[np.uint8], sheet: Grid) -> npt.NDArray[np.bool_]:
    """(rows, columns) which cells are not all of the page's colour: the median of the outer ones."""
    inner = cut_tiles(image, sheet, _CELL)[:, 2:-2, 2:-2].astype(np.int16)
    colour = np.median(inner, axis=(1, 2)).reshape(sheet.rows, sheet.columns, 3)
    outer = np.concatenate([colour[0], colour[-1], colour[:, 0], colour[:, -1]])
    page = np.median(outer, axis=0)
    differ = np.abs(inner - page).max(axis=(1, 2, 3)) > _EMPTY
    return np.asarray(differ.reshape(sheet.rows, sheet.columns))


def _borders(image: npt.NDArray[np.uint8], place: Location, sheet: Grid) -> list[bool]:
    """Tell for each of SIDES whether a sheet convincingly ends there, not only because the picture does."""
    known = judged(place, sheet)
    if known is None:
        return [False] * len(SIDES)
    height, width = image.shape[:2]
    x0, y0, x1, y1 = sheet.box
    across, down = sheet.pitch_x / 2, sheet.pitch_y / 2
    inside = (x0 >= across, x1 <= width - across, y0 >= down, y1 <= height - down)
    return [seen and odds >= CONVINCING for seen, odds in zip(inside, known.sides, strict=True)]


def _ends_in(drawn: npt.NDArray[np.bool_], sheet: Grid, board: Reading, ends: Sequence[bool]) -> bool:
    """Tell whether at each side of a board empty page lies beside tiles that no opened blank lies beside.

    Or else the sheet ends there, as `ends` tells of its sides.
    """
    row, column = place_in(sheet.y, board.grid.y), place_in(sheet.x, board.grid.x)
    rows, columns = board.grid.rows, board.grid.columns
    around = np.pad(drawn, 1, constant_values=True)[row : row + rows + 2, column : column + columns + 2]
    never = never_beside_blanks(board) & around[1:-1, 1:-1]  # covered tiles may look like the page
    last = (column == 0, column + columns == sheet.columns, row == 0, row + rows == sheet.rows)
    for number, side in enumerate(SIDES):
        page = ~lines_from(side, around)[0]
        beside = page[:-2] & page[1:-1] & page[2:]
        proven = (lines_from(side, never)[0] & beside).any()
        if not proven and not (last[number] and ends[number]):
            return False
    return True
