"""What goes back to the browser, as plain values that processes can hand on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Answer:
    """An HTTP answer."""

    status: int
    body: bytes
    media_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)


def json_answer(value: Any, status: int = 200) -> Answer:
    """Return an answer of plain JSON."""
    return Answer(status, json.dumps(value, allow_nan=False).encode())


def error_answer(kind: str, message: str, status: int, headers: Mapping[str, str] | None = None) -> Answer:
    """Return an answer that says what went wrong."""
    body = json_answer({"error": {"kind": kind, "message": message}}).body
    return Answer(status, body, headers=dict(headers or {}))
