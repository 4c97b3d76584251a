"""Groups, context and joint naming, on small boards whose truth is written out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scenes import scene_of

from visionsweeper.board import COVERED, FLAG, MINE, SAFE, Board
from visionsweeper.solver import solve
from visionsweeper.vision.tiles import clustering
from visionsweeper.vision.tiles.classes import CLASS_NAMES, QUESTION, WRONG_FLAG, tiles_of_classes
from visionsweeper.vision.tiles.clustering import bounded, group_look_alikes, join_edges, near_copies
from visionsweeper.vision.tiles.context import CONTEXT_FEATURES, Scene, context_features
from visionsweeper.vision.tiles.labelling import Naming, name_groups
from visionsweeper.vision.tiles.likeness import NO_TIES, Ties
from visionsweeper.vision.tiles.relations import RELATION_FEATURES, relation_features
from visionsweeper.vision.tiles.rules import Rules
from visionsweeper.vision.tiles.search import Search, State

POSITION = """
    000000000
    000000111
    2210001F?
    FF11112??
    ?????????
    ???????21
    ???????10
    """


def classes_of(board: Board) -> np.ndarray:
    return board.cells.ravel().astype(np.intp)


def likelihood_of(truth: np.ndarray, groups: np.ndarray) -> np.ndarray:
    likelihood = np.full((int(groups.max()) + 1, len(CLASS_NAMES)), np.log(0.002), dtype=np.float32)
    for group in range(len(likelihood)):
        likelihood[group, int(truth[groups == group][0])] = np.log(0.97)
    return likelihood


def name(board: Board, truth: np.ndarray, groups: np.ndarray, group: int, odds: dict[int, float]) -> Naming:
    """Name the groups of a board, of which all but one look like what they are, and one as `odds` say."""
    likelihood = likelihood_of(truth, groups)
    likelihood[group] = np.log(0.002)
    for tile_class, probability in odds.items():
        likelihood[group, tile_class] = np.log(probability)
    return name_groups(scene_of(board, np.exp(likelihood), groups), likelihood)


def penalty_by_hand(board: np.ndarray, row: int, column: int, *, lost: bool) -> float:
    """The rules once more, tile by tile."""
    around = [
        int(board[r, c])
        for r in range(max(row - 1, 0), min(row + 2, board.shape[0]))
        for c in range(max(column - 1, 0), min(column + 2, board.shape[1]))
        if (r, c) != (row, column)
    ]
    covered = sum(tile_class in (COVERED, QUESTION) for tile_class in around)
    flags, mines = around.count(FLAG), around.count(MINE)
    number = int(board[row, column])
    if number == 0:
        return min(0.8 * covered + 0.8 * flags + 1.5 * mines, 4.0)
    if number > 8:
        return 0.0
    lacking = max(number - flags - mines - (0 if lost else covered), 0)
    beyond = max(mines - number, 0)
    lonely = 0.0 if 0 in around else 0.15
    return min(2.0 * lacking + 2.0 * beyond + 0.5 * max(flags + mines - number, 0), 4.0) + lonely


@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 2**32 - 1), st.booleans())
def test_rules_are_those_written_out_by_hand(rows: int, columns: int, seed: int, lost: bool) -> None:
    board = np.random.default_rng(seed).integers(0, len(CLASS_NAMES), (rows, columns))
    expected = [penalty_by_hand(board, r, c, lost=lost) for r in range(rows) for c in range(columns)]
    np.testing.assert_allclose(Rules(rows, columns, lost=lost).penalties(board.ravel()), expected)


def test_a_true_position_breaks_no_rule() -> None:
    board = Board.from_text(POSITION)
    penalties = Rules(board.rows, board.columns).penalties(classes_of(board))
    assert set(penalties.tolist()) <= {0.0, 0.15}  # a number that touches no opened 0 is no breach


@pytest.mark.parametrize("swapped", [False, True])
def test_rules_settle_covered_against_opened_blank(*, swapped: bool) -> None:
    """The pixels cannot tell which blanks are covered, or are mildly wrong; the numbers can."""
    board = Board.from_text(POSITION)
    truth = classes_of(board)
    groups = np.unique(truth, return_inverse=True)[1]
    likelihood = np.full((int(groups.max()) + 1, len(CLASS_NAMES)), np.log(0.002), dtype=np.float32)
    for group in range(len(likelihood)):
        tile_class = int(truth[groups == group][0])
        if tile_class in (0, COVERED):
            wrong = COVERED if tile_class == 0 else 0
            likelihood[group, tile_class] = np.log(0.4 if swapped else 0.5)
            likelihood[group, wrong] = np.log(0.6 if swapped else 0.5)
        else:
            likelihood[group, tile_class] = np.log(0.97)
    naming = name_groups(scene_of(board, np.exp(likelihood), groups), likelihood)
    np.testing.assert_array_equal(naming.classes[groups], truth)


def test_a_misread_group_has_a_smaller_margin_than_a_plain_one() -> None:
    board = Board.from_text(POSITION)
    truth = classes_of(board)
    groups = np.unique(truth, return_inverse=True)[1]
    ones, twos = int(groups[truth == 1][0]), int(groups[truth == 2][0])
    naming = name(board, truth, groups, twos, {2: 0.55, 7: 0.45})
    assert naming.classes[twos] == 2
    assert naming.margin[twos] < naming.margin[ones]


def test_a_wrong_flag_is_not_claimed_while_no_mine_is_shown() -> None:
    board = Board.from_text(POSITION)
    truth = classes_of(board)
    groups = np.unique(truth, return_inverse=True)[1]
    flags = int(groups[truth == FLAG][0])
    assert name(board, truth, groups, flags, {FLAG: 0.45, WRONG_FLAG: 0.55}).classes[flags] == FLAG


LOST = """
    *10001*
    1100011
    0000000
    0111000
    01*1000
    """


@pytest.mark.parametrize(("position", "mark", "expected"), [(POSITION, FLAG, FLAG), (LOST, MINE, MINE)])
def test_marks_that_leave_numbers_short_are_no_shown_mines(position: str, mark: int, expected: int) -> None:
    """A lost game shows all its mines, and a game that goes on shows none."""
    board = Board.from_text(position)
    truth = classes_of(board)
    groups = np.unique(truth, return_inverse=True)[1]
    marks = int(groups[truth == mark][0])
    naming = name(board, truth, groups, marks, {FLAG: 0.1, MINE: 0.9})
    assert naming.classes[marks] == expected
    assert naming.lost == (expected == MINE)


def test_mines_that_look_like_nothing_else_are_shown_though_one_is_not() -> None:
    """The last mine of the third row is covered still, which leaves numbers short."""
    board = Board.from_text("""
        *10001*
        2210011
        1*1011?
        11101??
        00001??
        """)
    truth = classes_of(board)
    groups = np.unique(truth, return_inverse=True)[1]
    mines = int(groups[truth == MINE][0])
    naming = name(board, truth, groups, mines, {FLAG: 0.005, MINE: 0.99})
    assert naming.classes[mines] == MINE
    assert not naming.lost


def test_one_mine_alone_may_be_the_one_that_exploded() -> None:
    board = Board.from_text(POSITION)
    cells = board.cells.copy()
    cells[5, 0] = MINE
    board = board.changed(cells)
    truth = classes_of(board)
    groups = np.unique(truth, return_inverse=True)[1]
    likelihood = likelihood_of(truth, groups)
    naming = name_groups(scene_of(board, np.exp(likelihood), groups), likelihood)
    np.testing.assert_array_equal(naming.classes[groups], truth)
    assert not naming.lost


def test_where_all_mines_are_shown_a_number_counts_them() -> None:
    """The pixels mildly say 2; there is one mine beside it, and a covered tile that cannot hold another."""
    board = Board.from_text("""
        *1000
        11000
        00011
        0001?
        0001*
        """)
    truth = classes_of(board)
    groups = np.unique(truth, return_inverse=True)[1]
    lone = 3 * 5 + 3
    groups[lone] = groups.max() + 1
    naming = name(board, truth, groups, int(groups[lone]), {1: 0.4, 2: 0.6})
    assert naming.lost
    np.testing.assert_array_equal(naming.classes[groups], truth)


@pytest.mark.parametrize(("other", "expected"), [("*", FLAG), ("F", WRONG_FLAG)])
def test_a_wrong_flag_is_told_from_flags_and_not_claimed_without_any(other: str, expected: int) -> None:
    """The lone mark at the left stands on no mine; the mine in the first row may be flagged."""
    board = Board.from_text(f"""
        1101{other}1
        *10111
        111110
        x11*10
        *11110
        """)
    truth = classes_of(board)
    truth[truth == SAFE] = WRONG_FLAG
    groups = np.unique(truth, return_inverse=True)[1]
    lone = int(groups[truth == WRONG_FLAG][0])
    assert name(board, truth, groups, lone, {FLAG: 0.8, WRONG_FLAG: 0.2}).classes[lone] == expected


def test_a_mine_is_no_flag_only_because_a_wrong_flag_is_shown() -> None:
    """Some lost games show the mines under right flags, so that beside a wrong flag there may be no flag."""
    board = Board.from_text("""
        1101*1
        *10111
        111110
        x11*10
        *11110
        """)
    truth = classes_of(board)
    truth[truth == SAFE] = WRONG_FLAG
    groups = np.unique(truth, return_inverse=True)[1]
    groups[4] = lone = int(groups.max()) + 1
    naming = name(board, truth, groups, lone, {MINE: 0.9, FLAG: 0.09})
    assert naming.classes[lone] == MINE
    assert naming.classes[groups[18]] == WRONG_FLAG


TWO_WRONG_FLAGS = """
    1101F1
    *10111
    111110
    x11*10
    *11110
    001x10
    """


@pytest.mark.parametrize("tied", [True, False])
def test_wrong_flags_look_alike(tied: bool) -> None:
    """The second looks rather like one; where it is unlike the first it is a question mark."""
    board = Board.from_text(TWO_WRONG_FLAGS)
    truth = classes_of(board)
    truth[truth == SAFE] = WRONG_FLAG
    groups = np.unique(truth, return_inverse=True)[1]
    first, second = np.flatnonzero(truth == WRONG_FLAG)
    groups[second] = groups.max() + 1
    likelihood = likelihood_of(truth, groups)
    likelihood[groups[second]] = np.log(0.002)
    likelihood[groups[second], [WRONG_FLAG, QUESTION]] = np.log([0.85, 0.08])
    pair = np.sort(groups[[first, second]])
    ties = Ties(pair[:1], pair[1:], np.array([0.5], np.float32)) if tied else NO_TIES
    naming = name_groups(scene_of(board, np.exp(likelihood), groups), likelihood, ties)
    assert naming.classes[groups[first]] == WRONG_FLAG
    assert naming.classes[groups[second]] == (WRONG_FLAG if tied else QUESTION)


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_mark_of_its_own_look_on_a_lost_board_is_the_mine_that_exploded(elsewhere: bool) -> None:
    """It looks a little more like a flag; where another mine has a look of its own already, it is one."""
    board = Board.from_text(LOST)
    truth = classes_of(board)
    groups = np.unique(truth, return_inverse=True)[1]
    groups[6] = lone = int(groups.max()) + 1
    if elsewhere:
        groups[0] = lone + 1
    naming = name(board, truth, groups, lone, {MINE: 0.3, FLAG: 0.68})
    assert naming.lost
    assert naming.classes[lone] == (FLAG if elsewhere else MINE)


@settings(max_examples=50)
@given(st.integers(1, 9), st.integers(1, 9), st.integers(0, 2**32 - 1))
def test_context_is_finite_for_any_scene(rows: int, columns: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = rows * columns
    groups = np.unique(rng.integers(0, 6, n), return_inverse=True)[1]
    count = int(groups.max()) + 1
    scene = Scene(
        rows=rows,
        columns=columns,
        groups=groups,
        probability=rng.dirichlet(np.full(len(CLASS_NAMES), 0.2), count).astype(np.float32),
        background=rng.normal(50, 20, (n, 3)).astype(np.float32),
        frame=rng.normal(0, 1, (n, 24)).astype(np.float32),
        contrast=rng.random(n).astype(np.float32) * 90,
        vectors=rng.random((n, 722)).astype(np.float32),
    )
    vectors = context_features(scene)
    assert vectors.shape == (count, CONTEXT_FEATURES)
    assert np.isfinite(vectors).all()
    assert np.abs(vectors).max() < 20
    classes = rng.integers(0, len(CLASS_NAMES), count)
    distance = rng.random(count).astype(np.float32)
    likelihood = np.log(scene.probability + 0.002)
    related = relation_features(scene, vectors, distance, likelihood, classes)
    assert related.shape == (count, RELATION_FEATURES)
    assert np.isfinite(related).all()
    assert np.abs(related).max() < 20


def test_question_marks_and_exploded_mines_fold_into_the_notation() -> None:
    folded = tiles_of_classes(np.array([0, 8, COVERED, FLAG, MINE, WRONG_FLAG, QUESTION, 14], dtype=np.uint8))
    assert folded.tolist() == [0, 8, COVERED, FLAG, MINE, 12, COVERED, MINE]


def test_look_alikes_are_grouped_and_others_kept_apart() -> None:
    rng = np.random.default_rng(2)
    kinds = rng.integers(0, 4, 200)
    patterns = np.zeros((4, 32, 32, 3), dtype=np.float32)
    patterns[:, ..., 0] = 70
    patterns[1, ..., 0] = 74  # a blank a few gray levels lighter
    patterns[2, 8:24, 14:18, 0] = 20  # two glyphs
    patterns[3, 8:24, 8:24, 0] = 20
    lab = patterns[kinds] + rng.normal(0, 0.4, (200, 32, 32, 3)).astype(np.float32)
    groups = group_look_alikes(near_copies(lab), np.zeros((200, 4), np.float32))
    assert len(np.unique(groups)) == 4
    for kind in range(4):
        assert len(np.unique(groups[kinds == kind])) == 1


def test_tiles_on_the_edge_are_grouped_with_inner_ones_whatever_shows_beside_the_board() -> None:
    rng = np.random.default_rng(3)
    lab = np.full((6, 8, 32, 32, 3), 0.0, dtype=np.float32)
    lab[..., 0] = 70
    lab[..., 8:24, 15:17, 0] = 20  # all tiles show the same glyph,
    lab[2, 3, 8:24, 8:24, 0] = 20  # but one inner tile
    lab[:, 7, 8:12, 8:24, 0] = 20  # and those of the last column
    lab[0, :, :3, :, 0] = 20  # above the board a dark frame shows
    lab[:, 0, :, :3, 0] = 90  # and to its left a light one
    tiles = lab.reshape(48, 32, 32, 3) + rng.normal(0, 0.4, (48, 32, 32, 3)).astype(np.float32)
    copies = near_copies(tiles)
    apart = group_look_alikes(copies, np.zeros((48, 4), np.float32))
    assert len(np.unique(apart)) > 4
    groups = join_edges(apart, copies, (6, 8)).reshape(6, 8)
    expected = np.zeros((6, 8), bool)
    expected[2, 3] = True
    expected[:, 7] = True
    assert np.array_equal(groups == groups[1, 1], ~expected)
    assert groups[2, 3] not in groups[:, 7]


def test_an_edge_is_left_alone_where_there_are_no_inner_tiles() -> None:
    lab = np.full((6, 32, 32, 3), 50, dtype=np.float32)
    lab[3:, 8:24, 8:24, 0] = 20
    copies = near_copies(lab)
    groups = group_look_alikes(copies, np.zeros((6, 4), np.float32))
    assert np.array_equal(join_edges(groups, copies, (2, 3)), groups)


def test_boards_beyond_one_piece_are_grouped_too() -> None:
    lab = np.full((2500, 32, 32, 3), 50, dtype=np.float32)
    groups = group_look_alikes(near_copies(lab), np.zeros((2500, 4), np.float32))
    assert groups.shape == (2500,)
    assert len(np.unique(groups)) == int(groups.max()) + 1


MISREAD = """
    11211
    ?????
    """  # with a 2 for the second last 1 no placement is left, though each number alone could hold


@pytest.mark.parametrize(("wrong", "right", "mended"), [(0.6, 0.35, True), (0.9999, 1e-5, False)])
def test_a_board_without_a_solution_is_mended_only_where_the_evidence_allows(
    wrong: float, right: float, *, mended: bool
) -> None:
    board = Board.from_text(MISREAD)
    solve(board)
    truth = classes_of(board)
    groups = np.arange(truth.size)
    likelihood = likelihood_of(truth, groups)
    tile = 3
    likelihood[tile] = np.log(1e-6)
    likelihood[tile, 2], likelihood[tile, 1] = np.log(wrong), np.log(right)
    naming = name_groups(scene_of(board, np.exp(likelihood), groups), likelihood)
    assert naming.classes[tile] == (1 if mended else 2)
    assert naming.margin[tile] == 0.0
    others = np.delete(np.arange(truth.size), tile)
    np.testing.assert_array_equal(naming.classes[others], truth[others])


MISREAD_TWICE = """
    1112210000
    ?11??31000
    2224??3110
    ?33?????20
    ????????20
    ????112210
    ???2100000
    ???1000111
    ???12211??
    ??1???????
    """


def test_mending_one_number_does_not_undo_the_mending_of_another() -> None:
    """The 3 read as 4 and the 1 read as 3 are both needed: what mends one alone spoils the other again."""
    board = Board.from_text(MISREAD_TWICE)
    solve(board)
    truth = classes_of(board)
    groups = np.arange(truth.size)
    likelihood = likelihood_of(truth, groups)
    for tile, wrong in ((32, 4), (54, 3)):
        likelihood[tile] = np.log(1e-6)
        likelihood[tile, wrong], likelihood[tile, truth[tile]] = np.log(0.6), np.log(0.35)
    naming = name_groups(scene_of(board, np.exp(likelihood), groups), likelihood)
    np.testing.assert_array_equal(naming.classes, truth)
    assert naming.margin[32] == naming.margin[54] == 0.0


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10**6), st.floats(-5, 30))
def test_what_a_change_costs_is_right_where_it_is_asked_for(seed: int, below: float) -> None:
    rng = np.random.default_rng(seed)
    rows, columns = rng.integers(2, 7, 2).tolist()
    groups = np.unique(rng.integers(0, 12, rows * columns), return_inverse=True)[1]
    likelihood = np.log(rng.dirichlet(np.full(len(CLASS_NAMES), 0.3), int(groups.max()) + 1) + 1e-3)
    board = Board(np.zeros((rows, columns), np.uint8))
    pairs = np.argwhere(np.triu(rng.random((len(likelihood),) * 2) < 0.3, 1))
    ties = Ties(pairs[:, 0], pairs[:, 1], rng.uniform(0.1, 6.0, len(pairs)).astype(np.float32))
    search = Search(scene_of(board, np.exp(likelihood), groups), likelihood.astype(np.float32), ties)
    search = search.where_lost() if rng.random() < 0.5 else search
    classes = rng.choice([*range(len(CLASS_NAMES)), MINE, MINE, WRONG_FLAG], int(groups.max()) + 1)
    state = State(search, classes)
    for group in range(len(classes)):
        for tile_class in range(len(CLASS_NAMES)):
            changed = classes.copy()
            changed[group] = tile_class
            cost = search.total(changed) - search.total(classes)
            assert state.change(group, tile_class) == pytest.approx(cost, abs=1e-6)
            bounded = state.change(group, tile_class, below=below)
            assert bounded == pytest.approx(cost, abs=1e-6) or below <= bounded <= cost + 1e-6


def test_the_smallest_of_too_many_groups_join_the_nearest(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    groups = np.unique(rng.integers(40, size=300), return_inverse=True)[1]
    embedded = rng.normal(size=(300, 8)).astype(np.float32)
    embedded /= np.linalg.norm(embedded, axis=1, keepdims=True)
    assert bounded(groups, embedded) is groups
    monkeypatch.setattr(clustering, "_MOST_GROUPS", 25)
    monkeypatch.setattr(clustering, "_CHUNK", 7)
    found = bounded(groups, embedded)
    assert sorted(np.unique(found)) == list(range(25))
    size = np.bincount(groups)
    kept = sorted(sorted(range(40), key=lambda group: (-size[group], group))[:25])
    exemplars = [int(np.flatnonzero(groups == group)[0]) for group in kept]
    for tile in range(300):
        near = [float(embedded[tile] @ embedded[each]) for each in exemplars]
        expected = kept.index(groups[tile]) if groups[tile] in kept else int(np.argmax(near))
        assert found[tile] == expected
