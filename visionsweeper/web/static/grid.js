// A board on the page: a table of tiles that is changed only where something changed.

import { COVERED, FLAG, MINE, NAMES, SAFE } from "./board.js";
import { h } from "./dom.js";
import { RULER, alone, roomOf } from "./layout.js";
import { naming, shown, tileName } from "./naming.js";
import { colourOf, percent, short } from "./odds.js";

const GLYPHS = ["", "1", "2", "3", "4", "5", "6", "7", "8", "", "⚑", "✹", "×"];
const SURE = { safe: "✓", mine: "✕" }; // as the ring and the cross of the annotated picture

/** Everything that can be shown on a tile besides what it is; all are Sets of indices but the first three. */
export const NO_MARKS = {
  odds: null, // index -> { p, certain, text, common } or undefined; common: a value that many tiles share
  less: null, // index -> number that is shown in place of what a tile says
  ghost: null, // index -> 1 mine, 0 none, of a solution
  selected: new Set(), uncertain: new Set(), conflict: new Set(), best: new Set(), runners: new Set(),
  component: new Set(), numbers: new Set(), wrongFlags: new Set(), ifRight: new Set(), alike: new Set(), pointed: new Set(), hit: new Set(), questions: new Set(), pressed: new Set(),
};

const CLASSES = ["selected", "uncertain", "conflict", "best", "runners", "component", "numbers", "wrongFlags", "ifRight", "alike", "pointed", "hit", "questions", "pressed"];

export class Grid {
  /** `ruled`: whether rows and columns are numbered at the edges. */
  constructor(holder, label, ruled = false) {
    this.element = h("div", { class: "grid", role: "grid", "aria-label": label, "aria-multiselectable": "true" });
    this.frame = h("div", { class: ruled ? "ruled" : null }, this.element);
    holder.append(this.frame);
    this.holder = holder;
    this.tiles = [];
    this.signatures = [];
    this.rows = this.columns = 0;
    this.cursor = 0;
    this.ruled = ruled;
    this.rulers = [];
    this.fixed = null; // [width, height] of a tile in px, where something else says it
    this.bounds = {}; // `most` and `least` px of a tile, where they are not the usual ones
    this.zoom = 1;
    this.turned = false; // whether rows run from top to bottom, the first at the right
    new ResizeObserver(() => this.fit()).observe(holder);
    window.addEventListener("resize", () => this.fit());
    naming.addEventListener("change", () => {
      if (this.ruled) this.rule();
      if (this.last) this.render(this.last.board, this.last.marks, true);
      this.moveTo(this.cursor, false);
    });
  }

  /** The index of the tile that an event happened on; null for none. */
  indexOf(event) {
    const tile = event.target.closest?.(".tile");
    return tile && this.element.contains(tile) ? Number(tile.dataset.index) : null;
  }

  /** The index of the tile at a point of the screen; null for none. */
  indexAt(x, y) {
    const tile = document.elementFromPoint(x, y)?.closest?.(".tile");
    return tile && this.element.contains(tile) ? Number(tile.dataset.index) : null;
  }

  resize(rows, columns) {
    const focused = this.focused;
    this.rows = rows;
    this.columns = columns;
    this.signatures = new Array(rows * columns).fill("");
    this.frame.style.setProperty("--columns", columns);
    this.element.setAttribute("aria-rowcount", rows);
    this.element.setAttribute("aria-colcount", columns);
    this.tiles = [];
    const lines = [];
    for (let row = 0; row < rows; row++) {
      const line = h("div", { role: "row", class: "line" });
      for (let column = 0; column < columns; column++) {
        const tile = document.createElement("div");
        tile.setAttribute("role", "gridcell");
        tile.tabIndex = -1;
        tile.dataset.index = this.tiles.length;
        this.tiles.push(tile);
        line.append(tile);
      }
      lines.push(line);
    }
    this.element.replaceChildren(...lines);
    if (this.ruled) this.rule();
    this.cursor = 0;
    this.last = null;
    this.fit();
    if (focused) this.moveTo(0, true);
  }

  /** Number rows and columns, as everything that is told of tiles does. */
  rule() {
    const numbers = (count) => Array.from({ length: count }, (_, at) => h("span", {}, shown(at)));
    this.rulers.forEach((one) => one.remove());
    this.rulers = [h("div", { class: "ruler of-rows", "aria-hidden": "true" }, numbers(this.rows)), h("div", { class: "ruler of-columns", "aria-hidden": "true" }, numbers(this.columns))];
    this.frame.prepend(...this.rulers);
  }

  /** Px from the edges of the holder to the tiles: [from the left, from the top]. */
  get inset() {
    return [this.element.offsetLeft - this.holder.offsetLeft, this.element.offsetTop - this.holder.offsetTop];
  }

  /** Show the board turned by a quarter, clockwise, or as it is. */
  turn(on) {
    this.turned = on;
    this.frame.classList.toggle("turned", on);
    this.fit();
  }

  /** What a step on the screen is on the board: [down, right] as rows and columns. */
  step([down, right]) {
    return this.turned ? [-right, down] : [down, right];
  }

  /** Choose the size of the tiles so that the board fits the window; `fixed` overrides. */
  fit() {
    if (!this.columns || this.holder.clientWidth === 0) return;
    const room = roomOf(this.holder), [columns, rows] = this.turned ? [this.rows, this.columns] : [this.columns, this.rows];
    const size = this.fixed?.[0] ?? alone({ columns, rows, ruled: this.ruled, ...this.bounds }, room, this.zoom);
    const high = this.fixed?.[1] ?? size;
    // What does not fit is scrolled in its holder, where the numbers of rows and columns stay in view.
    const scrolled = this.ruled && rows * high + RULER.top > 1.15 * room.height;
    this.holder.style.maxHeight = scrolled ? `${room.height}px` : "";
    if (size === this.size && high === this.high) return;
    this.size = size;
    this.high = high;
    this.frame.style.setProperty("--tile", `${size}px`);
    this.frame.style.setProperty("--high", `${high}px`);
    if (this.last) this.render(this.last.board, this.last.marks, true);
  }

  moveTo(index, focus) {
    const [before, after] = [this.tiles[this.cursor], this.tiles[index]];
    if (before) before.tabIndex = -1;
    if (!after) return;
    this.cursor = index;
    after.tabIndex = 0;
    if (focus) after.focus({ preventScroll: false });
    const place = [Math.floor(index / this.columns), index % this.columns];
    this.rulers.forEach((ruler, way) => {
      ruler.querySelector(".here")?.classList.remove("here");
      ruler.children[place[way]].classList.add("here");
    });
  }

  /** Give the keys back to the board, without moving anything. */
  focus() {
    this.tiles[this.cursor]?.focus({ preventScroll: true });
  }

  get focused() {
    return this.element.contains(document.activeElement);
  }

  render(board, marks, again = false) {
    if (board.rows !== this.rows || board.columns !== this.columns) this.resize(board.rows, board.columns);
    this.last = { board, marks };
    const used = CLASSES.filter((name) => marks[name].size);
    for (let index = 0; index < board.cells.length; index++) {
      const code = board.cells[index];
      const odds = marks.odds?.[index];
      const ghost = marks.ghost?.get(index);
      let classes = "";
      for (const name of used) if (marks[name].has(index)) classes += ` ${name}`;
      const signature = `${code}${classes}|${odds ? `${odds.p},${odds.certain},${odds.text ?? ""},${odds.common ?? ""}` : ""}|${ghost ?? ""}|${marks.less?.get(index) ?? ""}`;
      if (!again && signature === this.signatures[index]) continue;
      this.signatures[index] = signature;
      this.draw(index, code, odds, ghost, classes, marks);
    }
    if (this.tiles[this.cursor]) this.tiles[this.cursor].tabIndex = 0;
  }

  draw(index, code, odds, ghost, classes, marks) {
    const tile = this.tiles[index];
    const less = marks.less?.get(index), number = less ?? code;
    const kind = code <= 8 ? `opened n${Math.max(number, 0)}${number < 0 ? " below-zero" : ""}` : { [COVERED]: "covered", [FLAG]: "covered flag", [MINE]: "mine", [SAFE]: "safe" }[code];
    let glyph = less === undefined ? GLYPHS[code] : less < 0 ? `−${-less}` : GLYPHS[less];
    let text = "";
    if (ghost !== undefined) {
      classes += ghost ? " ghost-mine" : " ghost-safe";
      if (code === COVERED) glyph = ghost ? "✹" : "·";
    }
    if (odds && ghost === undefined) {
      const sure = odds.certain ? (odds.p < 0.5 ? "safe" : "mine") : null;
      // What many tiles share is said once, beside the board.
      text = sure ? SURE[sure] : odds.common ? "" : odds.text ?? short(odds.p, this.size);
      classes += sure ? ` sure-${sure}` : " odds";
      tile.style.setProperty("--odds", colourOf(odds.p));
    }
    tile.className = `tile ${kind}${classes}`;
    tile.textContent = text && code === COVERED ? "" : glyph;
    if (text) {
      const long = text.length > 4 ? " long" : "";
      tile.append(h("span", { class: odds.certain ? (code === FLAG ? "chance" : "sure") : `chance${long}` }, text));
    }
    const [row, column] = [Math.floor(index / this.columns), index % this.columns];
    let label = `${tileName([row, column])}: ${NAMES[code]}`;
    if (less !== undefined) label += `, ${less} besides the flags`;
    if (odds) label += `, ${percent(odds.shown ?? odds.p, odds.certain)} ${marks.measure ?? "mine"}`;
    if (ghost !== undefined) label += ghost ? ", a mine in this solution" : ", safe in this solution";
    if (marks.uncertain.has(index)) label += ", read with doubt";
    if (marks.ifRight.has(index)) label += ", certain only if what is in doubt is right";
    if (marks.conflict.has(index)) label += ", contradicts its neighbours";
    if (marks.best.has(index)) label += ", best next tile";
    if (marks.alike.has(index)) label += ", looks like the one put right";
    if (marks.questions.has(index)) label += ", question mark";
    if (marks.hit.has(index)) label += ", the one that was opened";
    tile.setAttribute("aria-label", label);
    if (marks.selected.has(index)) tile.setAttribute("aria-selected", "true");
    else tile.removeAttribute("aria-selected");
  }
}
