// What is told of a position beside the board: the best tile, one tile's tables, single solutions.

import { post } from "./api.js";
import { COVERED, FLAG } from "./board.js";
import { h, scrolling, show, toast } from "./dom.js";
import { chip, shown, withChips } from "./naming.js";
import { big, colourOf, fractionText, percent, valueOf } from "./odds.js";
import { keep, kept } from "./settings.js";

const chance = (fraction) => {
  const [text, share] = [fractionText(fraction), percent(fraction)];
  return text.includes("/") ? `${share} = ${text}` : share;
};

export function table(head, rows, className = "figures") {
  return scrolling(h("table", { class: className },
    h("thead", {}, h("tr", {}, head.map((one) => h("th", { scope: "col" }, one)))),
    h("tbody", {}, rows.map((row) => h("tr", { class: row.class ?? null }, (row.cells ?? row).map((one) => h("td", {}, one)))))));
}

const titled = (text, title) => h("abbr", { title }, text);

// Best next tile

export function showAdvice(place, advice, go) {
  if (!advice) return place.replaceChildren();
  const rows = advice.ranking.slice(0, 6).map((one) => [
    chip(one.tile, go),
    percent(one.safety),
    one.win === null ? (one.progress === null ? "" : percent(one.progress)) : percent(one.win),
    one.survival === null ? "" : percent(one.survival),
  ]);
  const wins = advice.ranking.some((one) => one.win !== null);
  const survival = advice.ranking.some((one) => one.survival !== null);
  const progress = wins || advice.ranking.some((one) => one.progress !== null);
  const keep = [true, true, progress, survival];
  const head = [
    "tile", titled("safe", "how likely it holds no mine"),
    wins ? titled("wins", "how likely the game is won, with best play from here") : titled("tells more", "how likely it is safe and makes another tile certain"),
    titled("safe twice", "how likely both it and the safest tile after it are safe"),
  ].filter((_, at) => keep[at]);
  const more = advice.ranking.length - rows.length;
  place.replaceChildren(
    h("p", {}, withChips(advice.reason, go)),
    rows.length ? table(head, rows.map((row) => row.filter((_, at) => keep[at]))) : "",
    more > 0 ? h("p", { class: "note" }, `and ${more} more`) : "",
  );
}

// One tile

/** What is known of a tile before the server has explained it, so that nothing of another tile is shown. */
export function showTileAtOnce(place, tile, odds, board, go) {
  const code = board.cells[board.index(tile)], shown = `${tile}: ${code}`;
  if (place.dataset.shown === shown && place.childElementCount) return; // as it was explained last, until the new tables are there
  place.dataset.shown = shown;
  place.replaceChildren(h("p", { class: "tile-title" }, chip(tile, go), h("strong", {}, ` ${describe(code)}`)),
    odds && (code === COVERED || code === FLAG) ? h("p", { class: "big-odds" }, swatch(odds.p), `a mine: ${percent(odds.p, odds.certain)}`) : "");
}

/** The panel of a tile; `found` is what /api/explain said, `mark` shows tiles on the board. */
export function showTile(place, tile, found, board, { go, mark }) {
  const index = board.index(tile), code = board.cells[index];
  const parts = [h("p", { class: "tile-title" }, chip(tile, go), h("strong", {}, ` ${describe(code)}`))];
  const row = rowOf(found, tile);
  const covered = code === COVERED || code === FLAG;
  if (covered) parts.push(...oddsOf(row, found, tile));
  if (found.steps.length) parts.push(stepsOf(found.steps, tile, go, mark));
  else if (covered && row && !["0/1", "1/1"].includes(row.probability)) parts.push(h("p", { class: "note" }, "Not certain: no technique settles it."));
  if (found.outcomes) parts.push(outcomesOf(found.outcomes));
  const component = row?.component ?? null;
  if (component !== null) parts.push(componentOf(found, component, row, go, mark), equationsOf(found, component));
  else if (!covered) parts.push(...numberOf(found, tile, go, mark));
  place.replaceChildren(...parts);
}

const describe = (code) => (code <= 8 ? `opened, shows ${code}` : { 9: "covered", 10: "flagged", 11: "a mine that is shown", 12: "no mine, number unknown" }[code]);

export const same = (a, b) => a[0] === b[0] && a[1] === b[1];

/** What the tables say of a tile next to numbers; undefined for others. */
export const rowOf = (found, tile) => found.tables?.tiles.find((one) => same(one.tile, tile));

function oddsOf(row, found, tile) {
  if (row) {
    const parts = [h("p", { class: "big-odds" }, swatch(valueOf(row.probability)), `a mine: ${chance(row.probability)}`)];
    if (found.scope === "global" && row.local !== row.probability)
      parts.push(h("p", { class: "note" }, `By the numbers alone: ${chance(row.local)}`));
    if (row.component === null) parts.push(h("p", { class: "note" }, "Single numbers settle it."));
    return parts;
  }
  const others = found.tables?.non_frontier;
  if (others?.tiles.some((one) => same(one, tile)))
    return [h("p", { class: "big-odds" }, others.probability === null
      ? "Next to no number: its odds need the mine count (global odds)."
      : [swatch(valueOf(others.probability)), `a mine: ${chance(others.probability)}, like all ${others.tiles.length} tiles next to no number`])];
  return [];
}

const swatch = (p) => h("span", { class: "dot", style: { "--odds": colourOf(p) }, "aria-hidden": "true" });

function stepsOf(steps, tile, go, mark) {
  const list = h("ol", { class: "steps" }, steps.map((step) => {
    const on = () => mark({ numbers: step.numbers, component: [...step.safe, ...step.mine] });
    return h("li", { onmouseenter: on, onmouseleave: () => mark(null) },
      h("span", { class: "tag" }, step.pattern ?? step.technique.replace("_", " ")), " ", ...withChips(step.sentence, go), " ",
      h("button", { class: "quiet small", onclick: () => { on(); go(step.safe[0] ?? step.mine[0] ?? tile, true); } }, "show"));
  }));
  return h("details", { open: true }, h("summary", {}, steps.length === 1 ? "Why it is certain" : `Why it is certain, in ${steps.length} steps`), list);
}

function outcomesOf(outcomes) {
  const place = h("div", { class: "bars", role: "list" }), risky = outcomes.mine && !["0/1", "1/1"].includes(outcomes.mine);
  const draw = (ifSafe) => place.replaceChildren(...barsOf(outcomes, ifSafe));
  const choice = risky ? h("label", { class: "note" }, h("input", { type: "checkbox", checked: kept("if-safe", false), onchange: ({ target }) => { keep("if-safe", target.checked); draw(target.checked); } }), " given that it is safe") : null;
  draw(risky && kept("if-safe", false));
  return h("details", { open: true }, h("summary", {}, "What it would show if opened"), choice, place);
}

/** A bar for each thing that a tile can show; `ifSafe`: the chances given that it is no mine. */
function barsOf(outcomes, ifSafe) {
  const safe = ifSafe ? 1 - valueOf(outcomes.mine) : 1;
  const bars = [["mine", ifSafe ? null : outcomes.mine], ...Array.from({ length: 9 }, (_, n) => [String(n), outcomes[n]])].filter(([, one]) => one && one[0] !== "0");
  const most = Math.max(...bars.map(([, one]) => valueOf(one)));
  return bars.map(([name, one]) => h("div", { class: "bar", role: "listitem" },
    h("span", { class: "bar-name" }, name === "mine" ? "✹" : name),
    h("span", { class: `bar-fill ${name === "mine" ? "is-mine" : `n${name}`}`, style: { width: `${(100 * valueOf(one)) / most}%` } }),
    h("span", { title: ifSafe ? null : one }, ifSafe ? percent(valueOf(one) / safe, bars.length === 1) : chance(one))));
}

function componentOf(found, at, row, go, mark) {
  const component = found.tables.components[at];
  const weighted = component.mine_counts.some((one) => one.weight !== null);
  const head = ["mines m", "N(m)", "Nₜ(m) here", ...(weighted ? ["weight"] : []), "probability"];
  const rows = component.mine_counts.map((one, k) => [
    String(one.mines), big(one.solutions), big(String(row.with_mine[k])), ...(weighted ? [big(one.weight)] : []), percent(one.probability),
  ]);
  const numbers = component.constraints.map((one) => [
    chip(one.tile, go), String(one.number), String(one.owed), h("span", {}, one.tiles.map((other) => chip(other, go))),
  ]);
  return h("details", { open: true },
    h("summary", {}, `Its component: ${component.tiles.length} tiles, ${component.constraints.length} numbers, ${big(component.solutions)} solution${component.solutions === "1" ? "" : "s"}`),
    h("p", { class: "row" }, h("button", { class: "small", onclick: () => mark({ component: component.tiles, numbers: component.constraints.map((one) => one.tile) }, true) }, "Show it on the board")),
    table(head, rows),
    fold("numbers", "Its numbers", table(["number", "shows", "needs", "among"], numbers)));
}

const unfolded = new Set();

/** A part that stays unfolded, or folded, from tile to tile. */
function fold(key, title, ...children) {
  const part = h("details", { open: unfolded.has(key) }, h("summary", {}, title), ...children);
  part.addEventListener("toggle", () => (part.open ? unfolded.add(key) : unfolded.delete(key)));
  return part;
}

function equationsOf(found, at) {
  const matrix = found.matrix;
  if (!matrix) return h("p", { class: "note" }, "The equations are left out on a board of this size.");
  const own = new Set(found.tables.components[at].tiles.map(String));
  const touches = (row) => row.terms.some(([k]) => own.has(String(matrix.tiles[k])));
  const before = matrix.before.filter(touches), after = matrix.after.filter(touches);
  // Numbers of the component touch tiles that others settle too: these have their columns as well.
  const matrixOf = (rows) => {
    const columns = [...new Set(rows.flatMap((row) => row.terms.map(([k]) => k)))].sort((a, b) => a - b);
    const place = new Map(columns.map((k, position) => [k, position]));
    const lines = rows.map((row) => {
      const line = new Array(columns.length).fill("·");
      for (const [k, value] of row.terms) line[place.get(k)] = String(value);
      return [...line, `= ${row.sum}`];
    });
    return table([...columns.map((k) => matrix.tiles[k].map(shown).join(",")), ""], lines, "figures matrix");
  };
  const system = h("ul", { class: "equations" }, before.map((row) => h("li", {}, row.terms.map(([k]) => `x${sub(matrix.tiles[k])}`).join(" + "), ` = ${row.sum}`)));
  return fold("equations", "Its equations, and the matrix before and after elimination",
    h("p", { class: "note" }, "x is 1 where a mine lies, else 0; every number makes one equation."), system,
    h("h4", {}, "Before"), matrixOf(before),
    h("h4", {}, "After"), matrixOf(after));
}

const sub = ([row, column]) => [...`${shown(row)},${shown(column)}`].map((sign) => (sign === "," ? "," : "₀₁₂₃₄₅₆₇₈₉"[sign])).join("");

function numberOf(found, tile, go, mark) {
  for (const component of found.tables?.components ?? []) {
    const one = component.constraints.find((constraint) => same(constraint.tile, tile));
    if (one)
      return [h("p", {}, `It needs ${one.owed} more mine${one.owed === 1 ? "" : "s"} among ${one.tiles.length} tile${one.tiles.length === 1 ? "" : "s"}: `, one.tiles.map((other) => chip(other, go))),
        h("button", { class: "small", onclick: () => mark({ component: one.tiles, numbers: [one.tile] }, true) }, "Show them")];
  }
  return [];
}

// Solutions

/** Whether solutions with so many mines cannot be, given the mine count. */
const ruledOut = (one) => one.weight === "0";

export class Solutions {
  /** `shown` is told the solution to draw on the board (or null), `position` gives what to ask the server with. */
  constructor(place, { position, shown, failed }) {
    this.place = place;
    this.position = position;
    this.shown = shown;
    this.failed = failed;
    this.component = 1;
    this.found = null; // what is drawn on the board
    this.aim = null; // number of the solution asked for last
    this.asked = 0;
    this.tables = null;
  }

  /** The position changed: `tables` are of the new one, or null. */
  reset(tables) {
    this.tables = tables;
    this.component = Math.min(this.component, tables?.components.length || 1);
    this.hide();
  }

  chooseFor(index) {
    if (index === null || index === undefined || index + 1 === this.component) return;
    this.component = index + 1;
    if (this.found !== null && this.found.component === null) this.draw(); // one of the whole board stays
    else if (this.found !== null || this.aim !== null) this.go("0");
    else this.draw();
  }

  step(by) {
    const count = BigInt(this.tables?.components[this.component - 1]?.solutions ?? "0");
    if (count === 0n) return;
    const at = this.aim === null ? (by > 0 ? 0n : count - 1n) : (BigInt(this.aim) + BigInt(by) + count) % count;
    this.go(String(at));
  }

  async go(number, whole = false) {
    this.aim = number;
    const asked = ++this.asked;
    try {
      const component = whole || !this.tables?.components.length ? null : this.component;
      const found = await post("solution", { ...this.position(), component, number });
      if (asked !== this.asked) return; // another one, or another position, was asked for since
      this.found = found;
      this.aim = found.number;
      this.draw();
      this.shown(found);
    } catch (error) {
      if (asked === this.asked) this.failed(error);
    }
  }

  hide() {
    this.asked++;
    this.aim = this.found = null;
    this.draw();
    this.shown(null);
  }

  draw() {
    // Everything is made anew: what had the focus gets it again.
    const focused = this.place.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    this.place.replaceChildren(...this.controls());
    if (focused) (this.place.querySelector(`[data-key="${focused}"]`) ?? this.place.querySelector("button"))?.focus();
  }

  controls() {
    const components = this.tables?.components ?? [], found = this.found;
    if (!this.tables) return [h("p", { class: "note" }, "There are no solutions to show.")];
    const part = components[this.component - 1];
    const rows = [];
    if (components.length > 1)
      rows.push(h("label", {}, "Component ", h("select", { "data-key": "component", onchange: (event) => { this.component = Number(event.target.value); this.go("0"); } },
        components.map((one, at) => h("option", { value: String(at + 1), selected: at + 1 === this.component }, `${at + 1}: ${one.tiles.length} tiles, ${big(one.solutions)} solution${one.solutions === "1" ? "" : "s"}`)))));
    if (part) {
      const typed = h("input", { type: "text", inputmode: "numeric", class: "number", "data-key": "number", "aria-label": "Number of the solution, from 0", value: found?.number ?? "", placeholder: "0", onchange: (event) => {
        const number = event.target.value.trim();
        if (/^\d+$/.test(number) && BigInt(number) < BigInt(part.solutions)) return this.go(number);
        toast(`Solutions are numbered from 0 to ${BigInt(part.solutions) - 1n}`);
        event.target.value = found?.number ?? "";
      } });
      rows.push(h("div", { class: "row" },
        h("button", { "data-key": "last", onclick: () => this.step(-1), title: "Previous solution ([)" }, "◀"), typed,
        h("button", { "data-key": "next", onclick: () => this.step(1), title: "Next solution (])" }, "▶"),
        h("span", { class: "note" }, `of ${big(part.solutions)}, numbered from 0`)),
      h("div", { class: "row" }, h("span", { class: "note" }, "With "), part.mine_counts.map((one) => h("button", { class: `small${ruledOut(one) ? " ruled-out" : ""}`, "data-key": `with-${one.mines}`, title: `${one.solutions} solution${one.solutions === "1" ? "" : "s"}${ruledOut(one) ? ", which the mine count does not allow" : ""}`, onclick: () => this.go(this.first(part, one.mines)) }, `${one.mines}`)), h("span", { class: "note" }, " mines")));
    }
    rows.push(h("div", { class: "row" },
      part ? h("button", { "data-key": "random", onclick: () => this.go(null), title: "Any solution of this component, all alike (R)" }, "Random") : null,
      h("button", { "data-key": "board", onclick: () => this.go(null, true), title: "Any solution of the whole board, all alike" }, "Random full solution"),
      found ? h("button", { "data-key": "hide", onclick: () => this.hide() }, "Hide") : null));
    const mines = found && `${found.mines.length} mine${found.mines.length === 1 ? "" : "s"}.`;
    const unfit = found && found.component !== null && components[found.component - 1]?.mine_counts.some((one) => one.mines === found.mines.length && ruledOut(one));
    if (found) rows.push(h("p", {}, found.component === null ? `A random one of ${big(found.count)}: ${mines}` : `Solution ${found.number} of component ${found.component}: ${mines}`,
      unfit ? h("span", { class: "bad-text" }, " The mine count does not allow it.") : null));
    return rows;
  }

  first(part, mines) {
    let first = 0n;
    for (const one of part.mine_counts) {
      if (one.mines === mines) return String(first);
      first += BigInt(one.solutions);
    }
    return "0";
  }
}

export function showWarnings(place, warnings, go) {
  place.replaceChildren(...warnings.map((one) => h("li", {}, withChips(one, go))));
  show(place, warnings.length > 0);
}
