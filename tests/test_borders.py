"""What continues the lattice of a board beside it is left out."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from visionsweeper.board import COVERED, SIDES, Board, Side
from visionsweeper.geometry import Grid
from visionsweeper.vision.headers import Headers
from visionsweeper.vision.reading import UNCERTAIN_BELOW
from visionsweeper.vision.settling.borders import ending_before, speak_against, without_headers

SIDE = 24


def doubted_at(*tiles: tuple[int, int]) -> Any:
    """What `ending_before` needs of a reading of 5x6 opened tiles, these of them in doubt."""
    unsure = np.zeros((5, 6), np.bool_)
    unsure[tuple(np.array(tiles).T)] = True
    grid = Grid(np.arange(7.0) * SIDE, np.arange(6.0) * SIDE)
    return SimpleNamespace(
        **read_with(np.where(unsure, 0.5, 0.99)),
        grid=grid,
        board=Board(np.ones((5, 6), np.uint8)),
        **looking_like(np.ones((5, 6))),
    )


def read_with(confidence: Any) -> dict[str, Any]:
    """What a reading tells of this confidence, without headers."""
    return {"confidence": confidence, "uncertain": confidence < UNCERTAIN_BELOW, "headers": Headers()}


def looking_like(classes: Any) -> dict[str, Any]:
    """What the prototypes say of tiles that look like these classes, each class being one group."""
    return {"groups": np.asarray(classes, np.intp), "votes": np.eye(14, dtype=np.float32)}


def numbered(rows: str) -> Any:
    """What `ending_before` needs of a reading without doubt of tiles that look like these."""
    digits = np.array([[int(tile) for tile in row] for row in rows.split()])
    grid = Grid(np.arange(digits.shape[1] + 1.0) * SIDE, np.arange(len(digits) + 1.0) * SIDE)
    board = Board(np.ones(digits.shape, np.uint8))
    return SimpleNamespace(
        **read_with(np.full(digits.shape, 0.99)), grid=grid, board=board, **looking_like(digits)
    )


@pytest.mark.parametrize(("outer", "columns"), [(0.3, 5), (0.85, 6)])
def test_of_a_board_that_is_in_doubt_as_a_whole_only_what_is_more_so_is_taken_off(
    outer: float, columns: int
) -> None:
    reading = doubted_at((0, 0))
    confidence = np.full((5, 6), 0.87)
    confidence[:, 0] = outer
    reading.__dict__.update(read_with(confidence))
    assert reading.uncertain.all()
    assert ending_before(reading, rows=True, columns=True).columns == columns
    assert ending_before(reading, rows=True, columns=True).rows == 5
    (told,) = without_headers(reading, columns, None)
    assert (told.columns, told.rows) == (columns, 5)


@pytest.mark.parametrize("turns", range(4))
def test_an_outer_line_that_holds_most_of_the_doubt_is_taken_off(turns: int) -> None:
    reading = doubted_at((0, 0), (0, 2), (0, 3), (0, 5), (3, 2))
    x, y = reading.grid.x, reading.grid.y
    turned: Any = SimpleNamespace(
        **read_with(np.rot90(reading.confidence, turns)),
        grid=Grid(y, x) if turns % 2 else reading.grid,
        board=Board(np.rot90(reading.board.cells, turns).copy()),
        **looking_like(np.rot90(reading.groups, turns)),
    )
    rows, columns = turned.grid.rows, turned.grid.columns
    shorter = ending_before(turned, rows=True, columns=True)
    assert (shorter.rows, shorter.columns) == ((rows - 1, columns) if turns % 2 == 0 else (rows, columns - 1))
    start = SIDE if turns in {0, 1} else 0
    assert (shorter.y if turns % 2 == 0 else shorter.x)[0] == start
    assert ending_before(turned, rows=turns % 2 == 1, columns=turns % 2 == 0) is turned.grid


@pytest.mark.parametrize(
    "tiles",
    [
        ((0, 0), (0, 2), (0, 3)),
        ((0, 0), (0, 2), (0, 3), (0, 5), (2, 2), (2, 3), (3, 1), (3, 4)),
        ((2, 0), (2, 1), (2, 2), (2, 3), (2, 4)),
    ],
    ids=["half of it", "no more than the rest", "not an outer one"],
)
def test_other_doubts_take_off_nothing(tiles: tuple[tuple[int, int], ...]) -> None:
    reading = doubted_at(*tiles)
    assert ending_before(reading, rows=True, columns=True) is reading.grid


@pytest.mark.parametrize(("lone_elsewhere", "rows"), [(2, 4), (12, 5)])
def test_a_doubted_line_of_tiles_that_look_like_no_others_is_taken_off(
    lone_elsewhere: int, rows: int
) -> None:
    """As letters below a board do, whatever else is in doubt; not where many tiles are unlike all others."""
    below = [(4, column) for column in range(6)]
    reading = doubted_at(*below, *((row, 2) for row in range(4)), (0, 0), (0, 5))
    assert ending_before(reading, rows=True, columns=True) is reading.grid
    reading.votes = np.eye(20, 14, dtype=np.float32)
    reading.groups[4] = np.arange(2, 8)
    reading.groups[:4].flat[:lone_elsewhere] = np.arange(8, 8 + lone_elsewhere)
    shorter = ending_before(reading, rows=True, columns=True)
    assert (shorter.rows, shorter.columns) == (rows, 6)
    assert shorter.y[0] == 0
    # A display may show a digit twice; tiles of the board have looks that its other lines have.
    reading.groups[4] = [2, 3, 3, 4, 2, 5]
    assert ending_before(reading, rows=True, columns=True).rows == rows
    reading.groups[4] = [0, 3, 3, 1, 2, 5]
    reading.groups[0, :2] = 0
    assert ending_before(reading, rows=True, columns=True) is reading.grid


def test_numbers_of_rows_and_of_columns_are_taken_off_together() -> None:
    """Each of the two lines holds no more than half of the doubt, both hold nearly all."""
    reading = doubted_at(*((0, column) for column in range(6)), *((row, 0) for row in range(1, 5)), (3, 3))
    shorter = ending_before(reading, rows=True, columns=True)
    assert (shorter.rows, shorter.columns) == (4, 5)
    assert (shorter.x[0], shorter.y[0]) == (SIDE, SIDE)
    assert (shorter.x[-1], shorter.y[-1]) == (reading.grid.x[-1], reading.grid.y[-1])


def test_a_small_board_in_doubt_keeps_its_outer_tiles() -> None:
    reading = doubted_at(*np.ndindex(5, 6))
    assert ending_before(reading, rows=True, columns=True) is reading.grid


def test_an_outer_line_of_covered_tiles_stays() -> None:
    """On an untouched board the outermost tiles may be drawn otherwise, and be in doubt alone."""
    reading = doubted_at((0, 0), (0, 2), (0, 3), (0, 5), (3, 2))
    reading.board = Board(np.where(np.arange(5)[:, None] == 0, COVERED, reading.board.cells).astype(np.uint8))
    assert ending_before(reading, rows=True, columns=True) is reading.grid


def beside(line: str, turns: int) -> Any:
    """What `ending_before` needs of a reading of a line above others, turned so many quarters to the left."""
    tiles = [[int(tile) for tile in row] for row in (line, *("1" * len(line),) * 4)]
    return numbered(" ".join("".join(map(str, row)) for row in np.rot90(tiles, turns).tolist()))


@pytest.mark.parametrize("line", ["012345", "123456", "001234", "0123456111", "0123456781111", "123457781"])
def test_a_line_that_numbers_the_columns_is_taken_off(line: str) -> None:
    """However many columns follow the ninth, and though one digit is taken for another."""
    width = len(line)
    reading = beside(line, 0)
    shorter = ending_before(reading, rows=True, columns=True)
    assert (shorter.rows, shorter.columns, shorter.y[0], shorter.x[0]) == (4, width, SIDE, 0)
    assert ending_before(reading, rows=False, columns=True) is reading.grid
    reading.board = Board(reading.board.cells, ("top",))
    assert ending_before(reading, rows=True, columns=True) is reading.grid


def test_lines_that_count_downwards_may_be_at_either_side() -> None:
    for digits in ("0", "1"):
        lines = [f"{at}{digits * 4}" for at in range(1, 7)]
        left = numbered(" ".join(lines))
        np.testing.assert_array_equal(ending_before(left, rows=False, columns=True).x, left.grid.x[1:])
        right = numbered(" ".join(line[::-1] for line in lines))
        np.testing.assert_array_equal(ending_before(right, rows=False, columns=True).x, right.grid.x[:-1])


@pytest.mark.parametrize("rows", ["123456", "12345 12345"])
def test_lines_are_taken_off_only_where_others_are_left(rows: str) -> None:
    reading = numbered(rows)
    assert ending_before(reading, rows=True, columns=True) is reading.grid


def test_lines_that_number_rows_and_columns_are_taken_off_together() -> None:
    reading = numbered("001234 011111 112111 211211 310011 411111")
    shorter = ending_before(reading, rows=True, columns=True)
    assert (shorter.rows, shorter.columns, shorter.x[0], shorter.y[0]) == (5, 5, SIDE, SIDE)


@pytest.mark.parametrize(
    "line",
    ["012321", "123211", "001232", "112233", "111111", "12341", "012341", "0012341", "123441"],
)
@pytest.mark.parametrize("turns", [0, 1, 3])
def test_numbers_that_boards_show_stay(line: str, turns: int) -> None:
    """Also a 4 after 1, 2 and 3, all of whose other neighbours are mines."""
    reading = beside(line, turns)
    assert ending_before(reading, rows=True, columns=True) is reading.grid


def against(cells: Any, *, rows: bool = True, columns: bool = True, continues: tuple[Side, ...] = ()) -> bool:
    """What the rules say of a reading of these cells."""
    reading: Any = SimpleNamespace(board=Board(cells, continues), headers=Headers())
    return speak_against(reading, rows=rows, columns=columns)


@pytest.mark.parametrize("turns", range(4))
@pytest.mark.parametrize("page", [1, 3])
def test_blank_lines_beside_covered_tiles_are_page(turns: int, page: int) -> None:
    board = ["0" * 6] * page + ["011100", "12?200", "F??100", "122100"]
    cells = np.rot90(Board.from_text("\n".join(board)).cells, turns).copy()
    assert not against(cells)
    board[page:page] = ["?10000"]
    cells = np.rot90(Board.from_text("\n".join(board)).cells, turns).copy()
    assert against(cells)
    assert against(cells, continues=SIDES)
    assert not against(cells, rows=turns % 2 == 1, columns=turns % 2 == 0)
    board[page] = "F10000"  # a flag stays covered beside a blank
    assert not against(np.rot90(Board.from_text("\n".join(board)).cells, turns).copy())


@pytest.mark.parametrize("turns", range(4))
@pytest.mark.parametrize("ring", [1, 2])
def test_covered_lines_beside_blanks_are_no_part_of_the_board(turns: int, ring: int) -> None:
    board = ["?" * 6] * ring + ["111???", "001111", "000000"]
    assert not against(np.rot90(Board.from_text("\n".join(board)).cells, turns).copy())
    board[ring] = "?00111"  # the blanks would have opened those above them
    cells = np.rot90(Board.from_text("\n".join(board)).cells, turns).copy()
    assert against(cells)
    assert against(cells, continues=SIDES)
    assert not against(cells, rows=turns % 2 == 1, columns=turns % 2 == 0)
    board[ring] = "??0111"  # one may be misread
    assert not against(np.rot90(Board.from_text("\n".join(board)).cells, turns).copy())


RULED_LIKE_IT = ["11100000", "1F111000", "1111F000", "01132000", "01F2F000", "00000000", "00000000"]
"""A board of 5 rows and 5 columns at the left of a sheet whose cells look like its opened blanks."""


def ruled(rows: list[str], turns: int, *, alike: bool = True, doubted: str = "") -> Any:
    """A reading of these tiles; those outside 5x5 look like its blanks, or not; some marks are in doubt."""
    cells = Board.from_text("\n".join(rows)).cells
    groups, sure = cells.astype(np.intp), np.full(cells.shape, 0.99)
    if not alike:
        groups[5:] = groups[:, 5:] = 13
    for mark in doubted:
        sure[[[tile == mark for tile in row] for row in rows]] = 0.5
    cells, groups, sure = (np.rot90(each, turns).copy() for each in (cells, groups, sure))
    grid = Grid(np.arange(cells.shape[1] + 1.0) * SIDE, np.arange(len(cells) + 1.0) * SIDE)
    look = {"groups": groups, "votes": np.full((14, 14), 0.1, np.float32)}
    return SimpleNamespace(**read_with(sure), grid=grid, board=Board(cells), **look)


@pytest.mark.parametrize("turns", range(4))
def test_a_sheet_ruled_like_the_board_is_taken_off(turns: int) -> None:
    reading = ruled(RULED_LIKE_IT, turns)
    found = ending_before(reading, rows=True, columns=True)
    inside = np.zeros((7, 8), np.bool_)
    inside[:5, :5] = True
    rows, columns = (np.flatnonzero(np.rot90(inside, turns).any(axis=axis)) for axis in (1, 0))
    assert found.box == tuple(SIDE * edge for edge in (columns[0], rows[0], columns[-1] + 1, rows[-1] + 1))
    wide = ending_before(reading, rows=turns % 2 == 0, columns=turns % 2 == 1)
    assert sorted((wide.columns, wide.rows)) == [5, 8]


@pytest.mark.parametrize("turns", range(4))
def test_a_sheet_ruled_otherwise_is_taken_off_where_borders_prove_nothing(turns: int) -> None:
    """Its cells may be covered tiles that were misread only where borders say that they are tiles."""
    reading = ruled(RULED_LIKE_IT, turns, alike=False)
    found = ending_before(reading, rows=True, columns=True, alike=False)
    assert found.box == ending_before(ruled(RULED_LIKE_IT, turns), rows=True, columns=True).box
    for rows in (NUMBERS_BESIDE, ONE_FLAG, WRONG_FLAGS):
        stays = ruled(rows, turns, alike=False)
        assert ending_before(stays, rows=True, columns=True, alike=False) is stays.grid


NUMBERS_BESIDE = ["11100000", "1F111100", "1111F100", "01121100", "01F10000", "01110000", "00000000"]
ONE_FLAG = ["11100000", "1F111000", "1111F000", "01121000", "01F10000", "00000000", "00000000"]
WRONG_FLAGS = ["00000000", "00F0F000", "01110000", "01F10000", "01110000", "00000000", "00000000"]


@pytest.mark.parametrize("turns", range(4))
def test_blank_lines_that_no_rule_speaks_against_stay(turns: int) -> None:
    """Where numbers lie beside them, one flag alone, or flags that no number needs: these stay covered.

    And where no other blanks look so, or all flags are in doubt.
    """
    for reading in (
        ruled(NUMBERS_BESIDE, turns),
        ruled(ONE_FLAG, turns),
        ruled(WRONG_FLAGS, turns),
        ruled(RULED_LIKE_IT, turns, alike=False),
        ruled(RULED_LIKE_IT, turns, doubted="F"),
    ):
        assert ending_before(reading, rows=True, columns=True) is reading.grid


def test_flags_at_a_side_where_the_board_goes_on_may_be_wrong() -> None:
    """The mines that the outer numbers need may lie beyond the picture."""
    reading = ruled(["1F1F1000", *["00000000"] * 6], 2)
    assert ending_before(reading, rows=True, columns=False).rows == 1
    reading.board = Board(reading.board.cells, ("bottom",))
    assert ending_before(reading, rows=True, columns=False) is reading.grid


def test_a_board_of_blanks_alone_has_no_page_beside_it() -> None:
    assert not against(np.zeros((3, 4), np.uint8))


@pytest.mark.parametrize("turns", range(4))
def test_an_outer_line_of_impossible_numbers_is_none_of_the_board(turns: int) -> None:
    cells = np.rot90(Board.from_text("112100\n001100\n001?10\n001110").cells, turns).copy()
    assert against(cells)
    cells = np.rot90(Board.from_text("001100\n001100\n001?10\n001110").cells, turns).copy()
    assert not against(cells)


def test_numbers_where_a_board_goes_on_may_have_mines_beyond() -> None:
    cells = Board.from_text("112100\n001100\n001?10\n001110").cells
    assert not against(cells, continues=("top",))


def test_headers_whose_signs_keep_to_their_tiles_are_taken_off() -> None:
    reading = doubted_at((3, 2))
    reading.headers = Headers(frozenset({"top", "right"}), frozenset({"top"}))
    shorter = ending_before(reading, rows=True, columns=True)
    assert (shorter.columns, shorter.rows, shorter.y[0]) == (6, 4, SIDE)
    reading.board = Board(np.zeros((5, 6), np.uint8))
    assert speak_against(reading, rows=True, columns=True)
    reading.headers = Headers()
    assert ending_before(reading, rows=True, columns=True) is reading.grid
    assert not speak_against(reading, rows=True, columns=True)


def test_of_a_board_with_a_line_too_many_the_header_or_the_most_doubted_goes() -> None:
    most_doubted = doubted_at((0, 0), (1, 0), (2, 0), (0, 5), (1, 5), (2, 5), (3, 5))
    for grid in without_headers(most_doubted, 5, 5):
        assert (grid.columns, grid.rows, grid.x[0]) == (5, 5, 0)
    most_doubted.headers = Headers(frozenset({"left"}), frozenset({"left"}))
    assert without_headers(most_doubted, 5, 5)[0].x[0] == SIDE
    headed = doubted_at((4, 0), (4, 1), (4, 2), (4, 3))
    headed.headers = most_doubted.headers
    kept, cut = without_headers(headed, 5, None)
    assert (kept.columns, kept.rows) == (5, 5)
    assert (cut.columns, cut.rows) == (5, 4)
    sure = doubted_at((3, 2))
    assert all(grid.columns == 6 for grid in without_headers(sure, 5, 5))
