"""Lattices told by where digits and marks stand, where nothing is seen of the tiles themselves."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from visionsweeper import read_board
from visionsweeper.geometry import Grid
from visionsweeper.synthetic.positions import random_position
from visionsweeper.vision.detection import periodicity
from visionsweeper.vision.detection.glyph_grid import glyph_grids

Picture = npt.NDArray[np.uint8]


def put(picture: Picture, text: str, x: float, y: float, height: float, colour: tuple[int, int, int]) -> None:
    """Write with its middle there."""
    font, scale = cv2.FONT_HERSHEY_SIMPLEX, height / 22
    (wide, high), _ = cv2.getTextSize(text, font, scale, 2)
    cv2.putText(
        picture, text, (round(x - wide / 2), round(y + high / 2)), font, scale, colour, 2, cv2.LINE_AA
    )


def scattered(pitch: tuple[float, float], rng: np.random.Generator) -> tuple[Picture, Grid]:
    """Digits in half of a 14x9 lattice without lines, not quite in the middles; letters around it."""
    columns, rows = 14, 9
    left, top = rng.uniform(60, 90, 2)
    width, height = round(columns * pitch[0] + left + 80), round(rows * pitch[1] + top + 80)
    picture = np.full((height, width, 3), 235, np.uint8)
    size = 0.5 * min(pitch)
    for row, column in np.argwhere(rng.random((rows, columns)) < 0.5):
        off = rng.uniform(-0.06, 0.06, 2) * pitch
        x, y = left + (column + 0.5) * pitch[0] + off[0], top + (row + 0.5) * pitch[1] + off[1]
        put(picture, str(rng.integers(1, 6)), x, y, size, (20, 40, 160))
    for _ in range(12):
        letter, x, y = "RTM"[rng.integers(3)], rng.uniform(10, width), rng.choice([20, height - 25])
        put(picture, letter, x, y, size, (0, 0, 0))
    return picture, Grid(left + pitch[0] * np.arange(columns + 1), top + pitch[1] * np.arange(rows + 1))


def off_lattice(found: Grid, truth: Grid) -> float:
    """How far the borders of the truth lie from those of a lattice that is continued, tiles at most."""
    far = 0.0
    for mine, theirs, pitch in ((found.x, truth.x, found.pitch_x), (found.y, truth.y, found.pitch_y)):
        phase = (theirs - mine[0]) / pitch
        far = max(far, float(np.abs(phase - np.rint(phase)).max()))
    return far


def steps_of(picture: Picture) -> tuple[Picture, Picture]:
    return periodicity.steps(picture, 1), periodicity.steps(picture, 0)


@pytest.mark.parametrize("pitch", [(30.0, 30.0), (23.4, 23.4), (18.0, 32.0), (41.0, 29.5), (52.3, 52.3)])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_where_digits_stand_tells_the_lattice(pitch: tuple[float, float], seed: int) -> None:
    picture, truth = scattered(pitch, np.random.default_rng(seed))
    near = [
        found
        for found in glyph_grids(steps_of(picture), 4)
        if (found.pitch_x, found.pitch_y) == pytest.approx(pitch, rel=0.015)
    ]
    assert len(near) == 1
    assert off_lattice(near[0], truth) < 0.2


@pytest.mark.parametrize(("columns", "rows"), [(30, 20), (30, 24), (40, 24), (41, 30)])
def test_a_glyph_in_every_cell_of_a_large_board(columns: int, rows: int) -> None:
    """More than are looked at."""
    rng = np.random.default_rng(5)
    picture = np.full((rows * 16 + 40, columns * 16 + 60, 3), 20, np.uint8)
    for row, column in np.ndindex(rows, columns):
        put(picture, "#123"[rng.integers(4)], 30 + 16 * column + 8, 20 + 16 * row + 8, 9, (210, 220, 190))
    truth = Grid(30 + 16 * np.arange(columns + 1.0), 20 + 16 * np.arange(rows + 1.0))
    pitches = [(each.pitch_x, each.pitch_y, each) for each in glyph_grids(steps_of(picture), 3)]
    near = [each for x, y, each in pitches if (x, y) == pytest.approx((16, 16), rel=0.01)]
    assert near
    assert off_lattice(near[0], truth) < 0.25


def test_no_more_lattices_than_asked_for_all_different() -> None:
    picture, _ = scattered((30.0, 30.0), np.random.default_rng(4))
    found = list(glyph_grids(steps_of(picture), 3))
    assert 1 <= len(found) <= 3
    pitches = [(round(each.pitch_x, 1), round(each.pitch_y, 1)) for each in found]
    assert len(set(pitches)) == len(pitches)


@pytest.mark.parametrize("colour", [0, 128, 255])
def test_plain_pictures_show_none(colour: int) -> None:
    assert not list(glyph_grids(steps_of(np.full((200, 300, 3), colour, np.uint8)), 3))


def painted(tile: int, seed: int) -> tuple[Picture, Grid]:
    """An 11x9 board in one landscape: covered tiles are a darker texture, no two tiles look alike."""
    rng = np.random.default_rng(seed)
    cells = random_position(rng, size=(9, 11))
    page = np.full((9 * tile + 120, 11 * tile + 100, 3), 225, np.float64)
    texture = cv2.GaussianBlur(rng.normal(0, 60, page.shape), (0, 0), 2.5)
    grain = cv2.GaussianBlur(rng.normal(0, 30, page.shape[:2]), (0, 0), 1.0)[..., None]
    left, top = 40, 70
    board = (slice(top, top + 9 * tile), slice(left, left + 11 * tile))
    covered = np.kron(cells > 8, np.ones((tile, tile)))[..., None]
    page[board] = covered * (70, 110, 60) + (1 - covered) * (205, 190, 150)
    page[board] += texture[board] * 1.5 + grain[board]
    picture = np.clip(page, 0, 255).astype(np.uint8)
    colours = ((30, 50, 180), (20, 90, 20), (170, 20, 20), (20, 20, 90), (90, 10, 10), (0, 90, 90))
    for (row, column), number in np.ndenumerate(cells):
        if 1 <= number <= 8:
            x, y = left + (column + 0.5) * tile, top + (row + 0.5) * tile
            off = rng.uniform(-2, 2, 2)
            put(picture, str(number), x + off[0], y + off[1], 0.55 * tile, colours[min(int(number), 6) - 1])
    return picture, Grid(left + tile * np.arange(12.0), top + tile * np.arange(10.0))


@pytest.mark.parametrize(("tile", "seed"), [(40, 1), (40, 2), (34, 3), (46, 4), (52, 5)])
def test_a_painted_board_is_found(tile: int, seed: int) -> None:
    picture, truth = painted(tile, seed)
    reading = read_board(picture, themes=())
    assert (reading.grid.columns, reading.grid.rows) == (11, 9)
    assert off_lattice(reading.grid, truth) < 0.2
