"""The arithmetic that is done in a fast way, against the same done in the plain one."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from visionsweeper.vision.detection import tile_map
from visionsweeper.vision.networks import shipped_members
from visionsweeper.vision.tiles.features import to_lab

Floats = npt.NDArray[np.float32]


def plainly_halved(x: Floats, weights: Floats, bias: Floats) -> npt.NDArray[np.float64]:
    """The convolution as it is defined, place by place."""
    padded = np.pad(x, ((1, 1), (1, 1), (0, 0))).astype(np.float64)
    rows, columns = x.shape[0] // 2, x.shape[1] // 2
    out = np.empty((rows, columns, weights.shape[3]))
    for row in range(rows):
        for column in range(columns):
            window = padded[2 * row : 2 * row + 4, 2 * column : 2 * column + 4]
            out[row, column] = np.einsum("ijc,ijco->o", window, weights) + bias
    return np.maximum(out, 0)


def test_layers_are_the_convolutions_that_they_claim_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tile_map, "_AT_ONCE", 5_000)  # in several pieces
    rng = np.random.default_rng(3)
    x = rng.normal(size=(48, 80, 6)).astype(np.float32)
    for network in shipped_members("tile_map", format=tile_map.FORMAT):
        weights, bias = network["a.weights"], network["a.bias"]
        assert np.allclose(tile_map._halved(x, weights, bias), plainly_halved(x, weights, bias), atol=1e-4)


def test_lab_is_that_of_opencv() -> None:
    pixels = np.random.default_rng(4).integers(0, 256, (60, 16, 16, 3), np.uint8)
    expected = cv2.cvtColor(pixels.reshape(-1, 16, 3).astype(np.float32) / 255, cv2.COLOR_RGB2LAB)
    assert np.abs(to_lab(pixels).reshape(expected.shape) - expected).max() < 0.6
    assert np.abs(to_lab(pixels).reshape(expected.shape) - expected).mean() < 0.2
