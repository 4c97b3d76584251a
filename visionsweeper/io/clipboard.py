"""Pictures and text from and to the clipboard, by the system's own means."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from typing import Final

from visionsweeper.errors import InvalidInput

_PATIENCE: Final = 10.0
"""Seconds that a clipboard program may take."""

_PICTURES: Final = ("image/png", "image/jpeg", "image/webp", "image/bmp", "image/tiff", "image/gif")
"""What is asked for, best first."""


def read_picture() -> bytes:
    """Return the picture on the clipboard, as the bytes of an image file.

    Raises InvalidInput where there is none, or where the program that reads the clipboard is missing.
    """
    if sys.platform in {"win32", "darwin"}:
        return _grabbed()
    tool = _tool("wl-paste", "xclip")
    listing = [tool, "--list-types"] if tool == "wl-paste" else [*_XCLIP, "-t", "TARGETS", "-o"]
    kinds = _output(listing, "the clipboard is empty").decode(errors="replace").split()
    kind = next((one for one in _PICTURES if one in kinds), None)
    if kind is None:
        raise InvalidInput("there is no picture on the clipboard: copy one first")
    reading = [tool, "--type", kind] if tool == "wl-paste" else [*_XCLIP, "-t", kind, "-o"]
    return _output(reading, "the clipboard's picture cannot be read")


def read_text() -> str:
    """Return the text on the clipboard. Raises InvalidInput without one, or where it cannot be read."""
    empty = "there is no text on the clipboard"
    if sys.platform == "win32":
        command = ["powershell", "-NoProfile", "-Command", "Get-Clipboard -Raw"]
        data = _output(command, empty)
        return data.decode(errors="replace")
    if sys.platform == "darwin":
        return _output(["pbpaste"], empty).decode(errors="replace")
    tool = _tool("wl-paste", "xclip")
    command = [tool, "--no-newline"] if tool == "wl-paste" else [*_XCLIP, "-t", "UTF8_STRING", "-o"]
    return _output(command, empty).decode(errors="replace")


def copy_picture(png: bytes) -> None:
    """Put a picture, the bytes of a PNG file, on the clipboard. Raises InvalidInput where that fails."""
    if sys.platform in {"win32", "darwin"}:
        raise InvalidInput("pictures can be copied on Linux only so far: copy the text, or open the file")
    tool = _tool("wl-copy", "xclip")
    _input([tool, "--type", "image/png"] if tool == "wl-copy" else [*_XCLIP, "-t", "image/png"], png)


def copy_text(text: str) -> None:
    """Put text on the clipboard. Raises InvalidInput where that cannot be done."""
    if sys.platform == "win32":
        _input(["clip"], text.encode("utf-16-le"))
    elif sys.platform == "darwin":
        _input(["pbcopy"], text.encode())
    else:
        tool = _tool("wl-copy", "xclip")
        _input([tool] if tool == "wl-copy" else list(_XCLIP), text.encode())


_XCLIP: Final = ("xclip", "-selection", "clipboard")


def _grabbed() -> bytes:
    from PIL import Image, ImageGrab  # seldom needed

    found = ImageGrab.grabclipboard()
    if not isinstance(found, Image.Image):
        raise InvalidInput("there is no picture on the clipboard: copy one first")
    data = io.BytesIO()
    found.save(data, "PNG")
    return data.getvalue()


def _tool(wayland: str, x11: str) -> str:
    """Return the program for the display at hand."""
    if os.environ.get("WAYLAND_DISPLAY") and shutil.which(wayland):
        return wayland
    if os.environ.get("DISPLAY") and shutil.which(x11):
        return x11
    if os.environ.get("WAYLAND_DISPLAY"):
        raise InvalidInput(f"the clipboard needs the program {wayland}: install wl-clipboard")
    if os.environ.get("DISPLAY"):
        raise InvalidInput(f"the clipboard needs the program {x11}: install xclip")
    raise InvalidInput("there is no display here, and so no clipboard: give the picture as a file")


def _output(arguments: list[str], problem: str) -> bytes:
    try:
        return subprocess.run(
            arguments, check=True, timeout=_PATIENCE, capture_output=True, stdin=subprocess.DEVNULL
        ).stdout
    except (OSError, subprocess.SubprocessError) as error:
        raise InvalidInput(f"{problem}: copy what is to be read first") from error


def _input(arguments: list[str], data: bytes) -> None:
    try:
        # The program stays behind to answer for the clipboard: it must not hold our own streams open.
        subprocess.run(
            arguments,
            check=True,
            timeout=_PATIENCE,
            input=data,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise InvalidInput(f"the program {arguments[0]} could not fill the clipboard") from error
