"""The network that names groups beside each other: its symmetries, limits, and the roles that it tells."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from visionsweeper.board import COVERED, MINE
from visionsweeper.errors import BadModel
from visionsweeper.synthetic import draw, random_game
from visionsweeper.synthetic.fonts import FontSource
from visionsweeper.synthetic.named_themes import NAMED_THEMES
from visionsweeper.synthetic.pictures import picture
from visionsweeper.synthetic.theme import Icon
from visionsweeper.vision import networks
from visionsweeper.vision.reading import read
from visionsweeper.vision.tiles import group_net
from visionsweeper.vision.tiles import groups as groups_module
from visionsweeper.vision.tiles.features import FEATURE_VERSION
from visionsweeper.vision.tiles.group_net import class_logs
from visionsweeper.vision.tiles.groups import Groups
from visionsweeper.vision.tiles.knn import load_model
from visionsweeper.vision.tiles.pixels import CHANNELS
from visionsweeper.vision.tiles.relations import RELATION_FEATURES


def some_groups(seed: int, rows: int = 6, columns: int = 7, count: int = 9) -> Groups:
    rng = np.random.default_rng(seed)
    of_tile = np.concatenate([np.arange(count), rng.integers(count, size=rows * columns - count)])
    of_tile = rng.permutation(of_tile)
    return Groups(
        rows=rows,
        columns=columns,
        of_tile=of_tile,
        size=np.bincount(of_tile),
        vectors=rng.random((count, 722), np.float32),
        background=rng.normal(50, 10, (count, 3)).astype(np.float32),
        frame=rng.normal(0, 0.3, (count, 24)).astype(np.float32),
        relations=rng.normal(0, 0.5, (count, RELATION_FEATURES)).astype(np.float32),
        pictures=rng.random((count, 32, 32, CHANNELS), np.float32),
    )


def renumbered(groups: Groups, order: np.ndarray) -> Groups:
    """The same groups, the one that was order[i] now being i."""
    return Groups(
        rows=groups.rows,
        columns=groups.columns,
        of_tile=np.argsort(order)[groups.of_tile],
        size=groups.size[order],
        vectors=groups.vectors[order],
        background=groups.background[order],
        frame=groups.frame[order],
        relations=groups.relations[order],
        pictures=groups.pictures[order],
    )


@pytest.mark.parametrize("seed", range(5))
def test_names_do_not_hang_on_the_numbers_of_the_groups(seed: int) -> None:
    groups = some_groups(seed)
    logs = class_logs(groups)
    assert logs.shape == (9, 14)
    np.testing.assert_allclose(np.exp(logs).sum(axis=1), 1.0, rtol=1e-4)
    order = np.random.default_rng(seed).permutation(9)
    np.testing.assert_allclose(class_logs(renumbered(groups, order)), logs[order], atol=2e-3)


def test_a_mirrored_board_has_the_same_names() -> None:
    groups = some_groups(3)
    mirrored = replace(groups, of_tile=groups.of_tile.reshape(6, 7)[:, ::-1].ravel())
    np.testing.assert_allclose(class_logs(mirrored), class_logs(groups), atol=2e-3)


def test_work_in_parts_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    groups = some_groups(1)
    logs = class_logs(groups)
    monkeypatch.setattr(groups_module, "_ROWS_AT_ONCE", 4)
    np.testing.assert_allclose(class_logs(replace(groups)), logs, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(("name", "most", "keys"), [("MOST_KEYS", 5, 5), ("_MOST_PAIRS", 40, 4)])
def test_only_so_many_groups_are_looked_at(
    name: str, most: int, keys: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(groups_module, name, most)
    groups = some_groups(2)
    assert len(groups.pairs.keys) == keys
    assert sorted(groups.size[groups.pairs.keys]) == sorted(groups.size)[-keys:]
    logs = class_logs(groups)
    assert np.isfinite(logs).all()
    np.testing.assert_allclose(np.exp(logs).sum(axis=1), 1.0, rtol=1e-4)


def test_a_damaged_network_is_said_to_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "group_net.npz").write_bytes(b"PK no archive")
    monkeypatch.setattr(networks, "models_folder", lambda: tmp_path)
    networks.shipped_network.cache_clear()
    try:
        with pytest.raises(BadModel, match=r"group_net\.npz is missing or damaged"):
            class_logs(some_groups(0))
    finally:
        networks.shipped_network.cache_clear()


def test_every_member_has_a_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """What all say together is the geometric mean of what each says alone, and they differ."""
    groups = some_groups(4)
    together = class_logs(groups)
    members = networks.shipped_members("group_net", format=group_net.FORMAT, feature_version=FEATURE_VERSION)
    alone = []
    for member in members:
        monkeypatch.setattr(group_net, "shipped_members", lambda *_, one=member, **__: (one,))
        alone.append(class_logs(groups))
    assert len(alone) > 1
    assert max(np.abs(each - alone[0]).max() for each in alone) > 0.1
    product = np.exp(np.sum(alone, axis=0) / len(alone))
    np.testing.assert_allclose(np.exp(together), product / product.sum(axis=1, keepdims=True), atol=1e-5)


@pytest.mark.slow
def test_mines_drawn_as_anything_are_told_by_the_numbers_around() -> None:
    """Stars, fish and leaves in place of mines, on lost boards whose flags look as usual.

    Where no tile is covered any more, nothing tells such mines from flags on a board that was won.
    """
    model = load_model()
    shown = wrong = 0
    for seed, name in enumerate(("star", "fish", "leaf", "moon", "house", "drop")):
        rng = np.random.default_rng(seed)
        theme = NAMED_THEMES["classic"].make()
        art = picture(rng, name, (40.0, 60.0, 150.0), FontSource("pillow", "built-in pillow"))
        faces = list(theme.faces)
        faces[MINE] = replace(faces[MINE], layers=(Icon(art, 0.9),))
        labels = random_game(rng, rare=0.0, size=(12, 14)).labels
        while not ((labels == MINE).sum() > 3 and (labels <= 8).mean() > 0.4 and (labels == COVERED).any()):
            labels = random_game(rng, rare=0.0, size=(12, 14)).labels
        drawing = draw(replace(theme, faces=tuple(faces)), labels, rng)
        found = read(drawing.image, drawing.grid, model).board.cells
        shown += int((labels == MINE).sum())
        wrong += int(((labels == MINE) & (found != MINE)).sum())
    assert shown > 40
    assert wrong <= 0.25 * shown
