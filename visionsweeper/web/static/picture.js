// The screenshot: shown beside the board or under it, with the box and the grid that it was read by.

import { $, segmented, show } from "./dom.js";

const HANDLES = ["nw", "n", "ne", "e", "se", "s", "sw", "w", "move"];

// Sizes of tiles on the screen, in px.
const MOST = 40;
const LEAST_BESIDE = 16; // side by side; smaller ones go one below the other
const LEAST = 18;
const LEAST_TOUCHED = 22;
const NARROW = 500; // rooms in which fingers are at work

const GAP = 16; // between picture and board
const PANELS = 26.2; // rem: the panels beside the board with their gap, as in style.css
const RULER = 32; // the numbers of the rows beside the board
const HANDLE = 14; // room for half of one
const SMALLEST_BOX = 8; // px of the picture

/** What the server says of a picture (see /api/parse), and the picture that its pixels count in. */
export async function readingOf(file, found) {
  let picture = file;
  if (found.turned) {
    // A tilted photo was put upright: from here on the upright picture is the picture.
    const bytes = Uint8Array.from(atob(found.turned.split(",")[1]), (sign) => sign.charCodeAt(0));
    picture = new File([bytes], file.name || "photo.png", { type: "image/png" });
  }
  // The outermost tiles may be cut off by the edge of the picture.
  const { x, y, size } = found;
  const box = [Math.max(x[0], 0), Math.max(y[0], 0), Math.min(x.at(-1), size[0]), Math.min(y.at(-1), size[1])];
  return { file: picture, name: file.name || "Pasted picture", size, x, y, box, groups: found.groups.flat() };
}

export class Picture extends EventTarget {
  /** Events: read (the box or the size was changed and is to be read again), mode, close, tile. */
  constructor(grid) {
    super();
    this.grid = grid;
    this.file = null;
    this.reading = null;
    this.pointing = false; // whether a picture is shown in which no board was found
    this.mode = "side";
    this.editing = false;
    this.size = null; // of the picture in its own pixels, as soon as it is known
    this.box = null; // where the board is, in pixels; null: not known, not drawn yet
    this.view = [0, 0, 0, 0]; // the part of the picture that is shown
    this.marked = [[]]; // what `mark` was told last
    this.drawn = null; // the same as text, once it is drawn
    this.scale = 0; // px on the screen of a pixel of the picture
    this.chooseMode = segmented(document.querySelectorAll("[data-mode]"), "mode", (mode) => this.setMode(mode));
    $("fade").addEventListener("input", () => this.lay());
    $("box-open").addEventListener("click", () => this.edit(!this.editing));
    $("box-columns").addEventListener("input", () => this.drawGrid());
    $("box-rows").addEventListener("input", () => this.drawGrid());
    $("box-read").addEventListener("click", () => this.dispatchEvent(new CustomEvent("read", { detail: this.asked() })));
    $("box-find").addEventListener("click", () => this.dispatchEvent(new CustomEvent("read", { detail: {} })));
    $("picture-close").addEventListener("click", () => this.dispatchEvent(new Event("close")));
    $("picture-image").addEventListener("load", ({ target }) => {
      this.size ??= [target.naturalWidth, target.naturalHeight];
      this.lay();
    });
    $("picture-image").addEventListener("error", () => {
      // A kind of picture that the server reads and the browser cannot show, as TIFF.
      $("picture-name").textContent += " (this browser cannot show it)";
      for (const one of document.querySelectorAll("[data-mode], #box-open")) one.disabled = true;
      if (this.pointing) this.dispatchEvent(new Event("close")); // no box can be drawn on it
      else this.setMode("hide");
    });
    this.makeBox();
    let width = 0;
    new ResizeObserver(([{ contentRect }]) => {
      if (contentRect.width === width) return;
      width = contentRect.width;
      this.lay();
    }).observe($("columns"));
    this.scrollTogether($("picture"), grid.holder);
  }

  /** Where both are too wide for the screen they are looked at in the same place. */
  scrollTogether(...both) {
    let follower = null; // whose scrolling is an answer, not to be answered again
    both.forEach((one, at) => one.addEventListener("scroll", () => {
      if (follower === one) return void (follower = null);
      const other = both[1 - at], to = Math.min(one.scrollLeft, other.scrollWidth - other.clientWidth);
      if (Math.abs(other.scrollLeft - to) < 1) return;
      follower = other;
      other.scrollLeft = to;
    }));
  }

  get shown() {
    return this.file !== null;
  }

  /** Show the picture of a reading; null puts it away. */
  show(reading) {
    if (reading === this.reading && !this.pointing) return;
    this.pointing = false;
    if (reading === null) return this.putAway();
    this.reading = reading;
    this.marked = [[]];
    this.box = [...reading.box];
    this.size = reading.size;
    $("box-columns").value = reading.x.length - 1;
    $("box-rows").value = reading.y.length - 1;
    this.display(reading.file, reading.name);
    this.edit(false);
  }

  /** Show a picture in which no board was found: its box can be drawn by hand. */
  point(file) {
    this.reading = this.box = this.size = null;
    this.pointing = true;
    this.display(file, file.name || "Pasted picture");
    this.edit(true);
  }

  display(file, name) {
    if (file !== this.file) {
      if (this.url) URL.revokeObjectURL(this.url);
      this.url = URL.createObjectURL(file);
      $("picture-image").src = this.url;
    }
    this.file = file;
    this.dragged = false;
    $("picture-name").textContent = name;
    show($("picture-tools"), true);
    for (const one of document.querySelectorAll("[data-mode], #box-open")) one.disabled = false;
    document.querySelector('[data-mode="over"]').disabled = this.reading === null;
    this.setMode(this.mode === "hide" || this.reading === null ? "side" : this.mode);
  }

  putAway() {
    if (this.url) URL.revokeObjectURL(this.url);
    this.file = this.reading = this.url = this.box = this.size = null;
    this.pointing = this.editing = false;
    show($("picture-tools"), false);
    $("picture-image").removeAttribute("src");
    this.setMode(this.mode);
  }

  setMode(mode) {
    this.mode = mode;
    this.chooseMode(mode);
    if (this.editing && mode !== "side") this.edit(false); // its handles would lie under the board
    show($("picture"), this.shown && mode !== "hide");
    this.lay();
    this.dispatchEvent(new Event("mode"));
  }

  edit(on) {
    this.editing = on;
    $("box-open").setAttribute("aria-pressed", String(on));
    show($("box-tools"), on);
    if (on && this.mode !== "side") this.setMode("side");
    else this.lay();
  }

  /** What is asked of the next reading: the box as drawn and the size as typed. */
  asked() {
    const [columns, rows] = [Number($("box-columns").value), Number($("box-rows").value)];
    return {
      box: this.box?.map((edge) => edge.toFixed(2)).join(",") ?? null,
      width: columns > 0 ? columns : null,
      height: rows > 0 ? rows : null,
    };
  }

  /** Pixels of the picture that a column takes, and a row. */
  get pitch() {
    const across = (edges) => (edges.at(-1) - edges[0]) / (edges.length - 1);
    return [across(this.reading.x), across(this.reading.y)];
  }

  /** Choose what is shown of the picture and how large, and put the board beside it, below it or over it. */
  lay() {
    const looked = this.shown && this.mode !== "hide" && this.size !== null, over = looked && this.mode === "over" && this.reading !== null;
    const holder = this.grid.holder, tiled = looked && this.reading !== null && !this.editing;
    const placed = tiled ? this.tileSize(over) : { size: 0, below: false, wide: false };
    // Set at once: what has been scrolled to stays where it is.
    const classes = { over, side: !over, below: placed.below, pointing: this.pointing && looked, drawing: this.editing };
    for (const [name, on] of Object.entries(classes)) $("stage").classList.toggle(name, on);
    $("columns").classList.toggle("wide", placed.wide);
    show($("fade-label"), over);
    for (const name of ["left", "top", "opacity", "margin-top"]) holder.style.removeProperty(name);
    $("picture").style.removeProperty("margin-top");
    this.grid.fixed = null;
    if (looked) {
      if (tiled) this.layTiles(over, placed);
      else this.layWhole($("stage"));
      const [x0, y0, x1, y1] = this.view, scale = this.scale, image = $("picture-image"), frame = $("picture-frame");
      Object.assign(frame.style, { width: `${(x1 - x0) * scale}px`, height: `${(y1 - y0) * scale}px` });
      Object.assign(image.style, { width: `${this.size[0] * scale}px`, height: `${this.size[1] * scale}px`, left: `${-x0 * scale}px`, top: `${-y0 * scale}px` });
      this.drawn = null;
      this.mark(...this.marked);
    }
    this.grid.fit();
  }

  /** The whole picture, as large as there is room for. */
  layWhole(stage) {
    const [width, height] = this.size;
    this.view = [0, 0, width, height];
    this.scale = Math.min((stage.clientWidth - 2 * HANDLE) / width, (0.6 * window.innerHeight) / height, 2);
  }

  /** How large tiles are, in px, and how screenshot and board are placed: beside or below each other, in which room. */
  tileSize(over) {
    const [across, down] = this.pitch, [x0, y0, x1, y1] = this.reading.box, [width, height] = this.size;
    this.view = [Math.max(x0 - across / 2, 0), Math.max(y0 - down / 2, 0), Math.min(x1 + across / 2, width), Math.min(y1 + down / 2, height)];
    const count = this.reading.x.length - 1, viewed = (this.view[2] - this.view[0]) / across;
    const all = $("columns").clientWidth, rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    const room = window.matchMedia("(max-width: 60rem)").matches ? all : all - PANELS * rem;
    const beside = (wide) => Math.floor((wide - GAP - RULER) / (viewed + count));
    if (!over && room >= NARROW)
      // A wide board gets the room of the panels, which then come below it.
      for (const [wide, size] of [[false, beside(room)], [true, beside(all)]])
        if (size >= LEAST_BESIDE) return { size: Math.min(size, MOST), below: false, wide };
    const least = room < NARROW ? LEAST_TOUCHED : LEAST;
    return { size: Math.min(Math.max(Math.floor((room - RULER) / viewed), least), MOST), below: !over, wide: false };
  }

  /** The board's part of the picture, its tiles as large as those of the board. */
  layTiles(over, { size, below }) {
    const [across, down] = this.pitch;
    this.scale = size / across;
    this.grid.fixed = [size, over ? down * this.scale : size];
    const holder = this.grid.holder, left = (this.reading.x[0] - this.view[0]) * this.scale, top = (this.reading.y[0] - this.view[1]) * this.scale;
    if (over) Object.assign(holder.style, { left: `${left}px`, top: `${top}px`, opacity: String($("fade").value / 100) });
    else if (!below) {
      // Row beside row.
      const lower = top - this.grid.inset[1];
      holder.style.marginTop = `${Math.max(lower, 0)}px`;
      $("picture").style.marginTop = `${Math.max(-lower, 0)}px`;
    }
  }

  drawGrid() {
    if (!this.scale || !this.shown) return;
    const canvas = $("picture-grid"), scale = this.scale, [left, top, right, bottom] = this.view, ratio = window.devicePixelRatio || 1;
    canvas.width = (right - left) * scale * ratio;
    canvas.height = (bottom - top) * scale * ratio;
    canvas.style.width = `${(right - left) * scale}px`;
    canvas.style.height = `${(bottom - top) * scale}px`;
    const pen = this.pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    pen.translate(-left * scale, -top * scale);
    const box = $("picture-box");
    show(box, this.editing && this.box !== null);
    if (!this.box) return;
    const [x0, y0, x1, y1] = this.box.map((edge) => edge * scale);
    Object.assign(box.style, { left: `${x0 - left * scale}px`, top: `${y0 - top * scale}px`, width: `${x1 - x0}px`, height: `${y1 - y0}px` });
    if (!this.editing) return;
    const columns = Number($("box-columns").value), rows = Number($("box-rows").value);
    pen.strokeStyle = "rgba(255, 0, 150, 0.9)";
    pen.beginPath();
    const same = this.reading && columns === this.reading.x.length - 1 && rows === this.reading.y.length - 1 && !this.dragged;
    const edges = (count, from, to, read) =>
      same ? read.map((edge) => edge * scale) : Array.from({ length: count + 1 }, (_, at) => from + ((to - from) * at) / count);
    if (columns > 0 && columns <= 500)
      for (const x of edges(columns, x0, x1, this.reading?.x)) { pen.moveTo(x, y0); pen.lineTo(x, y1); }
    if (rows > 0 && rows <= 500)
      for (const y of edges(rows, y0, y1, this.reading?.y)) { pen.moveTo(x0, y); pen.lineTo(x1, y); }
    pen.stroke();
  }

  /** Draw a ring around tiles on the screenshot, so that the eye finds them there too; look-alikes get a broken one. */
  mark(indices, alike = []) {
    const drawn = `${indices}|${[...alike]}`;
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    this.marked = [indices, alike];
    this.drawGrid();
    if (!this.reading || this.editing) return;
    const { pen, scale } = this, { x, y } = this.reading;
    if (!pen || !scale) return;
    pen.strokeStyle = "#ff0096";
    pen.lineWidth = 3;
    for (const index of [...indices, ...alike]) {
      pen.setLineDash(indices.includes(index) ? [] : [4, 3]);
      const [row, column] = [Math.floor(index / (x.length - 1)), index % (x.length - 1)];
      pen.strokeRect(x[column] * scale - 2, y[row] * scale - 2, (x[column + 1] - x[column]) * scale + 4, (y[row + 1] - y[row]) * scale + 4);
    }
  }

  /** The pixel of the picture below the mouse. */
  pixelAt(event) {
    const place = $("picture-image").getBoundingClientRect();
    return [(event.clientX - place.left) / this.scale, (event.clientY - place.top) / this.scale];
  }

  /** The index of the tile at a point of the picture on the screen; null outside the board. */
  tileAt(event) {
    if (!this.reading) return null;
    const [px, py] = this.pixelAt(event);
    const find = (edges, at) => edges.findIndex((edge, k) => k + 1 < edges.length && at >= edge && at < edges[k + 1]);
    const [column, row] = [find(this.reading.x, px), find(this.reading.y, py)];
    return column < 0 || row < 0 ? null : row * (this.reading.x.length - 1) + column;
  }

  makeBox() {
    const box = $("picture-box");
    box.tabIndex = 0;
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", "The board's box: arrow keys move it, with Shift they move its lower right corner");
    for (const name of HANDLES) {
      const handle = document.createElement("div");
      handle.className = `handle ${name}`;
      handle.dataset.handle = name;
      box.append(handle);
    }
    const frame = $("picture-frame");
    let drag = null;
    frame.addEventListener("pointerdown", (event) => {
      if (!this.editing || !this.scale) return;
      event.preventDefault();
      const name = event.target.dataset.handle ?? "new"; // beside the box a new one is drawn
      if (name !== "new") box.focus();
      frame.setPointerCapture(event.pointerId);
      drag = { name, at: this.pixelAt(event), box: this.box };
    });
    frame.addEventListener("pointermove", (event) => {
      if (!drag) return;
      const [x, y] = this.pixelAt(event), [fromX, fromY] = drag.at;
      if (drag.name !== "new") this.drawBox(drag.name, drag.box, x - fromX, y - fromY);
      else if (Math.min(Math.abs(x - fromX), Math.abs(y - fromY)) >= SMALLEST_BOX)
        this.drawBox("move", [Math.min(x, fromX), Math.min(y, fromY), Math.max(x, fromX), Math.max(y, fromY)], 0, 0);
    });
    for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) frame.addEventListener(end, () => (drag = null));
    box.addEventListener("keydown", (event) => {
      const step = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[event.key];
      if (!step) return;
      event.preventDefault();
      this.drawBox(event.shiftKey ? "se" : "move", [...this.box], ...step);
    });
    frame.addEventListener("click", (event) => {
      const index = this.editing ? null : this.tileAt(event);
      if (index !== null) this.dispatchEvent(new CustomEvent("tile", { detail: index }));
    });
  }

  drawBox(name, [x0, y0, x1, y1], dx, dy) {
    const [width, height] = this.size;
    if (name === "move") {
      [x0, y0, x1, y1] = [Math.max(x0, 0), Math.max(y0, 0), Math.min(x1, width), Math.min(y1, height)];
      dx = Math.min(Math.max(dx, -x0), width - x1);
      dy = Math.min(Math.max(dy, -y0), height - y1);
      [x0, y0, x1, y1] = [x0 + dx, y0 + dy, x1 + dx, y1 + dy];
    } else {
      if (name.includes("w")) x0 = Math.min(Math.max(x0 + dx, 0), x1 - SMALLEST_BOX);
      if (name.includes("e")) x1 = Math.max(Math.min(x1 + dx, width), x0 + SMALLEST_BOX);
      if (name.startsWith("n")) y0 = Math.min(Math.max(y0 + dy, 0), y1 - SMALLEST_BOX);
      if (name.startsWith("s")) y1 = Math.max(Math.min(y1 + dy, height), y0 + SMALLEST_BOX);
    }
    this.dragged = true;
    this.box = [x0, y0, x1, y1];
    this.drawGrid();
  }
}
