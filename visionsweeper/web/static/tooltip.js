// What is known of the tile under the mouse, beside the mouse: at once what the page knows, then what the server says.

import { post } from "./api.js";
import { COVERED, FLAG, NAMES } from "./board.js";
import { $, h, show } from "./dom.js";
import { counted, tileName } from "./naming.js";
import { percent, valueOf } from "./odds.js";

const REST = 120; // ms that the mouse rests on a tile before the server is asked

export class Tooltip {
  /** `page` is the Board page. */
  constructor(page) {
    this.page = page;
    this.place = h("div", { class: "tooltip", "aria-hidden": "true", hidden: true });
    document.body.append(this.place);
    this.known = new Map(); // what the server said, by tile; of one question
    const { element } = page.grid;
    element.addEventListener("pointerover", (event) => {
      if (event.pointerType !== "mouse" || event.buttons) return this.hide();
      const index = page.grid.indexOf(event);
      if (index !== null) this.show(index, event);
    });
    element.addEventListener("pointermove", (event) => this.put(event));
    element.addEventListener("pointerdown", () => this.hide());
    element.addEventListener("pointerleave", () => this.hide());
    window.addEventListener("scroll", () => this.hide(), { capture: true, passive: true });
  }

  hide() {
    clearTimeout(this.waiting);
    this.asking?.abort();
    this.index = null;
    show(this.place, false);
  }

  put(event) {
    if (this.place.hidden) return;
    const { offsetWidth, offsetHeight } = this.place;
    const left = event.clientX + 18 + offsetWidth > window.innerWidth ? event.clientX - offsetWidth - 12 : event.clientX + 18;
    const top = Math.min(event.clientY + 18, window.innerHeight - offsetHeight - 6);
    Object.assign(this.place.style, { left: `${left}px`, top: `${top}px` });
  }

  show(index, event) {
    const { page } = this, { board } = page.store, code = board.cells[index];
    this.hide();
    this.index = index;
    if (this.question !== page.question) this.known.clear();
    this.question = page.question;
    this.draw(index);
    this.put(event);
    if ((code !== COVERED && code !== FLAG) || this.known.has(index) || !page.found || page.found.error) return;
    this.waiting = setTimeout(() => this.ask(index, event), REST);
  }

  async ask(index, event) {
    const { page } = this, { question } = page;
    this.asking = new AbortController();
    try {
      const found = await post("explain", { ...page.position(), tile: page.store.board.at(index) }, this.asking.signal);
      if (question !== page.question) return;
      this.known.set(index, { outcomes: found.outcomes, why: found.steps.at(-1)?.sentence });
      if (this.index !== index) return;
      this.draw(index);
      this.put(event);
    } catch {
      // What the page knew is shown, and the panel says what went wrong.
    }
  }

  draw(index) {
    const { page } = this, { board } = page.store, tile = board.at(index), odds = page.oddsOf(tile), more = this.known.get(index);
    const marks = [
      page.store.state.uncertain.has(index) ? "read with doubt" : null,
      page.grid.last?.marks.ifRight.has(index) ? "certain only if what is in doubt is right" : null,
    ].filter(Boolean);
    this.place.replaceChildren(
      h("strong", {}, `${tileName(tile)}: ${NAMES[board.cells[index]]}`),
      odds ? h("div", {}, odds.certain ? (odds.p < 0.5 ? "✓ safe" : "✕ a mine") : `${percent(odds.p, false)} a mine`) : "",
      marks.length ? h("div", {}, marks.join(", ")) : "",
      more?.why ? h("div", {}, counted(more.why)) : "",
      more?.outcomes && !odds?.certain ? numbers(more.outcomes) : "");
    show(this.place, true);
  }
}

/** The chance of each number, as a line of small figures. */
function numbers(outcomes) {
  const likely = Array.from({ length: 9 }, (_, number) => [number, outcomes[number]]).filter(([, chance]) => chance && chance[0] !== "0");
  return h("div", { class: "row numbers-line" }, likely.map(([number, chance]) => h("span", {}, h("b", { class: `n${number}` }, String(number)), ` ${percent(valueOf(chance), false, true)}`)));
}
