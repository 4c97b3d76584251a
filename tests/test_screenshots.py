"""What happens to screenshots: what is touched, what is hidden, and that a seed repeats it."""

from __future__ import annotations

import numpy as np
import pytest

from visionsweeper.board import COVERED
from visionsweeper.geometry import Grid
from visionsweeper.synthetic import draw, find_fonts, random_position, random_theme, screenshot
from visionsweeper.synthetic.degradation import compressed, grayed, inverted, scaled, toned
from visionsweeper.synthetic.occlusion import (
    highlighted,
    hovered,
    overlaid,
    pressed,
    random_occlusion,
    with_pointer,
)
from visionsweeper.synthetic.photo import photographed, tilt, warped
from visionsweeper.vision.cutting import cut_tiles

GRID = Grid.even((0, 0, 240, 160), 12, 8)


def board() -> np.ndarray:
    image = np.full((160, 240, 3), 150, np.uint8)
    image[::20] = image[:, ::20] = 90
    return image


def changed_tiles(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    return np.asarray((before != after).any(axis=2).reshape(8, 20, 12, 20).any(axis=(1, 3)))


@pytest.mark.parametrize(
    "occlude",
    [
        lambda image: with_pointer(image, GRID, (70, 50), 24),
        lambda image: with_pointer(image, GRID, (228, 148), 24, light=False, hand=True),
        lambda image: hovered(image, GRID, (2, 3)),
        lambda image: hovered(image, GRID, (7, 11), -0.2),
        lambda image: pressed(image, GRID, (2, 3)),
        lambda image: highlighted(image, GRID, (2, 3), (250, 0, 0), 2),
        lambda image: overlaid(image, GRID, (130, 100, 400, 400)),
    ],
)
def test_only_touched_tiles_differ_and_hidden_ones_are_touched(occlude) -> None:
    image = board()
    result = occlude(image)
    assert (image == board()).all()
    differ = changed_tiles(image, result.image)
    assert differ.any()
    # A few pixels of a pointer's tail do not make a tile another one.
    assert not (result.touched & ~differ).any()
    stray = (image != result.image).any(axis=2).reshape(8, 20, 12, 20).mean(axis=(1, 3))[~result.touched]
    assert stray.max() <= 0.02
    assert not (result.hidden & ~result.touched).any()


def test_an_opaque_box_hides_the_tiles_under_it_and_a_faint_one_does_not() -> None:
    box = (120, 80, 240, 160)
    hidden = overlaid(board(), GRID, box, opacity=1.0).hidden
    assert hidden[4:, 6:].all()
    assert hidden.sum() == 24
    assert not overlaid(board(), GRID, box, opacity=0.4).hidden.any()


def test_a_large_pointer_hides_a_small_tile_and_a_small_one_does_not() -> None:
    assert with_pointer(board(), GRID, (62, 42), 40).hidden[2, 3]
    assert not with_pointer(board(), GRID, (72, 52), 10).hidden.any()


@pytest.mark.parametrize("seed", range(30))
def test_any_occlusion_fits_any_board(seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels = random_position(rng, size=(1 + seed % 8, 12))
    image = rng.integers(0, 256, (labels.shape[0] * 13, 150, 3)).astype(np.uint8)
    grid = Grid.even((0, 0, 150, labels.shape[0] * 13), 12, labels.shape[0])
    result = random_occlusion(image, grid, labels == COVERED, labels == 0, rng)
    assert result.image.shape == image.shape
    assert result.touched.shape == result.hidden.shape == labels.shape


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_so_many_screenshots_have_something_over_their_tiles(share: float) -> None:
    touched = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        position = random_position(rng, size=(8, 8))
        drawing = draw(random_theme(rng, find_fonts([])), position, rng)
        touched += bool(screenshot(drawing, position, rng, occluded=share).touched.any())
    assert abs(touched / 40 - share) <= (0.25 if 0 < share < 1 else 0.05)


@pytest.mark.slow
def test_same_seed_same_screenshot_and_the_grid_goes_along() -> None:
    fonts = find_fonts([])
    differing = 0
    for seed in range(40):
        shots = []
        for _ in range(2):
            rng = np.random.default_rng(seed)
            labels = random_position(rng, size=(6, 7))
            drawing = draw(random_theme(rng, fonts), labels, rng)
            shots.append(screenshot(drawing, labels, rng))
        one, two = shots
        assert np.array_equal(one.drawing.image, two.drawing.image)
        assert np.array_equal(one.drawing.grid.x, two.drawing.grid.x)
        assert np.array_equal(one.touched, two.touched)
        height, width = one.drawing.image.shape[:2]
        assert one.drawing.grid.box == pytest.approx((0, 0, width, height))
        assert min(one.drawing.grid.pitch_x, one.drawing.grid.pitch_y) > 9
        assert not one.drawing.image.flags.writeable
        differing += one.drawing.image.shape != drawing.image.shape
    assert 0 < differing < 15


def test_degradation_of_whole_pictures_does_what_it_says() -> None:
    image = np.random.default_rng(1).integers(0, 256, (40, 60, 3)).astype(np.uint8)
    assert (inverted(inverted(image)) == image).all()
    gray = grayed(image)
    assert (gray[..., 0] == gray[..., 1]).all()
    assert (gray[..., 0] == gray[..., 2]).all()
    assert (toned(image, 1.0) == image).all()
    assert (toned(image, 1.0, (1, 1, 0.5))[..., 2] == image[..., 2] // 2).all()
    assert (toned(image, 1.4).astype(int) <= image).all()
    assert scaled(image, 1.5, "linear").shape == (60, 90, 3)
    smooth = np.repeat(np.linspace(0, 255, 60).astype(np.uint8)[None, :, None], 40, axis=0).repeat(3, axis=2)
    for kind in ("jpeg", "webp"):
        rough = [np.abs(compressed(smooth, kind, q).astype(int) - smooth).mean() for q in (20, 95)]
        assert rough[1] < rough[0] < 10


def test_a_tilted_picture_is_whole_and_comes_back() -> None:
    image = np.full((120, 200, 3), 200, np.uint8)
    image[30:50, 60:90] = (10, 60, 200)
    matrix, size = tilt((200, 120), 1.5, (0.04, 0.02), margin=5)
    corners = np.array([(0, 0, 1), (200, 0, 1), (200, 120, 1), (0, 120, 1)]) @ matrix.T
    corners = corners[:, :2] / corners[:, 2:]
    assert corners.min() >= 4.9
    assert (corners <= np.array(size) - 4.9).all()
    top, bottom = corners[1] - corners[0], corners[2] - corners[3]
    assert 0.3 < np.degrees(np.arctan2(top[1], top[0])) < 2.7
    assert np.hypot(*bottom) < np.hypot(*top)
    inverse = np.linalg.inv(matrix).astype(float)
    back = warped(warped(image, matrix, size, (0, 0, 0)), inverse, (200, 120), (0, 0, 0))
    assert np.abs(back[4:-4, 4:-4].astype(int) - image[4:-4, 4:-4]).mean() < 1
    tile = cut_tiles(back, Grid(np.array([62.0, 88.0]), np.array([32.0, 48.0])))[0]
    assert np.abs(tile.astype(int) - (10, 60, 200)).mean() < 3
    photo = photographed(image, np.random.default_rng(2))
    assert photo.shape == image.shape
    assert 0 < np.abs(photo.astype(int) - image).mean() < 25
