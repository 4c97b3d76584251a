"""Two small networks: is a tile of the same class as a theme's exemplars, and is the picture in that theme.

Trained on pairs of drawn boards, one to teach and one to read (`tools/train_theme_net.py`), run by numpy.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from visionsweeper.vision.networks import shipped_network
from visionsweeper.vision.tiles.features import FloatArray

FORMAT: Final = 1
"""Version of the file's layout, and of the columns that the networks see."""

_LARGEST_INPUT: Final = 6.0
"""Standard deviations."""
_MOST_ODDS: Final = 12.0
"""Natural log: no network is believed beyond that."""


def class_odds(columns: FloatArray) -> FloatArray:
    """Return the natural log odds that tiles are of classes, by (..., COLUMNS) of `comparison.class_columns`.

    Raises BadModel when the shipped networks cannot be read, as `theme_odds` does.
    """
    return _run("class", columns)


def theme_odds(columns: FloatArray) -> float:
    """Return the natural log odds that a picture is in a theme, by (COLUMNS,) of `comparison.fit_columns`."""
    return float(_run("theme", columns))


def _run(name: str, columns: FloatArray) -> FloatArray:
    net = shipped_network("theme_net", format=FORMAT)
    state = np.clip((columns - net[f"{name}.mean"]) / net[f"{name}.scale"], -_LARGEST_INPUT, _LARGEST_INPUT)
    layers = sum(key.startswith(f"{name}.weight") for key in net)
    for layer in range(layers):
        state = state @ net[f"{name}.weight{layer}"] + net[f"{name}.bias{layer}"]
        if layer < layers - 1:
            state = np.maximum(state, 0.0)
    odds: FloatArray = np.clip(state[..., 0], -_MOST_ODDS, _MOST_ODDS)
    return odds
