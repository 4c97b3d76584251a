// Work that takes long: how far it is, and a button that ends it.

import { h, show } from "./dom.js";

const PATIENCE = 700; // ms before anything of it is shown

export class Work {
  constructor(place) {
    this.place = place;
    this.bar = h("progress", { max: "1", "aria-label": "How far it is" });
    place.replaceChildren(this.bar, h("button", { type: "button", class: "small", onclick: () => this.cancel() }, "Cancel"));
  }

  /** Something has begun; `cancelled` is called where somebody wants no more of it. */
  begin(cancelled) {
    this.end();
    this.cancelled = cancelled;
    this.timer = setTimeout(() => show(this.place, true), PATIENCE);
  }

  /** Say how much is done, 0 to 1. */
  tell(part) {
    this.bar.value = part;
  }

  end() {
    clearTimeout(this.timer);
    show(this.place, false);
    this.bar.removeAttribute("value"); // until more is known
  }

  cancel() {
    this.end();
    this.cancelled();
  }
}
