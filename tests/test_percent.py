"""Percentages: certainty is printed only for certainty, and rounding never changes the order."""

import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visionsweeper.wording import format_percentage

fractions = st.fractions(min_value=0, max_value=1)


CASES = json.loads(Path(__file__).with_name("percentages.json").read_text())
"""Probabilities as numbers or num/den, and how they are written; the page is held to them too."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{str(case['value'])[:20]}-{case['certain']}")
def test_known_values(case):
    value = Fraction(case["value"]) if isinstance(case["value"], str) else case["value"]
    assert format_percentage(value, certain=case["certain"]) == case["text"]
    assert format_percentage(value, certain=case["certain"], compact=True) == case["compact"]


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
