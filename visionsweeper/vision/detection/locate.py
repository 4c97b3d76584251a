"""Where the board lies, given the picture and what the user says of it: width, height, box."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.errors import NoBoardFound
from visionsweeper.geometry import Box, Grid
from visionsweeper.vision.detection.candidates import (
    BEYOND_DOUBT,
    BOX_SLACK,
    Candidate,
    Effort,
    Wanted,
    judge,
    overlap,
    same_lattice,
    with_more,
)
from visionsweeper.vision.detection.centred import centred
from visionsweeper.vision.detection.grid import checked_box, fit_grid
from visionsweeper.vision.detection.missed_tiles import with_missed_tiles
from visionsweeper.vision.detection.other_boards import other_boards
from visionsweeper.vision.detection.plain_cover import plain_covers
from visionsweeper.vision.detection.search import given_cuts, is_larger, search
from visionsweeper.vision.part_tiles import with_part_tiles

Image = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]

_NOTHING: Final = Wanted()
"""Nothing is known beforehand."""

_MOST_UNPROVEN: Final = 2_000
"""Tiles of a cut that does not convince and is read all the same: with more it is a pattern."""

_MOST_RIVALS: Final = 3
"""Other cuts that are read where no cut is convincing by itself."""

_MOST_NAMED: Final = 3
"""Boards that an error names."""

_MOST_HEADERS: Final = 2
"""Lines that a board found may have more than it should: numbers of its rows, say, at both sides."""


@dataclass(frozen=True)
class Location:
    """Where the board lies, or may lie."""

    grid: Grid
    """The likeliest place."""
    convincing: bool
    """Whether the borders and the tiles are where this grid says."""
    blurred: bool = False
    """Whether they are beyond doubt, but only in the blurred picture: the reading has to bear it out."""
    others: tuple[Candidate, ...] = ()
    """Other boards in the picture, the largest first; not all of them convince."""
    rivals: tuple[Grid, ...] = ()
    """Other cuts of what may be the same board, the likeliest first; empty where `convincing`.

    Where `grid` is not as large as the user said, those that are.
    """
    as_told: bool = False
    """Whether the user said how wide or high the board is: then there is one, whatever it looks like."""
    contrary: NoBoardFound | None = None
    """The error to raise where what is read contradicts itself: a board of another size is likelier.

    With it `grid` may be that board: where it is not the one of the `wanted` size with headers around it, or
    without outer lines that show beside it, and none of the `rivals` is read as surely, the error is raised.
    """
    considered: tuple[Candidate, ...] = ()
    """All that was judged, the likeliest first."""
    wanted: Wanted = _NOTHING
    """What the user said of it."""


def locate(
    image: Image, width: int | None = None, height: int | None = None, box: Box | None = None
) -> Location:
    """Find the board in an (H, W, 3) uint8 RGB picture, as far as known `width` x `height` tiles.

    Each thing known narrows the search: only boards of that size, and within the box (x0, y0, x1, y1 in
    pixels) give or take three quarters of a tile, are looked for. With all three given the user is obeyed.
    Raises NoBoardFound where there is none, InvalidInput for an impossible box or size. Where only one of
    another size is found, the reading has to choose: see Location.contrary.
    """
    wanted = Wanted(width, height, None if box is None else checked_box(image, box))
    found = search(image, wanted)
    try:
        place = _chosen(image, wanted, found)
    except NoBoardFound as error:
        error.considered = error.considered or tuple(found)
        raise
    return replace(place, considered=place.considered or tuple(found), wanted=wanted)


def _chosen(image: Image, wanted: Wanted, found: list[Candidate]) -> Location:
    """Choose among the candidates, or where none convinces, say what is to be read. Raises NoBoardFound."""
    width, height = wanted.columns, wanted.rows
    best = found[0] if found else None
    settled = best is None or best.beyond_doubt or (best.convincing and wanted.told)
    plated = None if settled else _with_plain_cover(image, found, wanted)
    if best is not None and best.convincing and not best.blurred:
        believed = _believed(image, best, found, wanted, plated)
        if believed is not None:
            return believed
    contrary = None
    if wanted.told and (best is None or best.blurred or best.weakest < 0) and not wanted.complete:
        as_told, contrary = _as_told(image, wanted, found)
        if as_told is not None:
            return as_told
    likely = best if best is not None and _plausible(best) else None
    if (
        likely is not None
        and likely.blurred
        and likely.beyond_doubt
        and contrary is None
        and _alone(image, likely, found, wanted)
    ):
        return Location(likely.grid, False, blurred=True, as_told=wanted.told)
    if width is not None and height is not None and wanted.box is not None:
        return _obeyed(fit_grid(image, width, height, wanted.box), wanted.box, found)
    if likely is not None:
        wholes = _wholes(likely, found, wanted)
        rest = [each for each in found[1:] if _plausible(each) and each not in wholes]
        rivals = tuple(each.grid for each in (*wholes, *rest))[:_MOST_RIVALS]
        rivals = (*_joined(likely.grid, rivals, wanted), *rivals)
        larger = _with_unseen_tiles(image, likely, wanted)
        if larger is not likely.grid:
            rivals = (larger, *rivals)
        if plated is not None:
            rivals = (plated, *(each for each in rivals if not _same(each, plated)))
        return Location(likely.grid, False, rivals=rivals, as_told=wanted.told, contrary=contrary)
    if width is None:
        raise _nothing(image, wanted)
    rivals = ()
    if height is None and best is not None and best.score > 0 and best.grid.fills(wanted.frame(image.shape)):
        # What fills the picture or box tells the number of rows: tiles of text are not square.
        height, rivals = best.grid.rows, (best.grid,)
    return Location(fit_grid(image, width, height, wanted.box), False, rivals=rivals, as_told=True)


def _obeyed(snapped: Grid, box: Box, found: list[Candidate]) -> Location:
    """Return the cuts that fill the told box, where nothing of the told size convinces.

    The likeliest, the box as `fit_grid` has `snapped` it to what is seen, and its even division.
    """
    likely = [each.grid for each in found if _plausible(each) and each.grid.fills(box, BOX_SLACK)]
    cuts = (*likely[:_MOST_RIVALS], snapped, Grid.even(box, snapped.columns, snapped.rows))
    return Location(cuts[0], False, rivals=cuts[1:], as_told=True)


def _as_told(
    image: Image, wanted: Wanted, found: list[Candidate]
) -> tuple[Location | None, NoBoardFound | None]:
    """Look for a board of the told size among those of any size, where none of that size is seen well.

    Returns it, or else what the reading has to choose from if none of the told size is likely either, and
    the error that says which other boards were found, if these are likelier.
    """
    best = found[0] if found else None
    free = search(image, Wanted(box=wanted.box), told=True)
    others = [each for each in free if each.convincing]
    surest_first = sorted(others, key=lambda found: found.blurred and not found.beyond_doubt)
    for each in surest_first:
        grid = _with_part_tiles(image, each.grid, wanted)
        if grid is not None:
            blurred = each.blurred and each.beyond_doubt
            return Location(grid, not each.blurred, blurred=blurred, as_told=True), None
    whole = _with_plain_cover(image, free, wanted)
    if whole is not None:
        return Location(whole, True, as_told=True), None
    if not others or (best is not None and best.convincing):
        return None, None
    contrary = _another_size(others, wanted)
    # A row above the board may look like one of it: then the user knows better.
    if best is not None and wanted.whole_size and best.forgone <= best.score / 2:
        return None, contrary
    larger = next((each.grid for each in others if _with_headers(each.grid, wanted)), None)
    place = Location(
        larger or surest_first[0].grid,
        False,
        rivals=_told_cuts(image, best, wanted),
        as_told=True,
        contrary=contrary,
        considered=(*others, *found),
    )
    return place, contrary


def _told_cuts(image: Image, best: Candidate | None, wanted: Wanted) -> tuple[Grid, ...]:
    """Return cuts of the size that the user said: the likeliest, and the even division of the picture or box.

    The likeliest has to end where it is seen to end; whether tiles lie within, the reading will tell.
    """
    cuts = [best.grid] if best is not None and best.score > 0 and min(best.sides) > 0 else []
    return (*cuts, *given_cuts(image, wanted))


def _with_headers(grid: Grid, wanted: Wanted) -> bool:
    """Tell whether a board is as large as told but for a line at one side or both, as headers are."""
    more = [
        has - told
        for has, told in ((grid.columns, wanted.columns), (grid.rows, wanted.rows))
        if told is not None
    ]
    return min(more) >= 0 and 0 < max(more) <= _MOST_HEADERS


def _wholes(best: Candidate, found: list[Candidate], wanted: Wanted) -> list[Candidate]:
    """Return the larger boards that hold a board and are likelier as a whole, though not at each side.

    The opened part of a board may have clear borders where covered tiles without any follow. Both have tiles
    of about one size: as many fit into the smaller board. None where the user said how wide or high it is.
    """
    if best.beyond_doubt or wanted.told:
        return []
    x0, y0, x1, y1 = best.grid.box

    def holds(grid: Grid) -> bool:
        across, down = BOX_SLACK * grid.pitch_x, BOX_SLACK * grid.pitch_y
        left, top, right, bottom = grid.box
        return (
            left <= x0 + across
            and top <= y0 + down
            and right >= x1 - across
            and bottom >= y1 - down
            and round((x1 - x0) / grid.pitch_x) == best.grid.columns
            and round((y1 - y0) / grid.pitch_y) == best.grid.rows
        )

    likelier = (each for each in found if each.score > best.score and _plausible(each))
    return [each for each in likelier if is_larger(each.grid, best.grid) and holds(each.grid)]


def _joined(grid: Grid, rivals: Iterable[Grid], wanted: Wanted) -> list[Grid]:
    """Return the board that two cuts in one lattice are parts of, where neither holds the other.

    Rows may show in the one, and columns in the other. It has half more tiles than either at most.
    """
    for other in rivals:
        if not (same_lattice(grid, other) and overlap(grid, other)):
            continue
        joined = Grid(_covering(grid.x, other.x), _covering(grid.y, other.y))
        tiles = joined.columns * joined.rows
        parts = [each.columns * each.rows for each in (grid, other)]
        if max(parts) < tiles <= min(3 * min(parts) // 2, _MOST_UNPROVEN) and wanted.fits(joined):
            return [joined]
    return []


def _covering(edges: Floats, others: Floats) -> Floats:
    """Edges along an axis, continued evenly to cover what others of the same lattice do."""
    pitch = float(edges[-1] - edges[0]) / (len(edges) - 1)
    before = max(round((edges[0] - others[0]) / pitch), 0)
    after = max(round((others[-1] - edges[-1]) / pitch), 0)
    return with_more(edges, before, after)


def _with_part_tiles(image: Image, grid: Grid, wanted: Wanted) -> Grid | None:
    """Return the board with tiles that the picture cuts through; None where they are not as many as told."""
    if wanted.box is None:
        return with_part_tiles(image, grid, wanted.columns, wanted.rows)
    return grid if wanted.fits(grid) else None


def _believed(
    image: Image, best: Candidate, found: list[Candidate], wanted: Wanted, plated: Grid | None
) -> Location | None:
    """Return a board whose borders convince, with what its lattice missed; None where it is in doubt then.

    So does a board that it may be a part of, with its `plated` tiles.
    """
    others = () if wanted.told and wanted.box is not None else tuple(other_boards(image, best, found, wanted))
    if not others and (plated is not None or _wholes(best, found, wanted)):
        return None
    # Tiles beside the board that belong to another board are none that it misses.
    if others or wanted != _NOTHING:
        grid = _with_part_tiles(image, best.grid, wanted) if wanted.told and not others else None
        return Location(grid or best.grid, True, others=others, as_told=wanted.told)
    whole = _with_missed_tiles(image, best, wanted)
    if whole is None:
        return None
    return Location(whole.grid, True, considered=() if whole is best else (whole, *found))


def _with_missed_tiles(image: Image, best: Candidate, wanted: Wanted) -> Candidate | None:
    """Return the board with the lines of tiles that its lattice missed; None where these are not certain."""
    whole = with_missed_tiles(image, best.grid, best.sides)
    if whole.grid is best.grid:
        return best
    again = judge(image, whole.grid, wanted, Effort()) if whole.convincing else None
    if again is None or not again.convincing:
        return None
    size = (whole.grid.columns, whole.grid.rows)
    return again if (again.grid.columns, again.grid.rows) == size else None


def _alone(image: Image, best: Candidate, found: list[Candidate], wanted: Wanted) -> bool:
    """Whether neither lines of the board nor another board lie beside it."""
    return _with_missed_tiles(image, best, wanted) is best and not other_boards(image, best, found, wanted)


def _with_unseen_tiles(image: Image, best: Candidate, wanted: Wanted) -> Grid:
    """Return the board with tiles that look like what is around it, along the axes of unknown size."""
    if wanted.box is not None:
        return best.grid
    across = (0.0, 0.0) if wanted.columns is not None else best.sides[:2]
    down = (0.0, 0.0) if wanted.rows is not None else best.sides[2:]
    return centred(image, best.grid, (*across, *down))


def _with_plain_cover(image: Image, found: list[Candidate], wanted: Wanted) -> Grid | None:
    """Return the board that one of the likeliest is a part of if covered tiles have no lines between them.

    It is larger than the likeliest, and goes on at no side where its part ends beyond doubt.
    """
    if wanted.box is not None:
        return None
    parts: list[Candidate] = []
    for part in found[:_MOST_RIVALS]:
        if _plausible(part) and not any(_same(part.grid, other.grid) for other in parts):
            parts.append(part)
    for part in parts:
        for whole in plain_covers(image, part.grid):
            ends = np.greater_equal(part.sides, BEYOND_DOUBT) & _longer(part.grid, whole)
            if wanted.fits(whole) and is_larger(whole, found[0].grid) and not ends.any():
                return whole
    return None


def _same(one: Grid, other: Grid) -> bool:
    """Tell whether two grids are one board, cut alike."""
    return (one.columns, one.rows) == (other.columns, other.rows) and same_lattice(one, other)


def _longer(part: Grid, whole: Grid) -> tuple[bool, bool, bool, bool]:
    """At which sides, left, right, top and bottom, a board goes on beyond a part of it."""
    (x0, y0, x1, y1), (left, top, right, bottom) = part.box, whole.box
    across, down = part.pitch_x / 2, part.pitch_y / 2
    return left < x0 - across, right > x1 + across, top < y0 - down, bottom > y1 + down


def _plausible(candidate: Candidate) -> bool:
    """Tell whether more speaks for a candidate than against it, and it is not too large to be read."""
    tiles = candidate.grid.columns * candidate.grid.rows
    return candidate.score > 0 and candidate.inside > 0 and tiles <= _MOST_UNPROVEN


def described(grids: list[Grid]) -> str:
    """Return the boards with their sizes and boxes, as the beginning of a sentence that ends in "found"."""
    if len(grids) == 1:
        return f"a board of {named(grids[0])} was"
    *most, last = (f"one of {named(grid)}" for grid in grids)
    return f"{len(grids)} boards, {', '.join(most)} and {last}, were"


def named(grid: Grid) -> str:
    """Size and box of a board, as errors tell them."""
    x0, y0, x1, y1 = (max(0, round(edge)) for edge in grid.box)
    return f"{grid.columns}x{grid.rows} tiles at {x0},{y0},{x1},{y1}"


def _another_size(found: list[Candidate], wanted: Wanted) -> NoBoardFound:
    sizes = [("width", wanted.columns), ("height", wanted.rows)]
    given = " ".join(f"--{name} {value}" for name, value in sizes if value is not None)
    omit = " and ".join(f"--{name}" for name, value in sizes if value is not None)
    boards: list[Grid] = []
    for each in sorted(found, key=lambda each: -each.score):
        if not any(overlap(each.grid, board) for board in boards):
            boards.append(each.grid)
    error = NoBoardFound(
        f"{given} was given, but {described(boards[:_MOST_NAMED])} found: omit {omit}, "
        "or say where the board lies with --box"
    )
    error.considered = tuple(found)
    return error


def _nothing(image: Image, wanted: Wanted) -> NoBoardFound:
    where = "in this picture" if wanted.box is None else "in that box of the picture"
    return NoBoardFound(
        f"no board was found {where} of {image.shape[1]}x{image.shape[0]} px; "
        "crop it to the board and give its width in tiles with --width"
    )
