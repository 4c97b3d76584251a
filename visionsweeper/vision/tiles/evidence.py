"""What the pixels alone say of a board's tiles, before themes that were taught and the rules of the game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED, Side
from visionsweeper.geometry import Grid
from visionsweeper.vision.cutting import cut_tiles
from visionsweeper.vision.tiles.classes import CLASS_NAMES, QUESTION, WRONG_FLAG
from visionsweeper.vision.tiles.close_look import pull_apart
from visionsweeper.vision.tiles.clustering import (
    bounded,
    group_look_alikes,
    join_edges,
    near_copies,
    tiles_by_group,
)
from visionsweeper.vision.tiles.completion import completed
from visionsweeper.vision.tiles.confidence import Opinions
from visionsweeper.vision.tiles.context import Scene, context_features, group_means
from visionsweeper.vision.tiles.features import (
    TILE_SIZE,
    FloatArray,
    background_colour,
    describe,
    frame_profile,
    to_lab,
)
from visionsweeper.vision.tiles.group_net import class_logs
from visionsweeper.vision.tiles.groups import Groups
from visionsweeper.vision.tiles.knn import Layers, Model
from visionsweeper.vision.tiles.labelling import first_names
from visionsweeper.vision.tiles.likeness import ties_of
from visionsweeper.vision.tiles.pixels import pictures_of
from visionsweeper.vision.tiles.relations import relation_features
from visionsweeper.vision.tiles.same_drawing import share_kinds

_ASKED_A_GROUP: Final = 6
"""Tiles of a group of look-alikes whose prototypes are looked up."""
_LEAST_PROBABILITY: Final = 0.01
"""Least probability of a class by a tile's prototypes alone, so that they rule none out."""
_LEAST_SECOND_LOG: Final = -6.2
"""Least natural log of a class by the second pass alone, so that it rules none out."""
_SECOND_WEIGHT: Final = 0.75
"""Weight of the second pass, as a power of its probabilities; the first has the rest."""
_VISIBLE: Final = 3.0
"""Contrast below which a tile shows no sign, Lab units: a little more than the eye tells apart."""
_SIGNS: Final = (*range(1, 9), WRONG_FLAG, QUESTION)
"""Classes that show a sign, a number or a cross; a flag or a mine may be a colour alone."""
_NOT_DRAWN: Final = -12.0
"""What is added to the natural log of the classes of signs where a tile shows none."""
_CONTEXT_LIMIT: Final = 6.0
"""Log odds beyond which the context is not believed, either way."""


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


def gather(
    image: npt.NDArray[np.uint8], grid: Grid, model: Model, continues: tuple[Side, ...] = ()
) -> Evidence:
    """Cut, describe, classify and group the tiles of a board, which may go on beyond the picture."""
    tiles = completed(cut_tiles(image, grid, TILE_SIZE), grid, image.shape)
    lab = to_lab(tiles)
    background = background_colour(lab)
    copies = near_copies(lab)
    # Only one of each set of near copies is looked at closely.
    leaders, of_leader = np.unique(copies.leader, return_inverse=True)
    vectors = describe(lab[leaders], background[leaders])
    embedded = model.embed(vectors)[of_leader]
    alike = join_edges(group_look_alikes(copies, embedded), copies, (grid.rows, grid.columns))
    groups = bounded(pull_apart(alike, lab), embedded)
    # A tile that was taken for a copy of one in another group now is described for itself.
    strange = np.flatnonzero(groups != groups[copies.leader])
    vectors = vectors[of_leader]
    if len(strange):
        vectors[strange] = describe(lab[strange], background[strange])
        embedded[strange] = model.embed(vectors[strange])
    asked = _a_few_of_each(groups)
    neighbours = model.neighbours(embedded[asked])
    logs = np.log(model.probabilities(neighbours) + _LEAST_PROBABILITY)
    shares = np.zeros((int(groups.max()) + 1, len(CLASS_NAMES)), dtype=np.float32)
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
        background=background,
        frame=frame_profile(lab[..., 0] - background[:, None, None, 0]),
        contrast=_contrast(lab, background),
        vectors=vectors,
        continues=continues,
    )
    return Evidence(scene, context_features(scene), nearest, distance, embedded, tiles)


def _a_few_of_each(groups: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """(k,) indices of a few tiles of each group, spread over the board: look-alikes have one answer."""
    return np.concatenate([some[:: -(-len(some) // _ASKED_A_GROUP)] for some in tiles_by_group(groups)])


def form_opinions(evidence: Evidence, model: Model) -> Opinions:
    """Say how well each class suits each group, by itself and beside the other groups of the picture."""
    first = first_pass(evidence, model.context)
    groups = groups_of(evidence, first)
    second = class_logs(groups)
    floored = np.maximum(second, _LEAST_SECOND_LOG)
    combined: FloatArray = _SECOND_WEIGHT * floored + (1.0 - _SECOND_WEIGHT) * first
    combined = share_kinds(combined, groups.pictures, groups.background, groups.size)
    combined[np.ix_(_shows_nothing(evidence.scene), _SIGNS)] += _NOT_DRAWN
    return Opinions(first, second, combined, places=np.zeros_like(combined), ties=ties_of(groups))


def _shows_nothing(scene: Scene) -> npt.NDArray[np.bool_]:
    """Tell by contrast and prototypes whether nothing is drawn on a group's tiles, (groups,) bool."""
    contrast = group_means(scene.contrast[:, None], scene.groups)[:, 0]
    return np.asarray((contrast < _VISIBLE) & (scene.blank > 0.5))


def groups_of(evidence: Evidence, first: FloatArray) -> Groups:
    """Return the groups as the second pass sees them, beside each other as the first pass names them."""
    scene = evidence.scene
    classes = first_names(scene, first)
    return Groups(
        rows=scene.rows,
        columns=scene.columns,
        of_tile=scene.groups,
        size=np.bincount(scene.groups),
        vectors=scene.means.astype(np.float32),
        background=group_means(scene.background, scene.groups).astype(np.float32),
        frame=group_means(scene.frame, scene.groups).astype(np.float32),
        relations=relation_features(scene, evidence.context, evidence.distance, first, classes),
        pictures=pictures_of(evidence.tiles, scene.groups, first),
    )


def first_pass(evidence: Evidence, context: Layers) -> FloatArray:
    """Return how well each class suits each group, (groups, 14), the blanks shared out by their context."""
    scene = evidence.scene
    odds = np.clip(context(evidence.context)[:, 0], -_CONTEXT_LIMIT, _CONTEXT_LIMIT)
    covered = 1.0 / (1.0 + np.exp(-odds))
    shares = scene.probability.copy()
    shares[:, COVERED] = scene.blank * covered
    shares[:, 0] = scene.blank * (1.0 - covered)
    logs: FloatArray = np.log(shares + 0.002)
    return logs


def _contrast(lab: FloatArray, background: FloatArray) -> FloatArray:
    """(n,) Lab distance from the background that the strongest pixels of the inner tile reach."""
    inner = lab[:, 4:-4:2, 4:-4:2] - background[:, None, None, :]
    distance = np.sqrt(np.einsum("nijk,nijk->nij", inner, inner)).reshape(len(lab), -1)
    strong: FloatArray = np.partition(distance, -4, axis=1)[:, -4]
    return strong
