"""A small square canvas with an alpha channel, on which icons are drawn in unit coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

Art = npt.NDArray[np.uint8]
"""(SIDE, SIDE, 4) uint8 RGBA, colour premultiplied by alpha."""
Colour = tuple[float, float, float]
"""RGB, 0 to 255."""
Point = tuple[float, float]
"""(x, y), 0 to 1 across the canvas, y down."""

SIDE: Final = 144
"""Pixels along a canvas."""
_SHIFT: Final = 4


class Canvas:
    """Draws antialiased shapes; later ones cover earlier ones."""

    def __init__(self) -> None:
        self.pixels: Art = np.zeros((SIDE, SIDE, 4), dtype=np.uint8)

    def polygon(self, points: Sequence[Point], colour: Colour) -> None:
        """Fill a polygon."""
        cv2.fillPoly(self.pixels, [_fixed(points)], _rgba(colour), cv2.LINE_AA, _SHIFT)

    def line(self, points: Sequence[Point], colour: Colour, width: float, *, closed: bool = False) -> None:
        """Stroke a line; `width` as a share of the canvas."""
        thick = max(1, round(width * SIDE))
        cv2.polylines(self.pixels, [_fixed(points)], closed, _rgba(colour), thick, cv2.LINE_AA, _SHIFT)

    def disc(self, centre: Point, radius: float, colour: Colour) -> None:
        """Fill a circle; `radius` as a share of the canvas."""
        self.ellipse(centre, (radius, radius), 0.0, colour)

    def ring(self, centre: Point, radius: float, colour: Colour, width: float) -> None:
        """Stroke a circle."""
        x, y = _fixed([centre])[0]
        thick = max(1, round(width * SIDE))
        size = round(radius * SIDE * 2**_SHIFT)
        cv2.circle(self.pixels, (int(x), int(y)), size, _rgba(colour), thick, cv2.LINE_AA, _SHIFT)

    def ellipse(self, centre: Point, radii: Point, angle: float, colour: Colour) -> None:
        """Fill an ellipse; `angle` in degrees."""
        x, y = _fixed([centre])[0]
        size = (round(radii[0] * SIDE * 2**_SHIFT), round(radii[1] * SIDE * 2**_SHIFT))
        cv2.ellipse(
            self.pixels, (int(x), int(y)), size, angle, 0, 360, _rgba(colour), -1, cv2.LINE_AA, _SHIFT
        )

    def stamp(self, alpha: npt.NDArray[np.float32], colour: Colour) -> None:
        """Paint a colour through a (SIDE, SIDE) float mask, 0 to 1."""
        self.paste(coloured(alpha, colour))

    def paste(self, art: Art) -> None:
        """Lay another canvas over this one."""
        rest = 255 - art[..., 3:].astype(np.uint16)
        self.pixels[:] = art + (self.pixels * rest // 255).astype(np.uint8)

    def done(self) -> Art:
        """Return the picture, read-only."""
        self.pixels.setflags(write=False)
        return self.pixels


def coloured(alpha: npt.NDArray[np.float32], colour: Colour) -> Art:
    """Paint an (h, w) float32 mask, 0 to 1, in one colour: premultiplied RGBA."""
    layer = np.empty((*alpha.shape, 4), dtype=np.float32)
    layer[..., :3] = alpha[..., None] * np.array(colour, dtype=np.float32)
    layer[..., 3] = alpha * 255
    return layer.astype(np.uint8)


def placed(art: Art, scale: float, dx: float, dy: float) -> Art:
    """Scale a picture about its middle, and shift it by shares of the canvas."""
    middle = SIDE / 2
    matrix = np.array(
        [[scale, 0, middle * (1 - scale) + dx * SIDE], [0, scale, middle * (1 - scale) + dy * SIDE]],
        dtype=np.float64,
    )
    return np.asarray(cv2.warpAffine(art, matrix, (SIDE, SIDE), flags=cv2.INTER_AREA), dtype=np.uint8)


def turned(art: Art, degrees: float, *, mirrored: bool = False) -> Art:
    """Turn a picture about its middle, mirrored left to right before that if asked."""
    source = art[:, ::-1] if mirrored else art
    matrix = cv2.getRotationMatrix2D((SIDE / 2, SIDE / 2), degrees, 1.0)
    return np.asarray(cv2.warpAffine(source.copy(), matrix, (SIDE, SIDE)), dtype=np.uint8)


def recoloured(art: Art, colour: Colour, share: float = 1.0) -> Art:
    """Move the colours of a picture towards one by a share; shapes stay."""
    tone = art[..., 3:].astype(np.float32) / 255 * np.array(colour, dtype=np.float32)
    result = art.copy()
    result[..., :3] = (art[..., :3] + (tone - art[..., :3]) * share).astype(np.uint8)
    return result


def with_light(art: Art, top: float, bottom: float) -> Art:
    """Light a picture from above: its colours times a factor that changes from top to bottom."""
    factor = np.linspace(top, bottom, SIDE, dtype=np.float32)[:, None, None]
    result = art.copy()
    result[..., :3] = np.minimum(art[..., :3] * factor, art[..., 3:]).astype(np.uint8)
    return result


def with_outline(art: Art, colour: Colour, width: float) -> Art:
    """Put a rim of a colour around everything drawn; `width` as a share of the canvas."""
    reach = 2 * max(1, round(width * SIDE)) + 1
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (reach, reach))
    rim = np.asarray(cv2.dilate(art[..., 3], kernel), dtype=np.float32) / np.float32(255)
    canvas = Canvas()
    canvas.stamp(rim, colour)
    canvas.paste(art)
    return canvas.done()


def with_shadow(art: Art, strength: float, offset: float) -> Art:
    """Put a picture above its own soft shadow; `strength` 0 to 1, `offset` as a share of the canvas."""
    blurred = np.asarray(cv2.GaussianBlur(art[..., 3], (0, 0), 2.5), dtype=np.float32) / np.float32(255)
    step = round(offset * SIDE)
    moved = np.roll(blurred, (step, step), axis=(0, 1))
    canvas = Canvas()
    canvas.stamp((moved * strength).astype(np.float32), (0, 0, 0))
    canvas.paste(art)
    return canvas.done()


def _fixed(points: Sequence[Point]) -> npt.NDArray[np.int32]:
    return np.round(np.asarray(points, dtype=np.float64) * (SIDE * 2**_SHIFT)).astype(np.int32)


def _rgba(colour: Colour) -> tuple[float, float, float, float]:
    return (*colour, 255.0)
