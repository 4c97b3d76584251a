"""All that reads boards: the models that ship with the program, the user's own, and learned themes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from visionsweeper.errors import BadModel
from visionsweeper.resources import DEFAULT_MODEL, models_folder
from visionsweeper.vision.themes.store import stored
from visionsweeper.vision.themes.theme import class_counts, load_theme
from visionsweeper.vision.tiles.knn import load_model

Sort: TypeAlias = Literal["shipped model", "model", "theme"]


@dataclass(frozen=True)
class Item:
    """One model or theme."""

    name: str
    sort: Sort
    path: Path
    problem: str | None
    """Why it cannot be read; None: it can."""
    facts: Mapping[str, Any]
    """What it was made of, when, and what it measured; plain JSON, empty where there is a problem."""


def items() -> list[Item]:
    """Return all there are: the shipped model, the user's models, learned themes; each sort by name."""
    shipped = _model(models_folder() / f"{DEFAULT_MODEL}.npz", "shipped model")
    own = [_model(path, "model") for path in stored("model")]
    return [shipped, *own, *(_theme(path) for path in stored("theme"))]


def item(name: str) -> Item:
    """Return the item of that name, one of the user's before a shipped one. Raises BadModel."""
    named = [each for each in items() if each.name == name]
    if not named:
        raise BadModel(f"there is no model or theme called {name}: `visionsweeper models` lists them")
    return named[-1]


def summary(each: Item) -> str:
    """Return one line about an item."""
    if each.problem is not None:
        return f"{each.name}  ({each.sort}): cannot be read: {each.problem}"
    facts = each.facts
    if each.sort == "theme":
        files = ", ".join(str(source.get("file", "?")) for source in facts["sources"])
        date = str(facts["sources"][-1].get("date", ""))[:10]
        classes = ", ".join(f"{name} {count}" for name, count in facts["exemplars"].items())
        return f"{each.name}  (theme): learned from {files}{', ' if date else ''}{date}; exemplars: {classes}"
    measured, trained = facts.get("measured"), facts.get("trained_on")
    text = f"{each.name}  ({each.sort})"
    if isinstance(trained, dict):
        made = [f"{trained[key]} {key}" for key in ("boards", "shots") if trained.get(key)]
        date = str(trained.get("date") or facts.get("date") or "")[:10]
        text += f": trained on {' and '.join(made) or 'nothing told'}{f', {date}' if date else ''}"
    if isinstance(measured, dict) and "tiles_right" in measured:
        text += (
            f"; {measured['tiles_right']:.2%} of the tiles right, "
            f"{measured.get('boards_perfect', 0):.1%} of the boards perfect, on {measured.get('on', '?')}"
        )
    return text


def _model(path: Path, sort: Sort) -> Item:
    try:
        model = load_model(path)
    except BadModel as error:
        return Item(path.stem, sort, path, str(error), {})
    return Item(path.stem, sort, path, None, dict(model.record))


def _theme(path: Path) -> Item:
    try:
        theme = load_theme(path)
    except BadModel as error:
        return Item(path.stem, "theme", path, str(error), {})
    facts = {**theme.record, "exemplars": class_counts(theme.classes)}
    return Item(path.stem, "theme", path, None, facts)
