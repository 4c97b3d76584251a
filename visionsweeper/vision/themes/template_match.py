"""Tiles that a learned theme knows: their looks are settled before the rest of the picture is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED, FLAG
from visionsweeper.geometry import Grid
from visionsweeper.vision.cutting import cut_tiles
from visionsweeper.vision.themes.similarity import JITTERS, Cut, Exemplars, Sheet, different_ones, weights_of
from visionsweeper.vision.themes.theme import LearnedTheme
from visionsweeper.vision.tiles.classes import CLASS_NAMES
from visionsweeper.vision.tiles.context import Scene
from visionsweeper.vision.tiles.features import TILE_SIZE, FloatArray

UNKNOWN: Final = 255
"""Tile class of a tile that no exemplar is like."""

_MATCHED_CONFIDENCE: Final = 0.999
_LOG_RULED_OUT: Final = -30.0  # natural log, of every other class
_NEAREST_RATIO: Final = 0.72  # nearest of another look has to be that much farther away
_MARGIN_SHARE: Final = 0.5  # of an exemplar: share of its distance to the next of another look
_LOCAL_RATIO: Final = 0.5  # the same for where a tile differs most
_LOCAL_REACH: Final = 1.6  # in units of chance
_LOCAL_FARTHEST: Final = 2.0  # beyond, a part of the tile is something else
_LOCAL_COPY: Final = 0.4  # the same of tiles that are to be copies
_FARTHEST_ALIKE: Final = 2.0  # in units of chance; beyond, nothing is alike
_LEAST_KNOWN: Final = 0.75  # share of the tiles that a theme has to know to be the picture's
_HALF_ALIKE: Final = 1.1  # in units of chance: an unknown tile nearer than this is half alike
_MOST_HALF_ALIKE: Final = 0.33
"""Of these for each known tile, and the theme says nothing of what it does not know."""
_LEAST_KNOWN_UNCOVERED: Final = 0.97  # share with which a board without a covered tile is believed
_LEAST_SIGNS_KNOWN: Final = 0.5  # share that it has to know of the tiles that are neither covered nor blank
_LEAST_CLASSES: Final = 2  # looks that it has to know among them
_LEAST_KNOWN_AT_FIRST: Final = 0.3  # share of the tiles known at first glance below which no second is taken
_OWN_SHARE: Final = 0.55
"""Of an exemplar's distance to the next of another look: up to here it is its own look."""
_LOG_MOST_AGAINST: Final = 6.0
"""Natural log: how unlikely a known class is for a tile that is unlike all its exemplars."""
_PLAINLY_SHARE: Final = 0.4
"""Share of the way to another look in the embedding up to which pixels say nothing."""
_PLAINLY_RANGE: Final = 0.3  # and over which they come to say all
_LEAST_MARGIN: Final = 0.7  # in units of chance
_ONE_KIND: Final = 0.45  # in units of chance: two tiles of a kind that the theme does not know
_MOST_UNKNOWN: Final = 160  # unknown tiles beyond which no more time is spent on them
_WIDE_SHIFTS: Final = tuple(
    (down, right)
    for down in range(-3, 4)
    for right in range(-3, 4)
    if max(abs(down), abs(right)) > 1 and abs(down) + abs(right) < 5
)
_LOG_OTHER_FAMILY: Final = 2.0
"""Natural log, against a number where the nearest exemplar is none, or the reverse."""
_NUMBERS: Final = tuple(range(1, 9))
_CUT_TILES: Final = 16  # tiles by which the place of the cut is found, twice
_CUT_CHOSEN_AMONG: Final = 120  # tiles among which different ones are looked for
_CUT_FITS: Final = 0.5  # mean distance of these with which the cut is taken for right
_CUT_MISFITS: Final = 0.8  # and above which the signs may be drawn in another size
_CUT_STRANGE: Final = 2.2  # and from which the picture is another look's
_CUT_HOPELESS: Final = 2.6  # the same before a better cut is looked for


@dataclass(frozen=True)
class TemplateMatch:
    """What a learned theme says of one picture's tiles."""

    theme: str
    """Name of the theme that answers."""
    classes: npt.NDArray[np.uint8]
    """(n,) tile class of each tile, row-major; UNKNOWN where the theme has nothing like it."""
    hints: FloatArray
    """(n, classes) natural log: how well each class suits an unknown tile, as far as the theme can tell."""
    kinds: npt.NDArray[np.intp]
    """(n,) number of the kind of each unknown tile, by the theme's own measure; 0 for known ones."""

    def divide(self, scene: Scene) -> tuple[Scene, npt.NDArray[np.intp]]:
        """Groups of one matched class each, or of none; and of which former group each is a part."""
        kind = np.where(self.classes == UNKNOWN, UNKNOWN + self.kinds, self.classes)
        base = int(kind.max()) + 1
        named, groups = np.unique(scene.groups * base + kind, return_inverse=True)
        parts = named // base
        probability = scene.probability[parts].copy()
        classes = np.minimum(named % base, UNKNOWN)
        known = np.flatnonzero(classes != UNKNOWN)
        probability[known] = 0.0
        probability[known, classes[known]] = 1.0
        return replace(scene, groups=groups.reshape(-1), probability=probability), parts

    def without(self, doubted: npt.NDArray[np.bool_]) -> TemplateMatch:
        """The same with the (n,) doubted tiles unknown."""
        return replace(self, classes=np.where(doubted, np.uint8(UNKNOWN), self.classes).astype(np.uint8))

    def settle(
        self, likelihood: FloatArray, groups: npt.NDArray[np.intp], shares: FloatArray | None = None
    ) -> FloatArray:
        """The (groups, classes) log likelihood with no doubt left about the matched groups."""
        size = np.bincount(groups, minlength=len(likelihood))[:, None]
        hints = np.zeros_like(likelihood)
        np.add.at(hints, groups, self.hints)
        hints = np.maximum(hints / size, -_LOG_MOST_AGAINST)
        if shares is not None:
            # What the embedding knows as that class may yet be drawn in another size; a crossed flag is none.
            scale = np.clip((shares - _PLAINLY_SHARE) / _PLAINLY_RANGE, 0.0, 1.0)
            scale[:, FLAG] = np.maximum(scale[:, FLAG], 0.5)
            hints *= scale
        settled: FloatArray = (likelihood + hints).astype(np.float32)
        known, classes = self._known(groups)
        settled[known] = _LOG_RULED_OUT
        settled[known, classes] = 0.0
        return settled

    def raise_confidence(
        self, confidence: npt.NDArray[np.float64], groups: npt.NDArray[np.intp], doubtful: Sequence[int]
    ) -> npt.NDArray[np.float64]:
        """The (groups,) confidence, high for matched groups unless the numbers speak against them."""
        known, _ = self._known(groups)
        sure = np.setdiff1d(known, np.asarray(doubtful, dtype=np.intp))
        raised = confidence.copy()
        raised[sure] = np.maximum(raised[sure], _MATCHED_CONFIDENCE)
        return raised

    def _known(self, groups: npt.NDArray[np.intp]) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.uint8]]:
        """The matched groups, and the class of each."""
        members, first = np.unique(groups, return_index=True)
        classes = self.classes[first]
        return members[classes != UNKNOWN], classes[classes != UNKNOWN]


def match_template(
    image: npt.NDArray[np.uint8], grid: Grid, themes: Sequence[LearnedTheme]
) -> TemplateMatch | None:
    """What the learned theme that the picture is drawn in says of its tiles; None: it is in none of them."""
    return match_tiles(cut_tiles(image, grid, TILE_SIZE), grid, themes) if themes else None


def match_tiles(
    tiles: npt.NDArray[np.uint8], grid: Grid, themes: Sequence[LearnedTheme]
) -> TemplateMatch | None:
    """The same of the (rows * columns, 32, 32, 3) tiles that lie under `grid`."""
    if not themes:
        return None
    sheet = Sheet.of(tiles, grid.rows, grid.columns)
    plain = sheet.sketches(Cut())
    answers = [_matched(sheet, plain, theme) for theme in themes]
    fitting = [answer for answer in answers if answer is not None]
    return max(fitting, key=lambda answer: int((answer.classes != UNKNOWN).sum()), default=None)


def _matched(sheet: Sheet, plain: FloatArray, theme: LearnedTheme) -> TemplateMatch | None:
    """What a theme says of the tiles; None where too few are like any of its own."""
    cut = _cut(sheet, plain, theme)
    if cut is None:
        return None
    sketches = plain if cut == Cut() else sheet.sketches(cut)
    distances = theme.exemplars.distances(sketches)
    classes = _decide(distances, theme)
    _unless_a_part_differs(classes, sketches, distances, theme)
    unknown = np.flatnonzero(classes == UNKNOWN)
    if len(unknown) > (1 - _LEAST_KNOWN_AT_FIRST) * len(classes):
        return None
    hints = np.zeros((len(classes), len(CLASS_NAMES)), dtype=np.float32)
    least = distances.min(axis=1)
    near = distances[unknown]
    kinds = np.zeros(len(classes), dtype=np.intp)
    for shifts in (JITTERS, _WIDE_SHIFTS):
        if len(unknown) == 0 or (shifts is _WIDE_SHIFTS and len(unknown) > _MOST_UNKNOWN):
            break
        moved = np.stack([sheet.sketches(cut.moved(y, x), unknown) for y, x in shifts])
        every = np.stack([theme.exemplars.distances(each) for each in moved])
        near = every.min(axis=0)
        least[unknown] = near.min(axis=1)
        if len(unknown) <= _MOST_UNKNOWN:
            local = _local(moved, every, theme)
            found = _decide(near, theme)
            close = found == UNKNOWN
            rows = np.flatnonzero(~close)
            found[rows[local[rows, found[rows]] > _part(found[rows], theme)]] = UNKNOWN
            found[close] = _decide_locally(local[close])
            classes[unknown] = found
        left = classes[unknown] == UNKNOWN
        unknown, near = unknown[left], near[left]
    known = classes != UNKNOWN
    signs = known & ~np.isin(classes, (0, COVERED))
    # Plain tiles are alike in many looks; signs tell them apart.
    if known.mean() < _LEAST_KNOWN or signs.sum() < _LEAST_SIGNS_KNOWN * (signs.sum() + (~known).sum()):
        return None
    if len(np.unique(classes[known])) < _LEAST_CLASSES:
        return None
    if not np.isin(classes, (COVERED, FLAG)).any() and known.mean() < _LEAST_KNOWN_UNCOVERED:
        return None  # a theme whose covered tiles are nowhere to be seen is another one
    kinds[unknown] = _kinds(sheet, cut, unknown)
    if len(unknown):
        glyphs = least[signs]
        chance = _quantile(glyphs, 0.9) if len(glyphs) else 0.0
        # Signs drawn in another size have other strokes: being unlike the exemplars then says little.
        # What is like nothing here may be something that was not taught; what is half alike casts doubt.
        doubt = float((least[unknown] < _HALF_ALIKE).sum()) / (float(known.sum()) + 1.0)
        trust = float(np.clip((_MOST_HALF_ALIKE - doubt) / _MOST_HALF_ALIKE, 0.0, 1.0)) * (cut.zoom == 1.0)
        hints[unknown] = trust * _hints(near, theme, chance)
    for array in (classes, hints, kinds):
        array.setflags(write=False)
    return TemplateMatch(theme.name, classes, hints, kinds)


def _part(classes: npt.NDArray[np.uint8], theme: LearnedTheme) -> FloatArray:
    """(n,) how far a tile of each class may differ from its exemplar where it differs most."""
    blank = np.isin(classes, (0, COVERED))
    # Covered tiles and blanks are often all but alike: one of them alone says little of the other.
    plain = np.inf if np.isin((0, COVERED), theme.classes).all() else _LOCAL_COPY
    return np.where(blank, plain, _LOCAL_FARTHEST).astype(np.float32)


def _unless_a_part_differs(
    classes: npt.NDArray[np.uint8], sketches: FloatArray, distances: FloatArray, theme: LearnedTheme
) -> None:
    """Set those of the (n,) looks to UNKNOWN that have a small part that their exemplar has not."""
    farthest = _part(classes, theme)
    tiles = np.flatnonzero((classes != UNKNOWN) & np.isfinite(farthest))
    if len(tiles):
        local = theme.exemplars.local(sketches[tiles], distances[tiles].argmin(axis=1))
        classes[tiles[local > farthest[tiles]]] = UNKNOWN


def _quantile(values: FloatArray, share: float) -> float:
    return float(np.sort(values)[int(share * (len(values) - 1))])


def _local(moved: FloatArray, every: FloatArray, theme: LearnedTheme) -> FloatArray:
    """(n, classes) how far each tile is from each class where it differs most; infinite for looks not known.

    `moved`: (shifts, n, SKETCH); `every`: (shifts, n, m) distances to the exemplars. A small sign in a corner
    tells more than the mean over a tile.
    """
    local = np.full((moved.shape[1], len(CLASS_NAMES)), np.inf, dtype=np.float32)
    tiles = np.arange(moved.shape[1])
    for tile_class in np.unique(theme.classes).tolist():
        its = np.flatnonzero(theme.classes == tile_class)
        best = every[:, :, its].transpose(1, 0, 2).reshape(len(tiles), -1).argmin(axis=1)
        shift, exemplar = best // len(its), its[best % len(its)]
        local[:, tile_class] = theme.exemplars.local(moved[shift, tiles], exemplar)
    return local


def _decide_locally(local: FloatArray) -> npt.NDArray[np.uint8]:
    """(n,) tile classes by the (n, classes) local distances; UNKNOWN where no class is plainly nearest."""
    order = np.sort(local, axis=1)
    sure = (order[:, 0] < _LOCAL_RATIO * order[:, 1]) & (order[:, 0] < _LOCAL_REACH)
    return np.where(sure, local.argmin(axis=1), UNKNOWN).astype(np.uint8)


def _kinds(sheet: Sheet, cut: Cut, tiles: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """(k,) numbers from 0 of the kinds among the given tiles: each is like the first of its kind."""
    numbers = np.full(len(tiles), -1, dtype=np.intp)
    if len(tiles) == 0 or len(tiles) > _MOST_UNKNOWN:
        return np.zeros(len(tiles), dtype=np.intp)
    plain = sheet.sketches(cut, tiles)
    moved = np.stack([sheet.sketches(cut.moved(down, right), tiles) for down, right in JITTERS])
    spread = ((moved - plain) ** 2).mean(axis=0)
    own = Exemplars(plain, weights_of(spread))
    distances = np.min([own.distances(each) for each in moved], axis=0)
    distances = np.minimum(distances, distances.T)
    count = 0
    for i in range(len(tiles)):
        if numbers[i] < 0:
            alike = (distances[i] < _ONE_KIND) & (numbers < 0)
            alike[i] = True
            numbers[alike] = count
            count += 1
    return numbers


def _hints(distances: FloatArray, theme: LearnedTheme, chance: float) -> FloatArray:
    """(n, classes) what the (n, m) distances of unknown tiles say for and against each class.

    A class that the theme knows is ruled out as far as its exemplars are farther away than other classes are
    from them; `chance` is how far the tiles it knows are from theirs. Of the other classes those are likelier
    that belong to the family of the nearest exemplar.
    """
    hints = np.zeros((len(distances), len(CLASS_NAMES)), dtype=np.float32)
    family = np.isin(theme.classes, _NUMBERS)[distances.argmin(axis=1)]
    numbers = np.isin(np.arange(len(CLASS_NAMES)), _NUMBERS)
    hints[:] = np.where(family[:, None] == numbers[None, :], 0.0, -_LOG_OTHER_FAMILY)
    share = distances / np.maximum(theme.margin, max(_LEAST_MARGIN, 2.0 * chance))
    best = distances.min(axis=1)
    for tile_class in np.unique(theme.classes).tolist():
        its = theme.classes == tile_class
        beyond = (share[:, its].min(axis=1) - _OWN_SHARE) / (1.0 - _OWN_SHARE)
        behind = (distances[:, its].min(axis=1) / np.maximum(best, 0.3) - 1.15) / 0.6
        hints[:, tile_class] = -_LOG_MOST_AGAINST * np.clip(np.maximum(beyond, behind), 0.0, 1.0)
    return hints


def _decide(distances: FloatArray, theme: LearnedTheme) -> npt.NDArray[np.uint8]:
    """(n,) tile classes by (n, m) distances to the exemplars; UNKNOWN where no class is plainly nearest."""
    nearest = distances.argmin(axis=1)
    classes = theme.classes[nearest]
    least = distances[np.arange(len(distances)), nearest]
    other = np.where(theme.classes[None, :] == classes[:, None], np.inf, distances).min(axis=1)
    sure = (
        (least < _NEAREST_RATIO * other)
        & (least < _MARGIN_SHARE * theme.margin[nearest])
        & (least < _FARTHEST_ALIKE)
    )
    return np.where(sure, classes, np.uint8(UNKNOWN)).astype(np.uint8)


def _cut(sheet: Sheet, plain: FloatArray, theme: LearnedTheme) -> Cut | None:
    """How the picture is to be cut to be like the theme's exemplars; None: it is another look's."""
    few = np.linspace(0, len(plain) - 1, min(len(plain), _CUT_TILES)).astype(np.intp)
    step = max(1, len(plain) // _CUT_CHOSEN_AMONG)
    few = np.unique(np.append(few, step * np.array(different_ones(plain[::step], _CUT_TILES))))

    def misfit(cut: Cut) -> float:
        if cut not in seen:
            sketches = plain[few] if cut == Cut() else sheet.sketches(cut, few)
            nearest = theme.exemplars.distances(sketches).min(axis=1)
            change = float(np.hypot(cut.down, cut.right)) + 20.0 * abs(float(np.log(cut.zoom)))
            seen[cut] = float(np.minimum(nearest, 3.0).mean()) + 0.005 * change
        return seen[cut]

    def best_of(cuts: list[Cut]) -> Cut:
        return min(cuts, key=misfit)

    seen: dict[Cut, float] = {}
    best = Cut()
    if misfit(best) > _CUT_HOPELESS:
        return None
    if misfit(best) > _CUT_FITS:
        best = best_of([best.moved(down, right) for down in range(-8, 9, 4) for right in range(-8, 9, 4)])
        best = best_of([best.moved(2 * down, 2 * right) for down, right in JITTERS])
        best = best_of([best.moved(down, right) for down, right in JITTERS])
        best = best_of([best, *(replace(best, zoom=zoom) for zoom in theme.zooms if 0.8 < zoom < 1.2)])
        if misfit(best) > _CUT_MISFITS:
            best = best_of([best, *(Cut(zoom=zoom) for zoom in theme.zooms)])
    best = best_of([best.moved(down, right) for down, right in JITTERS])
    return best if misfit(best) < _CUT_STRANGE else None
