// The screenshot: shown beside the board or under it, with the box and the grid that it was read by.

import { Boxing } from "./boxing.js";
import { $, segmented, show } from "./dom.js";
import { RULER, roomOf, together } from "./layout.js";

const HANDLE = 14; // px, room for half of one
const PHONE = "(max-width: 34rem)";

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
  /** Events: mode, close, tile. */
  constructor(grid) {
    super();
    this.grid = grid;
    this.file = null;
    this.reading = null;
    this.pointing = false; // whether a picture is shown in which no board was found
    this.mode = "side";
    this.editing = false;
    this.size = null; // of the picture in its own pixels, as soon as it is known
    this.view = [0, 0, 0, 0]; // the part of the picture that is shown
    this.marked = [[]]; // what `mark` was told last
    this.drawn = null; // the same as text, once it is drawn
    this.scale = 0; // px on the screen of a pixel of the picture
    this.boxing = new Boxing(this);
    this.chooseMode = segmented(document.querySelectorAll("[data-mode]"), "mode", (mode) => this.setMode(mode));
    $("fade").addEventListener("input", () => this.lay());
    $("box-open").addEventListener("click", () => this.edit(!this.editing));
    $("picture-close").addEventListener("click", () => this.dispatchEvent(new Event("close")));
    $("picture-image").addEventListener("load", ({ target }) => {
      this.size ??= [target.naturalWidth, target.naturalHeight];
      this.lay();
    });
    $("picture-image").addEventListener("error", () => {
      // A kind of picture that the server reads and the browser cannot show, as TIFF.
      if (!$("picture-name").textContent.endsWith(")")) $("picture-name").textContent += " (this browser cannot show it)";
      for (const one of document.querySelectorAll("[data-mode], #box-open")) one.disabled = true;
      if (this.pointing) this.dispatchEvent(new Event("close")); // no box can be drawn on it
      else this.setMode("hide");
    });
    $("picture-frame").addEventListener("click", (event) => {
      const index = this.editing ? null : this.tileAt(event);
      if (index !== null) this.dispatchEvent(new CustomEvent("tile", { detail: index }));
    });
    let width = 0;
    new ResizeObserver(([{ contentRect }]) => {
      if (contentRect.width === width) return;
      width = contentRect.width;
      this.lay();
    }).observe($("columns"));
    window.addEventListener("resize", () => this.lay());
    this.scrollTogether($("picture"), grid.holder);
  }

  /** Where both are too large for the screen they are looked at in the same place. */
  scrollTogether(...both) {
    let follower = null; // whose scrolling is an answer, not to be answered again
    both.forEach((one, at) => one.addEventListener("scroll", () => {
      if (follower === one) return void (follower = null);
      const other = both[1 - at];
      const left = Math.min(one.scrollLeft, other.scrollWidth - other.clientWidth), top = Math.min(one.scrollTop, other.scrollHeight - other.clientHeight);
      if (Math.abs(other.scrollLeft - left) < 1 && Math.abs(other.scrollTop - top) < 1) return;
      follower = other;
      other.scrollTo(left, top);
    }));
  }

  get shown() {
    return this.file !== null;
  }

  /** Show the picture of a reading; null puts it away. `sure`: whether nothing in it was read with doubt. */
  show(reading, sure = false) {
    if (reading === this.reading && !this.pointing) return;
    const another = this.reading === null || this.reading.name !== reading?.name;
    const pointed = this.pointing;
    this.pointing = false;
    if (reading === null) return this.putAway();
    this.reading = reading;
    this.marked = [[]];
    this.size = reading.size;
    this.boxing.take(reading, another && !pointed);
    this.boxing.offer([]);
    this.display(reading.file, reading.name);
    // The board is what one wants to see; the screenshot, as long as there is something to check.
    if (another) this.setMode(sure || window.matchMedia(PHONE).matches ? "hide" : this.mode === "over" ? "over" : "side");
    this.edit(this.editing && !pointed);
  }

  /** Show a picture in which no board was found, or several `boards`: the box can be drawn by hand. */
  point(file, boards = []) {
    this.reading = this.size = null;
    this.pointing = true;
    this.boxing.clear();
    this.boxing.boards = boards;
    this.display(file, file.name || "Pasted picture");
    this.setMode("side");
    this.edit(true);
  }

  display(file, name) {
    if (file !== this.file) {
      if (this.url) URL.revokeObjectURL(this.url);
      this.url = URL.createObjectURL(file);
      $("picture-image").src = this.url;
    }
    this.file = file;
    $("picture-name").textContent = name;
    for (const id of ["picture-name", "views", "box-open", "picture-close"]) show($(id), true);
    for (const one of document.querySelectorAll("[data-mode], #box-open")) one.disabled = false;
    document.querySelector('[data-mode="over"]').disabled = this.reading === null;
  }

  putAway() {
    if (this.url) URL.revokeObjectURL(this.url);
    this.file = this.reading = this.url = this.size = null;
    this.boxing.clear();
    this.boxing.offer([]);
    this.pointing = this.editing = false;
    for (const id of ["picture-name", "views", "box-open", "picture-close", "box-tools"]) show($(id), false);
    $("box-open").setAttribute("aria-pressed", "false");
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

  /** Ask whether the size is right, with the fields that change it. */
  question(text) {
    this.boxing.doubt(text);
    show($("box-tools"), true);
    this.lay();
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
    const room = roomOf($("stage"));
    const placed = tiled ? this.tileSize(over, room) : { size: 0, below: this.editing && looked && room.width < room.height };
    // Set at once: what has been scrolled to stays where it is.
    const classes = { over, side: !over, below: placed.below, pointing: this.pointing && looked, drawing: this.editing };
    for (const [name, on] of Object.entries(classes)) $("stage").classList.toggle(name, on);
    show($("fade-label"), over);
    for (const name of ["left", "top", "opacity", "margin-top"]) holder.style.removeProperty(name);
    $("picture").style.removeProperty("margin-top");
    this.grid.fixed = null;
    if (looked) {
      if (tiled) this.layTiles(over, placed);
      else this.layWhole(room, placed.below);
      const [x0, y0, x1, y1] = this.view, scale = this.scale, image = $("picture-image"), frame = $("picture-frame");
      Object.assign(frame.style, { width: `${(x1 - x0) * scale}px`, height: `${(y1 - y0) * scale}px` });
      Object.assign(image.style, { width: `${this.size[0] * scale}px`, height: `${this.size[1] * scale}px`, left: `${-x0 * scale}px`, top: `${-y0 * scale}px` });
      this.drawn = null;
      this.mark(...this.marked);
      if (this.boxing.boards?.length) this.boxing.offer(this.boxing.boards);
    }
    $("picture").style.maxHeight = tiled && !over ? `${room.height}px` : "";
    this.grid.fit();
  }

  /** The whole picture, as large as there is room for, with the board as it was read last. */
  layWhole(room, below) {
    const [width, height] = this.size, wide = this.pointing || below ? room.width : 0.58 * room.width;
    this.view = [0, 0, width, height];
    this.scale = Math.min((wide - 2 * HANDLE) / width, (room.height - 2 * HANDLE) / height, 2);
  }

  /** How large tiles are, in px, and whether the screenshot lies below the board. */
  tileSize(over, room) {
    const [across, down] = this.pitch, [x0, y0, x1, y1] = this.reading.box, [width, height] = this.size;
    this.view = [Math.max(x0 - across / 2, 0), Math.max(y0 - down / 2, 0), Math.min(x1 + across / 2, width), Math.min(y1 + down / 2, height)];
    const [left, top, right, bottom] = this.view, ratio = down / across;
    const viewed = { columns: (right - left) / across, rows: (bottom - top) / down };
    const board = { columns: this.reading.x.length - 1, rows: this.reading.y.length - 1, ratio };
    if (!over) return together({ ...board, viewed }, room, this.grid.zoom);
    const { size } = together({ columns: 0, rows: 0, ratio, viewed }, { ...room, width: room.width + RULER.left }, this.grid.zoom);
    return { size, below: false };
  }

  /** The board's part of the picture, its tiles as large as those of the board. */
  layTiles(over, { size, below }) {
    const [across, down] = this.pitch;
    this.scale = size / across;
    this.grid.fixed = [size, down * this.scale]; // tiles may be oblong
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
    show(box, this.editing && this.boxing.box !== null);
    const drawnBox = this.boxing.box;
    if (!drawnBox) return;
    const [x0, y0, x1, y1] = drawnBox.map((edge) => edge * scale);
    Object.assign(box.style, { left: `${x0 - left * scale}px`, top: `${y0 - top * scale}px`, width: `${x1 - x0}px`, height: `${y1 - y0}px` });
    if (!this.editing) return;
    const columns = Number($("box-columns").value), rows = Number($("box-rows").value);
    pen.strokeStyle = "rgba(255, 0, 150, 0.9)";
    pen.beginPath();
    const same = this.reading && columns === this.reading.x.length - 1 && rows === this.reading.y.length - 1 && !this.boxing.dragged;
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

  /** Draw a tile of the screenshot with its neighbours, as large as people can compare them. */
  magnify(canvas, index) {
    const { x, y } = this.reading, columns = x.length - 1, [row, column] = [Math.floor(index / columns), index % columns];
    const [across, down] = this.pitch, side = 40, ratio = window.devicePixelRatio || 1, image = $("picture-image");
    if (!image.complete || !image.naturalWidth) return;
    const [wide, high] = [3 * side, (3 * side * down) / across];
    Object.assign(canvas, { width: wide * ratio, height: high * ratio });
    Object.assign(canvas.style, { width: `${wide}px`, height: `${high}px` });
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    pen.drawImage(image, x[column] - across, y[row] - down, 3 * across, 3 * down, 0, 0, wide, high);
    pen.strokeStyle = "#ff0096";
    pen.lineWidth = 2;
    pen.strokeRect(side, high / 3, side, high / 3);
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
}
