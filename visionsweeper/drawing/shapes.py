"""Shapes as coverage masks with smooth edges. Lengths are shares of the shorter side of the mask."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

_FINE: Final = 4
"""Shapes are drawn this many times larger and averaged down."""

Mask: TypeAlias = npt.NDArray[np.float32]
"""(height, width) coverage, 0..1."""


def halo(mask: Mask, reach: float) -> Mask:
    """Widen a mask by about `reach` px, with a soft edge."""
    radius = max(round(reach), 1)
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * radius + 1, 2 * radius + 1))
    wide = cv2.GaussianBlur(cv2.dilate(mask, kernel), (0, 0), max(reach * 0.5, 0.6))
    return np.asarray(np.clip(wide * 1.2, 0, 1), dtype=np.float32)


def _fine(width: int, height: int) -> npt.NDArray[np.uint8]:
    return np.zeros((height * _FINE, width * _FINE), np.uint8)


def _settle(fine: npt.NDArray[np.uint8]) -> Mask:
    size = (fine.shape[1] // _FINE, fine.shape[0] // _FINE)
    return np.asarray(cv2.resize(fine, size, interpolation=cv2.INTER_AREA), dtype=np.float32) / np.float32(
        255
    )


@lru_cache(maxsize=256)
def rounded(width: int, height: int, inset: float, radius: float) -> Mask:
    """Draw a rounded rectangle; inset and radius in shares of the shorter side."""
    fine = _fine(width, height)
    size = min(fine.shape)
    i, r = round(inset * size), round(radius * size)
    h, w = fine.shape
    cv2.rectangle(fine, (i + r, i), (w - 1 - i - r, h - 1 - i), 255, -1)
    cv2.rectangle(fine, (i, i + r), (w - 1 - i, h - 1 - i - r), 255, -1)
    for x in (i + r, w - 1 - i - r):
        for y in (i + r, h - 1 - i - r):
            cv2.circle(fine, (x, y), r, 255, -1)
    return _settle(fine)


def frame(width: int, height: int, inset: float, thickness: float) -> Mask:
    """Draw the rim of a rounded rectangle."""
    outer = rounded(width, height, inset, 0.12)
    inner = rounded(width, height, inset + thickness, 0.06)
    return np.asarray(np.clip(outer - inner, 0, 1), dtype=np.float32)


def ring(width: int, height: int, radius: float, thickness: float) -> Mask:
    """Draw a circle around the middle."""
    fine = _fine(width, height)
    h, w = fine.shape
    size = min(h, w)
    cv2.circle(fine, (w // 2, h // 2), round(radius * size), 255, max(round(thickness * size), _FINE))
    return _settle(fine)


def disc(width: int, height: int, x: float, y: float, radius: float) -> Mask:
    """Draw a filled circle around (x, y), given in shares of width and height."""
    fine = _fine(width, height)
    h, w = fine.shape
    cv2.circle(fine, (round(x * w), round(y * h)), round(radius * min(h, w)), 255, -1)
    return _settle(fine)


def polygon(width: int, height: int, points: list[tuple[float, float]]) -> Mask:
    """Draw a filled polygon; points (x, y) in shares of width and height."""
    fine = _fine(width, height)
    h, w = fine.shape
    corners = np.array([(round(x * w), round(y * h)) for x, y in points], np.int32)
    cv2.fillPoly(fine, [corners], 255)
    return _settle(fine)


def cross(width: int, height: int) -> Mask:
    """Draw the four arms of a diagonal cross, its middle left free."""
    fine = _fine(width, height)
    h, w = fine.shape
    thick = max(round(0.1 * min(h, w)), _FINE)
    for x in (0.13, 0.87):
        for y in (0.13, 0.87):
            inner = (round((0.5 + (x - 0.5) * 0.58) * w), round((0.5 + (y - 0.5) * 0.58) * h))
            cv2.line(fine, (round(x * w), round(y * h)), inner, 255, thick)
    return _settle(fine)


def dashes(width: int, height: int) -> Mask:
    """Draw dashes around the rim, 1 on them and 0 between them, symmetric in every corner."""
    x = np.cos((np.arange(width) + 0.5) / width * 6 * np.pi)
    y = np.cos((np.arange(height) + 0.5) / height * 6 * np.pi)
    from_side = np.minimum(np.arange(width), np.arange(width)[::-1])[None, :] / width
    from_top = np.minimum(np.arange(height), np.arange(height)[::-1])[:, None] / height
    wave = np.where(from_top < from_side, x[None, :], y[:, None])
    return np.asarray(wave > -0.2, dtype=np.float32)
