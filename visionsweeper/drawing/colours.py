"""The colour scale of probabilities, and the colours of the marks."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

Colour: TypeAlias = tuple[int, int, int]
"""sRGB, 0..255 each."""

WHITE: Final[Colour] = (255, 255, 255)
INK: Final[Colour] = (16, 20, 26)
SAFE: Final[Colour] = (0, 168, 92)
MINED: Final[Colour] = (122, 0, 18)
BEST: Final[Colour] = (0, 98, 255)
UNCERTAIN: Final[Colour] = (140, 48, 226)
CONFLICT: Final[Colour] = (255, 0, 150)
DOUBTED_FLAG: Final[Colour] = (255, 196, 0)
WRONG_FLAG: Final[Colour] = (235, 30, 40)

_STOPS: Final = (
    # probability, lightness, chroma, hue in degrees (OKLCh)
    (0.0, 0.88, 0.19, 152.0),
    (0.10, 0.88, 0.17, 125.0),
    (0.22, 0.87, 0.165, 98.0),
    (0.40, 0.78, 0.165, 72.0),
    (0.65, 0.65, 0.20, 42.0),
    (1.0, 0.48, 0.195, 27.0),
)
"""Lightness never rises from safe to mined, so that the order survives gray and every colour vision."""


def ramp(probability: float) -> Colour:
    """Return the colour of a probability (0..1): green through amber to red, ever darker."""
    return _ramp_table()[round(min(max(probability, 0.0), 1.0) * 1000)]


@lru_cache(maxsize=1)
def _ramp_table() -> tuple[Colour, ...]:
    positions, lightness, chroma, hue = np.array(_STOPS).T
    p = np.linspace(0.0, 1.0, 1001)
    angle = np.radians(np.interp(p, positions, hue))
    c = np.interp(p, positions, chroma)
    rgb = oklab_to_srgb(
        np.stack([np.interp(p, positions, lightness), c * np.cos(angle), c * np.sin(angle)], axis=-1)
    )
    return tuple((int(r), int(g), int(b)) for r, g, b in rgb)


def oklab_to_srgb(lab: npt.NDArray[np.float64]) -> npt.NDArray[np.uint8]:
    """Convert (..., 3) Oklab to (..., 3) uint8 sRGB, out-of-gamut values clipped.

    Source: Björn Ottosson, "A perceptual color space for image processing", 2020.
    """
    to_lms = np.array(
        [
            [1.0, 0.3963377774, 0.2158037573],
            [1.0, -0.1055613458, -0.0638541728],
            [1.0, -0.0894841775, -1.2914855480],
        ]
    )
    to_linear = np.array(
        [
            [4.0767416621, -3.3077115913, 0.2309699292],
            [-1.2684380046, 2.6097574011, -0.3413193965],
            [-0.0041960863, -0.7034186147, 1.7076147010],
        ]
    )
    linear = np.clip((lab @ to_lms.T) ** 3 @ to_linear.T, 0.0, 1.0)
    encoded = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return np.asarray(np.round(encoded * 255), dtype=np.uint8)
