"""Makes the pictures of the web page in the docs: python tools/make_page_pictures.py (needs Chromium).

Their content is our own: samples of this repository, shown by the page as it is served.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Page
from served_page import browsing, served, settled, visit

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
SAMPLES = ROOT / "samples"


def main() -> None:
    """Serve, visit, take, end."""
    with served() as address, browsing() as browser:

        def opened(**options: Any) -> Page:
            page = browser.new_page(**options)
            page.set_default_timeout(120_000)
            visit(page, address)
            return page

        light = opened(viewport={"width": 1340, "height": 900})
        take_board(light)
        take_learn(light)
        take_over(opened(viewport={"width": 1340, "height": 900}, color_scheme="dark"))
        phone = {"width": 390, "height": 730}
        take_play(opened(viewport=phone, is_mobile=True, has_touch=True, device_scale_factor=2))


def keep(page: Page, name: str) -> None:
    """Keep the visible part, with at most 256 colours: such pictures have few anyway."""
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    picture.quantize(256, dither=Image.Dither.NONE).save(DOCS / name, optimize=True)


def take_board(page: Page) -> None:
    """Take a screenshot beside its board, a tile explained."""
    page.set_input_files("#pick-picture", SAMPLES / "intermediate-dark.png")
    page.wait_for_selector("#views:not([hidden])")
    page.click("[data-mode=side]")
    page.locator("#board-holder .tile[data-index='13']").click()
    settled(page)
    keep(page, "page-board.png")


def take_over(page: Page) -> None:
    """Take the board over its screenshot."""
    page.set_input_files("#pick-picture", SAMPLES / "expert.png")
    page.wait_for_selector("#views:not([hidden])")
    page.click("[data-mode=over]")
    settled(page)
    keep(page, "page-over.png")


def take_learn(page: Page) -> None:
    """Take the worked example and the formulas."""
    page.click("#tab-learn")
    page.wait_for_selector("#learn-patterns .sure-safe")
    settled(page)
    keep(page, "page-learn.png")


def take_play(page: Page) -> None:
    """Take a game with its odds, on a phone."""
    page.click("#tab-play")
    page.locator("#play-board .tile").nth(40).tap()
    page.click("#play-odds")
    page.wait_for_selector("#play-board .chance, #play-board .sure")
    page.click("#play-hint")
    settled(page)
    page.evaluate("scrollTo(0, 0)")
    keep(page, "page-play.png")


if __name__ == "__main__":
    main()
