// Work that takes long: how far it is, and a button that ends it.

import { h, show } from "./dom.js";

const PATIENCE = 700; // ms before anything of it is shown

export class Work {
  constructor(place) {
    this.place = place;
    this.bar = h("progress", { max: "1", "aria-label": "How far it is" });
    place.replaceChildren(this.bar, h("button", { type: "button", class: "small", onclick: () => this.cancel() }, "Cancel"));
  }

  /** Something has begun; `cancelled` is called where somebody wants no more of it. Gives a function that ends it. */
  begin(cancelled) {
    this.end();
    this.cancelled = cancelled;
    this.timer = setTimeout(() => show(this.place, true), PATIENCE);
    return () => { if (this.cancelled === cancelled) this.end(); };
  }

  /** Do a task, which gets the signal that Cancel gives; it then throws an AbortError. */
  async run(task) {
    const asked = new AbortController(), ended = this.begin(() => asked.abort());
    try {
      return await task(asked.signal);
    } finally {
      ended();
    }
  }

  /** Say how much is done, 0 to 1. */
  tell(part) {
    this.bar.value = part;
  }

  end() {
    clearTimeout(this.timer);
    this.cancelled = null;
    show(this.place, false);
    this.bar.removeAttribute("value"); // until more is known
  }

  cancel() {
    const { cancelled } = this;
    this.end();
    cancelled?.();
  }
}
