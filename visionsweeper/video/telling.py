"""Moves of a recording as text and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from visionsweeper.geometry import Position
from visionsweeper.video.moves import Move
from visionsweeper.wording import format_percentage, plural, tile_name, tile_names


def to_line(move: Move) -> str:
    """Return what happened, on one line."""
    parts = [f"{clock(move.seconds)}  {_what(move)}"]
    if move.kind == "open":
        parts.append(f"risk {percentage(move.risk)}" if move.risk is not None else "")
        parts.append("" if move.state == "playing" else move.state)
    return ", ".join(part for part in parts if part)


def to_text(move: Move) -> str:
    """Return what happened as a comment, and the board after it in its notation."""
    return f"# {to_line(move)}\n{move.board}"


def to_json(move: Move, video: str) -> dict[str, Any]:
    """Return the JSON object of a move: unknown is None."""
    tiles = {
        name: [list(tile) for tile in getattr(move, name)]
        for name in ("opened", "shown_mines", "flagged", "unflagged", "covered", "chosen", "uncertain")
    }
    return {
        "version": 1,
        "video": video,
        "seconds": round(move.seconds, 3),
        "move": move.kind,
        "width": move.board.columns,
        "height": move.board.rows,
        "mines": move.mines,
        **tiles,
        "risk": move.risk,
        "state": move.state,
        "board": move.board.to_rows(),
    }


def percentage(risk: float) -> str:
    """Write a risk as a percentage; 0 and 1 are certain, since the odds give these for nothing else."""
    return format_percentage(risk, certain=risk in (0.0, 1.0))


def clock(seconds: float) -> str:
    """Write a time in a video, as in 1:02.50."""
    hundredths = round(seconds * 100)
    minutes, left = divmod(hundredths, 6000)
    return f"{minutes}:{left // 100:02d}.{left % 100:02d}"


def _what(move: Move) -> str:
    if move.kind == "start":
        board = move.board
        mines = "" if move.mines is None else f" with {plural(move.mines, 'mine')}"
        opened = plural(int(board.numbers.sum()), "tile")
        return f"a board of {board.columns}x{board.rows}{mines}, {opened} opened"
    parts = []
    if move.opened and move.state != "lost":
        parts.append(f"opened {_opened(move)}")
    if move.shown_mines:
        mine = tile_name(*move.chosen[0]) if move.chosen else plural(len(move.shown_mines), "tile")
        parts.append(f"a mine at {mine}" if move.chosen else f"mines shown on {mine}")
    named = (("flag on", move.flagged), ("flag off", move.unflagged), ("covered again:", move.covered))
    parts += [f"{what} {tile_names(tiles, 3)}" for what, tiles in named if tiles]
    if move.kind == "reread":
        parts.append("read again: the earlier reading was wrong")
    return "; ".join(parts) or "nothing"


def _opened(move: Move) -> str:
    chosen: Sequence[Position] = move.chosen or move.opened[:1]
    more = len(move.opened) - len(chosen)
    one = len(chosen) == 1
    text = f"{tile_name(*chosen[0])} ({move.board[chosen[0]]})" if one else tile_names(chosen, 3)
    return text if not more else f"{text} and {more} around"
