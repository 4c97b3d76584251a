// The Learn page: the mathematics on a board of one's own, formulas that fail, and the patterns.

import { Latest, get, post } from "./api.js";
import { Board, COVERED, FLAG } from "./board.js";
import { $, h, m } from "./dom.js";
import { Editor } from "./editor.js";
import { Grid, NO_MARKS } from "./grid.js";
import { big, fractionText, percent, possible } from "./odds.js";

import { rowOf, same, table } from "./panels.js";
import { Store } from "./store.js";

const EXAMPLES = [
  { name: "A 1 and a 2", board: ["?????", "?12??", "?????"], mines: 3 },
  { name: "The mine count decides", board: ["???", "?1?", "???", "???"], mines: 1 },
  { name: "Two components", board: ["?????x?????", "?12??x??21?", "?????x?????"], mines: 6 },
  { name: "Fewer mines weigh more", board: ["???????", "?1?1???", "???????"], mines: 3 },
];

export class LearnPage {
  /** `load` shows a position on the Board page. */
  constructor(load) {
    this.load = load;
    this.store = new Store(Board.fromRows(EXAMPLES[0].board), EXAMPLES[0].mines);
    this.grid = new Grid($("learn-board"), "The example");
    this.grid.bounds = { most: 44 };
    this.editor = new Editor(this.grid, this.store);
    this.found = null;
    this.working = new Latest((signal) => this.work(signal));
    this.store.addEventListener("change", () => this.changed());
    this.editor.addEventListener("select", () => { this.render(); this.working.ask(); });
    $("learn-mines").addEventListener("input", (event) => {
      if (event.target.value !== "") this.store.change({ mines: Math.max(0, Math.round(Number(event.target.value))) });
    });
    $("learn-examples").append(...EXAMPLES.map((one) => h("button", { onclick: () => this.take(one) }, one.name)));
    this.started = false;
  }

  /** Nothing is computed before the page is looked at. */
  start() {
    if (this.started) return;
    this.started = true;
    this.changed();
    this.showPatterns();
  }

  take(example) {
    this.store.change({ board: Board.fromRows(example.board), mines: example.mines });
    $("learn-mines").value = example.mines;
    this.editor.select(this.store.board.cells.indexOf(COVERED));
  }

  changed() {
    this.render();
    if ($("learn-mines") !== document.activeElement) $("learn-mines").value = this.store.state.mines ?? "";
    this.working.ask();
  }

  render() {
    const board = this.store.board, marks = { ...NO_MARKS, selected: this.editor.selection };
    if (this.found && !this.found.error && this.found.board.join() === board.toRows().join()) {
      const sure = new Set([...this.found.safe, ...this.found.mine].map((tile) => board.index(tile)));
      marks.odds = {};
      this.found.probability.flat().forEach((p, at) => {
        if (p !== null && (board.cells[at] === COVERED || board.cells[at] === FLAG)) marks.odds[at] = { p, certain: sure.has(at), text: null };
      });
    }
    this.grid.render(board, marks);
  }

  async work(signal) {
    const board = this.store.board, mines = this.store.state.mines;
    const asked = { board: board.toRows(), mines, tile: board.at(this.grid.cursor) };
    try {
      this.found = await post("explain", asked, signal);
      this.render();
      const problem = this.found.error, range = this.found.mine_range;
      $("learn-range").textContent = possible(range);
      $("learn-working").replaceChildren(...(problem ? [h("p", { class: "notice bad" }, `${problem.message}.`)] : this.told(this.found, asked.tile)));
      const formulas = problem ? null : await post("formulas", { board: asked.board, mines }, signal);
      $("learn-formulas").replaceChildren(formulas ? this.compared(formulas) : "");
    } catch (error) {
      if (error.name === "AbortError") return;
      if (!this.found || this.found.board.join() !== asked.board.join() || this.found.mines !== mines) $("learn-working").replaceChildren();
      $("learn-formulas").replaceChildren(h("p", { class: "note" }, error.message));
    }
  }

  /** The worked example, with the numbers of this very board. */
  told(found, tile) {
    const { tables } = found, parts = [];
    const components = tables.components;
    parts.push(h("h3", {}, "1. Components"), h("p", {}, components.length
      ? `${components.length === 1 ? "The covered tiles next to numbers are one component." : `The covered tiles next to numbers fall into ${components.length} components, which share no number with each other.`} N(m) counts the solutions with m mines:`
      : "Single numbers settle every tile next to one: nothing remains to be counted."));
    components.forEach((one, at) => parts.push(h("p", { class: "note" }, `Component ${at + 1}: tiles ${one.tiles.map((place) => place.join(",")).join("  ")}`),
      table(["m", "N(m)"], one.mine_counts.map((count) => [String(count.mines), big(count.solutions)]))));
    parts.push(...this.mineCount(found), ...this.tile(found, tile));
    return parts;
  }

  mineCount(found) {
    const { tables } = found;
    const U = tables.non_frontier.tiles.length, M = tables.mines, K = tables.known_mines;
    const rows = tables.mine_counts.map((one) => [
      String(one.mines), big(one.solutions), `C(${U}, ${M - K - one.mines}) = ${big(one.weight)}`, `${one.solutions} · ${one.weight}`, percent(one.probability),
    ]);
    return [h("h3", {}, "2. The mine count"),
      h("p", {}, `The board has ${M} mine${M === 1 ? "" : "s"}${K ? `, K = ${K} of them known` : ""}. A solution with m mines leaves ${K ? "M − K − m" : "M − m"} = ${M - K} − m for the U = ${U} covered tiles next to no number, which can be placed in `,
        m("math", binomial("U", [m("mi", "M"), m("mo", "−"), ...(K ? [m("mi", "K"), m("mo", "−")] : []), m("mi", "m")])), " ways. So each solution is weighed by that number:"),
      table(["m", "N(m)", "weight", "solutions in all", "share"], rows)];
  }

  tile(found, tile) {
    const { tables } = found;
    const row = rowOf(found, tile);
    const heading = h("h3", {}, `3. The tile at row ${tile[0]}, column ${tile[1]}`);
    if (!row) {
      const othersOdds = tables.non_frontier.probability;
      const apart = tables.non_frontier.tiles.some((one) => same(one, tile));
      return [heading, h("p", {}, !apart ? "It is not covered: select a covered tile." : `It is next to no number. All ${tables.non_frontier.tiles.length} such tiles share the mines that are left over, so each holds one with ${percent(othersOdds)} = ${fractionText(othersOdds)}.`)];
    }
    if (row.component === null) return [heading, h("p", {}, `A single number settles it: it is ${row.probability === "1/1" ? "a mine" : "safe"}.`)];
    const counts = tables.components[row.component].mine_counts;
    const local = h("p", {}, "Local, by the numbers alone: ", formula("local"), ` = (${row.with_mine.join(" + ")}) / (${counts.map((one) => one.solutions).join(" + ")}) = ${fractionText(row.local)} = ${percent(row.local)}.`);
    const total = counts.map((one, at) => ({ with: BigInt(row.with_mine[at]) * BigInt(one.weight), all: BigInt(one.solutions) * BigInt(one.weight) }));
    const sum = (key) => total.reduce((before, one) => before + one[key], 0n);
    const terms = (key, values) => counts.map((one, at) => `${values[at]}·${one.weight}`).join(" + ");
    const global = h("p", {}, "Global, with the mine count: ", formula("global"),
      ` = (${terms("with", row.with_mine)}) / (${terms("all", counts.map((one) => one.solutions))}) = ${sum("with")}/${sum("all")} = ${fractionText(row.probability)} = ${percent(row.probability)}.`);
    return [heading, h("p", {}, "Nₜ(m) counts the component's solutions with m mines of which one is on this tile:"),
      table(["m", "N(m)", "Nₜ(m)", "w(m), placements of all other mines"], counts.map((one, at) => [String(one.mines), one.solutions, String(row.with_mine[at]), one.weight])), local, global];
  }

  compared(found) {
    const truth = new Map(found.true.map((one) => [String(one.tile), one]));
    const worst = (formula) => Math.max(0, ...formula.odds.map((one) => (one.probability === null ? 0 : Math.abs(one.probability - truth.get(String(one.tile)).probability))));
    const cell = (one) => {
      if (one.probability === null) return "–";
      const right = Math.abs(one.probability - truth.get(String(one.tile)).probability) < 1e-12;
      return h("span", { class: right ? "right" : "wrong" }, `${(100 * one.probability).toFixed(1)}%`);
    };
    const kinds = new Map(); // tiles with the same figures are one row
    found.true.forEach((one, at) => {
      const key = [one.exact, ...found.formulas.map((formula) => formula.odds[at].exact)].join("|");
      if (!kinds.has(key)) kinds.set(key, { at, tiles: [] });
      kinds.get(key).tiles.push(one.tile.join(","));
    });
    const rows = [...kinds.values()].map(({ at, tiles }) => [
      tiles.length > 6 ? `${tiles.slice(0, 6).join("  ")}  and ${tiles.length - 6} more` : tiles.join("  "),
      h("strong", {}, `${(100 * found.true[at].probability).toFixed(1)}%`), ...found.formulas.map((formula) => cell(formula.odds[at])),
    ]);
    const last = { class: "last", cells: ["largest error, in points", "", ...found.formulas.map((formula) => h("strong", {}, (100 * worst(formula)).toFixed(1)))] };
    return h("div", {}, h("p", { class: "note" }, `${big(String(found.placements))} placements tried, ${big(String(found.solutions))} fit every number.`),
      table(["tiles", "true", ...found.formulas.map((one) => one.name)], [...rows, last]),
      h("dl", {}, found.formulas.flatMap((one) => [h("dt", {}, one.name), h("dd", {}, `${one.rule} ${one.flaw}`)])));
  }

  async showPatterns() {
    try {
      const { patterns } = await get("patterns");
      $("learn-patterns").replaceChildren(...patterns.map((pattern) => {
        const board = Board.fromRows(pattern.board), holder = h("div", { class: "mini", "aria-hidden": "true", inert: "" });
        const card = h("button", { class: "pattern", onclick: () => this.load(board, pattern) }, h("strong", {}, pattern.title), holder, h("span", { class: "note" }, pattern.note));
        mini(holder, board, pattern);
        return card;
      }));
    } catch (error) {
      this.started = false; // so that coming back tries again
      $("learn-patterns").replaceChildren(h("p", { class: "note" }, error.message));
    }
  }
}

/** A small board that is only looked at: its certain tiles coloured. */
function mini(holder, board, { safe, mine }) {
  const grid = new Grid(holder, "pattern");
  grid.bounds = { most: 22, least: () => 8 };
  const odds = {};
  for (const [tiles, p] of [[safe, 0], [mine, 1]]) for (const tile of tiles) odds[board.index(tile)] = { p, certain: true };
  grid.render(board, { ...NO_MARKS, odds });
}

const binomial = (upper, lower) => m("mrow", m("mo", "("), zeroLine(m("mi", upper), m("mrow", lower)), m("mo", ")"));

function zeroLine(upper, lower) {
  const fraction = m("mfrac", upper, lower);
  fraction.setAttribute("linethickness", "0");
  return fraction;
}

function formula(kind) {
  const N = (index) => m("mrow", index ? m("msub", m("mi", "N"), m("mi", index)) : m("mi", "N"), m("mo", "("), m("mi", "m"), m("mo", ")"));
  const weight = () => m("mrow", m("mi", "w"), m("mo", "("), m("mi", "m"), m("mo", ")"));
  const sum = (index) => m("mrow", m("munder", m("mo", "∑"), m("mi", "m")), N(index), ...(kind === "global" ? [m("mo", "·"), weight()] : []));
  return m("math", m("mfrac", sum("t"), sum("")));
}
