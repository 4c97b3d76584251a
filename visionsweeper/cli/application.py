"""`visionsweeper-app`: the page as an application, started by a double click, ended by closing its window."""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from multiprocessing import freeze_support
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

from visionsweeper.cli import COMMANDS
from visionsweeper.cli import main as command_line

if TYPE_CHECKING:
    from visionsweeper.web.server import PageServer

_LEFT_OUT: Final = ("train", "evaluate", "simulate")
"""Commands whose packages would double the size of the application that is built."""


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Open the page, with the file that was given; with a command or an option, be the command line."""
    freeze_support()
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given and given[0] in _LEFT_OUT and getattr(sys, "frozen", False):
        _show_problem(f"`{given[0]}` is not in the application: pip install visionsweeper brings it")
        sys.exit(2)
    if given and (given[0] in COMMANDS or given[0].startswith("-")):
        command_line(given)
    from visionsweeper.cli.serve import check_packages
    from visionsweeper.errors import VisionsweeperError

    try:
        check_packages()
        from visionsweeper.web.server import PageServer

        page = PageServer("127.0.0.1", None, opened=Path(given[0]) if given else None)
    except VisionsweeperError as error:
        _show_problem(str(error))
        sys.exit(error.exit_status)
    serving = threading.Thread(target=page.run)
    serving.start()
    page.browse()
    try:
        if not _window(page):
            print(f"the page is at {page.address}  (Ctrl-C ends it)", flush=True)
            while serving.is_alive():
                serving.join(1)
    except KeyboardInterrupt:
        pass
    finally:
        page.stop()
        serving.join()
    sys.exit(0)


def _window(page: PageServer) -> bool:
    """Show a small window until it is closed; False where there can be none."""
    try:
        import tkinter
    except ImportError:
        return False
    try:
        window = tkinter.Tk()
    except tkinter.TclError:  # no display
        return False
    window.title("visionsweeper")
    window.resizable(width=False, height=False)
    frame = tkinter.Frame(window, padx=24, pady=18)
    frame.pack()
    tkinter.Label(frame, text="The page is open in your browser.").pack(pady=(0, 12))
    tkinter.Button(frame, text="Open the page again", width=24, command=page.browse).pack(pady=3)
    tkinter.Button(frame, text="End visionsweeper", width=24, command=window.destroy).pack(pady=3)
    window.mainloop()
    return True


def _show_problem(message: str) -> None:
    """Say what is wrong, in a window where there is no terminal."""
    if sys.stderr is not None:
        print(f"visionsweeper: {message}", file=sys.stderr)
        return
    try:
        from tkinter import messagebox

        messagebox.showerror("visionsweeper", message)
    except Exception:  # there is neither a terminal nor a display: the exit status has to do
        return


if __name__ == "__main__":
    main()
