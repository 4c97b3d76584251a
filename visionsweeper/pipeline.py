"""The one door: an image or a board in, everything there is to say about it out."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from visionsweeper.analysis import Analysis, MinesSource
from visionsweeper.board import STANDARD_MINES, Board
from visionsweeper.errors import (
    ImpossibleBoard,
    ImpossibleMineCount,
    InvalidInput,
    NoBoardFound,
    TooWide,
)
from visionsweeper.options import ReadOptions, SolveOptions
from visionsweeper.solver import Limit, Solution, solve
from visionsweeper.solver.doubt import MOST_DOUBTED
from visionsweeper.solver.limits import MEMORY, SECONDS
from visionsweeper.wording import format_percentage

if TYPE_CHECKING:
    import numpy.typing as npt

    from visionsweeper.board import Side
    from visionsweeper.game.rules import FirstClick
    from visionsweeper.geometry import Grid
    from visionsweeper.solver.advice import Advice
    from visionsweeper.vision.reading import Reading
    from visionsweeper.vision.themes.theme import LearnedTheme
    from visionsweeper.vision.tiles.knn import Model


@dataclass(frozen=True, eq=False)
class DrawnBoard:
    """A board that is known for sure, such as one that this program drew: nothing about it is in doubt."""

    board: Board
    image: npt.NDArray[np.uint8]
    """(H, W, 3) uint8 RGB: the picture of it."""
    grid: Grid
    """Where its tiles lie in the picture, px."""
    straightened: bool = False
    """Whether the picture had to be put upright: never."""

    @property
    def uncertain(self) -> npt.NDArray[np.bool_]:
        """(rows, columns) bool, all False."""
        return np.zeros(self.board.cells.shape, dtype=np.bool_)


def read_board(
    image: str | Path | bytes | npt.NDArray[np.uint8],
    width: int | None = None,
    height: int | None = None,
    box: tuple[float, float, float, float] | None = None,
    model: Model | str | Path | None = None,
    themes: Sequence[LearnedTheme] | None = None,
    board: int | None = None,
    continues: tuple[Side, ...] | None = None,
) -> Reading:
    """Read the board of a screenshot.

    `image` is a path, the bytes of an image file, or (H, W, 3) uint8 RGB. `width` and `height` count
    tiles, `box` is (x0, y0, x1, y1) in pixels: each narrows the search for the board, which may extend
    up to three quarters of a tile outside the box. With all three given the board is read there.
    `model` is a loaded model or its path; None means the shipped one. `themes` are
    learned themes; None means those that the user taught, () none. `board` says which of several boards is
    meant, from 1 in reading order. `continues` names the sides, of "left", "right", "top" and "bottom", where
    it goes on beyond the picture, () for none; None means that they are detected.

    Raises InvalidInput if it is not an image, NoBoardFound if there is no board, or only one of another
    size, its subclass SeveralBoards if there are several, and BadModel.
    A clearly tilted picture, such as a photo of a screen, is put upright first (Reading.straightened).
    """
    return read_with(image, ReadOptions(width, height, box, model, themes, board, continues))


def read_with(image: str | Path | bytes | npt.NDArray[np.uint8], options: ReadOptions) -> Reading:
    """Read the board of a screenshot, as `read_board` does."""
    from visionsweeper.io.images import load_image
    from visionsweeper.vision.detection.locate import locate
    from visionsweeper.vision.detection.rectify import upright
    from visionsweeper.vision.reading import read
    from visionsweeper.vision.settling.reader import Reader
    from visionsweeper.vision.settling.settle import settle
    from visionsweeper.vision.themes.store import chosen_model, user_themes  # a text board needs no vision

    shown = upright(load_image(image))
    pixels = shown.image
    box = None if options.box is None else shown.box(options.box)
    place = locate(pixels, options.width, options.height, box)
    loaded = chosen_model(options.model)
    taught = user_themes() if options.themes is None else options.themes
    reader = Reader(lambda grid, sides: read(pixels, grid, loaded, taught, sides), options.continues)
    try:
        reading = settle(pixels, place, reader, options.board)
    except NoBoardFound as error:
        error.considered = place.considered
        raise
    reading = replace(reading, straightened=shown.matrix is not None, considered=place.considered)
    return _with_counter(reading, told=options.box is not None)


def _with_counter(reading: Reading, *, told: bool) -> Reading:
    """Return the same reading with the mine counter beside the board, where one was read.

    `told` says that the user gave the box, which may hold a part of the board alone.
    """
    from visionsweeper.vision.counter.counter import (  # a text board needs no vision
        is_on_tiles,
        read_counter,
    )

    counter = read_counter(reading.image, reading.grid, reading.board, reading.uncertain)
    if counter is None or (told and is_on_tiles(counter, reading.image, reading.grid)):
        return reading
    # It counts the mines of the whole board, of which a part alone may be in view.
    mines = None if reading.board.continues else counter.mines
    return replace(reading, mines=mines, counter=counter)


def analyse(
    source: Board | Reading,
    *,
    mines: int | None = None,
    trust_flags: bool = False,
    local: bool = False,
    doubted: npt.NDArray[np.bool_] | None = None,
) -> Analysis:
    """Compute all odds of a board or of a reading; `local` ignores the mine count.

    Without `mines`, the count of the mine counter is used if one was read, else the standard one of a
    standard size; if such a count is impossible it is not used, and a warning says so. A contradictory board
    raises no error: see `Analysis.problem`. `doubted`, (rows, columns) bool, says which
    tiles of a board are uncertain; a reading has its own.
    """
    return analyse_with(source, SolveOptions(mines, trust_flags, local), doubted)


def analyse_with(
    source: Board | Reading, options: SolveOptions, doubted: npt.NDArray[np.bool_] | None = None
) -> Analysis:
    """Compute all odds of a board or of a reading, as `analyse` does."""
    reading = None if isinstance(source, Board) else source
    board = source if isinstance(source, Board) else source.board
    count: int | None = None
    origin: MinesSource = "unknown"
    if not options.local:
        count, origin = mine_count(board, options.mines, reading.mines if reading is not None else None)
    warnings = [] if reading is None else _reading_warnings(reading)
    if board.continues and options.mines is not None:
        warnings.append(
            f"the mine count {options.mines} is not used: the board goes on beyond the "
            "picture, and it is not "
            "known how many of the mines lie there"
        )
    solution: Solution | None = None
    problem: ImpossibleBoard | TooWide | None = None
    try:
        solution, count, origin = _solve(board, count, origin, options, warnings)
    except (ImpossibleBoard, TooWide) as error:
        problem = error
    if origin == "counter":
        warnings += _counter_warnings(board, reading, count)
    if reading is not None and doubted is None:
        doubted = reading.uncertain
    return Analysis(board, reading, count, origin, solution, problem, tuple(warnings), doubted)


def _reading_warnings(reading: Reading) -> list[str]:
    unsure, tiles = int(reading.uncertain.sum()), reading.board.cells.size
    if (reading.board.cells > 8).all():
        return ["no opened tile was read: this is a new game, or not a Minesweeper board"]
    if unsure <= MOST_DOUBTED * tiles:
        return []
    return [
        f"{unsure} of {tiles} tiles were read with doubt: the model hardly knows this theme, or "
        "the picture shows "
        "more than the board. Check the tiles before you follow the odds; crop the picture to the board, "
        "omit --width, or teach the theme with `visionsweeper learn`"
    ]


def _counter_warnings(board: Board, reading: Reading | None, count: int | None) -> list[str]:
    standard = STANDARD_MINES.get((board.columns, board.rows))
    counter = None if reading is None else reading.counter
    if counter is None or standard is None or standard == count:
        return []
    return [
        f"the counter shows {counter.shown}, which makes {count} mines on the board; the standard count "
        f"for this size is {standard}: check it, or give the right one with --mines"
    ]


def picture(
    analysis: Analysis,
    *,
    best: Sequence[tuple[int, int]] | None = None,
    view: DrawnBoard | None = None,
) -> npt.NDArray[np.uint8]:
    """Draw the odds over the picture that was read, put upright where it was tilted.

    A board that came as text is drawn, unless `view` is a picture of it. `best` are the tiles to outline as
    the ones to open next, best first; without them the best that `advise` says.
    Returns (H, W, 3) uint8 RGB.
    """
    from visionsweeper.drawing.annotate import annotate  # only pictures need it
    from visionsweeper.drawing.board import draw_board

    if best is None:
        best = best_of(advise(analysis))
    shown = view or analysis.reading
    seen = shown or DrawnBoard(analysis.board, *draw_board(analysis.board))
    return annotate(
        seen.image,
        seen,
        analysis.solution,
        conflict=analysis.conflict,
        best=best,
        certain=analysis.certain,
        outline=shown is not None,
    )


def picture_of_guess(guess: Reading) -> npt.NDArray[np.uint8]:
    """Draw what the likeliest place would be, were it a board, and that it is a guess.

    `guess` is that of a NoBoardFound. Returns (H, W, 3) uint8 RGB.
    """
    from visionsweeper.drawing.sheet import below, written

    drawn = picture(analyse(guess, local=True), best=())
    text = " a guess: no board was found for certain, all tiles are in doubt"
    return below(drawn, written(text, width=drawn.shape[1], height=22))


def best_of(advice: Advice | None) -> list[tuple[int, int]]:
    """Return the tile to open next, as `picture` takes it; empty where there is none."""
    return [] if advice is None or advice.best is None else [advice.best]


def advise(analysis: Analysis, *, first_click: FirstClick = "opening") -> Advice | None:
    """Say which tile to open next; None where there are no odds to go by.

    Where nothing is open yet all odds are equal: the advice then comes from simulated games, and
    `first_click` is what the game promises of the first tile.
    """
    board = analysis.board
    if analysis.solution is None:
        return None
    untouched = board.covered.all()
    if untouched and analysis.mines and analysis.mines < board.cells.size:
        from visionsweeper.game.first_click import advise_first_click  # seldom needed
        from visionsweeper.game.rules import Rules

        # A board too full for an opening can still promise a safe tile; one too large has no such games.
        promises: list[FirstClick] = [first_click, "safe"] if first_click == "opening" else [first_click]
        for promise in promises:
            with suppress(InvalidInput, ImpossibleMineCount):
                rules = Rules(board.columns, board.rows, analysis.mines, first_click=promise)
                return advise_first_click(rules)
    if analysis.doubted is None and not analysis.mines_doubted:
        return analysis.solution.advice
    from visionsweeper.solver.advice import weigh_doubt  # loaded with the advice itself

    reading = analysis.reading
    confidence = np.ones(board.cells.shape) if reading is None else reading.confidence
    if reading is None and analysis.doubted is not None:
        confidence = np.where(analysis.doubted, 0.5, 1.0)
    return weigh_doubt(analysis.solution.advice, analysis.certain, board, confidence)


def mine_count(board: Board, given: int | None, counter: int | None) -> tuple[int | None, MinesSource]:
    """Choose the mine count: the given one, else the counter's, else the standard one for the size.

    Of a board that goes on beyond what is seen none is known.
    """
    if board.continues:
        return None, "unknown"
    if given is not None:
        return given, "given"
    if counter is not None:
        return counter, "counter"
    standard = STANDARD_MINES.get((board.columns, board.rows))
    return (None, "unknown") if standard is None else (standard, "standard")


def _solve(
    board: Board, count: int | None, origin: MinesSource, options: SolveOptions, warnings: list[str]
) -> tuple[Solution, int | None, MinesSource]:
    try:
        return _odds(board, count, options, warnings), count, origin
    except ImpossibleMineCount as error:
        if origin == "given":
            raise
        assumed = "the standard count for this size" if origin == "standard" else "read from the counter"
        warnings.append(
            f"a mine count of {count} ({assumed}) is impossible: {_range(error)}; the mine "
            "count is not used, "
            "give the right one with --mines"
        )
        return _odds(board, None, options, warnings), None, "unknown"


def _odds(board: Board, count: int | None, options: SolveOptions, warnings: list[str]) -> Solution:
    """Solve the board; where that takes too much, estimate what cannot be counted and say so."""
    limit = Limit(options.limit_memory or MEMORY, options.limit_seconds or SECONDS)
    try:
        return solve(board, count, trust_flags=options.trust_flags, limit=limit)
    except TooWide:
        from visionsweeper.solver.approximation import approximate  # seldom needed

        solution = approximate(board, count, trust_flags=options.trust_flags, limit=limit)
        if solution is None:
            raise
    if solution.estimated:
        error = format_percentage(max(solution.estimated.values()))
        warnings.append(
            f"the frontier is too wide to count exactly: the odds of {len(solution.estimated)} tiles are "
            f"estimates, right within {error} (95 % confidence); open more tiles there, or allow more with "
            "--limit-memory and --limit-seconds"
        )
    return solution


def _range(error: ImpossibleMineCount) -> str:
    if error.least == error.most:
        return f"the numbers need exactly {error.least}"
    return f"the numbers allow {error.least} to {error.most}"
