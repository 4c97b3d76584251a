"""What the API takes and gives, for checking requests and for its description."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    WithJsonSchema,
    create_model,
    model_validator,
)

from visionsweeper.board import Side
from visionsweeper.formats import FORMATS
from visionsweeper.game.rules import FirstClick
from visionsweeper.game.styles import Style
from visionsweeper.options import LARGEST_COUNT, SolveOptions, offers, taken
from visionsweeper.report.result import Problem, Result
from visionsweeper.solver.techniques import Technique
from visionsweeper.web.forms import fields_of
from visionsweeper.web.played import Played

Count = Annotated[int, Field(ge=0, le=1_000_000)]
Size = Annotated[int, Field(ge=1, le=100_000)]
Position = Annotated[list[Count], Field(min_length=2, max_length=2, description="[row, column], from 0.")]
Doubted = Annotated[list[Position], Field(max_length=LARGEST_COUNT)]
Row = Annotated[str, Field(max_length=200_000)]
BoardText = Annotated[
    Annotated[str, Field(max_length=400_000)] | Annotated[list[Row], Field(max_length=100_000)],
    Field(
        description="Rows of the board from top to bottom, or all of them in one text: 0 to 8 opened, "
        "? covered, F flag, * mine, x no mine.",
        examples=[["????", "1221"]],
    ),
]

_WRITTEN = tuple(one.name for one in FORMATS if one.write is not None)


def _written(kind: str) -> str:
    if kind not in _WRITTEN:
        raise ValueError(f"it has to be one of {', '.join(_WRITTEN)}")
    return kind


Kind = Annotated[str, AfterValidator(_written), WithJsonSchema({"type": "string", "enum": list(_WRITTEN)})]
"""The name of a file format that can be written."""

_MOST_FIELDS = 50


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    @model_validator(mode="before")
    @classmethod
    def _few_fields(cls, sent: Any) -> Any:
        # Each unknown field is an error of its own, and thousands of them would take seconds to tell.
        if isinstance(sent, dict) and len(sent) > _MOST_FIELDS:
            raise ValueError(f"{len(sent)} fields were sent, more than any request has")
        return sent


class BoardRequest(_Request):
    """A board."""

    board: BoardText


_solving: dict[str, Any] = {
    name: (annotation, Field(default, description=description))
    for name, (annotation, default, description) in fields_of(SolveOptions).items()
}
_Solving: Any = create_model("PositionRequest", __base__=BoardRequest, **_solving)


class ScopedRequest(_Solving):  # type: ignore[misc]
    """A position, and how it is solved; an answer of this API can be sent back as it is."""

    continues: list[Side] = Field(
        [], max_length=4, description="Where the board goes on beyond what is seen."
    )

    def arguments(self) -> dict[str, Any]:
        """Return the fields as a task takes them: the options of solving are one of them, `solve`."""
        values: dict[str, Any] = self.model_dump()
        given = {name: values.pop(name) for name in offers(SolveOptions)}
        return values | {"solve": taken(SolveOptions, given)}

    @model_validator(mode="before")
    @classmethod
    def _without_results(cls, sent: Any) -> Any:
        if not isinstance(sent, dict) or "version" not in sent:
            return sent
        own = {name: value for name, value in sent.items() if name in cls.model_fields}
        return own | ({"exact": True} if isinstance(own.get("exact"), list) else {})


class SolveRequest(ScopedRequest):
    """What to compute of a position."""

    exact: bool = Field(False, description="Also give probabilities as fractions.")
    advice: bool = Field(True, description="Also name the best tile; this can take longer than all the odds.")
    uncertain: Doubted = Field([], description="Tiles in doubt: what depends on them is not called certain.")


class ExplainRequest(ScopedRequest):
    """What to explain of a position."""

    tile: Position | None = Field(None, description="Only a few steps that lead there.")
    technique: Technique | None = Field(None, description="Use this technique alone.")
    tables: bool | Literal["tile"] = Field(
        True,
        description="Also give tables, equations and outcomes. `tile`: the tables of tiles hold only "
        "this one, and those of mine counts nothing of the whole board.",
    )
    uncertain: Doubted = Field([], description="Tiles in doubt: steps that depend on them say so.")


class SolutionRequest(ScopedRequest):
    """Which solution to show."""

    component: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    number: str | None = Field(
        None, pattern="^[0-9]{1,4000}$", description="From 0, as a decimal string; null: a random one."
    )


class AdviseRequest(ScopedRequest):
    """A position, and the rule of its first click."""

    first_click: FirstClick = "opening"
    uncertain: Doubted = Field([], description="Tiles in doubt: what is safe whatever they are comes first.")


class ReviewRequest(ScopedRequest):
    """A move on a position: the tiles that it opens at once."""

    tiles: Annotated[list[Position], Field(min_length=1, max_length=8)]


class MovesRequest(_Request):
    """Boards of a game, one after the other."""

    boards: Annotated[list[BoardText], Field(max_length=100)]
    mines: Count | None = None


class WriteRequest(BoardRequest):
    """A board to be written as a file."""

    mines: Count | None = None
    kind: Kind


class FormulasRequest(BoardRequest):
    """A small position to hold formulas against brute force."""

    mines: Count


class ForgetRequest(_Request):
    """Which theme to remove."""

    theme: Annotated[str, Field(max_length=60)]


class PlayRequest(_Request):
    """A move in a game that the client keeps: its minefield, and what is shown of it."""

    width: Size
    height: Size
    mines: Count
    first_click: FirstClick = "opening"
    no_guess: bool = False
    hardcore: bool = Field(False, description="A risk loses the game while something is certainly safe.")
    seed: Annotated[int, Field(ge=0, lt=2**53)] | None = Field(
        None, description="The same first tile and rules then lay the same mines; null: at random."
    )
    field: Annotated[list[Row], Field(max_length=100_000)] | None = Field(
        None, description="Rows of . and *; null before the first move, which lays the mines."
    )
    board: BoardText | None = None
    action: Literal["open", "chord", "flag", "certain"]
    style: Style = Field("no_flags", description="How what is certain is played.")
    tile: Position = [0, 0]

    def arguments(self) -> dict[str, Any]:
        """Return the fields as a task takes them: what is played is one of them, `played`."""
        values = self.model_dump()
        return values | {"played": Played(**{one.name: values.pop(one.name) for one in fields(Played)})}


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Failure(_Answer):
    """An answer that says what went wrong."""

    error: Problem


class Reading(_Answer):
    """Where the tiles of a picture are, and which of them look alike."""

    size: list[int] = Field(description="Width and height of the picture in pixels, as put upright.")
    x: list[float] = Field(description="Left edges of the columns in pixels, and the last right.")
    y: list[float] = Field(description="The same for the rows.")
    groups: list[list[int]] = Field(description="For every tile the number of its look-alikes' group.")
    turned: str | None = Field(description="The picture as put upright, a data: address; null if it was.")


@dataclass(frozen=True, kw_only=True)
class ParseResult(Result):
    """A result with what was asked for of the reading."""

    reading: Reading | None = None
    """With `details`."""


@dataclass(frozen=True, kw_only=True)
class SolveResult(Result):
    """A result with the mine counts that fit."""

    mine_range: list[int] | None
    """Fewest and most mines that fit the numbers."""


@dataclass(frozen=True, kw_only=True)
class ExplainResult(SolveResult):
    """A result with the steps that lead to certain tiles, and the tables behind the odds."""

    steps: list[dict[str, Any]]
    flags: dict[str, Any] | None = None
    tables: dict[str, Any] | None = None
    outcomes: dict[str, Any] | None = None
    hangs_on: list[Position] | None = None
    """Doubted tiles that have to be read right for what is said of `tile` to hold."""
    hangs_on_mines: int | None = None
    """Doubtful mine count that has to be right for it."""
    matrix: dict[str, Any] | None = None


class DrawnSolution(_Answer):
    """One solution of a component, or of the whole board."""

    component: int | None
    number: str | None
    mines: list[Position]
    board: list[str]
    count: str


class WrittenFormat(_Answer):
    """A form in which a position can be saved."""

    name: str
    title: str
    suffix: str
    needs_mines: bool


class About(_Answer):
    """What this server is, and what the page has in common with it."""

    version: str
    ramp: list[str]
    standard_mines: dict[str, int]
    formats: list[WrittenFormat] = Field(description="What `write-file` writes.")
    board_suffixes: list[str] = Field(description="Endings of the files that `read-file` takes.")
    most_video: int = Field(description="Bytes that `read-video` takes.")


class PlaceInLine(_Answer):
    """Where in line a request is."""

    place: int | None = Field(
        description="1 for the one that is taken next, 0 while it is worked on; null if there is none."
    )
    done: float | None = Field(description="How much of it is done, 0 to 1; null where that is not told.")


class AdviceResult(_Answer):
    """Which tile to open next, and why."""

    advice: dict[str, Any]


class Openings(_Answer):
    """How likely each covered tile opens an area."""

    probability: list[list[float | None]] = Field(description="null where nothing can be said.")


class FileResult(_Answer):
    """A position as read from a file."""

    board: list[str]
    width: int
    height: int
    mines: int | None
    field: list[str] | None = Field(
        description="Rows of . and *, where the board tells the whole minefield: every mine flagged or shown."
    )


class LearnResult(_Answer):
    """What came of learning."""

    theme: str
    extends: bool
    exemplars: int
    wrong_before: int
    wrong_after: list[Position]
    warnings: list[str]
    report: list[str]


class Themes(_Answer):
    """What was taught."""

    themes: list[str]


class Forgotten(_Answer):
    """What was taken away."""

    forgotten: str


class Undone(_Answer):
    """What was taken back."""

    undone: str


class Pattern(_Answer):
    """A pattern that players know by name, and its certain tiles."""

    id: str
    title: str
    note: str
    board: list[str]
    safe: list[Position]
    mine: list[Position]


class Patterns(_Answer):
    """The catalogue of patterns."""

    patterns: list[Pattern]


class FormulasResult(_Answer):
    """What the formulas give, and what is true."""

    placements: int
    solutions: int
    true: list[dict[str, Any]]
    formulas: list[dict[str, Any]]


class TakenUp(_Answer):
    """A minefield that a position may show."""

    field: list[str] = Field(description="Rows of . and *.")
    mines: int


class GameFigures(_Answer):
    """What a game is measured by."""

    bbbv: int = Field(description="3BV: the fewest left clicks that open the minefield.")
    bbbv_done: int = Field(description="As many of them as were done.")
    zini: int = Field(description="Greedy ZiNi: clicks of any kind that open the minefield.")


class Clicks(_Answer):
    """How often each button was pressed."""

    left: int
    right: int
    chord: int


class PlayResult(_Answer):
    """The game after a move."""

    field: list[str]
    board: list[str]
    state: Literal["playing", "won", "lost"]
    mines: int
    mines_left: int
    changed: bool
    needless_guess: bool = Field(description="Whether the game was lost by the hard-core rule.")
    clicks: Clicks = Field(description="What `certain` took; none for other moves, which are one click each.")
    figures: GameFigures | None = Field(description="Once the game is over.")


class ReplayResult(_Answer):
    """A game as it was seen."""

    mines: int | None
    boards: list[list[str]] = Field(description="The one before the first move included.")
    seconds: list[float | None] = Field(description="When each was seen first.")


class VideoGame(ReplayResult):
    """A game of a video."""

    begins: float = Field(description="Seconds of the video at which its board was seen first.")
    uncertain: list[list[Position]] = Field(description="The tiles of each board that were read with doubt.")


class VideoResult(_Answer):
    """The games of a video."""

    games: Annotated[list[VideoGame], Field(min_length=1)]
    seconds: float = Field(description="Its length, as far as it could be read.")
    complete: bool = Field(description="False where it ends early, or is damaged.")


class MoveMade(_Answer):
    """What happened between two boards."""

    clicked: list[Position] = Field(description="The fewest clicks that open what was opened.")
    flagged: list[Position] = Field(description="Tiles whose flag was set or taken away.")
    exploded: bool
    risk: str | None = Field(description="Probability that a mine was clicked on; null where not known.")
    least: str | None = Field(description="The least probability of a mine that any covered tile had.")
    safest: Position | None
    forced: bool | None


class MovesResult(_Answer):
    """What happened between the boards: one less than these."""

    moves: list[MoveMade]


class ReviewResult(_Answer):
    """What a move risks."""

    risk: str = Field(description="Probability that a mine is among the tiles, as num/den.")
    least: str = Field(description="The least probability of a mine that any covered tile has.")
    safest: Position
    safe: list[Position] = Field(description="Tiles that are certainly safe.")
    forced: bool = Field(description="Whether nothing can be opened at less risk.")
