"""Which cases run with the fast tests, and which in the full suite only."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def mostly_slow(cases: Iterable[Any], *, fast: int) -> list[Any]:
    """Return the cases for `pytest.mark.parametrize`, all but the first `fast` marked slow.

    A tuple holds the values of several arguments.
    """
    return [
        pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=[pytest.mark.slow][: at >= fast])
        for at, case in enumerate(cases)
    ]
