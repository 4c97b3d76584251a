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
    const on = { "check-next": () => this.go(1, true), "check-right": () => this.right(), "check-right-alike": () => this.right(true), "check-right-all": () => this.confirmAll() };
    for (const [id, task] of Object.entries(on)) $(id).addEventListener("click", task);
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
    const at = this.page.grid.cursor, doubted = this.page.store.state.uncertain.has(at), alike = this.doubtedAlike(at);
    for (const id of ["check-right", "check-right-alike", "check-right-all"]) show($(id), left > 0);
    $("check-right").disabled = !doubted;
    $("check-right-alike").disabled = alike.length < 2;
    $("check-right-alike").firstChild.textContent = alike.length > 1 ? `All ${alike.length} alike right ` : "All alike right ";
    $("check-next").firstChild.textContent = left || !faults ? "Next uncertain" : "Next contradiction";
    show($("check-next"), left + faults > 0);
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

  /** Doubted tiles that look like this one and were read as the same, with itself; none where it is not in doubt. */
  doubtedAlike(at) {
    const { board, uncertain } = this.page.store.state, groups = this.page.reading?.groups;
    if (!uncertain.has(at)) return [];
    if (!groups) return [at];
    return [...uncertain].filter((one) => groups[one] === groups[at] && board.cells[one] === board.cells[at]);
  }

  /** What is chosen (with `alike`: and its look-alikes) is right as it is; on to the next. */
  right(alike = false) {
    const { editor, store, grid } = this.page, at = grid.cursor;
    const doubted = [...editor.selection].some((index) => store.state.uncertain.has(index));
    this.confirm(alike ? [...editor.selection].flatMap((index) => [index, ...this.doubtedAlike(index)]) : editor.selection);
    if (!doubted || editor.selection.size > 1 || !store.state.uncertain.size) return;
    const next = this.nextUncertain(1, true);
    if (next !== null && next !== at) editor.select(next, false, true);
  }

  confirmAll() {
    const left = this.page.store.state.uncertain;
    this.confirm(left);
    toast(`${left.size} tile${left.size === 1 ? "" : "s"} taken as read`);
  }

  confirm(tiles) {
    const right = new Set(tiles), { state } = this.page.store;
    const uncertain = new Set([...state.uncertain].filter((index) => !right.has(index)));
    if (uncertain.size !== state.uncertain.size) this.page.store.change({ uncertain, confirmed: this.page.store.withConfirmed(right) });
    else this.page.store.confirm(right);
  }

  /** Go to the next uncertain tile, or the one before; false where there is none that way. */
  go(step, around = false) {
    const next = this.nextUncertain(step, around);
    if (next !== null) this.page.editor.select(next, false, true);
    return next !== null;
  }
}
