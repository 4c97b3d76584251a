"""Boards whose size is given are taken where it is borne out, however worn the picture is."""

from __future__ import annotations

import numpy as np
import pytest

from visionsweeper.errors import NoBoardFound
from visionsweeper.geometry import Grid
from visionsweeper.vision.detection import locate
from visionsweeper.vision.detection.grid import Fit

WHOLE = Grid.even((0, 0, 600, 320), 30, 16)
PICTURE = np.zeros((320, 600, 3), np.uint8)


def place(monkeypatch: pytest.MonkeyPatch, *found: Grid, given: Grid = WHOLE) -> Grid:
    """Where the board is said to be, given an unclear fit and what was found."""
    monkeypatch.setattr(locate, "fit", lambda *_: Fit(given, 1.0, 0.2))
    monkeypatch.setattr(locate, "find_grids", lambda _: list(found))
    return locate.locate(PICTURE, given.columns, given.rows).grid


@pytest.mark.parametrize(
    "found",
    [
        Grid.even((100, 80, 500, 320), 20, 12),  # a part of it
        Grid.even((2, 1, 602, 321), 60, 32),  # every tile taken for four
        Grid.even((0, 0, 600, 320), 15, 8),  # four taken for one
        Grid.even((90, 75, 490, 315), 20, 12),  # a piece of the picture, half a tile off
    ],
)
def test_what_was_found_is_of_the_given_lattice(monkeypatch: pytest.MonkeyPatch, found: Grid) -> None:
    assert place(monkeypatch, found) is WHOLE


def test_another_board_that_fills_the_picture_contradicts(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Grid.even((0, 0, 598, 322), 26, 14)
    with pytest.raises(NoBoardFound, match=f"{found.columns}x{found.rows}"):
        place(monkeypatch, found)


def test_a_board_of_the_given_size_elsewhere_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    other = Grid.even((50, 40, 350, 200), 30, 16)
    assert place(monkeypatch, other) is other


def test_oblong_tiles_bear_nothing_out(monkeypatch: pytest.MonkeyPatch) -> None:
    given = Grid.even((0, 0, 600, 320), 24, 16)
    with pytest.raises(NoBoardFound):
        place(monkeypatch, Grid.even((100, 80, 500, 320), 16, 12), given=given)
