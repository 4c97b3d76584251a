"""How far boards without lines reach, oblong tiles, and boards cut by the picture's border."""

from __future__ import annotations

from typing import Any, cast

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from places import find_grids

from visionsweeper.geometry import Grid
from visionsweeper.vision.detection import tile_map
from visionsweeper.vision.detection.locate import locate
from visionsweeper.vision.networks import shipped_members
from visionsweeper.vision.part_tiles import sides_with_parts
from visionsweeper.vision.settling.doubts import cut_off

Picture = npt.NDArray[np.uint8]


def flat_board(columns: int, rows: int, width: int, height: int, seed: int, line: int = 0) -> Picture:
    """Tiles of two plain grounds, digits on the light ones; `line` is the width of the lines, px."""
    rng = np.random.default_rng(seed)
    board = np.full((rows * height, columns * width, 3), 118, np.uint8)
    opened = np.zeros((rows, columns), bool)
    for r in range(1, rows - 1):
        opened[r, int(rng.integers(1, 5)) : columns - int(rng.integers(0, 4))] = True
    opened &= rng.random(opened.shape) < 0.97
    for r, c in np.argwhere(opened):
        x, y = int(c) * width, int(r) * height
        board[y : y + height, x : x + width] = 228
        if rng.random() < 0.6:
            digit = int(rng.integers(1, 4))
            colour = ((0, 0, 220), (0, 120, 0), (210, 0, 0))[digit - 1]
            place = (x + width // 2 - 6, y + height // 2 + 6)
            cv2.putText(board, str(digit), place, cv2.FONT_HERSHEY_SIMPLEX, 0.55, colour, 2, cv2.LINE_AA)
    if line:
        for x in range(0, columns * width, width):
            board[:, x : x + line] = 60
        for y in range(0, rows * height, height):
            board[y : y + line] = 60
    return board


def window(board: Picture, left: int, top: int, right: int, bottom: int) -> Picture:
    sides = ((top, bottom), (left, right), (0, 0))
    return np.asarray(np.pad(board, sides, constant_values=200), np.uint8)


@pytest.mark.parametrize(("width", "height"), [(54, 37), (30, 44)])
def test_tiles_need_not_be_square(width: int, height: int) -> None:
    found = find_grids(window(flat_board(14, 10, width, height, 1, line=1), 33, 61, 15, 27))
    assert [(grid.columns, grid.rows) for grid in found] == [(14, 10)]
    assert found[0].box == pytest.approx((33, 61, 33 + 14 * width, 61 + 10 * height), abs=3)


def test_a_few_square_rows_of_the_told_width_do_not_end_the_search() -> None:
    few, board = flat_board(22, 3, 26, 26, 0, line=1), flat_board(22, 14, 26, 31, 50, line=1)
    ground = np.full((13, few.shape[1], 3), 240, np.uint8)
    place = locate(np.ascontiguousarray(np.vstack([few, ground, board])), 22)
    assert (place.grid.columns, place.grid.rows) == (22, 14)


def test_tiles_cut_by_the_pictures_border_are_told() -> None:
    grid = Grid(np.array([-14.0, 12, 38, 64]), np.array([0.0, 26, 52, 76]))
    told = cut_off(grid, (66, 64))
    assert told[:, 0].all()
    assert not told[:, 1:].any()  # of the last row 14 px of 26 are there
    assert sides_with_parts(grid, (66, 64)) == ("left", "bottom")
    assert sides_with_parts(grid, (75, 64)) == ("left",)


@pytest.mark.parametrize("shown", [0.55, 0.7, 0.8])
def test_a_scrolled_row_is_no_row_or_known_as_cut(shown: float) -> None:
    pitch = 30
    board = window(flat_board(12, 10, pitch, pitch, 4, line=1), 40, 0, 40, 50)
    picture = board[round((1 - shown) * pitch) :]
    place = locate(np.ascontiguousarray(picture))
    assert place.grid.columns == 12
    cut = sides_with_parts(place.grid, picture.shape)
    assert (place.grid.rows, cut) in {(9, ()), (10, ("top",))}
    # All tiles are in doubt where the place does not convince: with about half of the row in view it may not.
    assert place.convincing or shown < 0.6


def test_a_suspect_cut_is_doubted_everywhere() -> None:
    from dataclasses import dataclass  # a stand-in

    from visionsweeper.vision.settling.doubts import doubted

    @dataclass(frozen=True)
    class Read:
        grid: Grid
        confidence: npt.NDArray[np.float64]

    read = cast(Any, Read(Grid.even((0, 0, 120, 120), 6, 6), np.full((6, 6), 0.99)))
    assert (doubted(read, (120, 120), np.ones((6, 6), np.bool_)).confidence <= 0.5).all()
    assert (doubted(read, (120, 120)).confidence == 0.99).all()
    assert (doubted(read, (120, 112)).confidence == 0.99).all()
    assert (doubted(read, (120, 108)).confidence[:, -1] <= 0.5).all()


@pytest.mark.parametrize("at_once", [1, 250, 500_000], ids=["row by row", "two rows, then one", "at once"])
def test_the_tile_map_halves_a_sheet_by_a_convolution(monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    monkeypatch.setattr(tile_map, "_AT_ONCE", at_once)
    rng = np.random.default_rng(3)
    sheet = rng.normal(size=(14, 10, 3)).astype(np.float32)
    weights, bias = rng.normal(size=(4, 4, 3, 5)).astype(np.float32), rng.normal(size=5).astype(np.float32)
    padded = np.pad(sheet, ((1, 1), (1, 1), (0, 0)))
    expected = [
        [np.einsum("ijc,ijco->o", padded[y : y + 4, x : x + 4], weights) + bias for x in range(0, 10, 2)]
        for y in range(0, 14, 2)
    ]
    halved = tile_map._halved(sheet, weights, bias)
    np.testing.assert_allclose(halved, np.maximum(expected, 0), atol=1e-4)


def test_the_mean_of_what_the_networks_say_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    image = np.random.default_rng(0).integers(0, 256, (120, 160, 3), dtype=np.uint8)
    lattice = Grid(np.arange(0.0, 161.0, 20.0), np.arange(0.0, 121.0, 20.0))
    members = shipped_members("tile_map", format=tile_map.FORMAT)
    both = tile_map.map_tiles(image, lattice)
    alone = []
    for member in members:
        monkeypatch.setattr(tile_map, "shipped_members", lambda *_, one=member, **__: (one,))
        alone.append(tile_map.map_tiles(image, lattice))
    assert len(alone) == 2
    for part in ("inside", "beside", "below"):
        first, second = (getattr(each, part) for each in alone)
        assert not np.allclose(first, second)
        np.testing.assert_allclose(getattr(both, part), (first + second) / 2, atol=1e-4)
