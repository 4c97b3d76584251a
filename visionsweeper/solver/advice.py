"""Which tile to open next, weighed: safety, what it will tell, and the end of the game played out.

Certainly safe tiles come first. When few solutions are left the game is searched to its end and tiles are
ranked by their exact chance to win. Before that, a guess in a part of the board of which nothing opened
elsewhere tells anything is the tile that wins this part most often. Otherwise a tile's score is

    0.92 * survival + 0.08 * progress,

survival being the probability that the tile is safe and that the least likely mine afterwards is safe too (1
where something certain is left), progress the probability that the tile is safe and makes another certain.
Both are at most the tile's safety, so that tiles safer than the best score only have to be looked into.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED, FLAG, Board
from visionsweeper.errors import TooWide
from visionsweeper.geometry import Position
from visionsweeper.solver.doubt import Certainty
from visionsweeper.solver.endgame import Endgame, play_out
from visionsweeper.solver.guesses import Guesses, find_guesses, guesses_in_words
from visionsweeper.solver.odds import Odds
from visionsweeper.solver.outcomes import openings
from visionsweeper.solver.parts import play_part
from visionsweeper.solver.sweep import Sweep
from visionsweeper.wording import format_percentage, tile_name, tile_subject

SURVIVAL_WEIGHT: Final = 0.92
"""Of a tile's score, the share of surviving it and the best tile after it; the rest is progress. Flat between
0.9 and 0.95 over 40,000 expert games."""

TILES_LOOKED_INTO: Final = 12
"""Tiles that are opened in thought at most, each with every number it can show; fewer on large boards."""

NON_FRONTIER_LOOKED_INTO: Final = 4
"""Of them, at most so many next to no number: their odds are all the same."""

_WORK_LIMIT: Final = 60_000
"""Tiles looked into, times tiles of the board and `_WORK_A_STATE` for every state of its wide components."""

_WORK_A_STATE: Final = 4

_SAFE_TILES_RANKED: Final = 50
"""Certainly safe tiles ranked at most."""


@dataclass(frozen=True)
class Candidate:
    """A tile that could be opened next; unknown is None."""

    tile: Position
    """(row, column)."""
    safety: Fraction
    """Probability that it holds no mine."""
    progress: float | None = None
    """Probability that it holds none and makes another tile certainly safe, 0 to 1."""
    survival: float | None = None
    """Probability that it holds none and neither does the best tile after it, 0 to 1."""
    win: Fraction | None = None
    """Probability to win the game from here with it and the best play after it."""


@dataclass(frozen=True)
class Advice:
    """The tiles worth opening, and why the first comes first."""

    ranking: tuple[Candidate, ...]
    """Best first; not every covered tile is ranked. Empty when nothing can be advised."""
    reason: str
    """Why the first was chosen, or why there is none: a few sentences."""
    win: Fraction | None
    """The best chance to win from here; None where it is not known exactly."""

    @property
    def best(self) -> Position | None:
        """The tile to open next."""
        return self.ranking[0].tile if self.ranking else None


def advise(odds: Odds, guesses: Callable[[], Guesses] | None = None) -> Advice:
    """Rank the tiles to open next.

    `guesses` gives the guesses of these odds where they are kept; without it they are found. Slower than
    `odds.safest`: tenths of a second on usual boards, up to seconds where the end is near.
    """
    endgame = play_out(odds)
    safest, reason = odds.safest
    if safest is None:
        return Advice((), reason, None if endgame is None else endgame.chance)
    if odds.safe:
        return _certain(odds, safest, reason, endgame)
    advice = _won_in_part(odds, _weighed(odds)) if endgame is None else _played_out(odds, endgame)
    named = guesses_in_words(guesses() if guesses is not None else find_guesses(odds))
    return replace(advice, reason=f"{advice.reason} {named}") if named else advice


def weigh_doubt(
    advice: Advice, certain: Certainty, board: Board, confidence: npt.NDArray[np.float64]
) -> Advice:
    """Return the advice with tiles that are safe despite the doubt first, then by the doubt around them.

    `confidence`: (rows, columns), 0 to 1. Advice that rests on nothing in doubt stays as it is.
    """
    risky = set(certain.safe_if_read_right)
    if not risky:
        return advice
    if certain.safe:
        sure = set(certain.safe)
        first = [one for one in advice.ranking if one.tile in sure]
        first += [Candidate(tile, Fraction(1)) for tile in certain.safe[:1] if not first]
        rest = [one for one in advice.ranking if one.tile not in sure]
        doubt = "whatever the doubted tiles are" if certain.on_doubt else "however many mines there are"
        return replace(advice, ranking=(*first, *rest), reason=f"It is safe, {doubt}.")

    def weakest(one: Candidate) -> float:
        """Confidence in the least sure opened tile around, which its safety may rest on."""
        around = [float(confidence[near]) for near in board.neighbours(*one.tile) if board[near] <= 8]
        return min(around, default=0.0)

    safe = sorted((one for one in advice.ranking if one.tile in risky), key=weakest, reverse=True)
    rest = [one for one in advice.ranking if one.tile not in risky]
    reason = f"It is safe only if {certain.condition}: check this first."
    return replace(advice, ranking=(*safe, *rest), reason=reason) if safe else advice


def _certain(odds: Odds, first: Position, reason: str, endgame: Endgame | None) -> Advice:
    tiles = [first, *(tile for tile in odds.safe if tile != first)][:_SAFE_TILES_RANKED]
    wins = endgame.by_tile if endgame else {}
    ranking = tuple(Candidate(tile, Fraction(1), win=wins.get(tile)) for tile in tiles)
    if endgame is None:
        return Advice(ranking, reason, None)
    return Advice(ranking, f"{reason} {_chance(endgame.chance, odds)}", endgame.chance)


def _played_out(odds: Odds, endgame: Endgame) -> Advice:
    ranking = sorted(
        (
            Candidate(tile, 1 - odds.exact(*tile), win=win)
            for tile, win in endgame.by_tile.items()
            if odds.probability[tile] < 1
        ),
        key=lambda one: (-(one.win or 0), -one.safety, one.tile),
    )
    best = ranking[0]
    text = f"No tile is certain. {_chance(endgame.chance, odds)} {tile_subject(*best.tile)} keeps it"
    text += f", and is safe itself with {format_percentage(best.safety)}."
    safest = max(ranking, key=lambda one: one.safety)
    if safest.safety > best.safety:
        text += (
            f" {tile_subject(*safest.tile)} is safer ({format_percentage(safest.safety)}) but wins only "
            f"{format_percentage(safest.win or Fraction(0))}."
        )
    return Advice(tuple(ranking), text, endgame.chance)


def _weighed(odds: Odds) -> Advice:
    pool = _pool(odds)
    looked_into = _affordable(odds)
    scored: list[tuple[float, Candidate]] = []
    best_score = 0.0
    for position, tile in enumerate(pool):
        safety = 1 - odds.chance(tile)
        # No score is above the safety, and the pool is in its order.
        if position >= looked_into or float(safety) <= best_score:
            scored.append((-1.0, Candidate(tile, safety)))
            continue
        candidate = _looked_into(odds, tile, safety)
        score = float(safety)
        if odds.scope == "global" and candidate.survival is not None and candidate.progress is not None:
            score = SURVIVAL_WEIGHT * candidate.survival + (1 - SURVIVAL_WEIGHT) * candidate.progress
            best_score = max(best_score, score)
        scored.append((score, candidate))
    # Those looked into come first; sorting keeps the order of safety among equals.
    scored.sort(key=lambda one: -one[0])
    ranking = tuple(candidate for _, candidate in scored)
    best, safest = ranking[0], max(ranking, key=lambda one: one.safety)
    text = f"No tile is certain; {tile_name(*best.tile)} is safe with {format_percentage(best.safety)}"
    if best.progress is not None:
        text += f" and makes another tile certain with {format_percentage(best.progress)}"
    text += "."
    if safest.safety > best.safety:
        text += f" {tile_subject(*safest.tile)} is safer ({format_percentage(safest.safety)}) but tells less."
    return Advice(ranking, text, None)


def _won_in_part(odds: Odds, advice: Advice) -> Advice:
    """Return the advice; if its tile is in an isolated part, with the one first that wins this most often."""
    weighed = advice.best
    part = None if weighed is None else play_part(odds, weighed)
    if part is None or weighed is None:
        return advice
    wins = part.by_tile
    best = weighed if wins[weighed] == part.chance else max(wins, key=lambda tile: wins[tile])
    first = next((one for one in advice.ranking if one.tile == best), None)
    first = first or Candidate(best, 1 - odds.exact(*best))
    win, safety = format_percentage(part.chance), format_percentage(first.safety)
    text = (
        f"No tile is certain. {tile_subject(*best)} is one of {len(wins)} covered tiles that are a game of "
        "their own: nothing opened elsewhere tells anything of them but how many mines they hold. It wins "
        f"that game most often, with {win}, and is safe with {safety}."
    )
    return Advice((first, *(one for one in advice.ranking if one.tile != best)), text, None)


def _pool(odds: Odds) -> list[Position]:
    """Return the tiles to look into, safest first, the most promising of equal ones first."""
    board, chances = odds.board, odds.probability
    rows, columns = np.nonzero(chances < 1)
    system = odds.system
    non_frontier = set(system.list_tiles(system.non_frontier))

    def covered_around(tile: Position) -> int:
        return sum(board[other] in {COVERED, FLAG} for other in board.neighbours(*tile))

    def frontier_around(tile: Position) -> int:
        return sum(
            board[other] in {COVERED, FLAG} and other not in non_frontier for other in board.neighbours(*tile)
        )

    tiles = [(int(row), int(column)) for row, column in zip(rows, columns, strict=True)]
    alike = [tile for tile in tiles if tile in non_frontier]
    half = NON_FRONTIER_LOOKED_INTO // 2
    # Off the frontier, a corner is the likeliest to be a 0, and a tile beside the frontier to tell of it.
    kept = set(sorted(alike, key=covered_around)[:half])
    kept |= set(sorted(alike, key=lambda tile: (-frontier_around(tile), covered_around(tile)))[:half])
    tiles = [tile for tile in tiles if tile not in non_frontier or tile in kept]
    tiles.sort(key=lambda tile: (round(float(chances[tile]), 12), tile in non_frontier, covered_around(tile)))
    tiles = tiles[:TILES_LOOKED_INTO]
    safest = odds.safest[0]
    return tiles if safest in tiles or safest is None else [safest, *tiles]


def _affordable(odds: Odds) -> int:
    """How many tiles to look into: fewer on large boards and wide frontiers, where each takes long."""
    states = sum(sum(counted.counts) for counted in odds.counts if isinstance(counted, Sweep))
    tiles = _WORK_LIMIT // (odds.board.cells.size + _WORK_A_STATE * states)
    return min(TILES_LOOKED_INTO, tiles) if tiles > 1 else 0


def _looked_into(odds: Odds, tile: Position, safety: Fraction) -> Candidate:
    """Try everything that a tile can show."""
    progress = survival = 0.0
    try:
        for opened in openings(odds, tile):
            chance = float(opened.probability)
            if opened.odds.safe:
                progress += chance
                survival += chance
            else:
                after = opened.odds.probability
                survival += chance * _best_after(after[~np.isnan(after)].tolist())
    except (TooWide, ValueError):  # too wide once opened, or without the mine count unknowable
        return Candidate(tile, safety)
    return Candidate(tile, safety, min(progress, 1.0), min(survival, 1.0))


def _best_after(chances: Iterable[float]) -> float:
    """Return the safety of the least likely mine; 1 when only mines are left, which wins."""
    least = min(chances, default=1.0)
    return 1.0 if least == 1 else 1 - least


def _chance(win: Fraction, odds: Odds) -> str:
    if win == 1:
        return "The game can be won for certain from here."
    return (
        f"The best play from here wins with {format_percentage(win)} ({win}), exactly: all {odds.count} "
        "solutions were played out."
    )
