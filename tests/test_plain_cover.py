"""Boards whose covered tiles have no lines between them: one plain plate, out of which tiles are opened."""

from __future__ import annotations

import tracemalloc

import numpy as np
import numpy.typing as npt
import pytest
from test_glyph_grid import put

from visionsweeper import read_board
from visionsweeper.board import Board
from visionsweeper.geometry import Grid
from visionsweeper.vision.detection.plain_cover import plain_covers

Picture = npt.NDArray[np.uint8]

TILE = 32
TEXT = """
    ??????????????
    ??????????????
    ?????1112?????
    ?????1001?????
    ???111001?????
    ???100001?????
    ???111011?????
    ?????101??????
    ??????????????
    ??????????????
    """
OPENED = (slice(2, 8), slice(3, 9))
PLATE, PAGE = (32, 72, 63), (12, 34, 29)
"""Of little contrast: more of it shows where the board ends by itself."""


def plated(
    margin: int = 40, plate: tuple[int, int, int] = PLATE, extra: int = 0, noise: int = 0
) -> tuple[Picture, Grid, Grid]:
    """The board, its grid, and the part around the opened tiles; `extra`: px that the plate is too wide."""
    board = Board.from_text(TEXT)
    rows, columns = board.cells.shape
    page = np.full((rows * TILE + 2 * margin, columns * TILE + 2 * margin + extra, 3), PAGE, np.uint8)
    page[margin : margin + rows * TILE, margin : margin + columns * TILE + extra] = plate
    for (row, column), tile in np.ndenumerate(board.cells):
        if tile <= 8:
            y, x = margin + row * TILE, margin + column * TILE
            page[y : y + TILE, x : x + TILE] = PAGE
            page[y + 1 : y + TILE - 1, x + 1 : x + TILE - 1] = (200, 235, 215)
            if tile:
                colour = ((20, 30, 160), (20, 110, 30))[int(tile) - 1]
                put(page, str(tile), x + TILE / 2, y + TILE / 2, 0.6 * TILE, colour)
    if noise:
        rough = page + np.random.default_rng(1).integers(-noise, noise + 1, page.shape)
        page = np.clip(rough, 0, 255).astype(np.uint8)
    x, y = margin + TILE * np.arange(columns + 1.0), margin + TILE * np.arange(rows + 1.0)
    part = Grid(x[OPENED[1].start : OPENED[1].stop + 1], y[OPENED[0].start : OPENED[0].stop + 1])
    return page, Grid(x, y), part


@pytest.mark.parametrize("noise", [0, 4])
@pytest.mark.parametrize("margin", [3, 40, 51])
def test_a_plate_tells_how_far_the_board_reaches(margin: int, noise: int) -> None:
    picture, whole, part = plated(margin, noise=noise)
    (found,) = plain_covers(picture, part)
    np.testing.assert_allclose(found.x, whole.x, atol=1.5)
    np.testing.assert_allclose(found.y, whole.y, atol=1.5)


def test_a_lattice_that_is_a_little_off_is_fitted_to_the_plate() -> None:
    picture, whole, part = plated()
    off = Grid(part.x[0] + 2 + (part.x - part.x[0]) * 1.005, part.y[0] - 1 + (part.y - part.y[0]) * 0.997)
    (found,) = plain_covers(picture, off)
    np.testing.assert_allclose(found.x, whole.x, atol=1.5)
    np.testing.assert_allclose(found.y, whole.y, atol=1.5)


def test_a_plate_that_is_no_whole_number_of_tiles_wide_is_none() -> None:
    picture, _, part = plated(extra=TILE // 2)
    assert not list(plain_covers(picture, part))


def test_a_page_to_the_edges_of_the_picture_is_none() -> None:
    # Of whole tiles, so that nothing else speaks against it.
    picture, _, part = plated(margin=3 * TILE, plate=PAGE)
    assert not list(plain_covers(picture, part))


@pytest.mark.parametrize("off", [-0.5, 0.0, 0.4, 0.9])
def test_a_board_cropped_at_its_border_reaches_farther_at_the_other_sides(off: float) -> None:
    margin, width = 40, OPENED[1].start * TILE
    picture, whole, part = plated(margin)
    cropped = picture[:, margin + width :]
    (found,) = plain_covers(cropped, Grid(part.x - part.x[0] + off, part.y))
    assert (found.columns, found.rows) == (whole.columns - OPENED[1].start, whole.rows)


@pytest.mark.parametrize("size", [(2160, 3840), (4320, 7680)])
def test_the_plate_is_seen_in_a_large_picture(size: tuple[int, int]) -> None:
    picture, whole, part = plated()
    page = np.full((*size, 3), PAGE, np.uint8)
    page[900 : 900 + picture.shape[0], 1300 : 1300 + picture.shape[1]] = picture
    (found,) = plain_covers(page, Grid(part.x + 1300, part.y + 900))
    assert (found.columns, found.rows) == (whole.columns, whole.rows)


def test_thousands_of_plain_tiles_take_little_memory() -> None:
    """Compared pair by pair they would take gigabytes."""
    picture = np.full((900, 1300, 3), PLATE, np.uint8)
    grid = Grid(50 + 10 * np.arange(121.0), 50 + 10 * np.arange(81.0))
    tracemalloc.start()
    try:
        list(plain_covers(picture, grid))
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 100e6


def test_the_whole_board_has_nothing_to_add() -> None:
    picture, whole, _ = plated()
    assert not list(plain_covers(picture, whole))


@pytest.mark.parametrize("margin", [24, 40, 70])
def test_a_board_under_a_plate_is_read_whole_and_in_doubt(margin: int) -> None:
    picture, whole, _ = plated(margin)
    reading = read_board(picture, themes=())
    assert (reading.grid.columns, reading.grid.rows) == (whole.columns, whole.rows)
    np.testing.assert_allclose(reading.grid.x, whole.x, atol=2)
    assert np.array_equal(reading.board.cells, Board.from_text(TEXT).cells)
    assert reading.uncertain.all()


@pytest.mark.parametrize("margin", [24, 40, 70])
def test_with_its_width_such_a_board_is_certain(margin: int) -> None:
    picture, _, _ = plated(margin)
    reading = read_board(picture, 14, themes=())
    assert np.array_equal(reading.board.cells, Board.from_text(TEXT).cells)
    assert reading.uncertain.mean() < 0.1
