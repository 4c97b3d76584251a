// Positions kept in the browser, by name.

import { fromLink, toLink } from "./board.js";
import { $, h, show } from "./dom.js";
import { keep, kept } from "./settings.js";

const all = () => Object.entries(kept("positions", {})).sort(([a], [b]) => a.localeCompare(b));

export class Positions {
  /** `page` is the Board page. */
  constructor(page) {
    this.page = page;
    $("positions-open").addEventListener("click", () => {
      this.list();
      $("positions-name").value = "";
      $("positions-dialog").showModal();
    });
    $("positions-keep").addEventListener("click", (event) => {
      event.preventDefault();
      if (!$("positions-dialog").querySelector("form").reportValidity()) return;
      const { board, mines } = page.store.state;
      const link = toLink(board, mines, { local: page.scope === "local", trust: page.trust });
      keep("positions", { ...kept("positions", {}), [$("positions-name").value.trim()]: link });
      $("positions-name").value = "";
      this.list();
    });
  }

  list() {
    const rows = all().map(([name, link]) => h("li", {}, h("button", { type: "button", onclick: () => this.load(name, link) }, name), " ",
      h("button", { type: "button", class: "small", "aria-label": `Remove ${name}`, onclick: () => this.remove(name) }, "Remove")));
    $("positions-list").replaceChildren(...rows);
    show($("positions-none"), rows.length === 0);
  }

  load(name, link) {
    const { board, mines, local, trust } = fromLink(link);
    $("positions-dialog").close();
    this.page.load(board, mines, { said: name, scope: local ? "local" : "global", trust, focus: true });
  }

  remove(name) {
    const { [name]: _, ...others } = kept("positions", {});
    keep("positions", others);
    this.list();
    ($("positions-list").querySelector("button") ?? $("positions-name")).focus();
  }
}
