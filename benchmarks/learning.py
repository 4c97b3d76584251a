"""Learns each theme from one labelled shot and reads that game's other shots: tiles and boards right.

    python benchmarks/learning.py FOLDER

A folder holds one folder a theme, laid out as for recognition.py. Crop, width and height are given. Each of a
game's first shots that are in play is learned from in turn; "before" is the general model on the same shots.
With --pair two shots are learned from: that one and the next. With --strangers every game is also read with
all the other games' themes in place: nothing may change.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from visionsweeper import Board
from visionsweeper.board import FLAG, MINE, SAFE, SYMBOLS
from visionsweeper.io.images import load_image
from visionsweeper.vision.detection.grid import fit_grid
from visionsweeper.vision.reading import Reading, read
from visionsweeper.vision.themes.label_check import theme_of_shot
from visionsweeper.vision.themes.theme import LearnedTheme, extended
from visionsweeper.vision.tiles.knn import load_model

_TAUGHT = 3  # shots of a game learned from in turn


@dataclass(frozen=True)
class Shot:
    """A labelled screenshot."""

    name: str
    image: np.ndarray
    truth: Board

    @property
    def in_play(self) -> bool:
        """Whether it shows flags, and nothing that only a lost or won game shows."""
        cells = self.truth.cells
        return bool((cells == FLAG).any() and not np.isin(cells, (MINE, SAFE)).any())

    def theme(self) -> LearnedTheme:
        """Return the theme learned from this shot alone."""
        grid = fit_grid(self.image, self.truth.columns, self.truth.rows)
        return theme_of_shot(self.image, grid, self.truth, load_model(), self.name, {"file": self.name})


@dataclass
class Count:
    """What came of some readings."""

    tiles: int = 0
    wrong: int = 0
    missed_errors: int = 0
    false_alarms: int = 0
    boards: int = 0
    perfect: int = 0

    def add(self, wrong: np.ndarray, unsure: np.ndarray) -> None:
        """Count one reading in."""
        self.tiles += wrong.size
        self.wrong += int(wrong.sum())
        self.missed_errors += int((wrong & ~unsure).sum())
        self.false_alarms += int((~wrong & unsure).sum())
        self.boards += 1
        self.perfect += not wrong.any()

    def merge(self, other: Count) -> None:
        """Count in what another counted."""
        for name in vars(self):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def __str__(self) -> str:
        return (
            f"{100 * (1 - self.wrong / max(self.tiles, 1)):8.2f}{self.wrong:6d}{self.missed_errors:7d}"
            f"{self.false_alarms:7d}{self.perfect:5d}/{self.boards:<4d}"
        )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--themes", nargs="*", default=[], help="only themes whose name contains one of these"
    )
    parser.add_argument("--pair", action="store_true", help="learn from two shots")
    parser.add_argument("--strangers", action="store_true", help="also read with the other games' themes")
    parser.add_argument("--mistakes", action="store_true", help="list what was read wrong after learning")
    parser.add_argument("--json", type=Path, help="write the figures to this file too")
    options = parser.parse_args()
    games: dict[str, list[Shot]] = defaultdict(list)
    for text in sorted(options.folder.glob("*/*.txt")):
        game = text.parent.name
        if not options.themes or any(part in game for part in options.themes):
            truth = Board.from_text(text.read_text())
            games[game].append(Shot(text.stem, load_image(text.with_suffix(".png")), truth))
    load_model()
    header = f"{'tiles %':>8}{'wrong':>6}{'missed':>7}{'alarms':>7}{'boards':>8}  "
    print(f"{'theme':26}{'before ' + header:>46}   {'after learning from one shot ' + header}")
    total = (Count(), Count())
    figures = {}
    for game, shots in games.items():
        before, after = compare(game, shots, options)
        print(f"{game:26} {before}    {after}", flush=True)
        total[0].merge(before)
        total[1].merge(after)
        figures[game] = {"before": vars(before), "after": vars(after)}
    print(f"{'all':26} {total[0]}    {total[1]}")
    if options.strangers:
        strangers(games)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n")


def compare(game: str, shots: list[Shot], options: argparse.Namespace) -> tuple[Count, Count]:
    """Compare the general model and a learned theme on the same shots, over all shots learned from."""
    before, after = Count(), Count()
    plain = {}
    for shot in shots:
        reading = read_shot(shot, ())
        plain[shot.name] = (reading.board.cells != shot.truth.cells, reading.uncertain)
    taught = [shot for shot in shots if shot.in_play][:_TAUGHT]
    for number, lesson in enumerate(taught):
        theme, learned = lesson.theme(), {lesson.name}
        if options.pair:
            second = taught[(number + 1) % len(taught)]
            theme, learned = extended(theme, theme.name, second.theme()), {lesson.name, second.name}
        for shot in shots:
            if shot.name in learned:
                continue
            reading = read_shot(shot, (theme,))
            wrong = reading.board.cells != shot.truth.cells
            before.add(*plain[shot.name])
            after.add(wrong, reading.uncertain)
            if options.mistakes and wrong.any():
                print(f"  {game}: {lesson.name} -> {shot.name}: {mistakes(shot, theme, reading, wrong)}")
    return before, after


def read_shot(shot: Shot, themes: tuple[LearnedTheme, ...]) -> Reading:
    """Read the shot under the grid of its truth's size over the whole picture."""
    return read(shot.image, fit_grid(shot.image, shot.truth.columns, shot.truth.rows), load_model(), themes)


def mistakes(shot: Shot, theme: LearnedTheme, reading: Reading, wrong: np.ndarray) -> str:
    """Say what was read wrong; a star where the class was not in the labelled shot."""
    counts: dict[str, int] = defaultdict(int)
    for i in np.flatnonzero(wrong):
        truth, read = int(shot.truth.cells.flat[i]), int(reading.board.cells.flat[i])
        star = "" if truth in theme.classes else "*"
        counts[
            f"{SYMBOLS[truth]}{star} as {SYMBOLS[read]}{'' if reading.uncertain.flat[i] else ' unmarked'}"
        ] += 1
    known = "" if reading.theme else "not this theme; "
    return known + ", ".join(f"{kind}: {count}" for kind, count in counts.items())


def strangers(games: dict[str, list[Shot]]) -> None:
    """Read every shot with the themes of all other games in place: what that changes, and what it costs."""
    themes = {
        game: next(shot for shot in shots if shot.in_play).theme()
        for game, shots in games.items()
        if any(shot.in_play for shot in shots)
    }
    changed = better = worse = count = 0
    seconds = []
    for game, shots in games.items():
        others = tuple(theme for name, theme in themes.items() if name != game)
        for shot in shots:
            count += 1
            begin = time.perf_counter()
            alone = read_shot(shot, ())
            between = time.perf_counter()
            beside = read_shot(shot, others)
            seconds.append((time.perf_counter() - between - (between - begin)) / max(len(others), 1))
            truth = shot.truth.cells
            before, after = alone.board.cells != truth, beside.board.cells != truth
            if (alone.board.cells != beside.board.cells).any():
                changed += 1
                better, worse = better + int((before & ~after).sum()), worse + int((after & ~before).sum())
                print(
                    f"  {shot.name} of {game}: {before.sum()} wrong alone, {after.sum()} beside other games'"
                )
    print(
        f"{changed} of {count} shots read otherwise beside the themes of all other games: {better} tiles put "
        f"right, {worse} spoilt; {1000 * np.median(seconds):.2f} ms a theme"
    )


if __name__ == "__main__":
    main()
