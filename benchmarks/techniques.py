"""How far each technique gets: the share of all certain tiles that it finds, alone and on the ladder.

Alone, a technique starts from the board and uses only what it has found itself. On the ladder, a tile counts
for the simplest technique that gets anywhere (see `visionsweeper explain`). Times are process CPU time of the
whole explanation. docs/test-data.md describes the positions.

    python benchmarks/techniques.py FOLDER [--sets expert,dense] [--limit 50]
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter, defaultdict
from pathlib import Path
from statistics import median

from visionsweeper.board import Board
from visionsweeper.solver.techniques import TECHNIQUES, deduce, explain


def main() -> None:
    """Measure and print a table a set, in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path, help="the folder of positions.jsonl")
    parser.add_argument("--sets", help="comma-separated; default: all that have answers")
    parser.add_argument("--limit", type=int, default=50, help="positions of each set")
    arguments = parser.parse_args()
    wanted = set(arguments.sets.split(",")) if arguments.sets else None
    seen: Counter[str] = Counter()
    alone: defaultdict[str, Counter[str]] = defaultdict(Counter)
    ladder: defaultdict[str, Counter[str]] = defaultdict(Counter)
    certain: Counter[str] = Counter()
    spent: defaultdict[str, list[float]] = defaultdict(list)
    for line in (arguments.folder / "positions.jsonl").read_text().splitlines():
        position = json.loads(line)
        name = position["set"]
        if position.get("error") or (wanted and name not in wanted) or seen[name] >= arguments.limit:
            continue
        seen[name] += 1
        board, mines = Board.from_text("\n".join(position["board"])), position["mines"]
        started = time.process_time()
        steps = explain(board, mines)
        spent[name].append(time.process_time() - started)
        certain[name] += len(position["safe"]) + len(position["certain_mines"])
        for step in steps:
            ladder[name][step.technique] += len(step.safe) + len(step.mine)
        for technique in TECHNIQUES:
            alone[name][technique] += len(deduce(board, technique, mines))
    for title, found in (("Alone", alone), ("On the ladder", ladder)):
        print(f"\n{title}, % of the certain tiles:\n")
        print(f"| set | positions | certain tiles | {' | '.join(TECHNIQUES)} |")
        print("| --- " * (3 + len(TECHNIQUES)) + "|")
        for name, total in certain.items():
            shares = " | ".join(f"{100 * found[name][t] / max(total, 1):.1f}" for t in TECHNIQUES)
            print(f"| {name} | {seen[name]} | {total} | {shares} |")
    print("\nTime of an explanation, CPU ms:\n\n| set | median | slowest |\n| --- | --- | --- |")
    for name, times in spent.items():
        print(f"| {name} | {1000 * median(times):.1f} | {1000 * max(times):.1f} |")


if __name__ == "__main__":
    main()
