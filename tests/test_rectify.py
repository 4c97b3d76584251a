"""Photos of screens are put upright; screenshots are left alone."""

from __future__ import annotations

import numpy as np
import pytest
from outside_data import SCREENS, needs

from visionsweeper import Board, read_board
from visionsweeper.drawing.board import draw_board
from visionsweeper.io.images import load_image
from visionsweeper.pipeline import analyse, picture
from visionsweeper.synthetic.degradation import compressed, scaled
from visionsweeper.synthetic.photo import photographed, tilt, warped
from visionsweeper.vision.detection.rectify import upright


def board(columns: int = 16, rows: int = 12, pitch: int = 28) -> np.ndarray:
    rng = np.random.default_rng(4)
    image = np.full((rows * pitch, columns * pitch, 3), 190, np.uint8)
    image[::pitch] = image[:, ::pitch] = 100
    for row, column in np.ndindex(rows, columns):
        if rng.random() < 0.5:
            y, x = row * pitch + 7, column * pitch + 9
            image[y : y + 15, x : x + 8] = rng.integers(0, 255, 3)
    return image


@pytest.mark.parametrize(
    ("degrees", "keystone"),
    [(1.5, (0, 0)), (-1.5, (0, 0)), (3.0, (0, 0)), (0.7, (0.03, -0.03)), (-1.0, (0.05, 0.04))],
)
@pytest.mark.parametrize("margin", [0, 40])
def test_a_tilted_board_comes_upright(degrees: float, keystone: tuple[float, float], margin: int) -> None:
    image = board()
    height, width = image.shape[:2]
    matrix, size = tilt((width, height), degrees, keystone, margin)
    photo = photographed(warped(image, matrix, size, (60, 60, 60)), np.random.default_rng(1))
    found = upright(photo)
    assert found.matrix is not None
    lines = np.array(
        [(0, 0, 1), (width, 0, 1), (width, height, 1), (0, height, 1), (width / 2, height / 2, 1)]
    )
    there = lines @ (found.matrix @ matrix).T
    there = there[:, :2] / there[:, 2:]
    # Level sides, to a tenth of a tile; and a middle in the middle.
    for a, b, axis in ((0, 1, 1), (3, 2, 1), (0, 3, 0), (1, 2, 0)):
        assert abs(there[a, axis] - there[b, axis]) < 2.8
    np.testing.assert_allclose(there[4], there[:4].mean(axis=0), atol=2)
    # The picture's sides are where the board's are: what a crop around it spans is the board.
    expected = (margin, margin, found.image.shape[1] - margin, found.image.shape[0] - margin)
    np.testing.assert_allclose([*there[0], *there[2]], expected, atol=5)
    x0, y0, x1, y1 = found.box((0, 0, size[0], size[1]))
    np.testing.assert_allclose((x0, y0, x1, y1), (0, 0, *found.image.shape[1::-1]), atol=1)


def test_straight_pictures_are_not_touched() -> None:
    image = board()
    for straight in (
        image,
        scaled(image, 1.37, "linear"),
        scaled(image, 0.55, "area"),
        compressed(image, "jpeg", 60),
        compressed(image, "webp", 60),
        image[5:, 3:-2].copy(),
        photographed(image, np.random.default_rng(2)),
    ):
        found = upright(straight)
        assert found.image is straight
        assert found.matrix is None
        assert found.box((1, 2, 3, 4)) == (1, 2, 3, 4)


@pytest.mark.parametrize("size", [(1, 1), (3, 900), (900, 3), (64, 64), (70, 2000)])
def test_any_picture_will_do(size: tuple[int, int]) -> None:
    noise = np.random.default_rng(3).integers(0, 256, (*size, 3)).astype(np.uint8)
    for image in (noise, np.zeros_like(noise)):
        assert upright(image).image is image


@needs(SCREENS)
def test_real_screenshots_are_left_alone() -> None:
    crops = sorted(path for path in SCREENS.glob("*/*.png") if not path.name.endswith(".full.png"))
    wholes = sorted(SCREENS.glob("*/*.full.png"))
    for path in (*crops[::3], *wholes[::9]):
        assert upright(load_image(path)).matrix is None, path.name


def test_a_photographed_board_is_read_and_drawn_upright() -> None:
    rows = ["1?1001??", "111112??", "00001???", "01111???", "01?1123?", "1211001?", "1F100011", "11100000"]
    truth = Board.from_text("\n".join(rows))
    drawn, grid = draw_board(truth)
    matrix, size = tilt((drawn.shape[1], drawn.shape[0]), 2.0)
    photo = warped(drawn, matrix, size, (250, 250, 250))
    reading = read_board(photo, 8, 8, themes=())
    assert reading.turned is not None
    assert reading.turned.shape != photo.shape
    assert reading.box == pytest.approx(grid.box, abs=0.12 * grid.pitch_x)
    shown = picture(analyse(reading, mines=5), photo)[: reading.turned.shape[0]]  # below is the legend
    np.testing.assert_array_equal(shown[0], reading.turned[0])
    np.testing.assert_array_equal(shown[:, 0], reading.turned[:, 0])
    straight = read_board(drawn, 8, 8, themes=())
    assert straight.turned is None
    np.testing.assert_array_equal(straight.board.cells, truth.cells)
    np.testing.assert_array_equal(reading.board.cells, truth.cells)
