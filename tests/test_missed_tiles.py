"""Lines of tiles that a cut misses, on drawn boards whose columns are not all of one width."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from places import sides_but

from visionsweeper.board import Board
from visionsweeper.errors import SeveralBoards
from visionsweeper.geometry import Grid
from visionsweeper.pipeline import read_board
from visionsweeper.synthetic.positions import random_position
from visionsweeper.synthetic.render import render_board
from visionsweeper.vision.detection.candidates import CONVINCING
from visionsweeper.vision.detection.extent import MOST_SAID
from visionsweeper.vision.detection.missed_tiles import with_missed_tiles

TILE, COLUMNS, ROWS = 34, 12, 9
LEFT, TOP = 30, 40


def window(
    seed: int, wide: int = 0, by: int = 0, theme: str = "classic"
) -> tuple[npt.NDArray[np.uint8], Grid]:
    """A page with a board of 12x9 tiles of 34 px, the first `wide` columns of it `by` px wider."""
    labels = random_position(np.random.default_rng(seed), size=(ROWS, COLUMNS))
    cells = np.where(labels > 11, 9, labels).astype(np.uint8)
    drawn = render_board(Board(cells), theme, tile=TILE)
    part = drawn[:, : wide * TILE]
    if wide:
        stretched = cv2.resize(part, (wide * (TILE + by), drawn.shape[0]), interpolation=cv2.INTER_CUBIC)
        part = np.asarray(stretched, np.uint8)
    board = np.concatenate([part, drawn[:, wide * TILE :]], axis=1)
    page = np.full((board.shape[0] + 80, board.shape[1] + 60, 3), 236, np.uint8)
    page[TOP : TOP + board.shape[0], LEFT : LEFT + board.shape[1]] = board
    widths = [TILE + by] * wide + [TILE] * (COLUMNS - wide)
    x = LEFT + np.concatenate([[0], np.cumsum(widths)]).astype(float)
    return page, Grid(x, TOP + TILE * np.arange(ROWS + 1.0))


def cuts(grid: Grid, left_out: int, shift: float) -> list[Grid]:
    """The board without some lines at its left, right, upper and lower side, moved outwards by some tiles."""
    x, y, off = grid.x, grid.y, shift * TILE
    return [
        Grid(x[left_out:] + off, y),
        Grid(x[: COLUMNS + 1 - left_out] - off, y),
        Grid(x, y[left_out:] + off),
        Grid(x, y[: ROWS + 1 - left_out] - off),
    ]


@pytest.mark.parametrize("theme", ["classic", "dark", "flat"])
@pytest.mark.parametrize(("left_out", "shift"), [(1, 0.0), (2, 0.0), (2, 0.4), (3, 0.2)])
def test_a_line_of_tiles_that_is_left_out_is_seen(theme: str, left_out: int, shift: float) -> None:
    page, grid = window(3, theme=theme)
    assert with_missed_tiles(page, grid, (CONVINCING,) * 4).grid is grid
    for side, cut in enumerate(cuts(grid, left_out, shift)):
        seen = with_missed_tiles(page, cut, sides_but(side, CONVINCING, MOST_SAID))
        assert seen.grid.columns > cut.columns or seen.grid.rows > cut.rows
        # Where the board is sure to end, nothing is looked at; elsewhere there is nothing.
        for surely in (MOST_SAID, 7.5):
            sure = with_missed_tiles(page, cut, sides_but(side, surely, CONVINCING))
            assert sure.grid is cut
            assert sure.convincing


@pytest.mark.parametrize("theme", ["classic", "dark", "flat"])
@pytest.mark.parametrize("left_out", [1, 2])
def test_lines_that_are_left_out_are_added(theme: str, left_out: int) -> None:
    page, grid = window(3, theme=theme)
    for side, cut in enumerate(cuts(grid, left_out, 0.0)):
        whole = with_missed_tiles(page, cut, sides_but(side, CONVINCING, MOST_SAID))
        if theme == "classic":  # elsewhere a line may get log odds of 5.5 to 6.9, so the board is doubted
            assert whole.convincing
        np.testing.assert_allclose(whole.grid.x, grid.x, atol=TILE / 8)
        np.testing.assert_allclose(whole.grid.y, grid.y, atol=TILE / 8)


@pytest.mark.parametrize("wide", [3, 4, 5])
def test_columns_beyond_a_wider_one_are_added(wide: int) -> None:
    """One column is a quarter wider; the lattice was followed up to it, from the left or from the right."""
    page, grid = window(3, wide=0)
    step = TILE // 4
    page = np.insert(
        page,
        [LEFT + wide * TILE + TILE // 2] * step,
        page[:, LEFT + wide * TILE + TILE // 2][:, None],
        axis=1,
    )
    x = grid.x + np.where(np.arange(COLUMNS + 1) > wide, step, 0.0)
    for cut, sides in (
        (
            Grid(np.append(x[: wide + 1], x[wide] + TILE), grid.y),
            sides_but(1, CONVINCING, MOST_SAID),
        ),
        (
            Grid(np.insert(x[wide + 1 :], 0, x[wide + 1] - TILE), grid.y),
            sides_but(0, CONVINCING, MOST_SAID),
        ),
    ):
        whole = with_missed_tiles(page, cut, sides)
        assert whole.grid.columns == COLUMNS
        np.testing.assert_allclose(whole.grid.x, x, atol=TILE / 4 + 1)


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "wide", "by"), [(0, 5, 4), (1, 5, 4), (3, 6, 5), (4, 6, 5)])
def test_uneven_columns_are_found_or_doubted(seed: int, wide: int, by: int) -> None:
    """The first columns are some pixels wider than the others, as Tk makes them."""
    page, grid = window(seed, wide=wide, by=by)
    reading = read_board(page)
    whole = (reading.grid.columns, reading.grid.rows) == (COLUMNS, ROWS)
    assert whole or reading.uncertain.all()
    if whole:
        np.testing.assert_allclose(reading.grid.x, grid.x, atol=TILE / 2)
        labels = random_position(np.random.default_rng(seed), size=(ROWS, COLUMNS))
        wrong = reading.board.cells != np.where(labels > 11, 9, labels)
        assert not (wrong & ~reading.uncertain).any()


@pytest.mark.parametrize(("theme", "gap"), [("classic", 20), ("dark", 12), ("flat", 24)])
def test_another_board_close_by_is_none_of_the_tiles_that_are_missed(theme: str, gap: int) -> None:
    cells = [random_position(np.random.default_rng(seed), size=(9, 9)) for seed in (1, 2)]
    boards = [render_board(Board(np.minimum(each, 10).astype(np.uint8)), theme, tile=24) for each in cells]
    high, wide = boards[0].shape[:2]
    page = np.full((high + 80, 2 * wide + gap + 60, 3), 236, np.uint8)
    for board, left in zip(boards, (30, 30 + wide + gap), strict=True):
        page[40 : 40 + high, left : left + wide] = board
    with pytest.raises(SeveralBoards) as caught:
        read_board(page)
    assert [board[:2] for board in caught.value.boards] == [(9, 9), (9, 9)]
