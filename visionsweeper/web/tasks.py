"""What the API computes, each as one function from plain values to an answer: run in worker processes."""

from __future__ import annotations

import base64
import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from visionsweeper.board import Board, Side, sides_from_text
from visionsweeper.errors import (
    BadModel,
    ImpossibleBoard,
    InvalidInput,
    NoBoardFound,
    NothingToUndo,
    TooWide,
    VisionsweeperError,
    WriteFailed,
)
from visionsweeper.formats import (
    StoredPosition,
    format_named,
    minefield_of,
    read_position,
    write_position,
)
from visionsweeper.options import ReadOptions, SolveOptions
from visionsweeper.pipeline import (
    DrawnBoard,
    advise,
    analyse,
    analyse_with,
    picture,
    read_board,
    read_with,
)
from visionsweeper.report.as_json import grid_to_json, to_dict
from visionsweeper.report.result import Report
from visionsweeper.solver import Limit, Solution
from visionsweeper.web import progress
from visionsweeper.web.answers import Answer, error_answer, json_answer
from visionsweeper.wording import decimal_text, fraction_text, plural, printable

if TYPE_CHECKING:
    import numpy.typing as npt

    from visionsweeper.analysis import Analysis
    from visionsweeper.game.replay import Move
    from visionsweeper.video.games import Game
    from visionsweeper.video.moves import Move as RecordedMove
    from visionsweeper.vision.reading import Reading
    from visionsweeper.web.limits import Limits
    from visionsweeper.web.played import Played

_STATUS: Final[tuple[tuple[type[Exception], int], ...]] = (
    (NoBoardFound, 422),
    (ImpossibleBoard, 422),
    (TooWide, 422),
    (BadModel, 422),
    (NothingToUndo, 422),
    (InvalidInput, 400),
    (WriteFailed, 507),
)
"""Which HTTP status an error has, the first that fits."""


def perform(name: str, limits: Limits, arguments: Mapping[str, Any], place: int = 0) -> Answer:
    """Do one task by its name; what went wrong for a reason becomes an answer too.

    It tells how far it is at its place in what the workers share.
    """
    progress.begin(place)
    try:
        return TASKS[name](limits, **arguments)
    except VisionsweeperError as error:
        status = next((status for kind, status in _STATUS if isinstance(error, kind)), 500)
        if name == "parse":
            shown = to_dict(Report(image=arguments.get("name"), error=error), exact=arguments["exact"])
            return json_answer(shown, status)
        return error_answer(error.kind, str(error), status)
    except MemoryError:
        return error_answer("too_large", "not enough memory for this input: try a smaller one", 413)


def warm_up() -> None:
    """Load what the first request would wait for."""
    from visionsweeper.vision.tiles.knn import load_model

    load_model(None)
    drawn = picture(analyse(Board.from_text("1?\n??")))
    read_board(drawn, themes=(), width=2, height=2)


def _parse(
    limits: Limits,
    *,
    image: bytes,
    name: str | None,
    read: ReadOptions,
    solve: SolveOptions,
    exact: bool,
    details: bool,
) -> Answer:
    pixels = _pixels(image, limits)
    reading = read_with(pixels, _with_own_model(read))
    analysis = analyse_with(reading, _affordable(limits, solve))
    found = to_dict(Report(image=name, analysis=analysis, advice=advise(analysis)), exact=exact)
    if details:
        found["reading"] = _reading(reading)
    return json_answer(found)


def _with_own_model(read: ReadOptions) -> ReadOptions:
    """Check that a model is the user's own, by its name: a web page is not to name paths of this machine."""
    from visionsweeper.vision.themes.store import find_model

    name = read.model
    if name is not None and (
        not isinstance(name, str) or any(sign in name for sign in "/\\") or find_model(name) is None
    ):
        raise BadModel(
            f"there is no model called {str(name)[:60]!r} among your own: see `visionsweeper models`"
        )
    return read


def _reading(reading: Reading) -> dict[str, Any]:
    from visionsweeper.learning.group_sheet import cards_of

    # The groups of the reading are pure rather than few; those that a person would call alike are joined.
    groups = np.zeros(reading.board.cells.size, dtype=np.intp)
    for card in cards_of(reading):
        groups[card.tiles] = card.number
    return {
        "size": [int(reading.image.shape[1]), int(reading.image.shape[0])],
        "x": [round(float(edge), 3) for edge in reading.grid.x],
        "y": [round(float(edge), 3) for edge in reading.grid.y],
        "groups": groups.reshape(reading.board.cells.shape).tolist(),
        "turned": f"data:image/png;base64,{_png64(reading.image)}" if reading.straightened else None,
    }


def _pixels(image: bytes, limits: Limits) -> npt.NDArray[np.uint8]:
    from visionsweeper.io.images import load_image  # boards as text need no vision

    return load_image(image, max_pixels=limits.pixels, max_bytes=limits.upload)


def _png64(image: npt.NDArray[np.uint8]) -> str:
    return base64.b64encode(_png(image)).decode()


def _png(image: npt.NDArray[np.uint8]) -> bytes:
    from PIL import Image

    data = io.BytesIO()
    Image.fromarray(image).save(data, "PNG", compress_level=3)
    return data.getvalue()


def _board(text: str | list[str], limits: Limits) -> Board:
    board = Board.from_text(text if isinstance(text, str) else "\n".join(text))
    if board.cells.size > limits.tiles:
        raise InvalidInput(
            f"a board of {board.columns}x{board.rows} is too large for the web page: at most "
            f"{limits.tiles} tiles are taken; the command line takes more"
        )
    return board


def _analysis(
    limits: Limits,
    board: str | list[str],
    solve: SolveOptions,
    uncertain: Sequence[list[int]] = (),
    continues: Sequence[Side] = (),
) -> Analysis:
    known = replace(_board(board, limits), continues=tuple(continues))
    doubted = np.zeros(known.cells.shape, np.bool_) if uncertain else None
    for tile in uncertain:
        doubted[_tile(known.rows, known.columns, tile)] = True  # type: ignore[index]  # there is one
    return analyse_with(known, _affordable(limits, solve), doubted)


def _solved(
    limits: Limits, board: str | list[str], solve: SolveOptions, continues: Sequence[Side]
) -> Solution:
    """Return the odds of a board. Raises what `solve` raises of one that has none."""
    analysis = _analysis(limits, board, solve, continues=continues)
    if analysis.solution is None:
        raise analysis.problem or AssertionError
    return analysis.solution


def _affordable(limits: Limits, solve: SolveOptions) -> SolveOptions:
    """Return the options with no more memory and time than the server gives to one request."""
    memory = min(solve.limit_memory or limits.memory, limits.memory)
    seconds = min(solve.limit_seconds or limits.counting, limits.counting)
    return replace(solve, limit_memory=memory, limit_seconds=seconds)


def _limit(limits: Limits) -> Limit:
    """Return what counting one board may take where the request cannot ask for less."""
    return Limit(limits.memory, limits.counting)


def _solve(
    limits: Limits,
    *,
    board: str | list[str],
    solve: SolveOptions,
    exact: bool,
    advice: bool,
    uncertain: Sequence[list[int]] = (),
    continues: Sequence[Side] = (),
) -> Answer:
    analysis = _analysis(limits, board, solve, uncertain, continues)
    report = Report(analysis=analysis, advice=advise(analysis) if advice else None)
    return json_answer(to_dict(report, exact=exact) | {"mine_range": _mine_range(analysis)})


def _mine_range(analysis: Analysis) -> list[int] | None:
    """Fewest and most mines on the board that fit the numbers, and the tiles without a number."""
    from visionsweeper.errors import ImpossibleMineCount

    if isinstance(analysis.problem, ImpossibleMineCount):
        return [analysis.problem.least, analysis.problem.most]
    solution = analysis.solution
    unknown = solution is None or solution.estimated or analysis.board.continues
    return None if solution is None or unknown else list(solution.mine_range)


def _explain(
    limits: Limits,
    *,
    board: str | list[str],
    solve: SolveOptions,
    tile: list[int] | None,
    technique: str | None,
    tables: bool | str,
    uncertain: Sequence[list[int]] = (),
    continues: Sequence[Side] = (),
) -> Answer:
    from visionsweeper.report.as_json import details_to_json, steps_to_json
    from visionsweeper.report.explanation import explain_position

    analysis = _analysis(limits, board, solve, uncertain, continues)
    place = None if tile is None else _tile(analysis.board.rows, analysis.board.columns, tile)
    explanation = explain_position(analysis, technique, place, trust_flags=solve.trust_flags)
    found = to_dict(Report(analysis=analysis)) | {"steps": steps_to_json(explanation.steps)}
    found |= details_to_json(explanation, whole=tables != "tile") if tables else {}
    return json_answer(found | {"mine_range": _mine_range(analysis)})


def _tile(rows: int, columns: int, tile: list[int]) -> tuple[int, int]:
    row, column = tile
    if not (row < rows and column < columns):
        raise InvalidInput(
            f"row {row}, column {column} is outside the board: it has rows 0 to {rows - 1} and "
            f"columns 0 to {columns - 1}"
        )
    return row, column


def _solution(
    limits: Limits,
    *,
    board: str | list[str],
    solve: SolveOptions,
    component: int | None,
    number: int | None,
    continues: Sequence[Side] = (),
) -> Answer:
    from visionsweeper.report.as_json import drawn_to_json
    from visionsweeper.report.explanation import draw_solution

    solution = _solved(limits, board, solve, continues)
    drawn = draw_solution(solution, number, component)
    part = None if drawn.component is None else solution.components[drawn.component - 1]
    return json_answer(
        drawn_to_json(drawn)
        | {
            "number": None if drawn.number is None else decimal_text(drawn.number),
            "count": decimal_text(solution.count if part is None else part.count),
        }
    )


def _openings(
    limits: Limits, *, board: str | list[str], solve: SolveOptions, continues: Sequence[Side] = ()
) -> Answer:
    from visionsweeper.solver.outcomes import opening_chances

    solution = _solved(limits, board, solve, continues)
    return json_answer({"probability": grid_to_json(opening_chances(solution))})


def _advise(
    limits: Limits,
    *,
    board: str | list[str],
    solve: SolveOptions,
    first_click: Any,
    uncertain: Sequence[list[int]] = (),
    continues: Sequence[Side] = (),
) -> Answer:
    from visionsweeper.report.as_json import advice_to_json

    analysis = _analysis(limits, board, solve, uncertain, continues)
    advice = advise(analysis, first_click=first_click)
    if advice is None:
        raise analysis.problem or AssertionError
    return json_answer({"advice": advice_to_json(advice)})


def _picture(
    limits: Limits,
    *,
    image: bytes | None,
    board: str,
    solve: SolveOptions,
    x: list[float] | None,
    y: list[float] | None,
    continues: str = "none",
) -> Answer:
    from visionsweeper.geometry import Grid

    if len({image is None, x is None, y is None}) > 1:
        raise InvalidInput("to be drawn on, a picture needs the edges of its columns and rows, as x and y")
    analysis = _analysis(limits, board, solve, continues=sides_from_text(continues))
    advice = advise(analysis)
    best = None if advice is None else [one.tile for one in advice.ranking[:3]]
    if image is None or x is None or y is None:
        return Answer(200, _png(picture(analysis, best=best)), "image/png")
    pixels = _pixels(image, limits)
    view = DrawnBoard(analysis.board, pixels, Grid(np.array(x), np.array(y)))
    for edges, length in ((view.grid.x, pixels.shape[1]), (view.grid.y, pixels.shape[0])):
        tile = (edges[-1] - edges[0]) / (len(edges) - 1)
        if edges[0] < -tile or edges[-1] > length + tile:
            raise InvalidInput("the edges of the tiles lie outside the picture")
    return Answer(200, _png(picture(analysis, best=best, view=view)), "image/png")


def _read_file(limits: Limits, *, data: bytes, name: str) -> Answer:
    position = read_position(data, name)
    board = _board(str(position.board), limits)
    field = None
    with suppress(InvalidInput):
        field = str(minefield_of(board)).split()
    return json_answer(
        {
            "board": board.to_rows(),
            "width": board.columns,
            "height": board.rows,
            "mines": position.mines,
            "field": field,
        }
    )


def _write_file(limits: Limits, *, board: str | list[str], mines: int | None, kind: str) -> Answer:
    data = write_position(StoredPosition(_board(board, limits), mines), kind)
    written = format_named(kind)
    return Answer(
        200,
        data,
        "application/octet-stream" if written.binary else "text/plain; charset=utf-8",
        {"Content-Disposition": f'attachment; filename="board{written.suffixes[0]}"'},
    )


def _learn(
    limits: Limits,
    *,
    image: bytes,
    name: str,
    board: str,
    theme: str | None,
    read: ReadOptions,
) -> Answer:
    from visionsweeper.learning.learn import labelled_shot, learn, report_of

    truth = _board(board, limits)
    sized = replace(_with_own_model(read), width=truth.columns, height=truth.rows)
    shot = labelled_shot(name, _pixels(image, limits), truth, sized)
    lesson = learn([shot], theme or None, read.model)
    return json_answer(
        {
            "theme": lesson.theme.name,
            "extends": lesson.extends,
            "exemplars": len(lesson.theme.tiles),
            "wrong_before": lesson.before[0],
            "wrong_after": [list(tile) for tile in lesson.after[0]],
            "warnings": list(lesson.warnings),
            "report": report_of(lesson, [shot]),
        }
    )


def _unlearn(_limits: Limits) -> Answer:
    from visionsweeper.vision.themes import store

    return json_answer({"undone": str(store.undo(None))})


def _themes(_limits: Limits) -> Answer:
    from visionsweeper.vision.themes import store

    return json_answer({"themes": [path.stem for path in store.stored("theme")]})


def _forget(_limits: Limits, *, theme: str) -> Answer:
    from visionsweeper.vision.themes import store

    if theme not in {path.stem for path in store.stored("theme")}:
        raise InvalidInput(f"there is no theme called {theme!r} among those that you taught")
    store.remove(theme)
    return json_answer({"forgotten": theme})


@lru_cache(maxsize=1)
def _patterns(_limits: Limits) -> Answer:
    from visionsweeper.tutorial.patterns import patterns

    shown = []
    for one in patterns():
        found = to_dict(Report(analysis=analyse(one.board, local=True)))
        shown.append(
            {
                "id": one.id,
                "title": one.title,
                "note": one.note,
                "board": found["board"],
                "safe": found["safe"],
                "mine": found["mine"],
            }
        )
    return json_answer({"patterns": shown})


def _formulas(limits: Limits, *, board: str | list[str], mines: int) -> Answer:
    from visionsweeper.tutorial.formulas import compare

    found = compare(_board(board, limits), mines)

    def rows(odds: Mapping[tuple[int, int], Fraction | None]) -> list[dict[str, Any]]:
        return [
            {
                "tile": list(tile),
                "exact": None if value is None else fraction_text(value),
                "probability": None if value is None else float(value),
            }
            for tile, value in odds.items()
        ]

    return json_answer(
        {
            "placements": found.placements,
            "solutions": found.solutions,
            "true": rows(found.true),
            "formulas": [
                {"name": one.name, "rule": one.rule, "flaw": one.flaw, "odds": rows(one.odds)}
                for one in found.formulas
            ],
        }
    )


def _play(
    limits: Limits,
    *,
    played: Played,
    field: list[str] | None,
    board: str | list[str] | None,
    action: Any,
    style: Any,
    tile: list[int],
) -> Answer:
    from visionsweeper.game.figures import measure
    from visionsweeper.game.game import Game
    from visionsweeper.game.minefield import Minefield, lay
    from visionsweeper.game.no_guess import lay_no_guess
    from visionsweeper.game.rules import Rules
    from visionsweeper.game.session import is_needless_guess
    from visionsweeper.game.styles import play_certain

    laid = None if field is None else Minefield.from_text("\n".join(field))
    rows, columns = (played.height, played.width) if laid is None else laid.mines.shape
    if rows * columns > limits.tiles:
        raise InvalidInput(f"a board of {columns}x{rows} is too large to play here")
    place = _tile(rows, columns, tile)
    if laid is None:
        rules = Rules(played.width, played.height, played.mines, first_click=played.first_click)
        laid = (lay_no_guess if played.no_guess else lay)(rules, place, np.random.default_rng(played.seed))
    game = Game(laid)
    if board is not None:
        game.go_on_from(_board(board, limits))
    limit = _limit(limits)
    needless = played.hardcore and action != "certain" and is_needless_guess(game, action, place, limit)
    clicks: Counter[str] = Counter()
    if needless:
        game.forfeit()
        changed = True
    elif action == "certain":
        clicks.update(play_certain(game, style, limit))
        changed = clicks.total() > 0
    else:
        changed = game.play(action, place)
    return json_answer(
        {
            "field": str(game.field).split(),
            "board": game.board.to_rows(),
            "state": game.state,
            "mines": game.field.count,
            "mines_left": game.mines_left,
            "changed": changed,
            "needless_guess": needless,
            "clicks": {"left": clicks["open"], "right": clicks["flag"], "chord": clicks["chord"]},
            "figures": None if game.state == "playing" else asdict(measure(game.field, game.board)),
        }
    )


def _take_up(
    limits: Limits, *, board: str | list[str], solve: SolveOptions, continues: Sequence[Side] = ()
) -> Answer:
    from visionsweeper.game.finishing import take_up

    solution = _solved(limits, board, solve, continues)
    if solution.mines is None:
        raise InvalidInput("to be played on, the position needs its mine count: give it")
    game = take_up(solution, np.random.default_rng())
    return json_answer({"field": str(game.field).split(), "mines": game.field.count})


def _read_replay(limits: Limits, *, data: bytes, name: str) -> Answer:
    from visionsweeper.game.replay_files import read_replay

    replay = read_replay(data, name, most_tiles=limits.tiles, most_in_all=limits.replay)
    return json_answer(
        {
            "mines": replay.mines,
            "boards": [board.to_rows() for board in replay.boards],
            "seconds": list(replay.seconds),
        }
    )


def _read_video(limits: Limits, *, path: str, name: str) -> Answer:
    from visionsweeper.io.video import one_thread, open_video
    from visionsweeper.video.follow import Follower
    from visionsweeper.video.games import games_of
    from visionsweeper.video.moves import moves_of

    try:
        with one_thread(), open_video(path) as video:
            moves = moves_of(
                video,
                Follower(),
                _affordable(limits, SolveOptions()),
                lambda _: progress.tell(video.read / max(video.announced or 1, video.read)),
            )
            games = games_of(_bounded(moves, limits))
    except InvalidInput as error:  # its place on this machine says nothing to the sender
        raise InvalidInput(str(error).replace(path, printable(name)[:60] or "the file")) from error
    if not games:
        if not video.read:
            raise InvalidInput("no frame of this video can be read: is it damaged?")
        raise NoBoardFound(f"no board was found in the {plural(video.read, 'frame')} of this video")
    return json_answer(
        {
            "games": [_game_to_json(game) for game in games],
            "seconds": round(video.seconds, 3),
            "complete": not video.cut_off,
        }
    )


def _bounded(moves: Iterable[RecordedMove], limits: Limits) -> Iterator[RecordedMove]:
    """Yield the moves. Raises InvalidInput where their boards are too large or too many."""
    tiles = 0
    for move in moves:
        tiles += move.board.cells.size
        if move.board.cells.size > limits.tiles or tiles > limits.replay:
            raise InvalidInput("this video shows more boards than the page can take: cut it into parts")
        yield move


def _game_to_json(game: Game) -> dict[str, Any]:
    return {
        "begins": round(game.begins, 3),
        "mines": game.mines,
        "boards": [board.to_rows() for board in game.boards],
        "seconds": [None if at is None else round(at, 3) for at in game.replay.seconds],
        "uncertain": [[list(tile) for tile in tiles] for tiles in game.uncertain],
    }


def _moves(limits: Limits, *, boards: list[str | list[str]], mines: int | None) -> Answer:
    from visionsweeper.game.replay import moves_of

    found = moves_of([_board(board, limits) for board in boards], mines, _limit(limits))
    return json_answer({"moves": [_move_to_json(move) for move in found]})


def _move_to_json(move: Move) -> dict[str, Any]:
    review = move.review
    return {
        "clicked": [list(tile) for tile in move.clicked],
        "flagged": [list(tile) for tile in move.flagged],
        "exploded": move.exploded,
        "risk": None if review is None else fraction_text(review.risk),
        "least": None if review is None else fraction_text(review.least),
        "safest": None if review is None else list(review.safest),
        "forced": None if review is None else review.forced,
    }


def _review(
    limits: Limits,
    *,
    board: str | list[str],
    solve: SolveOptions,
    tiles: list[list[int]],
    continues: Sequence[Side] = (),
) -> Answer:
    from visionsweeper.game.review import review

    solution = _solved(limits, board, solve, continues)
    rows, columns = solution.board.rows, solution.board.columns
    found = review(solution, [_tile(rows, columns, tile) for tile in tiles])
    return json_answer(
        {
            "risk": fraction_text(found.risk),
            "least": fraction_text(found.least),
            "safest": list(found.safest),
            "safe": [list(tile) for tile in found.safe],
            "forced": found.forced,
        }
    )


TASKS: Final[dict[str, Callable[..., Answer]]] = {
    "parse": _parse,
    "solve": _solve,
    "explain": _explain,
    "solution": _solution,
    "advise": _advise,
    "openings": _openings,
    "picture": _picture,
    "read-file": _read_file,
    "write-file": _write_file,
    "learn": _learn,
    "unlearn": _unlearn,
    "themes": _themes,
    "forget": _forget,
    "patterns": _patterns,
    "formulas": _formulas,
    "play": _play,
    "review": _review,
    "read-replay": _read_replay,
    "read-video": _read_video,
    "moves": _moves,
    "take-up": _take_up,
}
