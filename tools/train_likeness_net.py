"""Trains the likeness network, which tells whether two groups are of one class, on drawn boards alone.

    python tools/train_likeness_net.py -o models/likeness_net.npz --samples FOLDER

Needs `pip install "visionsweeper[train]"`. The boards are some of those on which group networks that see
pixels are trained, drawn here or by tools/train_group_net.py; one in twenty is never trained on.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
from sklearn.neural_network import MLPClassifier
from small_networks import trained
from train_group_net import ANY_LOOK, PIXELS, pairs_of, samples_of

import visionsweeper
from visionsweeper.synthetic.fonts import find_fonts
from visionsweeper.training.group_samples import GroupSample
from visionsweeper.vision.tiles.classes import tiles_of_classes
from visionsweeper.vision.tiles.features import FEATURE_VERSION
from visionsweeper.vision.tiles.likeness import FORMAT

SEEDS: Final = {202: PIXELS, 205: PIXELS, 207: PIXELS, 302: ANY_LOOK, 304: ANY_LOOK}
"""Of which boards."""
PAIRS: Final = 300
"""Of each board, at most."""
PURE: Final = 0.99
"""Share of one class from which on a group is asked about."""
EVERY_HELD_OUT: Final = 20


def main() -> None:
    """Take the pairs, train, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--samples", type=Path, required=True, help="where the boards are kept")
    options = parser.parse_args()
    options.samples.mkdir(parents=True, exist_ok=True)
    fonts = find_fonts()
    rng = np.random.default_rng(0)
    inputs: list[npt.NDArray[np.float32]] = []
    right: list[npt.NDArray[np.bool_]] = []
    board: list[npt.NDArray[np.int64]] = []
    for seed, boards in SEEDS.items():
        drawn = samples_of(seed, boards.count, fonts, options.samples, boards.shares, pictures=True)
        for sample in drawn:
            features, alike = some_pairs(sample, rng)
            inputs.append(features)
            right.append(alike)
            board.append(np.full(len(alike), len(board)))
    model = MLPClassifier((48, 24), alpha=1e-4, batch_size=4096, max_iter=8, random_state=1)
    held_out = np.concatenate(board) % EVERY_HELD_OUT == 0
    weights, held = trained(model, np.concatenate(inputs), np.concatenate(right), held_out)
    record = {
        "format": FORMAT,
        "feature_version": FEATURE_VERSION,
        "made_by": "tools/train_likeness_net.py",
        "visionsweeper": visionsweeper.__version__,
        "trained_on": "drawn boards only; no real picture",
        "boards": len(board),
        "pairs": len(held_out),
        "fonts": len(fonts),
        "held_out": held,
    }
    arrays = {f"pair.{name}": value.astype(np.float32) for name, value in weights.items()}
    np.savez_compressed(options.output, allow_pickle=False, record=np.array(json.dumps(record)), **arrays)
    print(record)


def some_pairs(
    sample: GroupSample, rng: np.random.Generator
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
    """Return how groups of a board differ, (k, PAIR_FEATURES), and whether each pair is of one tile, (k,)."""
    tiles = tiles_of_classes(sample.classes.argmax(axis=1).astype(np.uint8))
    pure = sample.classes.max(axis=1) > PURE
    asked = pure[:, None] & pure[None]
    np.fill_diagonal(asked, val=False)
    one, other = np.nonzero(asked)
    chosen = rng.permutation(len(one))[:PAIRS]
    one, other = one[chosen], other[chosen]
    return pairs_of(sample)[one, other].astype(np.float32), tiles[one] == tiles[other]


if __name__ == "__main__":
    main()
