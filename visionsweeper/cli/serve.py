"""`visionsweeper serve`: the page in the browser."""

from __future__ import annotations

import signal
from importlib.util import find_spec
from pathlib import Path

import click

from visionsweeper.cli.failures import Terminated
from visionsweeper.cli.options import FileName, WholeNumber
from visionsweeper.cli.terminal import say
from visionsweeper.errors import InvalidInput


@click.command(
    "serve",
    epilog="Example: visionsweeper serve shot.png",
)
@click.argument("picture", metavar="[FILE]", required=False, type=FileName())
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    metavar="ADDRESS",
    help="Address to listen on. 0.0.0.0 admits a phone on the same network, and everybody else there.",
)
@click.option(
    "--port", type=WholeNumber(1, 65535), metavar="N", help="Default: 8585, or another that is free."
)
@click.option("--no-browser", is_flag=True, help="Only print the address.")
def command(picture: str | None, host: str, port: int | None, no_browser: bool) -> int:
    """Open a page in the browser: drop screenshots, correct misread tiles with one key, and see the odds.

    FILE, a picture or a board, is opened there at once. Everything is computed on this machine; nothing is
    stored unless you ask for it. Ctrl-C stops it.
    """
    check_packages()
    from visionsweeper.web.server import serve

    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
        # A terminal that is closed ends it as SIGTERM does; the server knows of that one.
        signal.signal(signal.SIGHUP, lambda *_: signal.raise_signal(signal.SIGTERM))
    try:
        serve(host, port, browser=not no_browser, tell=say, opened=Path(picture) if picture else None)
    except (KeyboardInterrupt, Terminated):
        say("ended")
    return 0


def check_packages() -> None:
    """Raise InvalidInput unless the packages that the page needs, which are an extra, are installed."""
    missing = [name for name in ("fastapi", "uvicorn", "python_multipart") if find_spec(name) is None]
    if missing:
        raise InvalidInput("the page needs some more packages: pip install 'visionsweeper[web]'")
