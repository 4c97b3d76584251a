"""The options of reading and solving as fields of a form: made from `options`, none is named here."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any, Final

from fastapi import Depends, Form
from pydantic import Field

from visionsweeper.board import sides_from_text
from visionsweeper.geometry import box_from_text
from visionsweeper.options import LARGEST_COUNT, Offer, Options, ReadOptions, SolveOptions, offers, taken

_KINDS: Final[dict[str, Callable[[Offer], Any]]] = {
    "count": lambda offer: Annotated[int, Field(ge=offer.least, le=LARGEST_COUNT)] | None,
    "flag": lambda _: bool,
    "without": lambda _: bool,
    "box": lambda _: Annotated[str, Field(max_length=200)] | None,
    "model": lambda _: Annotated[str, Field(max_length=200)] | None,
    "sides": lambda _: Annotated[str, Field(max_length=200)] | None,
}
"""What the API takes for each kind of option; a model is one of the user's own, by its name."""

_FROM_TEXT: Final[dict[str, Callable[[str], Any]]] = {
    "box": box_from_text,
    "model": str,
    "sides": sides_from_text,
}
"""How the text of a field is understood, by kind of option; an empty one is not given."""


def fields_of(kind: type[Options]) -> dict[str, tuple[Any, Any, str]]:
    """Return type, default and description of every option, by the names that users know."""
    return {
        name: (
            _KINDS[offer.kind](offer),
            None if offer.kind in {"count", *_FROM_TEXT} else False,
            offer.help,
        )
        for name, (_, offer) in offers(kind).items()
    }


def _form(kind: type[Options], *without: str) -> Callable[..., Any]:
    """Return a dependency that takes the options from the fields of a form, but for those left out.

    Raises InvalidInput.
    """

    async def options(**given: Any) -> Options:
        for name, (_, offer) in offers(kind).items():
            if name in given and offer.kind in _FROM_TEXT:
                text = (given[name] or "").strip()
                given[name] = _FROM_TEXT[offer.kind](text) if text else None
        return taken(kind, given)

    options.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=default,
                annotation=Annotated[annotation, Form(description=description)],
            )
            for name, (annotation, default, description) in fields_of(kind).items()
            if name not in without
        ]
    )
    return options


Read = Annotated[ReadOptions, Depends(_form(ReadOptions))]
ReadForLearning = Annotated[ReadOptions, Depends(_form(ReadOptions, "board", "continues"))]
"""Where `board` is what the picture shows, all of it."""
Solve = Annotated[SolveOptions, Depends(_form(SolveOptions))]
