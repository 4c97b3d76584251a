"""What every request passes: who may ask, how much may be sent, and what a browser may do with the answer."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import Response

from visionsweeper.web.answers import error_answer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' blob: data:",
        "connect-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)
"""Nothing from elsewhere, nothing inline, and no text that becomes markup."""

_HEADERS: Final = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "geolocation=(), microphone=(), payment=(), usb=()",
}

MAX_JSON: Final = 2 * 2**20
"""Bytes of a body that is no form: a board of 100,000 tiles is a tenth of that."""

_LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")

_API: Final = "/api/"


@dataclass(frozen=True)
class Hosts:
    """Which names this server answers to."""

    bound: str = "127.0.0.1"
    """The address that it listens on."""

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach it."""
        if self.bound == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.bound).is_loopback
        except ValueError:
            return False

    def answers_to(self, header: str | None) -> bool:
        """Tell whether a Host header names this server.

        A page elsewhere can make its own name resolve to this machine (DNS rebinding), but it cannot change
        what the browser then sends as Host: addresses and this machine's names are safe, others are not.
        """
        name = _name_of(header)
        if name is None:
            return False
        if name in {*_LOOPBACK, self.bound.lower()}:
            return True
        if self.loopback:
            return False
        own = socket.gethostname().lower()
        if name in {own, own.partition(".")[0], f"{own.partition('.')[0]}.local"}:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True


def _place_of(origin: str) -> str | None:
    """Host and port of an Origin header; None where it has none."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None


def _name_of(header: str | None) -> str | None:
    """Return the name of a Host header, without the port."""
    if not header or any(sign in header for sign in "/@?#\\ "):
        return None
    try:
        return urlsplit(f"//{header}").hostname
    except ValueError:
        return None


class Guard:
    """ASGI middleware; `upload`: most bytes of a body, `patience`: seconds that a sender may be silent.

    `larger` names paths that take more bytes.
    """

    def __init__(
        self, app: ASGIApp, hosts: Hosts, upload: int, larger: Mapping[str, int], patience: float
    ) -> None:
        self._app = app
        self._hosts = hosts
        self._upload = upload
        self._larger = larger
        self._patience = patience

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, or hand on with headers added and the body counted."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        guarded = _with_headers(send, api=scope["path"].startswith(_API))
        headers = Headers(scope=scope)
        most = self._most(headers, scope["path"])
        refused = self._refused(headers, scope["method"], most)
        if refused is not None:
            await refused(scope, receive, guarded)
            return
        await self._app(scope, self._counted(receive, most), guarded)

    def _refused(self, headers: Headers, method: str, most: int) -> Response | None:
        host = headers.get("host")
        if not self._hosts.answers_to(host):
            return _error(
                "host", "this server does not answer to that host name: open the address that it printed", 421
            )
        origin = headers.get("origin")
        if origin is not None and _place_of(origin) != host:
            return _error("origin", "another web page may not use this server", 403)
        if headers.get("sec-fetch-site") in {"cross-site", "same-site"} and (
            method not in {"GET", "HEAD"}  # a link may lead here, a form may not
            or headers.get("sec-fetch-mode") != "navigate"
            or headers.get("sec-fetch-dest") != "document"
        ):
            return _error("origin", "another web page may not use this server", 403)
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit()) or len(length) > 15 or int(length) > most:
            return _error("too_large", f"at most {most // 2**20} MB can be sent", 413)
        return None

    def _most(self, headers: Headers, path: str) -> int:
        """Bytes that a body may have: only files are large, and JSON is read where all requests are."""
        files = headers.get("content-type", "").startswith("multipart/form-data")
        return self._larger.get(path, self._upload) if files else min(self._upload, MAX_JSON)

    def _counted(self, receive: Receive, most: int) -> Receive:
        read, whole = 0, False

        async def counted() -> Message:
            nonlocal read, whole
            if whole:  # what still comes is the end of the connection, which may take its time
                return await receive()
            try:
                async with asyncio.timeout(self._patience):
                    message = await receive()
            except TimeoutError:
                raise HTTPException(408, "no data came for too long") from None
            read += len(message.get("body", b""))
            whole = not message.get("more_body", False)
            if read > most:
                raise HTTPException(413, f"at most {most // 2**20} MB can be sent")
            return message

        return counted


def _error(kind: str, message: str, status: int) -> Response:
    answer = error_answer(kind, message, status)
    return Response(answer.body, status, media_type=answer.media_type)


def _with_headers(send: Send, *, api: bool) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
            headers.setdefault("Cache-Control", "no-store" if api else "no-cache")
        await send(message)

    return sent
