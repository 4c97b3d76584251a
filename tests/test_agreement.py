"""The confidence that cuts a little apart bear out, in the reading and in real pictures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from visionsweeper import read_board
from visionsweeper.board import COVERED, FLAG, Board
from visionsweeper.geometry import Grid, positions_of
from visionsweeper.vision.reading import Reading
from visionsweeper.vision.settling.agreement import borne_out
from visionsweeper.vision.settling.reader import Reader

SAMPLES = Path(__file__).parents[1] / "samples"


@pytest.fixture(scope="module")
def reading() -> Reading:
    return read_board(SAMPLES / "beginner-flat.png", themes=())


def seen_as(reading: Reading, tile: tuple[int, int], code: int, confidence: float) -> Reading:
    """The reading with one tile taken for something, so surely."""
    cells, sure = reading.board.cells.copy(), reading.confidence.copy()
    cells[tile], sure[tile] = code, confidence
    return replace(reading, board=Board(cells, reading.board.continues), confidence=sure)


def _apart(one: tuple[int, int], other: tuple[int, int]) -> int:
    return max(abs(one[0] - other[0]), abs(one[1] - other[1]))


def test_a_reading_without_doubt_is_not_read_again(reading: Reading) -> None:
    def never(grid: Grid, sides: tuple[str, ...]) -> Reading:
        raise AssertionError("read again")

    assert not reading.uncertain.any()
    assert borne_out(reading, Reader(never)) is reading


def test_confidence_is_what_most_cuts_bear_out_and_tiles_stay_as_they_were_read(reading: Reading) -> None:
    tiles = positions_of(reading.board.cells == COVERED)
    doubted, contested, once = tiles[0], tiles[-1], tiles[len(tiles) // 2]
    assert min(_apart(doubted, contested), _apart(doubted, once), _apart(contested, once)) > 1
    first = seen_as(reading, doubted, COVERED, 0.6)
    first = seen_as(first, contested, COVERED, 0.97)
    others = [seen_as(reading, contested, FLAG, 0.99), seen_as(reading, contested, FLAG, 0.96)]
    others[0] = seen_as(others[0], once, FLAG, 0.99)
    cuts: list[Grid] = []

    def read(grid: Grid, sides: tuple[str, ...]) -> Reading:
        assert sides == reading.board.continues
        cuts.append(grid)
        return others[len(cuts) - 1]

    found = borne_out(first, Reader(read))
    assert found.board == first.board
    assert found.grid is first.grid
    assert found.confidence[doubted] == pytest.approx(reading.confidence[doubted])
    assert found.confidence[contested] == 0.0
    assert found.confidence[once] == pytest.approx(reading.confidence[once])
    assert not found.confidence.flags.writeable
    # Moved to either side, by less than a tenth of a tile, and all borders alike.
    moves = sorted((cut.x - first.grid.x)[0] / first.grid.pitch_x for cut in cuts)
    assert moves[0] == pytest.approx(-moves[1])
    assert 0.0 < moves[1] < 0.1
    for cut in cuts:
        assert np.ptp(cut.x - first.grid.x) == pytest.approx(0.0, abs=1e-9)
        assert np.ptp(cut.y - first.grid.y) == pytest.approx(0.0, abs=1e-9)


def test_doubt_stays_where_a_cut_reads_the_tile_beside_it_as_something_else(reading: Reading) -> None:
    beside, doubted = (0, 0), (0, 1)
    first = seen_as(reading, doubted, int(reading.board[doubted]), 0.5)
    others = iter([reading, seen_as(reading, beside, FLAG, 0.99)])
    found = borne_out(first, Reader(lambda grid, sides: next(others)))
    assert found.confidence[doubted] == 0.5


@pytest.mark.parametrize("side", [40, 70])
def test_a_board_too_large_to_be_read_three_times_is_left_as_it_is(reading: Reading, side: int) -> None:
    grid = Grid.even((0, 0, 10 * side, 10 * side), side, side)
    cells = np.full((side, side), COVERED, np.uint8)
    large = replace(reading, board=Board(cells), grid=grid, confidence=np.full((side, side), 0.5))

    def never(grid: Grid, sides: tuple[str, ...]) -> Reading:
        raise AssertionError("read again")

    assert (borne_out(large, Reader(never)).confidence == 0.5).all()
