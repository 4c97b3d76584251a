"""What is drawn on one tile, as small stamps with transparency; knows no boards."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from visionsweeper.colours import (
    BEST,
    CONFLICT,
    DOUBTED_FLAG,
    INK,
    MINED,
    SAFE,
    UNCERTAIN,
    WHITE,
    WRONG_FLAG,
    Colour,
    ramp,
)
from visionsweeper.lettering import fitting_size, text_mask

_FINE: Final = 4
"""Shapes are drawn this many times larger and averaged down."""
_READABLE: Final = 7.0
"""Below this font size in px no text is drawn: a smudge says less than the colour alone."""

_Mask: TypeAlias = npt.NDArray[np.float32]
"""(height, width) coverage, 0..1."""


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


class _Layers:
    """Collects layers of colour, each over the ones before."""

    def __init__(self, width: int, height: int) -> None:
        self.colour = np.zeros((height, width, 3), np.float32)
        self.through = np.ones((height, width, 1), np.float32)

    def add(self, mask: _Mask, colour: Colour, opacity: float = 1.0) -> None:
        """Lay `colour` where `mask` says."""
        alpha = np.clip(mask * opacity, 0.0, 1.0)[:, :, None]
        self.colour = self.colour * (1 - alpha) + alpha * np.array(colour, np.float32)
        self.through = self.through * (1 - alpha)

    def stamp(self) -> Stamp:
        """The layers, flattened; read-only."""
        colour = np.asarray(np.round(self.colour), dtype=np.uint8)
        through = np.asarray(np.round(np.repeat(self.through, 3, axis=2) * 255), dtype=np.uint8)
        colour.setflags(write=False)
        through.setflags(write=False)
        return Stamp(colour, through)


@lru_cache(maxsize=8192)
def odds(width: int, height: int, text: str, permille: int) -> Stamp:
    """An uncertain tile: a veil in the colour of its probability (in thousandths), and its percentage."""
    layers = _Layers(width, height)
    layers.add(_rounded(width, height, 0.04, 0.14), ramp(permille / 1000), 0.66)
    _write(layers, text, INK, WHITE, 0.86 if len(text) < 5 else 0.93, 0.36)
    return layers.stamp()


@lru_cache(maxsize=1024)
def certainly_safe(width: int, height: int, text: str) -> Stamp:
    """A tile without a mine: bright, with a ring around its percentage."""
    layers = _Layers(width, height)
    layers.add(_rounded(width, height, 0.04, 0.14), ramp(0.0), 0.72)
    ring = _ring(width, height, 0.41, 0.075)
    layers.add(_halo(ring, 0.03 * min(width, height)), WHITE, 0.9)
    layers.add(ring, SAFE)
    _write(layers, text, INK, WHITE, 0.6, 0.34)
    return layers.stamp()


@lru_cache(maxsize=1024)
def certainly_mined(width: int, height: int, text: str) -> Stamp:
    """A mine: dark, with a cross whose middle is kept free for its percentage."""
    layers = _Layers(width, height)
    layers.add(_rounded(width, height, 0.04, 0.14), MINED, 0.74)
    layers.add(_cross(width, height), WHITE, 0.95)
    _write(layers, text, WHITE, MINED, 0.84, 0.34)
    return layers.stamp()


@lru_cache(maxsize=64)
def best(width: int, height: int) -> Stamp:
    """The outline of the tile to open next: thick and double."""
    layers = _Layers(width, height)
    size = min(width, height)
    thick = max(0.085 * size, 2.0) / size
    layers.add(_frame(width, height, 0.0, thick * 2.0), WHITE)
    layers.add(_frame(width, height, 0.0, thick), BEST)
    layers.add(_frame(width, height, thick * 1.55, max(0.03, 1.0 / size)), BEST)
    return layers.stamp()


@lru_cache(maxsize=64)
def uncertain(width: int, height: int) -> Stamp:
    """The outline of a tile that was read with doubt: dashed."""
    layers = _Layers(width, height)
    thick = max(0.075, 2.0 / min(width, height))
    frame = _frame(width, height, 0.02, thick)
    layers.add(frame, WHITE, 0.85)
    layers.add(frame * _dashes(width, height), UNCERTAIN)
    return layers.stamp()


@lru_cache(maxsize=64)
def conflict(width: int, height: int) -> Stamp:
    """A number that cannot hold: hatched, with an exclamation mark in the corner."""
    layers = _Layers(width, height)
    size = min(width, height)
    inside = _rounded(width, height, 0.02, 0.1)
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    period = max(size / 4.5, 4.0)
    stripes = np.clip(np.abs(((x + y) % period) - period / 2) - period / 4 + 0.5, 0, 1).astype(np.float32)
    layers.add(inside * stripes, CONFLICT, 0.4)
    layers.add(_frame(width, height, 0.02, max(0.08, 2.0 / size)), CONFLICT)
    badge = _disc(width, height, 0.77, 0.23, 0.22)
    layers.add(_halo(badge, 1.0), WHITE)
    layers.add(badge, CONFLICT)
    bar = _polygon(width, height, [(0.73, 0.09), (0.81, 0.09), (0.79, 0.255), (0.75, 0.255)])
    layers.add(np.maximum(bar, _disc(width, height, 0.77, 0.33, 0.04)), WHITE)
    return layers.stamp()


@lru_cache(maxsize=64)
def doubted_flag(width: int, height: int) -> Stamp:
    """A small corner on a flag that is not certain to stand on a mine."""
    return _corner(width, height, DOUBTED_FLAG)


@lru_cache(maxsize=64)
def wrong_flag(width: int, height: int) -> Stamp:
    """A small corner on a flag that certainly stands on no mine."""
    return _corner(width, height, WRONG_FLAG)


def _corner(width: int, height: int, colour: Colour) -> Stamp:
    layers = _Layers(width, height)
    layers.add(_polygon(width, height, [(0.55, 0.03), (0.97, 0.03), (0.97, 0.45)]), INK, 0.9)
    layers.add(_polygon(width, height, [(0.64, 0.06), (0.94, 0.06), (0.94, 0.36)]), colour)
    return layers.stamp()


def _write(
    layers: _Layers, text: str, colour: Colour, halo: Colour, width_share: float, height_share: float
) -> None:
    """Write a text in the middle, as large as the shares of width and height allow."""
    height, width = layers.colour.shape[:2]
    size = fitting_size(text, width * width_share, height * height_share)
    if size < _READABLE:
        return
    # quarters of a pixel are finer than the eye, and keep the cache of texts small
    mask = text_mask(text, int(size * 4) / 4)
    placed = np.zeros((height, width), np.float32)
    top, left = (height - mask.shape[0]) // 2, (width - mask.shape[1]) // 2
    cut = mask[max(-top, 0) : max(-top, 0) + height, max(-left, 0) : max(-left, 0) + width]
    top, left = max(top, 0), max(left, 0)
    placed[top : top + cut.shape[0], left : left + cut.shape[1]] = cut / np.float32(255)
    layers.add(_halo(placed, max(size * 0.1, 1.0)), halo, 0.85)
    layers.add(placed, colour)


def _halo(mask: _Mask, reach: float) -> _Mask:
    """The mask widened by about `reach` px, with a soft edge."""
    radius = max(round(reach), 1)
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * radius + 1, 2 * radius + 1))
    wide = cv2.GaussianBlur(cv2.dilate(mask, kernel), (0, 0), max(reach * 0.5, 0.6))
    return np.asarray(np.clip(wide * 1.2, 0, 1), dtype=np.float32)


def _fine(width: int, height: int) -> npt.NDArray[np.uint8]:
    return np.zeros((height * _FINE, width * _FINE), np.uint8)


def _settle(fine: npt.NDArray[np.uint8]) -> _Mask:
    size = (fine.shape[1] // _FINE, fine.shape[0] // _FINE)
    return np.asarray(cv2.resize(fine, size, interpolation=cv2.INTER_AREA), dtype=np.float32) / np.float32(
        255
    )


@lru_cache(maxsize=256)
def _rounded(width: int, height: int, inset: float, radius: float) -> _Mask:
    """A rounded rectangle; inset and radius in shares of the shorter side."""
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


def _frame(width: int, height: int, inset: float, thickness: float) -> _Mask:
    """The rim of a rounded rectangle."""
    outer = _rounded(width, height, inset, 0.12)
    inner = _rounded(width, height, inset + thickness, 0.06)
    return np.asarray(np.clip(outer - inner, 0, 1), dtype=np.float32)


def _ring(width: int, height: int, radius: float, thickness: float) -> _Mask:
    fine = _fine(width, height)
    h, w = fine.shape
    size = min(h, w)
    cv2.circle(fine, (w // 2, h // 2), round(radius * size), 255, max(round(thickness * size), _FINE))
    return _settle(fine)


def _disc(width: int, height: int, x: float, y: float, radius: float) -> _Mask:
    fine = _fine(width, height)
    h, w = fine.shape
    cv2.circle(fine, (round(x * w), round(y * h)), round(radius * min(h, w)), 255, -1)
    return _settle(fine)


def _polygon(width: int, height: int, points: list[tuple[float, float]]) -> _Mask:
    fine = _fine(width, height)
    h, w = fine.shape
    corners = np.array([(round(x * w), round(y * h)) for x, y in points], np.int32)
    cv2.fillPoly(fine, [corners], 255)
    return _settle(fine)


def _cross(width: int, height: int) -> _Mask:
    fine = _fine(width, height)
    h, w = fine.shape
    thick = max(round(0.1 * min(h, w)), _FINE)
    for x in (0.13, 0.87):
        for y in (0.13, 0.87):
            inner = (round((0.5 + (x - 0.5) * 0.58) * w), round((0.5 + (y - 0.5) * 0.58) * h))
            cv2.line(fine, (round(x * w), round(y * h)), inner, 255, thick)
    return _settle(fine)


def _dashes(width: int, height: int) -> _Mask:
    """1 on dashes around the rim, 0 between them, symmetric in every corner."""
    x = np.cos((np.arange(width) + 0.5) / width * 6 * np.pi)
    y = np.cos((np.arange(height) + 0.5) / height * 6 * np.pi)
    from_side = np.minimum(np.arange(width), np.arange(width)[::-1])[None, :] / width
    from_top = np.minimum(np.arange(height), np.arange(height)[::-1])[:, None] / height
    wave = np.where(from_top < from_side, x[None, :], y[:, None])
    return np.asarray(wave > -0.2, dtype=np.float32)
