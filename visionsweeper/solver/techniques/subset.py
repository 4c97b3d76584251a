"""Two numbers compared: what one can share with the other decides the rest (the subset rule)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from visionsweeper.solver.techniques.equations import (
    Equation,
    Proof,
    Step,
    combine,
    neighbours_of,
)
from visionsweeper.solver.techniques.words import (
    are_mines,
    are_safe,
    called,
    mines,
    named,
    sentence,
)


def find_subset(equations: Sequence[Equation]) -> Iterator[Step]:
    """Yield every pair of numbers that share tiles and settle others by their difference."""
    for larger, smaller, proof in decided_pairs(equations):
        yield pair_step(larger, smaller, proof)


def decided_pairs(equations: Sequence[Equation]) -> Iterator[tuple[Equation, Equation, Proof]]:
    """Yield (larger, smaller, what follows) where larger minus smaller meets its bound.

    Then all tiles of the larger number alone are mines and all of the smaller number alone are safe. Where
    the smaller number's tiles hold the larger's and both need as many, the second half is the subset rule.
    """
    around = neighbours_of(equations)
    for larger in equations:
        for smaller in around[larger.number]:
            proof = combine([(larger, 1), (smaller, -1)])
            if proof is not None:
                yield larger, smaller, proof


def pair_step(
    larger: Equation,
    smaller: Equation,
    proof: Proof,
    technique: str = "subset",
    pattern: str | None = None,
) -> Step:
    """Return the step that a decided pair allows, in words."""
    safe, mine = tuple(sorted(proof.less)), tuple(sorted(proof.more))
    named_as = f" ({called(pattern)})" if pattern else ""
    if not mine:
        text = (
            f"all covered tiles left around {named(larger)} also touch {named(smaller)}{named_as}, and both "
            f"need {mines(larger.need)}: those are the same mines, so {are_safe(safe)}"
        )
    else:
        others = "other tile" if len(mine) == 1 else "other tiles"
        text = (
            f"of the {mines(larger.need)} that {named(larger)} needs, the tiles it shares with "
            f"{named(smaller)} can hold only {larger.need - len(mine)}{named_as}; the rest must be on its "
            f"{others}: {are_mines(mine)}"
        )
        if safe:
            text += f", and the shared tiles use up the {smaller.value}'s mines, so {are_safe(safe)}"
    numbers = tuple(sorted((larger.number, smaller.number)))
    return Step(technique, pattern, safe, mine, numbers, sentence(text))
