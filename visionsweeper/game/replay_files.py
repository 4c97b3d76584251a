"""Replays of other programs: .rawvf, and read by ms_toollib .avf, .evf, .rmv and .mvf.

Its readers end the whole process where a file is not as they expect it: read files of others in a process
that may end.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from visionsweeper.board import Board
from visionsweeper.errors import InvalidInput
from visionsweeper.game.rawvf import read_rawvf
from visionsweeper.game.replay import Replay

if TYPE_CHECKING:
    from collections.abc import Iterator

READERS: Final = {".avf": "AvfVideo", ".evf": "EvfVideo", ".rmv": "RmvVideo", ".mvf": "MvfVideo"}
"""Ending of a file -> the class of ms_toollib that reads it."""

RAWVF: Final = ".rawvf"
"""Ending of the one that is read here."""

_MOST_BYTES: Final = 4 * 2**20
"""Of a file: some hours of a mouse in motion."""

_SIGNS: Final = dict(enumerate("012345678")) | {11: "F", 14: "x", 15: "*"}
"""Tile of ms_toollib -> ours; what it shows of mines that were not hit stays covered."""


def read_replay(
    data: bytes, name: str, *, most_tiles: int | None = None, most_in_all: int | None = None
) -> Replay:
    """Read a replay by the ending of its name. Raises InvalidInput; a broken file can end the process.

    `most_tiles` limits the tiles of the board, `most_in_all` those of all boards one after another together.
    """
    ending = name[name.rfind(".") :].lower()
    if ending == RAWVF:
        mines, boards = read_rawvf(data.decode("utf-8", "replace"), most_tiles)
    elif ending in READERS:
        mines, boards = _read_with_toollib(data, READERS[ending], most_tiles, most_in_all)
    else:
        raise InvalidInput(f"replays are read from files that end in {', '.join((*READERS, RAWVF))}")
    first = next(boards)
    most = None if most_in_all is None else max(2, most_in_all // max(1, first[1].cells.size))
    seen = [first, *islice(boards, most)]
    if most is not None and len(seen) > most:
        raise InvalidInput(f"this replay is too long: at most {most} boards of its size are taken")
    return Replay(tuple(board for _, board in seen), mines, tuple(at for at, _ in seen))


def _read_with_toollib(
    data: bytes, reader: str, most_tiles: int | None, most_in_all: int | None
) -> tuple[int, Iterator[tuple[float, Board]]]:
    try:
        import ms_toollib
    except ImportError:
        raise InvalidInput("replays need one more package: pip install 'visionsweeper[replays]'") from None
    if len(data) > _MOST_BYTES:
        raise InvalidInput(f"this replay is too large: at most {_MOST_BYTES // 2**20} MB are read")
    video = getattr(ms_toollib, reader)("", list(data))
    video.parse()
    size = video.row * video.column
    if most_tiles is not None and size > most_tiles:
        raise InvalidInput(
            f"the board of this replay is too large, {video.column}x{video.row}: at most {most_tiles} tiles "
            "are taken"
        )
    # It keeps a board for each press and release of a button, up to four a move, whether it changes or not.
    if most_in_all is not None and size * sum(map(_is_button, video.events)) > 4 * most_in_all:
        raise InvalidInput(
            f"this replay is too long: at most {most_in_all // size} clicks on a board of its size are taken"
        )
    video.analyse()
    return int(video.mine_num), _seen(video)


def _is_button(event: Any) -> bool:
    return not event.event.is_mouse() or event.event.unwrap_mouse().mouse != "mv"


def _seen(video: Any) -> Iterator[tuple[float, Board]]:
    """Yield each board that differs from the one before, and when it was seen first, in seconds."""
    last = Board.from_text("\n".join(["?" * video.column] * video.row))
    start: float | None = None
    yield 0.0, last
    for event in video.events:
        if not event.useful_level:
            continue
        rows = event.next_game_board.game_board
        board = Board.from_text("\n".join("".join(_SIGNS.get(tile, "?") for tile in row) for row in rows))
        if board != last:
            start = event.time if start is None else start
            last = board
            yield event.time - start, board
