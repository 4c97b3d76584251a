"""Tiles to a board: groups look-alikes, names the groups, lets the rules of the game settle doubts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from visionsweeper.board import Board, Side
from visionsweeper.geometry import Box, Grid
from visionsweeper.vision.headers import Headers, headers_of
from visionsweeper.vision.themes.answer import ask_themes
from visionsweeper.vision.themes.theme import LearnedTheme
from visionsweeper.vision.tiles.classes import tiles_of_classes
from visionsweeper.vision.tiles.confidence import Opinions, confidence_features
from visionsweeper.vision.tiles.context import Scene
from visionsweeper.vision.tiles.evidence import Evidence, form_opinions, gather
from visionsweeper.vision.tiles.features import FloatArray
from visionsweeper.vision.tiles.knn import Model
from visionsweeper.vision.tiles.labelling import Naming
from visionsweeper.vision.tiles.marks import name_with_marks
from visionsweeper.vision.tiles.rules import Rules

if TYPE_CHECKING:
    from visionsweeper.vision.counter.counter import Counter
    from visionsweeper.vision.detection.candidates import Candidate

_Array = TypeVar("_Array", bound=npt.NDArray[Any])

UNCERTAIN_BELOW: Final = 0.95
"""Tiles read with less confidence than this are reported as uncertain.

High, because one wrong tile spoils the odds of a board of hundreds, and unseen themes are harder than the
drawn ones that confidence is fitted to.
"""

_BROKEN_FROM: Final = 0.7
"""Penalty of the rules from which a tile contradicts what is around it."""
_MOST_WHEN_BROKEN: Final = 0.6
"""Confidence that such a tile has at most."""


@dataclass(frozen=True)
class Reading:
    """What was read from one picture, with the confidence of every tile."""

    board: Board
    image: npt.NDArray[np.uint8]
    """(H, W, 3) uint8 RGB, read-only: the pixels that `grid` lies in, shared with the picture that was read.

    A tilted picture was put upright first: then these are pixels of its own.
    """
    grid: Grid
    """Where the tiles are, px of `image`."""
    classes: npt.NDArray[np.uint8]
    """(rows, columns) tile classes, which tell question marks from other covered tiles."""
    groups: npt.NDArray[np.intp]
    """(rows, columns) group of look-alikes of each tile."""
    confidence: npt.NDArray[np.float64]
    """(rows, columns), 0 to 1: the share of tiles read as surely as this one that are right."""
    mines: int | None
    """Mine count read from a counter; None where there is none, or the board goes on beyond the picture."""
    nearest: npt.NDArray[np.int64]
    """(rows, columns) the model's prototype nearest to the tiles of each tile's group."""
    distance: FloatArray
    """(groups,) how far away in the embedding each group's nearest prototype or exemplar is, 0 to 2."""
    votes: FloatArray
    """(groups, 14) share of each class among a group's prototypes and exemplars, before the rules."""
    theme: str | None = None
    """Name of the learned theme that the picture is drawn in; None if there is none."""
    counter: Counter | None = None
    """The counter that `mines` was read from."""
    straightened: bool = False
    """Whether `image` is the picture put upright, and so has other pixels than the one that was read."""
    guessed: bool = False
    """Whether no place in the picture is believed and no size was given: then all tiles are uncertain."""
    considered: tuple[Candidate, ...] = ()
    """What was considered in the search for the board, the likeliest first."""

    @property
    def box(self) -> Box:
        """x0, y0, x1, y1 of the board, px of `image`."""
        return self.grid.box

    @property
    def uncertain(self) -> npt.NDArray[np.bool_]:
        """(rows, columns) tiles read with too low a confidence to trust."""
        unsure: npt.NDArray[np.bool_] = self.confidence < UNCERTAIN_BELOW
        return unsure

    @property
    def mines_uncertain(self) -> bool:
        """Whether the mine count was read with too low a confidence to trust."""
        return self.counter is not None and self.counter.confidence < UNCERTAIN_BELOW

    @cached_property
    def headers(self) -> Headers:
        """Sides where signs beside the board were read as blank tiles; looked for when first asked."""
        return headers_of(self.image, self.grid, self.classes, self.groups)


def read(
    image: npt.NDArray[np.uint8],
    grid: Grid,
    model: Model,
    themes: Sequence[LearnedTheme] = (),
    continues: tuple[Side, ...] = (),
) -> Reading:
    """Read the board that lies under `grid` in `image`, (H, W, 3) uint8 RGB.

    It may go on beyond the picture at the sides in `continues`.
    `themes` are learned ones: where the picture is in one of them, it has a say in what each tile is.
    """
    untaught = gather(image, grid, model, continues)
    taught = ask_themes(untaught, form_opinions(untaught, model), model, themes)
    evidence = taught.evidence
    opinions, naming = name_with_marks(evidence.scene, taught.opinions)
    confidence = taught.confidence(_confidence(evidence, opinions, naming, model), naming)
    certainty = _where_rules_hold(confidence, evidence.scene, naming)
    groups, shape = evidence.scene.groups, (grid.rows, grid.columns)
    classes = naming.classes[groups].reshape(shape)
    return Reading(
        board=Board(tiles_of_classes(classes), continues),
        image=_frozen(image.view()),
        grid=grid,
        classes=_frozen(classes),
        groups=_frozen(groups.reshape(shape)),
        confidence=_frozen(certainty.reshape(shape)),
        mines=None,
        nearest=_frozen(evidence.nearest[groups].reshape(shape)),
        distance=_frozen(evidence.distance),
        votes=_frozen(evidence.scene.probability),
        theme=taught.theme,
    )


def _confidence(
    evidence: Evidence, opinions: Opinions, naming: Naming, model: Model
) -> npt.NDArray[np.float64]:
    """Return (groups,) how sure the model is of each group's name, calibrated."""
    odds = model.confidence(confidence_features(evidence.scene, opinions, evidence.distance, naming))
    confidence = np.interp(odds[:, 0], *model.calibration.astype(np.float64))
    if not naming.classes.any():
        confidence[:] = 0.0  # no game leaves nothing but opened blanks: this may be no board at all
    return confidence


def _where_rules_hold(
    confidence: npt.NDArray[np.float64], scene: Scene, naming: Naming
) -> npt.NDArray[np.float64]:
    """(n,) the confidence of each tile's group, lowered where the tile breaks a rule of the game.

    A group is judged as a whole; one of its tiles may yet be something else that looks like it, such as a
    covered tile that is being pressed.
    """
    classes = naming.classes[scene.groups].astype(np.intp)
    rules = Rules(scene.rows, scene.columns, scene.continues, lost=naming.lost)
    broken = rules.penalties(classes) > _BROKEN_FROM
    certainty = confidence[scene.groups]
    return np.where(broken, np.minimum(certainty, _MOST_WHEN_BROKEN), certainty)


def _frozen(array: _Array) -> _Array:
    array.setflags(write=False)
    return array
