"""How quickly the page answers, in a real browser.

Prints milliseconds of wall-clock time, the quickest, the median and the slowest: from dropping an expert
screenshot to its odds, from a key to the new odds (on that board, and on a 100x100 board with 2,000 mines),
and from a click in an expert game to the opened tile. Needs Chromium and the extras `web` and `dev`.
"""

from __future__ import annotations

import base64
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
DROPS = 12
CLICKS = 40

DROP = """async (data) => {
    const bytes = Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0)), transfer = new DataTransfer();
    transfer.items.add(new File([bytes], "shot.png", { type: "image/png" }));
    const grid = document.querySelector("#board-holder .grid"), start = performance.now();
    const event = new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true });
    document.body.dispatchEvent(event);
    while (document.querySelector("#status").textContent !== "Reading…")
        await new Promise((done) => requestAnimationFrame(done));
    while (!document.querySelector("#status").textContent.startsWith("Read a board") || !grid.querySelector(".chance, .sure"))
        await new Promise((done) => requestAnimationFrame(done));
    return performance.now() - start;
}"""  # noqa: E501

CLICK = """async (index) => {
    const tile = document.querySelector(`#play-board .tile[data-index="${index}"]`);
    const send = (kind, buttons) => tile.dispatchEvent(new PointerEvent(kind, { bubbles: true, button: 0, buttons, isPrimary: true, pointerType: "mouse" }));
    const start = performance.now();
    send("pointerdown", 1);
    send("pointerup", 0);
    do await new Promise((done) => requestAnimationFrame(done)); while (tile.classList.contains("covered"));
    return performance.now() - start;
}"""  # noqa: E501

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
    """Return a 100x100 game some way on, as text."""
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


def report(name: str, times: list[float]) -> None:
    """Print what was measured, in ms."""
    quickest, median, slowest = min(times), statistics.median(times), max(times)
    print(f"{name}: {quickest:.0f} ms, median {median:.0f} ms, slowest {slowest:.0f} ms of {len(times)}")


def drops(page: Page) -> list[float]:
    """Drop the screenshot of an expert game again and again."""
    data = base64.b64encode((SAMPLES / "expert.png").read_bytes()).decode()
    times = []
    for _ in range(DROPS):
        page.reload()
        page.wait_for_selector("html[data-ready]")
        settled(page)
        times.append(page.evaluate(DROP, data))
        settled(page)
    return times


def edits(page: Page) -> list[float]:
    """Edit a covered tile to and fro."""
    page.locator("#board-holder .tile.covered.odds").first.focus()
    times: list[float] = page.evaluate(TIMED, EDITS)
    return times


def clicks(page: Page) -> list[float]:
    """Click on numbers of an expert minefield that all is known of, one after another."""
    field = lay(Rules(30, 16, 99), (8, 15), np.random.default_rng(3))
    game = Game(field)
    page.click("#tab-play")
    text = "\n".join(
        "".join("F" if mine else str(number) for mine, number in zip(*row, strict=True))
        for row in zip(field.mines.tolist(), field.numbers.tolist(), strict=True)
    )
    page.set_input_files("#play-file", {"name": "own.txt", "mimeType": "text/plain", "buffer": text.encode()})
    page.wait_for_function("() => document.querySelector('#play-status').textContent.includes('your own')")
    numbered = np.argwhere(~field.mines & (field.numbers > 0)).tolist()
    return [page.evaluate(CLICK, row * game.board.columns + column) for row, column in numbered[:CLICKS]]


def main() -> None:
    """Serve, visit, drop, edit, play."""
    with served() as address, browsing() as browser:
        page = browser.new_page(viewport={"width": 1400, "height": 950})
        visit(page, address)
        report("screenshot of an expert game to its odds", drops(page))
        report("key to odds, 30x16 with its screenshot", edits(page))
        page.click(".opening summary")
        page.click("#text-open")
        page.fill("#text-input", large_board())
        page.click("#text-load")
        settled(page)
        report("key to odds, 100x100", edits(page))
        report("click to opened tile, 30x16", clicks(page))


if __name__ == "__main__":
    main()
