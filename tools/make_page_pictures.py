"""Makes the pictures of the web page in the docs: python tools/make_page_pictures.py (needs Chromium).

Their content is our own: samples of this repository, shown by the page as it is served.
"""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
SAMPLES = ROOT / "samples"


def main() -> None:
    """Serve, visit, take, end."""
    with subprocess.Popen(
        [sys.executable, "-m", "visionsweeper", "serve", "--no-browser"], stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stdout is not None
            address = re.findall(r"http://\S+", server.stdout.readline())[0]
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(
                    executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
                )
                light = browser.new_page(viewport={"width": 1340, "height": 900})
                visit(light, address)
                take_board(light)
                take_learn(light)
                dark = browser.new_page(viewport={"width": 1340, "height": 900}, color_scheme="dark")
                visit(dark, address)
                take_over(dark)
                phone = browser.new_page(
                    viewport={"width": 390, "height": 730},
                    is_mobile=True,
                    has_touch=True,
                    device_scale_factor=2,
                )
                visit(phone, address)
                take_play(phone)
                browser.close()
        finally:
            server.terminate()


def visit(page: Page, address: str) -> None:
    """The page, loaded."""
    page.set_default_timeout(120_000)
    page.goto(address)
    page.wait_for_selector("#board-holder .grid[data-ready]")


def keep(page: Page, name: str) -> None:
    """The visible part, with at most 256 colours: such pictures have few anyway."""
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    picture.quantize(256, dither=Image.Dither.NONE).save(DOCS / name, optimize=True)


def take_board(page: Page) -> None:
    """A screenshot beside its board, a tile explained."""
    page.set_input_files("#pick-picture", SAMPLES / "intermediate-dark.png")
    page.wait_for_selector("#views:not([hidden])")
    page.click("[data-mode=side]")
    page.locator("#board-holder .tile[data-index='13']").click()
    page.wait_for_timeout(1200)
    keep(page, "page-board.png")


def take_over(page: Page) -> None:
    """The board over its screenshot."""
    page.set_input_files("#pick-picture", SAMPLES / "expert.png")
    page.wait_for_selector("#views:not([hidden])")
    page.click("[data-mode=over]")
    page.wait_for_timeout(1200)
    keep(page, "page-over.png")


def take_learn(page: Page) -> None:
    """The worked example and the formulas."""
    page.click("#tab-learn")
    page.wait_for_selector("#learn-patterns .sure-safe")
    page.wait_for_timeout(1200)
    keep(page, "page-learn.png")


def take_play(page: Page) -> None:
    """A game with its odds, on a phone."""
    page.click("#tab-play")
    page.locator("#play-board .tile").nth(40).tap()
    page.click("#play-odds")
    page.wait_for_selector("#play-board .chance")
    page.click("#play-hint")
    page.wait_for_timeout(800)
    page.evaluate("scrollTo(0, 0)")
    keep(page, "page-play.png")


if __name__ == "__main__":
    main()
