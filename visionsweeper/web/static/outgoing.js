// Going out: the position as a picture, a file, a link; and its look, to be learned.

import { post, send } from "./api.js";
import { toLink } from "./board.js";
import { $, copyText, download, h, show } from "./dom.js";

export class Outgoing {
  /** `page` is the Board page. */
  constructor(page) {
    this.page = page;
    const failing = (task) => async () => {
      try {
        await task();
      } catch (error) {
        page.fail(error);
      }
    };
    const tasks = {
      "export-png": () => this.exportPicture(),
      "export-file": () => this.exportFile(),
      "export-json": () => this.exportJson(),
      "export-copy": () => copyText(page.store.board.toString(), "Board copied as text"),
      "export-link": () => this.copyLink(),
      "learn-now": () => this.learn(""),
      "learn-ok": () => this.learn($("learn-name").value.trim()),
    };
    for (const [id, task] of Object.entries(tasks)) $(id).addEventListener("click", failing(task));
    $("learn-open").addEventListener("click", () => $("learn-dialog").showModal());
  }

  get name() {
    return (this.page.reading?.name ?? "board").replace(/\.[^.]*$/, "");
  }

  async exportPicture() {
    const fields = { board: this.page.store.board.toString(), mines: this.page.mines, trust_flags: String(this.page.trust), local: String(this.page.scope === "local") };
    if (this.page.reading) Object.assign(fields, { image: this.page.reading.file, x: this.page.reading.x.join(), y: this.page.reading.y.join() });
    download(`${this.name}.solved.png`, await send("picture", fields));
  }

  async exportFile() {
    const kind = $("export-kind").value;
    const suffix = { text: ".txt", jsminesweeper: ".mine", mbf: ".mbf", abf: ".abf" }[kind];
    download(this.name + suffix, await post("write-file", { board: this.page.store.board.toRows(), mines: this.page.mines, kind }));
  }

  async exportJson() {
    const found = await post("solve", { ...this.page.position(), exact: true });
    download(`${this.name}.json`, new Blob([JSON.stringify(found, null, 1)], { type: "application/json" }));
  }

  copyLink() {
    const link = toLink(this.page.store.board, this.page.store.state.mines, { local: this.page.scope === "local", trust: this.page.trust });
    history.replaceState(null, "", link);
    return copyText(location.href, "Link copied: it holds the whole position");
  }

  /** Without a name the theme is called after the file, or the look adds to the theme it resembles. */
  async learn(name) {
    const reading = this.page.reading;
    show($("problem"), false);
    $("status").textContent = "Learning…";
    try {
      const box = [reading.x[0], reading.y[0], reading.x.at(-1), reading.y.at(-1)].map((edge) => Math.max(edge, 0)).join(",");
      const found = await send("learn", { image: reading.file, board: this.page.store.board.toString(), theme: name || null, box });
      $("status").replaceChildren(...[...found.report, ...found.warnings].map((line) => h("span", { class: "line-text" }, `${line}. `)),
        h("button", { class: "small", onclick: async () => {
          try {
            const { undone } = await post("unlearn", {});
            $("status").textContent = `Taken back: ${undone}`;
          } catch (error) { this.page.fail(error); }
        } }, "Take that back"));
    } catch (error) {
      $("status").textContent = "";
      this.page.fail(error);
    }
  }
}
