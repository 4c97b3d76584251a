"""What is believed of a board once its place is known."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from outside_data import SCREENS, needs

from visionsweeper import read_board
from visionsweeper.board import FLAG, Board, Side
from visionsweeper.geometry import Grid
from visionsweeper.synthetic.render import render_board
from visionsweeper.vision.detection.candidates import Wanted
from visionsweeper.vision.detection.locate import Location
from visionsweeper.vision.plausibility import Reader, settle
from visionsweeper.vision.reading import Reading

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
