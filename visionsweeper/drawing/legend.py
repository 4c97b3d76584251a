"""The strip below a picture that says what its marks mean."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final

import numpy as np

from visionsweeper.drawing import marks
from visionsweeper.drawing.colours import Colour, ramp
from visionsweeper.drawing.layers import Stamp
from visionsweeper.drawing.sheet import Picture, beside, written

_PAPER: Final[Colour] = (250, 250, 250)
_INK: Final[Colour] = (40, 40, 40)
_TILE: Final = 28
"""Side of a sample tile, px."""
_SIZE: Final = 13.0
"""Font size, px."""
_AIR: Final = 10
_GAP: Final = 6
_SCALE_WIDTH: Final = 120


def legend_strip(width: int, shown: Collection[str]) -> Picture:
    """Draw a (height, width, 3) uint8 RGB strip that explains the kinds of marks in `shown`.

    Known kinds: odds, safe, mined, safe_if, mined_if, best, runner_up, uncertain, conflict, doubted_flag,
    wrong_flag; others are passed over. Entries flow into as many lines as the width needs; where one does
    not fit at all the height is 0.
    """
    entries = [draw() for kind, draw in _ENTRIES.items() if kind in shown]
    if max((entry.shape[1] for entry in entries), default=0) + 2 * _AIR > width:
        return np.zeros((0, width, 3), np.uint8)
    lines: list[list[Picture]] = [[]]
    used = _AIR
    for entry in entries:
        if lines[-1] and used + entry.shape[1] + _AIR > width:
            lines.append([])
            used = _AIR
        lines[-1].append(entry)
        used += entry.shape[1] + 2 * _AIR
    strip = np.full((len(lines) * (_TILE + _AIR) + _AIR, width, 3), _PAPER, np.uint8)
    strip[:1] = 200
    for number, line in enumerate(lines):
        x, y = _AIR, _AIR + number * (_TILE + _AIR)
        for entry in line:
            strip[y : y + _TILE, x : x + entry.shape[1]] = entry
            x += entry.shape[1] + 2 * _AIR
    return strip


def _scale() -> Picture:
    bar = np.empty((_TILE, _SCALE_WIDTH, 3), np.uint8)
    bar[:] = [ramp(x / (_SCALE_WIDTH - 1)) for x in range(_SCALE_WIDTH)]
    bar[: _TILE // 4] = bar[-(_TILE // 4) :] = _PAPER
    return beside(_label("safe"), bar, _label("mine"), gap=_GAP, paper=_PAPER)


def _sample(make: Callable[[int, int], Stamp], text: str) -> Picture:
    tile = np.full((_TILE, _TILE, 3), 214, np.uint8)
    make(_TILE, _TILE).lay(tile, 0, 0)
    return beside(tile, _label(text), gap=_GAP, paper=_PAPER)


def _label(text: str) -> Picture:
    return written(text, _SIZE, _INK, weight=0.015, height=_TILE, paper=_PAPER)


_ENTRIES: Final[dict[str, Callable[[], Picture]]] = {
    "odds": _scale,
    "safe": lambda: _sample(lambda w, h: marks.certainly_safe(w, h, "0%"), "certainly safe"),
    "mined": lambda: _sample(lambda w, h: marks.certainly_mined(w, h, "100%"), "certainly a mine"),
    "safe_if": lambda: _sample(
        lambda w, h: marks.safe_if_read_right(w, h, "0%"), "safe if what is in doubt is right"
    ),
    "mined_if": lambda: _sample(
        lambda w, h: marks.mined_if_read_right(w, h, "100%"), "a mine if it is right"
    ),
    "best": lambda: _sample(marks.best, "open next"),
    "runner_up": lambda: _sample(marks.runner_up, "next best"),
    "uncertain": lambda: _sample(marks.uncertain, "read with doubt"),
    "conflict": lambda: _sample(marks.conflict, "numbers contradict"),
    "doubted_flag": lambda: _sample(marks.doubted_flag, "flag not certain"),
    "wrong_flag": lambda: _sample(marks.wrong_flag, "wrong flag"),
}
