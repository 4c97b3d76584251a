"""Fits the confidence of a model anew, on drawn boards: called for after the group network was trained again.

    python tools/fit_confidence.py models/standard.npz -o models/standard.npz

Half of the boards are ordinary, but a third of these have marks of any look; the other half are more often
lost, flagged by players who see further, and odd to look at. A tenth as many untouched boards is added, and
one in thirty as many grids that are no boards.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from visionsweeper.io.files import write_atomically
from visionsweeper.synthetic.fonts import find_fonts
from visionsweeper.training.train import TrainingOptions, with_confidence
from visionsweeper.vision.tiles.knn import load_model, pack_model


def main() -> None:
    """Read the model, fit, write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True, help="the file to write")
    parser.add_argument("--boards", type=int, default=4500, help="drawn boards to fit on")
    parser.add_argument("--seed", type=int, default=7005, help="of the boards; another than the training's")
    options = parser.parse_args()

    def tell(stage: str, done: int, count: int) -> None:
        if done % 200 == 0 or done == count:
            print(f"{stage}: {done} of {count}", flush=True)

    training = TrainingOptions(boards=options.boards, seed=options.seed)
    model = with_confidence(load_model(options.model), training, find_fonts(), tell)
    write_atomically(options.output, pack_model(model))
    print(f"{options.output}: {model.record['measured']}")


if __name__ == "__main__":
    main()
