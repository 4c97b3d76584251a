"""How sure a reading is: what tells, group by group, whether its name is right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED, FLAG, MINE
from visionsweeper.vision.tiles.classes import QUESTION, WRONG_FLAG, tiles_of_classes
from visionsweeper.vision.tiles.context import Columns, Scene, stacked
from visionsweeper.vision.tiles.features import FloatArray
from visionsweeper.vision.tiles.labelling import Naming
from visionsweeper.vision.tiles.likeness import NO_TIES, Ties
from visionsweeper.vision.tiles.rules import Rules

CONFIDENCE_COLUMNS: Final = (
    *("margin", "margin_coarse", "own", "top_vote", "own_vote", "blank_vote", "size", "distance"),
    *("broken_near", "is_digit", "is_blank", "is_covered"),
    *("own_mean", "own_low", "own_tile_mean", "distance_mean", "distance_high", "broken_share"),
    *("any_doubtful", "groups_a_tile", "digit_share"),
    *("first_lead", "second_lead", "second_lead_coarse", "combined_lead", "first_log", "second_log"),
    *("first_agrees", "second_agrees", "entropy"),
    *("second_lead_tile_mean", "second_lead_low", "second_unsure_share", "first_disagrees_share"),
    *("entropy_tile_mean", "distance_tile_mean"),
    *("place_lead", "is_flag", "is_mine", "is_wrong_flag", "is_question", "is_opened_blank", "is_single"),
)
"""Names of a group's columns, in the order that models are trained with."""

CONFIDENCE_FEATURES: Final = len(CONFIDENCE_COLUMNS)
"""Length of a group's vector."""

_LEAST_LOG: Final = -10.0
"""Natural log of the second pass below which a class is as good as ruled out."""


@dataclass(frozen=True)
class Opinions:
    """How well each class suits each group, (groups, 14) natural logs, and which groups go together."""

    first_pass: FloatArray
    """By its own pixels, blanks shared out by their context."""
    second_pass: FloatArray
    """Beside the other groups of the picture."""
    combined: FloatArray
    """Both together, and `places`: what the naming goes by."""
    places: FloatArray
    """By where the tiles of a group stand (see `marks`), for each tile as much as `combined` counts it."""
    ties: Ties = NO_TIES
    """Groups that are likely of one class."""


def confidence_features(scene: Scene, opinions: Opinions, distance: FloatArray, naming: Naming) -> FloatArray:
    """Return one vector a group: (groups, CONFIDENCE_FEATURES) float32, the columns of CONFIDENCE_COLUMNS.

    Of the group: its margin, how well its name suits it by each opinion, how far its nearest prototypes are,
    which rules break around it. Of the whole picture the same, because errors come together: a theme that is
    unlike all in training, or a board that breaks the rules, is to be doubted as a whole.
    `distance`: (groups,) to the nearest prototype.
    """
    size = np.bincount(scene.groups, minlength=len(naming.classes))
    columns = _name_columns(scene, opinions, naming)
    columns |= _rule_columns(scene, naming, size)
    columns |= _lead_columns(opinions, naming, size)
    own, entropy, share = columns["own"], columns["entropy"], size / size.sum()
    columns |= {
        "size": np.log(size) / 5.0,
        "is_single": size == 1,
        "distance": distance,
        "own_mean": own.mean(),
        "own_low": _quantile(own, 0.15),
        "own_tile_mean": (own * size).sum() / size.sum(),
        "distance_mean": distance.mean(),
        "distance_high": _quantile(distance, 0.85),
        "any_doubtful": len(naming.doubtful) > 0,
        "groups_a_tile": np.tanh(3.0 * len(size) / len(scene.groups)),
        "entropy_tile_mean": (entropy * share).sum(),
        "distance_tile_mean": (distance * share).sum(),
    }
    return stacked(columns, CONFIDENCE_COLUMNS, len(size))


def _name_columns(scene: Scene, opinions: Opinions, naming: Naming) -> Columns:
    """How well each group's name suits it, and what kind of tile that is."""
    classes = naming.classes.astype(np.intp)
    rows = np.arange(len(classes))
    blank = (classes == 0) | (classes == COVERED)
    odds = np.exp(opinions.second_pass)
    return {
        "margin": np.tanh(naming.margin / 3.0),
        "margin_coarse": np.tanh(naming.margin / 12.0),
        "own": np.exp(opinions.combined[rows, classes]),
        "top_vote": scene.probability.max(axis=1),
        "own_vote": np.where(blank, scene.blank, scene.probability[rows, classes]),
        "blank_vote": scene.blank,
        "is_digit": (classes >= 1) & (classes <= 8),
        "is_blank": blank,
        "is_covered": classes == COVERED,
        "is_opened_blank": classes == 0,
        "is_flag": classes == FLAG,
        "is_mine": classes == MINE,
        "is_wrong_flag": classes == WRONG_FLAG,
        "is_question": classes == QUESTION,
        "first_log": opinions.first_pass[rows, classes] / 3.0,
        "second_log": np.maximum(opinions.second_pass[rows, classes], _LEAST_LOG) / 3.0,
        "entropy": -(odds * opinions.second_pass).sum(axis=1),
    }


def _rule_columns(scene: Scene, naming: Naming, size: npt.NDArray[np.int64]) -> Columns:
    """Which rules break around each group and on the board, and how much of it shows digits."""
    groups, classes = scene.groups, naming.classes.astype(np.intp)
    rules = Rules(scene.rows, scene.columns, scene.continues)
    broken = np.append(rules.penalties(classes[groups]) > 0.2, [False])
    near = broken[:-1] | broken[rules.around].any(axis=1)
    digit = (classes >= 1) & (classes <= 8)
    return {
        "broken_near": np.bincount(groups, weights=near, minlength=len(classes)) / size,
        "broken_share": np.tanh(10.0 * broken.mean()),
        "digit_share": size[digit].sum() / len(groups),
    }


def _lead_columns(opinions: Opinions, naming: Naming, size: npt.NDArray[np.int64]) -> Columns:
    """By how much each group's name is ahead of the others, by each opinion."""
    classes = naming.classes.astype(np.intp)
    first, second, combined = (
        _lead(each, classes, _rivals(each, classes))
        for each in (opinions.first_pass, opinions.second_pass, opinions.combined)
    )
    places = _lead(opinions.places, classes, _rivals(opinions.second_pass, classes))
    share = size / size.sum()
    return {
        "first_lead": np.tanh(first / 3.0),
        "second_lead": np.tanh(second / 3.0),
        "second_lead_coarse": np.tanh(second / 10.0),
        "combined_lead": np.tanh(combined / 3.0),
        "place_lead": np.tanh(places),
        "first_agrees": first > 0,
        "second_agrees": second > 0,
        "second_lead_tile_mean": (np.tanh(second / 3.0) * share).sum(),
        "second_lead_low": _quantile(np.tanh(second / 3.0), 0.2),
        "second_unsure_share": share[second < 1.0].sum(),
        "first_disagrees_share": share[first < 0.0].sum(),
    }


def _rivals(logs: FloatArray, classes: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """Return (groups,) the likeliest class of each group that would be another tile than its own class."""
    tiles = tiles_of_classes(np.arange(logs.shape[1]))
    rivals: npt.NDArray[np.intp] = np.where(tiles[None, :] == tiles[classes][:, None], -np.inf, logs).argmax(
        axis=1
    )
    return rivals


def _lead(
    logs: FloatArray, classes: npt.NDArray[np.intp], rivals: npt.NDArray[np.intp]
) -> npt.NDArray[np.float64]:
    """Return (groups,) by how much each group's class is ahead of its rival."""
    rows = np.arange(len(logs))
    lead: npt.NDArray[np.float64] = (logs[rows, classes] - logs[rows, rivals]).astype(np.float64)
    return lead


def _quantile(values: npt.NDArray[np.floating[Any]], share: float) -> float:
    """As np.quantile, which would import numpy.ma: a noticeable part of a cold start."""
    ordered = np.sort(values)
    return float(np.interp(share * (len(ordered) - 1), np.arange(len(ordered)), ordered))
