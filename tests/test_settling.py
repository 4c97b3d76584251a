"""What is believed of a board once its place is known."""

from collections.abc import Callable
from dataclasses import replace

import cv2
import numpy as np
import pytest
from outside_data import SCREENS, needs

from visionsweeper import read_board
from visionsweeper.board import COVERED, FLAG, Board, Side
from visionsweeper.geometry import Grid
from visionsweeper.synthetic.render import render_board
from visionsweeper.vision.detection.candidates import Candidate, Wanted
from visionsweeper.vision.detection.locate import Location
from visionsweeper.vision.reading import Reading
from visionsweeper.vision.reading import read as read_under
from visionsweeper.vision.settling.reader import Reader
from visionsweeper.vision.settling.settle import settle
from visionsweeper.vision.tiles.knn import load_model

# Flush with the left edge of the picture, where numbers want mines that are not in view.
BOARD = Board.from_text("20110\n201?1\n30111\n30000\n00000\n")
PICTURE = render_board(BOARD, tile=24)
CUT = Grid(np.arange(6.0) * 24, np.arange(6.0) * 24)


def reader(header_in_doubt: Callable[[tuple[Side, ...]], bool]) -> Reader:
    """A reader that is sure of all tiles, but for most of the first column if that is said to be in doubt."""
    seen = read_board(PICTURE, width=5, height=5, box=(0, 0, 120, 120))

    def read(grid: Grid, continues: tuple[Side, ...]) -> Reading:
        confidence = np.ones((5, 5))
        if header_in_doubt(continues):
            confidence[2:, 0] = 0.1
        return replace(seen, board=Board(BOARD.cells, continues), grid=grid, confidence=confidence)

    return Reader(read)


def test_a_board_that_goes_on_at_a_side_is_believed() -> None:
    reading = settle(PICTURE, Location(CUT, True), reader(lambda continues: False))
    assert reading.board.continues == ("left",)
    assert not reading.uncertain.any()


def test_a_header_that_shows_once_the_board_is_read_as_going_on_puts_it_in_doubt() -> None:
    reading = settle(PICTURE, Location(CUT, True), reader(bool))
    assert reading.uncertain.all()


def test_blank_lines_around_a_board_do_not_make_a_larger_one_likelier() -> None:
    """On a sheet the cells around a board are read as surely as it is; they prove nothing."""
    cells = np.zeros((9, 9), np.uint8)
    cells[2:7, 2:7] = Board.from_text("11000\n?1000\n11111\n001?1\n00111\n").cells
    sheet = render_board(Board(cells), tile=24)
    edges = np.arange(10.0) * 24
    whole, inner = Grid(edges, edges), Grid(edges[2:8], edges[2:8])

    def read(grid: Grid, continues: tuple[Side, ...]) -> Reading:
        x, y = round(grid.x[0] / 24), round(grid.y[0] / 24)
        shown = cells[y : y + grid.rows, x : x + grid.columns]
        doubt = np.ones(shown.shape)
        if grid.rows == 9:
            doubt[2:4, 3] = 0.5
        seen = read_under(sheet, grid, load_model(), (), continues)
        votes = np.full((14, 14), 0.1, np.float32)
        groups = shown.astype(np.intp)
        return replace(
            seen, board=Board(shown, continues), confidence=doubt, groups=groups, votes=votes, grid=grid
        )

    reading = settle(sheet, Location(whole, False, rivals=(inner,)), Reader(read))
    assert (reading.board.cells == cells[2:7, 2:7]).all()
    assert reading.uncertain.all()


def test_a_line_whose_mines_the_numbers_beside_it_want_is_one_of_the_board() -> None:
    """It shows one number alone, and without it three numbers count mines that are nowhere."""
    board = Board.from_text("?F100000\n11100000\n00001110\n00001?10\n00001110\n00000000\n")
    window = np.pad(render_board(board, tile=24), ((48, 48), (48, 48), (0, 0)))
    x, y = (48.0 + 24 * np.arange(count, dtype=np.float64) for count in (9, 7))
    reader = Reader(lambda grid, sides: read_under(window, grid, load_model(), (), sides))
    assert settle(window, Location(Grid(x, y[1:]), False), reader).board == board


@needs(SCREENS)
def test_a_cut_under_which_hardly_two_tiles_are_alike_is_refitted() -> None:
    """Stretched alone, or shifted alone, the cut leaves half of the tiles looking different.

    The flags and the keys with a 5 are in doubt, however they are cut.
    """
    page = SCREENS / "emoji-muan-native" / "03_12x10_dense_s1.5.full.png"
    reading = read_board(page)
    assert str(reading.board).split() == page.with_name("03_12x10_dense_s1.5.txt").read_text().split()
    assert not (reading.uncertain & ~np.isin(reading.board.cells, (5, FLAG))).any()


def test_a_page_that_was_taken_for_a_part_of_the_board_puts_it_in_doubt() -> None:
    """A blank column to the left of a covered tile; a width that was given is not asked about."""
    shown = reader(lambda continues: False)

    def read(grid: Grid, continues: tuple[Side, ...]) -> Reading:
        board = Board.from_text("01100\n0?100\n01100\n00000\n00000\n")
        return replace(shown.read(grid, continues), board=board)

    found = Location(CUT, True)
    assert settle(PICTURE, found, Reader(read, ())).uncertain.all()
    told = replace(found, wanted=Wanted(columns=5, rows=None, box=None))
    assert not settle(PICTURE, told, Reader(read, ())).uncertain.any()


def test_a_board_whose_covered_tiles_are_page_as_well_is_not_believed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Unless its size, or where it goes on, was told."""
    monkeypatch.setattr("visionsweeper.vision.settling.settle.covers_page", lambda image, reading: True)
    shown = reader(lambda continues: False)
    assert settle(PICTURE, Location(CUT, True), shown).uncertain.all()
    told = Location(CUT, True, wanted=Wanted(columns=5, rows=None, box=None))
    assert not settle(PICTURE, told, shown).uncertain.any()
    assert not settle(PICTURE, Location(CUT, True), replace(shown, continues=("left",))).uncertain.any()


def framed_game(below: int, ground: int = 225) -> tuple[Board, np.ndarray]:
    """A game without lines between opened tiles, framed `below` px under its blank last row."""
    board = Board.from_text("""
        ??1000001?
        ??20000011
        ??20000000
        1121100000
        001?100011
        001110012?
        00000001?2
        0000000111
        0000000000
    """)
    picture = np.full((9 * 24 + 80, 10 * 24 + 60, 3), 225, np.uint8)
    picture[40 + 8 * 24 : 40 + 9 * 24, 30:270] = ground
    cv2.rectangle(picture, (22, 32), (277, 40 + 9 * 24 + below), (40, 40, 40), 2)
    for (row, column), cell in np.ndenumerate(board.cells):
        left, top = 30 + 24 * column, 40 + 24 * row
        if cell == COVERED:
            cv2.rectangle(picture, (left + 1, top + 1), (left + 22, top + 22), (120, 140, 190), -1)
        elif cell:
            colour = ((20, 40, 220), (20, 120, 20))[int(cell) - 1]
            cv2.putText(picture, str(cell), (left + 6, top + 18), 0, 0.6, colour, 2, cv2.LINE_AA)
    return board, picture


@pytest.mark.parametrize(
    ("below", "ground", "ends", "added"),
    [(7, 225, 2.0, True), (20, 225, 2.0, False), (7, 190, 2.0, False), (7, 225, 5.0, False)],
    ids=["in the middle", "not in the middle", "another ground", "it ends beyond doubt"],
)
def test_a_frame_tells_of_a_last_row_that_looks_like_the_ground(
    below: int, ground: int, ends: float, added: bool
) -> None:
    board, picture = framed_game(below, ground)
    grid = Grid.even((30.0, 40.0, 270.0, 40.0 + 8 * 24), 10, 8)
    seen = Candidate(grid, 300.0, 5.0, (5.0, 5.0, 5.0, ends), np.full((8, 10), 5.0), 0.0)
    read = Reader(lambda grid, sides: read_under(picture, grid, load_model(), (), sides), ())
    reading = settle(picture, Location(grid, True, considered=(seen,)), read)
    assert (reading.grid.columns, reading.grid.rows) == (10, 9 if added else 8)
    assert (reading.board.cells[:8] == board.cells[:8]).all()
    assert reading.uncertain.all() == added
    told = Location(grid, True, considered=(seen,), wanted=Wanted(columns=None, rows=8, box=None))
    assert settle(picture, told, read).grid.rows == 8


@pytest.mark.parametrize(
    ("row", "column", "cell", "added"),
    [(8, 0, 0, True), (8, 0, 8, False), (7, 0, COVERED, False)],
    ids=["blank", "a number without mines", "covered beside blanks"],
)
def test_a_last_row_in_a_frame_is_added_only_if_the_rules_allow_it(
    row: int, column: int, cell: int, added: bool
) -> None:
    _, picture = framed_game(below=14)
    model = load_model()

    def read(grid: Grid, continues: tuple[Side, ...]) -> Reading:
        reading = read_under(picture, grid, model, (), continues)
        cells = reading.board.cells.copy()
        if grid.rows == 9:
            cells[row, column] = cell
        return replace(reading, board=Board(cells))

    grid = Grid.even((30.0, 40.0, 270.0, 40.0 + 8 * 24), 10, 8)
    seen = Candidate(grid, 300.0, 5.0, (5.0, 5.0, 5.0, 2.0), np.full((8, 10), 5.0), 0.0)
    place = Location(grid, True, considered=(seen,))
    assert settle(picture, place, Reader(read, ())).grid.rows == (9 if added else 8)
