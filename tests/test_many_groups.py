"""Boards on which no tile is like another: they are worked on in parts, and memory stays bounded."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from scenes import scene_of

from visionsweeper import read_board
from visionsweeper.board import COVERED, FLAG, MINE, Board
from visionsweeper.vision.tiles import knn, pixels, relations
from visionsweeper.vision.tiles.classes import CLASS_NAMES, QUESTION
from visionsweeper.vision.tiles.context import CONTEXT_FEATURES, Scene
from visionsweeper.vision.tiles.relations import RELATION_FEATURES, relation_features


def some_scene(side: int, count: int, seed: int) -> Scene:
    """A board of random tiles in so many groups."""
    rng = np.random.default_rng(seed)
    n = side * side
    groups = rng.permutation(np.concatenate([np.arange(count), rng.integers(count, size=n - count)]))
    board = Board(np.full((side, side), COVERED, np.uint8))
    scene = scene_of(board, rng.dirichlet(np.ones(len(CLASS_NAMES)), count), groups)
    return replace(
        scene,
        vectors=rng.normal(0, 0.3, (n, 722)).astype(np.float32),
        background=rng.normal(50, 10, (n, 3)).astype(np.float32),
    )


def relations_of(scene: Scene, classes: np.ndarray) -> np.ndarray:
    count = len(classes)
    context, distance = np.zeros((count, CONTEXT_FEATURES), np.float32), np.zeros(count, np.float32)
    return relation_features(scene, context, distance, np.log(scene.probability), classes)


def test_work_in_parts_gives_the_same_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    noise = np.random.default_rng(1).integers(0, 256, (9 * 16, 9 * 16, 3), dtype=np.uint8)
    whole = read_board(noise, 9, 9, (0, 0, 144, 144), themes=())
    assert whole.groups.max() > 60
    monkeypatch.setattr(relations, "_ROWS_AT_ONCE", 7)
    monkeypatch.setattr(pixels, "_MEANS_AT_ONCE", 7)
    monkeypatch.setattr(knn, "_AT_ONCE", 7)
    parts = read_board(noise, 9, 9, (0, 0, 144, 144), themes=())
    np.testing.assert_array_equal(parts.board.cells, whole.board.cells)
    np.testing.assert_allclose(parts.confidence, whole.confidence, atol=1e-3)


def test_memory_does_not_grow_with_the_square_of_the_groups() -> None:
    """4,000 groups: a matrix of all pairs of them alone has 128 MB."""
    scene = some_scene(64, 4000, 3)
    classes = np.random.default_rng(3).integers(0, len(CLASS_NAMES), 4000)
    assert scene.means.shape == (4000, 722)  # taken once for all, and not counted here
    tracemalloc.start()
    try:
        assert relations_of(scene, classes).shape == (4000, RELATION_FEATURES)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 128e6


@pytest.mark.parametrize("seed", range(4))
def test_what_numbers_say_to_a_group_being_mines_is_counted_right(seed: int) -> None:
    """Compared with counting around every number, for each group as if all its tiles were mines, or none."""
    count, side = 14, 7
    scene = some_scene(side, count, seed)
    classes = np.random.default_rng(seed).choice([1, 2, 3, COVERED, FLAG, MINE, QUESTION], count)
    board, tiles = Board(np.zeros((side, side), np.uint8)), classes[scene.groups].reshape(side, side)
    of_tile = scene.groups.reshape(side, side)
    expected = np.zeros((count, 7))
    for group in range(count):
        said = []
        for number in zip(*np.nonzero((tiles >= 1) & (tiles <= 8)), strict=True):
            around = [tuple(each) for each in board.neighbours(*number)]
            own = sum(of_tile[each] == group for each in around)
            if not own:
                continue
            rest = [each for each in around if of_tile[each] != group]
            mines = sum(tiles[each] in (FLAG, MINE) for each in rest)
            covered = sum(tiles[each] in (COVERED, QUESTION) for each in rest)
            wanted = tiles[number]
            said.append(
                (
                    mines + own == wanted,
                    mines + own > wanted,
                    mines + own + covered < wanted,
                    mines == wanted,
                    mines + covered < wanted,
                    mines + own + covered == wanted,
                )
            )
        if said:
            shares = np.mean(said, axis=0)
            expected[group] = [*shares[:5], np.tanh(len(said) / 4), shares[5]]
    found = relations._roles(scene, classes, classes[scene.groups])
    np.testing.assert_allclose(found, expected, atol=1e-9)
