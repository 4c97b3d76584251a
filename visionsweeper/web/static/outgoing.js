// Going out: the position as a picture, a file, a link; and its look, to be learned.

import { boxText, get, post, send } from "./api.js";
import { $, copyText, download, h, show } from "./dom.js";
import { formats } from "./odds.js";
import { remember } from "./remembered.js";
import { Work } from "./work.js";

export class Outgoing {
  /** `page` is the Board page. */
  constructor(page) {
    this.page = page;
    this.learning = new Work($("learn-work"));
    this.exporting = new Work($("export-work"));
    this.themesAsked = 0; // how often the list of themes was asked for
    const whileWaiting = (task) => () => this.exporting.run(task);
    const kinds = formats.map(({ name, title, suffix }) => h("option", { value: name }, `${title} (${suffix})`));
    $("export-kind").replaceChildren(...kinds);
    $("export-kind").value = "text";
    const tasks = {
      "export-png": whileWaiting((signal) => this.exportPicture(signal)),
      "export-file": whileWaiting((signal) => this.exportFile(signal)),
      "export-file-copy": whileWaiting((signal) => this.copyFile(signal)),
      "export-json": whileWaiting((signal) => this.exportJson(signal)),
      "export-copy": () => copyText(page.store.board.toString(), "Board copied as text"),
      "export-link": () => this.copyLink(),
      "learn-now": () => (this.unchecked() ? this.askName() : this.learn("")),
      "learn-ok": () => this.learn($("learn-name").value.trim()),
    };
    for (const [id, task] of Object.entries(tasks)) $(id).addEventListener("click", page.trying(task));
    $("learn-open").addEventListener("click", () => this.askName());
  }

  /** What speaks against learning the board as it stands; empty if nothing does. */
  unchecked() {
    const doubts = this.page.store.state.uncertain.size;
    if (doubts) return `${doubts} uncertain tile${doubts === 1 ? " was" : "s were"} not checked: mistakes on the board would be learned.`;
    return this.page.checking.faults.length ? "The board contradicts itself: mistakes on the board would be learned." : "";
  }

  async askName() {
    this.doubt(this.unchecked());
    $("learn-dialog").showModal();
    try {
      await this.showThemes();
    } catch (error) {
      this.doubt(error.message);
    }
  }

  doubt(text) {
    $("learn-doubt").textContent = text;
    show($("learn-doubt"), text !== "");
  }

  /** The themes that were taught, each with a button that takes it away. */
  async showThemes() {
    const asked = ++this.themesAsked;
    const { themes } = await get("themes");
    if (asked !== this.themesAsked) return; // a later answer is newer, even if it came first
    const remove = (name) => async () => {
      try {
        await post("forget", { theme: name });
        show($("learned"), false); // what it offers to take back is not the last step any more
        await this.showThemes();
        ($("learn-themes").querySelector("button") ?? $("learn-name")).focus();
      } catch (error) {
        this.doubt(error.message);
      }
    };
    show($("learn-themes"), themes.length > 0);
    $("learn-themes").replaceChildren(h("h3", {}, "Learned themes"), h("ul", {}, themes.map((name) =>
      h("li", {}, `${name} `, h("button", { type: "button", class: "small", "aria-label": `Remove ${name}`, onclick: remove(name) }, "Remove")))));
  }

  get name() {
    return (this.page.reading?.name ?? "board").replace(/\.[^.]*$/, "");
  }

  /** Read what was learned as if it was dropped again, and say what would come of it. */
  async readAgain(reading, text, place, signal) {
    const rows = text.trim().split("\n"), size = { width: rows[0].length, height: rows.length };
    const given = { box: boxText(reading.box), ...size };
    await remember(reading.file, given);
    let said;
    try {
      const found = await send("parse", { image: reading.file, ...given }, signal);
      const wrong = found.board.join("") === rows.join("") ? 0 : [...rows.join("")].filter((sign, at) => sign !== found.board.join("")[at]).length;
      said = wrong ? `If you drop this picture again, ${wrong} tile${wrong === 1 ? " is" : "s are"} still read differently from what you set.` : "If you drop this picture again, it is read without an error.";
    } catch (error) {
      if (error.name === "AbortError") return;
      said = `If you drop this picture again, it is not read: ${error.message}`;
    }
    place.append(h("span", { class: "line-text" }, ` ${said}`));
  }

  async exportPicture(signal) {
    const fields = { board: this.page.store.board.toString(), mines: this.page.mines, trust_flags: String(this.page.trust), local: String(this.page.scope === "local"), continues: this.page.position().continues.join() || "none" };
    if (this.page.reading) Object.assign(fields, { image: this.page.reading.file, x: this.page.reading.x.join(), y: this.page.reading.y.join() });
    download(`${this.name}.solved.png`, await send("picture", fields, signal));
  }

  get format() {
    return formats[$("export-kind").selectedIndex];
  }

  /** The position in the chosen form. */
  written(signal) {
    const { name, needs_mines } = this.format;
    // Where none is needed, what was given is written, not what is usual.
    const mines = needs_mines ? this.page.mines : this.page.store.state.mines;
    return post("write-file", { board: this.page.store.board.toRows(), mines, kind: name }, signal);
  }

  async exportFile(signal) {
    download(this.name + this.format.suffix, await this.written(signal));
  }

  async copyFile(signal) {
    const { title } = this.format, file = await this.written(signal);
    if (file.type.startsWith("text/")) return copyText((await file.text()).trimEnd(), `${title} copied`);
    throw new Error(`${title} files are not text: save them instead.`);
  }

  async exportJson(signal) {
    const found = await post("solve", { ...this.page.position(), exact: true }, signal);
    download(`${this.name}.json`, new Blob([JSON.stringify(found, null, 1)], { type: "application/json" }));
  }

  copyLink() {
    this.page.link();
    return copyText(location.href, "Link copied: it holds the whole position");
  }

  /** Without a name the theme is called after the file, or adds to the theme that it resembles. */
  async learn(name) {
    const { reading } = this.page, { file, box } = reading, board = this.page.store.board.toString(), place = $("learned");
    place.textContent = "Learning…";
    show(place, true);
    try {
      const found = await this.learning.run((signal) => send("learn", { image: file, board, theme: name || null, box: box.join(",") }, signal));
      const undo = async () => {
        const { undone } = await post("unlearn", {});
        place.textContent = `Undone: ${undone}`;
      };
      place.replaceChildren(...[...found.report, ...found.warnings].map((line) => h("span", { class: "line-text" }, `${line}. `)),
        h("button", { class: "small", onclick: this.page.trying(undo) }, "Take that back"));
      show(place, true); // even if another position was loaded meanwhile
      await this.learning.run((signal) => this.readAgain(reading, board, place, signal));
    } catch (error) {
      if (error.name === "AbortError") place.textContent = "Cancelled. If the theme was stored just before, Learn as… lists it.";
      else show(place, false);
      throw error;
    }
  }
}
