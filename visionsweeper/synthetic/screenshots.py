"""What a drawn board goes through until it is a screenshot that somebody sends, in real proportions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED
from visionsweeper.geometry import Grid
from visionsweeper.synthetic.degradation import (
    Image,
    Way,
    compressed,
    grained,
    grayed,
    inverted,
    scaled,
    toned,
)
from visionsweeper.synthetic.draw import Drawing
from visionsweeper.synthetic.occlusion import random_occlusion
from visionsweeper.synthetic.photo import photographed, tilt, warped
from visionsweeper.synthetic.positions import Labels

_LEAST_PITCH = 12.0
"""Pixels a tile, below which nobody sends a board."""

OCCLUDED: Final = 0.16
"""Share of the boards that have something drawn over a few tiles."""


@dataclass(frozen=True, eq=False)
class Screenshot:
    """A drawn board after all that happened to it."""

    drawing: Drawing
    touched: npt.NDArray[np.bool_]
    """(rows, columns) tiles with something over them, or lit up: not as the game draws them."""
    hidden: npt.NDArray[np.bool_]
    """(rows, columns) those of them that can hardly be told, or not at all."""


def screenshot(
    drawing: Drawing, labels: Labels, rng: np.random.Generator, occluded: float = OCCLUDED
) -> Screenshot:
    """Let a drawing of the tile classes `labels` go through what screenshots do; most come off unharmed.

    `occluded` (0 to 1) is the share with something drawn over a few tiles. Of 100 boards 7 are inverted or
    gray, 13 have other tones, 15 are another size, 3 are photographed and 12 compressed, besides the
    degradation of the theme itself.
    """
    image, grid = drawing.image, drawing.grid
    touched = hidden = np.zeros(labels.shape, dtype=np.bool_)
    if rng.random() < occluded:
        over = random_occlusion(image, grid, labels == COVERED, labels == 0, rng)
        image, touched, hidden = over.image, over.touched, over.hidden
    image = _recoloured(image, rng)
    image, grid = _rescaled(image, grid, rng)
    if rng.random() < 0.03:
        image = _photo(image, grid, rng)
    if rng.random() < 0.12:
        kind = rng.random()
        image = compressed(image, "jpeg" if kind < 0.4 else "webp", int(rng.integers(55, 93)))
    image = np.ascontiguousarray(image)
    image.setflags(write=False)
    return Screenshot(Drawing(image, grid), touched, hidden)


def _recoloured(image: Image, rng: np.random.Generator) -> Image:
    """Dark mode, gray, night light, another gamma."""
    kind = rng.random()
    if kind < 0.03:
        return inverted(image)
    if kind < 0.07:
        return grayed(image)
    if kind < 0.12:
        warmth = rng.uniform(0.15, 1.0)
        return toned(image, 1.0, (1.0, 1 - 0.22 * warmth, 1 - 0.5 * warmth))
    if kind < 0.2:
        return toned(image, float(np.exp(rng.uniform(np.log(0.65), np.log(1.5)))))
    return image


def _rescaled(image: Image, grid: Grid, rng: np.random.Generator) -> tuple[Image, Grid]:
    """Shrunk, at times to the smallest that can be read, or enlarged as displays and chats do."""
    pitch = min(grid.pitch_x, grid.pitch_y)
    kind = rng.random()
    if kind < 0.05 and pitch > _LEAST_PITCH:
        factor = rng.uniform(_LEAST_PITCH, min(pitch, 17.0)) / pitch
    elif kind < 0.1 and pitch > _LEAST_PITCH:
        factor = max(rng.uniform(0.4, 1.0), _LEAST_PITCH / pitch)
    elif kind < 0.15 and pitch < 36:
        factor = float(rng.choice([1.25, 1.5, 2.0]))
    else:
        return image, grid
    ways: tuple[Way, ...] = ("linear", "cubic", "cubic")
    if factor < 1:
        ways = ("linear", "cubic", "area") if factor > 0.5 else ("area", "area", "linear")
    way = ways[int(rng.integers(len(ways)))]
    result = scaled(image, factor, way)
    across, down = result.shape[1] / image.shape[1], result.shape[0] / image.shape[0]
    return result, grid.scaled(across, down)


def _photo(image: Image, grid: Grid, rng: np.random.Generator) -> Image:
    """Photographed aslant and put upright again, though not quite: what is off shows as uneven tiles."""
    height, width = image.shape[:2]
    keystone = (float(rng.uniform(-0.05, 0.05)), float(rng.uniform(-0.05, 0.05)))
    there, size = tilt((width, height), float(rng.uniform(-2, 2)), keystone)
    seen = photographed(
        warped(image, there, size, (90, 90, 90)),
        rng,
        blur=min(float(rng.uniform(0.4, 1.1)), min(grid.pitch_x, grid.pitch_y) / 24),
        noise=float(rng.uniform(1, 5)),
    )
    off = np.eye(3)
    off[:2] += rng.normal(0, 1, (2, 3)) * [[8e-4, 8e-4, 0.5], [8e-4, 8e-4, 0.5]]
    return grained(warped(seen, off @ np.linalg.inv(there), (width, height), (90, 90, 90)), 0.5, rng)
