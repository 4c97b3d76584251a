"""Positions in the forms that other programs write: read by what they hold, written by name.

- `text`: our own notation; a comment line `# mines: 99` carries the mine count.
- `jsminesweeper`: the position file of JSMinesweeper: a first line WIDTHxHEIGHTxMINES, then one character a
  tile, H covered, F flagged, ? a mine that is shown. Source of the layout: that program's Board.js.
- `mbf`, `abf`: board files of Minesweeper X, Arbiter and their kin: a byte each for width and height, two for
  the number of mines (high byte first), then column and row of every mine, a byte each. They hold a minefield
  and nothing of a game; it is read as a position with every safe tile opened and a flag on every mine.
- emoji, as chats and share buttons write boards, `:one:` names and spoiler bars included; spreadsheet cells;
  letters for covered tiles: read only.
"""

from __future__ import annotations

import codecs
import json
import re
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

import numpy as np

from visionsweeper.board import COVERED, FLAG, MAX_TILES, SAFE, SYMBOLS, Board
from visionsweeper.errors import InvalidInput
from visionsweeper.game.minefield import Minefield

Format: TypeAlias = Literal["text", "jsminesweeper", "mbf", "abf"]

FORMATS: Final[tuple[Format, ...]] = get_args(Format)
"""What can be written."""

SUFFIXES: Final[dict[Format, str]] = {
    "text": ".txt",
    "jsminesweeper": ".mine",
    "mbf": ".mbf",
    "abf": ".abf",
}

_BINARY_HEAD: Final = 4
_MOST_ACROSS: Final = 255
_HEADER: Final = re.compile(r"(\d{1,7})\s*[x×]\s*(\d{1,7})\s*[x×]\s*(\d{1,7})", re.ASCII)
_MINES: Final = re.compile(r"#\s*mines\s*[:=]\s*(\d+)", re.ASCII | re.IGNORECASE)
_LONGEST_COUNT: Final = 7


@dataclass(frozen=True, eq=False)
class Position:
    """A board with its mine count."""

    board: Board
    mines: int | None
    """Mines on the whole board; None when the file says nothing of it."""


def read_position(data: bytes | str, name: str = "") -> Position:
    """The position that a file or a pasted text holds.

    The suffix of `name` decides only between binary files and text. Raises InvalidInput.
    """
    if isinstance(data, bytes):
        if name.lower().endswith((".mbf", ".abf")) or _looks_binary(data):
            return _read_minefield(data)
        # PowerShell and Windows' editors write UTF-16.
        wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        try:
            data = data.decode("utf-16" if wide else "utf-8-sig")
        except UnicodeDecodeError:
            raise InvalidInput("this file holds neither a position as text nor a minefield") from None
    return _read_text(data)


def write_position(position: Position, kind: Format) -> bytes:
    """The position as a file of that kind. Raises InvalidInput where the format cannot hold it."""
    if kind == "text":
        mines = "" if position.mines is None else f"# mines: {position.mines}\n"
        # A first row like 5x1x3 would be taken for another program's head.
        if not mines and _HEADER.fullmatch(position.board.to_rows()[0]):
            mines = "# a board\n"
        return (mines + str(position.board)).encode()
    if kind == "jsminesweeper":
        return _write_jsminesweeper(position)
    return _write_minefield(position.board)


def _from_json(text: str) -> Position:
    """A position as this program's own JSON has it."""
    try:
        found = json.loads(text)
        rows, mines = found["board"], found.get("mines")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InvalidInput(
            "this JSON holds no board: expected an object with `board`, rows of tiles"
        ) from None
    if not isinstance(rows, list) or not all(isinstance(row, str) for row in rows):
        raise InvalidInput("`board` in this JSON is no list of rows")
    known = mines if isinstance(mines, int) and not isinstance(mines, bool) and mines >= 0 else None
    return Position(Board.from_text("\n".join(rows)), known)


def _looks_binary(data: bytes) -> bool:
    if len(data) < _BINARY_HEAD or (len(data) - _BINARY_HEAD) % 2:
        return False
    mines = (len(data) - _BINARY_HEAD) // 2
    return data[2] * 256 + data[3] == mines and 0 < data[0] * data[1] >= mines


def _read_minefield(data: bytes) -> Position:
    if not _looks_binary(data):
        raise InvalidInput(
            "this is no whole minefield file: its head says how many mines follow, and that is not so"
        )
    columns, rows = data[0], data[1]
    places = np.frombuffer(data, dtype=np.uint8, offset=_BINARY_HEAD).reshape(-1, 2).astype(np.intp)
    if len(places) and (places[:, 0].max() >= columns or places[:, 1].max() >= rows):
        raise InvalidInput(f"this minefield file has a mine outside its board of {columns}x{rows}")
    mines = np.zeros((rows, columns), dtype=np.bool_)
    mines[places[:, 1], places[:, 0]] = True
    if int(mines.sum()) != len(places):
        raise InvalidInput("this minefield file names a mine twice")
    field = Minefield(mines)
    cells = np.where(mines, FLAG, field.numbers)
    return Position(Board(cells), field.count)


def minefield_of(board: Board) -> Minefield:
    """The minefield that a board tells: its mines are the flags and the mines shown.

    Raises InvalidInput where a tile is covered without a flag, or where a number does not fit them.
    """
    mines = board.flags | board.shown_mines
    if (board.cells == COVERED).any():
        raise InvalidInput(
            "the whole minefield must be known for that: put a flag on every mine and open the rest"
        )
    field = Minefield(mines)
    wrong = np.argwhere((board.cells <= 8) & (board.cells != field.numbers))
    if len(wrong):
        row, column = wrong[0]
        raise InvalidInput(f"the number at row {row}, column {column} does not fit the flags around it")
    return field


def _write_minefield(board: Board) -> bytes:
    if max(board.rows, board.columns) > _MOST_ACROSS:
        raise InvalidInput(f"such files hold boards of at most {_MOST_ACROSS}x{_MOST_ACROSS}")
    places = np.argwhere(minefield_of(board).mines)
    head = bytes([board.columns, board.rows, *divmod(len(places), 256)])
    return head + places[:, ::-1].astype(np.uint8).tobytes()


def _write_jsminesweeper(position: Position) -> bytes:
    if position.mines is None:
        raise InvalidInput("JSMinesweeper's position file needs the mine count: give it")
    if (position.board.cells == SAFE).any():
        raise InvalidInput("JSMinesweeper's position file has no sign for a safe tile without a number")
    signs = np.array([*"012345678HF?"])
    rows = ["".join(row) for row in signs[position.board.cells]]
    head = f"{position.board.columns}x{position.board.rows}x{position.mines}"
    return "\n".join([head, *rows, ""]).encode()


def _read_text(text: str) -> Position:
    if text.lstrip("\ufeff \r\n\t").startswith("{"):
        return _from_json(text.lstrip("\ufeff"))
    # Tabs count: an empty cell of a spreadsheet stands between two of them.
    lines = [line.strip(" \r\f\v") for line in text.lstrip("\ufeff").splitlines()]
    told = next((match for line in lines if (match := _MINES.match(line))), None)
    mines = None if told is None else _mine_count(told[1])
    ours = any(line.startswith("#") for line in lines)
    lines = [line for line in lines if line and not line.startswith(("#", "```"))]
    lines = [line for line in lines if not _is_table_rule(line)]
    head = _HEADER.fullmatch(lines[0]) if lines else None
    if head is not None and not (ours or _is_row(lines, int(head[1]), int(head[2]))):
        return _read_jsminesweeper(lines[1:], int(head[1]), int(head[2]), int(head[3]))
    typed = lines
    if any(ord(character) > 127 or character in "|:" for line in lines for character in line):
        lines = [_without_emoji(line) for line in lines]
    if separator := next((one for one in "\t;," if any(one in line for line in lines)), None):
        lines = [_joined_cells(line, separator) for line in lines]
    lines = [line.translate(_COVERED_SIGNS) for line in lines]
    for said, line in zip(typed, lines, strict=True):
        unknown = next((sign for sign in line if not (sign.isspace() or sign in _OUR_SIGNS)), None)
        if unknown is not None:
            raise InvalidInput(
                "this is no board in a form that is known here: unknown character "
                f"{unknown!r} in {said.strip()[:40]!r}"
            )
    return Position(Board.from_text("\n".join(lines)), mines)


def _is_row(lines: list[str], columns: int, rows: int) -> bool:
    """Whether a first line like 1x1x1 is a row of tiles, x being no mine, and not a head of what follows."""
    follows = len(lines) > rows and all(len(line) == columns for line in lines[1 : rows + 1])
    alike = bool(re.fullmatch("[0-8x]+", lines[0])) and len({len(line) for line in lines}) == 1
    return alike and not follows


def _is_table_rule(line: str) -> bool:
    """Whether it is the line below the head of a table in Markdown; dashes alone are covered tiles."""
    return "|" in line and "--" in line and set(line) <= set("|:- \t")


def _mine_count(digits: str) -> int:
    if len(digits) > _LONGEST_COUNT:
        raise InvalidInput(f"a mine count of {len(digits)} digits is too large")
    return int(digits)


_OUR_SIGNS: Final = SYMBOLS + "._"

_COVERED_SIGNS: Final = str.maketrans({"H": "?", "h": "?", "-": "?", "f": "F", "M": "*", "X": "x"})


def _read_jsminesweeper(lines: list[str], columns: int, rows: int, mines: int) -> Position:
    if columns * rows > MAX_TILES:
        raise InvalidInput(
            f"a board of {columns}x{rows} is too large: at most {MAX_TILES} tiles are accepted"
        )
    if len(lines) < rows:
        raise InvalidInput(f"the first line promises {rows} rows, but {len(lines)} follow")
    signs = str.maketrans({"H": "?", "M": "*", "B": "*", "?": "*", "I": "?", "O": "F"})
    kept = [line[:columns].translate(signs) for line in lines[:rows]]
    board = Board.from_text("\n".join(kept))
    if board.columns != columns:
        raise InvalidInput(
            f"the first line promises {columns} tiles a row, but the rows have {board.columns}"
        )
    return Position(board, mines)


_NAMES: Final = {name: str(number) for number, name in enumerate(
    ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight")
)} | {"bomb": "*", "boom": "*", "triangular_flag_on_post": "F", "black_large_square": "?",
      "white_large_square": "0", "blue_square": "?", "green_square": "?", "question": "?"}  # fmt: skip

_PICTURES: Final = (
    dict.fromkeys("💣💥🧨☠✹", "*")
    | dict.fromkeys("🚩⚑🏁🏴", "F")
    | dict.fromkeys("⬛🟦🟩🟨🟫🟪❓❔■▪█◼🔲□☐", "?")
    | dict.fromkeys("⬜◻▫🔳·　", "0")
    | dict.fromkeys("❌✖✗", "x")
    | {digit: str(number) for number, digit in enumerate("０１２３４５６７８")}
)
_KEYCAP_PARTS: Final = dict.fromkeys((0x20E3, 0xFE0F, 0xFE0E, 0x200D))
_SPOILER: Final = re.compile(r"\|\|.*?\|\|")
_NAMED: Final = re.compile(r":([a-z_]+):")


def _without_emoji(line: str) -> str:
    """A line of emoji, or of their names between colons, in our signs; spoilers are covered tiles."""
    line = _SPOILER.sub("?", line)
    line = _NAMED.sub(lambda found: _NAMES.get(found[1], found[0]), line).translate(_KEYCAP_PARTS)
    return "".join(_PICTURES.get(character, character) for character in line).replace("|", "")


def _joined_cells(line: str, separator: str) -> str:
    """A line of spreadsheet cells, each one tile: an empty one is opened without a number, -1 covered."""
    signs = []
    for cell in line.split(separator):
        sign = cell.strip().strip('"').removesuffix(".0") or "0"
        sign = "?" if sign == "-1" else sign
        if len(sign) != 1:
            raise InvalidInput(f"the cell {cell.strip()[:20]!r} is no tile: each cell holds one sign")
        signs.append(sign)
    return "".join(signs)
