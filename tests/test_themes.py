"""Drawn boards: reproducible, legal, and exactly where the grid says."""

from __future__ import annotations

import shutil
from dataclasses import replace

import numpy as np
import pytest
from paces import mostly_slow

from visionsweeper.board import COVERED, FLAG, MINE
from visionsweeper.errors import InvalidInput
from visionsweeper.synthetic import (
    Degradation,
    FontSource,
    draw,
    find_fonts,
    random_game,
    random_position,
    random_theme,
)
from visionsweeper.synthetic.emoji import emoji_faces
from visionsweeper.synthetic.fonts import SYSTEM_FOLDERS
from visionsweeper.synthetic.named_themes import NAMED_THEMES
from visionsweeper.synthetic.theme import Icon, Text
from visionsweeper.vision.tiles.classes import CLASS_COUNT, EXPLODED, QUESTION, WRONG_FLAG


@pytest.fixture(scope="module")
def fonts() -> list[FontSource]:
    """The built-in shapes alone, so that the tests don't depend on the machine."""
    return find_fonts([])


def plain(theme):
    """The theme without what makes tiles of a kind differ on purpose."""
    faces = tuple(replace(face, backgrounds=face.backgrounds[:1]) for face in theme.faces)
    return replace(
        theme, faces=faces, hint=(), frontier=0.0, cursor=0.0, lit="", coordinates=None, veil=None,
        uneven=0.0, degradation=Degradation(),
        checker_opened=0.0, checker_covered=0.0,
    )  # fmt: skip


def around(mask, row, column):
    return int(mask[max(row - 1, 0) : row + 2, max(column - 1, 0) : column + 2].sum() - mask[row, column])


@pytest.mark.parametrize("seed", mostly_slow(range(60), fast=15))
def test_positions_are_legal(seed):
    game = random_game(np.random.default_rng(seed), rare=0.3)
    labels, mines = game.labels, game.mines
    assert labels.dtype == np.uint8
    assert labels.shape == mines.shape
    assert int(labels.max()) < CLASS_COUNT
    covered = np.isin(labels, (COVERED, FLAG, QUESTION))
    for row, column in np.ndindex(labels.shape):
        tile_class = labels[row, column]
        if tile_class <= 8:
            assert not mines[row, column]
            assert tile_class == around(mines, row, column)
            if tile_class == 0:
                assert around(covered | mines, row, column) == 0
        elif tile_class in (MINE, EXPLODED):
            assert mines[row, column]
        elif tile_class == WRONG_FLAG:
            assert not mines[row, column]


@pytest.mark.slow
def test_positions_have_every_class_and_many_sizes():
    rng = np.random.default_rng(3)
    seen = np.zeros(CLASS_COUNT, dtype=int)
    sizes = set()
    for _ in range(400):
        labels = random_position(rng, rare=0.5)
        sizes.add(labels.shape)
        seen += np.bincount(labels.ravel(), minlength=CLASS_COUNT)
    assert (seen > 0).all()
    assert len(sizes) > 50
    assert min(min(size) for size in sizes) >= 5
    assert max(size[0] for size in sizes) <= 24
    assert max(size[1] for size in sizes) <= 30


def test_position_of_a_given_size():
    assert random_position(np.random.default_rng(0), size=(7, 11)).shape == (7, 11)


def test_same_seed_same_picture_and_other_seed_another(fonts):
    def picture(seed):
        rng = np.random.default_rng(seed)
        return draw(random_theme(rng, fonts), random_position(rng, size=(9, 9)), rng)

    first, again, other = picture(5), picture(5), picture(6)
    assert np.array_equal(first.image, again.image)
    assert np.array_equal(first.grid.x, again.grid.x)
    assert first.image.shape != other.image.shape or not np.array_equal(first.image, other.image)


@pytest.mark.parametrize("seed", mostly_slow(range(40), fast=6))
def test_picture_and_grid_agree(fonts, seed):
    rng = np.random.default_rng(seed)
    theme = random_theme(rng, fonts)
    labels = random_position(rng, size=(6, 13))
    drawing = draw(theme, labels, rng)
    height, width, channels = drawing.image.shape
    assert drawing.image.dtype == np.uint8
    assert channels == 3
    assert (drawing.grid.rows, drawing.grid.columns) == labels.shape
    assert drawing.grid.box == pytest.approx((0, 0, width, height))
    assert drawing.grid.pitch_x == pytest.approx(theme.pitch[0], abs=0.1)
    assert drawing.grid.pitch_y == pytest.approx(theme.pitch[1], abs=0.1)
    if not theme.uneven:
        assert np.diff(drawing.grid.x).std() < 1.0


@pytest.mark.parametrize("seed", mostly_slow(range(40), fast=6))
def test_changing_one_tile_changes_the_picture_inside_its_edges_only(fonts, seed):
    rng = np.random.default_rng(seed)
    theme = plain(random_theme(rng, fonts))
    labels = np.full((5, 6), COVERED, dtype=np.uint8)
    changed = labels.copy()
    changed[2, 3] = 5
    before = draw(theme, labels, np.random.default_rng(1))
    after = draw(theme, changed, np.random.default_rng(1))
    rows, columns = np.nonzero((before.image != after.image).any(axis=2))
    x0, y0, x1, y1 = after.grid.tile_box(2, 3)
    # Resizing spreads an edge over a pixel or two of the smaller scale.
    spread = 1.0 if not theme.canvas_pitch else 1 + 2 * max(1.0, theme.pitch[0] / theme.canvas_pitch)
    assert len(rows) > 0
    assert columns.min() >= x0 - spread
    assert columns.max() < x1 + spread
    assert rows.min() >= y0 - spread
    assert rows.max() < y1 + spread


@pytest.mark.parametrize("seed", mostly_slow(range(30), fast=5))
def test_tiles_of_a_kind_are_alike(fonts, seed):
    rng = np.random.default_rng(seed)
    theme = replace(plain(random_theme(rng, fonts)), pitch=(32.0, 32.0), canvas_pitch=0)
    labels = rng.integers(0, CLASS_COUNT, size=(8, 9)).astype(np.uint8)
    image = draw(theme, labels, rng).image
    tiles = image.reshape(8, 32, 9, 32, 3).swapaxes(1, 2)
    for tile_class in range(CLASS_COUNT):
        kind = tiles[labels == tile_class]
        assert (kind == kind[:1]).all()


@pytest.mark.parametrize("seed", mostly_slow(range(60), fast=10))
def test_tile_classes_can_be_told_apart(fonts, seed):
    rng = np.random.default_rng([seed, 9])
    theme = plain(random_theme(rng, fonts))
    labels = np.arange(CLASS_COUNT, dtype=np.uint8)[None, :]
    drawing = draw(theme, labels, rng)
    edges = np.round(drawing.grid.x).astype(int)
    wide = int(np.diff(edges).min())
    tiles = np.stack([drawing.image[:, x : x + wide].astype(float) for x in edges[:-1]])
    for a in range(COVERED):
        for b in (*range(a), COVERED):
            assert abs(tiles[a] - tiles[b]).max() > 4, (a, b)
    for icon in (FLAG, MINE):
        assert abs(tiles[icon] - tiles[COVERED]).max() > 12
        assert abs(tiles[icon] - tiles[0]).max() > 12


@pytest.mark.parametrize("lit", ["reversed", "tinted", "inked"])
def test_a_lit_tile_is_one_tile_in_other_colours(lit):
    labels = np.full((5, 6), COVERED, np.uint8)
    theme = plain(NAMED_THEMES["classic"].make())
    before = draw(theme, labels, np.random.default_rng(2))
    after = draw(replace(theme, lit=lit, cursor_colour=(250, 200, 0)), labels, np.random.default_rng(2))
    changed = np.argwhere((before.image != after.image).any(axis=2))
    tile = np.diff(before.grid.x).max()
    top, left = changed.min(axis=0) // tile
    bottom, right = changed.max(axis=0) // tile
    assert (top, left) == (bottom, right)
    assert len(changed) > 0.9 * tile * tile


def test_coordinates_are_printed_on_covered_tiles_and_differ():
    labels = np.full((3, 4), COVERED, np.uint8)
    labels[1, 1] = 0
    theme = plain(NAMED_THEMES["classic"].make())
    text = Text("A1", FontSource("pillow", "built-in pillow"), (0, 0, 0), 0.3)
    drawing = draw(replace(theme, coordinates=text), labels, np.random.default_rng(2))
    bare = draw(theme, labels, np.random.default_rng(2))
    x, y = drawing.grid.x.round().astype(int), drawing.grid.y.round().astype(int)

    def tile(image, r, c):
        return image[y[r] : y[r + 1], x[c] : x[c + 1]]

    np.testing.assert_array_equal(tile(drawing.image, 1, 1), tile(bare.image, 1, 1))
    seen = {
        tile(drawing.image, r, c).tobytes() for r in range(3) for c in range(4) if labels[r, c] == COVERED
    }
    assert len(seen) == 11


def test_unknown_codes_and_empty_boards_are_refused(fonts):
    rng = np.random.default_rng(0)
    theme = random_theme(rng, fonts)
    for labels in (np.zeros((0, 3)), np.zeros(4), np.full((2, 2), CLASS_COUNT)):
        with pytest.raises(InvalidInput, match="tile classes"):
            draw(theme, labels.astype(np.uint8), rng)


def test_built_in_shapes_draw_digits_that_differ(fonts):
    assert len(fonts) >= 8
    assert all(font.path is None for font in fonts)
    for font in fonts:
        drawn = np.stack([font.alpha(str(d), 40, 40, 26.0) for d in range(9)])
        assert drawn.shape == (9, 40, 40)
        assert drawn.min() >= 0
        assert drawn.max() <= 1
        ink = drawn.sum(axis=(1, 2))
        assert (ink > 15).all()
        for a in range(9):
            for b in range(a):
                assert abs(drawn[a] - drawn[b]).sum() > 8, (font.name, a, b)


def test_font_files_come_in_a_fixed_order_without_copies(tmp_path):
    paths = sorted(
        path for folder in SYSTEM_FOLDERS if folder.is_dir() for path in folder.rglob("*Sans*.ttf")
    )
    if not paths:
        pytest.skip("no font files on this machine")
    for index, path in enumerate(paths[:4]):
        shutil.copy(path, tmp_path / f"font{index}.ttf")
        shutil.copy(path, tmp_path / f"copy{index}.ttf")
    found = [font for font in find_fonts([tmp_path]) if font.path]
    assert found == [font for font in find_fonts([tmp_path]) if font.path]
    assert len(found) <= 4
    assert all(font.name.startswith("copy") for font in found)
    for font in found:
        assert font.alpha("4", 40, 40, 26.0).sum() > 15


def test_files_that_are_no_fonts_are_skipped(tmp_path):
    (tmp_path / "broken.ttf").write_bytes(b"no font" * 500)
    assert all(font.path is None for font in find_fonts([tmp_path]))


@pytest.fixture(scope="module")
def colour_font():
    found = [f for f in find_fonts([folder for folder in SYSTEM_FOLDERS if folder.is_dir()]) if f.colour]
    if not found:
        pytest.skip("no font of pictures in colour is installed (Debian: fonts-noto-color-emoji)")
    return found[:1]


@pytest.mark.slow
def test_a_font_of_pictures_gives_pictures_in_colour_but_no_letters(fonts, colour_font):
    assert not colour_font[0].has_letters
    pictured = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        drawn = emoji_faces(rng, [*fonts, *colour_font], fonts[0], 40.0)
        assert drawn is not None
        faces, _ = drawn
        assert len(faces) == CLASS_COUNT
        picture = faces[COVERED].layers[0]
        assert isinstance(picture, Icon)
        art = picture.art
        pictured += int(np.ptp(art[..., :3].astype(int), axis=2).max() > 20)
        assert art[..., 3].max() == 255
    assert pictured > 15  # white and black squares have no colour of their own


def test_without_a_font_of_pictures_no_board_is_made_of_emoji(fonts):
    assert emoji_faces(np.random.default_rng(1), fonts, fonts[0], 40.0) is None
