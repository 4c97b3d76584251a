// A small window that stays on top of the game, with the board's odds and the best tile.

import { $, h, show } from "./dom.js";
import { Grid } from "./grid.js";

export class Companion {
  /** `button` opens and closes it; it is hidden where the browser has no such windows. */
  constructor(page, button) {
    this.page = page;
    this.button = button;
    this.window = null;
    show(button, "documentPictureInPicture" in window);
    button.addEventListener("click", () => (this.window ? this.close() : this.open()));
  }

  async open() {
    const { board } = this.page.store, wide = Math.min(Math.max(board.columns * 22 + 24, 280), 760);
    const small = await window.documentPictureInPicture.requestWindow({ width: wide, height: Math.min(board.rows * 22 + 80, 620) });
    this.window = small;
    small.document.title = "visionsweeper";
    small.document.documentElement.dataset.look = document.documentElement.dataset.look;
    const style = h("link", { rel: "stylesheet", href: new URL("style.css", location.href).href });
    this.build();
    small.document.head.append(style);
    small.document.body.append(this.text, this.holder);
    small.addEventListener("resize", () => this.fit());
    small.addEventListener("pagehide", () => { this.window = null; this.button.setAttribute("aria-pressed", "false"); });
    this.button.setAttribute("aria-pressed", "true");
    style.addEventListener("load", () => this.render());
    this.render();
  }

  /** What moves into each window that is opened; a board listens to the page for as long as that lives. */
  build() {
    if (this.grid) return;
    this.text = h("p", { class: "companion-text", role: "status" });
    this.holder = h("div", { class: "board-holder" });
    this.grid = new Grid(this.holder, "The watched board");
  }

  fit() {
    const { columns, rows } = this.page.store.board, { innerWidth, innerHeight } = this.window;
    const size = Math.max(Math.floor(Math.min((innerWidth - 12) / columns, (innerHeight - this.text.offsetHeight - 16) / rows)), 8);
    this.grid.fixed = [size, size];
    this.grid.fit();
  }

  render() {
    if (!this.window) return;
    const { last } = this.page.grid;
    this.text.textContent = $("answer").textContent || "…";
    if (!last) return;
    this.grid.render(last.board, last.marks);
    this.fit();
  }

  close() {
    this.window?.close();
  }
}
