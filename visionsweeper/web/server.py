"""Serving the page: a socket, a browser, and an end without noise."""

from __future__ import annotations

import errno
import socket
import threading
import webbrowser
from collections.abc import Callable
from typing import Final

import uvicorn

from visionsweeper.errors import InvalidInput
from visionsweeper.web.app import create_app
from visionsweeper.web.guard import Hosts
from visionsweeper.web.limits import Limits

PORT: Final = 8585
"""Where the page is if the port is free; else on any other."""


def serve(
    host: str, port: int | None, *, browser: bool, tell: Callable[[str], None], limits: Limits | None = None
) -> None:
    """Serve the page until Ctrl-C or SIGTERM. `tell` gets the address, a sentence.

    Raises InvalidInput where nothing can listen there.
    """
    listener = _listening(host, port)
    hosts = Hosts(host)
    address = _address(listener, host)
    app = create_app(limits, hosts)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        limit_concurrency=100,
        timeout_graceful_shutdown=2,
    )
    tell(f"the page is at {address}  (Ctrl-C ends it)")
    if not hosts.loopback:
        tell(
            "everybody who can reach this machine can use it; on this network it is at "
            + ", ".join(_own(listener))
        )
    if browser:
        # It may take its time to start, or wait for itself to be closed.
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    with listener:
        uvicorn.Server(config).run(sockets=[listener])


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
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{shown}:{listener.getsockname()[1]}/"


def _own(listener: socket.socket) -> list[str]:
    """Addresses of this machine that others may reach it by."""
    port = listener.getsockname()[1]
    found = {listener.getsockname()[0]} - {"0.0.0.0", "::"}
    if not found:
        # No packet is sent: the system only says which of its addresses it would use.
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.connect(("192.0.2.1", 9))
                found = {probe.getsockname()[0]}
            except OSError:
                found = {socket.gethostname()}
    return [f"http://{name}:{port}/" for name in sorted(found)]
