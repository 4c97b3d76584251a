"""Tiles to a board: groups look-alikes, names the groups, lets the rules of the game settle doubts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED, Board
from visionsweeper.geometry import Grid
from visionsweeper.vision.cutting import cut_tiles
from visionsweeper.vision.themes.neighbours import Kinship, candidates, disputed, kinship
from visionsweeper.vision.themes.template_match import Recalled, recall_tiles
from visionsweeper.vision.themes.theme import Theme
from visionsweeper.vision.tiles.classes import LOOK_NAMES, tiles_of_looks
from visionsweeper.vision.tiles.clustering import group_look_alikes, near_copies
from visionsweeper.vision.tiles.confidence import Opinions, confidence_features
from visionsweeper.vision.tiles.context import Scene, context_features
from visionsweeper.vision.tiles.features import (
    SHAPE,
    TILE_SIZE,
    FloatArray,
    describe,
    frame_profile,
    ground_colour,
    tints,
    to_lab,
)
from visionsweeper.vision.tiles.knn import Layers, Model
from visionsweeper.vision.tiles.labelling import first_names, name_groups
from visionsweeper.vision.tiles.relations import relation_features
from visionsweeper.vision.tiles.rules import Rules

if TYPE_CHECKING:
    from visionsweeper.vision.counter.counter import Counter

_Array = TypeVar("_Array", bound=npt.NDArray[Any])

UNCERTAIN_BELOW: Final = 0.95
"""Tiles read with less confidence than this are reported as uncertain.

High, because one wrong tile spoils the odds of a board of hundreds, and unseen looks are harder than the
drawn ones that confidence is fitted to.
"""

_ASKED: Final = 6
_FLOOR: Final = 0.01  # no look is ruled out by its neighbours alone
_SECOND: Final = 0.6  # weight of the second look, as a power of its probabilities
_BROKEN: Final = 0.7  # penalty from which a tile contradicts what is around it
_DOUBT: Final = 0.6  # the most that such a tile is trusted
_LEAST: Final = -6.2  # natural log; nor by the second look alone


@dataclass(frozen=True)
class Reading:
    """What was read from one picture, and how surely."""

    board: Board
    image: npt.NDArray[np.uint8]
    """(H, W, 3) uint8 RGB, read-only: the pixels that `grid` lies in, shared with the picture that was read.

    A tilted picture was put upright first: then these are pixels of its own.
    """
    grid: Grid
    """Where the tiles are, px of `image`."""
    looks: npt.NDArray[np.uint8]
    """(rows, columns) look codes, which tell question marks from other covered tiles."""
    groups: npt.NDArray[np.intp]
    """(rows, columns) group of look-alikes of each tile."""
    confidence: npt.NDArray[np.float64]
    """(rows, columns), 0 to 1: the share of tiles read as surely as this one that are right."""
    mines: int | None
    """Mine count read from a counter in the picture; None where there is none."""
    nearest: npt.NDArray[np.int64]
    """(rows, columns) the model's prototype nearest to the tiles of each tile's group."""
    counter: Counter | None = None
    """The counter that `mines` was read from."""
    straightened: bool = False
    """Whether `image` is the picture put upright, and so has other pixels than the one that was read."""

    @property
    def box(self) -> tuple[float, float, float, float]:
        """x0, y0, x1, y1 of the board, px of `image`."""
        return self.grid.box

    @property
    def uncertain(self) -> npt.NDArray[np.bool_]:
        """(rows, columns) tiles read with too low a confidence to trust."""
        unsure: npt.NDArray[np.bool_] = self.confidence < UNCERTAIN_BELOW
        return unsure


@dataclass(frozen=True)
class Evidence:
    """What the pixels alone say, before the rules of the game."""

    scene: Scene
    context: FloatArray
    """(groups, CONTEXT_FEATURES)."""
    nearest: npt.NDArray[np.int64]
    """(groups,) the prototype that lies nearest to any of a group's tiles."""
    distance: FloatArray
    """(groups,) how far away that is, 0 to 2."""
    embedded: FloatArray
    """(n, h) the tiles in the model's embedding, unit vectors."""
    tiles: npt.NDArray[np.uint8]
    """(n, 32, 32, 3) RGB."""


def read(image: npt.NDArray[np.uint8], grid: Grid, model: Model, themes: Sequence[Theme] = ()) -> Reading:
    """Read the board that lies under `grid` in `image`, (H, W, 3) uint8 RGB.

    `themes` are learned ones: where the picture is drawn in one of them, it answers for the tiles it knows.
    """
    evidence = gather(image, grid, model)
    likely = candidates(evidence.scene, evidence.embedded, model, themes)
    recalled = recall_tiles(evidence.tiles, grid, likely)
    if recalled is not None:
        theme = next(theme for theme in likely if theme.name == recalled.theme)
        doubted = disputed(evidence.scene, evidence.embedded, model, theme, recalled.looks)
        recalled = recalled.without(doubted)
        evidence = _with_recalled(evidence, recalled)
    kin = kinship(
        evidence.scene, evidence.embedded, model, likely, None if recalled is None else recalled.theme
    )
    if kin is not None:
        evidence = _with_kin(evidence, kin)
    if recalled is not None or kin is not None:
        evidence = replace(evidence, context=context_features(evidence.scene))
    opinions = form_opinions(evidence, model)
    likelihood = opinions.mixed if kin is None else kin.lean(opinions.mixed)
    if recalled is not None:
        shares = None if kin is None else kin.shares
        likelihood = recalled.overrule(likelihood, evidence.scene.groups, shares)
    naming = name_groups(evidence.scene, likelihood)
    opinions = replace(opinions, mixed=likelihood)
    odds = model.confidence(confidence_features(evidence.scene, opinions, evidence.distance, naming))
    shape = (grid.rows, grid.columns)
    groups = evidence.scene.groups
    looks = naming.looks[groups].reshape(shape)
    confidence = np.interp(odds[:, 0], *model.calibration.astype(np.float64))
    if not naming.looks.any():
        confidence[:] = 0.0  # no game leaves nothing but opened blanks: this may be no board at all
    if recalled is not None:
        confidence = recalled.reassure(confidence, evidence.scene.groups, naming.doubtful)
    if kin is not None and recalled is None:
        confidence = kin.reassure(confidence, naming)
    certainty = _where_rules_hold(confidence[groups], evidence.scene, naming.looks[groups])
    return Reading(
        board=Board(tiles_of_looks(looks)),
        image=_frozen(image.view()),
        grid=grid,
        looks=_frozen(looks),
        groups=_frozen(groups.reshape(shape)),
        confidence=_frozen(certainty.reshape(shape)),
        mines=None,
        nearest=_frozen(evidence.nearest[groups].reshape(shape)),
    )


def _where_rules_hold(
    confidence: npt.NDArray[np.float64], scene: Scene, looks: npt.NDArray[np.uint8]
) -> npt.NDArray[np.float64]:
    """The (n,) confidence, lowered for tiles that break a rule of the game where they are.

    A group is judged as a whole; one of its tiles may yet be something else that looks like it, such as a
    covered tile that is being pressed.
    """
    broken = Rules(scene.rows, scene.columns).penalties(looks.astype(np.intp)) > _BROKEN
    return np.where(broken, np.minimum(confidence, _DOUBT), confidence)


def _with_recalled(evidence: Evidence, recalled: Recalled) -> Evidence:
    """The evidence with the groups divided by what a learned theme knows; the context is left."""
    scene, parts = recalled.divide(evidence.scene)
    return replace(
        evidence,
        scene=scene,
        nearest=evidence.nearest[parts],
        distance=evidence.distance[parts],
    )


def _with_kin(evidence: Evidence, kin: Kinship) -> Evidence:
    """The evidence with a learned theme's exemplars as further neighbours; the context is left."""
    scene = replace(evidence.scene, probability=kin.vote(evidence.scene.probability))
    distance = np.minimum(evidence.distance, kin.distance)
    return replace(evidence, scene=scene, distance=distance)


def gather(image: npt.NDArray[np.uint8], grid: Grid, model: Model) -> Evidence:
    """Cut, describe, classify and group the tiles."""
    tiles = cut_tiles(image, grid, TILE_SIZE)
    lab = to_lab(tiles)
    ground = ground_colour(lab)
    copies = near_copies(lab)
    # Only one of each set of near copies is looked at closely.
    leaders, of_leader = np.unique(copies.leader, return_inverse=True)
    vectors = describe(lab[leaders], ground[leaders])
    embedded = model.embed(vectors)[of_leader]
    groups = group_look_alikes(copies, embedded)
    asked = _a_few_of_each(groups)
    neighbours = model.neighbours(embedded[asked])
    logs = np.log(model.probabilities(neighbours) + _FLOOR)
    shares = np.zeros((int(groups.max()) + 1, len(LOOK_NAMES)), dtype=np.float32)
    np.add.at(shares, groups[asked], logs)
    shares = np.exp(shares / np.bincount(groups[asked])[:, None])
    shares /= shares.sum(axis=1, keepdims=True)
    # The nearest of all the prototypes that the tiles of a group came upon.
    nearest = np.zeros(len(shares), dtype=np.int64)
    order = np.argsort(-neighbours.distance[:, 0], kind="stable")
    nearest[groups[asked[order]]] = neighbours.index[order, 0]
    distance = np.zeros(len(shares), dtype=np.float32)
    distance[groups[asked[order]]] = neighbours.distance[order, 0]
    scene = Scene(
        rows=grid.rows,
        columns=grid.columns,
        groups=groups,
        probability=shares,
        ground=ground,
        frame=frame_profile(lab[..., 0] - ground[:, None, None, 0]),
        contrast=_contrast(lab, ground),
        shape=vectors[of_leader, SHAPE],
        tint=tints(vectors)[of_leader],
    )
    return Evidence(scene, context_features(scene), nearest, distance, embedded, tiles)


def _a_few_of_each(groups: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """Indices of up to _ASKED tiles of each group, spread over the board: look-alikes have one answer."""
    order = np.argsort(groups, kind="stable")
    members = np.split(order, np.flatnonzero(np.diff(groups[order])) + 1)
    return np.concatenate([some[:: -(-len(some) // _ASKED)] for some in members])


def form_opinions(evidence: Evidence, model: Model) -> Opinions:
    """How well each look suits each group, alone and beside the other groups of the picture."""
    alone = first_likelihood(evidence, model.context)
    again = model.relations(second_look(evidence, alone))
    again -= again.max(axis=1, keepdims=True)
    again -= np.log(np.exp(again).sum(axis=1, keepdims=True))
    mixed: FloatArray = _SECOND * np.maximum(again, _LEAST) + (1.0 - _SECOND) * alone
    return Opinions(alone, again, mixed)


def second_look(evidence: Evidence, alone: FloatArray) -> FloatArray:
    """(groups, RELATION_FEATURES): every group beside the others, as these are named at first."""
    looks = first_names(evidence.scene, alone)
    return relation_features(evidence.scene, evidence.context, evidence.distance, alone, looks)


def first_likelihood(evidence: Evidence, context: Layers) -> FloatArray:
    """(groups, 14): how well each look suits each group, the blanks shared out by their context."""
    scene = evidence.scene
    odds = np.clip(context(evidence.context)[:, 0], -6.0, 6.0)
    covered = 1.0 / (1.0 + np.exp(-odds))
    shares = scene.probability.copy()
    shares[:, COVERED] = scene.blank * covered
    shares[:, 0] = scene.blank * (1.0 - covered)
    logs: FloatArray = np.log(shares + 0.002)
    return logs


def _contrast(lab: FloatArray, ground: FloatArray) -> FloatArray:
    """(n,) Lab distance from the ground that the strongest pixels of the inner tile reach."""
    inner = lab[:, 4:-4:2, 4:-4:2] - ground[:, None, None, :]
    distance = np.sqrt(np.einsum("nijk,nijk->nij", inner, inner)).reshape(len(lab), -1)
    strong: FloatArray = np.partition(distance, -4, axis=1)[:, -4]
    return strong


def _frozen(array: _Array) -> _Array:
    array.setflags(write=False)
    return array
