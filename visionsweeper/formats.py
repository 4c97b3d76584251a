"""Positions in the forms of other programs: read by what a file holds, written by the format's name.

- `text`: our own notation; a comment line `# mines: 99` carries the mine count, one like
  `# continues: left,bottom` tells where the board goes on beyond what is seen. Read as text are also emoji,
  as chats and share buttons write boards, `:one:` names and spoiler bars included, letters for covered tiles,
  and a spreadsheet's cells, separated by tabs, semicolons or commas.
- `jsminesweeper`: the position file of JSMinesweeper: a first line WIDTHxHEIGHTxMINES, then one character a
  tile, H covered, F flagged, ? a mine that is shown. Source of the layout: that program's Board.js.
- `mbf`, `abf`: board files of Minesweeper X, Arbiter and their kin: a byte each for width and height, two for
  the number of mines (high byte first), then column and row of every mine, a byte each. They hold a minefield
  and nothing of a game; it is read as a position with every safe tile opened and a flag on every mine.
- `emoji`, `discord`: the same board for a chat, as emoji or by their names between colons; read as text.
- `jsminesweeper-link`, `llamasweeper-link`: links that hold a position, or a minefield (see `links`).
- `json`: what `--json` prints and the web API answers; read only.

A format is added by an entry in FORMATS: the command line, the API and the page take it from there.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from visionsweeper import links
from visionsweeper.board import (
    COVERED,
    FLAG,
    MAX_TILES,
    SAFE,
    SYMBOLS,
    Board,
    checked_mines,
    going_on,
    sides_from_text,
)
from visionsweeper.errors import InvalidInput
from visionsweeper.game.minefield import Minefield

_BINARY_HEAD: Final = 4
_MOST_ACROSS: Final = 255
_HEADER: Final = re.compile(r"(\d{1,7})\s*[x×]\s*(\d{1,7})\s*[x×]\s*(\d{1,7})", re.ASCII)
_MINES: Final = re.compile(r"#\s*mines\s*[:=]\s*(\S*)", re.ASCII | re.IGNORECASE)
_CONTINUES: Final = re.compile(r"#\s*continues\s*[:=]\s*([a-z, ]+)", re.ASCII | re.IGNORECASE)
_LONGEST_COUNT: Final = 7


@dataclass(frozen=True, eq=False)
class StoredPosition:
    """A board with its mine count."""

    board: Board
    mines: int | None
    """Mines on the whole board; None when the file does not say."""


@dataclass(frozen=True)
class FileFormat:
    """One form in which positions are stored."""

    name: str
    """What the API and the page call it."""
    title: str
    """What it is called for people."""
    suffixes: tuple[str, ...]
    """Endings of such files, lower case, with the dot; the first one is written."""
    holds: Callable[[str], bool] | None
    """Whether a text is in this form; None for binary files."""
    read: Callable[[str], StoredPosition] | Callable[[bytes], StoredPosition]
    write: Callable[[StoredPosition], bytes] | None = None
    """None where it is only read."""
    needs_mines: bool = False
    """Whether the mine count has to be known for writing."""

    @property
    def binary(self) -> bool:
        """Whether such files are bytes, not text."""
        return self.holds is None


def read_position(data: bytes | str, name: str = "") -> StoredPosition:
    """Read the position that a file or a pasted text holds.

    The suffix of `name` tells binary files and JSON; else the content tells the format. Raises InvalidInput.
    """
    if isinstance(data, bytes):
        if name.lower().endswith(_BINARY_SUFFIXES) or _looks_binary(data):
            return _read_minefield(data)
        # PowerShell and Windows' editors write UTF-16.
        wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        try:
            data = data.decode("utf-16" if wide else "utf-8-sig")
        except UnicodeDecodeError:
            raise InvalidInput(
                "this is neither text nor a minefield file: give a board as text, or a .mbf or .abf file"
            ) from None
    text = data.lstrip("\ufeff")
    if name.lower().endswith(".json"):
        return _read_json(text)
    found: StoredPosition = next(one for one in FORMATS if one.holds and one.holds(text)).read(text)  # type: ignore[arg-type]
    return found


def write_position(position: StoredPosition, kind: str) -> bytes:
    """Write the position as a file of that kind. Raises InvalidInput where the format cannot hold it."""
    if position.mines is not None and position.mines >= 10**_LONGEST_COUNT:
        raise InvalidInput(f"a mine count of {len(str(position.mines))} digits is too large")
    write = format_named(kind).write
    if write is None:
        raise InvalidInput(f"files of the kind {kind!r} are read, but not written: choose another kind")
    return write(position)


def format_named(kind: str) -> FileFormat:
    """Return the format of that name. Raises InvalidInput where there is none."""
    for one in FORMATS:
        if one.name == kind:
            return one
    known = ", ".join(one.name for one in FORMATS)
    raise InvalidInput(f"there is no file format {kind[:40]!r}: choose one of {known}")


def minefield_of(board: Board) -> Minefield:
    """Return the minefield that a board tells: its mines are the flags and the mines shown.

    Raises InvalidInput where a tile is covered without a flag, or where a number does not fit them.
    """
    mines = board.flags | board.shown_mines
    if (board.cells == COVERED).any():
        raise InvalidInput(
            "the whole minefield must be known for that: put a flag on every mine and open the rest"
        )
    field = Minefield(mines)
    wrong = np.argwhere(board.numbers & (board.cells != field.numbers))
    if len(wrong):
        row, column = wrong[0]
        raise InvalidInput(f"the number at row {row}, column {column} does not fit the flags around it")
    return field


def _write_text(position: StoredPosition) -> bytes:
    mines = "" if position.mines is None else f"# mines: {position.mines}\n"
    # A first row like 5x1x3 would be taken for another program's head.
    if position.board.continues:
        mines += f"# continues: {','.join(position.board.continues)}\n"
    if not mines and _HEADER.fullmatch(position.board.to_rows()[0]):
        mines = "# a board\n"
    return (mines + str(position.board)).encode()


def _holds_json(text: str) -> bool:
    return text.lstrip(" \r\n\t").startswith("{")


def _read_json(text: str) -> StoredPosition:
    """Read a position as this program's own JSON has it."""
    try:
        found = json.loads(text)
        rows, mines, continues = found["board"], found.get("mines"), found.get("continues", [])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InvalidInput(
            "this JSON holds no board: it needs an object with `board`, a list of rows"
        ) from None
    if not isinstance(rows, list) or not all(isinstance(row, str) for row in rows):
        raise InvalidInput("`board` in this JSON must be a list of rows, each a string")
    return StoredPosition(going_on(Board.from_text("\n".join(rows)), continues), checked_mines(mines))


def _looks_binary(data: bytes) -> bool:
    if len(data) < _BINARY_HEAD or (len(data) - _BINARY_HEAD) % 2:
        return False
    mines = (len(data) - _BINARY_HEAD) // 2
    return data[2] * 256 + data[3] == mines and 0 < data[0] * data[1] >= mines


def _read_minefield(data: bytes) -> StoredPosition:
    if not _looks_binary(data):
        raise InvalidInput(
            "this minefield file is incomplete: its number of mines differs from the one in its header"
        )
    columns, rows = data[0], data[1]
    places = np.frombuffer(data, dtype=np.uint8, offset=_BINARY_HEAD).reshape(-1, 2).astype(np.intp)
    if len(places) and (places[:, 0].max() >= columns or places[:, 1].max() >= rows):
        raise InvalidInput(f"this minefield file has a mine outside its board of {columns}x{rows}")
    mines = np.zeros((rows, columns), dtype=np.bool_)
    mines[places[:, 1], places[:, 0]] = True
    if int(mines.sum()) != len(places):
        raise InvalidInput("this minefield file names a mine twice")
    return _all_known(Minefield(mines))


def _all_known(field: Minefield) -> StoredPosition:
    """Return the position of a minefield with every safe tile opened and a flag on every mine."""
    return StoredPosition(Board(np.where(field.mines, FLAG, field.numbers)), field.count)


def _write_minefield(position: StoredPosition) -> bytes:
    board = position.board
    if max(board.rows, board.columns) > _MOST_ACROSS:
        raise InvalidInput(f"such files hold boards of at most {_MOST_ACROSS}x{_MOST_ACROSS}")
    places = np.argwhere(minefield_of(board).mines)
    head = bytes([board.columns, board.rows, *divmod(len(places), 256)])
    return head + places[:, ::-1].astype(np.uint8).tobytes()


def _write_jsminesweeper(position: StoredPosition) -> bytes:
    if position.mines is None:
        raise InvalidInput("JSMinesweeper's position file needs the mine count: give it")
    if (position.board.cells == SAFE).any():
        raise InvalidInput("JSMinesweeper's position file has no sign for a safe tile without a number")
    signs = np.array([*"012345678HF?"])
    rows = ["".join(row) for row in signs[position.board.cells]]
    head = f"{position.board.columns}x{position.board.rows}x{position.mines}"
    return "\n".join([head, *rows, ""]).encode()


def _lines(text: str) -> list[str]:
    """Split a text; lines that hold no tiles become blank, so that messages count lines as the file does."""
    # Tabs count: an empty cell of a spreadsheet stands between two of them.
    lines = [line.strip(" \r\f\v") for line in text.splitlines()]
    return ["" if line.startswith(("#", "```")) or _is_table_rule(line) else line for line in lines]


def _holds_jsminesweeper(text: str) -> bool:
    lines = [line for line in _lines(text) if line]
    head = _HEADER.fullmatch(lines[0]) if lines else None
    if head is None or any(line.lstrip().startswith("#") for line in text.splitlines()):
        return False
    return not _is_row(lines, int(head[1]), int(head[2]))


def _read_tiles(text: str) -> StoredPosition:
    """Read one character, emoji or cell a tile."""
    told = next((match for line in text.splitlines() if (match := _MINES.match(line.strip()))), None)
    mines = None if told is None else _mine_count(told[1])
    typed = lines = _lines(text)
    if any(ord(character) > 127 or character in "|:" for line in lines for character in line):
        lines = [_without_emoji(line) for line in lines]
    if separator := _separator(lines):
        lines = [line and _joined_cells(line, separator) for line in lines]
    lines = [line.translate(_COVERED_SIGNS) for line in lines]
    for number, (said, line) in enumerate(zip(typed, lines, strict=True), start=1):
        unknown = next((sign for sign in line if not (sign.isspace() or sign in _OUR_SIGNS)), None)
        if unknown is not None:
            raise InvalidInput(
                f"line {number} of the board has an unknown character {unknown!r} in "
                f"{said.strip()[:40]!r}; use 0 to 8 . _ ? F * x"
            )
    board = Board.from_text("\n".join(lines))
    goes_on = next((match for line in text.splitlines() if (match := _CONTINUES.match(line.strip()))), None)
    if goes_on is not None:
        board = replace(board, continues=sides_from_text(goes_on[1]))
    return StoredPosition(board, mines)


def _separator(lines: list[str]) -> str | None:
    """Return what stands between the cells of a spreadsheet; None where there are none."""
    return next((one for one in "\t;," if any(one in line for line in lines)), None)


def _is_row(lines: list[str], columns: int, rows: int) -> bool:
    """Whether a first line like 1x1x1 is a row of tiles, x being no mine, and not a head of what follows."""
    follows = len(lines) > rows and all(len(line) == columns for line in lines[1 : rows + 1])
    alike = bool(re.fullmatch("[0-8x]+", lines[0])) and len({len(line) for line in lines}) == 1
    return alike and not follows


def _is_table_rule(line: str) -> bool:
    """Whether it is the line below the head of a table in Markdown; dashes alone are covered tiles."""
    return "|" in line and "--" in line and set(line) <= set("|:- \t")


def _mine_count(digits: str) -> int:
    """Read a mine count. Raises InvalidInput for all but whole numbers of a few digits."""
    if not (digits.isascii() and digits.isdecimal()):
        raise InvalidInput(f"the mine count must be a whole number, not {digits[:40]!r}")
    if len(digits) > _LONGEST_COUNT:
        raise InvalidInput(f"a mine count of {len(digits)} digits is too large")
    return int(digits)


_OUR_SIGNS: Final = SYMBOLS + "._"

_COVERED_SIGNS: Final = str.maketrans({"H": "?", "h": "?", "-": "?", "f": "F", "M": "*", "X": "x"})


def _read_jsminesweeper(text: str) -> StoredPosition:
    head, *lines = (line for line in _lines(text) if line)
    columns, rows, mines = (int(part) for part in _HEADER.fullmatch(head).groups())  # type: ignore[union-attr]
    if columns * rows > MAX_TILES:
        raise InvalidInput(
            f"a board of {columns}x{rows} is too large: at most {MAX_TILES} tiles are accepted"
        )
    if len(lines) < rows:
        raise InvalidInput(f"the first line says {rows} rows, but {len(lines)} follow")
    signs = str.maketrans({"H": "?", "M": "*", "B": "*", "?": "*", "I": "?", "O": "F"})
    kept = [line[:columns].translate(signs) for line in lines[:rows]]
    board = Board.from_text("\n".join(kept))
    if board.columns != columns:
        raise InvalidInput(f"the first line says {columns} tiles a row, but the rows have {board.columns}")
    return StoredPosition(board, mines)


_NAMES: Final = {name: str(number) for number, name in enumerate(
    ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight")
)} | {"bomb": "*", "boom": "*", "triangular_flag_on_post": "F", "black_large_square": "?",
      "white_large_square": "0", "blue_square": "?", "green_square": "?", "question": "?",
      "x": "x"}  # fmt: skip

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
    """Return a line of emoji, or of their names between colons, in our signs; spoilers are covered tiles."""
    line = _SPOILER.sub("?", line)
    line = _NAMED.sub(lambda found: _NAMES.get(found[1], found[0]), line).translate(_KEYCAP_PARTS)
    return "".join(_PICTURES.get(character, character) for character in line).replace("|", "")


_EMOJI: Final = ("⬜", *(f"{number}\ufe0f\u20e3" for number in range(1, 9)), "🟦", "🚩", "💣", "❌")
_DISCORD: Final = (
    "white_large_square", "one", "two", "three", "four", "five", "six", "seven", "eight",
    "blue_square", "triangular_flag_on_post", "bomb", "x",
)  # fmt: skip
"""Tile code -> emoji, or its name."""


def _write_emoji(position: StoredPosition) -> bytes:
    return "".join("".join(_EMOJI[code] for code in row) + "\n" for row in position.board.cells).encode()


def _write_discord(position: StoredPosition) -> bytes:
    rows = ("".join(f":{_DISCORD[code]}:" for code in row) for row in position.board.cells)
    return "".join(f"{row}\n" for row in rows).encode()


def _read_analysis_link(text: str) -> StoredPosition:
    return StoredPosition(*links.read_analysis(text))


def _write_analysis_link(position: StoredPosition) -> bytes:
    if position.mines is None:
        raise InvalidInput("a link to JSMinesweeper needs the mine count: give it")
    return f"{links.write_analysis(position.board, position.mines)}\n".encode()


def _read_minefield_link(text: str) -> StoredPosition:
    return _all_known(links.read_minefield(text))


def _write_minefield_link(position: StoredPosition) -> bytes:
    return f"{links.write_minefield(minefield_of(position.board))}\n".encode()


def _joined_cells(line: str, separator: str) -> str:
    """Return a line of spreadsheet cells, each one tile: an empty one is opened and blank, -1 covered."""
    signs = []
    for cell in line.split(separator):
        sign = cell.strip().strip('"').removesuffix(".0") or "0"
        sign = "?" if sign == "-1" else sign
        if len(sign) != 1:
            raise InvalidInput(
                f"the cell {cell.strip()[:20]!r} is not a tile: each cell must hold one character"
            )
        signs.append(sign)
    return "".join(signs)


FORMATS: Final[tuple[FileFormat, ...]] = (
    FileFormat("json", "JSON of this program", (".json",), _holds_json, _read_json),
    FileFormat(
        "jsminesweeper",
        "JSMinesweeper",
        (".mine",),
        _holds_jsminesweeper,
        _read_jsminesweeper,
        _write_jsminesweeper,
        needs_mines=True,
    ),
    FileFormat(
        "jsminesweeper-link",
        "JSMinesweeper link",
        (".jsminesweeper.txt",),
        lambda text: "analysis" in links.fields_of(text),
        _read_analysis_link,
        _write_analysis_link,
        needs_mines=True,
    ),
    FileFormat(
        "llamasweeper-link",
        "LlamaSweeper link",
        (".llamasweeper.txt",),
        lambda text: {"b", "m"} <= links.fields_of(text).keys(),
        _read_minefield_link,
        _write_minefield_link,
    ),
    FileFormat("text", "Text", (".txt", ".csv", ".tsv"), lambda text: True, _read_tiles, _write_text),
    FileFormat("emoji", "Emoji", (".emoji.txt",), lambda text: False, _read_tiles, _write_emoji),
    FileFormat("discord", "Discord", (".discord.txt",), lambda text: False, _read_tiles, _write_discord),
    FileFormat("mbf", "Minefield", (".mbf",), None, _read_minefield, _write_minefield),
    FileFormat("abf", "Minefield", (".abf",), None, _read_minefield, _write_minefield),
)
"""All formats; of those that are text, the first that holds a text reads it, and `text` takes the rest."""

SUFFIXES: Final = tuple(suffix for one in FORMATS for suffix in one.suffixes)
"""Endings of the names of all files that are read as positions."""

_BINARY_SUFFIXES: Final = tuple(suffix for one in FORMATS if one.binary for suffix in one.suffixes)
