"""The mine counter beside the board: found, read, and told from timers, levels and other numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED, FLAG, MINE, SAFE, STANDARD_MINES, Board
from visionsweeper.geometry import Grid, PixelBox
from visionsweeper.vision.counter.glyphs import ICONS, SIGNS, CharacterModel, load_characters
from visionsweeper.vision.counter.seven_segment import Display, find_displays
from visionsweeper.vision.counter.strokes import FloatArray, contrasts, find_strokes, normalised
from visionsweeper.vision.counter.text_lines import Line, Number, Word, meaning, numbers, read_lines
from visionsweeper.vision.cutting import cut_tiles

ByteArray = npt.NDArray[np.uint8]
Kind: TypeAlias = Literal["left", "total", "flags/total", "left/total"]
"""What the counter shows: mines left, all mines, or two numbers."""

LEAST_CONFIDENCE: Final = 0.75
"""Below this there is no answer: a wrong count poisons every probability, none falls back on the standard."""

_USUAL: Final = STANDARD_MINES | {(10, 8): 10, (18, 14): 40, (24, 20): 99, (10, 10): 10}
"""(width, height) -> mine count that is widespread, beyond the standard games."""
_ICON_LABELS: Final = tuple(zip(ICONS, ("mines", "flags", "time"), strict=True))
_SETTLED_FROM: Final = 0.84
_LEGIBLE: Final = 0.4
"""Probability of the least certain digit from which a number is considered at all."""
_LARGE: Final = 36.0
"""Pitch, px, from which writing may be too large to be seen as strokes at full size."""
_MARGIN: Final = 0.6
"""A picture that shows less than this around the board, in tiles, is cropped: there is no counter in it."""
_OFF_THE_MIDDLE: Final = 0.2
"""Of a tile, how far from its middle a number on it may stand."""
_EDGE_ALIKE: Final = 12.0
"""Gray levels that the mean colours of the edges of two tiles of one board may differ by."""
_REACH: Final = (190.0, 6.5, 560.0)
"""How far from the board counters are looked for: at least so many px, so many tiles, at most so many px."""


@dataclass(frozen=True)
class Counter:
    """A mine counter that was read."""

    mines: int
    """Mines on the whole board."""
    shown: str
    """What is written there, such as "-1" or "3/10"."""
    kind: Kind
    box: PixelBox
    """x0, y0, x1, y1 of the number, px of the picture."""
    confidence: float
    """0 to 1."""


@dataclass(frozen=True)
class _Known:
    """What the board says about its mines."""

    size: tuple[int, int]
    """Columns, rows."""
    flags: int
    """Flags put, right or wrong."""
    least: int
    most: int
    doubtful: bool
    """Whether the number of flags is in doubt."""
    lost: int
    """Mines shown."""

    @property
    def usual(self) -> int | None:
        return _USUAL.get(self.size)

    def possible(self, mines: int) -> bool:
        return self.least <= mines <= self.most

    def likely(self, mines: int) -> bool:
        """Whether games have about so many mines on a board of this size."""
        share = mines / (self.size[0] * self.size[1])
        return self.possible(mines) and 0.04 <= share <= 0.7


def read_counter(
    image: ByteArray,
    grid: Grid,
    board: Board,
    uncertain: npt.NDArray[np.bool_] | None = None,
    model: CharacterModel | None = None,
) -> Counter | None:
    """Find and read the mine counter in a picture that shows more than the board.

    image is (H, W, 3) uint8 RGB, grid where the board lies in it, board what was read; `uncertain` is
    (rows, columns) bool, tiles read with doubt. None where there is no counter, or any doubt about it.
    Raises BadModel where the program's own model of characters is damaged.
    """
    regions = list(_regions(image.shape[1], image.shape[0], grid))
    if not regions:
        return None
    known = _known(board, uncertain)
    candidates: list[Counter] = []
    for x0, y0, x1, y1 in regions:
        displays = find_displays(np.ascontiguousarray(image[y0:y1, x0:x1]))
        candidates += [_moved(counter, x0, y0) for counter in _from_displays(displays, known, grid, x0)]
    if not _settled(candidates, known):
        candidates += _from_writing(image, regions, known, model or load_characters(), grid)
    return _chosen(candidates, known)


def is_on_tiles(counter: Counter, image: ByteArray, grid: Grid) -> bool:
    """Tell whether the number stands on tiles beyond the grid, of a board of which this is only a part.

    Then each digit is in the middle of a tile, whose edge has the colours of one of the grid's.
    """
    x0, y0, x1, y1 = counter.box
    digits = len(counter.shown)
    row = ((y0 + y1) / 2 - grid.y[0]) / grid.pitch_y
    first = ((x0 + x1) / 2 - grid.x[0]) / grid.pitch_x - (digits - 1) / 2
    aligned = max(abs(row % 1 - 0.5), abs(first % 1 - 0.5)) <= _OFF_THE_MIDDLE
    spread = (x1 - x0) / grid.pitch_x
    if not aligned or not digits - 1 < spread < digits or not counter.shown.isdecimal():
        return False
    top, left = grid.y[0] + int(row // 1) * grid.pitch_y, grid.x[0] + int(first // 1) * grid.pitch_x
    if not (left >= 0 and left + digits * grid.pitch_x <= image.shape[1]):
        return False
    if not (top >= 0 and top + grid.pitch_y <= image.shape[0]):
        return False
    beyond = Grid(left + np.arange(digits + 1) * grid.pitch_x, np.array([top, top + grid.pitch_y]))
    ours, theirs = _edges(image, grid), _edges(image, beyond)
    apart = np.abs(ours[:, None] - theirs[None]).max(axis=2).min(axis=0)
    return bool((apart <= _EDGE_ALIKE).all())


def _edges(image: ByteArray, grid: Grid) -> FloatArray:
    """(tiles, 3) mean colour of the pixels along the edge of every tile, gray levels."""
    tiles = cut_tiles(image, grid, 16).astype(np.float64)
    inside = np.zeros((16, 16), np.bool_)
    inside[3:-3, 3:-3] = True
    return np.asarray(tiles[:, ~inside].mean(axis=1))


def _settled(candidates: list[Counter], known: _Known) -> bool:
    """Whether a counter was read so surely that nothing else need be looked at."""
    return any(counter.confidence > _SETTLED_FROM and known.possible(counter.mines) for counter in candidates)


def _known(board: Board, uncertain: npt.NDArray[np.bool_] | None) -> _Known:
    cells = board.cells
    flags = int(np.isin(cells, (FLAG, SAFE)).sum())
    shown = int((cells == MINE).sum())
    shut = int(np.isin(cells, (COVERED, FLAG, MINE)).sum())
    doubtful = False
    if uncertain is not None:
        claims = uncertain & np.isin(cells, (FLAG, SAFE, MINE))
        doubtful = bool(claims.any()) or float(uncertain.mean()) > 0.1
    return _Known((board.columns, board.rows), flags, max(1, shown), shut, doubtful, shown)


def _regions(width: int, height: int, grid: Grid) -> Iterator[PixelBox]:
    """Yield the parts of the picture above, below, left and right of the board, as far as counters stand."""
    x, y = (np.clip(np.rint(edges), 0, size) for edges, size in ((grid.x, width), (grid.y, height)))
    left, top, right, bottom = int(x[0]), int(y[0]), int(x[-1]), int(y[-1])
    pitch = min(grid.pitch_x, grid.pitch_y)
    reach = round(min(max(_REACH[0], _REACH[1] * pitch), _REACH[2]))
    x0, x1 = max(0, left - reach), min(width, right + reach)
    y0, y1 = max(0, top - reach), min(height, bottom + reach)
    least = max(9.0, _MARGIN * pitch)
    for region in (
        (x0, y0, x1, top),
        (x0, bottom, x1, y1),
        (x0, top, left, bottom),
        (right, top, x1, bottom),
    ):
        if region[2] - region[0] >= least and region[3] - region[1] >= least:
            yield region


def _moved(counter: Counter, x: int, y: int) -> Counter:
    x0, y0, x1, y1 = counter.box
    return replace(counter, box=(x0 + x, y0 + y, x1 + x, y1 + y))


def _from_displays(displays: list[Display], known: _Known, grid: Grid, left: int) -> list[Counter]:
    """Of displays side by side the left one counts mines, the right one seconds: so in every known game."""
    found = []
    for display in displays:
        x0, y0, x1, y1 = display.box
        middle = left + (x0 + x1) / 2
        row = [other for other in displays if abs(other.box[1] - y0) < 0.3 * (y1 - y0)]
        if display is not row[0] or not grid.box[0] - (x1 - x0) < middle < grid.box[2] + (x1 - x0):
            continue
        confidence = 0.9 + 0.08 * display.certainty
        if len(row) == 1 and middle > (grid.box[0] + grid.box[2]) / 2:
            confidence -= 0.25  # alone on the right it may as well be the time
        total = display.value + known.flags
        found.append(Counter(total, str(display.value), "left", display.box, confidence))
    return found


@dataclass(frozen=True)
class _Written:
    """A number with what is written or drawn beside it."""

    number: Number
    labels: frozenset[str]
    """Meanings of the words or the icon beside it."""


def _from_writing(
    image: ByteArray, regions: list[PixelBox], known: _Known, model: CharacterModel, grid: Grid
) -> list[Counter]:
    """Counters among the numbers written around the board."""
    scales = (1, 2) if min(grid.pitch_x, grid.pitch_y) >= _LARGE else (1,)
    found: list[Counter] = []
    seen: dict[PixelBox, list[_Written]] = {region: [] for region in regions}
    for scale in scales:
        found = []
        for region in regions:
            x0, y0, x1, y1 = region
            part = np.ascontiguousarray(image[y0:y1, x0:x1])
            seen[region] = _without_pieces([*seen[region], *_written(part, model, known, scale)])
            counters = (_counter(written, known) for written in seen[region])
            found += [_moved(counter, x0, y0) for counter in counters if counter is not None]
        if _settled(found, known):
            break  # large digits need a coarser look only where nothing was found
    return found


def _written(part: ByteArray, model: CharacterModel, known: _Known, scale: int) -> Iterator[_Written]:
    """Yield the numbers of a part, read at 1 / scale of its size."""
    brightness = np.asarray(cv2.cvtColor(part, cv2.COLOR_RGB2GRAY), np.uint8)
    if scale > 1:
        size = (part.shape[1] // scale, part.shape[0] // scale)
        if min(size) < 9:
            return
        brightness = np.asarray(cv2.resize(brightness, size, interpolation=cv2.INTER_AREA), np.uint8)
    for contrast in contrasts(brightness):
        lines = read_lines(find_strokes(contrast), model)
        for line in lines:
            for number in numbers(line):
                if number.certainty < _LEGIBLE or number.timelike or _mere_line(number):
                    continue
                labels = _labels(number, line, lines)
                x0, y0, x1, y1 = number.box
                full = replace(number, box=(x0 * scale, y0 * scale, x1 * scale, y1 * scale))
                # Only numbers that could be counts are worth a look at what is drawn beside them.
                if not labels and known.possible(number.values[-1] + known.flags):
                    labels = _icon(part, full, model)
                yield _Written(full, labels)


def _without_pieces(found: list[_Written]) -> list[_Written]:
    """Of numbers that overlap the largest: the others are parts of it, or the gaps between its digits."""

    def rank(written: _Written) -> float:
        x0, y0, x1, y1 = written.number.box
        return float((x1 - x0 + 4) * (y1 - y0 + 4) * written.number.certainty**4)

    kept: list[_Written] = []
    for written in sorted(found, key=rank, reverse=True):
        x0, y0, x1, y1 = written.number.box
        boxes = (other.number.box for other in kept)
        if not any(x0 < box[2] and box[0] < x1 and y0 < box[3] and box[1] < y1 for box in boxes):
            kept.append(written)
    return kept


def _mere_line(number: Number) -> bool:
    """Whether a lone 1 is as thin as the edge of something."""
    x0, y0, x1, y1 = number.box
    return number.values == (1,) and x1 - x0 < 0.13 * (y1 - y0) + 0.5


def _labels(number: Number, line: Line, lines: list[Line]) -> frozenset[str]:
    """Meanings of the words that belong to a number: before it in its line, else after it, else stacked."""
    x0, y0, x1, y1 = number.box
    before = [word for word in line.words if word.box[2] <= x0 + 1]
    named = _meanings(_until_number(reversed(before)))
    if named:
        return named
    after = _until_number(word for word in line.words if word.box[0] >= x1 - 1)
    # A word with a colon behind it names what comes next.
    after = [word for word in after if not any(mark == ":" for _, mark in word.marks)]
    named = _meanings(after) & {"mines", "left", "flags"}
    if named:
        return named
    tall, middle = y1 - y0, (x0 + x1) / 2
    stacked = []
    for other in lines:
        for word in other.words:
            gap = max(word.box[1] - y1, y0 - word.box[3])
            if 0 <= gap <= 2.2 * tall and abs((word.box[0] + word.box[2]) / 2 - middle) < 3 * tall:
                stacked.append(word)
    return _meanings(stacked)


def _until_number(words: Iterable[Word]) -> list[Word]:
    """Return the words up to the next that is a number."""
    found = []
    for word in words:
        if float(word.shares[:, :10].max(axis=1).mean()) > 0.6:
            break
        found.append(word)
    return found


def _meanings(words: list[Word]) -> frozenset[str]:
    return frozenset(named[0] for word in words if (named := meaning(word)) is not None)


def _icon(part: ByteArray, number: Number, model: CharacterModel) -> frozenset[str]:
    """Tell what the picture left of a number, or above it, shows: mines, flags, the time, or nothing."""
    x0, y0, x1, y1 = number.box
    tall = y1 - y0
    height, width = part.shape[:2]
    beside = (x0 - 3.4 * tall, y0 - 0.9 * tall, x0 - 0.1 * tall, y1 + 0.9 * tall)
    above = ((x0 + x1) / 2 - 2.4 * tall, y0 - 5.2 * tall, (x0 + x1) / 2 + 2.4 * tall, y0 - 0.3 * tall)
    background = np.median(part[max(0, y0 - 2) : y1 + 2, max(0, x0 - 2) : x1 + 2].reshape(-1, 3), axis=0)
    for window in (beside, above):
        left, top = max(0, round(window[0])), max(0, round(window[1]))
        right, bottom = min(width, round(window[2])), min(height, round(window[3]))
        if right - left < tall or bottom - top < tall:
            continue
        away = np.abs(part[top:bottom, left:right].astype(np.float32) - background).max(axis=2)
        glyph = _nearest_shape(away.astype(np.float32), tall, beside=window is beside)
        if glyph is None:
            continue
        shares = model.shares(glyph[None])[0]
        shows = {label: float(shares[SIGNS.index(icon)]) for icon, label in _ICON_LABELS}
        if shows["time"] > 0.3:
            return frozenset({"time"})  # a clock is round like a mine: better no count than the seconds
        if max(shows.values()) > 0.85 and shows["time"] < 0.05:
            return frozenset({max(shows, key=lambda label: shows[label])})
    return frozenset()


def _nearest_shape(away: FloatArray, tall: int, *, beside: bool) -> FloatArray | None:
    """Return the glyph of the large component nearest to the number, with whatever lies inside its box."""
    top = float(away.max(initial=0.0))
    if top < 25:
        return None
    shown = np.minimum(away / (0.7 * top), 1.0)
    mask = (shown > 0.3).astype(np.uint8)
    _, _, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
    height, width = mask.shape
    shapes = []
    for x, y, wide, high, _area in stats[1:].tolist():
        if high < 0.7 * tall or wide < 0.6 * tall or wide > 2.2 * high:
            continue
        cut_off = x == 0 or x + wide >= width or y == 0 or y + high >= height
        if not cut_off:
            shapes.append((x + wide if beside else y + high, (x, y, wide, high)))
    if not shapes:
        return None
    x, y, wide, high = max(shapes)[1]
    return normalised(shown[y : y + high, x : x + wide].astype(np.float32))


def _counter(written: _Written, known: _Known) -> Counter | None:
    number, labels = written.number, written.labels
    if labels & {"time", "other"} and not labels & {"mines", "marked"}:
        return None
    sure = min(1.0, 0.35 + number.certainty)  # digits are joined by what they add up to
    counter = _ratio(number, labels, known) if len(number.values) == 2 else _single(number, labels, known)
    return None if counter is None else replace(counter, confidence=counter.confidence * sure)


def _ratio(number: Number, labels: frozenset[str], known: _Known) -> Counter | None:
    first, total = number.values
    shown = f"{first}/{total}"
    named = bool(labels & {"mines", "marked", "flags"})
    if not known.possible(total) or first > 2 * total or (not named and not known.likely(total)):
        return None
    kind: Kind = "flags/total"
    if abs(total - first - known.flags) < abs(first - known.flags):
        kind = "left/total"
    off = min(abs(first - known.flags), abs(total - first - known.flags))
    if off == 0 or total == known.lost:
        confidence = 0.97
    elif off <= max(2, 0.15 * known.flags):
        confidence = 0.85
    elif named:
        confidence = 0.8
    else:
        return None
    if named or total == known.usual:
        confidence = min(0.98, confidence + 0.08)
    elif known.flags < 2:
        confidence -= 0.12  # 0 of something is easily met by chance
    return Counter(total, shown, kind, number.box, confidence)


def _single(number: Number, labels: frozenset[str], known: _Known) -> Counter | None:
    value = number.values[0]
    shown, total = str(value), value + known.flags
    left = Counter(total, shown, "left", number.box, 0.0)
    # Those put say nothing about those left; and uprights that look like a 1 are everywhere.
    if "marked" in labels or (value == 1 and total != known.usual):
        return None
    if labels & {"mines", "left"}:
        if known.flags and value == known.usual != total and "left" not in labels:
            return replace(left, mines=value, kind="total", confidence=0.85)
        return replace(left, confidence=0.95 if "left" in labels or total == known.usual else 0.88)
    if total == known.usual and "flags" in labels:
        return replace(left, confidence=0.95)
    if "flags" in labels:
        # As many as are put: those put, or those left? Nobody can tell.
        return None if value == known.flags else replace(left, confidence=0.86)
    # Alone, only the number that makes up the usual count is believed; a lone upright is no number.
    alone = total == known.usual and number.certainty > 0.6 and value > 1
    return replace(left, confidence=0.85) if alone else None


def _chosen(candidates: list[Counter], known: _Known) -> Counter | None:
    judged = [_judged(counter, known) for counter in candidates if known.possible(counter.mines)]
    judged = [counter for counter in judged if counter.confidence >= LEAST_CONFIDENCE]
    if not judged:
        return None
    best = max(judged, key=lambda counter: counter.confidence)
    rival = max((each.confidence for each in judged if each.mines != best.mines), default=0.0)
    if rival > best.confidence - 0.08:
        return None
    return replace(best, confidence=round(best.confidence, 3))


def _judged(counter: Counter, known: _Known) -> Counter:
    confidence = counter.confidence
    if counter.kind == "left" and known.doubtful and counter.mines != known.usual:
        # What is left says how many there are only with the flags counted right.
        confidence -= 0.25
    if not known.likely(counter.mines):
        confidence -= 0.1
    return replace(counter, confidence=confidence)
