"""Where marks stand: players flag mines, and a lost game shows mines and crosses out the other flags.

In a game that was never seen, where all marks of one look stand tells more than what they look like.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED, FLAG, MINE, Board
from visionsweeper.vision.tiles.classes import CLASS_NAMES, QUESTION, WRONG_FLAG, tiles_of_classes
from visionsweeper.vision.tiles.confidence import Opinions
from visionsweeper.vision.tiles.context import Scene
from visionsweeper.vision.tiles.features import FloatArray
from visionsweeper.vision.tiles.labelling import Naming, name_groups
from visionsweeper.vision.tiles.rules import ClassCodes
from visionsweeper.vision.tiles.search import SIZE_POWER
from visionsweeper.vision.tiles.solvability import mine_probability

_MISPLACED: Final = 0.1
"""Share of the flags that stand anywhere, whatever the numbers say."""

_WRONG_ALONE: Final = 0.25
"""Share of the lost games that show the mines under right flags and leave the wrong ones as they are."""

_MOST: Final = 3.0
"""By how much places alone make a class less likely than another at most, natural log.

Of one look those by opened tiles may be a group of their own.
"""


def name_with_marks(scene: Scene, opinions: Opinions) -> tuple[Opinions, Naming]:
    """Name the groups, then again with what the numbers, as named, tell of the places of marks.

    Returns the opinions with that evidence and the naming that follows from them.
    """
    naming = name_groups(scene, opinions.combined, opinions.ties)
    evidence = evidence_of_places(scene, naming.classes.astype(np.intp), lost=naming.lost)
    if not evidence.any():
        return opinions, naming
    evidence = np.maximum(evidence, evidence.max(axis=1, keepdims=True) - _MOST)
    size = np.bincount(scene.groups, minlength=len(evidence))
    # The search weighs a group's logs with a power of its size; the places of its tiles count one by one.
    places = (evidence / (size**SIZE_POWER)[:, None]).astype(np.float32)
    leaning = opinions.combined + places
    leaning += _mass(opinions.combined) - _mass(leaning)  # shared out anew, not made more
    naming = name_groups(scene, leaning, opinions.ties)
    return replace(opinions, combined=leaning, places=places), naming


def evidence_of_places(scene: Scene, classes: ClassCodes, *, lost: bool = False) -> FloatArray:
    """Return by how much each class makes the places of a group's tiles likelier, (groups, 14) natural log.

    `classes`: (groups,) tile classes; the numbers among them are believed, flags and mines are not. A flag
    or a shown mine stands on a tile with a probability proportional to p, that of a mine there, a wrong flag
    to 1 - p, anything else anywhere; on a `lost` board, where all mines are shown or flagged, plain covered
    tiles stand where wrong flags do, and so do the flags of some games. Where no number says anything of a
    tile, a mine is as likely as on the others in the mean, but nobody flags it, nor opens it: a mine with a
    look of its own on a lost board, likely the one that exploded, stands where flags do too. All 0 for opened
    tiles, and where the numbers contradict each other or take too much to count.
    """
    tiles = tiles_of_classes(classes[scene.groups])
    opened = tiles <= 8
    cells = np.where(opened, tiles, COVERED).astype(np.uint8).reshape(scene.rows, scene.columns)
    evidence = np.zeros((len(classes), len(CLASS_NAMES)), np.float32)
    counted = mine_probability(Board(cells, scene.continues))
    if counted is None:
        return evidence
    chance = counted.ravel()
    known = np.isfinite(chance)  # next to a number
    mean = chance[known].mean() if known.any() else 0.0
    if not 0.0 < mean < 1.0:
        return evidence
    likely, flagged = np.where(known, chance, mean), np.where(known, chance, 0.0)
    evidence[:, MINE] = _sums(scene.groups, likely / mean, len(classes))
    evidence[:, FLAG] = _sums(scene.groups, flagged / flagged[~opened].mean(), len(classes))
    evidence[:, WRONG_FLAG] = _sums(scene.groups, (1.0 - likely) / (1.0 - mean), len(classes))
    if lost:
        alone = np.bincount(scene.groups, minlength=len(classes)) == 1
        evidence[alone, MINE] = np.maximum(evidence[alone, MINE], evidence[alone, FLAG])
        evidence[:, [COVERED, QUESTION]] = evidence[:, [WRONG_FLAG]]
        evidence[:, FLAG] = np.logaddexp(
            np.log(1.0 - _WRONG_ALONE) + evidence[:, FLAG], np.log(_WRONG_ALONE) + evidence[:, WRONG_FLAG]
        )
    evidence[np.bincount(scene.groups, opened, len(classes)) > 0] = 0.0
    return evidence


def _mass(logs: FloatArray) -> FloatArray:
    """Return (groups, 1) natural log of the sum of (groups, 14) probabilities, given their logs."""
    mass: FloatArray = np.log(np.exp(logs).sum(axis=1, keepdims=True))
    return mass


def _sums(groups: npt.NDArray[np.intp], ratio: npt.NDArray[np.float64], count: int) -> FloatArray:
    """(count,) by group the sum of logs. `ratio`: (n,) how much likelier a mark is on each tile."""
    logs = np.log((1.0 - _MISPLACED) * ratio + _MISPLACED)
    sums: FloatArray = np.bincount(groups, logs, count).astype(np.float32)
    return sums
