"""Boards with no border at one side: they reach as far as their place in the middle of the ground tells."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from places import sides_but
from test_extent import flat_board

from visionsweeper.geometry import Grid
from visionsweeper.vision.detection.candidates import Effort, Wanted, judge
from visionsweeper.vision.detection.centred import centred
from visionsweeper.vision.detection.extent import MOST_SAID

TILE, COLUMNS, ROWS = 24, 10, 8
GROUND = 240
SEEN, UNSEEN = 2.0, -2.0


def panel(lost: int, side: int, margin: int = 9) -> tuple[npt.NDArray[np.uint8], Grid, Grid]:
    """A board of 10x8 in the middle of a panel, `lost` lines at a side painted as the panel; a gray page.

    Returns the picture, the grid without these lines, and the whole grid.
    """
    rng = np.random.default_rng(4)
    board = np.kron(
        rng.choice(np.array([60, 120, 180], np.uint8), (ROWS, COLUMNS)), np.ones((TILE, TILE), np.uint8)
    )
    x, y = 50 + margin + TILE * np.arange(COLUMNS + 1.0), 70 + margin + TILE * np.arange(ROWS + 1.0)
    left, right, top, bottom = (lost if each == side else 0 for each in range(4))
    shown = Grid(x[left : COLUMNS + 1 - right], y[top : ROWS + 1 - bottom])
    seen = np.zeros(board.shape, bool)
    seen[top * TILE : (ROWS - bottom) * TILE, left * TILE : (COLUMNS - right) * TILE] = True
    picture = np.full(
        (70 + ROWS * TILE + 2 * margin + 33, 50 + COLUMNS * TILE + 2 * margin + 61), 90, np.uint8
    )
    inner = np.full((ROWS * TILE + 2 * margin, COLUMNS * TILE + 2 * margin), GROUND, np.uint8)
    inner[margin : margin + ROWS * TILE, margin : margin + COLUMNS * TILE] = np.where(seen, board, GROUND)
    picture[70 : 70 + inner.shape[0], 50 : 50 + inner.shape[1]] = inner
    return np.repeat(picture[..., None], 3, axis=2), shown, Grid(x, y)


@pytest.mark.parametrize("margin", [0, 9, 31])
@pytest.mark.parametrize("lost", [1, 2])
@pytest.mark.parametrize("side", range(4))
def test_lines_that_look_like_the_ground_are_added(side: int, lost: int, margin: int) -> None:
    picture, shown, whole = panel(lost, side, margin)
    found = centred(picture, shown, sides_but(side, UNSEEN, SEEN))
    np.testing.assert_allclose(found.x, whole.x, atol=0.5)
    np.testing.assert_allclose(found.y, whole.y, atol=0.5)


@pytest.mark.parametrize("side", range(4))
def test_a_frame_of_dashes_encloses_as_one_without_gaps(side: int) -> None:
    picture, shown, whole = panel(1, side)
    dashed = np.full_like(picture, GROUND)
    dashed[70:-33, 50:-61] = picture[70:-33, 50:-61]
    for line in (dashed[68:70], dashed[-33:-31]):
        line[:, 50:-61] = np.where(np.arange(line.shape[1] - 111) % 12 < 5, 60, GROUND)[None, :, None]
    for line in (dashed[:, 48:50], dashed[:, -61:-59]):
        line[70:-33] = np.where(np.arange(len(line) - 103) % 12 < 5, 60, GROUND)[:, None, None]
    found = centred(dashed, shown, sides_but(side, UNSEEN, SEEN))
    assert (found.columns, found.rows) == (whole.columns, whole.rows)


@pytest.mark.parametrize("side", range(4))
def test_nothing_is_added_where_it_is_not_called_for(side: int) -> None:
    picture, shown, whole = panel(1, side)
    for sides in ((SEEN,) * 4, (UNSEEN,) * 4, sides_but((side + 2) % 4, UNSEEN, SEEN)):
        found = centred(picture, shown, sides)
        assert (found.columns, found.rows) == (shown.columns, shown.rows)
    # A board in the middle stays as it is; so does one off the middle by a part of a tile more.
    found = centred(panel(0, side)[0], whole, sides_but(side, UNSEEN, SEEN))
    assert (found.columns, found.rows) == (COLUMNS, ROWS)
    shift = TILE // 3
    off = np.insert(picture, [75] * shift, picture[75], axis=0)
    off = np.insert(off, [55] * shift, off[:, 55][:, None], axis=1)
    found = centred(off, Grid(shown.x + shift, shown.y + shift), sides_but(side, UNSEEN, SEEN))
    assert (found.columns, found.rows) == (shown.columns, shown.rows)


def test_a_wide_page_encloses_nothing() -> None:
    picture, shown, _ = panel(0, 1, margin=0)
    page = np.full((picture.shape[0], 50 + TILE * 60, 3), GROUND, np.uint8)
    page[:, : picture.shape[1] - 61] = picture[:, :-61]
    page[:, :50] = GROUND
    for blank in range(20, 25):
        wide = page[:, : 100 + TILE * (COLUMNS + blank)]
        assert centred(wide, shown, sides_but(1, UNSEEN, SEEN)) is shown


def test_a_side_that_the_user_cropped_is_not_asked_for_a_border() -> None:
    crop = flat_board(12, 9, 30, 30, seed=3)
    lattice = Grid(np.linspace(0, 360, 13), np.linspace(0, 270, 10))
    told = judge(crop, lattice, Wanted(columns=12, rows=9), Effort())
    untold = judge(crop, lattice, Wanted(), Effort())
    assert told is not None
    assert untold is not None
    assert (told.grid.columns, told.grid.rows) == (12, 9)
    assert told.sides == (MOST_SAID,) * 4
    assert min(untold.sides) < MOST_SAID
    margin = np.pad(crop, ((20, 20), (20, 20), (0, 0)), constant_values=118)
    around = judge(margin, Grid(lattice.x + 20, lattice.y + 20), Wanted(columns=12, rows=9), Effort())
    assert around is not None
    assert min(around.sides) < MOST_SAID
