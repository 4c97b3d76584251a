"""Components to lines of text: what is written in a region, sign by sign, with where it stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.geometry import PixelBox
from visionsweeper.vision.counter.glyphs import (
    DIGITS,
    ICONS,
    OTHER,
    SLASH,
    CharacterModel,
    as_digits,
    as_letters,
)
from visionsweeper.vision.counter.strokes import FloatArray, Strokes, union

_LETTER_GAP: Final = 0.42
"""Widest gap between two signs of a word, in heights of the taller."""
_WORD_GAP: Final = 2.4
"""Widest gap between two words of a line, in heights of the taller sign."""
_TORN: Final = 1.8
"""Narrowest gap between two numbers of a line, in heights of the taller sign.

Closer ones may be one, or a fraction.
"""
_WORST: Final = 0.35
"""Least probability of a digit that is taken for one."""


@dataclass(frozen=True)
class Word:
    """Neighbouring signs without a space."""

    box: PixelBox
    signs: tuple[PixelBox, ...]
    """Where each sign stands, from left to right."""
    shares: FloatArray
    """(signs, SIGNS) probabilities."""
    marks: tuple[tuple[float, str], ...]
    """Dots, colons and dashes beside the signs: middle in px from the left, and ":", "." or "-"."""

    @property
    def height(self) -> int:
        """Of the box, px."""
        return self.box[3] - self.box[1]


@dataclass(frozen=True)
class Line:
    """Words side by side, from left to right."""

    words: tuple[Word, ...]


@dataclass(frozen=True)
class Number:
    """A written number, or one over another."""

    values: tuple[int, ...]
    """One, or the two around a stroke."""
    box: PixelBox
    certainty: float
    """Probability of the least certain digit, 0 to 1."""
    timelike: bool
    """Written with a colon or a point inside."""


def read_lines(strokes: Strokes, model: CharacterModel) -> list[Line]:
    """Read all lines of the region with the model."""
    boxes = strokes.boxes
    if len(boxes) == 0:
        return []
    x, y, width, height = boxes.T
    tall = np.flatnonzero((height >= 6) & (width <= 1.7 * height + 2) & (strokes.areas >= 6))
    small = np.flatnonzero((height <= 12) & (width <= 24))
    words = _joined(boxes, tall, _LETTER_GAP)
    words = [word for word in words if len(word) <= 24]
    if not words:
        return []
    chosen = np.concatenate(words)
    glyphs = np.stack([strokes.glyph(int(i)) for i in chosen])
    shares = model.shares(glyphs)
    read = []
    start = 0
    for word in words:
        end = start + len(word)
        x0, y0, x1, y1 = union(boxes[word])
        near = small[
            (y[small] >= y0 - 1)
            & (y[small] + height[small] <= y1 + 2)
            & (x[small] + width[small] >= x0 - 0.7 * (y1 - y0))
            & (x[small] <= x1 + 0.4 * (y1 - y0))
            & (height[small] <= 0.4 * (y1 - y0))
        ]
        signs = tuple((int(b[0]), int(b[1]), int(b[0] + b[2]), int(b[1] + b[3])) for b in boxes[word])
        marks = _marks(boxes[near], (x0, y0, x1, y1))
        read.append(Word((x0, y0, x1, y1), signs, shares[start:end], marks))
        start = end
    outlines = np.array(
        [(w.box[0], w.box[1], w.box[2] - w.box[0], w.box[3] - w.box[1]) for w in read], np.int32
    )
    lines = _joined(outlines, np.arange(len(read)), _WORD_GAP)
    return [Line(tuple(read[i] for i in line)) for line in lines]


def _joined(
    boxes: npt.NDArray[np.int32], chosen: npt.NDArray[np.intp], gap: float
) -> list[npt.NDArray[np.intp]]:
    """Return indices of boxes that stand side by side with gaps of at most so many heights, left to right."""
    if len(chosen) == 0:
        return []
    x, y, width, height = (column[:, None].astype(np.float32) for column in boxes[chosen].T)
    taller = np.maximum(height, height.T)
    shorter = np.minimum(height, height.T)
    common = np.minimum(y + height, (y + height).T) - np.maximum(y, y.T)
    apart = np.maximum(x, x.T) - np.minimum(x + width, (x + width).T)
    linked = (common >= 0.7 * shorter) & (taller <= 1.7 * shorter) & (apart <= gap * taller + 0.8)
    linked &= apart > -0.45 * np.minimum(width, width.T) - 1
    names = np.arange(len(chosen))
    for _ in range(len(chosen)):
        lowest = np.where(linked, names[None, :], len(chosen)).min(axis=1)
        lowest = np.minimum(lowest, names)
        lowest = lowest[lowest]
        if (lowest == names).all():
            break
        names = lowest
    order = np.lexsort((boxes[chosen, 0], names))
    return np.split(chosen[order], np.flatnonzero(np.diff(names[order])) + 1)


def _marks(boxes: npt.NDArray[np.int32], around: PixelBox) -> tuple[tuple[float, str], ...]:
    """Dots, colons and dashes among small components inside or beside a word's box."""
    found: list[tuple[float, str]] = []
    dots: list[tuple[float, float]] = []
    height = around[3] - around[1]
    for x, y, width, tall in boxes.tolist():
        middle, level = x + width / 2, (y + tall / 2 - around[1]) / height
        if width >= 1.7 * tall and width >= 0.22 * height and 0.3 < level < 0.75:
            found.append((middle, "-"))
        elif width <= 0.35 * height + 1:
            dots.append((middle, level))
    for middle, level in dots:
        partner = any(abs(other - middle) < 1.5 and abs(at - level) > 0.2 for other, at in dots)
        if partner:
            if level > 0.5:
                found.append((middle, ":"))
        elif level > 0.75:
            found.append((middle, "."))
    return tuple(sorted(found))


def numbers(line: Line) -> list[Number]:
    """Return the numbers of a line; a stroke with spaces around it joins two words."""
    pieces: list[tuple[str, float, PixelBox]] = []
    previous: Word | None = None
    for word in line.words:
        if previous is not None:
            pieces.append((" ", 1.0, word.box))
        pieces += _pieces(word)
        previous = word
    found: list[Number] = []
    i = 0
    while i < len(pieces):
        if not pieces[i][0].isdigit():
            i += 1
            continue
        j = i
        while j < len(pieces) and (pieces[j][0].isdigit() or pieces[j][0] in ":./ "):
            if pieces[j][0] == " " and not _spaced_stroke(pieces, j):
                break
            j += 1
        number = _number(pieces, i, j)
        if number is not None and (len(number.values) == 2 or not _broken_fraction(pieces, j)):
            found.append(number)
        i = max(j, i + 1)
    return _apart(found)


def _apart(found: list[Number]) -> list[Number]:
    """Fractions, and numbers that stand clear of their neighbours: two close ones may be parts of one."""
    return [
        number
        for number in found
        if len(number.values) == 2
        or not any(
            other is not number
            and max(other.box[0], number.box[0]) - min(other.box[2], number.box[2]) < _TORN * _height(number)
            for other in found
        )
    ]


def _height(number: Number) -> int:
    return number.box[3] - number.box[1]


def _broken_fraction(pieces: list[tuple[str, float, PixelBox]], end: int) -> bool:
    """Whether a number is followed by one odd sign and then, close by, by digits: a fraction half read."""
    rest = [piece for piece in pieces[end : end + 5] if piece[0] != " "]
    if len(rest) < 2 or not rest[1][0].isdigit() or (rest[0][0].isdigit() or rest[0][0] == ":"):
        return False
    before, behind = pieces[end - 1][2], rest[1][2]
    return behind[0] - before[2] < 2.2 * (behind[3] - behind[1])


def _spaced_stroke(pieces: list[tuple[str, float, PixelBox]], at: int) -> bool:
    """Whether a narrow space stands beside the stroke of a fraction, or the colon of a time."""
    if at + 1 >= len(pieces) or {pieces[at - 1][0], pieces[at + 1][0]}.isdisjoint("/:."):
        return False
    before = next((piece[2] for piece in pieces[at - 1 :: -1] if piece[0] not in ":. -"), None)
    behind = next((piece[2] for piece in pieces[at + 1 :] if piece[0] not in ":. -"), None)
    return before is not None and behind is not None and behind[0] - before[2] <= behind[3] - behind[1]


def _pieces(word: Word) -> list[tuple[str, float, PixelBox]]:
    """(sign, probability, box) of a word read as digits; what is none is "?"."""
    digits = as_digits(word.shares)
    letters = as_letters(word.shares)
    best = digits.max(axis=1)
    is_stroke = word.shares[:, SLASH] > np.maximum(best, 0.3)
    # A word of letters is none of digits, though o and l look like digits.
    plain = word.shares[:, :DIGITS].max(axis=1)
    lettered = letters.max(axis=1) - 1.0 * plain
    wordly = float(np.where(is_stroke, 0.0, lettered - 0.3).sum()) > 0 and float(plain.mean()) < 0.6
    pieces: list[tuple[float, tuple[str, float, PixelBox]]] = []
    heights = np.array([box[3] - box[1] for box in word.signs])
    usual = float(np.median(heights[best >= _WORST])) if (best >= _WORST).any() else 0.0
    shapeless = word.shares[:, OTHER - len(ICONS) :].sum(axis=1)
    for k, box in enumerate(word.signs):
        if is_stroke[k]:
            sign, sure = "/", float(word.shares[k, SLASH])
        elif not wordly and best[k] >= _WORST and abs(heights[k] - usual) <= 0.2 * usual + 1:
            sign, sure = str(int(digits[k].argmax())), float(min(1.0, best[k]))
        elif (shapeless[k] > 0.5 or heights[k] > 1.3 * usual) and _stands_off(word.signs, k, usual):
            sign, sure = "~", 1.0  # an icon or a bracket: beside a number, not part of it
        else:
            sign, sure = "?", 1.0
        pieces.append(((box[0] + box[2]) / 2, (sign, sure, box)))
    pieces += [(at, (mark, 1.0, word.box)) for at, mark in word.marks]
    return [piece for _, piece in sorted(pieces, key=lambda entry: entry[0])]


def _stands_off(signs: tuple[PixelBox, ...], at: int, usual: float) -> bool:
    """Whether a sign is larger than the usual height, or set apart from a neighbour."""
    x0, y0, x1, y1 = signs[at]
    gaps = []
    if at > 0:
        gaps.append(x0 - signs[at - 1][2])
    if at + 1 < len(signs):
        gaps.append(signs[at + 1][0] - x1)
    return y1 - y0 > 1.25 * usual or max(gaps, default=0) > 0.28 * usual


def _number(pieces: list[tuple[str, float, PixelBox]], start: int, end: int) -> Number | None:
    """Return the number in pieces[start:end], or None where what stands beside it spoils it."""
    while end > start and not pieces[end - 1][0].isdigit():
        end -= 1
    if start > 0 and pieces[start - 1][0] == "?":
        return None
    if end < len(pieces) and pieces[end][0] == "?":
        return None
    text = "".join(sign for sign, _, _ in pieces[start:end]).replace(" ", "")
    digits = [piece for piece in pieces[start:end] if piece[0].isdigit()]
    boxes = np.array([(b[0], b[1], b[2] - b[0], b[3] - b[1]) for _, _, b in digits], np.int32)
    heights = boxes[:, 3]
    if heights.max() > 1.25 * heights.min() + 1:
        return None
    box = union(boxes)
    sure = min(sure for _, sure, _ in digits)
    if ":" in text or "." in text:
        return Number((0,), box, sure, timelike=True)
    parts = text.split("/")
    if len(parts) > 2 or any(not part or len(part) > 4 for part in parts):
        return None
    values = [int(part) for part in parts]
    if start > 0 and pieces[start - 1][0] == "-":
        values[0] = -values[0]
    return Number(tuple(values), box, sure, timelike=False)


_LEXICON: Final = {
    "mines": ("mine", "mines", "mined", "bomb", "bombs", "minen"),
    "marked": ("marked", "flagged", "found"),
    "flags": ("flag", "flags"),
    "left": ("left", "remaining", "remain", "rest"),
    "time": ("time", "timer", "elapsed", "seconds", "clock", "secs", "zeit"),
    "other": (
        "moves",
        "clicks",
        "score",
        "scores",
        "level",
        "best",
        "size",
        "width",
        "height",
        "rows",
        "columns",
        "cols",
        "points",
        "lives",
        "games",
        "wins",
        "won",
        "lost",
        "record",
        "tiles",
        "fps",
        "zoom",
        "total",
        "count",
        "difficulty",
        "seed",
        "game",
        "version",
        "efficiency",
        "stage",
        "round",
    ),
}


def meaning(word: Word) -> tuple[str, float] | None:
    """Name the kind of thing that a word spells, and how well it fits (0..1); None for unknown words."""
    length = len(word.signs)
    if length < 4 or length > 10:
        return None
    # An icon or unknown sign is no letter at all.
    letters = np.log(np.maximum(as_letters(word.shares), 0.004))
    best: tuple[str, float] | None = None
    for kind, spelled in _LEXICON.items():
        for name in spelled:
            if len(name) != length:
                continue
            columns = [ord(letter) - ord("a") for letter in name]
            fit = float(np.exp(letters[np.arange(length), columns].mean()))
            if fit > 0.25 and (best is None or fit > best[1]):
                best = (kind, fit)
    return best
