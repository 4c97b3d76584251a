// Mouse and finger on the board of a game: what would be opened is pressed in, and what is released acts.

import { COVERED } from "./board.js";
import { $ } from "./dom.js";
import { keep, kept } from "./settings.js";

const LONG_TOUCH = 400; // ms
const LEFT = 1, RIGHT = 2, MIDDLE = 4; // as in `buttons` of an event

/** What a person has chosen: whether there are question marks, and what opens around a number. */
export const choices = { questions: false, left: true, middle: true, both: true, ...kept("play-mouse", {}) };

const FIELDS = { "question-marks": "questions", "chord-left": "left", "chord-middle": "middle", "chord-both": "both" };

function wireChoices() {
  for (const [id, name] of Object.entries(FIELDS)) {
    $(id).checked = choices[name];
    $(id).addEventListener("change", ({ target }) => {
      choices[name] = target.checked;
      keep("play-mouse", choices);
    });
  }
}

export class PlayMouse {
  /** `page` is the Play page. */
  constructor(page) {
    this.page = page;
    this.held = 0; // buttons
    this.from = null; // the tile on which the first of them was pressed
    this.way = null; // "open" or "chord": what letting go does
    this.touch = null;
    wireChoices();
    const { element } = page.grid, finger = (event) => event.pointerType === "touch";
    element.addEventListener("contextmenu", (event) => event.preventDefault());
    element.addEventListener("mousedown", (event) => { if (event.button === 1) event.preventDefault(); }); // which would scroll
    element.addEventListener("pointerdown", (event) => (finger(event) ? this.touched(event) : this.changed(event)));
    element.addEventListener("pointermove", (event) => (finger(event) ? this.dragged(event) : this.changed(event)));
    element.addEventListener("pointerleave", () => this.show(null));
    // Buttons may be released anywhere.
    window.addEventListener("pointerup", (event) => (finger(event) ? this.lifted(event) : this.held && this.changed(event)));
    window.addEventListener("pointercancel", () => { this.drop(); this.held = 0; this.way = null; this.show(null); });
  }

  /** Buttons were pressed or released, or the mouse was moved: a second button comes as a move. */
  changed(event) {
    const index = this.page.grid.indexOf(event), { buttons } = event;
    const pressed = buttons & ~this.held, released = this.held & ~buttons, first = this.held === 0;
    this.held = buttons;
    if (pressed && index !== null) this.press(pressed, index, first);
    if (released) this.release(released, index);
    this.show(index);
  }

  press(pressed, index, first) {
    if (first) Object.assign(this, { from: index, way: null });
    this.page.grid.moveTo(index, true);
    if ((pressed & MIDDLE && choices.middle) || ((this.held & (LEFT | RIGHT)) === (LEFT | RIGHT) && choices.both)) this.way = "chord";
    else if (pressed & LEFT) this.way ??= "open";
    else if (pressed & RIGHT && !(this.held & LEFT)) this.page.mark(index);
  }

  release(released, index) {
    const way = index === this.from ? this.way : null;
    if (way === "chord" || (way === "open" && released & LEFT)) {
      this.way = "done"; // letting go of the other button does nothing more
      this.act(way, index);
    }
    if (this.held === 0) this.from = this.way = null;
  }

  act(way, index) {
    const { page } = this, number = page.board.cells[index] <= 8;
    if (way === "chord") { if (number) page.open(index); }
    else if (!number && page.flagging) page.mark(index);
    else if (!number || choices.left) page.open(index);
  }

  /** Press in what letting go here would open. */
  show(index) {
    const { page, way } = this, { board } = page, tiles = [];
    if (index !== null && index === this.from && ["open", "chord"].includes(way)) {
      const number = board.cells[index] <= 8;
      if (!number && !page.flagging) tiles.push(index);
      if (way === "chord" || (number && choices.left)) tiles.push(...board.around(index));
    }
    page.press(new Set(tiles.filter((at) => board.cells[at] === COVERED)));
  }

  // One finger: a tap opens, a long touch flags

  touched(event) {
    const { page } = this, index = page.grid.indexOf(event);
    if (index === null || !event.isPrimary) return;
    page.grid.moveTo(index, true);
    this.drop();
    this.touch = { index, timer: setTimeout(() => { this.touch = null; page.mark(index); navigator.vibrate?.(20); }, LONG_TOUCH) };
  }

  dragged(event) {
    if (this.touch && this.page.grid.indexAt(event.clientX, event.clientY) !== this.touch.index) this.drop();
  }

  lifted(event) {
    const { page, touch } = this;
    this.drop();
    if (!touch || page.grid.indexOf(event) !== touch.index) return;
    if (page.flagging && page.board.cells[touch.index] > 8) page.mark(touch.index);
    else page.open(touch.index);
  }

  drop() {
    clearTimeout(this.touch?.timer);
    this.touch = null;
  }
}
