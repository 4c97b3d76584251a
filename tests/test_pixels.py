"""What the convolutional part of a group network sees, and that it computes what convolutions are."""

from __future__ import annotations

import itertools

import cv2
import numpy as np

from visionsweeper.board import COVERED
from visionsweeper.vision.tiles.features import to_lab
from visionsweeper.vision.tiles.pixels import CHANNELS, described, pictures_of

DEPTHS = (CHANNELS, 6, 7, 8, 9)
SEEN = 11


def some_weights(seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    net = {}
    for layer, (few, more) in enumerate(itertools.pairwise(DEPTHS)):
        net[f"pixels.conv{layer}.weight"] = rng.normal(0, 0.3, (9 * few, more)).astype(np.float32)
        net[f"pixels.conv{layer}.bias"] = rng.normal(0, 0.3, more).astype(np.float32)
    net["pixels.out.weight"] = rng.normal(0, 0.1, (16 * DEPTHS[-1], SEEN)).astype(np.float32)
    net["pixels.out.bias"] = rng.normal(0, 0.1, SEEN).astype(np.float32)
    return net


def filtered(picture: np.ndarray, net: dict[str, np.ndarray]) -> np.ndarray:
    """What `described` says of one picture, by OpenCV's filters."""
    x = picture
    for layer, (few, more) in enumerate(itertools.pairwise(DEPTHS)):
        kernels = net[f"pixels.conv{layer}.weight"].reshape(3, 3, few, more)
        sums = [
            sum(
                cv2.filter2D(x[..., i], cv2.CV_32F, kernels[..., i, o], borderType=cv2.BORDER_CONSTANT)
                for i in range(few)
            )
            for o in range(more)
        ]
        x = np.maximum(np.stack(sums, axis=-1) + net[f"pixels.conv{layer}.bias"], 0.0)
        if layer < len(DEPTHS) - 2:
            half = len(x) // 2
            x = x.reshape(half, 2, half, 2, more).max(axis=(1, 3))
    seen: np.ndarray = np.maximum(x.ravel() @ net["pixels.out.weight"] + net["pixels.out.bias"], 0.0)
    return seen


def test_convolutions_are_those_of_opencv() -> None:
    net = some_weights(1)
    pictures = np.random.default_rng(2).normal(0, 1, (19, 32, 32, CHANNELS)).astype(np.float32)
    expected = np.stack([filtered(picture, net) for picture in pictures])
    assert (expected > 0).any()
    np.testing.assert_allclose(described(net, pictures), expected, rtol=1e-3, atol=1e-3)


def test_a_picture_shows_the_mean_tile_and_how_it_differs_from_the_blanks() -> None:
    plain, marked = np.full((32, 32, 3), 200, np.uint8), np.full((32, 32, 3), 200, np.uint8)
    opened = np.full((32, 32, 3), 90, np.uint8)
    marked[10:20, 10:20] = (255, 0, 0)
    tiles = np.stack([plain, marked, plain, opened])
    groups = np.array([0, 1, 0, 2])
    logs = np.full((3, 14), -30.0, np.float32)
    logs[0, COVERED] = logs[2, 0] = logs[1, 10] = 0.0
    pictures = pictures_of(tiles, groups, logs)
    assert pictures.shape == (3, 32, 32, CHANNELS)
    lab = to_lab(tiles)
    np.testing.assert_allclose(pictures[1, ..., 1:3], lab[1, ..., 1:] / 50.0, atol=1e-4)
    np.testing.assert_allclose(pictures[0, ..., 0], lab[0, ..., 0] / 50.0 - 1.0, atol=1e-4)
    covered, blank = pictures[..., 3], pictures[..., 4]
    assert (covered[0] < 0.01).all()
    assert (blank[2] < 0.01).all()
    assert (blank[0] > 0.5).all()
    assert (covered[1, 10:20, 10:20] > 0.9).all()
    outside = covered[1].copy()
    outside[10:20, 10:20] = 0.0
    assert (outside < 0.01).all()


def test_a_group_is_seen_as_the_mean_of_its_tiles() -> None:
    rng = np.random.default_rng(3)
    tiles = rng.integers(0, 256, (5, 32, 32, 3), dtype=np.uint8)
    logs = np.log(rng.random((1, 14)).astype(np.float32))
    alone = pictures_of(np.round(tiles.mean(axis=0)).astype(np.uint8)[None], np.array([0]), logs)
    together = pictures_of(tiles, np.zeros(5, np.intp), logs)
    np.testing.assert_allclose(together[..., :3], alone[..., :3], atol=0.02)


def test_lab_is_that_of_opencv() -> None:
    pixels = np.random.default_rng(4).integers(0, 256, (60, 16, 16, 3), np.uint8)
    expected = cv2.cvtColor(pixels.reshape(-1, 16, 3).astype(np.float32) / 255, cv2.COLOR_RGB2LAB)
    assert np.abs(to_lab(pixels).reshape(expected.shape) - expected).max() < 0.6
    assert np.abs(to_lab(pixels).reshape(expected.shape) - expected).mean() < 0.2
