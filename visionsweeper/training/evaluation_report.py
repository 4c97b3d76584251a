"""An evaluation as text and as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from visionsweeper.board import SYMBOLS
from visionsweeper.io.files import check_folder, write_atomically
from visionsweeper.training.evaluation import Evaluation

_UNREAD_NAME = "unread"
_MOST_PROBLEMS = 20


def to_text(evaluation: Evaluation) -> str:
    """Return everything as tables for a person; no line end after the last."""
    parts = [
        summary(evaluation),
        theme_table(evaluation),
        reliability_table(evaluation),
        confusion_table(evaluation),
    ]
    if evaluation.unread:
        parts.append(problem_list(evaluation))
    return "\n\n".join(parts)


def summary(evaluation: Evaluation) -> str:
    """Return the figures that matter most, in a sentence or two."""
    wrong, right = evaluation.wrong, evaluation.tiles - evaluation.wrong
    perfect, boards = evaluation.perfect, evaluation.boards
    given = "whole pictures, nothing given" if evaluation.uncropped else "crop, width and height given"
    lines = [
        f"{evaluation.accuracy:.2%} of {evaluation.tiles} tiles right, {perfect} of {boards} boards without "
        f"an error ({perfect / boards:.1%}), {evaluation.odds_right} with all odds right; {given}",
        f"{evaluation.missed_errors} of {wrong} wrong tiles were not flagged as uncertain (missed errors), "
        f"{evaluation.false_alarms} of {right} right ones were (false alarms)",
    ]
    if evaluation.unread:
        lines.append(
            f"{evaluation.unread} boards were not found, or not in their size: all their tiles are wrong"
        )
    return "\n".join(lines)


def theme_table(evaluation: Evaluation, head: str = "theme") -> str:
    """Return tiles and boards right, missed errors, false alarms, median ms and usual mistakes, by theme."""
    themes = evaluation.by_theme()
    width = max(26, *(len(name) + 1 for name in themes))
    titles = f"{'tiles %':>9}{'wrong':>7}{'boards':>9}{'missed':>8}{'alarms':>9}{'ms':>6}  mistakes"
    rows = [_theme_row(name, each, width) for name, each in (*themes.items(), ("all", evaluation))]
    return "\n".join([f"{head:{width}}{titles}", *rows])


def _theme_row(name: str, evaluation: Evaluation, width: int) -> str:
    mistakes = "  ".join(
        f"{truth} as {read}: {count}" for (truth, read), count in evaluation.mistakes.most_common(4)
    )
    boards = f"{evaluation.perfect}/{evaluation.boards}"
    return (
        f"{name:{width}}{100 * evaluation.accuracy:9.2f}{evaluation.wrong:7d}{boards:>9}"
        f"{evaluation.missed_errors:8d}{evaluation.false_alarms:9d}"
        f"{1000 * evaluation.seconds:6.0f}  {mistakes}"
    ).rstrip()


def reliability_table(evaluation: Evaluation) -> str:
    """Say whether confidence is calibrated: the share right of tiles of about the same confidence."""
    lines = ["confidence   tiles   of them right"]
    lines += [
        f"{row.low:.2f}-{row.high:.2f} {row.tiles:9d} {100 * row.right:9.2f} %"
        for row in evaluation.reliability
    ]
    return "\n".join(lines)


def confusion_table(evaluation: Evaluation) -> str:
    """Return the confusion matrix, with recall and precision.

    These are the shares read right of a class, and right among those read so.
    """
    table = evaluation.confusion
    names = [*SYMBOLS, _UNREAD_NAME]
    columns = [index for index in range(len(names)) if index < len(SYMBOLS) or table[:, index].any()]
    width = max(6, len(str(int(table.max()))) + 1)
    head = "".join(f"{names[index]:>{width + (index >= len(SYMBOLS))}}" for index in columns)
    lines = ["truly \\ read as", f"  {head}   recall precision"]
    for code, kind in enumerate(evaluation.kinds):
        cells = "".join(
            f"{int(table[code, index]) or '.':>{width + (index >= len(SYMBOLS))}}" for index in columns
        )
        lines.append(f"{kind.symbol} {cells}{_percent(kind.recall, kind.tiles)}{_percent(kind.precision, 1)}")
    return "\n".join(lines)


def _percent(share: float, count: int) -> str:
    return f"{100 * share:8.2f}%" if count else f"{'-':>9}"


def problem_list(evaluation: Evaluation) -> str:
    """Return the boards that were not read, and why."""
    unread = [outcome for outcome in evaluation.outcomes if outcome.problem is not None]
    lines = ["not read:"] + [f"  {each.shot.name}: {each.problem}" for each in unread[:_MOST_PROBLEMS]]
    if len(unread) > _MOST_PROBLEMS:
        lines.append(f"  and {len(unread) - _MOST_PROBLEMS} more")
    return "\n".join(lines)


def to_json(evaluation: Evaluation) -> dict[str, Any]:
    """Return everything as plain values; shares are 0 to 1."""
    return {
        "version": 1,
        "uncropped": evaluation.uncropped,
        **_figures(evaluation),
        "brier": evaluation.brier,
        "themes": {name: _figures(each) for name, each in evaluation.by_theme().items()},
        "confusion": {
            "truth": list(SYMBOLS),
            "read": [*SYMBOLS, _UNREAD_NAME],
            "tiles": evaluation.confusion.tolist(),
        },
        "kinds": {
            kind.symbol: {"tiles": kind.tiles, "precision": kind.precision, "recall": kind.recall}
            for kind in evaluation.kinds
        },
        "reliability": [
            {
                "low": row.low,
                "high": row.high,
                "tiles": row.tiles,
                "confidence": row.confidence,
                "right": row.right,
            }
            for row in evaluation.reliability
        ],
        "not_read": {
            outcome.shot.name: outcome.problem
            for outcome in evaluation.outcomes
            if outcome.problem is not None
        },
    }


def _figures(evaluation: Evaluation) -> dict[str, Any]:
    return {
        "tiles": evaluation.tiles,
        "wrong": evaluation.wrong,
        "accuracy": evaluation.accuracy,
        "boards": evaluation.boards,
        "perfect": evaluation.perfect,
        "odds_right": evaluation.odds_right,
        "unread": evaluation.unread,
        "missed_errors": evaluation.missed_errors,
        "false_alarms": evaluation.false_alarms,
        "median_ms": round(1000 * evaluation.seconds, 1),
    }


def write_report(evaluation: Evaluation, folder: Path) -> tuple[Path, ...]:
    """Write report.txt, report.json, confusion.png and worst.png to a folder, which is made where missing.

    Returns the paths. Raises WriteFailed.
    """
    from visionsweeper.io.images import save_image
    from visionsweeper.training.evaluation_pictures import confusion_picture, contact_sheet  # Pillow

    check_folder(folder)
    pictures = {"confusion.png": confusion_picture(evaluation), "worst.png": contact_sheet(evaluation)}
    texts = {
        "report.txt": to_text(evaluation),
        "report.json": json.dumps(to_json(evaluation), indent=1),
    }
    for name, text in texts.items():
        write_atomically(folder / name, (text + "\n").encode())
    for name, picture in pictures.items():
        save_image(folder / name, picture)
    return tuple(folder / name for name in (*texts, *pictures))
