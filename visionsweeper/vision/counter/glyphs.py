"""Reads single characters: digits, letters, the stroke of a fraction, and the icons beside counters."""

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
from visionsweeper.io.npz import read_archive
from visionsweeper.resources import models_folder
from visionsweeper.vision.counter.strokes import GLYPH_FEATURES, FloatArray
from visionsweeper.vision.tiles.knn import Layers

FORMAT_VERSION: Final = 1
ICONS: Final = ("mine", "flag", "clock")
SIGNS: Final = (*"0123456789abcdefghkmnopqrstuvwxyz", "l", "/", *ICONS, "other")
"""What a character may be. "l" is every plain upright (l, I, the stem of an i); dots are not read here."""

DIGITS: Final = 10
SLASH: Final = SIGNS.index("/")
OTHER: Final = SIGNS.index("other")

_LETTERS_ALIKE: Final = {
    "0": ("o", 1.0),
    "1": ("l", 1.0),
    "2": ("z", 0.7),
    "5": ("s", 0.7),
    "9": ("g", 0.5),
    "6": ("b", 0.5),
}
"""Digits, the letters that some fonts draw alike, and how far these count for them."""
_MAX_BYTES: Final = 1_000_000


@dataclass(frozen=True)
class CharacterModel:
    """A small network over normalised glyphs and the record of how it came to be."""

    network: Layers
    record: Mapping[str, Any]

    def __post_init__(self) -> None:
        """Validate shapes and version; raises BadModel."""
        if self.record.get("format_version") != FORMAT_VERSION:
            raise BadModel(
                "the counter's model has another version: reinstall the program, or train it again"
            )
        first, last = self.network.weights[0].shape[0], self.network.weights[-1].shape[1]
        if first != GLYPH_FEATURES or last != len(SIGNS):
            raise BadModel("the counter's model does not fit this program: train it again")

    def shares(self, glyphs: FloatArray) -> FloatArray:
        """Return (n, signs) probabilities of (n, GLYPH_FEATURES) glyphs."""
        logits = self.network(glyphs)
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        result: FloatArray = powers / powers.sum(axis=1, keepdims=True)
        return result


def as_digits(shares: FloatArray) -> FloatArray:
    """Return (n, 10) probabilities of digits where a number is expected; letters alike count for them."""
    digits: FloatArray = shares @ _to_digits()
    return digits


def as_letters(shares: FloatArray) -> FloatArray:
    """Return (n, 26) probabilities of letters where a word is expected; i, j and l share the upright."""
    letters: FloatArray = shares @ _to_letters()
    return letters


@lru_cache(maxsize=1)
def _to_digits() -> FloatArray:
    table = np.zeros((len(SIGNS), DIGITS), dtype=np.float32)
    table[:DIGITS, :DIGITS] = np.eye(DIGITS)
    for digit, (letter, share) in _LETTERS_ALIKE.items():
        table[SIGNS.index(letter), int(digit)] = share
    return table


@lru_cache(maxsize=1)
def _to_letters() -> FloatArray:
    table = np.zeros((len(SIGNS), 26), dtype=np.float32)
    for row, sign in enumerate(SIGNS):
        if len(sign) == 1 and sign.isalpha():
            table[row, ord(sign) - ord("a")] = 1
    for digit, (letter, _) in _LETTERS_ALIKE.items():
        table[int(digit), ord(letter) - ord("a")] = 1
    upright = table[:, ord("l") - ord("a")].copy()
    for like in "ij":
        table[:, ord(like) - ord("a")] = upright
    # A t in small print has hardly a bar.
    table[:, ord("t") - ord("a")] += 0.2 * upright
    return table


def load_characters(path: Path | None = None) -> CharacterModel:
    """Load the model that ships with the program, or the one at `path`; raises BadModel."""
    return _load(path or models_folder() / "counter.npz")


@lru_cache(maxsize=2)
def _load(path: Path) -> CharacterModel:
    try:
        arrays, record = read_archive(path, _MAX_BYTES, "a model of characters")
        count = sum(name.startswith("weight_") for name in arrays)
        layers = Layers(
            tuple(_floats(arrays[f"weight_{i}"]) for i in range(count)),
            tuple(_floats(arrays[f"bias_{i}"]) for i in range(count)),
        )
        return CharacterModel(layers, record)
    except BadModel:
        raise
    except (ValueError, KeyError, IndexError, AttributeError) as error:
        raise BadModel(f"{path} is not a model of characters, or a damaged one") from error


def _floats(array: npt.NDArray[Any]) -> FloatArray:
    if array.dtype.kind != "f" or not np.isfinite(array).all():
        raise ValueError("not numbers")
    return array.astype(np.float32)


def save_characters(model: CharacterModel, path: Path) -> None:
    """Write a model as `.npz`: arrays and a JSON record, nothing that executes; raises WriteFailed."""
    from io import BytesIO  # only training writes models

    from visionsweeper.io.files import write_atomically

    arrays: dict[str, npt.NDArray[Any]] = {
        "record": np.frombuffer(json.dumps(dict(model.record), indent=1).encode(), dtype=np.uint8)
    }
    for i, (weight, bias) in enumerate(zip(model.network.weights, model.network.biases, strict=True)):
        arrays[f"weight_{i}"] = weight.astype(np.float16)
        arrays[f"bias_{i}"] = bias
    buffer = BytesIO()
    np.savez(buffer, allow_pickle=False, **arrays)
    write_atomically(path, buffer.getvalue())
