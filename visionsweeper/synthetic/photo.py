"""A screen photographed: the picture seen at an angle, softened, with noise, ripples and uneven light."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

Image = npt.NDArray[np.uint8]
Matrix = npt.NDArray[np.float64]
"""(3, 3) float64 homography: pixels of one picture, as (x, y, 1), to those of another."""


def tilt(
    size: tuple[int, int], degrees: float, keystone: tuple[float, float] = (0.0, 0.0), margin: float = 0.0
) -> tuple[Matrix, tuple[int, int]]:
    """Return the matrix that turns and tilts a picture of `size`, and the size that holds all of it.

    Sizes are (width, height), px.

    `degrees` turn it clockwise; `keystone` is by how large a share the right is shorter than the left, and
    the bottom than the top. `margin`, in pixels, is left around it.
    """
    width, height = size
    corners = np.array([(0, 0), (width, 0), (width, height), (0, height)], dtype=np.float64)
    centre = corners.mean(axis=0)
    seen = corners - centre
    across, down = keystone
    factors = np.stack([1 - down * seen[:, 1] / height, 1 - across * seen[:, 0] / width], axis=1)
    angle = np.deg2rad(degrees)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    seen = (seen * factors) @ turn.T
    seen -= seen.min(axis=0) - margin
    matrix = cv2.getPerspectiveTransform(corners.astype(np.float32), seen.astype(np.float32))
    wide, tall = np.ceil(seen.max(axis=0) + margin).astype(int)
    return np.asarray(matrix, dtype=np.float64), (int(wide), int(tall))


def warped(image: Image, matrix: Matrix, size: tuple[int, int], around: tuple[int, int, int]) -> Image:
    """Return the picture under the homography, on a (width, height) of the colour `around`."""
    half = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1]])  # pixel i spans i..i+1; OpenCV counts centres
    centred = np.linalg.inv(half) @ matrix @ half
    result = cv2.warpPerspective(
        image, centred, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=around
    )
    return np.asarray(result, dtype=np.uint8)


def photographed(image: Image, rng: np.random.Generator, *, blur: float = 0.7, noise: float = 3.0) -> Image:
    """Add what lens, sensor and screen do to an (H, W, 3) uint8 picture: blur, noise, ripples, uneven light.

    `blur` is a standard deviation in pixels, `noise` one in gray levels.
    """
    height, width = image.shape[:2]
    result = cv2.GaussianBlur(image, (0, 0), blur).astype(np.float32)
    y = np.linspace(-0.5, 0.5, height, dtype=np.float32)[:, None]
    x = np.linspace(-0.5, 0.5, width, dtype=np.float32)[None, :]
    angle, phase = rng.uniform(0, 2 * np.pi, 2)
    waves = rng.uniform(4, 40)
    along = x * np.float32(np.cos(angle)) + y * np.float32(np.sin(angle))
    light = 1 + np.float32(rng.uniform(0, 0.12)) * along
    light += np.float32(rng.uniform(0, 0.015)) * np.sin(2 * np.pi * waves * along + phase, dtype=np.float32)
    result *= light[..., None]
    result += rng.standard_normal(result.shape, dtype=np.float32) * np.float32(noise)
    return np.clip(result, 0, 255).astype(np.uint8)
