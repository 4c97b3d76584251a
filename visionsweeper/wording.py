"""How things are written for people: percentages, exact numbers, tiles, and how many of something."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from fractions import Fraction
from typing import Final


def format_percentage(value: Fraction | float, *, certain: bool | None = None, compact: bool = False) -> str:
    """Write a probability between 0 and 1 as a percentage with one decimal.

    `0%` and `100%` stand for certainty alone: what would round to them is written `<0.1%` or `>99.9%`.
    A Fraction (or int) says by itself whether it is certain. A float of 0.0 or 1.0 may be the rounding of
    something else, so it counts as certain only with `certain=True`; `certain=False` denies it to both.
    `compact` leaves the decimal out between 10 % and 99 %, for narrow places.

    Raises ValueError for a value outside 0..1, NaN, or `certain=True` for a value that is not near 0 or 1.
    """
    if not 0 <= value <= 1:
        raise ValueError(f"a probability lies between 0 and 1, not {value}")
    exact = Fraction(value)
    if certain is None:
        certain = not isinstance(value, float) and exact in (0, 1)
    if certain:
        if min(exact, 1 - exact) > Fraction(1, 10**6):
            raise ValueError(f"{value} is neither 0 nor 1, so it cannot be certain")
        return "0%" if exact < Fraction(1, 2) else "100%"
    tenths = _half_up(exact * 1000)
    if tenths == 0:
        return "<0.1%"
    if tenths == 1000:
        return ">99.9%"
    if compact and 100 <= tenths < 990:
        return f"{_half_up(exact * 100)}%"
    return f"{tenths // 10}.{tenths % 10}%"


def _half_up(value: Fraction) -> int:
    return (2 * value.numerator + value.denominator) // (2 * value.denominator)


def tile_name(row: int, column: int) -> str:
    """Name a tile as messages do; both count from 0."""
    return f"row {row}, column {column}"


def tile_subject(row: int, column: int) -> str:
    """Name a tile at the beginning of a sentence."""
    return tile_name(row, column).capitalize()


def tile_names(tiles: Sequence[Sequence[int]], limit: int = 6) -> str:
    """Name several tiles, each (row, column); those beyond `limit` are only counted."""
    shown = "; ".join(tile_name(row, column) for row, column in tiles[:limit])
    return shown + (f"; and {len(tiles) - limit} more" if len(tiles) > limit else "")


def printable(text: str, *, keep: str = "") -> str:
    r"""Write control characters as escapes, such as \x1b, so that names of files cannot steer a terminal.

    Those in `keep` stay, as do all other characters.
    """
    if text.isprintable():
        return text
    return "".join(
        repr(sign)[1:-1] if unicodedata.category(sign) in _STEERING and sign not in keep else sign
        for sign in text
    )


_STEERING: Final = {"Cc", "Cf", "Zl", "Zp"}
"""Unicode's categories of control characters, of invisible signs that turn text around, and of line ends."""


def plural(count: int, noun: str) -> str:
    """Write a number with its noun, as in `1 mine` and `2 mines`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def has_so_many_mines(mines: int) -> str:
    """Write what has to be so where a mine count is in doubt, as in `the board has 10 mines, which ...`."""
    return f"the board has {plural(mines, 'mine')}, which is not certain"


def decimal_text(number: int) -> str:
    """Write a whole number of any size in decimal; `str` refuses beyond 4300 digits."""
    digits = 4000
    if abs(number) < 10**digits:
        return str(number)
    if number < 0:
        return "-" + decimal_text(-number)
    while 10 ** (2 * digits) <= number:
        digits *= 2
    high, low = divmod(number, 10**digits)
    return decimal_text(high) + decimal_text(low).rjust(digits, "0")


def fraction_text(value: Fraction) -> str:
    """Write a fraction as `num/den`, also when it is whole."""
    return f"{decimal_text(value.numerator)}/{decimal_text(value.denominator)}"


def sides_in_words(sides: Sequence[str]) -> str:
    """Return where a board goes on, as in `to the left and below`."""
    words = {"left": "to the left", "right": "to the right", "top": "above", "bottom": "below"}
    *most, last = (words[side] for side in sides)
    return f"{', '.join(most)} and {last}" if most else last
