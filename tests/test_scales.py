"""Boards in large pictures, which are searched in shrunk copies."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from visionsweeper import Board, read_board
from visionsweeper.errors import NoBoardFound
from visionsweeper.synthetic.render import render_board


@pytest.mark.parametrize("pixels", [1.5e6, 6e6])
def test_a_few_very_large_tiles_are_found(pixels: float) -> None:
    """As on phones and tablets: 6x6 tiles of up to 360 px."""
    board = Board.from_text("001?F?\n001???\n0012??\n110011\n?10001\n?1001?")
    drawn = render_board(board, tile=24)
    window = cv2.copyMakeBorder(drawn, 60, 20, 20, 20, cv2.BORDER_CONSTANT, value=(192,) * 3)
    factor = (pixels / (window.shape[0] * window.shape[1])) ** 0.5
    large = cv2.resize(window, None, fx=factor, fy=factor, interpolation=cv2.INTER_CUBIC)
    reading = read_board(np.asarray(large, np.uint8), themes=())
    assert (reading.grid.columns, reading.grid.rows) == (6, 6)
    there = np.array((20, 60, 20 + drawn.shape[1], 60 + drawn.shape[0])) * factor
    assert np.abs(np.array(reading.box) - there).max() < 0.1 * 24 * factor
    assert not reading.uncertain.all()


def test_a_fine_pattern_is_no_board_when_it_is_shrunk() -> None:
    """Lines every 8 px, shrunk, make a coarser pattern of their own."""
    pattern = np.full((3000, 3000, 3), 192, np.uint8)
    pattern[::8] = pattern[:, ::8] = 128
    with pytest.raises(NoBoardFound):
        read_board(pattern, themes=())
