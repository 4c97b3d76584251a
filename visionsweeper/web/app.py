"""The ASGI application: routes that check what comes in and hand it to the workers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Final

from fastapi import FastAPI, File, Form, Query, Request, UploadFile
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, Response
from fastapi.staticfiles import StaticFiles
from pydantic import Field
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from visionsweeper import __version__
from visionsweeper.board import STANDARD_MINES
from visionsweeper.drawing.colours import ramp
from visionsweeper.errors import InvalidInput
from visionsweeper.formats import FORMATS, SUFFIXES
from visionsweeper.web import forms, schemas
from visionsweeper.web.answers import Answer, error_answer
from visionsweeper.web.guard import Guard, Hosts
from visionsweeper.web.limits import Limits
from visionsweeper.web.workers import Workers

_NARROWEST: Final = 4.0
"""Pixels of a tile that can be told from others."""

_VIDEO_PATH: Final = "/api/read-video"

_LONGEST_TICKET: Final = 64
"""Characters by which a request that waits is known."""

_PLAINLY: Final = {
    "model_attributes_type": "the body must be a JSON object, sent with Content-Type: application/json",
    "missing": "it is missing",
}
"""What pydantic says in words of its own."""

_STATIC: Final = Path(__file__).parent / "static"

_FAILURES: Final[dict[int | str, dict[str, Any]]] = {
    status: {"model": schemas.Failure, "description": description}
    for status, description in (
        (400, "What was sent is not a readable picture, board or file"),
        (403, "The request comes from another web page"),
        (408, "No data came for too long"),
        (413, "Too large"),
        (421, "The Host header names another server"),
        (422, "A field is wrong, or what was sent cannot be answered"),
        (500, "A bug"),
        (503, "Too much is asked for at once, or it takes too long"),
        (507, "What was learned could not be stored"),
    )
}
_PARSE_FAILURES: Final = _FAILURES | {
    status: {
        "model": schemas.ParseResult | schemas.Failure,
        "description": _FAILURES[status]["description"],
    }
    for status in (400, 422)
}

_Edges = Annotated[str, Field(max_length=2_000_000)]


def create_app(
    limits: Limits | None = None, hosts: Hosts | None = None, opened: Path | None = None
) -> FastAPI:
    """Make the application; it starts its worker processes when it is served, and ends them with it.

    `opened` is a file of the user's that the page asks for when its address ends in `?opened`.
    """
    limits = limits or Limits()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.workers = Workers(limits)
        # A video takes minutes: it keeps nothing else waiting.
        app.state.video_workers = Workers(
            replace(limits, workers=1, waiting=2, seconds=limits.video_seconds), ready=False
        )
        try:
            yield
        finally:
            app.state.workers.close()
            app.state.video_workers.close()

    app = FastAPI(
        title="visionsweeper",
        version=__version__,
        description="Reads Minesweeper screenshots and computes every covered tile's exact mine probability.",
        docs_url=None,  # these pages load scripts from elsewhere
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=lifespan,
    )
    _add_errors(app)
    _add_about(app, limits)
    _add_reading(app)
    _add_files(app)
    _add_odds(app)
    _add_learning(app)
    _add_play(app)
    _add_page(app, opened)
    app.add_middleware(
        Guard,
        hosts=hosts or Hosts(),
        upload=limits.upload,
        larger={_VIDEO_PATH: limits.video},
        patience=limits.patience,
    )
    return app


def _add_page(app: FastAPI, opened: Path | None) -> None:
    files = StaticFiles(directory=_STATIC)

    if opened is not None:

        @app.get("/opened", include_in_schema=False)
        async def opened_file() -> Response:
            return FileResponse(opened, filename=opened.name)

    # A mount at / would take every wrong method on a path of the API for a missing file.
    @app.api_route("/{name}", methods=["GET", "HEAD"], include_in_schema=False)
    async def file(request: Request, name: str) -> Response:
        return await files.get_response(name, request.scope)

    @app.api_route("/", methods=["GET", "HEAD"], include_in_schema=False)
    async def page(request: Request) -> Response:
        return await files.get_response("index.html", request.scope)


def _add_errors(app: FastAPI) -> None:
    @app.exception_handler(RequestValidationError)
    async def wrong_field(_: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        # The first part is `body`; what follows is the field and where in it, and which of several types
        # was tried, as `constrained-str`.
        place = ".".join(str(part) for part in first["loc"][1:] if str(part).isalnum() or "_" in str(part))
        said = _PLAINLY.get(first["type"], first["msg"])
        if "UploadFile" in first["msg"]:
            said = "it must be sent as a file, with a name"
        return _failure("invalid_request", f"{place}: {said}" if place else said, 422)

    @app.exception_handler(HTTPException)
    async def refused(_: Request, error: HTTPException) -> Response:
        kinds = {404: "not_found", 405: "method", 408: "timeout", 413: "too_large"}
        return _failure(
            kinds.get(error.status_code, "invalid_request"),
            str(error.detail),
            error.status_code,
            error.headers,
        )

    @app.exception_handler(InvalidInput)
    async def invalid(_: Request, error: InvalidInput) -> Response:
        return _failure(error.kind, str(error), 400)

    @app.exception_handler(Exception)
    async def unexpected(_: Request, error: Exception) -> Response:
        return _failure("unexpected", f"unexpected error: {type(error).__name__} (please report)", 500)


def _failure(kind: str, message: str, status: int, headers: Mapping[str, str] | None = None) -> Response:
    return _response(error_answer(kind, message, status, headers))


def _response(answer: Answer) -> Response:
    return Response(answer.body, answer.status, dict(answer.headers), answer.media_type)


async def _answer(
    request: Request, name: str, arguments: Mapping[str, Any], workers: Workers | None = None
) -> Response:
    workers = workers or request.app.state.workers
    ticket = request.headers.get("x-ticket", "")[:_LONGEST_TICKET] or None
    return _response(await workers.perform(request, name, arguments, ticket))


def _store(file: UploadFile, path: Path) -> None:
    """Write what was uploaded to a file. Raises OSError."""
    with path.open("wb") as stored:
        copyfileobj(file.file, stored, 2**20)


def _edges(text: str | None) -> list[float] | None:
    """Edges in pixels, written 0,24,48. Raises InvalidInput."""
    if text is None or not text.strip():
        return None
    try:
        edges = [float(part) for part in text.split(",")]
    except ValueError:
        raise InvalidInput(f"edges {text[:60]!r} are not of the form 0,24,48") from None
    apart = [after - before for before, after in pairwise(edges)]
    if not apart or not all(_NARROWEST <= gap < 1e6 for gap in apart) or not abs(edges[0]) < 1e6:
        raise InvalidInput(f"edges must be at least {_NARROWEST:g} pixels apart, from left to right")
    return edges


def _add_about(app: FastAPI, limits: Limits) -> None:
    @app.get("/api/about", response_model=schemas.About, responses=_FAILURES)
    async def about() -> schemas.About:
        """Return the version, the colours of odds from 0 to 1 in even steps, and usual mine counts."""
        colours = ["#{:02x}{:02x}{:02x}".format(*ramp(step / 100)) for step in range(101)]
        standard = {f"{width}x{height}": mines for (width, height), mines in STANDARD_MINES.items()}
        written = [
            schemas.WrittenFormat(
                name=one.name, title=one.title, suffix=one.suffixes[0], needs_mines=one.needs_mines
            )
            for one in FORMATS
            if one.write is not None
        ]
        return schemas.About(
            version=__version__,
            ramp=colours,
            standard_mines=standard,
            formats=written,
            board_suffixes=list(SUFFIXES),
            most_video=limits.video,
        )

    @app.get("/api/place", response_model=schemas.PlaceInLine, responses=_FAILURES)
    async def place(
        request: Request,
        ticket: Annotated[
            str, Query(max_length=_LONGEST_TICKET, description="What the request had as `X-Ticket`.")
        ],
    ) -> schemas.PlaceInLine:
        """Say where in line a request is that was sent with an `X-Ticket` header, and how far it is."""
        pools: list[Workers] = [request.app.state.workers, request.app.state.video_workers]
        found = next((pool for pool in pools if pool.place(ticket) is not None), pools[0])
        return schemas.PlaceInLine(place=found.place(ticket), done=found.done(ticket))


def _add_reading(app: FastAPI) -> None:
    @app.post("/api/parse", response_model=schemas.ParseResult, responses=_PARSE_FAILURES)
    async def parse(
        request: Request,
        image: Annotated[UploadFile, File(description="PNG, JPEG, WebP, BMP, GIF or TIFF.")],
        read: forms.Read,
        solve: forms.Solve,
        exact: Annotated[bool, Form(description="Also give fractions.")] = False,
        details: Annotated[
            bool, Form(description="Also say where the tiles are and which look alike.")
        ] = False,
    ) -> Response:
        """Read the board of a screenshot and compute its odds."""
        arguments = {
            "image": await image.read(),
            "name": image.filename,
            "read": read,
            "solve": solve,
            "exact": exact,
            "details": details,
        }
        return await _answer(request, "parse", arguments)


def _add_files(app: FastAPI) -> None:
    @app.post("/api/read-file", response_model=schemas.FileResult, responses=_FAILURES)
    async def read_file(
        request: Request,
        file: Annotated[
            UploadFile, File(description="Our text, .mbf, .abf, a JSMinesweeper position, emoji, cells.")
        ],
    ) -> Response:
        """Read a position from a file, or from text that was pasted."""
        arguments = {"data": await file.read(), "name": file.filename or ""}
        return await _answer(request, "read-file", arguments)

    @app.post(
        "/api/write-file",
        responses=_FAILURES
        | {200: {"description": "The file", "content": {"application/octet-stream": {}, "text/plain": {}}}},
        response_class=Response,
    )
    async def write_file(request: Request, asked: schemas.WriteRequest) -> Response:
        """Write a position as a file that other programs read."""
        return await _answer(request, "write-file", asked.model_dump())

    @app.post(
        "/api/picture",
        responses=_FAILURES | {200: {"description": "The picture", "content": {"image/png": {}}}},
        response_class=Response,
    )
    async def picture(
        request: Request,
        board: Annotated[str, Form(max_length=400_000)],
        solve: forms.Solve,
        image: Annotated[
            UploadFile | None, File(description="Draw on it; without: on a drawn board.")
        ] = None,
        x: Annotated[
            _Edges | None, Form(description="Left edges of the columns in it, and the last right: 0,24,48")
        ] = None,
        y: Annotated[_Edges | None, Form(description="The same for the rows.")] = None,
        continues: Annotated[
            str, Form(max_length=200, description="Where the board goes on: left,bottom, or none.")
        ] = "none",
    ) -> Response:
        """Draw the odds of a board on its screenshot, or on a drawn board."""
        arguments = {
            "image": None if image is None else await image.read(),
            "board": board,
            "solve": solve,
            "x": _edges(x),
            "y": _edges(y),
            "continues": continues,
        }
        return await _answer(request, "picture", arguments)


def _add_odds(app: FastAPI) -> None:
    @app.post("/api/solve", response_model=schemas.SolveResult, responses=_FAILURES)
    async def solve(request: Request, asked: schemas.SolveRequest) -> Response:
        """Compute the odds of every covered tile; a board that cannot be is an answer, not an error."""
        return await _answer(request, "solve", asked.arguments())

    @app.post("/api/explain", response_model=schemas.ExplainResult, responses=_FAILURES)
    async def explain(request: Request, asked: schemas.ExplainRequest) -> Response:
        """Say why tiles are certain, and give the tables and equations behind the odds."""
        return await _answer(request, "explain", asked.arguments())

    @app.post("/api/solution", response_model=schemas.DrawnSolution, responses=_FAILURES)
    async def solution(request: Request, asked: schemas.SolutionRequest) -> Response:
        """One placement of the mines: of a component by its number, or a random one."""
        number = None if asked.number is None else int(asked.number)
        return await _answer(request, "solution", asked.arguments() | {"number": number})

    @app.post("/api/advise", response_model=schemas.AdviceResult, responses=_FAILURES)
    async def advise(request: Request, asked: schemas.AdviseRequest) -> Response:
        """Say which tile to open next, and why."""
        return await _answer(request, "advise", asked.arguments())

    @app.post("/api/openings", response_model=schemas.Openings, responses=_FAILURES)
    async def openings(request: Request, asked: schemas.ScopedRequest) -> Response:
        """Compute how likely every covered tile shows 0 if opened."""
        return await _answer(request, "openings", asked.arguments())

    @app.post("/api/formulas", response_model=schemas.FormulasResult, responses=_FAILURES)
    async def formulas(request: Request, asked: schemas.FormulasRequest) -> Response:
        """Hold formulas that are in use against brute force."""
        return await _answer(request, "formulas", asked.model_dump())


def _add_learning(app: FastAPI) -> None:
    @app.post("/api/learn", response_model=schemas.LearnResult, responses=_FAILURES)
    async def learn(
        request: Request,
        image: Annotated[UploadFile, File()],
        board: Annotated[str, Form(max_length=400_000, description="What the picture shows.")],
        read: forms.ReadForLearning,
        theme: Annotated[
            str | None, Form(max_length=60, description="Its name; else after the file.")
        ] = None,
    ) -> Response:
        """Learn the theme of a game from a picture whose board is known: stored among the user's themes."""
        arguments = {
            "image": await image.read(),
            "name": Path(image.filename or "screenshot").name,
            "board": board,
            "theme": theme,
            "read": read,
        }
        return await _answer(request, "learn", arguments)

    @app.post("/api/unlearn", response_model=schemas.Undone, responses=_FAILURES)
    async def unlearn(request: Request) -> Response:
        """Take back what was learned last."""
        return await _answer(request, "unlearn", {})

    @app.get("/api/themes", response_model=schemas.Themes, responses=_FAILURES)
    async def themes(request: Request) -> Response:
        """Return the names of the themes that were taught."""
        return await _answer(request, "themes", {})

    @app.post("/api/forget", response_model=schemas.Forgotten, responses=_FAILURES)
    async def forget(request: Request, asked: schemas.ForgetRequest) -> Response:
        """Take away a theme that was taught; the command line can bring it back."""
        return await _answer(request, "forget", asked.model_dump())

    @app.get("/api/patterns", response_model=schemas.Patterns, responses=_FAILURES)
    async def patterns(request: Request) -> Response:
        """Return the patterns that players know by name."""
        return await _answer(request, "patterns", {})


def _add_play(app: FastAPI) -> None:
    @app.post("/api/review", response_model=schemas.ReviewResult, responses=_FAILURES)
    async def review(request: Request, asked: schemas.ReviewRequest) -> Response:
        """Say what opening tiles risks, and what the least risk is."""
        return await _answer(request, "review", asked.arguments())

    @app.post("/api/take-up", response_model=schemas.TakenUp, responses=_FAILURES)
    async def take_up(request: Request, asked: schemas.ScopedRequest) -> Response:
        """Lay the mines of a position as one of its solutions, all alike likely, to play on from it."""
        return await _answer(request, "take-up", asked.arguments())

    @app.post("/api/read-replay", response_model=schemas.ReplayResult, responses=_FAILURES)
    async def read_replay(
        request: Request,
        file: Annotated[UploadFile, File(description="An .avf, .evf, .rmv, .mvf or .rawvf.")],
    ) -> Response:
        """Read a replay of another program, board after board."""
        arguments = {"data": await file.read(), "name": file.filename or ""}
        return await _answer(request, "read-replay", arguments)

    @app.post(_VIDEO_PATH, response_model=schemas.VideoResult, responses=_FAILURES)
    async def read_video(
        request: Request, file: Annotated[UploadFile, File(description="MP4, MOV, WebM, MKV, AVI or GIF.")]
    ) -> Response:
        """Read the games of a screen recording, each board after board. `place` tells how far it is."""
        with TemporaryDirectory(prefix="visionsweeper-", ignore_cleanup_errors=True) as folder:
            path = Path(folder) / "video"
            try:
                await run_in_threadpool(_store, file, path)
            except OSError:
                return _failure("write_failed", "there is no room on the disk for this video", 507)
            arguments = {"path": str(path), "name": file.filename or ""}
            return await _answer(request, "read-video", arguments, request.app.state.video_workers)

    @app.post("/api/moves", response_model=schemas.MovesResult, responses=_FAILURES)
    async def moves(request: Request, asked: schemas.MovesRequest) -> Response:
        """Say what was clicked between boards that follow each other, and what it risked."""
        return await _answer(request, "moves", asked.model_dump())

    @app.post("/api/play", response_model=schemas.PlayResult, responses=_FAILURES)
    async def play(request: Request, asked: schemas.PlayRequest) -> Response:
        """Make a move in a game; the game itself is the client's to keep."""
        return await _answer(request, "play", asked.arguments())
