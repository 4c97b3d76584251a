"""Serving the page: a socket, a browser, and an end without noise."""

from __future__ import annotations

import errno
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable
from ipaddress import ip_address
from pathlib import Path
from typing import Final

import uvicorn

from visionsweeper.errors import InvalidInput
from visionsweeper.io.files import is_file
from visionsweeper.web.app import create_app
from visionsweeper.web.guard import Hosts
from visionsweeper.web.limits import Limits

PORT: Final = 8585
"""Where the page is if the port is free; else on any other."""


class PageServer:
    """The page, ready to be served. `opened` is a file that the page reads at its beginning.

    Raises InvalidInput where nothing can listen there, and where that file is none.
    """

    def __init__(
        self, host: str, port: int | None, *, limits: Limits | None = None, opened: Path | None = None
    ) -> None:
        if opened is not None and not is_file(opened):
            raise InvalidInput(f"{opened}: no such file")
        self._listener = _listening(host, port)
        self._hosts = Hosts(host)
        self.address = _address(self._listener, host) + ("" if opened is None else "?opened")
        """http://…, to be opened in a browser."""
        config = uvicorn.Config(
            create_app(limits, self._hosts, opened),
            log_level="warning",
            access_log=False,
            server_header=False,
            limit_concurrency=100,
            timeout_graceful_shutdown=2,
            # A program without a console has no streams to colour.
            use_colors=None if sys.stderr is not None else False,
        )
        self._server = uvicorn.Server(config)

    @property
    def reached_at(self) -> list[str]:
        """Addresses by which others on the network reach it; empty where nobody does."""
        return [] if self._hosts.loopback else _own(self._listener)

    def browse(self) -> None:
        """Open the page in the browser, which may take its time to start."""
        threading.Thread(target=webbrowser.open, args=(self.address,), daemon=True).start()

    def run(self) -> None:
        """Serve until `stop`, Ctrl-C or SIGTERM."""
        with self._listener:
            self._server.run(sockets=[self._listener])

    def stop(self) -> None:
        """End `run`, from another thread."""
        self._server.should_exit = True


def serve(
    host: str,
    port: int | None,
    *,
    browser: bool,
    tell: Callable[[str], None],
    limits: Limits | None = None,
    opened: Path | None = None,
) -> None:
    """Serve the page until Ctrl-C or SIGTERM. `tell` gets the address, a sentence.

    Raises InvalidInput where nothing can listen there.
    """
    page = PageServer(host, port, limits=limits, opened=opened)
    tell(f"the page is at {page.address}  (Ctrl-C ends it)")
    if page.reached_at:
        tell(
            "everybody who can reach this machine can use it; on this network it is at "
            + ", ".join(page.reached_at)
        )
    if browser:
        page.browse()
    page.run()


def _listening(host: str, port: int | None) -> socket.socket:
    try:
        family, _, _, _, place = socket.getaddrinfo(
            host, PORT if port is None else port, type=socket.SOCK_STREAM
        )[0]
    except (OSError, UnicodeError) as error:
        raise InvalidInput(f"there is no address {host!r} to listen on: try --host 127.0.0.1") from error
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        try:
            listener.bind(place)
        except OSError as error:
            if port is not None or error.errno not in {errno.EADDRINUSE, errno.EACCES}:
                raise
            listener.bind((place[0], 0))
        listener.listen(128)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRNOTAVAIL:
            raise InvalidInput(
                f"this machine does not have the address {host}: try --host 127.0.0.1"
            ) from error
        raise InvalidInput(
            f"cannot listen on port {port} of {host}: {error.strerror}; leave --port out for any that is free"
        ) from error
    return listener


def _address(listener: socket.socket, host: str) -> str:
    if ip_address(listener.getsockname()[0]).is_unspecified:
        host = "::1" if listener.family == socket.AF_INET6 else "127.0.0.1"
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{listener.getsockname()[1]}/"


def _own(listener: socket.socket) -> list[str]:
    """Addresses of this machine that others may reach it by."""
    port = listener.getsockname()[1]
    found = {listener.getsockname()[0]}
    if ip_address(listener.getsockname()[0]).is_unspecified:
        # No packet is sent: the system only says which of its addresses it would use.
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.connect(("192.0.2.1", 9))
                found = {probe.getsockname()[0]}
            except OSError:
                found = {socket.gethostname()}
    return [f"http://{name}:{port}/" for name in sorted(found)]
