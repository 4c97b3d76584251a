"""What came of one input, and the one result type that `--json` prints and the API answers."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from visionsweeper.errors import Doubtful, NoBoardFound

if TYPE_CHECKING:
    from visionsweeper.analysis import Analysis
    from visionsweeper.solver.advice import Advice

JSON_VERSION: Final = 1

STRICT: Final = {"extra": "forbid"}
"""For pydantic, where the API describes and checks these types: there are no other fields."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Report:
    """What came of one input, as the writers of JSON and text take it."""

    image: str | None = None
    """The picture read, as the user named it; None for standard input and positions."""
    analysis: Analysis | None = None
    """None when the input could not be read."""
    advice: Advice | None = None
    """Which tile to open next; None where nobody asked, or where there are no odds to go by."""
    output: str | None = None
    """The picture written, or None."""
    error: Exception | None = None
    """What went wrong in reading or writing, or None; a board that cannot be is `analysis.problem`."""

    @property
    def failure(self) -> Exception | None:
        """What the exit status and the message are about, or None."""
        return self.error or (None if self.analysis is None else self.analysis.problem)

    def cautiously(self) -> Report:
        """Return the same with an error where the board is a guess."""
        reading = None if self.analysis is None else self.analysis.reading
        if self.error is not None or reading is None or not reading.guessed:
            return self
        size = f"{reading.board.columns}x{reading.board.rows}"
        message = (
            f"no board was found for certain: this is the likeliest place, of {size} tiles, all of them in "
            f"doubt (if it is right, give --width {reading.board.columns}; else crop the picture to it)"
        )
        return replace(self, error=NoBoardFound(message, reading))

    def strictly(self) -> Report:
        """Return the same with its doubt as an error, where nothing worse is in it."""
        doubted = () if self.analysis is None else self.analysis.uncertain
        return replace(self, error=Doubtful.about(len(doubted))) if doubted and self.failure is None else self


@dataclass(frozen=True)
class Best:
    """The tile to open next."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT

    tile: list[int]
    """[row, column], from 0."""
    probability: float | None
    reason: str


@dataclass(frozen=True)
class CounterShown:
    """The mine counter as read."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT

    shown: str
    """The digits as they stand there."""
    kind: str
    box: list[float]
    """x0, y0, x1, y1 in pixels."""
    confidence: float


@dataclass(frozen=True)
class FoundBoard:
    """One of several boards in a picture."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT

    width: int
    height: int
    """Tiles."""
    box: list[float]
    """x0, y0, x1, y1 in pixels."""


@dataclass(frozen=True)
class Problem:
    """What went wrong."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT

    kind: str
    message: str
    boards: list[FoundBoard] | None = None
    """The boards in the picture; only there where there are several and nothing says which one is meant."""


@dataclass(frozen=True, kw_only=True)
class Result:
    """All there is to say of a board: unknown is None, never a made-up number. Tiles are [row, column]."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT

    version: int = JSON_VERSION
    image: str | None
    """The picture read, as the user named it."""
    width: int | None = None
    height: int | None = None
    mines: int | None = None
    mines_source: Literal["given", "counter", "standard", "unknown"] = "unknown"
    counter: CounterShown | None = None
    box: list[float] | None = None
    """x0, y0, x1, y1 in pixels of the input picture."""
    board: list[str] | None = None
    """One text a row, in the board notation."""
    continues: list[Literal["left", "right", "top", "bottom"]] = field(default_factory=list)
    """Sides where the board goes on beyond what is seen: covered tiles are taken to lie there."""
    confidence: list[list[float]] | None = None
    uncertain: list[list[int]] = field(default_factory=list)
    """Tiles read with too low a confidence to trust, the least sure first."""
    scope: Literal["global", "local"] | None = None
    probability: list[list[float | None]] | None = None
    """None for opened tiles, and off the frontier when local."""
    exact: list[list[str | None]] | None = None
    """The same as num/den; only there when it was asked for."""
    estimated: list[list[int]] = field(default_factory=list)
    """Tiles whose probability is an estimate: the frontier around them is too wide to count."""
    safe: list[list[int]] = field(default_factory=list)
    """Covered tiles, none in doubt, that hold no mine whatever is in doubt: tiles, or the mine count."""
    mine: list[list[int]] = field(default_factory=list)
    """The same for those that hold a mine."""
    safe_if_read_right: list[list[int]] = field(default_factory=list)
    """Covered tiles that hold no mine if what is in doubt is right."""
    mine_if_read_right: list[list[int]] = field(default_factory=list)
    """The same for those that hold a mine."""
    best: Best | None = None
    fifty_fifty: list[list[list[int]]] = field(default_factory=list)
    """Pairs of tiles of which one holds a mine, and nothing will ever tell which: forced guesses."""
    pseudo_fifty_fifty: list[list[list[int]]] = field(default_factory=list)
    """Pairs that only look so: a tile opened later may tell."""
    dead: list[list[int]] = field(default_factory=list)
    """Tiles that can show just one number, if they are safe: opening them tells nothing more."""
    solutions: str | None = None
    """Number of solutions in decimal."""
    consistent: bool | None = None
    conflict: list[list[int]] = field(default_factory=list)
    """Numbers that cannot hold together."""
    warnings: list[str] = field(default_factory=list)
    output: str | None = None
    """The picture written."""
    error: Problem | None = None

    def to_dict(self, *, exact: bool) -> dict[str, Any]:
        """Return the fields by name, nested ones as plain values; `exact` only if it was asked for."""
        found = {one.name: getattr(self, one.name) for one in fields(self)}
        for name in ("best", "counter", "error"):
            found[name] = None if found[name] is None else asdict(found[name])
        if self.error is not None and self.error.boards is None:
            del found["error"]["boards"]
        if not exact:
            del found["exact"]
        return found
