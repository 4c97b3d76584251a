"""The networks that ship with the program: their weights by layer and part."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from visionsweeper.errors import BadModel
from visionsweeper.resources import models_folder

Network: TypeAlias = Mapping[str, npt.NDArray[np.float32]]
"""Layer and part, as in "head.bias" -> weights."""

LARGEST_INPUT: Final = 6.0
"""Standard deviations beyond which no network sees an input."""
_MOST_ODDS: Final = 12.0
"""Natural log: no network is believed beyond that."""


@lru_cache
def shipped_network(name: str, **version: Any) -> Network:
    """Return the weights of a network that ships with the program.

    `version` are the entries of its record that have to be so. Raises BadModel when the file cannot be read
    or belongs to another version.
    """
    path = models_folder() / f"{name}.npz"
    try:
        with np.load(path, allow_pickle=False) as file:
            record = json.loads(str(file["record"]))
            weights = {part: file[part].astype(np.float32) for part in file.files if part != "record"}
    except (OSError, ValueError, KeyError) as error:
        raise BadModel(f"{path} is missing or damaged: install visionsweeper again") from error
    if any(record.get(key) != value for key, value in version.items()):
        raise BadModel(f"{path} belongs to another version: install visionsweeper again")
    return weights


def shipped_members(name: str, **version: Any) -> tuple[Network, ...]:
    """Return the networks of a file that answer together.

    Raises BadModel as `shipped_network` does.
    """
    return tuple(members_of(shipped_network(name, **version)))


def members_of(weights: Mapping[str, npt.NDArray[Any]]) -> list[dict[str, npt.NDArray[Any]]]:
    """Return the weights of each network of a file, whose parts are "0/head.bias" and so on."""
    members: dict[str, dict[str, npt.NDArray[Any]]] = {}
    for path, values in weights.items():
        member, part = path.split("/")
        members.setdefault(member, {})[part] = values
    return list(members.values())


def odds_by(net: Network, name: str, columns: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return the natural log odds, (...), that a small network of a file says of (..., columns).

    Its parts are "NAME.mean" and "NAME.scale" of the columns, and for each layer "NAME.weight0" and
    "NAME.bias0".
    """
    state = np.clip((columns - net[f"{name}.mean"]) / net[f"{name}.scale"], -LARGEST_INPUT, LARGEST_INPUT)
    layers = sum(key.startswith(f"{name}.weight") for key in net)
    for layer in range(layers):
        state = state @ net[f"{name}.weight{layer}"] + net[f"{name}.bias{layer}"]
        if layer < layers - 1:
            state = np.maximum(state, 0.0)
    odds: npt.NDArray[np.float32] = np.clip(state[..., 0], -_MOST_ODDS, _MOST_ODDS)
    return odds
