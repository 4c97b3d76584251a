"""What happens to a picture between the game and us: resampling, blur, noise, colour shifts, JPEG."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from visionsweeper.vision.themes.theme import Wear

Image = npt.NDArray[np.uint8]


def worn(image: Image, wear: Wear, rng: np.random.Generator) -> Image:
    """A copy of the (H, W, 3) uint8 RGB picture after all of it; the size stays."""
    result = image
    if wear.pointer:
        result = _with_pointer(result, rng)
    if wear.resample:
        result = _resampled(result, wear.resample)
    if wear.blur:
        result = np.asarray(cv2.GaussianBlur(result, (0, 0), wear.blur), dtype=np.uint8)
    if wear.gamma != 1.0 or wear.tint != (1.0, 1.0, 1.0):
        curve = 255 * (np.arange(256) / 255.0) ** wear.gamma
        table = np.clip(curve[:, None] * np.array(wear.tint), 0, 255).astype(np.uint8)
        result = np.stack([table[result[..., i], i] for i in range(3)], axis=-1)
    if wear.noise:
        grain = rng.standard_normal(result.shape, dtype=np.float32) * np.float32(wear.noise)
        result = np.clip(result + grain, 0, 255).astype(np.uint8)
    if wear.jpeg:
        _, packed = cv2.imencode(".jpg", result[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, wear.jpeg])
        decoded = cv2.imdecode(packed, cv2.IMREAD_COLOR)
        if decoded is not None:
            result = np.ascontiguousarray(np.asarray(decoded, dtype=np.uint8)[..., ::-1])
    return result


def _resampled(image: Image, factor: float) -> Image:
    height, width = image.shape[:2]
    size = (max(1, round(width * factor)), max(1, round(height * factor)))
    there = cv2.resize(image, size, interpolation=cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR)
    way_back = cv2.INTER_CUBIC if factor < 1 else cv2.INTER_AREA
    return np.asarray(cv2.resize(there, (width, height), interpolation=way_back), dtype=np.uint8)


def _with_pointer(image: Image, rng: np.random.Generator) -> Image:
    copy = image.copy()
    height, width = copy.shape[:2]
    size = rng.uniform(14, 26)
    x, y = rng.uniform(0, width), rng.uniform(0, height)
    arrow = np.array([(0, 0), (0, 0.95), (0.22, 0.74), (0.38, 1.08), (0.52, 1.0), (0.38, 0.68), (0.68, 0.66)])
    points = [np.round((arrow * size + (x, y)) * 16).astype(np.int32)]
    light = bool(rng.random() < 0.7)
    inner, outer = ((255, 255, 255), (0, 0, 0)) if light else ((0, 0, 0), (255, 255, 255))
    cv2.fillPoly(copy, points, inner, cv2.LINE_AA, 4)
    cv2.polylines(copy, points, True, outer, 1, cv2.LINE_AA, 4)
    return copy
