"""Names for groups of look-alikes: jointly the likeliest under the evidence and the rules of the game."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from visionsweeper.vision.tiles.context import Scene
from visionsweeper.vision.tiles.features import FloatArray
from visionsweeper.vision.tiles.likeness import NO_TIES, Ties
from visionsweeper.vision.tiles.rules import ClassCodes
from visionsweeper.vision.tiles.search import Search
from visionsweeper.vision.tiles.solvability import make_solvable


@dataclass(frozen=True)
class Naming:
    """One class for every group."""

    classes: npt.NDArray[np.uint8]
    """(groups,) tile classes."""
    margin: npt.NDArray[np.float64]
    """(groups,) natural log, at least 0: how much worse the whole is with the group read as another tile."""
    doubtful: tuple[int, ...]
    """Groups where the pixels said one thing and the numbers need another."""


def name_groups(scene: Scene, likelihood: FloatArray, ties: Ties = NO_TIES) -> Naming:
    """The likeliest joint naming under which the board has a solution, where there is a likely one.

    `likelihood`: (groups, 14) log likelihood of each class for each group. Descends from several starts (as
    the evidence says; each way of calling the two kinds of blanks) by changing one group at a time.
    `ties`: groups that are likely of one class.
    """
    search = Search(scene, likelihood, ties)
    classes, doubtful = make_solvable(search, _descended(search))
    margin = search.margins(classes)
    margin[doubtful] = 0.0  # no reason to be sure of either
    return Naming(classes.astype(np.uint8), margin, tuple(doubtful))


def first_names(scene: Scene, likelihood: FloatArray) -> ClassCodes:
    """The likeliest joint naming, (groups,) tile classes, whether or not the board then has a solution."""
    return _descended(Search(scene, likelihood))


def _descended(search: Search) -> ClassCodes:
    return min((search.descend(start) for start in search.starts()), key=search.total)
