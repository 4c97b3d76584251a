"""Which groups of one picture show one drawing on two backgrounds, and so are of one kind.

Games say by the background alone which mine exploded, which flag was wrong, or over which tile the pointer
lies. The pixels of such tiles differ by a share of how far the backgrounds are apart: none of it where the
drawing covers the background, all of it beside the drawing, something between along its edges.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED, FLAG
from visionsweeper.vision.tiles.classes import CLASS_NAMES, WRONG_FLAG
from visionsweeper.vision.tiles.features import FloatArray, rms_apart
from visionsweeper.vision.tiles.pixels import lab_of
from visionsweeper.vision.tiles.search import SIZE_POWER

_OTHER_BACKGROUND: Final = 15.0
"""Difference of two backgrounds from which on they are two, Lab units."""

_SAME: Final = 0.3
"""How far two tiles may differ otherwise, as a share of what both show of the drawing."""

_LEAST_SHOWN: Final = 5.0
"""How much two tiles have to show of the drawing, root mean square, Lab units.

Of 178 such pairs among the groups of 474 pictures of real games and others all show one drawing.
"""

_BLUR: Final = 3
"""Width of the mean that is compared, px of 32: tiles are seldom cut alike to a part of a pixel."""

_INNER: Final = slice(4, -4)
"""Pixels of 32 that are compared: tiles of two backgrounds may have two frames."""

_MOST_GROUPS: Final = 200
"""Groups up to which they are compared: where there are more, no tile looks like another."""

_LEAST: Final = 0.005
"""Probability that groups with one drawing are of two kinds all the same."""

_KINDS: Final = np.arange(len(CLASS_NAMES))
_KINDS[WRONG_FLAG] = FLAG
_OF_KIND: Final = (_KINDS[:, None] == _KINDS[None]).astype(np.float32)


def share_kinds(
    logs: FloatArray, pictures: FloatArray, background: FloatArray, size: npt.NDArray[np.int64]
) -> FloatArray:
    """Return logs in which groups that show one drawing agree on its kind, (groups, 14) natural logs.

    Flags and wrong flags are of one kind, any other class is one by itself. What is likely a blank is asked
    nothing: the frames of two tiles may be alike, whatever one of them shows. A group that is of another
    opinion than a larger one is worth as much less to it as its fewer tiles are to the naming.
    `logs`: (groups, 14) how well each class suits each group; `pictures`: (groups, 32, 32, CHANNELS), see
    `pictures_of`; `background`: (groups, 3) that of each, Lab; `size`: (groups,) how many tiles each has.
    """
    drawn = np.flatnonzero(~np.isin(logs.argmax(axis=1), (0, COVERED)))
    if len(drawn) > _MOST_GROUPS:
        return logs
    one, other = (drawn[each] for each in one_drawing(lab_of(pictures[drawn]), background[drawn]))
    chance = np.exp(logs)
    kinds = (chance / chance.sum(axis=1, keepdims=True)) @ _OF_KIND
    told = np.log(_LEAST + (1.0 - _LEAST) * kinds)
    likeliest = kinds.argmax(axis=1)
    shared = logs.copy()
    surest = np.full(len(logs), -1.0, np.float32)
    # Each group hears the one that is the surest of those with its drawing.
    for here, there in zip((*one, *other), (*other, *one), strict=True):
        if kinds[there].max() > surest[here]:
            surest[here] = kinds[there].max()
            share = 1.0 if likeliest[here] == likeliest[there] else min(1.0, size[there] / size[here])
            shared[here] = logs[here] + told[there] * share**SIZE_POWER
    return shared


def one_drawing(lab: FloatArray, background: FloatArray) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return the pairs of groups that show one drawing on two backgrounds, (k,) and (k,) groups.

    `lab`: (groups, 32, 32, 3) their mean tiles, `background`: (groups, 3) that of each, Lab.
    """
    if len(lab) < 2:
        none = np.empty(0, dtype=np.intp)
        return none, none
    soft = np.stack([cv2.blur(tile, (_BLUR, _BLUR))[_INNER, _INNER].reshape(-1, 3) for tile in lab])
    drawn = soft - background[:, None]
    shows = (drawn * drawn).sum(axis=2).mean(axis=1) >= _LEAST_SHOWN**2  # a pair shows no more than each
    two = rms_apart(background, background) * np.float32(3**0.5) >= _OTHER_BACKGROUND
    one, other = np.nonzero(np.triu(two & shows & shows[:, None]))
    pairs = zip(one, other, strict=True)
    same = np.array([_same(drawn[a], drawn[b], background[b] - background[a]) for a, b in pairs], dtype=bool)
    return one[same], other[same]


def _same(here: FloatArray, there: FloatArray, step: FloatArray) -> bool:
    """Tell whether two tiles show one drawing.

    `here` and `there`: (n, 3) pixels less their background; `step`: from the one background to the other.
    """
    differ = there - here + step
    share = np.clip(differ @ step / (step @ step), 0.0, 1.0)[:, None]
    rest = differ - share * step
    shown = (1.0 - share[:, 0]) ** 2 * np.minimum((here * here).sum(axis=1), (there * there).sum(axis=1))
    off, seen = (rest * rest).sum(axis=1).mean(), shown.mean()
    return bool(seen >= _LEAST_SHOWN**2 and off <= _SAME**2 * seen)
