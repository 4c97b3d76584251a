"""Colours for themes: RGB triples of floats, 0 to 255."""

from __future__ import annotations

import colorsys
from typing import Final

import numpy as np

from visionsweeper.synthetic.canvas import Colour

CLASSIC: Final[tuple[Colour, ...]] = (
    (120, 120, 120),
    (0, 0, 255),
    (0, 128, 0),
    (255, 0, 0),
    (0, 0, 128),
    (128, 0, 0),
    (0, 128, 128),
    (0, 0, 0),
    (128, 128, 128),
)
"""The colours that most games give the digits 0 to 8."""

BLACK: Final[Colour] = (0, 0, 0)
WHITE: Final[Colour] = (255, 255, 255)


def hsv(hue: float, saturation: float, value: float) -> Colour:
    """Return a colour from hue (any float, 1 is a full turn), saturation and value (both 0 to 1)."""
    r, g, b = colorsys.hsv_to_rgb(hue % 1.0, min(max(saturation, 0), 1), min(max(value, 0), 1))
    return (r * 255, g * 255, b * 255)


def luma(colour: Colour) -> float:
    """Return the brightness of a colour, 0 to 255 (Rec. 601 weights)."""
    return 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2]


def mix(a: Colour, b: Colour, share: float) -> Colour:
    """Return the colour `share` of the way from a to b."""
    return (
        a[0] + (b[0] - a[0]) * share,
        a[1] + (b[1] - a[1]) * share,
        a[2] + (b[2] - a[2]) * share,
    )


def lighter(colour: Colour, share: float) -> Colour:
    """Move a colour towards white by a share, or towards black where it is negative."""
    return mix(colour, WHITE, share) if share >= 0 else mix(colour, BLACK, -share)


def distance(a: Colour, b: Colour) -> float:
    """Return how far two colours are apart, 0 to about 440; brightness counts more than hue, as to eyes."""
    dr, dg, db = a[0] - b[0], a[1] - b[1], a[2] - b[2]
    return float(np.sqrt((dr * dr + dg * dg + db * db) / 2 + (luma(a) - luma(b)) ** 2))


def readable(colour: Colour, background: Colour, apart: float = 90.0) -> Colour:
    """Move a colour towards white or black until it stands out from the background."""
    goal = WHITE if luma(background) < 120 else BLACK
    result = colour
    for step in range(1, 11):
        # Dark blue on black is far apart in numbers only, so brightness has to differ as well.
        if distance(result, background) >= apart and abs(luma(result) - luma(background)) >= 0.25 * apart:
            break
        result = mix(colour, goal, step / 10)
    return result


def jitter(rng: np.random.Generator, colour: Colour, amount: float) -> Colour:
    """Move hue, saturation and value of a colour a little; `amount` around 0.02 to 0.2."""
    h, s, v = colorsys.rgb_to_hsv(*(c / 255 for c in colour))
    return hsv(
        h + rng.normal(0, amount * 0.35), s + rng.normal(0, amount) * (s > 0.05), v + rng.normal(0, amount)
    )


def any_colour(rng: np.random.Generator) -> Colour:
    """Choose any colour at all, vivid and dull ones alike."""
    return hsv(rng.random(), rng.random() ** 0.7, rng.uniform(0.1, 1.0))


def gray(rng: np.random.Generator, low: float, high: float) -> Colour:
    """Choose a gray of brightness low..high (0 to 255), sometimes tinted faintly."""
    value = rng.uniform(low, high) / 255
    saturation = 0.0 if rng.random() < 0.5 else rng.uniform(0.0, 0.12)
    return hsv(rng.random(), saturation, value)
