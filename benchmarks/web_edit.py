"""How long it takes from a key on the page to the new odds on it, in a real browser.

Prints milliseconds of wall-clock time, median and the slowest of 40 edits: on an expert board read from a
screenshot, and on a 100x100 board with 2,000 mines. Needs Chromium and the extras `web` and `dev`.
"""

from __future__ import annotations

import statistics
import sys
from pathlib import Path

import numpy as np
from playwright.sync_api import Page

from visionsweeper.game.game import Game
from visionsweeper.game.minefield import lay
from visionsweeper.game.rules import Rules
from visionsweeper.solver import solve

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))

from served_page import browsing, served, settled, visit

SAMPLES = Path(__file__).resolve().parents[1] / "samples"
EDITS = 40

TIMED = """async (edits) => {
    const summary = document.querySelector("#summary"), times = [];
    for (let edit = 0; edit < edits; edit++) {
        await new Promise((done) => setTimeout(done, 800));
        const start = performance.now();
        const shown = new Promise((done) => {
            const watch = new MutationObserver(() => { watch.disconnect(); requestAnimationFrame(() => done(performance.now())); });
            watch.observe(summary, { childList: true, subtree: true });
        });
        const key = new KeyboardEvent("keydown", { key: edit % 2 ? "?" : "F", bubbles: true, cancelable: true });
        document.activeElement.dispatchEvent(key);
        times.push((await shown) - start);
    }
    return times;
}"""  # noqa: E501


def large_board() -> str:
    """A 100x100 game some way on, as text."""
    game = Game(lay(Rules(100, 100, 2000), (50, 50), np.random.default_rng(5)))
    game.open((50, 50))
    random = np.random.default_rng(1)
    for _ in range(12):
        for tile in solve(game.board, mines=2000).safe:
            game.open(tile)
    for row, column in random.integers(0, 100, (400, 2)).tolist():
        if not game.field.mines[row, column]:
            game.open((row, column))
    return f"# mines: 2000\n{game.board}"


def report(name: str, page: Page) -> None:
    """Edit a covered tile to and fro, and print how long the odds took."""
    page.locator("#board-holder .tile.covered.odds").first.focus()
    times = page.evaluate(TIMED, EDITS)
    print(f"{name}: median {statistics.median(times):.0f} ms, slowest {max(times):.0f} ms of {EDITS} edits")


def main() -> None:
    """Serve, visit, edit."""
    with served() as address, browsing() as browser:
        page = browser.new_page(viewport={"width": 1400, "height": 950})
        visit(page, address)
        page.set_input_files("#pick-picture", SAMPLES / "expert.png")
        page.wait_for_selector("#views:not([hidden])")
        settled(page)
        report("30x16 with its screenshot", page)
        page.click(".opening summary")
        page.click("#text-open")
        page.fill("#text-input", large_board())
        page.click("#text-load")
        settled(page)
        report("100x100", page)


if __name__ == "__main__":
    main()
