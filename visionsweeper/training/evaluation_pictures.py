"""An evaluation as pictures: the confusion matrix, and the worst tiles on a contact sheet."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from visionsweeper.board import SYMBOLS
from visionsweeper.drawing.colours import WHITE, Colour
from visionsweeper.drawing.sheet import Picture, below, beside, framed, in_rows, on_paper, written
from visionsweeper.training.evaluation import Evaluation, Outcome, WrongTile

_INK: Final[Colour] = (33, 37, 43)
_FAINT: Final[Colour] = (120, 128, 138)
_RULE: Final[Colour] = (222, 226, 231)
_RIGHT: Final[Colour] = (26, 127, 100)
_WRONG: Final[Colour] = (200, 46, 38)
_FLAGGED: Final[Colour] = (176, 116, 0)

_CELL: Final = 52
_MARGIN: Final = 28
_TILE: Final = 112
_AROUND: Final = 0.5  # of a tile: what is shown on each side of a wrong one
_CARD: Final = (206, 210)  # height, width
_ACROSS: Final = 8
MOST_TILES_SHOWN: Final = 64
"""Wrong tiles that a contact sheet shows at most."""


def confusion_picture(evaluation: Evaluation) -> Picture:
    """Draw the confusion matrix, (H, W, 3) uint8 RGB: a row for each class, a column for what it was read as.

    The darker a field, the larger its share of the row; right ones are green, wrong ones red.
    """
    table = evaluation.confusion
    names = [*SYMBOLS] + (["unread"] if table[:, -1].any() else [])
    heads = [_cell(name, 22 if len(name) == 1 else 13, _INK) for name in names]
    rows = [beside(_cell("", 22, _INK), *heads, _cell("right", 14, _FAINT, 78))]
    for row, name in enumerate(SYMBOLS):
        total = int(table[row].sum())
        fields = [_field(int(table[row, at]), total, row == at) for at in range(len(names))]
        share = f"{table[row, row] / total:.2%}" if total else "-"
        rows.append(beside(_cell(name, 22, _INK), *fields, _cell(share, 14, _FAINT, 78)))
    note = (
        f"{evaluation.accuracy:.2%} of {evaluation.tiles} tiles right, "
        f"{evaluation.perfect} of {evaluation.boards} boards without an error"
    )
    return _titled("What tiles are (rows), and what they were read as (columns)", note, below(*rows))


def _titled(title: str, note: str, picture: Picture) -> Picture:
    head = below(written(title, 21, _INK), written(note, 15, _FAINT))
    return framed(below(head, picture, gap=12), _MARGIN)


def _cell(text: str, size: float, ink: Colour, width: int = _CELL, paper: Colour = WHITE) -> Picture:
    return written(text, size, ink, width=width, height=_CELL, centred=True, paper=paper)


def _field(count: int, total: int, right: bool) -> Picture:
    # The square root lets one wrong tile in hundreds be seen.
    strength = (count / total) ** 0.5 if total else 0.0
    colour = _blend(WHITE, _RIGHT if right else _WRONG, max(strength, 0.12) if count else 0.0)
    text = str(count) if count else ""
    cell = _cell(text, 16 if len(text) < 5 else 13, WHITE if strength > 0.6 else _INK, paper=colour)
    return framed(cell[1:-1, 1:-1], 1, _RULE)


def contact_sheet(evaluation: Evaluation, count: int = MOST_TILES_SHOWN) -> Picture:
    """Draw the worst tiles with what is around them, (H, W, 3) uint8 RGB.

    Each card says what the tile is, what it was read as, how surely, whether it was flagged as uncertain, and
    where it is. Missed errors come first. Raises InvalidInput when a picture is gone or damaged by now.
    """
    worst = evaluation.worst(count)
    found = evaluation.wrong - sum(
        len(each.truth) for each in evaluation.outcomes if each.problem is not None
    )
    if not found:
        return _titled("No tile was read wrongly", "", written("", height=_MARGIN))
    pictures: dict[str, Picture] = {}
    cards = []
    for tile in worst:
        name = str(tile.outcome.shot.text)
        if name not in pictures:
            pictures = {name: _picture(tile.outcome, evaluation.uncropped)}
        cards.append(_card(tile, pictures[name]))
    note = "The tile is in the middle of each picture: what it is > what it was read as. Missed errors first."
    return _titled(f"{len(worst)} of {found} wrong tiles", note, in_rows(cards, _ACROSS))


def _picture(outcome: Outcome, uncropped: bool) -> Picture:
    """Return the picture as it was read."""
    from visionsweeper.vision.detection.rectify import upright  # photos alone need it

    picture = outcome.shot.uncropped() if uncropped else outcome.shot.cropped()
    return upright(picture).image if outcome.turned else picture


def _card(tile: WrongTile, picture: Picture) -> Picture:
    cut = _cutout(picture, tile.box)
    edge = round(_TILE * _AROUND / (1 + 2 * _AROUND))
    cv2.rectangle(cut, (edge - 2, edge - 2), (_TILE - edge + 1, _TILE - edge + 1), _WRONG)
    colour, word = (_FLAGGED, "flagged") if tile.uncertain else (_WRONG, "missed")
    signs = ((tile.truth, 30, _RIGHT), (">", 20, _FAINT), (tile.read, 30, _WRONG))
    told = below(
        beside(*(written(sign, size, ink, height=36) for sign, size, ink in signs), gap=4),
        written(f"{tile.confidence:.1%}", 15, _INK),
        written(word, 13, colour),
    )
    lines = (
        tile.outcome.shot.theme,
        tile.outcome.shot.name.rpartition("/")[2],
        f"row {tile.row}, column {tile.column}",
    )
    below_it = [written(line, 13, _FAINT, width=_CARD[1] - 14) for line in lines]
    return on_paper(below(beside(cut, told, gap=8), *below_it), *_CARD)


def _cutout(picture: Picture, box: tuple[float, float, float, float]) -> Picture:
    """Cut out the tile and half a tile around it, (_TILE, _TILE, 3); its border is repeated outside."""
    x0, y0, x1, y1 = box
    more_x, more_y = _AROUND * (x1 - x0), _AROUND * (y1 - y0)
    scale_x, scale_y = (x1 - x0 + 2 * more_x) / _TILE, (y1 - y0 + 2 * more_y) / _TILE
    matrix = np.array([[scale_x, 0, x0 - more_x], [0, scale_y, y0 - more_y]], dtype=np.float64)
    way = cv2.INTER_LINEAR if max(scale_x, scale_y) > 1 else cv2.INTER_CUBIC
    cut = cv2.warpAffine(
        picture, matrix, (_TILE, _TILE), flags=way | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(cut, dtype=np.uint8)


def _blend(a: Colour, b: Colour, share: float) -> Colour:
    mixed = [round(one + (other - one) * share) for one, other in zip(a, b, strict=True)]
    return mixed[0], mixed[1], mixed[2]
