"""Positions in the forms of other programs: read, written, and read again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from visionsweeper.board import Board
from visionsweeper.errors import InvalidInput
from visionsweeper.formats import StoredPosition, minefield_of, read_position, write_position
from visionsweeper.game.minefield import Minefield


@st.composite
def positions(draw: st.DrawFn, signs: str = "012345678?F*x") -> StoredPosition:
    columns, rows = draw(st.integers(1, 12)), draw(st.integers(1, 12))
    row = st.text(st.sampled_from(signs), min_size=columns, max_size=columns)
    text = "\n".join(draw(st.lists(row, min_size=rows, max_size=rows)))
    return StoredPosition(Board.from_text(text), draw(st.none() | st.integers(0, 144)))


@st.composite
def minefields(draw: st.DrawFn) -> Minefield:
    columns, rows = draw(st.integers(1, 40)), draw(st.integers(1, 40))
    mines = draw(st.sets(st.integers(0, columns * rows - 1), max_size=columns * rows))
    field = np.zeros(columns * rows, dtype=np.bool_)
    field[sorted(mines)] = True
    return Minefield(field.reshape(rows, columns))


@given(positions())
def test_our_text_comes_back(position: StoredPosition) -> None:
    again = read_position(write_position(position, "text"))
    assert again.board == position.board
    assert again.mines == position.mines


@given(positions(signs="012345678?F*"), st.integers(0, 999))
def test_jsminesweeper_positions_come_back(position: StoredPosition, mines: int) -> None:
    again = read_position(write_position(StoredPosition(position.board, mines), "jsminesweeper"))
    assert again.board == position.board
    assert again.mines == mines


@given(minefields(), st.sampled_from(["mbf", "abf"]))
def test_minefield_files_come_back(field: Minefield, kind: str) -> None:
    shown = Board(np.where(field.mines, 10, field.numbers))
    data = write_position(StoredPosition(shown, None), kind)
    rows, columns = field.mines.shape
    assert len(data) == 4 + 2 * field.count
    assert (data[0], data[1], data[2] * 256 + data[3]) == (columns, rows, field.count)
    again = read_position(data, f"board.{kind}")
    assert again.mines == field.count
    assert minefield_of(again.board) == field


def test_a_jsminesweeper_file_as_that_program_writes_it() -> None:
    position = read_position("5x3x4\nHH11H\nF2?10\n01110\n")
    assert str(position.board) == "??11?\nF2*10\n01110\n"
    assert position.mines == 4


def test_a_minefield_file_as_other_programs_write_it() -> None:
    # 3 wide, 2 high, 2 mines: column 2 of row 0, column 0 of row 1.
    position = read_position(bytes([3, 2, 0, 2, 2, 0, 0, 1]), "x.mbf")
    assert str(position.board) == "12F\nF21\n"


@pytest.mark.parametrize(
    ("text", "board"),
    [
        ("⬛1️⃣🚩\n⬜2️⃣💣", "?1F\n02*"),
        ("🟦🟦\n1️⃣1️⃣", "??\n11"),
        ("||:one:||||:bomb:||\n:two::zero:", "??\n20"),
        ("1\t\t2\n\t?\tF", "102\n0?F"),
        ("1,,2\n,?,F\n", "102\n0?F"),
        ("H H 1\n- f M", "??1\n?F*"),
        ("```text\n??\n11\n```", "??\n11"),
        ("1x1x1\n?????", "1x1x1\n?????"),
        ("1.0,-1\n-1,2", "1?\n?2"),
        ('{"board": ["??", "11"], "mines": 1}', "??\n11"),
        ("|?|?|\n|---|---|\n|1|1|", "??\n11"),
        ("----\n1221\n----", "????\n1221\n????"),
        ("🚩,1\n1,1", "F1\n11"),
        ("🚩\t\n1\t1", "F0\n11"),
        ("\ufeff? ?\r\n1 1\r\n", "??\n11"),
    ],
)
def test_boards_as_people_paste_them(text: str, board: str) -> None:
    assert read_position(text).board == Board.from_text(board)
    assert read_position(text.encode()).board == Board.from_text(board)


@pytest.mark.parametrize(
    ("data", "name", "said"),
    [
        (b"", "", "holds no board"),
        (b"\x80\x81\x82", "x.txt", "neither text nor a minefield"),
        (bytes([3, 2, 0, 2, 2, 0]), "x.mbf", "minefield file is incomplete"),
        (bytes([3, 2, 0, 1, 3, 0]), "x.mbf", "outside its board of 3x2"),
        (bytes([3, 2, 0, 2, 1, 1, 1, 1]), "x.abf", "names a mine twice"),
        ("30x16x99\n???", "", "says 16 rows, but 1 follow"),
        ("3x1x1\n??", "", "says 3 tiles a row, but the rows have 2"),
        ("999999x999999x1\n?", "", "too large"),
        ("hello", "", "unknown character 'e' in 'hello'"),
        (b"%PDF-1.4\n%\xe2\xe3", "a.pdf", "neither text nor a minefield"),
        ("%PDF-1.4", "", "line 1 of the board has an unknown character '%'"),
        ("# mines: 123456789\n?1", "", "too large"),
        ("# mines: abc\n?1", "", "must be a whole number, not 'abc'"),
        ("# Mines: -3\n?1", "", "must be a whole number, not '-3'"),
        ("# mines = 99x\n?1", "", "must be a whole number, not '99x'"),
        ("# mines:\n?1", "", "must be a whole number, not ''"),
        ("??\n?", "", "has 1 tile, but the first row has 2"),
        ("10,12\n??,?1", "", "each cell must hold one character"),
        ('{"rows": 1}', "", "holds no board"),
        ('{"board": [1]}', "", "must be a list of rows"),
        ('{"board": ["?1"], "mines": "1"}', "", "must be a whole number or null, not '1'"),
        ('{"board": ["?1"], "mines": -1}', "", "must be a whole number or null, not -1"),
        ('{"board": ["?1"], "mines": true}', "", "must be a whole number or null, not True"),
        ("[1,2", "x.json", "holds no board"),
    ],
)
def test_what_is_no_position_is_told(data: bytes | str, name: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        read_position(data, name)


@pytest.mark.parametrize(
    ("board", "mines", "kind", "said"),
    [
        ("??\n11", 1, "mbf", "whole minefield must be known"),
        ("F2\n11", 1, "mbf", "row 0, column 1 does not fit"),
        ("??\n11", None, "jsminesweeper", "needs the mine count"),
        ("x?\n11", 1, "jsminesweeper", "no sign for a safe tile"),
        ("0" * 256, 0, "abf", "at most 255x255"),
    ],
)
def test_what_a_format_cannot_hold_is_told(board: str, mines: int | None, kind: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        write_position(StoredPosition(Board.from_text(board), mines), kind)


def test_a_long_row_of_dashes_is_a_row_of_tiles() -> None:
    # A pattern for rules of tables once tried every way to divide them.
    assert read_position("-" * 5000 + "1").board.columns == 5001


@given(st.binary(max_size=200), st.sampled_from(["", "x.mbf", "x.abf", "x.txt", "x.mine"]))
def test_any_bytes_make_a_position_or_a_clean_error(data: bytes, name: str) -> None:
    told = ""
    try:
        assert read_position(data, name).board.cells.size
    except InvalidInput as error:
        told = str(error)
    assert len(told.splitlines()) <= 1


def test_text_as_windows_writes_it() -> None:
    assert str(read_position("\ufeff??\r\n11\r\n".encode("utf-16-le")).board) == "??\n11\n"


@given(positions(signs="0123x"))
def test_rows_of_numbers_and_x_are_no_head(position: StoredPosition) -> None:
    assert read_position(write_position(position, "text")).board == position.board


@pytest.mark.parametrize("kind", ["emoji", "discord"])
def test_boards_for_chats_come_back(kind: str) -> None:
    board = Board.from_text("012345678\n???FFF*x0\n")
    written = write_position(StoredPosition(board, 9), kind)
    assert read_position(written).board == board
    assert not set(written.decode()) & {"?", "F", "*"}


def test_emoji_are_the_usual_ones() -> None:
    board = Board.from_text("01?F*\n")
    assert write_position(StoredPosition(board, None), "emoji").decode() == "⬜1️⃣🟦🚩💣\n"
    discord = write_position(StoredPosition(board, None), "discord").decode()
    assert discord == ":white_large_square::one::blue_square::triangular_flag_on_post::bomb:\n"


PUBLISHED = (
    "https://llamasweeper.com/#/game/board-editor?b=2&m=0000000000000000220c8014k0pg0i80h30cc01140oo0ii0hh00"
)
"""A link as LlamaSweeper wrote it, from the description of a program for it."""


def test_a_link_to_llamasweeper_as_that_page_writes_it() -> None:
    position = read_position(PUBLISHED)
    assert (position.board.columns, position.board.rows, position.mines) == (16, 16, 39)
    # The last digits, 0hh00, are tiles 235 to 255: of the last row, 240 to 255, those of the bits of hh.
    assert np.flatnonzero(position.board.cells[15] == 10).tolist() == [0, 4, 5, 9]
    assert write_position(position, "llamasweeper-link").decode().strip() == PUBLISHED
    # The same fields are read from the pages that share this form.
    other = PUBLISHED.replace("llamasweeper.com/#/game/board-editor", "example.org/Calculator/")
    assert read_position(other).board == position.board


@given(minefields())
def test_links_to_llamasweeper_come_back(field: Minefield) -> None:
    board = Board(np.where(field.mines, 10, field.numbers).astype(np.uint8))
    link = write_position(StoredPosition(board, field.count), "llamasweeper-link")
    assert minefield_of(read_position(link).board) == field


@pytest.mark.parametrize(
    ("board", "mines", "analysis"),
    [
        # Width, height and mines; a run of one F, of one 1 that the flag makes a 0, of one covered tile.
        ("F1?", 1, "adabaaab" + "2" + "b" + "S"),
        # Twelve covered tiles are a 1 and a 2 to base ten, in the digits of covered tiles.
        ("????????????", 99, "amabaabL" + "ST"),
        # A flag beside a 0 does not count, so nothing is taken off; 7 and 8 have one digit each, repeated.
        ("F0", 0, "acabaaaa" + "9" + "b"),
    ],
)
def test_a_link_to_jsminesweeper_by_its_description(board: str, mines: int, analysis: str) -> None:
    position = StoredPosition(Board.from_text(board), mines)
    link = write_position(position, "jsminesweeper-link").decode().strip()
    assert link == (
        "https://davidnhill.github.io/JSMinesweeper/index.html"
        f"?board={len(board)}x1x{mines}&analysis={analysis}"
    )
    found = read_position(link)
    assert (found.board, found.mines) == (position.board, mines)


def test_a_mine_that_is_known_but_not_flagged_counts_in_links() -> None:
    # I, then a 2 that this makes a 1, then a covered tile.
    link = "https://davidnhill.github.io/JSMinesweeper/?board=3x1x2&analysis=adabaaac" + "O" + "l" + "S"
    assert str(read_position(link).board) == "?2?\n"


@given(positions(), st.integers(0, 10**6))
def test_links_to_jsminesweeper_come_back(position: StoredPosition, mines: int) -> None:
    cells = position.board.cells.copy()
    cells[cells > 10] = 9
    board = Board(cells)
    found = read_position(write_position(StoredPosition(board, mines), "jsminesweeper-link"))
    assert (found.board, found.mines) == (board, mines)


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ("https://example.org/?analysis=adabaaab2b", "cut off"),
        ("https://example.org/?analysis=adab", "cut off"),
        ("https://example.org/?analysis=adabaaab!!!!", "cut off"),
        ("https://example.org/?analysis=99aaaaaaaR", "too large"),
        ("https://example.org/?analysis=acabaaabMO", "above 8"),
        ("https://example.org/?b=2&m=00", "cut off"),
        ("https://example.org/?b=x&m=00", "not a size"),
        ("https://example.org/?b=99999999&m=00", "too large"),
        ("https://example.org/", "unknown character"),
    ],
)
def test_broken_links_are_told(link: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        read_position(link)


@pytest.mark.parametrize("kind", ["text", "jsminesweeper", "jsminesweeper-link"])
def test_a_mine_count_that_would_not_be_read_again_is_not_written(kind: str) -> None:
    for mines in (10**7, 10**400):
        position = read_position(f'{{"board": ["?1"], "mines": {mines}}}')
        with pytest.raises(InvalidInput, match="digits is too large"):
            write_position(position, kind)
