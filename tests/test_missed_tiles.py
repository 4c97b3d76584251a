"""Lines of tiles that a cut misses, on drawn boards whose columns are not all of one width."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from visionsweeper.board import Board
from visionsweeper.geometry import Grid
from visionsweeper.pipeline import read_board
from visionsweeper.synthetic.positions import random_position
from visionsweeper.synthetic.render import render_board
from visionsweeper.vision.detection.candidates import CONVINCING
from visionsweeper.vision.detection.missed_tiles import missed_tiles

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


@pytest.mark.parametrize("theme", ["classic", "dark", "flat"])
@pytest.mark.parametrize(("left_out", "shift"), [(1, 0.0), (2, 0.0), (2, 0.4), (3, 0.2)])
def test_a_line_of_tiles_that_is_left_out_is_seen(theme: str, left_out: int, shift: float) -> None:
    page, grid = window(3, theme=theme)
    assert missed_tiles(page, grid) < 0
    assert missed_tiles(page, Grid(grid.x[left_out:] + shift * TILE, grid.y)) > CONVINCING
    assert missed_tiles(page, Grid(grid.x[: COLUMNS + 1 - left_out] - shift * TILE, grid.y)) > CONVINCING
    assert missed_tiles(page, Grid(grid.x, grid.y[left_out:] + shift * TILE)) > CONVINCING
    assert missed_tiles(page, Grid(grid.x, grid.y[: ROWS + 1 - left_out] - shift * TILE)) > CONVINCING


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_uneven_columns_are_found_or_doubted(seed: int) -> None:
    """Five columns four pixels wider than the others, as Tk makes them."""
    page, grid = window(seed, wide=5, by=4)
    reading = read_board(page)
    whole = (reading.grid.columns, reading.grid.rows) == (COLUMNS, ROWS)
    assert whole or reading.uncertain.all()
    if whole:
        np.testing.assert_allclose(reading.grid.x, grid.x, atol=TILE / 3)
