"""Trains the theme networks, which hold a picture against a theme that was taught, on drawn boards alone.

    python tools/train_theme_net.py -o models/theme_net.npz --samples FOLDER

Pairs of boards are drawn first, each pair in a theme of its own; those of an earlier run with the same counts
are taken up again. One pair in twenty is never trained on, and what the networks make of it is printed.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any, Final

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from small_networks import trained

import visionsweeper
from visionsweeper.synthetic.fonts import find_fonts
from visionsweeper.training.theme_samples import theme_samples
from visionsweeper.vision.themes.theme_net import FORMAT
from visionsweeper.vision.tiles.features import FEATURE_VERSION
from visionsweeper.vision.tiles.knn import load_model

SAMPLES: Final = {21: 1500, 22: 1500, 23: 1500}
"""How many pairs of each seed."""
EVERY_HELD_OUT: Final = 20
MODELS: Final = {
    "class": MLPClassifier((32,), alpha=1e-4, batch_size=1024, max_iter=14, random_state=1),
    "theme": LogisticRegression(max_iter=2000),
}


def main() -> None:
    """Draw, train, report, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--samples", type=Path, required=True, help="folder of the drawn samples")
    parser.add_argument("--share", type=float, default=1.0, help="of the pairs, to try it out")
    parser.add_argument("--draw-only", type=int, metavar="SEED", help="draw the pairs of this seed and stop")
    options = parser.parse_args()
    options.samples.mkdir(parents=True, exist_ok=True)
    counts = {seed: max(40, round(options.share * count)) for seed, count in SAMPLES.items()}
    if options.draw_only is not None:
        drawn(options.samples, options.draw_only, counts[options.draw_only])
        return
    parts = [drawn(options.samples, seed, count) for seed, count in counts.items()]
    weights: dict[str, Any] = {}
    held = {}
    for name in MODELS:
        inputs = np.concatenate([part[name] for part in parts]).astype(np.float32)
        right = np.concatenate([part[f"{name}_right"] for part in parts])
        pair = np.concatenate([part[f"{name}_pair"] for part in parts])
        found, held[name] = trained(MODELS[name], inputs, right, pair % EVERY_HELD_OUT == 0)
        weights |= {f"{name}.{key}": value for key, value in found.items()}
        print(name, held[name])
    record = {
        "format": FORMAT,
        "feature_version": FEATURE_VERSION,
        "made_by": "tools/train_theme_net.py",
        "visionsweeper": visionsweeper.__version__,
        "trained_on": "pairs of drawn boards only; no real picture",
        "pairs": counts,
        "fonts": len(find_fonts()),
        "held_out": held,
    }
    np.savez_compressed(options.output, record=np.array(json.dumps(record)), **weights)


def drawn(folder: Path, seed: int, count: int) -> dict[str, Any]:
    """Return the samples of a seed, drawn now or before."""
    path = folder / f"themes-{seed}-{count}.npz"
    if not path.exists():
        samples = []
        for done, sample in enumerate(theme_samples(seed, find_fonts(), count, load_model()), start=1):
            samples.append(sample)
            if done % 50 == 0:
                print(f"{done} of {count} pairs of seed {seed} drawn", flush=True)
        own, other = (
            [s.fit for s in samples],
            [s.fit_of_other for s in samples if s.fit_of_other is not None],
        )
        part = path.with_suffix(".part.npz")
        arrays: dict[str, Any] = {
            "class": np.concatenate([s.columns for s in samples]).astype(np.float16),
            "class_right": np.concatenate([s.right for s in samples]),
            "class_pair": np.repeat(np.arange(len(samples)), [len(s.right) for s in samples]),
            "theme": np.stack([*own, *other]),
            "theme_right": np.repeat([True, False], [len(own), len(other)]),
            "theme_pair": np.concatenate([np.arange(len(own)), 1 + np.arange(len(other))]),
        }
        np.savez(part, **arrays)
        part.replace(path)
    with np.load(path) as file:
        return dict(file)


if __name__ == "__main__":
    main()
