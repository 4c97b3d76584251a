"""Positions by the million: JSON Lines in, JSON Lines out, over processes or a Dask cluster."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from visionsweeper.board import Board, going_on
from visionsweeper.errors import InvalidInput, VisionsweeperError, kind_of
from visionsweeper.options import SolveOptions

_CHUNK: Final = 1000
"""Positions of a job: a third of a second, and a megabyte, on expert boards."""

_UNEXPECTED: Final = 1


@dataclass(frozen=True)
class Chunk:
    """Some lines of a batch, one position each."""

    first: int
    """Number of the first line, from 1."""
    lines: tuple[bytes, ...]
    options: SolveOptions


@dataclass(frozen=True)
class Answers:
    """What came of a chunk."""

    first: int
    text: str
    """A line of JSON for every line of the chunk."""
    status: int
    """The highest exit status of its positions."""


def solve_lines(
    lines: Iterable[bytes], options: SolveOptions, *, jobs: int = 1, scheduler: str | None = None
) -> Iterator[Answers]:
    """Solve a position a line, and yield the answers in the order of the lines.

    `jobs` processes share the work; with a `scheduler` (the address of one of Dask) its workers do. A line
    that is no position, or one that cannot be, has an answer with an `error`.
    """
    chunks = _chunks(lines, options)
    if scheduler is not None:
        yield from _on_cluster(chunks, scheduler)
    elif jobs == 1:
        yield from map(solve_chunk, chunks)
    else:
        from visionsweeper.io.parallel import on_processes  # joblib loads slowly

        with on_processes(solve_chunk, chunks, jobs) as answers:
            yield from answers


def _chunks(lines: Iterable[bytes], options: SolveOptions) -> Iterator[Chunk]:
    left, first = iter(lines), 1
    while taken := tuple(islice(left, _CHUNK)):
        yield Chunk(first, taken, options)
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
                following += _CHUNK


def _given_up(chunk: Chunk, why: str) -> Answers:
    error = InvalidInput(f"solving it failed several times: {why}")
    lines = [json.dumps(_failed(chunk.first + at, error)) for at in range(len(chunk.lines))]
    return Answers(chunk.first, "".join(f"{line}\n" for line in lines), _UNEXPECTED)


def solve_chunk(chunk: Chunk) -> Answers:
    """Solve the positions of a chunk; whatever goes wrong with one is in its line."""
    found, status = [], 0
    for number, line in enumerate(chunk.lines, start=chunk.first):
        try:
            answer = _solve_line(number, line, chunk.options)
        except Exception as error:
            answer = _failed(number, error)
            own = error.exit_status if isinstance(error, VisionsweeperError) else _UNEXPECTED
            status = max(status, own)
        found.append(json.dumps(answer, allow_nan=False) + "\n")
    return Answers(chunk.first, "".join(found), status)


def _solve_line(number: int, line: bytes, options: SolveOptions) -> dict[str, Any]:
    from visionsweeper.pipeline import analyse_with
    from visionsweeper.report.as_json import grid_to_json

    board, mines = _position(line)
    analysis = analyse_with(board, options.or_mines(mines))
    if analysis.solution is None:
        assert analysis.problem is not None
        raise analysis.problem
    solution = analysis.solution
    return {
        "line": number,
        "mines": analysis.mines,
        "mines_source": analysis.mines_source,
        "scope": solution.scope,
        "probability": grid_to_json(solution.probability),
        "safe": [list(tile) for tile in solution.safe],
        "mine": [list(tile) for tile in solution.mine],
        "estimated": [list(tile) for tile in sorted(solution.estimated)],
        "error": None,
    }


def _position(line: bytes) -> tuple[Board, int | None]:
    """Return the board of a line and its mine count. Raises InvalidInput."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"the line is not JSON: {error}") from error
    rows = found.get("board") if isinstance(found, dict) else None
    if isinstance(rows, list) and all(isinstance(row, str) for row in rows):
        rows = "\n".join(rows)
    if not isinstance(rows, str):
        raise InvalidInput('the line has no board: write it like {"board": ["???", "111"], "mines": 1}')
    mines = found.get("mines")
    if not (mines is None or (isinstance(mines, int) and not isinstance(mines, bool) and mines >= 0)):
        raise InvalidInput(f"the mine count must be a whole number, not {mines!r}")
    return going_on(Board.from_text(rows), found.get("continues")), mines


def _failed(number: int, error: Exception) -> dict[str, Any]:
    return {"line": number, "error": {"kind": kind_of(error), "message": " ".join(str(error).split())}}
