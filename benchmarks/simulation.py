"""Games a second and games won, by technique and board, on one core after warm-up.

    python benchmarks/simulation.py [--seconds S] [--others]

`--others` also plays the certain moves of the exact count with ms_toollib's `cal_probability_onboard` (the
extra `replays`), in turn with ours in this very run: only ratios of one run mean anything on a busy machine.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

from visionsweeper.game.minefield import Minefield, lay
from visionsweeper.game.rules import PRESETS, Rules
from visionsweeper.simulation.run import BLOCK, play_block
from visionsweeper.simulation.techniques import TECHNIQUES


def games_a_second(rules: Rules, technique: str, seconds: float) -> tuple[float, float]:
    """Games a second, and the share won, over at least this long."""
    won = games = 0
    spent, block = 0.0, 0
    while spent < seconds:
        (wins, _, _), _, _, took = play_block(rules, technique, 1, block, 0, BLOCK)  # type: ignore[arg-type]
        won, games, spent, block = won + wins, games + BLOCK, spent + took, block + 1
    return games / spent, won / games


def play_with_another(
    field: Minefield, start: tuple[int, int], safe_tiles: Callable[..., list[tuple[int, int]]]
) -> bool:
    """Open what another engine says is safe until it says nothing more; whether that wins."""
    shown: np.ndarray = np.full(field.mines.shape, 10)
    todo = [start]
    while todo:
        while todo:
            tile = todo.pop()
            if shown[tile] == 10:
                shown[tile] = field.numbers[tile]
                if shown[tile] == 0:
                    row, column = tile
                    todo += [
                        (r, c)
                        for r in range(max(row - 1, 0), min(row + 2, shown.shape[0]))
                        for c in range(max(column - 1, 0), min(column + 2, shown.shape[1]))
                    ]
        if (shown == 10).sum() == field.count:
            return True
        todo = safe_tiles(shown, field.count)
    return False


def ms_toollib_safe(shown: np.ndarray, mines: int) -> list[tuple[int, int]]:
    """Return the certainly safe tiles by ms_toollib."""
    import ms_toollib  # an extra

    odds, *_ = ms_toollib.cal_probability_onboard(shown.tolist(), mines)
    found = np.argwhere((np.array(odds) <= 0) & (shown == 10))
    return [(int(row), int(column)) for row, column in found]


def other_games_a_second(rules: Rules, seconds: float) -> tuple[float, float]:
    """Play the same by ms_toollib: games a second, the share won."""
    random = np.random.default_rng(1)
    won = games = 0
    spent = 0.0
    while spent < seconds:
        start = (int(random.integers(rules.height)), int(random.integers(rules.width)))
        field = lay(rules, start, random)
        begin = time.perf_counter()
        won += play_with_another(field, start, ms_toollib_safe)
        spent += time.perf_counter() - begin
        games += 1
    return games / spent, won / games


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=5.0, help="for every figure")
    parser.add_argument("--others", action="store_true", help="also ms_toollib")
    options = parser.parse_args()
    print(f"{'board':14}{'technique':15}{'games/s':>10}{'won':>9}")
    for name, (width, height, mines) in PRESETS.items():
        rules = Rules(width, height, mines)
        speeds = {}
        for technique in TECHNIQUES:
            speeds[technique], share = games_a_second(rules, technique, options.seconds)
            print(f"{name:14}{technique:15}{speeds[technique]:10,.0f}{share:9.2%}", flush=True)
        if options.others:
            speed, share = other_games_a_second(rules, options.seconds)
            times = speeds["exact"] / speed
            print(
                f"{name:14}{'ms_toollib':15}{speed:10,.0f}{share:9.2%}   ours, exact: {times:.0f} times",
                flush=True,
            )


if __name__ == "__main__":
    main()
