"""Marks named by where they stand, on small boards whose mine probabilities are counted by brute force."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scenes import scene_of

from visionsweeper.board import COVERED, FLAG, MINE, Board
from visionsweeper.vision.tiles.classes import CLASS_NAMES, QUESTION, WRONG_FLAG
from visionsweeper.vision.tiles.confidence import Opinions
from visionsweeper.vision.tiles.marks import evidence_of_places, name_with_marks

POSITION = """
    ?F?F?
    1?2?1
    """


def chances_by_brute_force(board: Board) -> dict[tuple[int, int], float]:
    """Every covered tile's share of the placements of mines that all numbers allow, each as likely.

    No mine count is known, so that placements weigh alike.
    """
    covered = [(int(row), int(column)) for row, column in np.argwhere(board.cells > 8)]
    fits = []
    for mines in product((0, 1), repeat=len(covered)):
        lies = dict(zip(covered, mines, strict=True))
        if all(
            sum(lies.get((r, c), 0) for r in range(row - 1, row + 2) for c in range(column - 1, column + 2))
            == board.cells[row, column]
            for row, column in np.argwhere(board.cells <= 8)
        ):
            fits.append(mines)
    return dict(zip(covered, np.mean(fits, axis=0).tolist(), strict=True))


def by_class(board: Board) -> tuple[np.ndarray, np.ndarray]:
    """The tile class of each group, and each tile's group: one group a class."""
    classes, groups = np.unique(board.cells.ravel(), return_inverse=True)
    return classes.astype(np.intp), groups.reshape(-1)


def test_evidence_is_the_sum_over_the_tiles_of_a_group() -> None:
    board = Board.from_text(POSITION)
    classes, groups = by_class(board)
    chances = chances_by_brute_force(board)
    mean = float(np.mean(list(chances.values())))
    scene = scene_of(board, np.full((len(classes), len(CLASS_NAMES)), 1 / 14), groups)
    evidence = evidence_of_places(scene, classes)
    flags = int(np.flatnonzero(classes == FLAG)[0])
    tiles = [(int(row), int(column)) for row, column in np.argwhere(board.cells == FLAG)]
    flagged = sum(np.log(0.9 * chances[tile] / mean + 0.1) for tile in tiles)
    crossed = sum(np.log(0.9 * (1 - chances[tile]) / (1 - mean) + 0.1) for tile in tiles)
    assert evidence[flags, FLAG] == pytest.approx(flagged, abs=1e-5)
    assert evidence[flags, MINE] == pytest.approx(flagged, abs=1e-5)
    assert evidence[flags, WRONG_FLAG] == pytest.approx(crossed, abs=1e-5)
    assert not evidence[:, [*range(9), COVERED, QUESTION]].any()
    assert not evidence[classes <= 8].any()  # opened tiles are no marks


def evidence_running_and_lost() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The tile class of each group of the position, and its evidence on a board in play and on a lost one."""
    board = Board.from_text(POSITION)
    classes, groups = by_class(board)
    scene = scene_of(board, np.full((len(classes), len(CLASS_NAMES)), 1 / 14), groups)
    return classes, evidence_of_places(scene, classes), evidence_of_places(scene, classes, lost=True)


def test_on_a_lost_board_plain_covered_tiles_stand_where_wrong_flags_do() -> None:
    classes, running, lost = evidence_running_and_lost()
    closed = classes > 8
    for plain in (COVERED, QUESTION):
        np.testing.assert_array_equal(lost[closed, plain], running[closed, WRONG_FLAG])
    assert running[closed, WRONG_FLAG].any()
    unchanged = [each for each in range(len(CLASS_NAMES)) if each not in (COVERED, QUESTION, FLAG)]
    np.testing.assert_array_equal(lost[:, unchanged], running[:, unchanged])


def test_on_a_lost_board_flags_may_be_the_wrong_ones_alone() -> None:
    """One game in four shows the mines under right flags: then those left stand where no mine is."""
    classes, running, lost = evidence_running_and_lost()
    closed = classes > 8
    right, wrong = np.exp(running[closed, FLAG]), np.exp(running[closed, WRONG_FLAG])
    np.testing.assert_allclose(np.exp(lost[closed, FLAG]), 0.75 * right + 0.25 * wrong, rtol=1e-5)


def test_the_mine_of_a_lost_board_with_a_look_of_its_own_stands_where_flags_do() -> None:
    """Nobody opens tiles far from all numbers, nor flags them; the other mines lie there too."""
    board = Board.from_text("0001??\n0002??\n0002??\n1112??\n??????\n??????")
    alone, others = (1, 4), [(3, 4), (5, 5), (5, 0)]
    cells = board.cells.astype(np.intp).copy()
    cells[alone] = 30
    for tile in others:
        cells[tile] = 31
    looks, groups = np.unique(cells.ravel(), return_inverse=True)
    classes = np.where(looks >= 30, MINE, looks)
    scene = scene_of(board, np.full((len(classes), len(CLASS_NAMES)), 1 / 14), groups.reshape(-1))
    running, lost = (evidence_of_places(scene, classes, lost=each) for each in (False, True))
    of_alone, of_others = (int(np.flatnonzero(looks == look)[0]) for look in (30, 31))
    assert running[of_alone, FLAG] > running[of_alone, MINE]
    assert lost[of_alone, MINE] == running[of_alone, FLAG]
    assert lost[of_others, MINE] == running[of_others, MINE] > running[of_others, FLAG]


def test_a_flag_that_a_lost_game_leaves_on_a_safe_tile_stays_a_flag() -> None:
    """All mines are shown, and one flag is left where none can be; it looks a little like a question mark."""
    board = Board.from_text("1101*1\n*10111\n111110\nF11*10\n*11110")
    classes, groups = by_class(board)
    likelihood = np.full((len(classes), len(CLASS_NAMES)), np.log(0.002), np.float32)
    likelihood[np.arange(len(classes)), classes] = np.log(0.97)
    flag = int(np.flatnonzero(classes == FLAG)[0])
    likelihood[flag, QUESTION] = np.log(0.03)
    opinions = Opinions(likelihood, likelihood, likelihood, places=np.zeros_like(likelihood))
    _, naming = name_with_marks(scene_of(board, np.exp(likelihood), groups), opinions)
    assert naming.lost
    assert naming.classes[flag] == FLAG


@pytest.mark.parametrize(
    "text",
    ["1?\n??\n8?", "???\n???", "00\n00"],
    ids=["contradiction", "untouched", "nothing covered"],
)
def test_where_numbers_tell_nothing_there_is_no_evidence(text: str) -> None:
    board = Board.from_text(text)
    classes, groups = by_class(board)
    scene = scene_of(board, np.full((len(classes), len(CLASS_NAMES)), 1 / 14), groups)
    assert not evidence_of_places(scene, classes).any()


@pytest.mark.parametrize(("marked", "expected"), [("mines", FLAG), ("safe", COVERED)])
def test_a_mark_of_doubtful_look_is_a_flag_where_the_mines_are(marked: str, expected: int) -> None:
    """The marks look a little more like covered tiles than like flags; the numbers tell which they are."""
    board = Board.from_text("0002???\n0002???\n0002???\n1112???\n???????\n???????")
    truth = board.cells.ravel().astype(np.intp)
    mines, safe = [(0, 4), (1, 4), (3, 4)], [(2, 4), (4, 2)]
    chosen = np.zeros(board.cells.shape, bool)
    for tile in mines if marked == "mines" else safe:
        chosen[tile] = True
    groups = np.where(chosen.ravel(), 30, truth)
    groups = np.unique(groups, return_inverse=True)[1].reshape(-1)
    likelihood = np.full((int(groups.max()) + 1, len(CLASS_NAMES)), np.log(0.002), np.float32)
    for group in range(len(likelihood)):
        likelihood[group, int(truth[groups == group][0])] = np.log(0.97)
    mark = int(groups[chosen.ravel()][0])
    likelihood[mark] = np.log(0.002)
    likelihood[mark, COVERED], likelihood[mark, FLAG] = np.log(0.52), np.log(0.46)
    opinions = Opinions(likelihood, likelihood, likelihood, places=np.zeros_like(likelihood))
    leaning, naming = name_with_marks(scene_of(board, np.exp(likelihood), groups), opinions)
    assert naming.classes[mark] == expected
    # What is believed in all stays the same: it is shared out anew.
    np.testing.assert_allclose(
        np.exp(leaning.combined).sum(axis=1), np.exp(likelihood).sum(axis=1), rtol=1e-4
    )


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        ([(0, 4), (1, 4), (3, 4)], FLAG),
        ([(0, 4), (1, 4), (3, 4), (4, 1), (4, 4), (0, 6), (2, 6), (4, 6), (5, 6)], MINE),
    ],
    ids=["beside numbers", "anywhere"],
)
def test_a_mark_that_stands_beside_no_number_is_a_mine_rather_than_a_flag(
    places: list[tuple[int, int]], expected: int
) -> None:
    """Its look says both, a little more of the other; nobody flags a tile that no number tells of."""
    board = Board.from_text("0002???\n0002???\n0002???\n1112???\n???????\n???????")
    truth = board.cells.ravel().astype(np.intp)
    chosen = np.zeros(board.cells.shape, bool)
    chosen[tuple(zip(*places, strict=True))] = True
    groups = np.unique(np.where(chosen.ravel(), 30, truth), return_inverse=True)[1].reshape(-1)
    likelihood = np.full((int(groups.max()) + 1, len(CLASS_NAMES)), np.log(0.002), np.float32)
    for group in range(len(likelihood)):
        likelihood[group, int(truth[groups == group][0])] = np.log(0.97)
    mark = int(groups[chosen.ravel()][0])
    likelihood[mark] = np.log(0.002)
    other = MINE if expected == FLAG else FLAG
    likelihood[mark, other], likelihood[mark, expected] = np.log(0.51), np.log(0.47)
    opinions = Opinions(likelihood, likelihood, likelihood, places=np.zeros_like(likelihood))
    _, naming = name_with_marks(scene_of(board, np.exp(likelihood), groups), opinions)
    assert naming.classes[mark] == expected


def test_places_alone_rule_no_class_out() -> None:
    """Mines beside opened tiles may look a little otherwise than the rest, and be a group of their own."""
    rows = ["?" * 24] * 9 + ["2" + "3" * 22 + "2", "0" * 24]
    rows[2] = "?" * 12 + "1" + "?" * 11
    board = Board.from_text("\n".join(rows))
    truth = board.cells.ravel().astype(np.intp)
    chosen = np.zeros(board.cells.shape, bool)
    chosen[8] = True
    groups = np.unique(np.where(chosen.ravel(), 30, truth), return_inverse=True)[1].reshape(-1)
    likelihood = np.full((int(groups.max()) + 1, len(CLASS_NAMES)), np.log(1e-4), np.float32)
    for group in range(len(likelihood)):
        likelihood[group, int(truth[groups == group][0])] = np.log(0.999)
    mark = int(groups[chosen.ravel()][0])
    likelihood[mark] = np.log(1e-4)
    likelihood[mark, MINE], likelihood[mark, FLAG] = np.log(0.98), np.log(0.02)
    scene = scene_of(board, np.exp(likelihood), groups)
    classes = likelihood.argmax(axis=1)
    evidence = evidence_of_places(scene, classes)[mark]
    assert evidence[FLAG] - evidence[MINE] > 20
    opinions = Opinions(likelihood, likelihood, likelihood, places=np.zeros_like(likelihood))
    leaning, naming = name_with_marks(scene, opinions)
    assert naming.classes[mark] == MINE
    told = leaning.places[mark] * chosen.sum() ** 0.4
    assert told[FLAG] - told[MINE] == pytest.approx(3.0, rel=1e-3)
