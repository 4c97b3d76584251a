"""An evaluation as pictures: the confusion matrix, and the worst tiles on a contact sheet."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from visionsweeper.board import SYMBOLS
from visionsweeper.training.evaluation import Evaluation, Outcome, WrongTile

Picture: TypeAlias = npt.NDArray[np.uint8]
_Colour: TypeAlias = tuple[int, int, int]

_PAPER: Final[_Colour] = (255, 255, 255)
_INK: Final[_Colour] = (33, 37, 43)
_FAINT: Final[_Colour] = (120, 128, 138)
_RULE: Final[_Colour] = (222, 226, 231)
_RIGHT: Final[_Colour] = (26, 127, 100)
_WRONG: Final[_Colour] = (200, 46, 38)
_MARKED: Final[_Colour] = (176, 116, 0)

_CELL: Final = 52
_MARGIN: Final = 28
_TILE: Final = 112
_AROUND: Final = 0.5  # of a tile: what is shown on each side of a wrong one
_CARD: Final = (210, 206)
_ACROSS: Final = 8
MOST_TILES: Final = 64
"""Wrong tiles that a contact sheet shows."""


def confusion_picture(evaluation: Evaluation) -> Picture:
    """The confusion matrix, (H, W, 3) uint8 RGB: rows what tiles truly are, columns what they were read as.

    The darker a field, the larger its share of the row; right ones are green, wrong ones red.
    """
    table = evaluation.confusion
    names = [*SYMBOLS] + (["unread"] if table[:, -1].any() else [])
    left, top = _MARGIN + 64, _MARGIN + 100
    width = left + len(names) * _CELL + 78 + _MARGIN
    sheet = Image.new("RGB", (width, top + len(SYMBOLS) * _CELL + _MARGIN), _PAPER)
    pen = ImageDraw.Draw(sheet)
    pen.text((_MARGIN, _MARGIN), "Tiles truly of a kind (rows), read as (columns)", _INK, _font(21))
    note = (
        f"{evaluation.accuracy:.2%} of {evaluation.tiles} tiles right, "
        f"{evaluation.perfect} of {evaluation.boards} boards without an error"
    )
    pen.text((_MARGIN, _MARGIN + 30), note, _FAINT, _font(16))
    for column, name in enumerate(names):
        size = 22 if len(name) == 1 else 13
        pen.text((left + (column + 0.5) * _CELL, top - 16), name, _INK, _font(size), anchor="mm")
    pen.text((left + (len(names) + 0.75) * _CELL, top - 16), "right", _FAINT, _font(14), anchor="mm")
    for row, name in enumerate(SYMBOLS):
        middle = top + (row + 0.5) * _CELL
        pen.text((left - 22, middle), name, _INK, _font(22), anchor="mm")
        total = int(table[row].sum())
        for column in range(len(names)):
            _field(
                pen, left + column * _CELL, top + row * _CELL, int(table[row, column]), total, row == column
            )
        share = f"{table[row, row] / total:.2%}" if total else "-"
        pen.text((left + (len(names) + 0.75) * _CELL, middle), share, _FAINT, _font(14), anchor="mm")
    return np.asarray(sheet, dtype=np.uint8)


def _field(pen: ImageDraw.ImageDraw, x: int, y: int, count: int, total: int, right: bool) -> None:
    # The square root lets one wrong tile in hundreds be seen.
    strength = (count / total) ** 0.5 if total else 0.0
    colour = _blend(_PAPER, _RIGHT if right else _WRONG, max(strength, 0.12) if count else 0.0)
    pen.rectangle((x, y, x + _CELL, y + _CELL), fill=colour, outline=_RULE)
    if count:
        text = str(count)
        ink = _PAPER if strength > 0.6 else _INK
        pen.text((x + _CELL / 2, y + _CELL / 2), text, ink, _font(16 if len(text) < 5 else 13), anchor="mm")


def contact_sheet(evaluation: Evaluation, count: int = MOST_TILES) -> Picture:
    """The worst tiles with what is around them, (H, W, 3) uint8 RGB.

    Each says what it truly is, what it was read as, how surely, whether it was marked, and where it is. Those
    that were not marked come first. Raises InvalidInput when a picture is gone or damaged by now.
    """
    worst = evaluation.worst(count)
    across = min(_ACROSS, max(4, len(worst)))
    down = -(-len(worst) // across)
    head = _MARGIN + 70
    size = (2 * _MARGIN + across * _CARD[0], head + max(down, 1) * _CARD[1] + _MARGIN)
    sheet = Image.new("RGB", size, _PAPER)
    pen = ImageDraw.Draw(sheet)
    found = evaluation.wrong - sum(
        len(each.truth) for each in evaluation.outcomes if each.problem is not None
    )
    title = f"{len(worst)} of {found} wrong tiles" if found else "No tile was read wrongly"
    pen.text((_MARGIN, _MARGIN), title, _INK, _font(21))
    note = "in the middle of each picture the tile; truth, then what it was read as; not marked ones first"
    pen.text((_MARGIN, _MARGIN + 30), note if found else "", _FAINT, _font(15))
    pictures: dict[str, Picture] = {}
    for place, tile in enumerate(worst):
        name = str(tile.outcome.shot.text)
        if name not in pictures:
            pictures = {name: _picture(tile.outcome, evaluation.uncropped)}
        corner = (_MARGIN + place % across * _CARD[0], head + place // across * _CARD[1])
        _card(sheet, pen, corner, tile, pictures[name])
    return np.asarray(sheet, dtype=np.uint8)


def _picture(outcome: Outcome, uncropped: bool) -> Picture:
    """The picture as it was read."""
    from visionsweeper.vision.detection.rectify import upright  # photos alone need it

    picture = outcome.shot.uncropped() if uncropped else outcome.shot.cropped()
    return upright(picture).image if outcome.turned else picture


def _card(
    sheet: Image.Image, pen: ImageDraw.ImageDraw, corner: tuple[int, int], tile: WrongTile, picture: Picture
) -> None:
    x, y = corner
    sheet.paste(Image.fromarray(_cutout(picture, tile.box)), (x, y))
    edge = round(_TILE * _AROUND / (1 + 2 * _AROUND))
    pen.rectangle((x + edge - 2, y + edge - 2, x + _TILE - edge + 1, y + _TILE - edge + 1), outline=_WRONG)
    side = x + _TILE + 8
    pen.text((side, y + 14), tile.truth, _RIGHT, _font(30), anchor="lm")
    pen.text((side + 22, y + 14), "→" if _has_arrow() else ">", _FAINT, _font(20), anchor="lm")
    pen.text((side + 46, y + 14), tile.read, _WRONG, _font(30), anchor="lm")
    pen.text((side, y + 50), f"{tile.confidence:.1%}", _INK, _font(15), anchor="lm")
    colour, word = (_MARKED, "marked") if tile.uncertain else (_WRONG, "not marked")
    pen.text((side, y + 72), word, colour, _font(13), anchor="lm")
    lines = [
        tile.outcome.shot.theme,
        tile.outcome.shot.name.rpartition("/")[2],
        f"row {tile.row}, column {tile.column}",
    ]
    for number, line in enumerate(lines):
        pen.text((x, y + _TILE + 6 + 18 * number), _shortened(line, _CARD[0] - 14), _FAINT, _font(13))


def _cutout(picture: Picture, box: tuple[float, float, float, float]) -> Picture:
    """The tile and half a tile around it, (_TILE, _TILE, 3); beyond the picture its border is repeated."""
    x0, y0, x1, y1 = box
    more_x, more_y = _AROUND * (x1 - x0), _AROUND * (y1 - y0)
    scale_x, scale_y = (x1 - x0 + 2 * more_x) / _TILE, (y1 - y0 + 2 * more_y) / _TILE
    matrix = np.array([[scale_x, 0, x0 - more_x], [0, scale_y, y0 - more_y]], dtype=np.float64)
    way = cv2.INTER_LINEAR if max(scale_x, scale_y) > 1 else cv2.INTER_CUBIC
    cut = cv2.warpAffine(
        picture, matrix, (_TILE, _TILE), flags=way | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(cut, dtype=np.uint8)


def _shortened(text: str, width: float, size: int = 13) -> str:
    font = _font(size)
    if font.getlength(text) <= width:
        return text
    while text and font.getlength(text + "...") > width:
        text = text[:-1]
    return text + "..."


@lru_cache(maxsize=1)
def _has_arrow() -> bool:
    """Whether Pillow's font, which differs from version to version, can draw an arrow."""
    font = _font(20)
    return bytes(font.getmask("→")) != bytes(font.getmask("\U0010ffff"))


@lru_cache(maxsize=16)
def _font(size: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(size)
    if not isinstance(font, ImageFont.FreeTypeFont):
        raise RuntimeError("Pillow was built without FreeType; install the Pillow wheel from PyPI")
    return font


def _blend(a: _Colour, b: _Colour, share: float) -> _Colour:
    mixed = [round(one + (other - one) * share) for one, other in zip(a, b, strict=True)]
    return mixed[0], mixed[1], mixed[2]
