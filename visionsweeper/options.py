"""How a board is read and how it is solved: each option once, as the command line and the API offer it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import Field, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

if TYPE_CHECKING:
    from pathlib import Path

    from visionsweeper.board import Side
    from visionsweeper.geometry import Box
    from visionsweeper.vision.themes.theme import LearnedTheme
    from visionsweeper.vision.tiles.knn import Model

Options = TypeVar("Options", bound="ReadOptions | SolveOptions")

LARGEST_COUNT: Final = 1_000_000
"""The largest size and mine count that can be given: `board.MAX_TILES`, whose module would load numpy."""


@dataclass(frozen=True)
class Offer:
    """How an option is offered: by its kind the command line and the API know how to take it."""

    kind: Literal["count", "flag", "without", "box", "model", "sides"]
    """`count` is a whole number; `without` is a flag that leaves out what is otherwise used."""
    help: str
    least: int = 0
    """Smallest count."""
    letter: str = "N"
    """What stands for a count in help texts."""
    name: str = ""
    """What users call it, where that is not the field's own name."""
    short: str = ""
    """One letter for the command line."""


def _offer(*how: Any, **more: Any) -> dict[str, Offer]:
    return {"offer": Offer(*how, **more)}


@dataclass(frozen=True)
class ReadOptions:
    """How the board of a picture is read."""

    width: int | None = field(
        default=None,
        metadata=_offer("count", "Tiles across. Default: counted in the picture.", least=1, short="w"),
    )
    """Tiles across; with it the board fills the box, or the picture where it clearly does."""
    height: int | None = field(
        default=None,
        metadata=_offer("count", "Tiles down. Default: counted in the picture.", least=1, short="H"),
    )
    """Tiles down."""
    box: Box | None = field(
        default=None,
        metadata=_offer(
            "box", "Where the board is, roughly, in pixels. Default: the whole picture is searched."
        ),
    )
    """x0, y0, x1, y1 of the board, pixels of the picture as given."""
    model: Model | str | Path | None = field(
        default=None,
        metadata=_offer("model", "A model of your own: a file, or its name (see `visionsweeper models`)."),
    )
    """A loaded model, its path or its name; None takes the one that comes with the package."""
    themes: Sequence[LearnedTheme] | None = field(
        default=None,
        metadata=_offer("without", "Read without the themes that you taught.", name="no_learned"),
    )
    """Learned themes; None takes those that the user taught, () none."""
    board: int | None = field(
        default=None,
        metadata=_offer(
            "count", "Which board to read if there are several, from 1, top left first.", least=1
        ),
    )
    """Number of the board among several, from 1 in reading order."""
    continues: tuple[Side, ...] | None = field(
        default=None,
        metadata=_offer(
            "sides",
            "Sides where the board goes on beyond the picture: some of left,right,top,bottom, or none. Tiles "
            "not in view count as covered. Default: what a board file says; in a picture, the sides where "
            "tiles are seen to be cut off.",
        ),
    )
    """Sides where the board goes on beyond the picture; None finds out, () none."""


@dataclass(frozen=True)
class SolveOptions:
    """How the odds of a board are computed."""

    mines: int | None = field(
        default=None,
        metadata=_offer(
            "count",
            "Mines on the whole board. Default: what the mine counter or the board file says, else the "
            "standard count of a standard size, else unknown (local probabilities only).",
            letter="M",
            short="m",
        ),
    )
    """Mines on the whole board; None takes what is known of it."""
    trust_flags: bool = field(
        default=False,
        metadata=_offer("flag", "Count flags as mines. Otherwise they are only the player's claim."),
    )
    """Whether flags are facts."""
    local: bool = field(
        default=False,
        metadata=_offer("flag", "Ignore the mine count: local probabilities, from the numbers alone."),
    )
    """Whether the mine count is left out."""
    limit_memory: int | None = field(
        default=None,
        metadata=_offer(
            "count",
            "Memory that counting a board may take, in megabytes. Default: 1000.",
            least=1,
            letter="MB",
        ),
    )
    """Megabytes that counting may take; None takes the solver's default."""
    limit_seconds: int | None = field(
        default=None,
        metadata=_offer("count", "Seconds that counting a board may take. Default: 20.", least=1, letter="S"),
    )
    """Seconds that counting may take; None takes the solver's default."""

    def or_mines(self, mines: int | None) -> SolveOptions:
        """Return the same options with this mine count where none was given."""
        return self if self.mines is not None else replace(self, mines=mines)


def offers(kind: type[Options]) -> dict[str, tuple[Field[Any], Offer]]:
    """Return the options by the names that users know, each with its field and how it is offered."""
    found = [(one, one.metadata["offer"]) for one in fields(kind)]
    return {offer.name or one.name: (one, offer) for one, offer in found}


def taken(kind: type[Options], given: dict[str, Any]) -> Options:
    """Return the options as given, by the names that users know; those not given have their defaults."""
    values: dict[str, Any] = {}
    for name, (one, offer) in offers(kind).items():
        if name in given:
            values[one.name] = (() if given[name] else None) if offer.kind == "without" else given[name]
    return kind(**values)
