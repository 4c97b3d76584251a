"""Two small networks: is a tile of the same class as a theme's exemplars, and is the picture in that theme.

Trained on pairs of drawn boards, one to teach and one to read (`tools/train_theme_net.py`), run by numpy.
"""

from __future__ import annotations

from typing import Final

from visionsweeper.vision.networks import odds_by, shipped_network
from visionsweeper.vision.tiles.features import FloatArray

FORMAT: Final = 1
"""Version of the file's layout, and of the columns that the networks see."""


def class_odds(columns: FloatArray) -> FloatArray:
    """Return the natural log odds that tiles are of classes, by (..., COLUMNS) of `comparison.class_columns`.

    Raises BadModel when the shipped networks cannot be read, as `theme_odds` does.
    """
    return odds_by(shipped_network("theme_net", format=FORMAT), "class", columns)


def theme_odds(columns: FloatArray) -> float:
    """Return the natural log odds that a picture is in a theme, by (COLUMNS,) of `comparison.fit_columns`."""
    return float(odds_by(shipped_network("theme_net", format=FORMAT), "theme", columns))
