// Checking a board that was read: the uncertain tiles one after another, and look-alikes together.

import { NAMES } from "./board.js";
import { $, h, show, toast } from "./dom.js";

export class Checking {
  /** `page` is the Board page. */
  constructor(page) {
    this.page = page;
    this.corrected = null; // { index, code } of the correction that look-alikes could follow
    page.editor.addEventListener("set", ({ detail }) => {
      if (detail.tiles.length !== 1 || !page.reading) return;
      this.corrected = { index: detail.tiles[0], code: page.store.board.cells[detail.tiles[0]] };
      this.show();
    });
    $("check-next").addEventListener("click", () => this.go(1, true));
    $("alike").addEventListener("click", () => this.correctAlike());
  }

  /** Another position: what was corrected before means nothing for it. */
  reset() {
    this.corrected = null;
    this.show();
  }

  show() {
    const left = this.page.store.state.uncertain.size;
    const faults = this.faults.length;
    show($("check"), this.page.reading !== null);
    $("check-text").textContent = left ? `${left} uncertain tile${left === 1 ? "" : "s"} left`
      : faults ? "No uncertain tile left, but numbers that contradict each other" : "No uncertain tile left";
    $("check-next").firstChild.textContent = left || !faults ? "Next uncertain" : "Next contradiction";
    $("check-next").disabled = !left && !faults;
    $("check").classList.toggle("doubt", left + faults > 0);
    const others = this.lookAlikes();
    show($("alike"), others.length > 0);
    if (others.length) $("alike").textContent = `Make ${others.length} look-alike${others.length === 1 ? "" : "s"} ${NAMES[this.corrected.code]} too `;
    if (others.length) $("alike").append(h("kbd", {}, "Enter"));
    this.page.render();
  }

  /** Indices of numbers that cannot hold together on a board that was read. */
  get faults() {
    return this.page.reading ? (this.page.found?.conflict ?? []).map((tile) => this.page.store.board.index(tile)) : [];
  }

  /** The next uncertain tile (or else contradiction) after the cursor or before it; null after the last one. */
  nextUncertain(step, around = false) {
    const { uncertain } = this.page.store.state;
    const list = uncertain.size ? [...uncertain].sort((a, b) => a - b) : this.faults.sort((a, b) => a - b);
    if (!list.length) return null;
    const at = this.page.grid.cursor;
    const next = step > 0 ? list.find((one) => one > at) : list.findLast((one) => one < at);
    return next ?? (around ? list.at(step > 0 ? 0 : -1) : null);
  }

  /** Tiles that look like the one that was put right last, are not yet what it is, and were not set by hand. */
  lookAlikes() {
    const groups = this.page.reading?.groups;
    if (!this.corrected || !groups) return [];
    const group = groups[this.corrected.index], { board, confirmed } = this.page.store.state;
    return groups.flatMap((one, at) => (one === group && board.cells[at] !== this.corrected.code && !confirmed.has(at) ? [at] : []));
  }

  correctAlike() {
    const others = this.lookAlikes();
    if (!others.length) return;
    this.page.store.set(others, this.corrected.code, { seen: false });
    toast(`${others.length} look-alike${others.length === 1 ? "" : "s"} put right`);
  }

  confirm() {
    const { selection } = this.page.editor, { state } = this.page.store;
    const uncertain = new Set([...state.uncertain].filter((index) => !selection.has(index)));
    if (uncertain.size !== state.uncertain.size) this.page.store.change({ uncertain, confirmed: this.page.store.withConfirmed(selection) });
    else this.page.store.confirm(selection);
  }

  /** Go to the next uncertain tile, or the one before; false where there is none that way. */
  go(step, around = false) {
    const next = this.nextUncertain(step, around);
    if (next !== null) this.page.editor.select(next, false, true);
    return next !== null;
  }
}
