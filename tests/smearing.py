"""A picture with one tile that is read with doubt."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
from PIL import Image

from visionsweeper.io.images import load_image
from visionsweeper.pipeline import read_board

SAMPLE = Path(__file__).parent.parent / "samples" / "beginner-flat.png"
DOUBTED = 5, 3
"""A 1 beside covered tiles: painted over, it and a neighbour are doubted."""


def smeared(row: int, column: int) -> bytes:
    """Return the beginner sample as a PNG file with noise painted over one of its tiles."""
    reading, pixels = read_board(SAMPLE), load_image(SAMPLE).copy()
    x0, y0, x1, y1 = (round(edge) for edge in reading.grid.tile_box(row, column))
    noise = np.random.default_rng(1).integers(0, 255, (y1 - y0 - 6, x1 - x0 - 6, 3))
    pixels[y0 + 3 : y1 - 3, x0 + 3 : x1 - 3] = noise
    data = io.BytesIO()
    Image.fromarray(pixels).save(data, "PNG")
    return data.getvalue()
