"""Links of other programs that hold a board: read and written.

- JSMinesweeper's `?board=WxHxM&analysis=…`: width and height as two digits to base 62 each, mines as four,
  then runs of equal tiles. A tile has digits of its own, and several of them in a row are one count to the
  base of how many there are. A number is less by the flags around it that count (F, and I: a mine known but
  not flagged); O is a flag that does not count. Source: `Compressor` and `getCompressedData` in that
  program's Board.js.
- `?b=…&m=…` of LlamaSweeper and the ZiNi calculator that began with it: a minefield. `b` is 1, 2 or 3 for the
  standard boards, else width and height with as many digits each; each digit of `m`, to base 32, is five
  tiles, row by row, the first one in the highest bit. Source: `getPttaMinesString` in that program's
  Algorithms.js.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import Final
from urllib.parse import parse_qs, urlsplit

import numpy as np

from visionsweeper.board import COVERED, FLAG, MAX_TILES, Board
from visionsweeper.errors import InvalidInput
from visionsweeper.game.minefield import Minefield

JSMINESWEEPER: Final = "https://davidnhill.github.io/JSMinesweeper/index.html"
LLAMASWEEPER: Final = "https://llamasweeper.com/#/game/board-editor"

_LINK: Final = re.compile(r"https?://\S+", re.IGNORECASE)
_BASE62: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_SIGNS: Final = "012345678IHFO"
_DIGITS_OF_EACH: Final = (10, 7, 5, 5, 4, 3, 3, 1, 1, 4, 10, 8, 1)
_HEAD: Final = 8
_BASE32: Final = "0123456789abcdefghijklmnopqrstuv"
_STANDARD: Final = {"1": (9, 9), "2": (16, 16), "3": (30, 16)}


def _digits() -> dict[str, str]:
    """Return the digits that stand for a run of each tile, by its sign."""
    ends = np.cumsum(_DIGITS_OF_EACH)
    return {
        sign: _BASE62[end - count : end]
        for sign, count, end in zip(_SIGNS, _DIGITS_OF_EACH, ends, strict=True)
    }


_RUNS: Final = _digits()
_SIGN_OF: Final = {digit: sign for sign, digits in _RUNS.items() for digit in digits}


def fields_of(text: str) -> dict[str, str]:
    """Return the fields of a link, wherever in it they stand; none where the text is no link."""
    link = text.strip()
    if not _LINK.fullmatch(link):
        return {}
    try:
        parts = urlsplit(link)
        query = "&".join([parts.query, parts.fragment.partition("?")[2]])
        return {name: values[0] for name, values in parse_qs(query, max_num_fields=50).items()}
    except ValueError:
        return {}


def read_analysis(text: str) -> tuple[Board, int]:
    """Read board and mine count of a link to JSMinesweeper. Raises InvalidInput."""
    data = fields_of(text)["analysis"]
    if len(data) <= _HEAD or set(data) - set(_BASE62):
        raise InvalidInput("the link's analysis= holds no complete board: was it cut off?")
    columns, rows, mines = (_number(data[start:end]) for start, end in ((0, 2), (2, 4), (4, 8)))
    _require_size(columns, rows)
    runs = [
        (sign, _count(sign, "".join(digits))) for sign, digits in groupby(data[_HEAD:], _SIGN_OF.__getitem__)
    ]
    if sum(count for _, count in runs) != columns * rows:
        raise InvalidInput(f"the link's analysis= does not hold {columns}x{rows} tiles: was it cut off?")
    signs = np.array(list("".join(sign * count for sign, count in runs))).reshape(rows, columns)
    numbered = np.char.isdigit(signs)
    counted = Minefield(np.isin(signs, ("F", "I"))).numbers
    cells = np.where(np.isin(signs, ("F", "O")), FLAG, COVERED).astype(np.uint8)
    cells[numbered] = signs[numbered].astype(np.uint8) + counted[numbered]
    if (cells[numbered] > 8).any():
        raise InvalidInput("the link's board has a number above 8: was it changed?")
    return Board(cells), mines


def write_analysis(board: Board, mines: int) -> str:
    """Return a link to JSMinesweeper that shows a board of numbers, covered tiles and flags.

    Raises InvalidInput for what it has no sign for.
    """
    if (board.cells > FLAG).any():
        raise InvalidInput("a link to JSMinesweeper has no sign for shown mines and safe tiles: cover them")
    if max(board.rows, board.columns) >= len(_BASE62) ** 2:
        raise InvalidInput("a link to JSMinesweeper holds at most 3843 rows and columns")
    left = board.cells.astype(int)
    signs = np.where(left < COVERED, "0", "H").astype(object)
    for row, column in np.argwhere(board.flags).tolist():
        numbers = [tile for tile in board.neighbours(row, column) if board[tile] < COVERED]
        fits = all(left[tile] > 0 for tile in numbers)
        signs[row, column] = "F" if fits else "O"
        for tile in numbers if fits else ():
            left[tile] -= 1
    signs[left < COVERED] = left[left < COVERED].astype(str)
    runs = "".join(_run(sign, len(list(same))) for sign, same in groupby(signs.ravel().tolist()))
    head = _digits62(board.columns, 2) + _digits62(board.rows, 2) + _digits62(mines, 4)
    return f"{JSMINESWEEPER}?board={board.columns}x{board.rows}x{mines}&analysis={head}{runs}"


def _require_size(columns: int, rows: int) -> None:
    if not 0 < columns * rows <= MAX_TILES:
        raise InvalidInput(
            f"the link's board of {columns}x{rows} is too large, or empty: {MAX_TILES} tiles are accepted"
        )


def _number(digits: str) -> int:
    value = 0
    for digit in digits:
        value = value * len(_BASE62) + _BASE62.index(digit)
    return value


def _digits62(number: int, length: int) -> str:
    digits = ""
    for _ in range(length):
        number, digit = divmod(number, len(_BASE62))
        digits = _BASE62[digit] + digits
    return digits


def _count(sign: str, digits: str) -> int:
    """Return how many equal tiles a run is; no board has as many as a long one could say."""
    own = _RUNS[sign]
    if len(own) == 1:
        return len(digits)
    value = 0
    for digit in digits:
        value = min(value * len(own) + own.index(digit), MAX_TILES + 1)
    return value


def _run(sign: str, count: int) -> str:
    own, digits = _RUNS[sign], ""
    if len(own) == 1:
        return own * count
    while count:
        count, digit = divmod(count, len(own))
        digits = own[digit] + digits
    return digits


def read_minefield(text: str) -> Minefield:
    """Read the minefield of a link with `b` and `m`. Raises InvalidInput."""
    fields = fields_of(text)
    size, data = fields["b"], fields["m"].lower()
    half = len(size) // 2
    if size not in _STANDARD and not (re.fullmatch(r"[0-9]{2,8}", size) and len(size) % 2 == 0):
        raise InvalidInput(f"the link's b={size[:20]} is not a size: 1, 2, 3, or width and height")
    columns, rows = _STANDARD.get(size) or (int(size[:half]), int(size[half:]))
    _require_size(columns, rows)
    if set(data) - set(_BASE32) or len(data) != -(-columns * rows // 5):
        raise InvalidInput(f"the link's m= does not hold {columns}x{rows} tiles: was it cut off?")
    bits = "".join(f"{_BASE32.index(digit):05b}" for digit in data)[: columns * rows]
    return Minefield(np.array([bit == "1" for bit in bits]).reshape(rows, columns))


def write_minefield(field: Minefield) -> str:
    """Return a link to LlamaSweeper that holds a minefield."""
    rows, columns = field.mines.shape
    wide = max(len(str(rows)), len(str(columns)))
    known = next((name for name, size in _STANDARD.items() if size == (columns, rows)), None)
    bits = "".join("1" if mine else "0" for mine in field.mines.ravel())
    padded = bits + "0" * (-len(bits) % 5)
    digits = "".join(_BASE32[int(padded[at : at + 5], 2)] for at in range(0, len(padded), 5))
    return f"{LLAMASWEEPER}?b={known or f'{columns:0{wide}d}{rows:0{wide}d}'}&m={digits}"
