"""Percentages: certainty is printed only for certainty, and rounding never changes the order."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visionsweeper.wording import format_percentage

fractions = st.fractions(min_value=0, max_value=1)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(0), "0%"),
        (Fraction(1), "100%"),
        (Fraction(997, 1000), "99.7%"),
        (Fraction(4, 10000), "<0.1%"),
        (Fraction(5, 10000), "0.1%"),
        (Fraction(9994, 10000), "99.9%"),
        (Fraction(9996, 10000), ">99.9%"),
        (Fraction(1, 7), "14.3%"),
        (Fraction(1, 2), "50.0%"),
        (Fraction(1, 10**400), "<0.1%"),
        (1 - Fraction(1, 10**400), ">99.9%"),
        (0.997, "99.7%"),
        (0.0004, "<0.1%"),
        (0.9996, ">99.9%"),
    ],
)
def test_known_values(value, text):
    assert format_percentage(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.2049, "20%"), (0.071, "7.1%"), (0.997, "99.7%"), (0.9896, "99.0%"), (0.9894, "99%")],
)
def test_compact(value, text):
    assert format_percentage(value, compact=True) == text


def test_a_float_is_certain_only_when_said_so():
    assert format_percentage(0.0) == "<0.1%"
    assert format_percentage(1.0) == ">99.9%"
    assert format_percentage(0.0, certain=True) == "0%"
    assert format_percentage(1.0, certain=True) == "100%"
    assert format_percentage(Fraction(1), certain=False) == ">99.9%"


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan"), Fraction(3, 2)])
def test_what_is_no_probability_is_refused(value):
    with pytest.raises(ValueError, match="between 0 and 1"):
        format_percentage(value)


def test_half_is_never_certain():
    with pytest.raises(ValueError, match="cannot be certain"):
        format_percentage(0.5, certain=True)


@given(fractions, st.booleans())
def test_certainty_is_printed_for_certainty_alone(value, compact):
    assert (format_percentage(value, compact=compact) in ("0%", "100%")) == (value in (0, 1))


@given(fractions, st.booleans())
def test_the_text_is_near_the_value(value, compact):
    text = format_percentage(value, compact=compact)
    assert text.endswith("%")
    number = Fraction(text.strip("<>%"))
    if text[0] == "<":
        assert 0 < value * 100 < number
    elif text[0] == ">":
        assert number < value * 100 < 100
    else:
        assert abs(number - value * 100) <= (Fraction(1, 2) if compact else Fraction(1, 20))


@given(fractions, fractions)
def test_the_order_is_kept(a, b):
    def rank(value):
        text = format_percentage(value)
        return Fraction(text.strip("<>%")) + Fraction({"<": -1, ">": 1}.get(text[0], 0), 100)

    assert a >= b or rank(a) <= rank(b)
