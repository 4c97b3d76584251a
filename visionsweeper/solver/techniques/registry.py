"""The techniques, from the simplest to the full count: a new one is named and entered here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from visionsweeper.solver.techniques.contradiction import find_contradictions
from visionsweeper.solver.techniques.equations import Equation, Step
from visionsweeper.solver.techniques.gauss import find_gauss
from visionsweeper.solver.techniques.patterns import find_patterns
from visionsweeper.solver.techniques.single import find_single
from visionsweeper.solver.techniques.subset import find_subset

Technique: TypeAlias = Literal["single", "pattern", "subset", "gauss", "contradiction", "mine_count", "exact"]

TECHNIQUES: Final[tuple[Technique, ...]] = get_args(Technique)
"""From the simplest: one number alone; a named pattern; two numbers compared; several numbers combined;
contradiction; the mine count; the full count of all placements."""

Find: TypeAlias = Callable[[Sequence[Equation]], Iterator[Step]]


class Method(NamedTuple):
    """How a technique that works on numbers finds its steps."""

    find: Find
    """What it finds by itself."""
    includes: tuple[Find, ...] = ()
    """Simpler ones that are cases of it, and go along where it is used alone."""

    @property
    def alone(self) -> tuple[Find, ...]:
        """All that it finds when it is the only technique."""
        return (*self.includes, self.find)


METHODS: Final[dict[str, Method]] = {
    "single": Method(find_single),
    "pattern": Method(find_patterns),
    # A single number is one compared with nothing, and a pair a combination of two.
    "subset": Method(find_subset, (find_single,)),
    "gauss": Method(find_gauss, (find_single, find_subset)),
    "contradiction": Method(find_contradictions),
}
"""The techniques that need no counting, simplest first."""
