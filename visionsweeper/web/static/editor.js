// Editing a board with mouse, touch and keys: what changes goes to the store.

import { send } from "./api.js";
import { Board, COVERED, KEYS, SYMBOLS, counted } from "./board.js";
import { copyText, toast } from "./dom.js";

const STEPS = {
  ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
  w: [-1, 0], s: [1, 0], a: [0, -1], d: [0, 1], W: [-1, 0], S: [1, 0], A: [0, -1], D: [0, 1],
};

const LONG_TOUCH = 400; // ms
const LINE = 40, NOTCH = 60; // px of a line, and from which on a wheel has been turned

export class Editor extends EventTarget {
  /** `grid` shows what `store` holds; events: select, set (with tiles and code), change (of what can be set). */
  constructor(grid, store) {
    super();
    this.grid = grid;
    this.store = store;
    this.anchor = 0;
    this.selection = new Set([0]);
    this.tool = "select";
    this.brush = 1;
    this.drag = null;
    this.legal = null; // a Legal, where only what can be is set
    this.checks = Promise.resolve(); // one change is checked after the other
    this.rolled = 0; // px that the mouse wheel was turned
    this.clicked = null; // index of the tile that was selected by a click, which another click changes
    store.addEventListener("change", () => this.fitted());
    this.fitted();
    const element = grid.element;
    element.addEventListener("pointerdown", (event) => this.pressed(event));
    element.addEventListener("pointermove", (event) => this.moved(event));
    element.addEventListener("wheel", (event) => this.wheeled(event), { passive: false });
    // The button may be released anywhere.
    window.addEventListener("pointerup", (event) => this.released(event));
    window.addEventListener("pointercancel", () => this.dropped());
    element.addEventListener("contextmenu", (event) => event.preventDefault());
    element.addEventListener("keydown", (event) => this.key(event));
    element.addEventListener("focusin", (event) => {
      const index = grid.indexOf(event);
      if (index !== null && index !== grid.cursor && !this.drag) this.select(index);
    });
  }

  /** Let only what can be be set, as this Legal says; null: everything. */
  restrict(legal) {
    this.legal = legal;
    this.dispatchEvent(new Event("change"));
  }

  // Selection

  select(index, more = false, focus = false) {
    if (index < 0 || index >= this.store.board.size) return;
    if (!more) this.anchor = index;
    this.clicked = null;
    this.selection = new Set(more ? this.store.board.rectangle(this.anchor, index) : [index]);
    this.grid.moveTo(index, focus);
    this.dispatchEvent(new Event("select"));
  }

  selectAll() {
    this.anchor = 0;
    this.selection = new Set(this.store.board.cells.keys());
    this.dispatchEvent(new Event("select"));
  }

  /** Rows and columns that the selection spans. */
  bounds() {
    const board = this.store.board;
    const places = [...this.selection].map((index) => board.at(index));
    const rows = places.map(([row]) => row), columns = places.map(([, column]) => column);
    return [Math.min(...rows), Math.min(...columns), Math.max(...rows), Math.max(...columns)];
  }

  /** On a board of another size what was selected means nothing any more. */
  fitted() {
    const { rows, columns } = this.store.board;
    if (this.grid.rows === rows && this.grid.columns === columns) return;
    this.grid.resize(rows, columns);
    this.reset();
  }

  reset(index = 0) {
    this.anchor = index;
    this.clicked = null;
    this.selection = new Set([index]);
    this.grid.moveTo(index, false);
  }

  // Changes

  set(tiles, code, joined = false) {
    this.change([...tiles], code, joined, () => this.dispatchEvent(new CustomEvent("set", { detail: { tiles: [...tiles], code } })));
  }

  /** Change tiles (see Store.set), where only what can be is wanted: if that can be. */
  change(tiles, code, joined = false, done = () => {}) {
    const put = () => { this.store.set(tiles, code, { joined }); done(); };
    if (!this.legal) return put();
    this.check(async () => {
      if (await this.legal.allows(this.store.board.with(tiles, code))) put();
      else toast("That cannot be: numbers or the mine count contradict it.");
    });
  }

  /** Do something that first asks what can be, after all that was asked before. */
  check(task) {
    this.checks = this.checks.then(task).catch((error) => toast(error.message));
  }

  /** Count a tile up or down, where only what can be is wanted: past what cannot. */
  count(index, step) {
    if (!this.legal) return this.set([index], counted(this.store.board.cells[index], step));
    this.check(async () => {
      const before = this.store.board, codes = await this.legal.codes(index);
      let code = before.cells[index];
      do code = counted(code, step); while (!codes.has(code));
      if (before === this.store.board) this.store.set([index], code);
    });
  }

  put(code) {
    this.clicked = null;
    this.set(this.selection, code);
  }

  clear() {
    this.put(COVERED);
  }

  fill(index = this.grid.cursor) {
    this.change(this.store.board.region(index), this.brush);
  }

  /** Push the selected tiles one step; what they leave is covered. */
  push([down, right]) {
    const board = this.store.board;
    const [top, left, bottom, last] = this.bounds();
    if (top + down < 0 || left + right < 0 || bottom + down >= board.rows || last + right >= board.columns) return;
    const moved = new Map([...this.selection].map((index) => [index, COVERED]));
    const target = (index) => index + down * board.columns + right;
    for (const index of this.selection) moved.set(target(index), board.cells[index]);
    this.change(moved);
    this.anchor = target(this.anchor);
    this.selection = new Set([...this.selection].map(target));
    this.grid.moveTo(target(this.grid.cursor), this.grid.focused);
    this.dispatchEvent(new Event("select"));
  }

  // Clipboard

  selectedText() {
    const board = this.store.board;
    const [top, left, bottom, right] = this.bounds();
    const lines = [];
    for (let row = top; row <= bottom; row++) {
      const cells = board.cells.subarray(row * board.columns + left, row * board.columns + right + 1);
      lines.push(Array.from(cells, (code) => SYMBOLS[code]).join(""));
    }
    return lines.join("\n") + "\n";
  }

  copy() {
    const count = this.selection.size;
    return copyText(this.selectedText(), count === 1 ? "Copied one tile" : `Copied ${count} tiles as text`);
  }

  /** Only what was copied is covered. */
  async cut() {
    const selected = this.selection;
    if (await this.copy()) this.set(selected, COVERED);
  }

  /** Text of any known form, put where the selection begins; what goes beyond the board is left out. */
  async paste(text) {
    const file = new File([text], "pasted.txt", { type: "text/plain" });
    const read = Board.fromRows((await send("read-file", { file })).board);
    const board = this.store.board;
    const [top, left] = this.bounds();
    const tiles = new Map();
    read.cells.forEach((code, at) => {
      const [row, column] = read.at(at);
      if (top + row < board.rows && left + column < board.columns)
        tiles.set(board.index([top + row, left + column]), code);
    });
    this.change(tiles);
    this.selection = new Set(tiles.keys());
    this.dispatchEvent(new Event("select"));
    const whole = tiles.size === read.size ? "" : ` of ${read.columns}x${read.rows}: the rest did not fit (paste it beside the board to load all of it)`;
    toast(`Pasted ${tiles.size} tile${tiles.size === 1 ? "" : "s"}${whole}`);
  }

  // Mouse and touch

  pressed(event) {
    const index = this.grid.indexOf(event);
    if (index === null || !event.isPrimary) return;
    event.preventDefault();
    // A touch keeps its element captured, so that dragging over others would go unseen.
    event.target.releasePointerCapture?.(event.pointerId);
    const again = this.clicked === index && this.selection.size === 1 && this.grid.focused;
    if (event.button === 2) {
      this.select(index, false, true);
      this.count(index, -1);
      return;
    }
    if (event.button !== 0) return;
    if (this.legal) {
      this.select(index, event.shiftKey, true);
      if (!event.shiftKey) this.count(index, 1);
      return;
    }
    if (this.tool === "paint") {
      this.drag = { painting: true, before: this.store.state };
      this.select(index, false, true);
      this.set([index], this.brush);
    } else if (this.tool === "fill") {
      this.select(index, false, true);
      this.fill(index);
    } else {
      const touch = event.pointerType === "touch";
      this.drag = { from: index, again, touch };
      const anchor = this.anchor;
      this.select(index, event.shiftKey, true);
      this.clicked = index;
      // There is no Shift on a phone: a long touch selects all from the tile before to this one.
      if (touch) this.drag.timer = setTimeout(() => { this.dropped(); this.anchor = anchor; this.select(index, true, true); }, LONG_TOUCH);
    }
  }

  moved(event) {
    if (!this.drag || !event.isPrimary) return;
    if (event.buttons === 0) return this.dropped();
    const index = this.grid.indexAt(event.clientX, event.clientY);
    if (index === null || index === this.grid.cursor) return;
    if (this.drag.painting) {
      const way = this.store.board.line(this.grid.cursor, index); // a quick mouse leaves tiles out
      this.select(index);
      this.set(way, this.brush, this.store.state !== this.drag.before); // one stroke, one step
    } else if (this.drag.touch) this.dropped();
    else {
      this.drag.again = false;
      this.select(index, true);
    }
  }

  dropped() {
    clearTimeout(this.drag?.timer);
    this.drag = null;
  }

  released(event) {
    const drag = this.drag;
    this.dropped();
    if (!drag?.again || this.grid.indexAt(event.clientX, event.clientY) !== drag.from) return;
    this.count(drag.from, 1);
  }

  /** In build mode the wheel counts the tile under the mouse. */
  wheeled(event) {
    const index = this.grid.indexOf(event);
    if (!this.legal || index === null || event.ctrlKey) return;
    event.preventDefault();
    this.rolled += event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE : 1);
    if (Math.abs(this.rolled) < NOTCH) return;
    const step = this.rolled < 0 ? 1 : -1;
    this.rolled = 0;
    this.select(index, false, true);
    this.count(index, step);
  }

  // Keys

  key(event) {
    if (event.defaultPrevented) return;
    const board = this.store.board;
    const command = event.ctrlKey || event.metaKey;
    const done = () => event.preventDefault();
    if (command) {
      const key = event.key.toLowerCase();
      if (key === "a") { this.selectAll(); done(); }
      else if (key === "c") { this.copy(); done(); }
      else if (key === "x") { this.cut(); done(); }
      return;
    }
    const step = event.key in STEPS && this.grid.step(STEPS[event.key]);
    if (step) {
      if (event.altKey) this.push(step);
      else {
        const [row, column] = board.at(this.grid.cursor);
        const to = [Math.min(Math.max(row + step[0], 0), board.rows - 1), Math.min(Math.max(column + step[1], 0), board.columns - 1)];
        this.select(board.index(to), event.shiftKey, true);
      }
      done();
    } else if (event.altKey) return;
    else if (event.key === "Home" || event.key === "End") {
      const [row] = board.at(this.grid.cursor);
      this.select(board.index([row, event.key === "Home" ? 0 : board.columns - 1]), event.shiftKey, true);
      done();
    } else if (event.key in KEYS) { this.put(KEYS[event.key]); done(); }
    else if (event.key === "Delete" || event.key === "Backspace") { this.clear(); done(); }
    else if (event.key === "g" || event.key === "G") { this.fill(); done(); }
    else if (event.key === "Escape") { this.select(this.grid.cursor); done(); }
  }
}
