"""The k-NN: feature vectors to class probabilities, by the nearest prototypes of a learned embedding."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from visionsweeper.errors import BadModel
from visionsweeper.io.files import is_there
from visionsweeper.io.npz import read_archive
from visionsweeper.resources import DEFAULT_MODEL, models_folder
from visionsweeper.vision.tiles.classes import CLASS_NAMES
from visionsweeper.vision.tiles.confidence import CONFIDENCE_FEATURES
from visionsweeper.vision.tiles.context import CONTEXT_FEATURES
from visionsweeper.vision.tiles.features import FEATURE_VERSION

FORMAT_VERSION: Final = 5
MAX_MODEL_BYTES: Final = 64 * 1024 * 1024
_AT_ONCE: Final = 1024  # tiles compared with all prototypes at once: bounds memory
MOST_LAYERS: Final = 4
LARGEST_VALUE: Final = 1e3
"""Far beyond any that training gives; what is larger could overflow on the way through the layers."""

FloatArray = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Layers:
    """A small feed-forward network: every layer but the last is followed by a rectifier."""

    weights: tuple[FloatArray, ...]
    """(inputs, outputs) each."""
    biases: tuple[FloatArray, ...]
    """(outputs,) each."""

    def __post_init__(self) -> None:
        """Validate that the layers chain; raises BadModel."""
        if not 1 <= len(self.weights) <= MOST_LAYERS or len(self.weights) != len(self.biases):
            raise BadModel("the model's layers are incomplete; train it again")
        width = self.weights[0].shape[0]
        for weight, bias in zip(self.weights, self.biases, strict=True):
            if weight.ndim != 2 or weight.shape[0] != width or bias.shape != (weight.shape[1],):
                raise BadModel("the model's layers do not fit together; train it again")
            width = weight.shape[1]

    def hidden(self, vectors: FloatArray) -> FloatArray:
        """Return the activations of the last layer but one: (n, inputs) -> (n, h)."""
        for weight, bias in zip(self.weights[:-1], self.biases[:-1], strict=True):
            vectors = np.maximum(vectors @ weight + bias, 0.0)
        return vectors

    def __call__(self, vectors: FloatArray) -> FloatArray:
        """(n, inputs) -> (n, outputs), not rectified."""
        result: FloatArray = self.hidden(vectors) @ self.weights[-1] + self.biases[-1]
        return result


@dataclass(frozen=True)
class Neighbours:
    """The nearest prototypes of each of n tiles."""

    index: npt.NDArray[np.int64]
    """(n, k) rows of the model's prototypes, nearest first."""
    distance: FloatArray
    """(n, k) Euclidean distances in the embedding, whose vectors have length 1: 0 to 2."""


@dataclass(frozen=True, eq=False)
class Model:
    """All that a reading needs, as arrays, and the record of how it came to be."""

    mean: FloatArray
    """(d,) of the feature vectors in training."""
    scale: FloatArray
    """(d,) standard deviation, above 0."""
    embeddings: tuple[Layers, ...]
    """Feature vector -> embedding, side by side; only their hidden parts are used."""
    prototypes: FloatArray
    """(p, h) unit vectors."""
    labels: npt.NDArray[np.uint8]
    """(p,) tile classes."""
    context: Layers
    """Context features of a group without a glyph -> log odds that it is covered (see `reading`)."""
    confidence: Layers
    """Confidence features of a group -> log odds that its name is right (see `confidence`)."""
    calibration: FloatArray
    """(2, m): such log odds, rising, and the share of right tiles at each."""
    record: Mapping[str, Any]
    """What it was trained on and measured, plain JSON; at least feature_version, neighbours, classes."""

    def __post_init__(self) -> None:
        """Validate shapes, values and version; raises BadModel."""
        if self.record.get("format_version") != FORMAT_VERSION:
            raise BadModel(
                f"the model has format {self.record.get('format_version')!r}, this program reads "
                f"{FORMAT_VERSION}: train it again or update the program"
            )
        if self.record.get("feature_version") != FEATURE_VERSION:
            raise BadModel(
                f"the model was made for features of version {self.record.get('feature_version')!r}, this "
                f"program has {FEATURE_VERSION}: train it again with `visionsweeper train`"
            )
        k = self.record.get("neighbours")
        p = len(self.prototypes)
        fits = (
            isinstance(k, int)
            and 1 <= k <= p
            and len(self.embeddings) > 0
            and self.mean.ndim == 1
            and self.mean.shape == self.scale.shape
            and all(self.mean.shape == layers.weights[0].shape[:1] for layers in self.embeddings)
            and self.prototypes.ndim == 2
            and self.prototypes.shape[1] == sum(layers.weights[-1].shape[0] for layers in self.embeddings)
            and self.labels.shape == (p,)
            and int(self.labels.max()) < len(CLASS_NAMES)
            and self.context.weights[0].shape[0] == CONTEXT_FEATURES
            and self.confidence.weights[0].shape[0] == CONFIDENCE_FEATURES
            and self.context.weights[-1].shape[1] == self.confidence.weights[-1].shape[1] == 1
            and self.calibration.ndim == 2
            and self.calibration.shape[0] == 2
            and self.calibration.shape[1] >= 1
        )
        if not fits:
            raise BadModel("the model's arrays do not fit together; train it again")
        arrays = [self.mean, self.scale, self.prototypes, self.calibration]
        for layers in (*self.embeddings, self.context, self.confidence):
            arrays += [*layers.weights, *layers.biases]
        if not all(np.isfinite(array).all() for array in arrays) or not (self.scale > 0).all():
            raise BadModel("the model holds values that are not numbers; train it again")
        if (
            any((np.abs(array) > LARGEST_VALUE).any() for array in arrays)
            or (self.scale < 1 / LARGEST_VALUE).any()
        ):
            raise BadModel("the model holds values out of range; train it again")
        if not ((self.calibration[1] >= 0) & (self.calibration[1] <= 1)).all():
            raise BadModel("the model's calibration is not between 0 and 1; train it again")
        for array in arrays:
            array.setflags(write=False)
        self.labels.setflags(write=False)

    def embed(self, vectors: FloatArray) -> FloatArray:
        """Embed (n, d) feature vectors as (n, h) unit vectors; tiles of a kind lie close together."""
        scaled = (vectors - self.mean) / self.scale
        return _unit(np.concatenate([_unit(each.hidden(scaled)) for each in self.embeddings], axis=1))

    def neighbours(self, embedded: FloatArray) -> Neighbours:
        """Find the nearest prototypes of (n, h) unit vectors."""
        parts = [
            self._neighbours(embedded[at : at + _AT_ONCE]) for at in range(0, max(len(embedded), 1), _AT_ONCE)
        ]
        return Neighbours(
            np.concatenate([part.index for part in parts]), np.concatenate([part.distance for part in parts])
        )

    def _neighbours(self, embedded: FloatArray) -> Neighbours:
        k = int(self.record["neighbours"])
        # Unit vectors: the squared distance is 2 - 2 cos.
        similarity = embedded @ self.prototypes.T
        index = np.argpartition(-similarity, k - 1, axis=1)[:, :k]
        near = np.take_along_axis(similarity, index, axis=1)
        order = np.argsort(-near, axis=1, kind="stable")
        index = np.take_along_axis(index, order, axis=1)
        # The product loses the last digits where vectors nearly agree; the difference keeps them.
        difference = embedded[:, None, :] - self.prototypes[index]
        return Neighbours(index, np.sqrt(np.einsum("nkh,nkh->nk", difference, difference)))

    def probabilities(self, neighbours: Neighbours) -> FloatArray:
        """Return (n, 14) probabilities by tile class: the votes of the neighbours.

        Each is weighted by one over its distance.

        The same answer as scikit-learn's KNeighborsClassifier(weights="distance"). A tile that coincides
        with prototypes is decided by those alone.
        """
        exact = neighbours.distance == 0.0
        with np.errstate(divide="ignore"):
            weight = 1.0 / neighbours.distance
        weight = np.where(exact.any(axis=1, keepdims=True), exact.astype(np.float32), weight)
        votes = np.zeros((len(weight), len(CLASS_NAMES)), dtype=np.float32)
        labels = self.labels[neighbours.index]
        for tile_class in range(len(CLASS_NAMES)):
            votes[:, tile_class] = (weight * (labels == tile_class)).sum(axis=1)
        shares: FloatArray = votes / votes.sum(axis=1, keepdims=True)
        return shares


def pack_model(model: Model) -> bytes:
    """Pack a model as an `.npz` file: arrays and a JSON record, nothing that executes when loaded."""
    from io import BytesIO  # only training writes models

    arrays: dict[str, npt.NDArray[Any]] = {
        "mean": model.mean,
        "scale": model.scale,
        "prototypes": model.prototypes.astype(np.float16),
        "labels": model.labels,
        "calibration": model.calibration,
        "record": np.frombuffer(json.dumps(dict(model.record), indent=1).encode(), dtype=np.uint8),
    }
    named = [(f"embedding_{i}", layers) for i, layers in enumerate(model.embeddings)]
    named += [(name, getattr(model, name)) for name in ("context", "confidence")]
    for name, layers in named:
        for i, (weight, bias) in enumerate(zip(layers.weights, layers.biases, strict=True)):
            arrays[f"{name}_weight_{i}"] = weight.astype(np.float16)
            arrays[f"{name}_bias_{i}"] = bias
    buffer = BytesIO()
    # Not compressed: unpacking would cost every start more than the space is worth; a wheel packs it anyway.
    np.savez(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def load_model(source: str | Path | None = None) -> Model:
    """Load a model by path, or by name from the models that ship with the program; None: the standard one.

    Raises BadModel for a missing, damaged or hostile file, or one of another version.
    """
    path = models_folder() / f"{DEFAULT_MODEL}.npz" if source is None else Path(source)
    if source is not None and not path.suffix and not is_there(path):
        path = models_folder() / f"{source}.npz"
    try:
        stamp = path.stat()
    except (OSError, ValueError) as error:
        detail = getattr(error, "strerror", None) or error
        raise BadModel(
            f"there is no model at {path}: {detail}; `visionsweeper models` lists those that can be named"
        ) from error
    return _load(path, stamp.st_mtime_ns, stamp.st_size)


@lru_cache(maxsize=4)
def _load(path: Path, _changed: int, size: int) -> Model:
    if size > MAX_MODEL_BYTES:
        raise BadModel(f"{path} is too large for a model ({size} bytes; at most {MAX_MODEL_BYTES})")
    arrays, record = read_archive(path, MAX_MODEL_BYTES, "a model")
    return unpacked_model(path, arrays, record)


def unpacked_model(path: Path, arrays: Mapping[str, npt.NDArray[Any]], record: Mapping[str, Any]) -> Model:
    """Make the model of the arrays of a file. Raises BadModel, naming the file, where they make none."""
    try:
        return Model(
            mean=_floats(arrays, "mean"),
            scale=_floats(arrays, "scale"),
            embeddings=_embeddings(arrays),
            # Half precision on disk leaves lengths a little off 1.
            prototypes=_unit(_floats(arrays, "prototypes")),
            labels=arrays["labels"].astype(np.uint8, casting="same_kind"),
            context=_layers(arrays, "context"),
            confidence=_layers(arrays, "confidence"),
            calibration=_floats(arrays, "calibration"),
            record=record,
        )
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise BadModel(
            f"{path} lacks a part of a model or has it in a wrong form ({str(error)[:80]})"
        ) from error
    except BadModel as error:
        raise BadModel(f"{path}: {error}") from error


def _floats(arrays: Mapping[str, npt.NDArray[Any]], name: str) -> FloatArray:
    array = arrays[name]
    if array.dtype.kind != "f":
        raise TypeError(f"{name} is not of floats")
    with np.errstate(over="ignore"):  # what becomes infinite is refused with the rest
        narrow: FloatArray = array.astype(np.float32)
    if not np.isfinite(narrow).all():
        raise ValueError(f"{name} holds values that are not numbers")
    return narrow


def _unit(vectors: FloatArray) -> FloatArray:
    length = np.sqrt((vectors**2).sum(axis=-1, keepdims=True))
    unit: FloatArray = (vectors / np.maximum(length, 1e-9)).astype(np.float32)
    return unit


def _embeddings(arrays: Mapping[str, npt.NDArray[Any]]) -> tuple[Layers, ...]:
    count = sum(key.startswith("embedding_") and key.endswith("_weight_0") for key in arrays)
    return tuple(_layers(arrays, f"embedding_{i}") for i in range(count))


def _layers(arrays: Mapping[str, npt.NDArray[Any]], name: str) -> Layers:
    count = sum(key.startswith(f"{name}_weight_") for key in arrays)
    return Layers(
        tuple(_floats(arrays, f"{name}_weight_{i}") for i in range(count)),
        tuple(_floats(arrays, f"{name}_bias_{i}") for i in range(count)),
    )
