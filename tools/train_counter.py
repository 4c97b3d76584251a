"""Trains the reader of characters on drawn ones.

Run `python tools/train_counter.py models/counter.npz` from the root of the checkout.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from visionsweeper.synthetic.canvas import Art, Canvas
from visionsweeper.synthetic.fonts import FontSource, find_fonts
from visionsweeper.synthetic.icons import flag, mine
from visionsweeper.vision.counter.glyphs import (
    DIGITS,
    FORMAT_VERSION,
    OTHER,
    SIGNS,
    CharacterModel,
    as_digits,
    save_characters,
)
from visionsweeper.vision.counter.strokes import (
    FloatArray,
    contrasts,
    find_strokes,
    normalised,
)
from visionsweeper.vision.tiles.knn import Layers

if TYPE_CHECKING:
    from sklearn.neural_network import MLPClassifier

_HIDDEN: Final = (112, 64)
_EPOCHS: Final = 14
_PLAIN: Final = 0.6
"""Fonts whose digits are less like plain ones than this are ornaments no counter uses."""
_ODD_SIGNS: Final = "()[]{}%&+?#@!<>=*$"
_SIDE: Final = 112


@dataclass(frozen=True)
class CounterTraining:
    """All that a training run depends on."""

    samples: int = 90_000
    """Drawn characters."""
    seed: int = 1


def train_characters(
    options: CounterTraining, fonts: Sequence[FontSource], say: Callable[[str], None] = lambda _: None
) -> CharacterModel:
    """Train on drawn characters; a tenth of the font families is kept apart for measuring."""
    # Loads slowly, and tests only draw.
    import sklearn
    from sklearn.neural_network import MLPClassifier

    families = sorted({font.family for font in fonts})
    order = np.random.default_rng(options.seed).permutation(len(families))
    apart = {families[i] for i in order[: len(families) // 10]}
    known = [font for font in fonts if font.family not in apart]
    unknown = [font for font in fonts if font.family in apart] or known
    seeds = np.random.SeedSequence(options.seed).spawn(2)
    glyphs, signs = draw_characters(options.samples, known, np.random.default_rng(seeds[0]))
    say(f"{len(glyphs)} characters drawn")
    network = MLPClassifier(
        _HIDDEN, alpha=1e-4, batch_size=256, max_iter=1, warm_start=True, random_state=options.seed
    )
    for epoch in range(_EPOCHS):
        network.set_params(learning_rate_init=1.5e-3 * (1 - epoch / _EPOCHS) ** 1.2 + 1e-5)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # one epoch at a time never converges, by intention
            network.fit(glyphs, signs)
        say(f"epoch {epoch + 1} of {_EPOCHS}")
    layers = _layers(network)
    test, truth = draw_characters(max(options.samples // 10, 200), unknown, np.random.default_rng(seeds[1]))
    digit = truth < DIGITS
    model = CharacterModel(layers, {"format_version": FORMAT_VERSION})
    shares = model.shares(test)
    record = {
        "format_version": FORMAT_VERSION,
        "made_by": "python tools/train_counter.py",
        "samples": options.samples,
        "seed": options.seed,
        "fonts": len(fonts),
        "sklearn": sklearn.__version__,
        "measured": {
            "on": "drawn characters in font families kept apart",
            "signs_right": round(float((shares.argmax(axis=1) == truth).mean()), 4),
            "digits_right": round(float((as_digits(shares)[digit].argmax(axis=1) == truth[digit]).mean()), 4),
        },
    }
    return CharacterModel(layers, record)


def _layers(network: MLPClassifier) -> Layers:
    weights = [np.asarray(weight, dtype=np.float32) for weight in network.coefs_]
    biases = [np.asarray(bias, dtype=np.float32) for bias in network.intercepts_]
    # A sign that was never drawn (tiny runs) is never the answer.
    full_weight = np.zeros((weights[-1].shape[0], len(SIGNS)), dtype=np.float32)
    full_bias = np.full(len(SIGNS), -30.0, dtype=np.float32)
    full_weight[:, network.classes_] = weights[-1]
    full_bias[network.classes_] = biases[-1]
    return Layers((*weights[:-1], full_weight), (*biases[:-1], full_bias))


def draw_characters(
    count: int, fonts: Sequence[FontSource], rng: np.random.Generator
) -> tuple[FloatArray, npt.NDArray[np.int64]]:
    """(n, GLYPH_FEATURES) normalised glyphs as they are found in pictures, and (n,) indices of SIGNS."""
    by_family: dict[str, list[FontSource]] = {}
    for font in fonts:
        if font.likeness >= _PLAIN:
            by_family.setdefault(font.family, []).append(font)
    families = [by_family[name] for name in sorted(by_family)]
    built_in = [font for font in fonts if font.path is None]
    glyphs: list[FloatArray] = []
    signs: list[int] = []
    while len(glyphs) < count:
        kind = rng.random()
        family = families[int(rng.integers(len(families)))]
        font = family[int(rng.integers(len(family)))]
        if built_in and rng.random() < 0.12:
            font = built_in[int(rng.integers(len(built_in)))]
        if kind < 0.5:
            sign = int(rng.integers(DIGITS))
            alpha: FloatArray | None = _character(SIGNS[sign], font, rng)
        elif kind < 0.56:
            sign, alpha = SIGNS.index("/"), _character("/", font, rng)
        elif kind < 0.82:
            sign = int(rng.integers(DIGITS, SIGNS.index("l") + 1))
            text = SIGNS[sign]
            if text == "l":
                text = "lIiıL"[int(rng.integers(5))]
            elif rng.random() < 0.35:
                text = text.upper()
            alpha = _character(text, font, rng)
        elif kind < 0.92:
            sign = SIGNS.index(("mine", "flag", "clock")[int(rng.integers(3))])
            alpha = _icon(SIGNS[sign], font, rng)
        else:
            sign, alpha = OTHER, _something(font, rng)
        glyph = None if alpha is None else _as_found(alpha, rng, icon=sign >= SIGNS.index("mine"))
        if glyph is not None:
            glyphs.append(glyph)
            signs.append(sign)
    return np.stack(glyphs), np.array(signs, dtype=np.int64)


def _size(rng: np.random.Generator) -> float:
    return float(np.exp(rng.uniform(np.log(7.5), np.log(40))))


def _character(text: str, font: FontSource, rng: np.random.Generator) -> FloatArray | None:
    """(_SIDE, _SIDE) coverage of a character at a random size, from 0 to 1."""
    if not text.isdigit() and not (font.has_letters and text.isascii()) and text != "ı":
        return None
    size = _size(rng)
    weight = float(rng.choice([0.0, 0.0, 0.0, 0.08])) if size > 12 else 0.0
    try:
        return font.alpha(
            text,
            _SIDE,
            _SIDE,
            size,
            dx=rng.uniform(-0.5, 0.5),
            dy=rng.uniform(-0.5, 0.5),
            weight=weight,
            smooth=bool(rng.random() < 0.9),
        )
    except (OSError, ValueError):
        return None


def _icon(kind: str, font: FontSource, rng: np.random.Generator) -> FloatArray:
    background = (255.0, 255.0, 255.0)
    if kind == "mine":
        art = mine(rng, background, font, odd=0.6)
    elif kind == "flag":
        art = flag(rng, background, font, odd=0.0)
    else:
        art = _clock(rng)
    # What is seen of an icon is how far its colours are from the background's.
    flat = art[..., :3].astype(np.float32) + (255 - art[..., 3:].astype(np.float32))
    shown = np.abs(255 - flat).max(axis=2) / 255
    side = round(float(np.exp(rng.uniform(np.log(11), np.log(60)))))
    small = cv2.resize(shown, (side, side), interpolation=cv2.INTER_AREA)
    canvas = np.zeros((_SIDE, _SIDE), dtype=np.float32)
    start = (_SIDE - side) // 2
    canvas[start : start + side, start : start + side] = small
    return canvas


def _clock(rng: np.random.Generator) -> Art:
    """Draw a clock, a stopwatch, an hourglass: what stands beside the time."""
    canvas = Canvas()
    kind = rng.random()
    colour = (0.0, 0.0, 0.0)
    if kind < 0.85:
        radius, width = rng.uniform(0.3, 0.42), rng.uniform(0.05, 0.12)
        centre = (0.5, 0.5)
        if kind < 0.35:
            radius, centre = 0.34, (0.5, 0.56)
            canvas.line([(0.4, 0.08), (0.6, 0.08)], colour, width)
            canvas.line([(0.5, 0.1), (0.5, 0.2)], colour, width)
            if rng.random() < 0.6:
                canvas.line([(0.74, 0.24), (0.84, 0.32)], colour, width)
        hand = colour
        if rng.random() < 0.25:
            canvas.disc(centre, radius, colour)
            hand = (255.0, 255.0, 255.0)
        else:
            canvas.ring(centre, radius, colour, width)
        for reach in (rng.uniform(0.45, 0.8), rng.uniform(0.3, 0.7))[: 1 + int(rng.random() < 0.75)]:
            angle = (
                rng.uniform(0, 2 * np.pi) if rng.random() < 0.5 else float(rng.choice([-1, 0, 3])) * np.pi / 2
            )
            tip = (centre[0] + reach * radius * np.cos(angle), centre[1] + reach * radius * np.sin(angle))
            canvas.line([centre, tip], hand, width * rng.uniform(0.6, 1.1))
    else:
        shape = [(0.25, 0.12), (0.75, 0.12), (0.28, 0.88), (0.72, 0.88)]
        order = (0, 1, 2, 3, 0)
        width = rng.uniform(0.05, 0.1)
        if rng.random() < 0.5:
            canvas.polygon([shape[i] for i in (0, 1, 2, 3)], colour)
        canvas.line([shape[i] for i in order], colour, width)
    return canvas.done()


def _something(font: FontSource, rng: np.random.Generator) -> FloatArray | None:
    """Draw what is no character: touching pairs, brackets, faces, frames, pieces."""
    kind = rng.random()
    if kind < 0.3:
        return _character(_ODD_SIGNS[int(rng.integers(len(_ODD_SIGNS)))], font, rng)
    canvas = np.zeros((_SIDE, _SIDE), dtype=np.float32)
    size = _size(rng)
    if kind < 0.6:
        if font.path is None:
            return None
        pair = "".join(rng.choice(list("abcdehkmnorstuvwxyzBMFT0123456789"), size=2))
        drawn = ImageFont.truetype(str(font.path), max(6, round(1.4 * size)))
        image = Image.new("L", (_SIDE, _SIDE))
        pen = ImageDraw.Draw(image)
        first = drawn.getlength(pair[0]) - 0.12 * size
        start = _SIDE / 2 - first
        for x, sign in zip((start, start + first), pair, strict=True):
            pen.text((x, _SIDE / 2 + size / 2), sign, fill=255, font=drawn, anchor="ls")
        return np.asarray(image, dtype=np.float32) / np.float32(255)
    if kind < 0.7:
        radius, middle = round(0.7 * size), _SIDE // 2
        cv2.circle(canvas, (middle, middle), radius, 1.0, max(1, round(radius * 0.15)), cv2.LINE_AA)
        for side in (-1, 1):
            eye = (middle + round(side * radius * 0.4), middle - round(radius * 0.3))
            cv2.circle(canvas, eye, max(1, round(radius * 0.12)), 1.0, -1, cv2.LINE_AA)
        bow = (round(radius * 0.5), round(radius * 0.45))
        cv2.ellipse(canvas, (middle, middle), bow, 0, 20, 160, 1.0, max(1, round(radius * 0.1)), cv2.LINE_AA)
        return canvas
    points = rng.uniform(-0.7, 0.7, size=(int(rng.integers(2, 6)), 2)) * size + _SIDE / 2
    if kind < 0.8:
        x0, y0 = points.min(axis=0)
        x1, y1 = points.max(axis=0)
        points = np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)])[: int(rng.integers(3, 5))]
    thick = max(1, round(size * rng.uniform(0.06, 0.2)))
    cv2.polylines(
        canvas, [points.round().astype(np.int32)], bool(rng.random() < 0.5), 1.0, thick, cv2.LINE_AA
    )
    return canvas


def _as_found(alpha: FloatArray, rng: np.random.Generator, *, icon: bool) -> FloatArray | None:
    """Paint, wear, and find again, as in a picture; None where nothing whole is found."""
    background = rng.uniform(0, 255)
    step = rng.uniform(25, 255)
    ink = (
        background + step
        if background + step <= 255 and (background - step < 0 or rng.random() < 0.5)
        else background - step
    )
    painted = background + (np.clip(ink, 0, 255) - background) * alpha
    if rng.random() < 0.25:
        painted = cv2.GaussianBlur(painted, (0, 0), rng.uniform(0.3, 0.8))
    if rng.random() < 0.15:
        painted = painted + rng.standard_normal(painted.shape) * rng.uniform(0.5, 4)
    brightness = np.clip(painted, 0, 255).astype(np.uint8)
    if rng.random() < 0.15:
        _, packed = cv2.imencode(".jpg", brightness, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(60, 95))])
        brightness = np.asarray(cv2.imdecode(packed, cv2.IMREAD_GRAYSCALE), np.uint8)
    if icon:
        away = np.abs(brightness.astype(np.float32) - np.float32(background))
        return silhouette(away)
    dark, light = contrasts(brightness)
    found = find_strokes(dark if ink < background else light)
    if len(found.names) == 0:
        return None
    largest = int(np.argmax(found.areas))
    box = found.boxes[largest]
    if box[3] < 5:
        return None
    return found.glyph(largest)


def silhouette(away: FloatArray) -> FloatArray | None:
    """(GLYPH_FEATURES,) of whatever differs from the background by the (h, w) distances given."""
    top = float(away.max(initial=0.0))
    if top < 12:
        return None
    shown = np.minimum(away / (0.7 * top), 1.0).astype(np.float32)
    ys, xs = np.nonzero(shown > 0.4)
    if len(ys) < 6:
        return None
    return normalised(shown[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1])


def main() -> None:
    """Train and write the model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", type=Path, help="where to write the model, such as models/counter.npz")
    parser.add_argument("--samples", type=int, default=CounterTraining.samples)
    parser.add_argument("--seed", type=int, default=CounterTraining.seed)
    arguments = parser.parse_args()
    options = CounterTraining(arguments.samples, arguments.seed)
    model = train_characters(options, find_fonts(), print)
    save_characters(model, arguments.output)
    print(f"{arguments.output}: {dict(model.record['measured'])}")


if __name__ == "__main__":
    main()
