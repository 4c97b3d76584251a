"""Who may know whom: the rooms of the package, and the arrows between them, read from the imports."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "visionsweeper"

ROOMS = (
    *("board", "errors", "geometry", "wording", "options", "resources", "links", "formats"),
    *("analysis", "pipeline"),
    *("io", "solver", "drawing", "report", "learning", "synthetic", "training", "tutorial"),
    *("vision", "vision.detection", "vision.tiles", "vision.themes", "vision.counter"),
    *("game", "simulation", "engine", "play", "batch", "watch", "video", "web", "cli", "__main__"),
)
"""The longest that fits holds a module; `vision` holds what stands in no room of it."""

VALUES = {"board", "errors", "geometry", "wording", "options"}
"""What every room may know."""

READING = {"vision", "vision.detection", "vision.tiles", "vision.themes", "vision.counter"}

MAY_KNOW: dict[str, set[str]] = {
    "errors": set(),
    "wording": set(),
    "options": {"board", "geometry", "vision.themes", "vision.tiles"},
    "resources": set(),
    "board": {"errors"},
    "geometry": {"errors"},
    "links": {"board", "errors", "game"},
    "formats": {"board", "errors", "game", "links"},
    "io": {"errors"},
    "engine": VALUES | {"io"},
    "solver": VALUES | {"engine"},
    "analysis": VALUES | {"solver", "vision"},
    "vision.detection": VALUES | {"vision"},
    "vision.tiles": VALUES | {"vision", "io", "resources", "solver"},
    "vision.themes": VALUES | {"vision", "vision.tiles", "io"},
    "vision.counter": VALUES | {"vision", "vision.tiles", "io", "resources"},
    "vision": VALUES | READING | {"io", "drawing", "resources"},
    "drawing": VALUES | {"solver"},
    "report": VALUES | {"analysis", "solver", "formats"},
    "game": VALUES | {"solver"},
    "simulation": VALUES | {"game", "solver", "io", "engine"},
    "play": {"game", "simulation"},
    "pipeline": VALUES | READING | {"analysis", "io", "solver", "drawing", "game"},
    "learning": VALUES | READING | {"io", "resources", "pipeline", "drawing"},
    "synthetic": VALUES | {"vision.tiles", "drawing"},
    "training": VALUES | READING | {"io", "solver", "synthetic", "drawing"},
    "tutorial": VALUES | {"resources", "solver"},
    "batch": VALUES | {"io", "pipeline", "report", "vision.tiles", "engine", "solver"},
    "watch": VALUES | READING | {"analysis", "io", "pipeline", "report"},
    "video": VALUES | READING | {"analysis", "io", "pipeline", "drawing", "game", "solver"},
    "web": set(ROOMS) - {"cli", "batch", "watch", "training", "synthetic", "play", "__main__"},
    "cli": set(ROOMS) - {"play", "__main__"},
    "__main__": {"cli"},
}
"""Room -> rooms that its modules may import from, besides itself and the version number."""


def module_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}


@dataclass(frozen=True)
class Facts:
    """What the tests ask of a module's source; hundreds of whole trees would slow down garbage collection."""

    imported: tuple[str, ...]
    """Names that it imports, wherever in it and if only for annotations: dotted, from the root."""
    lengths: dict[str, int]
    """Function -> its lines, decorators left out; of several by one name, the longest."""


@cache
def facts(module: str) -> Facts:
    imported: list[str] = []
    lengths: dict[str, int] = {}
    for node in statements(ast.parse(MODULES[module].read_text("utf-8"))):
        if isinstance(node, ast.Import):
            imported += [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: imports are absolute here"
            imported += [f"{node.module}.{each.name}" for each in node.names]
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or 0) - node.lineno + 1
            lengths[node.name] = max(lines, lengths.get(node.name, 0))
    return Facts(tuple(imported), lengths)


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """Every statement within: imports and functions are statements, so that expressions need no visit."""
    for block in ("body", "orelse", "handlers", "finalbody", "cases"):
        for one in getattr(node, block, ()):
            yield one
            yield from statements(one)


@cache
def known_to(module: str) -> set[str]:
    """The modules of the package that one imports; the package itself, for its version, does not count."""
    inside = [name.split(".")[1:] for name in facts(module).imported if name.split(".")[0] == PACKAGE.name]
    found = {".".join(parts) if ".".join(parts) in MODULES else ".".join(parts[:-1]) for parts in inside}
    return found - {""}


def room_of(module: str) -> str:
    fitting = [room for room in ROOMS if module == room or module.startswith(room + ".")]
    assert fitting, f"{module} stands in no room of ROOMS"
    return max(fitting, key=len)


def reached(edges: dict[str, set[str]], start: str) -> set[str]:
    seen: set[str] = set()
    left = list(edges[start])
    while left:
        one = left.pop()
        if one not in seen:
            seen.add(one)
            left += edges[one]
    return seen


CHECKED = [module for module in MODULES if module]
"""All modules but the package itself, which offers names of all."""


def test_modules_know_only_what_their_room_may() -> None:
    wrong = {
        module: foreign
        for module in CHECKED
        if (
            foreign := {room_of(other) for other in known_to(module)}
            - {room_of(module)}
            - MAY_KNOW[room_of(module)]
        )
    }
    assert not wrong, "something lives in the wrong room"


def test_rooms_form_no_circle() -> None:
    rooms: dict[str, set[str]] = {room: set() for room in ROOMS}
    for module in CHECKED:
        rooms[room_of(module)] |= {room_of(other) for other in known_to(module)} - {room_of(module)}
    # `vision` itself is both the corridor past its rooms and the tile cutter that they all use.
    del rooms["vision"]
    for others in rooms.values():
        others.discard("vision")
    assert [room for room in rooms if room in reached(rooms, room)] == []


def test_modules_form_no_circle() -> None:
    known = {module: known_to(module) for module in CHECKED}
    assert [one for one in CHECKED if one in reached(known, one)] == []


def test_every_room_says_whom_it_may_know() -> None:
    assert MAY_KNOW.keys() == set(ROOMS)
    assert {room_of(module) for module in CHECKED} == set(ROOMS)


def test_vision_asks_the_solver_in_one_place() -> None:
    """Only whether a reading can be true, and where its numbers put the mines."""
    asking = {one for one in CHECKED if one.startswith("vision") and "solver" in map(room_of, known_to(one))}
    assert asking == {"vision.tiles.solvability"}


def test_vision_draws_only_to_show_what_it_believed() -> None:
    drawing = {
        one for one in CHECKED if one.startswith("vision") and "drawing" in map(room_of, known_to(one))
    }
    assert drawing == {"vision.debug"}


@pytest.mark.parametrize("room", ["board", "errors", "wording", "solver", "game", "simulation", "tutorial"])
def test_rooms_without_pixels_load_no_opencv(room: str) -> None:
    for module in CHECKED:
        if room_of(module).split(".")[0] == room:
            assert not {name.split(".")[0] for name in facts(module).imported} & {"cv2", "PIL"}, module


LONGEST = 60
"""Lines of a function, decorators left out."""

MAY_BE_LONGER = {
    "solver.counting.count_packed",  # the counting core: a call a transition would double its time
}


def test_functions_are_short() -> None:
    long = {
        f"{module}.{name}"
        for module in MODULES
        if room_of(module or "__main__") != "engine"
        for name, lines in facts(module).lengths.items()
        if lines > LONGEST
    }
    assert long <= MAY_BE_LONGER
