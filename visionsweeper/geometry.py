"""A part of a picture, as people write it."""

from __future__ import annotations

from typing import TypeAlias

from visionsweeper.errors import InvalidInput

Box: TypeAlias = tuple[float, float, float, float]
"""Left, top, right and bottom edge in pixels."""


def box_from_text(text: str) -> Box:
    """The box that X0,Y0,X1,Y1 means: four finite numbers, left of right and above below.

    Raises InvalidInput.
    """
    try:
        x0, y0, x1, y1 = (float(part) for part in text.split(","))
    except ValueError:
        raise InvalidInput(f"{text[:60]!r} is not of the form X0,Y0,X1,Y1, as in 10,80,490,336") from None
    # Written so that NaN fails too.
    if not (0 <= x0 < x1 < 1e9 and 0 <= y0 < y1 < 1e9):
        raise InvalidInput(f"{text[:60]!r} is no box: it needs 0 <= X0 < X1 and 0 <= Y0 < Y1, in pixels")
    return x0, y0, x1, y1
