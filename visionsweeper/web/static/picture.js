// The screenshot: shown beside the board or under it, with the box and the grid that it was read by.

import { $, segmented, show } from "./dom.js";

const LEAST_TILE = 22; // px

const HANDLES = ["nw", "n", "ne", "e", "se", "s", "sw", "w", "move"];

/** What the server says of a picture (see /api/parse), and the picture that its pixels count in. */
export async function readingOf(file, found) {
  let picture = file;
  if (found.turned) {
    // A tilted photo was put upright: from here on the upright picture is the picture.
    const bytes = Uint8Array.from(atob(found.turned.split(",")[1]), (sign) => sign.charCodeAt(0));
    picture = new File([bytes], file.name || "photo.png", { type: "image/png" });
  }
  // The outermost tiles may be cut off by the edge of the picture.
  const { x, y, size: [width, height] } = found;
  const box = [Math.max(x[0], 0), Math.max(y[0], 0), Math.min(x.at(-1), width), Math.min(y.at(-1), height)];
  return { file: picture, name: file.name || "Pasted picture", x, y, box, groups: found.groups.flat() };
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
    this.box = null;
    this.chooseMode = segmented(document.querySelectorAll("[data-mode]"), "mode", (mode) => this.setMode(mode));
    $("fade").addEventListener("input", () => this.lay());
    $("box-open").addEventListener("click", () => this.edit(!this.editing));
    $("box-columns").addEventListener("input", () => this.drawGrid());
    $("box-rows").addEventListener("input", () => this.drawGrid());
    $("box-read").addEventListener("click", () => this.dispatchEvent(new CustomEvent("read", { detail: this.asked() })));
    $("box-find").addEventListener("click", () => this.dispatchEvent(new CustomEvent("read", { detail: {} })));
    $("picture-close").addEventListener("click", () => this.dispatchEvent(new Event("close")));
    $("picture-image").addEventListener("load", () => this.lay());
    $("picture-image").addEventListener("error", () => {
      // A kind of picture that the server reads and the browser cannot show, as TIFF.
      $("picture-name").textContent += " (this browser cannot show it)";
      for (const one of document.querySelectorAll("[data-mode], #box-open")) one.disabled = true;
      this.setMode("hide");
    });
    this.makeBox();
    new ResizeObserver(() => this.lay()).observe($("picture"));
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
    this.box = [...reading.box];
    $("box-columns").value = reading.x.length - 1;
    $("box-rows").value = reading.y.length - 1;
    this.display(reading.file, reading.name);
    this.edit(false);
  }

  /** Show a picture in which no board was found: its box can be drawn by hand. */
  point(file) {
    this.reading = this.box = null;
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
    this.file = this.reading = this.url = this.box = null;
    this.pointing = false;
    show($("picture-tools"), false);
    $("picture-image").removeAttribute("src");
    this.setMode(this.mode);
  }

  setMode(mode) {
    this.mode = mode;
    this.chooseMode(mode);
    if (this.editing && mode !== "side") this.edit(false); // its handles would lie under the board
    const over = this.shown && mode === "over" && this.reading !== null;
    $("stage").className = `stage ${this.shown ? mode : "side"}`;
    show($("picture"), this.shown && mode !== "hide");
    show($("fade-label"), over);
    this.grid.fixed = null;
    this.lay();
    if (!over) {
      $("picture-image").style.removeProperty("min-width");
      for (const name of ["left", "top", "opacity"]) $("board-holder").style.removeProperty(name);
    }
    this.grid.fit();
    this.dispatchEvent(new Event("mode"));
  }

  /** Width of the picture on the screen, in px, from which the tiles on it can be touched. */
  get leastWidth() {
    const { x } = this.reading;
    return (LEAST_TILE * (x.length - 1) * $("picture-image").naturalWidth) / (x.at(-1) - x[0]);
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

  get scale() {
    const image = $("picture-image");
    return image.naturalWidth ? image.clientWidth / image.naturalWidth : 0;
  }

  /** Put the grid's lines, the box, and in the mode `over` the board, where they belong on the picture. */
  lay() {
    if (!this.shown || !this.scale) return;
    const image = $("picture-image"), over = this.mode === "over" && this.reading;
    if (!this.box) this.box = [0, 0, image.naturalWidth, image.naturalHeight];
    if (over) image.style.minWidth = `max(${this.leastWidth}px, min(100%, 46rem))`;
    this.drawGrid();
    if (!over) return;
    const scale = this.scale, { x, y } = this.reading;
    const pitch = (edges) => ((edges.at(-1) - edges[0]) * scale) / (edges.length - 1);
    this.grid.fixed = [pitch(x), pitch(y)];
    this.grid.fit();
    const holder = $("board-holder");
    holder.style.left = `${x[0] * scale}px`;
    holder.style.top = `${y[0] * scale}px`;
    holder.style.opacity = String($("fade").value / 100);
  }

  drawGrid() {
    const image = $("picture-image"), canvas = $("picture-grid"), scale = this.scale;
    if (!scale || !this.box) return;
    const ratio = window.devicePixelRatio || 1;
    canvas.width = image.clientWidth * ratio;
    canvas.height = image.clientHeight * ratio;
    canvas.style.width = `${image.clientWidth}px`;
    canvas.style.height = `${image.clientHeight}px`;
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    const [x0, y0, x1, y1] = this.box.map((edge) => edge * scale);
    const columns = Number($("box-columns").value), rows = Number($("box-rows").value);
    pen.strokeStyle = this.editing ? "rgba(255, 0, 150, 0.9)" : "rgba(0, 98, 255, 0.8)";
    pen.lineWidth = this.editing ? 1 : 2;
    if (this.editing) {
      pen.beginPath();
      const same = this.reading && columns === this.reading.x.length - 1 && rows === this.reading.y.length - 1 && !this.dragged;
      const edges = (count, from, to, read) =>
        same ? read.map((edge) => edge * scale) : Array.from({ length: count + 1 }, (_, at) => from + ((to - from) * at) / count);
      if (columns > 0 && columns <= 500)
        for (const x of edges(columns, x0, x1, this.reading?.x)) { pen.moveTo(x, y0); pen.lineTo(x, y1); }
      if (rows > 0 && rows <= 500)
        for (const y of edges(rows, y0, y1, this.reading?.y)) { pen.moveTo(x0, y); pen.lineTo(x1, y); }
      pen.stroke();
    } else pen.strokeRect(x0, y0, x1 - x0, y1 - y0);
    const box = $("picture-box");
    show(box, this.editing);
    Object.assign(box.style, { left: `${x0}px`, top: `${y0}px`, width: `${x1 - x0}px`, height: `${y1 - y0}px` });
  }

  /** Draw a ring around tiles on the screenshot, so that the eye finds them there too. */
  mark(indices) {
    this.drawGrid();
    if (!this.reading || this.editing) return;
    const pen = $("picture-grid").getContext("2d"), scale = this.scale, { x, y } = this.reading;
    pen.strokeStyle = "#ff0096";
    pen.lineWidth = 3;
    for (const index of indices) {
      const [row, column] = [Math.floor(index / (x.length - 1)), index % (x.length - 1)];
      pen.strokeRect(x[column] * scale - 2, y[row] * scale - 2, (x[column + 1] - x[column]) * scale + 4, (y[row + 1] - y[row]) * scale + 4);
    }
  }

  /** The index of the tile at a point of the picture on the screen; null outside the board. */
  tileAt(event) {
    if (!this.reading) return null;
    const place = $("picture-image").getBoundingClientRect(), scale = this.scale;
    const [px, py] = [(event.clientX - place.left) / scale, (event.clientY - place.top) / scale];
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
    let drag = null;
    box.addEventListener("pointerdown", (event) => {
      const name = event.target.dataset.handle;
      if (!name) return;
      event.preventDefault();
      box.focus();
      box.setPointerCapture(event.pointerId);
      drag = { name, x: event.clientX, y: event.clientY, box: [...this.box] };
    });
    box.addEventListener("pointermove", (event) => {
      if (drag) this.drawBox(drag.name, drag.box, (event.clientX - drag.x) / this.scale, (event.clientY - drag.y) / this.scale);
    });
    for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) box.addEventListener(end, () => (drag = null));
    box.addEventListener("keydown", (event) => {
      const step = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[event.key];
      if (!step) return;
      event.preventDefault();
      this.drawBox(event.shiftKey ? "se" : "move", [...this.box], ...step);
    });
    $("picture-frame").addEventListener("click", (event) => {
      const index = this.editing ? null : this.tileAt(event);
      if (index !== null) this.dispatchEvent(new CustomEvent("tile", { detail: index }));
    });
  }

  drawBox(name, [x0, y0, x1, y1], dx, dy) {
    const { naturalWidth: width, naturalHeight: height } = $("picture-image");
    if (name === "move") {
      dx = Math.min(Math.max(dx, -x0), width - x1);
      dy = Math.min(Math.max(dy, -y0), height - y1);
      [x0, y0, x1, y1] = [x0 + dx, y0 + dy, x1 + dx, y1 + dy];
    } else {
      if (name.includes("w")) x0 = Math.min(Math.max(x0 + dx, 0), x1 - 8);
      if (name.includes("e")) x1 = Math.max(Math.min(x1 + dx, width), x0 + 8);
      if (name.startsWith("n")) y0 = Math.min(Math.max(y0 + dy, 0), y1 - 8);
      if (name.startsWith("s")) y1 = Math.max(Math.min(y1 + dy, height), y0 + 8);
    }
    this.dragged = true;
    this.box = [x0, y0, x1, y1];
    this.drawGrid();
  }
}
