"""Positions by the million: JSON Lines in, JSON Lines out, over processes or a Dask cluster."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

import numpy as np

from visionsweeper.board import Board, checked_mines, going_on
from visionsweeper.engine import Engine
from visionsweeper.errors import InvalidInput, WorkersLost, kind_of, status_of
from visionsweeper.options import SolveOptions
from visionsweeper.solver.compiled import ManyOdds, check_engine, count_compiled
from visionsweeper.solver.many import AT_ONCE, use_compiled

Result = TypeVar("Result")


@dataclass(frozen=True)
class Chunk:
    """Some lines of a batch, one position each."""

    first: int
    """Number of the first line, from 1."""
    lines: tuple[bytes, ...]
    options: SolveOptions
    engine: Engine


@dataclass(frozen=True)
class Answers:
    """What came of a chunk."""

    first: int
    text: str
    """A line of JSON for every line of the chunk."""
    status: int
    """The highest exit status of its positions."""


def solve_lines(
    lines: Iterable[bytes],
    options: SolveOptions,
    *,
    engine: Engine = "auto",
    jobs: int = 1,
    scheduler: str | None = None,
) -> Iterator[Answers]:
    """Solve a position a line, and yield the answers in the order of the lines.

    `jobs` processes share the work; with a `scheduler` (the address of one of Dask) its workers do. A line
    that is no position, or one that cannot be, has an answer with an `error`. `engine` is as of `solve_many`;
    "auto" compiles for a thousand lines, not for fewer. Raises InvalidInput for "compiled" without numba.
    """
    check_engine(engine)
    chunks = _chunks(lines, options, engine)
    if scheduler is not None:
        yield from _on_cluster(chunks, scheduler)
    elif jobs == 1:
        yield from map(solve_chunk, chunks)
    else:
        from visionsweeper.io.parallel import on_processes  # joblib loads slowly

        with on_processes(solve_chunk, chunks, jobs) as answers:
            yield from answers


def _chunks(lines: Iterable[bytes], options: SolveOptions, engine: Engine) -> Iterator[Chunk]:
    left, first = iter(lines), 1
    while taken := tuple(islice(left, AT_ONCE)):
        yield Chunk(first, taken, options, engine)
        first += len(taken)


def _on_cluster(chunks: Iterable[Chunk], scheduler: str) -> Iterator[Answers]:
    from visionsweeper.io.cluster import on_cluster  # an extra

    waiting: dict[int, Answers] = {}
    following = 1
    with on_cluster(solve_chunk, chunks, scheduler) as answers:
        for done in answers:
            chunk = done.task
            waiting[chunk.first] = done.result or _given_up(chunk, done.failure or "")
            while following in waiting:
                yield waiting.pop(following)
                following += AT_ONCE


def _given_up(chunk: Chunk, why: str) -> Answers:
    error = WorkersLost(f"solving it failed several times: {why}")
    numbers = range(chunk.first, chunk.first + len(chunk.lines))
    lines = [json.dumps({"line": number, **_failed(error)}) for number in numbers]
    return Answers(chunk.first, "".join(f"{line}\n" for line in lines), status_of(error))


def solve_chunk(chunk: Chunk) -> Answers:
    """Solve the positions of a chunk; whatever goes wrong with one is in its line."""
    found, status = [], 0
    positions = [_tried(_position, line, chunk.options) for line in chunk.lines]
    counted = _counted(chunk, [None if isinstance(one, Exception) else one for one in positions])
    for number, (position, odds) in enumerate(zip(positions, counted, strict=True), chunk.first):
        answer = position if isinstance(position, Exception) else _answer(position, odds, chunk.options)
        if isinstance(answer, Exception):
            status = max(status, status_of(answer))
            answer = json.dumps(_failed(answer))
        found.append(f'{{"line": {number}, {answer[1:]}\n')
    return Answers(chunk.first, "".join(found), status)


def _tried(work: Callable[..., Result], *arguments: Any) -> Result | Exception:
    try:
        return work(*arguments)
    except Exception as error:
        return error


def _counted(chunk: Chunk, positions: list[PositionLine | None]) -> list[ManyOdds | None]:
    """Return the odds of what the compiled count takes; None for all that is left to the exact one."""
    found: list[ManyOdds | None] = [None] * len(positions)
    options = chunk.options
    if options.trust_flags or options.local or not use_compiled(chunk.engine, len(positions)):
        return found
    places = [at for at, one in enumerate(positions) if one is not None]
    odds = count_compiled([(one.board, one.mines) for one in positions if one is not None])
    for at, each in zip(places, odds, strict=True):
        found[at] = each
    return found


def _answer(position: PositionLine, odds: ManyOdds | None, options: SolveOptions) -> str | Exception:
    """Write the answer as a JSON object, or return what went wrong."""
    if odds is not None:
        return _written(position, odds)
    answer = _tried(_solved, position, options)
    return answer if isinstance(answer, Exception) else json.dumps(answer, allow_nan=False)


def _written(position: PositionLine, odds: ManyOdds) -> str:
    """Write what was counted as `_solved` does; each different number once, since that takes longest."""
    different, places = np.unique(odds.probability, return_inverse=True)
    words = np.array(["null" if math.isnan(p) else repr(p) for p in different.tolist()], np.object_)
    rows = ["[" + ", ".join(row) + "]" for row in words[places].reshape(odds.probability.shape).tolist()]
    first = {"mines": position.mines, "mines_source": position.mines_source, "scope": "global"}
    last = {
        "safe": np.argwhere(odds.safe).tolist(),
        "mine": np.argwhere(odds.mine).tolist(),
        "estimated": [],
        "error": None,
    }
    probability = ", ".join(rows)
    return f'{json.dumps(first)[:-1]}, "probability": [{probability}], {json.dumps(last)[1:]}'


def _solved(position: PositionLine, options: SolveOptions) -> dict[str, Any]:
    from visionsweeper.pipeline import analyse_with
    from visionsweeper.report.as_json import grid_to_json

    analysis = analyse_with(position.board, options.or_mines(position.given))
    if analysis.solution is None:
        assert analysis.problem is not None
        raise analysis.problem
    solution = analysis.solution
    return {
        "mines": analysis.mines,
        "mines_source": analysis.mines_source,
        "scope": solution.scope,
        "probability": grid_to_json(solution.probability),
        "safe": [list(tile) for tile in solution.safe],
        "mine": [list(tile) for tile in solution.mine],
        "estimated": [list(tile) for tile in sorted(solution.estimated)],
        "error": None,
    }


@dataclass(frozen=True)
class PositionLine:
    """A line of the input: a position, and its mine count."""

    board: Board
    given: int | None
    """Mine count of the line."""
    mines: int | None
    """Mine count that is taken."""
    mines_source: str


def _position(line: bytes, options: SolveOptions) -> PositionLine:
    """Read a line. Raises InvalidInput."""
    from visionsweeper.pipeline import mine_count

    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"the line is not JSON: {error}") from error
    rows = found.get("board") if isinstance(found, dict) else None
    if isinstance(rows, list) and all(isinstance(row, str) for row in rows):
        rows = "\n".join(rows)
    if not isinstance(rows, str):
        raise InvalidInput('the line has no board: write it like {"board": ["???", "111"], "mines": 1}')
    mines = checked_mines(found.get("mines"))
    board = going_on(Board.from_text(rows), found.get("continues"))
    taken, source = mine_count(board, options.or_mines(mines).mines, None)
    return PositionLine(board, mines, taken, source)


def _failed(error: Exception) -> dict[str, Any]:
    return {"error": {"kind": kind_of(error), "message": " ".join(str(error).split())}}
