"""Stamps: small pictures with transparency, put together from layers and laid over a canvas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from visionsweeper.drawing.colours import Colour
from visionsweeper.drawing.shapes import Mask, halo
from visionsweeper.drawing.text import fitting_size, text_mask

MAX_PIXELS: Final = 64_000_000
"""No larger picture is drawn: tiles and enlargement keep below it."""

READABLE: Final = 7.0
"""Smallest font size that is drawn, px."""


@dataclass(frozen=True, eq=False)
class Stamp:
    """A small picture with transparency, ready to be laid over a canvas."""

    colour: npt.NDArray[np.uint8]
    """(height, width, 3) uint8 RGB, already multiplied by its opacity."""
    through: npt.NDArray[np.uint8]
    """(height, width, 3) uint8: how much of the canvas shows through, 255 all of it."""

    def lay(self, canvas: npt.NDArray[np.uint8], x: int, y: int) -> None:
        """Lay the stamp over an (H, W, 3) uint8 canvas, in place, its corner at (x, y); clipped there."""
        left, top = max(-x, 0), max(-y, 0)
        height, width = self.through.shape[:2]
        below = canvas[y + top : max(y + height, 0), x + left : max(x + width, 0)]
        if below.size == 0:
            return
        here = np.s_[top : top + below.shape[0], left : left + below.shape[1]]
        dimmed = cv2.multiply(below, self.through[here], scale=1 / 255)
        below[:] = cv2.add(dimmed, self.colour[here])


class Layers:
    """Collects layers of colour on width x height px, each over the ones before."""

    def __init__(self, width: int, height: int) -> None:
        self.colour = np.zeros((height, width, 3), np.float32)
        self.through = np.ones((height, width, 1), np.float32)

    def add(self, mask: Mask, colour: Colour, opacity: float = 1.0) -> None:
        """Lay `colour` where `mask` says."""
        alpha = np.clip(mask * opacity, 0.0, 1.0)[:, :, None]
        self.colour = self.colour * (1 - alpha) + alpha * np.array(colour, np.float32)
        self.through = self.through * (1 - alpha)

    def write(
        self,
        text: str,
        colour: Colour,
        around: Colour | None,
        width_share: float,
        height_share: float,
        weight: float = 0.03,
    ) -> None:
        """Write a text in the middle, as large as the shares of width and height allow.

        `around` is the colour of a soft halo that sets it off, `weight` the boldness (see text_mask).
        Too small to be read, it is left out: a smudge says less than the colour alone.
        """
        height, width = self.through.shape[:2]
        size = fitting_size(text, width * width_share, height * height_share)
        if size < READABLE:
            return
        # quarters of a pixel are finer than the eye, and keep the cache of texts small
        mask = text_mask(text, int(size * 4) / 4, weight)
        placed = np.zeros((height, width), np.float32)
        top, left = (height - mask.shape[0]) // 2, (width - mask.shape[1]) // 2
        cut = mask[max(-top, 0) : max(-top, 0) + height, max(-left, 0) : max(-left, 0) + width]
        top, left = max(top, 0), max(left, 0)
        placed[top : top + cut.shape[0], left : left + cut.shape[1]] = cut / np.float32(255)
        if around is not None:
            self.add(halo(placed, max(size * 0.1, 1.0)), around, 0.85)
        self.add(placed, colour)

    def stamp(self) -> Stamp:
        """Return the layers, flattened; read-only."""
        colour = np.asarray(np.round(self.colour), dtype=np.uint8)
        through = np.asarray(np.round(np.repeat(self.through, 3, axis=2) * 255), dtype=np.uint8)
        colour.setflags(write=False)
        through.setflags(write=False)
        return Stamp(colour, through)
