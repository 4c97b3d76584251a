"""Measure what each first tile of a standard board wins by `best` play: all of them, by symmetry.

Usage: python benchmarks/first_clicks.py beginner opening --games 20000 --kept 5 --again 1000000

Every tile of one quarter (of square boards: one eighth) plays `--games`; the `--kept` best of them play
`--again` of other seeds, so that having been picked for luck does not raise them. Prints JSON Lines.
"""

from __future__ import annotations

import argparse
import json

from visionsweeper.game.rules import FIRST_CLICK_RULES, PRESETS, Rules
from visionsweeper.simulation.run import simulate


def tiles_by_symmetry(width: int, height: int) -> list[tuple[int, int]]:
    """Return one tile of each set that turning and mirroring the board carries into each other."""
    return [
        (row, column)
        for row in range((height + 1) // 2)
        for column in range((width + 1) // 2)
        if width != height or row <= column
    ]


def main() -> None:
    """Play, and print a line for each tile."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("preset", choices=tuple(PRESETS))
    parser.add_argument("first_click", choices=FIRST_CLICK_RULES)
    parser.add_argument("--games", type=int, default=20_000, metavar="N")
    parser.add_argument("--kept", type=int, default=5, metavar="N")
    parser.add_argument("--again", type=int, default=0, metavar="N")
    parser.add_argument("--technique", default="best")
    parser.add_argument("--workers", type=int, default=1, metavar="N")
    chosen = parser.parse_args()
    width, height, mines = PRESETS[chosen.preset]

    def won(tile: tuple[int, int], games: int, seed: int) -> float:
        rules = Rules(width, height, mines, tile, chosen.first_click)
        outcome = simulate(rules, chosen.technique, games, seed=seed, workers=chosen.workers)
        share = outcome.share(outcome.won)
        found = {
            "preset": chosen.preset,
            "first_click": chosen.first_click,
            "tile": tile,
            "games": games,
            "seed": seed,
            "won": share.share,
            "low": share.low,
            "high": share.high,
        }
        print(json.dumps(found), flush=True)
        return share.share

    tiles = tiles_by_symmetry(width, height)
    rates = {tile: won(tile, chosen.games, 1) for tile in tiles}
    if chosen.again:
        for tile in sorted(tiles, key=lambda tile: -rates[tile])[: chosen.kept]:
            won(tile, chosen.again, 2)


if __name__ == "__main__":
    main()
