"""Draws docs/before-after.png, on top of the README: a screenshot, and what the program makes of it.

Run `python tools/make_before_after.py` from the root of the checkout.
"""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from visionsweeper.drawing.annotate import enlargement
from visionsweeper.io.images import save_image
from visionsweeper.pipeline import analyse, picture, read_board

ROOT = Path(__file__).parent.parent
COLUMNS = (6, 19)
"""First and last column shown, of the sample's thirty: a part is easier to read on a page than the whole."""
ROWS = (0, 15)


def main() -> None:
    """Read and solve the sample, cut the same part out of both pictures, and put them side by side."""
    source = ROOT / "samples" / "expert.png"
    reading = read_board(source, width=30)
    annotated = picture(analyse(reading))
    grid = reading.grid
    factor = enlargement(grid, reading.image.shape)
    before = cv2.resize(reading.image, None, fx=factor, fy=factor, interpolation=cv2.INTER_CUBIC)
    x0, x1 = (round(float(grid.x[c]) * factor) for c in (COLUMNS[0], COLUMNS[1] + 1))
    y0, y1 = (round(float(grid.y[r]) * factor) for r in (ROWS[0], ROWS[1] + 1))
    part = np.s_[max(y0, 0) : y1, max(x0, 0) : x1]
    between = np.full((before[part].shape[0], 24, 3), 255, np.uint8)
    save_image(ROOT / "docs" / "before-after.png", np.hstack([before[part], between, annotated[part]]))


if __name__ == "__main__":
    main()
