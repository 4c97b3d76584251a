// The palette: one button a tile, which sets the selected tiles and what painting and filling use.

import { Latest } from "./api.js";
import { NAMES, SYMBOLS } from "./board.js";
import { h, segmented } from "./dom.js";

const ORDER = [9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12];
const KINDS = { 9: "covered", 10: "covered flag", 11: "mine", 12: "safe" };
const SIGNS = { 9: "?", 0: "", 10: "⚑", 11: "✹", 12: "×" };

export class Palette {
  constructor(place, editor) {
    this.editor = editor;
    this.buttons = ORDER.map((code) =>
      h("button", {
        class: `swatch tile ${code <= 8 ? `opened n${code}` : KINDS[code]}`,
        "data-code": String(code),
        "aria-label": NAMES[code],
        title: `${NAMES[code]} (${SYMBOLS[code] === "*" ? "M" : SYMBOLS[code]})`,
      }, SIGNS[code] ?? String(code)),
    );
    const press = segmented(this.buttons, "code", (code) => {
      editor.brush = Number(code);
      if (editor.tool === "select" || editor.legal) editor.put(editor.brush);
    });
    press(String(editor.brush));
    place.append(...this.buttons);
    this.walk(place);
    this.checking = new Latest((signal) => this.check(signal));
    for (const source of [editor, editor.store]) for (const kind of ["select", "change"]) source.addEventListener(kind, () => this.again());
  }

  /** One stop for Tab; arrows go from tile to tile. */
  walk(place) {
    const { buttons } = this, stop = (chosen) => buttons.forEach((one) => (one.tabIndex = one === chosen ? 0 : -1));
    stop(buttons[0]);
    place.addEventListener("focusin", (event) => stop(event.target));
    place.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step) return;
      buttons[(buttons.indexOf(event.target) + step + buttons.length) % buttons.length].focus();
      event.preventDefault();
    });
  }

  /** Another tile, board or tool: what can be has to be found out anew. */
  again() {
    if (this.editor.legal && this.editor.selection.size === 1) this.checking.ask();
    else this.grey(null);
  }

  async check(signal) {
    const { legal, selection, store } = this.editor, { board } = store, [tile] = selection;
    // Build mode may have ended, or the selection changed, since this check was asked for.
    if (!legal || selection.size !== 1) return;
    const codes = await legal.codes(tile, signal);
    if (legal === this.editor.legal && board === store.board && selection === this.editor.selection) this.grey(codes);
  }

  /** Grey out all but these codes; null: none. */
  grey(codes) {
    for (const one of this.buttons) one.setAttribute("aria-disabled", String(codes !== null && !codes.has(Number(one.dataset.code))));
  }
}
