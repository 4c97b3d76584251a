"""The user's own models and learned themes: where they live, and a history in which no step is lost.

DATA/themes/NAME.npz      learned themes, read by every reading
DATA/models/NAME.npz      models of the user's own, read when asked for by name
DATA/history/000001/      one folder a step: step.json, and the file before and after it, where there was one
"""

from __future__ import annotations

import json
import os
import re
import shlex
import warnings
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from visionsweeper.errors import BadModel, DamagedTheme, InvalidInput, NothingToUndo, WriteFailed
from visionsweeper.io.files import check_folder, is_file, is_there, write_atomically
from visionsweeper.vision.themes.theme import LearnedTheme, load_theme, theme_bytes

if TYPE_CHECKING:
    from visionsweeper.vision.tiles.knn import Model

Kind: TypeAlias = Literal["theme", "model"]
Action: TypeAlias = Literal["learn", "remove"]

DATA_VARIABLE: Final = "VISIONSWEEPER_DATA"
"""Environment variable that names another data directory."""

_FOLDER: Final[dict[Kind, str]] = {"theme": "themes", "model": "models"}
_NAME: Final = re.compile(r"\w[\w .+-]{0,63}")
_RESERVED: Final = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}


@dataclass(frozen=True)
class Step:
    """One change of what is stored."""

    number: int
    action: Action
    kind: Kind
    name: str
    date: str
    """ISO 8601, UTC."""
    undone: bool

    def __str__(self) -> str:
        what = "learning" if self.action == "learn" else "removal"
        return f"the {what} of the {self.kind} {self.name} ({self.date[:10]})"


def data_directory() -> Path:
    """Return the platform's directory for user data, or what VISIONSWEEPER_DATA names; it need not exist."""
    named = os.environ.get(DATA_VARIABLE)
    if named:
        return Path(named)
    from platformdirs import user_data_path  # only needed without the variable

    return user_data_path("visionsweeper", appauthor=False)


def check_writable() -> None:
    """Raise WriteFailed where nothing could be stored: better before minutes of training than after."""
    try:
        check_folder(data_directory())
    except WriteFailed as error:
        raise WriteFailed(f"{error} with {DATA_VARIABLE}") from error


def theme_path(name: str) -> Path:
    """Return where the theme of that name is, or would be. Raises InvalidInput for what cannot be a name."""
    return _path("theme", name)


def user_themes() -> tuple[LearnedTheme, ...]:
    """Return all learned themes that can be read, by name; warns of damaged ones with a DamagedTheme."""
    themes = []
    for path in stored("theme"):
        try:
            themes.append(load_theme(path))
        except BadModel as error:
            message = (
                f"{error}; this theme is not used. Remove it with "
                f"`visionsweeper models remove {shlex.quote(path.stem)}`, and learn it again"
            )
            warnings.warn(message, DamagedTheme, stacklevel=2)
    return tuple(themes)


def stored(kind: Kind) -> list[Path]:
    """Return the files of a kind, sorted by name."""
    try:
        with os.scandir(data_directory() / _FOLDER[kind]) as entries:
            names = sorted(each.name for each in entries if each.name.endswith(".npz") and each.is_file())
    except OSError:
        return []
    return [data_directory() / _FOLDER[kind] / name for name in names if not name.startswith(".")]


def find_model(name: str | Path) -> Path | None:
    """Find the user's model of that name; None when there is none, or when the name is a path."""
    if not _NAME.fullmatch(str(name)) or is_there(name):
        return None
    path = data_directory() / _FOLDER["model"] / f"{name}.npz"
    return path if is_file(path) else None


def chosen_model(model: Model | str | Path | None) -> Model:
    """Return the model meant: a loaded one, the one of a path or a name, or the standard one for None.

    Raises BadModel.
    """
    from visionsweeper.vision.tiles.knn import load_model  # slow to load

    if model is None or isinstance(model, str | Path):
        return load_model(None if model is None else find_model(model) or model)
    return model


def keep_theme(theme: LearnedTheme) -> Path:
    """Store a theme in place of the one of its name, as a step that can be undone.

    Raises WriteFailed; then what was stored before still is.
    """
    path = _path("theme", theme.name)
    _change("learn", "theme", theme.name, theme_bytes(theme))
    return path


def keep_model(name: str, data: bytes) -> Path:
    """Store a model's file in place of the one of its name, as a step that can be undone.

    Raises InvalidInput for what cannot be a name, and WriteFailed; then what was stored before still is.
    """
    path = _path("model", name)
    _change("learn", "model", name, data)
    return path


def model_path(name: str) -> Path:
    """Return where the user's model of that name is, or would be. Raises InvalidInput for what is no name."""
    return _path("model", name)


def remove(name: str) -> Kind:
    """Take away the theme or user model of that name, as a step that can be undone; returns its kind.

    Raises BadModel when there is none, and WriteFailed.
    """
    kinds: tuple[Kind, ...] = ("theme", "model")
    for kind in kinds:
        if is_file(_path(kind, name)):
            _change("remove", kind, name, None)
            return kind
    raise BadModel(f"there is no theme or model of your own called {name}: `visionsweeper models` lists them")


def steps() -> list[Step]:
    """Return the history, oldest first. Steps whose record is damaged are left out."""
    folder = data_directory() / "history"
    try:
        numbers = sorted(int(entry.name) for entry in folder.iterdir() if entry.name.isdecimal())
    except OSError:
        return []
    found = []
    for number in numbers:
        try:
            record = json.loads((_step_folder(number) / "step.json").read_text("utf-8"))
            found.append(
                Step(
                    number,
                    record["action"],
                    record["kind"],
                    str(record["name"]),
                    str(record["date"]),
                    bool(record["undone"]),
                )
            )
            _path(found[-1].kind, found[-1].name)
        except (OSError, ValueError, KeyError, TypeError, InvalidInput):
            found = [step for step in found if step.number != number]
    return found


def undo(name: str | None = None) -> Step:
    """Take back the last step (of that name); the state it made stays in the history, for `redo`.

    Raises NothingToUndo, and WriteFailed.
    """
    done = [step for step in steps() if not step.undone and name in (None, step.name)]
    if not done:
        raise _nothing_to("undo", name)
    step = done[-1]
    _put(step, "before.npz")
    _record(step, undone=True)
    return step


def redo(name: str | None = None) -> Step:
    """Do again what was undone last (of that name). Raises NothingToUndo, and WriteFailed."""
    candidates = []
    for step in steps():
        if name not in (None, step.name):
            continue
        if step.undone:
            candidates.append(step)
        else:
            # A later step that stands has taken another way.
            candidates = [other for other in candidates if (other.kind, other.name) != (step.kind, step.name)]
    if not candidates:
        raise _nothing_to("redo", name)
    step = candidates[0]
    _put(step, "after.npz")
    _record(step, undone=False)
    return step


def _nothing_to(what: str, name: str | None) -> NothingToUndo:
    about = "" if name is None else f" for {name}"
    return NothingToUndo(f"there is nothing to {what}{about}: `visionsweeper models` lists what is kept")


def _path(kind: Kind, name: str) -> Path:
    first = name.partition(".")[0].lower()
    if not _NAME.fullmatch(name) or first in _RESERVED or name.endswith((" ", ".")):
        raise InvalidInput(
            f"{name!r} cannot be a name: use up to 64 letters, digits, spaces and . + - _, with --name"
        )
    return data_directory() / _FOLDER[kind] / f"{name}.npz"


def _step_folder(number: int) -> Path:
    return data_directory() / "history" / f"{number:06d}"


def _change(action: Action, kind: Kind, name: str, after: bytes | None) -> None:
    """Record a step wholly, then make it: an interruption in between loses nothing."""
    path = _path(kind, name)
    folder = _new_folder(path.parent)
    try:
        before = path.read_bytes() if path.is_file() else None
    except OSError as error:
        raise WriteFailed(f"cannot back up {path}: {error.strerror or error}") from error
    for file, data in (("before.npz", before), ("after.npz", after)):
        if data is not None:
            write_atomically(folder / file, data)
    number = int(folder.name)
    step = Step(number, action, kind, name, datetime.now(UTC).isoformat(timespec="seconds"), undone=False)
    _record(step, undone=False)
    _put(step, "after.npz")


def _new_folder(shelf: Path) -> Path:
    """Return a history folder of the next number, and the shelf that the step is about."""
    try:
        shelf.mkdir(parents=True, exist_ok=True)
        history = data_directory() / "history"
        history.mkdir(exist_ok=True)
        number = max((int(entry.name) for entry in history.iterdir() if entry.name.isdecimal()), default=0)
        while True:
            number += 1
            try:
                _step_folder(number).mkdir()
            except FileExistsError:  # another run took the number
                continue
            return _step_folder(number)
    except OSError as error:
        raise WriteFailed(
            f"cannot write to {data_directory()}: {error.strerror or error}; "
            f"name another directory with {DATA_VARIABLE}"
        ) from error


def _put(step: Step, file: str) -> None:
    """Make the stored file as it was before or after the step."""
    path, kept = _path(step.kind, step.name), _step_folder(step.number) / file
    try:
        data = kept.read_bytes() if kept.exists() else None
        if data is None:
            path.unlink(missing_ok=True)
    except OSError as error:
        raise WriteFailed(f"cannot change {path}: {error.strerror or error}") from error
    if data is not None:
        write_atomically(path, data)


def _record(step: Step, *, undone: bool) -> None:
    record: dict[str, Any] = {
        "action": step.action,
        "kind": step.kind,
        "name": step.name,
        "date": step.date,
        "undone": undone,
    }
    text = json.dumps(record, indent=1) + "\n"
    write_atomically(_step_folder(step.number) / "step.json", text.encode())
