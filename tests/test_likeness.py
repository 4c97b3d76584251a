"""Groups that are likely of one class: which the network ties together, and what ties do to the naming."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scenes import scene_of
from test_group_net import renumbered

from visionsweeper.board import COVERED, MINE, Board
from visionsweeper.synthetic import draw, random_position
from visionsweeper.synthetic.named_themes import NAMED_THEMES
from visionsweeper.vision.tiles import groups as groups_module
from visionsweeper.vision.tiles.classes import CLASS_NAMES, tiles_of_classes
from visionsweeper.vision.tiles.evidence import first_pass, gather, groups_of
from visionsweeper.vision.tiles.features import FloatArray
from visionsweeper.vision.tiles.groups import Groups
from visionsweeper.vision.tiles.knn import load_model
from visionsweeper.vision.tiles.labelling import name_groups
from visionsweeper.vision.tiles.likeness import Ties, ties_of
from visionsweeper.vision.tiles.search import Search, State


def as_matrix(ties: Ties, count: int) -> FloatArray:
    odds = np.zeros((count, count), np.float32)
    odds[ties.one, ties.other] = odds[ties.other, ties.one] = ties.odds
    return odds


def shaded(name: str) -> tuple[Groups, npt.NDArray[np.uint8]]:
    """The groups of a drawn board whose covered tiles have many shades, and the tile code of each."""
    rng = np.random.default_rng(3)
    theme, labels = NAMED_THEMES[name].make(), random_position(rng, size=(16, 20))
    plain = theme.faces[COVERED].backgrounds[0]
    shades = tuple(replace(plain, colour=(250.0 - 22 * at, 90.0 + 15 * at, 60.0 + 8 * at)) for at in range(9))
    faces = list(theme.faces)
    faces[COVERED] = replace(faces[COVERED], backgrounds=shades)
    drawing = draw(replace(theme, faces=tuple(faces)), labels, rng)
    evidence = gather(drawing.image, drawing.grid, load_model())
    of_tile, tiles = evidence.scene.groups, tiles_of_classes(labels).ravel()
    codes = np.array([np.bincount(tiles[of_tile == group]).argmax() for group in range(1 + of_tile.max())])
    return groups_of(evidence, first_pass(evidence, load_model().context)), codes.astype(np.uint8)


@pytest.mark.parametrize("seed", range(3))
def test_ties_do_not_hang_on_how_groups_are_numbered(seed: int) -> None:
    groups, _ = shaded("classic")
    order = np.random.default_rng(seed).permutation(len(groups.size))
    ties, count = ties_of(groups), len(order)
    assert len(ties.odds) > 3
    assert (ties.odds > 0).all()
    assert (ties.one != ties.other).all()
    np.testing.assert_allclose(
        as_matrix(ties_of(renumbered(groups, order)), count),
        as_matrix(ties, count)[order][:, order],
        atol=1e-2,
    )


def test_of_very_many_groups_the_largest_are_tied(monkeypatch: pytest.MonkeyPatch) -> None:
    groups, _ = shaded("classic")
    monkeypatch.setattr(groups_module, "MOST_KEYS", 8)
    few = ties_of(replace(groups))
    largest = np.argsort(-groups.size, kind="stable")[:8]
    assert len(few.odds) > 0
    assert np.isin(np.concatenate([few.one, few.other]), largest).all()


@pytest.mark.parametrize("name", sorted(NAMED_THEMES))
def test_groups_of_drawn_boards_are_tied_to_their_like(name: str) -> None:
    """Covered tiles of many shades fall into many groups; ties join hardly any two unlike ones."""
    groups, codes = shaded(name)
    ties = ties_of(groups)
    right = codes[ties.one] == codes[ties.other]
    assert right.sum() > 3
    assert right.mean() > 0.85
    kept = ties.only(right)
    assert (codes[kept.one] == codes[kept.other]).all()
    assert len(kept.odds) == right.sum()


def test_a_group_is_named_as_the_one_that_it_is_tied_to() -> None:
    board = Board.from_text("????\n????\n????\n1221")
    groups = np.zeros(16, np.intp)
    groups[[9, 10]] = 1  # covered tiles in another colour, which look rather like mines
    groups[[12, 13, 14, 15]] = [2, 3, 3, 2]
    likelihood = np.full((4, len(CLASS_NAMES)), np.log(0.002), np.float32)
    for group, tile_class in ((0, COVERED), (2, 1), (3, 2)):
        likelihood[group, tile_class] = np.log(0.97)
    likelihood[1, MINE], likelihood[1, COVERED] = np.log(0.7), np.log(0.25)
    scene = scene_of(board, np.exp(likelihood), groups)
    assert name_groups(scene, likelihood).classes.tolist() == [COVERED, MINE, 1, 2]
    # Two tiles that are mines 0.7 to 0.25 are covered if it is likelier than that that they look covered.
    for odds, named in ((0.5, MINE), (1.5, COVERED), (4.0, COVERED)):
        tied = Ties(np.array([0]), np.array([1]), np.array([odds], np.float32))
        assert name_groups(scene, likelihood, tied).classes.tolist() == [COVERED, named, 1, 2]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.booleans())
def test_a_change_costs_what_the_total_says(seed: int, lost: bool) -> None:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 8))
    groups = np.concatenate([np.arange(count), rng.integers(count, size=30 - count)])
    board = Board(np.full((5, 6), COVERED, np.uint8))
    likelihood = np.log(rng.dirichlet(np.ones(len(CLASS_NAMES)), size=count)).astype(np.float32)
    one, other = np.nonzero(np.triu(rng.random((count, count)) < 0.5, 1))
    ties = Ties(one, other, rng.uniform(0.1, 6.0, len(one)).astype(np.float32))
    search = Search(scene_of(board, np.exp(likelihood), groups), likelihood, ties)
    search = search.where_lost() if lost else search
    classes = rng.integers(len(CLASS_NAMES), size=count)
    state, total = State(search, classes), search.total(classes)
    group, tile_class = int(rng.integers(count)), int(rng.integers(len(CLASS_NAMES)))
    changed = classes.copy()
    changed[group] = tile_class
    assert state.change(group, tile_class) == pytest.approx(search.total(changed) - total, abs=1e-5)
