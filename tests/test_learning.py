"""Learned themes: what is taught is read, what is not taught is left alone, and every step can be undone."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest
from paces import mostly_slow

from visionsweeper import Board, read_board
from visionsweeper.board import COVERED, FLAG
from visionsweeper.errors import BadModel, InvalidInput, NothingToUndo
from visionsweeper.geometry import Grid
from visionsweeper.io.images import save_image
from visionsweeper.learning.group_sheet import board_from_groups, board_of, cards_of, groups_text
from visionsweeper.learning.learn import LabelledShot, labelled_shot, learn
from visionsweeper.options import ReadOptions
from visionsweeper.synthetic import draw
from visionsweeper.synthetic.named_themes import NAMED_THEMES
from visionsweeper.vision.cutting import cut_tiles
from visionsweeper.vision.debug import write_stages
from visionsweeper.vision.reading import read
from visionsweeper.vision.themes import store
from visionsweeper.vision.themes.label_check import contradictions, theme_of_shot
from visionsweeper.vision.themes.theme import LearnedTheme, extended, load_theme, make_theme, theme_bytes
from visionsweeper.vision.tiles.classes import CLASS_NAMES
from visionsweeper.vision.tiles.knn import load_model


def game(seed: int, rows: int = 9, columns: int = 11) -> Board:
    """A board in play: all blanks and their numbers opened, most mines beside them flagged."""
    rng = np.random.default_rng(seed)
    mines = np.pad(rng.random((rows, columns)) < 0.16, 1)
    count = sum(
        np.roll(mines, (y, x), (0, 1)).astype(int) for y in (-1, 0, 1) for x in (-1, 0, 1) if (y, x) != (0, 0)
    )
    blank = (count == 0) & ~mines
    blank[[0, -1]] = blank[:, [0, -1]] = False
    opened = np.any([np.roll(blank, (y, x), (0, 1)) for y in (-1, 0, 1) for x in (-1, 0, 1)], axis=0)
    beside = np.any([np.roll(opened, (y, x), (0, 1)) for y in (-1, 0, 1) for x in (-1, 0, 1)], axis=0)
    cells = np.where(opened, count, COVERED)
    cells[mines & beside & (rng.random(mines.shape) < 0.8)] = FLAG
    return Board(cells[1:-1, 1:-1].astype(np.uint8))


LESSON, OTHER = game(3), game(8)


def picture(look: str, board: Board) -> tuple[np.ndarray, Grid]:
    drawing = draw(NAMED_THEMES[look].make(), board.cells, np.random.default_rng(5))
    return drawing.image, drawing.grid


def theme(look: str, board: Board = LESSON) -> LearnedTheme:
    image, grid = picture(look, board)
    return theme_of_shot(image, grid, board, load_model(), look, {"file": "drawn"})


def labelled(look: str, board: Board) -> LabelledShot:
    image = picture(look, board)[0]
    return labelled_shot(f"{look}.png", image, board, ReadOptions(width=board.columns, height=board.rows))


@pytest.fixture
def shot(tmp_path: Path) -> Path:
    """A labelled shot in a folder of its own."""
    save_image(tmp_path / "shot.png", picture("candy", LESSON)[0])
    (tmp_path / "shot.txt").write_text(str(LESSON))
    return tmp_path / "shot.png"


@pytest.mark.parametrize("look", mostly_slow(["candy", "checker", "neon"], fast=1))
def test_what_was_taught_is_recalled_elsewhere_without_an_error(look):
    reading = read_board(picture(look, OTHER)[0], OTHER.columns, OTHER.rows, themes=[theme(look)])
    assert reading.theme == look
    assert reading.board == OTHER
    assert not reading.uncertain.any()


@pytest.mark.parametrize("factor", mostly_slow([0.6, 1.4], fast=1))
def test_what_was_taught_is_recalled_in_another_size(factor):
    image, grid = picture("candy", OTHER)
    other = cv2.resize(image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    reading = read(np.asarray(other, np.uint8), grid.scaled(factor, factor), load_model(), [theme("candy")])
    assert reading.theme == "candy"
    assert reading.board == OTHER


def test_a_cut_that_is_off_is_put_up_with():
    image, grid = picture("candy", OTHER)
    off = Grid(grid.x + 0.1 * grid.pitch_x, grid.y - 0.08 * grid.pitch_y)
    reading = read(image, off, load_model(), [theme("candy")])
    assert reading.theme == "candy"
    assert reading.board == OTHER


def test_a_theme_vouches_only_for_what_it_has_seen():
    image, grid = picture("candy", LESSON)
    taught = theme_of_shot(image, grid, LESSON, load_model(), "candy", {})
    fewer = make_theme("candy", taught.tiles[taught.classes != 2], taught.classes[taught.classes != 2], {})
    known = read(image, grid, load_model(), [fewer])
    plain = read(image, grid, load_model())
    twos = LESSON.cells == 2
    assert twos.any()
    assert known.theme == "candy"
    assert (known.board.cells == LESSON.cells)[~twos].all()
    # Of a digit that was not taught it makes nobody surer, and takes it for no digit that was.
    assert (known.confidence[twos] <= plain.confidence[twos] + 1e-9).all()
    wrong = twos & (known.board.cells != 2)
    assert known.uncertain[wrong].all()


@pytest.mark.slow
def test_a_shot_without_an_opened_blank_harms_no_other():
    """One such shot made five others of its game read worse, and surely so."""
    board = LESSON.cells.copy()
    board[board == 0] = COVERED
    fewer = Board(board)
    image, grid = picture("candy", fewer)
    taught = theme_of_shot(image, grid, fewer, load_model(), "candy", {})
    assert 0 not in taught.classes
    shot = picture("candy", OTHER)[0]
    before = read_board(shot, OTHER.columns, OTHER.rows, themes=())
    after = read_board(shot, OTHER.columns, OTHER.rows, themes=[taught])
    right = before.board.cells == OTHER.cells
    assert (after.board.cells == OTHER.cells)[right & ~before.uncertain].all()


@pytest.mark.parametrize("look", mostly_slow(["classic", "dark", "paper"], fast=1))
def test_another_theme_is_read_as_before(look):
    image, _ = picture(look, OTHER)
    plain = read_board(image, OTHER.columns, OTHER.rows, themes=())
    beside = read_board(image, OTHER.columns, OTHER.rows, themes=[theme("candy"), theme("neon")])
    assert beside.board == plain.board
    assert np.array_equal(beside.confidence, plain.confidence)


@pytest.mark.slow
def test_the_debug_folder_tells_of_the_run_with_the_learned_theme(tmp_path):
    """It showed another run, without the themes: groups that the reading has not, votes it never had."""
    image, _ = picture("candy", OTHER)
    reading = read_board(image, OTHER.columns, OTHER.rows, themes=[theme("candy")])
    assert reading.theme == "candy"
    write_stages(tmp_path, reading, load_model(None))
    lines = (tmp_path / "4-nearest.txt").read_text().splitlines()
    assert any("learned theme candy" in line for line in lines)
    told = {int(line.split()[0]): line for line in lines if line.split()[0].isdigit()}
    assert told.keys() == set(np.unique(reading.groups).tolist())
    for group, line in told.items():
        look = int(reading.classes[reading.groups == group][0])
        # Every tile is taught: its exemplars have the most say.
        assert line.split("  ")[-1].lstrip().startswith(f"{CLASS_NAMES[look]} "), line


def test_a_slip_of_the_truth_is_named():
    image, grid = picture("candy", LESSON)
    cells = LESSON.cells.copy()
    place = tuple(np.argwhere(cells == 1)[4].tolist())
    cells[place] = 2
    slips, _ = contradictions(image, grid, Board(cells))
    assert [(slip.tile, slip.label, slip.other) for slip in slips] == [(place, 2, 1)]
    assert contradictions(image, grid, LESSON) == ([], [])


def test_a_second_shot_extends_and_nothing_is_written_by_reading(own_data_directory):
    read_board(picture("classic", OTHER)[0], OTHER.columns, OTHER.rows)
    assert not own_data_directory.exists()
    one, two = theme("candy"), theme("candy", OTHER)
    both = extended(one, "candy", two)
    assert len(both.tiles) == len(one.tiles) + len(two.tiles)
    assert len(both.record["sources"]) == 2


def test_history_undo_redo(own_data_directory):
    first, second = theme("candy"), extended(theme("candy"), "candy", theme("candy", OTHER))
    store.keep_theme(first)
    store.keep_theme(second)
    path = store.theme_path("candy")

    def stored() -> int:
        return len(load_theme(path).tiles)

    assert stored() == len(second.tiles)
    assert store.undo("candy").name == "candy"
    assert stored() == len(first.tiles)
    store.undo()
    assert not path.exists()
    with pytest.raises(NothingToUndo, match="nothing to undo"):
        store.undo()
    store.redo()
    assert stored() == len(first.tiles)
    store.redo("candy")
    assert stored() == len(second.tiles)
    with pytest.raises(NothingToUndo, match="nothing to redo"):
        store.redo()
    assert store.remove("candy") == "theme"
    assert not store.user_themes()
    store.undo()
    assert stored() == len(second.tiles)
    # What was undone and then overtaken is kept, but no longer done again.
    store.undo()
    store.keep_theme(first)
    with pytest.raises(NothingToUndo, match="nothing to redo"):
        store.redo()
    assert len(store.steps()) == 4
    assert len(list((own_data_directory / "history").glob("*/after.npz"))) == 3


@pytest.mark.parametrize("name", ["", "../evil", "a/b", ".hidden", "con", "x" * 80, "a\nb", "dot."])
def test_names_that_are_none(name):
    with pytest.raises(InvalidInput, match="cannot be a name"):
        store.theme_path(name)


@cache
def bad_files() -> dict[str, bytes]:
    def archive(**arrays: np.ndarray) -> bytes:
        buffer = io.BytesIO()
        np.savez(buffer, **arrays)  # type: ignore[arg-type]
        return buffer.getvalue()

    def record(data: object) -> np.ndarray:
        return np.frombuffer(json.dumps(data).encode(), dtype=np.uint8)

    good = record({"format_version": 1, "sources": []})
    tile, look = np.zeros((1, 32, 32, 3), np.uint8), np.zeros(1, np.uint8)
    pickled = io.BytesIO()
    np.savez(pickled, allow_pickle=True, tiles=np.array([{}], dtype=object), looks=look, record=good)
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("tiles.npy", bytes(64 * 1024 * 1024))
    return {
        "empty": b"",
        "text": b"not a theme",
        "pickle": pickled.getvalue(),
        "bomb": bomb.getvalue(),
        "no tiles": archive(looks=look, record=good),
        "shape": archive(tiles=tile[0], looks=look, record=good),
        "look": archive(tiles=tile, looks=look + 200, record=good),
        "version": archive(tiles=tile, looks=look, record=record({"format_version": 9, "sources": []})),
        "record": archive(tiles=tile, looks=look, record=record([1])),
        "sources": archive(tiles=tile, looks=look, record=record({"format_version": 1, "sources": [3]})),
        "cut": archive(tiles=tile, looks=look, record=good)[:-40],
    }


@pytest.mark.parametrize("kind", bad_files())
def test_hostile_files_are_refused(tmp_path, kind):
    path = tmp_path / "theme.npz"
    path.write_bytes(bad_files()[kind])
    with pytest.raises(BadModel, match="theme"):
        load_theme(path)


def test_themes_of_the_first_format_are_read(tmp_path):
    now = theme("candy")
    record = {"format_version": 1, "sources": [{"file": "old.png"}]}
    np.savez(
        tmp_path / "old.npz",
        tiles=now.tiles,
        looks=now.classes,
        record=np.frombuffer(json.dumps(record).encode(), dtype=np.uint8),
    )
    old = load_theme(tmp_path / "old.npz")
    assert old.shots == ()
    image = picture("candy", OTHER)[0]
    assert read_board(image, OTHER.columns, OTHER.rows, themes=[old]).board == OTHER
    again = extended(old, "old", now)
    (tmp_path / "old.npz").write_bytes(theme_bytes(again))
    assert len(load_theme(tmp_path / "old.npz").shots) == 1


def test_the_shots_of_a_theme_are_kept_as_they_are(tmp_path):
    image, grid = picture("candy", LESSON)
    (tmp_path / "candy.npz").write_bytes(theme_bytes(theme("candy")))
    [shot] = load_theme(tmp_path / "candy.npz").shots
    pixels, edges, board = shot.board()
    assert board == LESSON
    assert np.array_equal(cut_tiles(pixels, edges), cut_tiles(image, grid))


@pytest.mark.slow
def test_a_shot_that_makes_a_labelled_one_worse_is_refused(own_data_directory, monkeypatch):
    first = labelled("candy", LESSON)
    learn([first], "candy")
    stored = store.theme_path("candy").read_bytes()
    real = theme("candy", OTHER)
    classes = np.choose(real.classes == 1, [real.classes, 2])
    classes[real.classes == 2] = 1
    # Exemplars of the same look under wrong names, ten times as many as there are right ones.
    spoilt = make_theme("candy", np.repeat(real.tiles, 10, axis=0), np.repeat(classes, 10), {"file": "x"})
    monkeypatch.setattr("visionsweeper.learning.learn.theme_of_shot", lambda *_: spoilt)
    monkeypatch.setattr(
        "visionsweeper.learning.learn.extended", lambda theme, *_: replace(spoilt, shots=theme.shots)
    )
    with pytest.raises(InvalidInput, match=r"candy\.png would be read worse"):
        learn([labelled("candy", OTHER)], "candy")
    assert store.theme_path("candy").read_bytes() == stored


def test_a_theme_survives_its_file(tmp_path):
    before = theme("candy")
    (tmp_path / "candy.npz").write_bytes(theme_bytes(before))
    after = load_theme(tmp_path / "candy.npz")
    assert np.array_equal(after.tiles, before.tiles)
    assert np.array_equal(after.classes, before.classes)
    assert after.record["sources"] == before.record["sources"]


def test_groups_are_few_and_come_back_from_their_file():
    image, _ = picture("classic", LESSON)
    reading = read_board(image, LESSON.columns, LESSON.rows)
    cards = cards_of(reading)
    assert len(cards) <= 15
    assert sorted(np.concatenate([card.tiles for card in cards]).tolist()) == list(range(LESSON.cells.size))
    text = groups_text("shot.png", cards, LESSON.rows, LESSON.columns)
    assert board_from_groups(text) == reading.board
    changed = board_of(cards, {1: 8}, LESSON.rows, LESSON.columns)
    assert (changed.cells.ravel()[cards[0].tiles] == 8).all()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 = 9\nmap 1 1\n", "line 1"),
        ("1 = 2\n1 = 3\nmap 1\n", "second time"),
        ("1 = 2\n", "lost its map"),
        ("1 = 2\nmap 1 2\n", "group 2 has no line"),
        ("1 = 2\nmap 1 x\n", "not a row of the map"),
        ("1 = 2\nmap 1 1\nmap 1\n", "lost its map"),
    ],
)
def test_groups_files_that_are_damaged(text, message):
    with pytest.raises(InvalidInput, match=message):
        board_from_groups(text)


@pytest.mark.slow
@pytest.mark.filterwarnings("default::visionsweeper.errors.DamagedTheme")
def test_learn_command(run, shot, own_data_directory):
    learned = run("learn", shot)
    assert learned.status == 0
    assert "now read without an error" in learned.out
    listed = json.loads(run("models", "--json").out)
    assert [each["name"] for each in listed["items"]] == ["standard", "shot"]
    assert "shot.png" in run("models").out
    assert "shot.png" in run("models", "show", "shot").out
    again = run("learn", shot)
    assert "extended" in again.out  # the same look: no second theme
    assert run("learn", "--undo").status == 0
    assert run("models", "remove", "shot").status == 0
    assert run("models", "remove", "shot").status == 7
    assert run("learn", "--undo", "shot").status == 0
    parsed = run("parse", shot, "--width", "11", "--text")
    assert Board.from_text(parsed.out) == LESSON
    store.theme_path("shot").write_bytes(b"damaged")
    broken = run("parse", shot, "--width", "11", "--text")
    assert broken.status == 0
    assert "models remove shot" in broken.err
    assert len(broken.complaints) == 1
    assert run("parse", shot, "--width", "11", "--text", "--no-learned").err == ""


def test_the_board_text_tells_the_size():
    taller = Board(np.vstack([np.full((1, LESSON.columns), COVERED, np.uint8), LESSON.cells]))
    image, grid = picture("candy", taller)
    assert labelled_shot("shot", image, None).truth.rows == taller.rows
    found = labelled_shot("shot", image, LESSON).reading.grid
    np.testing.assert_allclose(found.y, grid.y[1:], atol=1.5)


@pytest.mark.slow
def test_learn_by_groups(run, shot):
    shot.with_suffix(".txt").unlink()
    folder = shot.parent / "sheet"
    written = run("learn", shot, "--width", 11, "--sheet", folder)
    assert written.status == 0
    assert (folder / "groups.png").exists()
    assert run("learn", shot, "--width", 11, "--sheet", folder).status == 6  # corrections are not overwritten
    learned = run("learn", shot, "--width", 11, "--groups", folder / "groups.txt", "--name", "sweets")
    assert learned.status == 0
    assert learned.out.startswith("sweets: learned")


def test_learn_refuses(run, shot, own_data_directory):
    text = shot.with_suffix(".txt")
    rows = LESSON.to_rows()
    text.write_text("\n".join(rows[:-1]))
    other_size = run("learn", shot, "--width", 11)
    assert other_size.status == 3
    assert "11x9" in other_size.err
    assert "11x8" in other_size.err
    text.write_text(str(LESSON).replace("0", "1", 1))
    slip = run("learn", shot, "--width", 11)
    assert slip.status == 3
    assert "may be wrong" in slip.err
    assert run("learn").status == 2
    assert run("learn", shot, "--undo").status == 2
    assert run("learn", shot, "--name", "../x").status == 3
    assert run("learn", "--undo").status == 2
    assert not own_data_directory.exists()


def test_learn_refuses_a_truth_whose_numbers_cannot_hold(run, shot, own_data_directory):
    board = LESSON.cells.copy()
    board[board == 1] = 8
    shot.with_suffix(".txt").write_text(str(Board(board)))
    outcome = run("learn", shot, "--width", 11)
    assert (outcome.status, len(outcome.complaints)) == (3, 1)
    assert "contradict each other" in outcome.err
    assert not own_data_directory.exists()


@pytest.mark.parametrize("extra", [["--name", "a"], ["--width", "11"], ["shot.png"], ["--redo", "a"]])
def test_undo_stands_alone(run, extra):
    outcome = run("learn", "--undo", "a", *extra)
    assert (outcome.status, len(outcome.complaints)) == (2, 1)
    assert "take nothing but the name of a theme" in outcome.err


def test_several_shots_without_their_truth_are_refused(run, shot):
    shot.with_suffix(".txt").unlink(missing_ok=True)
    outcome = run("learn", shot, shot)
    assert (outcome.status, len(outcome.complaints)) == (3, 1)
    assert "shot.txt" in outcome.err


@pytest.mark.slow
def test_groups_are_asked_in_a_terminal_and_answers_taken_back(run, shot, monkeypatch):
    shot.with_suffix(".txt").unlink()
    monkeypatch.setattr("visionsweeper.cli.learn._at_terminal", lambda: True)
    outcome = run("learn", shot, "--name", "own", stdin=b"q\n8\n<\n" + b"\n" * 60)
    assert outcome.status == 0
    assert "own: learned" in outcome.out
    assert "'q' is not a tile" in outcome.err
    assert outcome.out.count("guess: ") >= 3
    assert store.theme_path("own").is_file()
    assert run("learn", shot, "--name", "half", stdin=b"\n").status == 130
    assert not store.theme_path("half").exists()
