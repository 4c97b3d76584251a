"""What is drawn on one tile, as small stamps with transparency; knows no boards."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from visionsweeper.drawing.colours import (
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
from visionsweeper.drawing.layers import Layers, Stamp
from visionsweeper.drawing.shapes import cross, dashes, disc, frame, halo, polygon, ring, rounded


@lru_cache(maxsize=8192)
def odds(width: int, height: int, text: str, permille: int) -> Stamp:
    """Draw an uncertain tile: a veil in the colour of its probability (thousandths), and its percentage."""
    layers = Layers(width, height)
    layers.add(rounded(width, height, 0.04, 0.14), ramp(permille / 1000), 0.66)
    # white letters on the dark half of the scale, black ones on the light half
    ink, around = (WHITE, INK) if permille > 550 else (INK, WHITE)
    longest = 4 if width < 44 else 5
    layers.write(text, ink, around, 0.86 if len(text) <= longest else 0.93, 0.36)
    return layers.stamp()


@lru_cache(maxsize=1024)
def certainly_safe(width: int, height: int, text: str) -> Stamp:
    """Draw a tile without a mine: bright, with a ring around its percentage."""
    layers = Layers(width, height)
    layers.add(rounded(width, height, 0.04, 0.14), ramp(0.0), 0.72)
    circle = ring(width, height, 0.41, 0.075)
    layers.add(halo(circle, 0.03 * min(width, height)), WHITE, 0.9)
    layers.add(circle, SAFE)
    layers.write(text, INK, WHITE, 0.6, 0.34)
    return layers.stamp()


@lru_cache(maxsize=1024)
def certainly_mined(width: int, height: int, text: str) -> Stamp:
    """Draw a mine: dark, with a cross whose middle is kept free for its percentage."""
    layers = Layers(width, height)
    layers.add(rounded(width, height, 0.04, 0.14), MINED, 0.74)
    layers.add(cross(width, height), WHITE, 0.95)
    layers.write(text, WHITE, MINED, 0.84, 0.34)
    return layers.stamp()


@lru_cache(maxsize=1024)
def safe_if_read_right(width: int, height: int, text: str) -> Stamp:
    """Draw a tile without a mine if doubted tiles were read right: paler, with a broken ring."""
    layers = Layers(width, height)
    layers.add(rounded(width, height, 0.04, 0.14), ramp(0.0), 0.45)
    circle = ring(width, height, 0.41, 0.075) * dashes(width, height)
    layers.add(halo(circle, 0.03 * min(width, height)), WHITE, 0.9)
    layers.add(circle, UNCERTAIN)
    layers.write(text, INK, WHITE, 0.6, 0.34)
    return layers.stamp()


@lru_cache(maxsize=1024)
def mined_if_read_right(width: int, height: int, text: str) -> Stamp:
    """Draw a mine if doubted tiles were read right: paler, with a broken cross."""
    layers = Layers(width, height)
    layers.add(rounded(width, height, 0.04, 0.14), MINED, 0.5)
    layers.add(cross(width, height) * dashes(width, height), WHITE, 0.95)
    layers.write(text, WHITE, MINED, 0.84, 0.34)
    return layers.stamp()


@lru_cache(maxsize=64)
def best(width: int, height: int) -> Stamp:
    """Draw the outline of the tile to open next: thick and double."""
    layers = Layers(width, height)
    size = min(width, height)
    thick = max(0.085 * size, 2.0) / size
    layers.add(frame(width, height, 0.0, thick * 2.0), WHITE)
    layers.add(frame(width, height, 0.0, thick), BEST)
    layers.add(frame(width, height, thick * 1.55, max(0.03, 1.0 / size)), BEST)
    return layers.stamp()


@lru_cache(maxsize=64)
def runner_up(width: int, height: int) -> Stamp:
    """Draw the outline of a tile that comes next to the best: thinner, single."""
    layers = Layers(width, height)
    thick = max(0.06, 1.5 / min(width, height))
    layers.add(frame(width, height, 0.0, thick * 2.0), WHITE)
    layers.add(frame(width, height, 0.0, thick), BEST)
    return layers.stamp()


@lru_cache(maxsize=64)
def uncertain(width: int, height: int) -> Stamp:
    """Draw the outline of a tile that was read with doubt: dashed."""
    layers = Layers(width, height)
    thick = max(0.075, 2.0 / min(width, height))
    rim = frame(width, height, 0.02, thick)
    layers.add(rim, WHITE, 0.85)
    layers.add(rim * dashes(width, height), UNCERTAIN)
    return layers.stamp()


@lru_cache(maxsize=64)
def conflict(width: int, height: int) -> Stamp:
    """Draw a number that cannot hold: hatched, with an exclamation mark in the corner."""
    layers = Layers(width, height)
    size = min(width, height)
    inside = rounded(width, height, 0.02, 0.1)
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    period = max(size / 4.5, 4.0)
    stripes = np.clip(np.abs(((x + y) % period) - period / 2) - period / 4 + 0.5, 0, 1).astype(np.float32)
    layers.add(inside * stripes, CONFLICT, 0.4)
    layers.add(frame(width, height, 0.02, max(0.08, 2.0 / size)), CONFLICT)
    badge = disc(width, height, 0.77, 0.23, 0.22)
    layers.add(halo(badge, 1.0), WHITE)
    layers.add(badge, CONFLICT)
    bar = polygon(width, height, [(0.73, 0.09), (0.81, 0.09), (0.79, 0.255), (0.75, 0.255)])
    layers.add(np.maximum(bar, disc(width, height, 0.77, 0.33, 0.04)), WHITE)
    return layers.stamp()


@lru_cache(maxsize=64)
def doubted_flag(width: int, height: int) -> Stamp:
    """Draw a small corner on a flag that is not certain to stand on a mine."""
    return _corner(width, height, DOUBTED_FLAG)


@lru_cache(maxsize=64)
def wrong_flag(width: int, height: int) -> Stamp:
    """Draw a small corner on a flag that certainly stands on no mine."""
    return _corner(width, height, WRONG_FLAG)


def _corner(width: int, height: int, colour: Colour) -> Stamp:
    layers = Layers(width, height)
    layers.add(polygon(width, height, [(0.55, 0.03), (0.97, 0.03), (0.97, 0.45)]), INK, 0.9)
    layers.add(polygon(width, height, [(0.64, 0.06), (0.94, 0.06), (0.94, 0.36)]), colour)
    return layers.stamp()
