"""The catalogue of patterns that players know by name, as boards (samples/patterns in the repository)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from visionsweeper.board import Board
from visionsweeper.resources import patterns_folder


@dataclass(frozen=True)
class Pattern:
    """One pattern."""

    id: str
    """Its file's name without the suffix."""
    title: str
    note: str
    """What to see in it, a sentence or two."""
    board: Board


@lru_cache(maxsize=1)
def patterns() -> tuple[Pattern, ...]:
    """Return all patterns, as the list beside them orders them."""
    folder = patterns_folder()
    found = {path.stem: _read(path) for path in folder.glob("*.txt")}
    listed = [
        line.split("`")[1] for line in (folder / "README.md").read_text("utf-8").splitlines() if "| `" in line
    ]
    return tuple(found[name.removesuffix(".txt")] for name in listed)


def _read(path: Path) -> Pattern:
    text = path.read_text("utf-8")
    comments = [line.removeprefix("#").strip() for line in text.splitlines() if line.startswith("#")]
    return Pattern(path.stem, comments[0], comments[1], Board.from_text(text))
