"""Names for groups of look-alikes: jointly the likeliest under the evidence and the rules of the game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.board import MINE
from visionsweeper.vision.tiles.classes import WRONG_FLAG, tiles_of_classes
from visionsweeper.vision.tiles.context import Scene
from visionsweeper.vision.tiles.features import FloatArray
from visionsweeper.vision.tiles.likeness import NO_TIES, Ties
from visionsweeper.vision.tiles.rules import ClassCodes
from visionsweeper.vision.tiles.search import Search
from visionsweeper.vision.tiles.solvability import make_solvable

_SEVERAL: Final = 2
"""Shown mines from which on all are shown: some games show none but the one that exploded."""

_SOME_HIDDEN: Final = 5.4
"""What it costs, natural log, that a board shows several mines, and yet not all.

About the log of 231: of as many real boards that show several none leaves a number with fewer mines and flags
around it than it counts.
"""


@dataclass(frozen=True)
class Naming:
    """One class for every group."""

    classes: npt.NDArray[np.uint8]
    """(groups,) tile classes."""
    margin: npt.NDArray[np.float64]
    """(groups,) natural log, at least 0: how much worse the whole is with the group read as another tile."""
    doubtful: tuple[int, ...]
    """Groups where the pixels said one thing and the numbers need another."""
    lost: bool = False
    """Whether the board is lost, so that all mines are shown or flagged."""


def name_groups(scene: Scene, likelihood: FloatArray, ties: Ties = NO_TIES) -> Naming:
    """Find the likeliest joint naming under which the board has a solution, where there is a likely one.

    `likelihood`: (groups, 14) log likelihood of each class for each group. Descends from several starts (as
    the evidence says; each way of calling the two kinds of blanks) by changing one group at a time.
    `ties`: groups that are likely of one class.
    """
    search = Search(scene, likelihood, ties)
    first = _descended(search)
    search, start, lead = _lost_or_not(search, first)
    classes, doubtful = make_solvable(search, start)
    margin = np.minimum(search.margins(classes), lead)
    margin[doubtful] = 0.0  # no reason to be sure of either
    return Naming(classes.astype(np.uint8), margin, tuple(doubtful), search.rules.lost)


def _lost_or_not(search: Search, classes: ClassCodes) -> tuple[Search, ClassCodes, npt.NDArray[np.float64]]:
    """Settle whether a board on which several mines are shown is lost: then nearly always all are.

    Returns the search to go on with, the (groups,) classes, and (groups,) by how much they are likelier than
    what names the group another tile, natural log.
    """
    if int((classes[search.scene.groups] == MINE).sum()) < _SEVERAL:
        return search, classes, np.full(len(classes), np.inf)
    lost, running = search.where_lost(), search.without(MINE, WRONG_FLAG)
    as_lost = lost.descend(classes)
    shown = np.isin(classes, (MINE, WRONG_FLAG))
    as_running = running.descend(np.where(shown, running.likelihood.argmax(axis=1), classes))
    ways = (
        (lost.total(as_lost), lost, as_lost),
        (search.total(as_running), running, as_running),
        (search.total(classes) + _SOME_HIDDEN, search, classes),
    )
    least, chosen, named = min(ways, key=lambda way: way[0])
    tiles = tiles_of_classes(named)
    leads = [np.where(tiles_of_classes(other) == tiles, np.inf, total - least) for total, _, other in ways]
    return chosen, named, np.min(leads, axis=0)


def first_names(scene: Scene, likelihood: FloatArray) -> ClassCodes:
    """Find the likeliest joint naming, (groups,) tile classes, whether or not the board has a solution."""
    return _descended(Search(scene, likelihood))


def _descended(search: Search) -> ClassCodes:
    return min((search.descend(start) for start in search.starts()), key=search.total)
