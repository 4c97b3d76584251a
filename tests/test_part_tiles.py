"""Crops that cut into the outermost tiles: these count, and are read as what is seen of them allows."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from visionsweeper import Board, read_board
from visionsweeper.geometry import Grid
from visionsweeper.io.images import load_image
from visionsweeper.vision.cutting import cut_tiles
from visionsweeper.vision.detection.locate import locate
from visionsweeper.vision.part_tiles import cut_sides, whole_tiles, with_part_tiles
from visionsweeper.vision.tiles.completion import completed

SAMPLES = Path(__file__).parents[1] / "samples"

Picture = npt.NDArray[np.uint8]


def _sample(name: str) -> tuple[Picture, Grid, Board]:
    picture, board = (
        load_image(SAMPLES / f"{name}.png"),
        Board.from_text((SAMPLES / f"{name}.txt").read_text()),
    )
    whole = (0, 0, picture.shape[1], picture.shape[0])
    return picture, Grid.even(whole, board.columns, board.rows), board


def _cut_by(share: float, picture: Picture, grid: Grid) -> tuple[Picture, Grid]:
    """The picture without that share of the outermost tiles at each side, and the grid in it."""
    across, down = round(share * grid.pitch_x), round(share * grid.pitch_y)
    part = picture[down : picture.shape[0] - down, across : picture.shape[1] - across]
    return np.ascontiguousarray(part), Grid(grid.x - across, grid.y - down)


def _off(some: Picture, others: Picture) -> npt.NDArray[np.float64]:
    return np.asarray(np.abs(some.astype(np.float64) - others).mean(axis=(1, 2, 3)))


@pytest.mark.parametrize("share", [0.1, 0.3, 0.48])
def test_part_tiles_are_completed_by_what_the_whole_picture_shows_there(share: float) -> None:
    picture, grid, _ = _sample("expert")
    part, moved = _cut_by(share, picture, grid)
    expected, cut = cut_tiles(picture, grid), cut_tiles(part, moved)
    made = completed(cut, moved, part.shape)
    row, column = np.divmod(np.arange(len(cut)), grid.columns)
    outer = (row == 0) | (row == grid.rows - 1) | (column == 0) | (column == grid.columns - 1)
    assert (made[~outer] == cut[~outer]).all()
    off = _off(made[outer], expected[outer])
    assert (off < 6).mean() > 0.9
    assert off.mean() < 0.6 * _off(cut[outer], expected[outer]).mean()


def test_what_is_seen_of_a_part_tile_stays_and_so_does_one_without_a_look_alike() -> None:
    picture, grid, _ = _sample("expert")
    part, moved = _cut_by(0.5, picture, grid)
    noise = np.random.default_rng(1).integers(0, 256, (round(grid.pitch_y / 2), 40, 3))
    part[: len(noise), 200:240] = noise
    cut = cut_tiles(part, moved)
    made = completed(cut, moved, part.shape)
    strange = int((220 - moved.x[0]) / grid.pitch_x)
    assert (made[strange] == cut[strange]).all()
    top = slice(1, grid.columns - 1)
    assert (made[top, 17:] == cut[top, 17:]).all()


def test_whole_tiles_are_left_as_they_are() -> None:
    picture, grid, _ = _sample("expert")
    tiles = cut_tiles(picture, grid)
    assert completed(tiles, grid, picture.shape) is tiles


@pytest.mark.slow
@pytest.mark.parametrize("name", ["expert", "lost", "intermediate-dark", "beginner-flat"])
@pytest.mark.parametrize("share", [0.25, 0.45])
def test_a_rough_crop_with_its_width_is_read_as_the_whole_board(name: str, share: float) -> None:
    picture, grid, board = _sample(name)
    part, _ = _cut_by(share, picture, grid)
    reading = read_board(part, board.columns, themes=())
    assert (reading.board.columns, reading.board.rows) == (board.columns, board.rows)
    sure = ~reading.uncertain
    assert (reading.board.cells == board.cells)[sure].all()
    assert sure.mean() > 0.9


@pytest.mark.slow
@pytest.mark.parametrize("name", ["expert", "intermediate-dark"])
@pytest.mark.parametrize("share", [0.45, 0.6])
def test_a_rough_crop_with_nothing_given_is_read_as_a_part_that_goes_on(name: str, share: float) -> None:
    picture, grid, board = _sample(name)
    part, moved = _cut_by(share, picture, grid)
    reading = read_board(part, themes=())
    assert reading.board.continues == ("left", "right", "top", "bottom")
    column, row = (
        int(np.abs(edges - start).argmin())
        for edges, start in zip((moved.x, moved.y), reading.box[:2], strict=True)
    )
    shown = board.cells[row : row + reading.board.rows, column : column + reading.board.columns]
    assert shown.size >= (board.columns - 2) * (board.rows - 2)
    sure = ~reading.uncertain
    assert (reading.board.cells == shown)[sure].all()
    assert sure.mean() > 0.9


@pytest.mark.slow
@pytest.mark.parametrize("name", ["expert", "intermediate-dark"])
def test_a_margin_as_wide_as_what_is_seen_of_a_cut_tile_is_none(name: str) -> None:
    """Between a plain strip at one side and part tiles at the other, their look decides."""
    picture, grid, board = _sample(name)
    strip = round(0.8 * grid.pitch_x)
    page = np.full((picture.shape[0], strip, 3), picture[0, 0], np.uint8)
    shown = round(grid.x[-2] + 0.7 * grid.pitch_x)
    place = locate(np.concatenate([page, picture[:, :shown]], axis=1), board.columns)
    assert place.grid.columns == board.columns
    assert place.grid.x[0] == pytest.approx(strip, abs=0.15 * grid.pitch_x)


def test_along_a_known_size_the_part_tiles_seen_the_most_make_it_up() -> None:
    picture, grid, _ = _sample("expert")
    left, right = round(0.6 * grid.pitch_x), round(0.3 * grid.pitch_x)
    part = np.ascontiguousarray(picture[:, left : picture.shape[1] - right])
    inner = Grid(grid.x[1:-1] - left, grid.y)
    both = with_part_tiles(part, inner, 30, None)
    assert both is not None
    assert (both.columns, both.rows) == (30, 16)
    one = with_part_tiles(part, inner, 29, None)
    assert one is not None
    assert one.x[0] == pytest.approx(inner.x[0])
    assert with_part_tiles(part, inner, 31, None) is None
    # The same of a board that has part tiles already, though the wrong one of two.
    shifted = Grid(grid.x[:-1] - left, grid.y)
    again = with_part_tiles(part, shifted, 29, None)
    assert again is not None
    assert again.x == pytest.approx(one.x)


def test_whole_tiles_of_a_cut_grid() -> None:
    grid = Grid(np.array([-6.0, 20, 46, 72]), np.array([-2.0, 24, 50, 76]))
    inner = whole_tiles(grid, (76, 60))
    assert inner.x.tolist() == [20, 46]
    assert inner.y.tolist() == [-2, 24, 50, 76]


def _on_paper(pitch: int, columns: int, rows: int, margin: int) -> tuple[Picture, Grid]:
    """Opened tiles with heavy lines between them on finely squared paper, some of which lies below."""
    paper = np.full((rows * pitch + margin, columns * pitch, 3), 250, np.uint8)
    paper[:: pitch // 3] = paper[:, :: pitch // 3] = (200, 220, 235)
    grid = Grid(pitch * np.arange(columns + 1.0), pitch * np.arange(rows + 1.0))
    for edge in grid.x[1:-1].astype(int):
        paper[: rows * pitch, edge - 1 : edge + 2] = 40
    for edge in grid.y[1:].astype(int):
        paper[edge - 1 : edge + 2] = 40
    rng = np.random.default_rng(4)
    for row, column in np.argwhere(rng.random((rows, columns)) < 0.4):
        at = column * pitch + pitch // 3, row * pitch + 2 * pitch // 3
        cv2.putText(paper, str(rng.integers(1, 4)), at, cv2.FONT_HERSHEY_SIMPLEX, 0.6, (30, 60, 200), 2)
    return paper, grid


@pytest.mark.parametrize("share", [0.45, 0.6, 0.85])
def test_paper_below_a_board_is_no_row_that_the_picture_cuts(share: float) -> None:
    """It looks like opened tiles, but no lines between tiles go on in it."""
    picture, grid = _on_paper(42, 8, 8, round(share * 42))
    assert "bottom" not in cut_sides(picture, grid)
    whole, _ = _on_paper(42, 8, 9, 0)
    cut = np.ascontiguousarray(whole[: 8 * 42 + round(share * 42)])
    assert "bottom" in cut_sides(cut, grid)


@pytest.mark.parametrize("off", [-1, 1])
def test_a_row_is_cut_though_the_border_before_it_is_a_pixel_off(off: int) -> None:
    """As in games that stretch their tiles, where each border is rounded by itself."""
    picture, grid, _ = _sample("expert")
    middle, end = round(grid.y[-3] + grid.pitch_y / 2), round(grid.y[-1] - 0.4 * grid.pitch_y)
    # The last whole row is a pixel higher or lower than the others.
    cut = np.concatenate([picture[:middle], picture[middle - min(off, 0) - max(off, 0) : end]])
    assert "bottom" in cut_sides(cut, Grid(grid.x, grid.y[:-1]))


def test_rows_count_though_what_is_seen_of_a_column_looks_like_no_tile() -> None:
    """With the width given all its columns are there: rows that the picture cuts are asked by themselves."""
    picture, grid, board = _sample("expert")
    across, down = round(0.4 * grid.pitch_x), round(0.45 * grid.pitch_y)
    cut = np.ascontiguousarray(picture[down : picture.shape[0] - down, across:])
    cut[:, : round(grid.x[1]) - across] = np.random.default_rng(2).integers(
        0, 256, (len(cut), round(grid.x[1]) - across, 3)
    )
    moved = Grid(grid.x - across, grid.y[1:-1] - down)
    found = with_part_tiles(cut, moved, board.columns, None)
    assert found is not None
    assert (found.columns, found.rows) == (board.columns, board.rows)


def test_the_cut_itself_stays_where_more_is_seen_of_its_tiles() -> None:
    """Soft shadows at the left look like parts of tiles; a pitch a little off hides the ones at the right."""
    image = np.full((360, 360, 3), 255, np.uint8)
    covered = [(0, 0), (0, 1), (0, 6), (0, 7), (1, 1), (1, 2), (1, 6), (1, 7), (2, 0), (2, 5), (3, 0), (4, 4)]
    for colour in ((200, 190, 250), (124, 92, 255)):
        image = np.asarray(cv2.GaussianBlur(image, (0, 0), 3), np.uint8)
        for row, column in covered:
            x, y = 15 + 45 * column, 3 + 45 * row
            cv2.rectangle(image, (x, y), (x + 39, y + 39), colour, -1)
    seen = np.ascontiguousarray(image[:, :352], dtype=np.uint8)
    found = with_part_tiles(seen, Grid.even((14.3, 0, 366.3, 360), 8, 8), 8, None)
    assert found is not None
    assert found.x[0] == pytest.approx(14.3)
