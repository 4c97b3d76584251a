"""What a whole picture suffers between the game and us: scaling, blur, noise, other tones, compression."""

from __future__ import annotations

from typing import Literal

import cv2
import numpy as np
import numpy.typing as npt

from visionsweeper.synthetic.theme import Degradation

Image = npt.NDArray[np.uint8]
Way = Literal["nearest", "linear", "cubic", "area"]
"""How pixels are made when a picture is scaled."""

_WAYS = {
    "nearest": cv2.INTER_NEAREST,
    "linear": cv2.INTER_LINEAR,
    "cubic": cv2.INTER_CUBIC,
    "area": cv2.INTER_AREA,
}


def degraded(image: Image, degradation: Degradation, rng: np.random.Generator) -> Image:
    """Return a copy of the (H, W, 3) uint8 RGB picture after all of it; the size stays."""
    result = image
    if degradation.resample:
        result = resampled(result, degradation.resample)
    if degradation.blur:
        result = np.asarray(cv2.GaussianBlur(result, (0, 0), degradation.blur), dtype=np.uint8)
    if degradation.gamma != 1.0 or degradation.tint != (1.0, 1.0, 1.0):
        result = toned(result, degradation.gamma, degradation.tint)
    if degradation.noise:
        result = grained(result, degradation.noise, rng)
    if degradation.jpeg:
        result = compressed(result, "jpeg", degradation.jpeg)
    return result


def scaled(image: Image, factor: float, way: Way) -> Image:
    """Scale an (H, W, 3) uint8 picture by a factor, to at least 1x1."""
    height, width = image.shape[:2]
    size = (max(1, round(width * factor)), max(1, round(height * factor)))
    return np.asarray(cv2.resize(image, size, interpolation=_WAYS[way]), dtype=np.uint8)


def resampled(image: Image, factor: float) -> Image:
    """Scale an (H, W, 3) uint8 picture by a factor, and back to its size."""
    height, width = image.shape[:2]
    there = scaled(image, factor, "area" if factor < 1 else "linear")
    way_back = cv2.INTER_CUBIC if factor < 1 else cv2.INTER_AREA
    return np.asarray(cv2.resize(there, (width, height), interpolation=way_back), dtype=np.uint8)


def toned(image: Image, gamma: float, tint: tuple[float, float, float] = (1.0, 1.0, 1.0)) -> Image:
    """Take every channel, 0 to 1, to the power of gamma, times the tint for red, green and blue.

    `image` and the answer: (H, W, 3) uint8 RGB.
    """
    curve = 255 * (np.arange(256) / 255.0) ** gamma
    table = np.clip(curve[:, None] * np.array(tint), 0, 255).astype(np.uint8)
    return np.stack([table[image[..., i], i] for i in range(3)], axis=-1)


def inverted(image: Image) -> Image:
    """Exchange light and dark of an (H, W, 3) uint8 picture, as forced dark modes do."""
    return np.asarray(255 - image, dtype=np.uint8)


def grayed(image: Image) -> Image:
    """Return the (H, W, 3) uint8 RGB picture in grays: three equal channels of the same shape."""
    gray = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    return np.asarray(cv2.cvtColor(gray, cv2.COLOR_GRAY2RGB), dtype=np.uint8)


def grained(image: Image, spread: float, rng: np.random.Generator) -> Image:
    """Add noise to an (H, W, 3) uint8 picture; `spread` is its standard deviation in gray levels."""
    grain = rng.standard_normal(image.shape, dtype=np.float32) * np.float32(spread)
    return np.clip(image + grain, 0, 255).astype(np.uint8)


def compressed(image: Image, kind: Literal["jpeg", "webp"], quality: int) -> Image:
    """Return what is left of an (H, W, 3) uint8 RGB picture in a lossy file of quality 1 to 100."""
    suffix, option = {
        "jpeg": (".jpg", cv2.IMWRITE_JPEG_QUALITY),
        "webp": (".webp", cv2.IMWRITE_WEBP_QUALITY),
    }[kind]
    _, packed = cv2.imencode(suffix, image[..., ::-1], [option, quality])
    decoded = cv2.imdecode(packed, cv2.IMREAD_COLOR)
    return image if decoded is None else np.ascontiguousarray(np.asarray(decoded, np.uint8)[..., ::-1])
