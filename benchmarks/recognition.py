"""Reads every screenshot of a folder of labelled ones and states tiles and boards right, by game.

    python benchmarks/recognition.py FOLDER

A folder holds one folder a theme; a shot is NAME.png (cropped to the board), NAME.txt (the truth in the board
notation) and NAME.json (at least width and height). Crop, width and height are given to the reader; with
--uncropped it gets NAME.full.png, the whole window or page, and nothing else. `visionsweeper evaluate` does
the same and more.
"""

from __future__ import annotations

import argparse
import json
from functools import partial
from pathlib import Path

from visionsweeper import read_board
from visionsweeper.errors import VisionsweeperError
from visionsweeper.training.dataset import find_shots
from visionsweeper.training.evaluation import evaluate
from visionsweeper.training.evaluation_report import reliability_table, theme_table


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--model", help="a model file instead of the standard one")
    parser.add_argument("--uncropped", action="store_true", help="whole windows and pages, nothing given")
    parser.add_argument("--json", type=Path, help="write the figures to this file too")
    options = parser.parse_args()
    try:
        reader = partial(read_board, model=options.model, themes=())
        evaluation = evaluate(find_shots(options.folder), reader, uncropped=options.uncropped)
    except VisionsweeperError as error:
        raise SystemExit(str(error)) from error
    for outcome in evaluation.outcomes:
        if outcome.problem is not None:
            print(f"{outcome.shot.text}: {outcome.problem}")
    print(theme_table(evaluation, "game"))
    print(f"\n{reliability_table(evaluation)}")
    if options.json:
        figures = {
            game: {"tiles": each.tiles, "wrong": each.wrong, "boards": each.boards, "perfect": each.perfect}
            for game, each in evaluation.by_theme().items()
        }
        options.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
