// The box around the board on its screenshot, and the size of the board: drawn, dragged, stepped, and read again.

import { boxText } from "./api.js";
import { $, h, show } from "./dom.js";

const HANDLES = ["nw", "n", "ne", "e", "se", "s", "sw", "w", "move"];
const SMALLEST = 8; // px of the picture
const PAUSE = 450; // ms after which what was stepped or moved with keys is read
const FIELDS = { width: "box-columns", height: "box-rows" };

export class Boxing extends EventTarget {
  /** `picture` is the Picture; events: read, with what is asked of the next reading. */
  constructor(picture) {
    super();
    this.picture = picture;
    this.box = null; // where the board is, px of the picture; null: not known, not drawn yet
    this.dragged = false; // whether it is a person's, not the reading's
    this.said = {}; // width and height as a person gave them
    this.makeHandles();
    this.wireDragging();
    this.wireFields();
  }

  /** Take box and size of a reading; those that a person gave stay given as long as it is the same picture. */
  take(reading, another) {
    this.box = [...reading.box];
    this.dragged = false;
    if (another) this.said = {};
    $("box-columns").value = reading.x.length - 1;
    $("box-rows").value = reading.y.length - 1;
    this.doubt("");
  }

  /** Nothing is known of a picture. */
  clear() {
    this.box = null;
    this.dragged = false;
    this.said = {};
    for (const id of Object.values(FIELDS)) $(id).value = "";
    this.doubt("");
  }

  /** Say that the size looks wrong, beside the fields that change it. */
  doubt(question) {
    $("box-question").textContent = question;
    show($("box-question"), question !== "");
  }

  get size() {
    const given = {};
    for (const [name, id] of Object.entries(FIELDS)) given[name] = Number($(id).value) > 0 ? Number($(id).value) : null;
    return given;
  }

  get boxText() {
    return this.box ? boxText(this.box) : null;
  }

  read(asked) {
    clearTimeout(this.pause);
    this.dispatchEvent(new CustomEvent("read", { detail: asked }));
  }

  /** The box and the size as they are now. */
  readAll() {
    this.read({ box: this.boxText, ...this.size });
  }

  /** A box that a person drew, and of the size only what a person said: the rest is found. */
  readBox() {
    this.read({ box: this.boxText, ...this.said });
  }

  /** A size that a person gave: it is looked for in the whole picture, unless the box is a person's too. */
  readSize() {
    if (this.dragged) return this.readBox();
    this.read({ ...this.said, otherwise: this.box && { box: this.boxText, ...this.size } });
  }

  soon(task) {
    clearTimeout(this.pause);
    this.pause = setTimeout(task, PAUSE);
  }

  wireFields() {
    for (const [name, id] of Object.entries(FIELDS)) {
      const given = () => {
        this.said[name] = this.size[name];
        this.picture.drawGrid();
      };
      $(id).addEventListener("input", given);
      $(id).addEventListener("keydown", (event) => {
        if (event.key !== "Enter") return;
        event.preventDefault();
        this.readSize();
      });
    }
    for (const button of document.querySelectorAll("[data-step]"))
      button.addEventListener("click", () => {
        const field = $(button.dataset.of);
        field.value = Math.min(Math.max(Number(field.value) + Number(button.dataset.step), 1), 500);
        field.dispatchEvent(new Event("input"));
        this.soon(() => this.readSize());
      });
    $("box-read").addEventListener("click", () => this.readAll());
    $("box-find").addEventListener("click", () => this.read({ ...this.said }));
  }

  makeHandles() {
    const box = $("picture-box");
    box.tabIndex = 0;
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", "The board's box: arrow keys move it, with Shift they move its lower right corner");
    box.append(...HANDLES.map((name) => h("div", { class: `handle ${name}`, "data-handle": name })));
    box.addEventListener("keydown", (event) => {
      const step = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[event.key];
      if (!step) return;
      event.preventDefault();
      this.change(event.shiftKey ? "se" : "move", [...this.box], ...step);
      this.soon(() => this.readBox());
    });
  }

  wireDragging() {
    const frame = $("picture-frame"), { picture } = this;
    let drag = null;
    frame.addEventListener("pointerdown", (event) => {
      if (!picture.editing || !picture.scale || event.target.closest(".choice")) return;
      event.preventDefault();
      clearTimeout(this.pause);
      const name = event.target.dataset.handle ?? "new"; // beside the box a new one is drawn
      if (name !== "new") $("picture-box").focus();
      frame.setPointerCapture(event.pointerId);
      drag = { name, at: picture.pixelAt(event), box: this.box, changed: false };
    });
    frame.addEventListener("pointermove", (event) => {
      if (!drag) return;
      const [x, y] = picture.pixelAt(event), [fromX, fromY] = drag.at;
      if (drag.name !== "new") this.change(drag.name, drag.box, x - fromX, y - fromY);
      else if (Math.min(Math.abs(x - fromX), Math.abs(y - fromY)) >= SMALLEST)
        this.change("move", [Math.min(x, fromX), Math.min(y, fromY), Math.max(x, fromX), Math.max(y, fromY)], 0, 0);
      else return;
      drag.changed = true;
    });
    frame.addEventListener("pointerup", () => {
      if (drag?.changed) this.readBox();
      drag = null;
    });
    for (const end of ["pointercancel", "lostpointercapture"]) frame.addEventListener(end, () => (drag = null));
  }

  change(name, [x0, y0, x1, y1], dx, dy) {
    const [width, height] = this.picture.size;
    if (name === "move") {
      [x0, y0, x1, y1] = [Math.max(x0, 0), Math.max(y0, 0), Math.min(x1, width), Math.min(y1, height)];
      dx = Math.min(Math.max(dx, -x0), width - x1);
      dy = Math.min(Math.max(dy, -y0), height - y1);
      [x0, y0, x1, y1] = [x0 + dx, y0 + dy, x1 + dx, y1 + dy];
    } else {
      if (name.includes("w")) x0 = Math.min(Math.max(x0 + dx, 0), x1 - SMALLEST);
      if (name.includes("e")) x1 = Math.max(Math.min(x1 + dx, width), x0 + SMALLEST);
      if (name.startsWith("n")) y0 = Math.min(Math.max(y0 + dy, 0), y1 - SMALLEST);
      if (name.startsWith("s")) y1 = Math.max(Math.min(y1 + dy, height), y0 + SMALLEST);
    }
    this.dragged = true;
    this.box = [x0, y0, x1, y1];
    this.picture.drawGrid();
  }

  /** Frames of several boards, to click the one that is meant. */
  offer(boards) {
    const { picture } = this, place = $("picture-boards");
    this.boards = boards;
    show(place, boards.length > 0);
    place.replaceChildren(...boards.map(([x0, y0, x1, y1], at) => {
      const [left, top] = picture.view, scale = picture.scale;
      return h("button", {
        class: "choice", type: "button", "aria-label": `Read board ${at + 1}`,
        style: { left: `${(x0 - left) * scale}px`, top: `${(y0 - top) * scale}px`, width: `${(x1 - x0) * scale}px`, height: `${(y1 - y0) * scale}px` },
        onclick: () => this.read({ box: boards[at].join(",") }),
      }, h("span", {}, String(at + 1)));
    }));
  }
}
