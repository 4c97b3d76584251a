"""What is played: the size of the board, its mines, and what the first click is promised."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

from visionsweeper.errors import InvalidInput, TooManyMines

FirstClick: TypeAlias = Literal["any", "safe", "opening"]
"""Where mines may lie: anywhere, not on the first tile, or not around it either."""

FIRST_CLICK_RULES: Final[tuple[FirstClick, ...]] = get_args(FirstClick)

PRESETS: Final = {"beginner": (9, 9, 10), "intermediate": (16, 16, 40), "expert": (30, 16, 99)}
"""Name -> (width, height, mines)."""

MOST_TILES_PLAYED: Final = 40_000
"""Larger boards are refused: a worker needs some hundred bytes and more for each pair of tiles."""


@dataclass(frozen=True)
class Rules:
    """What is played."""

    width: int
    """Tiles across."""
    height: int
    """Tiles down."""
    mines: int
    start: Literal["corner", "centre", "random"] | tuple[int, int] = "random"
    """The first tile, or its (row, column); random ones are drawn anew for every game."""
    first_click: FirstClick = "opening"

    def __post_init__(self) -> None:
        """Raise InvalidInput for a size that cannot be, TooManyMines for what cannot be laid by the rule."""
        if self.width < 1 or self.height < 1 or self.width * self.height > MOST_TILES_PLAYED:
            raise InvalidInput(
                f"a board of {self.width}x{self.height} cannot be played: "
                f"it needs 1 to {MOST_TILES_PLAYED} tiles"
            )
        if not isinstance(self.start, str):
            row, column = self.start
            if not (0 <= row < self.height and 0 <= column < self.width):
                raise InvalidInput(
                    f"the first tile, row {row}, column {column}, is outside the board: it has rows 0 to "
                    f"{self.height - 1} and columns 0 to {self.width - 1}"
                )
        if not 0 <= self.mines <= self.most_mines:
            said = f"{self.mines} mine does" if self.mines == 1 else f"{self.mines} mines do"
            raise TooManyMines(
                f"{said} not fit a board of {self.width}x{self.height} with the first click "
                f"{self.first_click!r}: at most {self.most_mines} would",
                0,
                self.most_mines,
            )

    @property
    def most_mines(self) -> int:
        """As many as fit, wherever the first tile is."""
        tiles = self.width * self.height
        kept = {"any": 0, "safe": 1, "opening": min(self.width, 3) * min(self.height, 3)}
        return tiles - kept[self.first_click]

    @property
    def start_tile(self) -> int | None:
        """Row-major index of the first tile; None when it is drawn."""
        if self.start == "random":
            return None
        if self.start == "corner":
            return 0
        row, column = (self.height // 2, self.width // 2) if self.start == "centre" else self.start
        return row * self.width + column
