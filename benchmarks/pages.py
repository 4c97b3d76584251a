"""Looks for the board in drawn screens: is its size right, by kind, with nothing given and with its width.

    python benchmarks/pages.py --screens 200

Screens are drawn from a seed that nothing was trained on. A size is right where width and height are, and
every side of the board lies within a quarter of a tile of the truth; where a screen shows several boards, all
of them have to be named. A wrong one is "said" where the picture is refused, or more than a quarter of the
tiles are flagged as uncertain; else it is "unsaid", the worst error there is. Of screens without a board the
believed ones are counted. Times are of read_board, CPU, one thread.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from dataclasses import dataclass

import cv2
import numpy as np

from visionsweeper import read_board
from visionsweeper.errors import NoBoardFound, SeveralBoards
from visionsweeper.geometry import Box, Grid
from visionsweeper.synthetic import find_fonts
from visionsweeper.synthetic.pages import KINDS, Page, random_page

MOST_UNCERTAIN = 0.25
"""Share of uncertain tiles up to which a reading is believed."""

MOST_OFF = 0.25
"""Of a side of the board, tiles."""

TRAINED_ON = (11, 12, 21, 22, 31, 32, 41, 42, 51, 52)
"""Seeds of tools/train_tile_map.py."""


@dataclass(frozen=True)
class Outcome:
    """What became of one screen."""

    result: str
    """right, said, unsaid; without a board: refused, believed."""
    seconds: float
    """CPU."""
    problem: str
    """What was found instead; empty where right."""


def same_place(size: tuple[int, int], box: Box, true: Grid) -> bool:
    """Tell whether (columns, rows) and the box of a board are right."""
    if size != (true.columns, true.rows):
        return False
    pitches = (true.pitch_x, true.pitch_y) * 2
    off = [abs(mine - theirs) / pitch for mine, theirs, pitch in zip(box, true.box, pitches, strict=True)]
    return max(off) <= MOST_OFF


def all_named(error: SeveralBoards, page: Page) -> bool:
    """Tell whether the error names all boards of a screen, and nothing else."""
    true = [grid for grid in (page.grid, *page.others) if grid is not None]
    named = [
        any(same_place((columns, rows), box, grid) for columns, rows, box in error.boards) for grid in true
    ]
    return all(named) and len(error.boards) == len(true)


def outcome(page: Page, width: int | None) -> Outcome:
    """Read one screen and judge what was found."""
    begin = time.process_time()
    try:
        reading = read_board(page.image, width, themes=())
    except NoBoardFound as error:
        seconds = time.process_time() - begin
        if isinstance(error, SeveralBoards) and page.others and all_named(error, page):
            return Outcome("right", seconds, "")
        return Outcome("refused" if page.grid is None else "said", seconds, str(error))
    seconds = time.process_time() - begin
    doubted = float(reading.uncertain.mean()) > MOST_UNCERTAIN
    found = reading.grid
    place = f"{found.columns}x{found.rows} at {','.join(f'{edge:.0f}' for edge in found.box)}"
    if page.grid is None:
        return Outcome("refused" if doubted else "believed", seconds, place)
    alone = width is not None or not page.others
    if alone and same_place((found.columns, found.rows), found.box, page.grid):
        return Outcome("right", seconds, "")
    return Outcome("said" if doubted else "unsaid", seconds, place)


def table(outcomes: dict[str, list[Outcome]]) -> str:
    """Tell the counts by kind, and the times."""
    lines = [f"{'kind':10s}{'screens':>8s}{'right':>8s}{'said':>7s}{'unsaid':>7s}{'believed':>10s}"]
    for kind in (*KINDS, "all"):
        of_kind = (
            [one for each in outcomes.values() for one in each] if kind == "all" else outcomes.get(kind, [])
        )
        counts = Counter(one.result for one in of_kind)
        boards = counts["right"] + counts["said"] + counts["unsaid"]
        share = f"{counts['right'] / boards:.1%}" if boards else "-"
        wrong = f"{counts['said']:7d}{counts['unsaid']:7d}"
        lines.append(f"{kind:10s}{len(of_kind):8d}{share:>8s}{wrong}{counts['believed']:10d}")
    seconds = [one.seconds for each in outcomes.values() for one in each]
    median, high = np.percentile(seconds, [50, 95])
    return "\n".join([*lines, f"CPU time {median:.2f} s in the median, {high:.2f} s at the 95th percentile"])


def main() -> None:
    """Print both tables, and with --list every screen that went wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--screens", type=int, default=900)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--several", action="store_true", help="only those with several boards")
    parser.add_argument("--list", action="store_true", help="say what was found where it was wrong")
    options = parser.parse_args()
    if options.seed in TRAINED_ON:
        parser.error(f"the network was trained on seed {options.seed}: take another")
    cv2.setNumThreads(1)
    fonts = find_fonts()
    read_board(
        random_page(np.random.default_rng(0), fonts, "window").image, themes=()
    )  # loads what is loaded once
    for given in ("nothing", "width"):
        rng = np.random.default_rng(options.seed)
        outcomes: dict[str, list[Outcome]] = {}
        for number in range(options.screens):
            page = random_page(rng, fonts)
            if (page.grid is None and given == "width") or (options.several and not page.others):
                continue
            one = outcome(page, None if page.grid is None or given == "nothing" else page.grid.columns)
            outcomes.setdefault(page.kind, []).append(one)
            if options.list and one.result not in {"right", "refused"}:
                true = "no board" if page.grid is None else f"{page.grid.columns}x{page.grid.rows}"
                print(f"{number} {page.kind}, {true}: {one.result}: {one.problem}", flush=True)
        print(f"\n{given} given\n{table(outcomes)}", flush=True)


if __name__ == "__main__":
    main()
