// Boards as values: codes as in the Python package, 0 to 8 opened, else one of these.

export const COVERED = 9, FLAG = 10, MINE = 11, SAFE = 12;
export const SYMBOLS = "012345678?F*x";
export const NAMES = ["blank", "1", "2", "3", "4", "5", "6", "7", "8", "covered", "flag", "mine", "no mine"];

export const MOST_TILES = 100000; // as the server's own limit

/** Which tile a key stands for; undefined for other keys. */
export const KEYS = {
  ...Object.fromEntries([..."012345678"].map((sign, code) => [sign, code])),
  "?": COVERED, "ß": COVERED, f: FLAG, F: FLAG, m: MINE, M: MINE, "*": MINE, x: SAFE, X: SAFE,
};

export class Board {
  constructor(rows, columns, cells) {
    this.rows = rows;
    this.columns = columns;
    this.cells = cells;
  }

  static empty(rows, columns) {
    return new Board(rows, columns, new Uint8Array(rows * columns).fill(COVERED));
  }

  static fromRows(rows) {
    const text = rows.join("");
    return new Board(rows.length, rows[0].length, Uint8Array.from(text, (sign) => SYMBOLS.indexOf(sign)));
  }

  toRows() {
    const rows = [];
    for (let row = 0; row < this.rows; row++) {
      const part = this.cells.subarray(row * this.columns, (row + 1) * this.columns);
      rows.push(Array.from(part, (code) => SYMBOLS[code]).join(""));
    }
    return rows;
  }

  toString() {
    return this.toRows().join("\n") + "\n";
  }

  get size() {
    return this.rows * this.columns;
  }

  at(index) {
    return [Math.floor(index / this.columns), index % this.columns];
  }

  index([row, column]) {
    return row * this.columns + column;
  }

  /** The same board with these tiles (index -> code, or one code for all) set. */
  with(tiles, code) {
    const cells = this.cells.slice();
    if (code === undefined) for (const [index, one] of tiles) cells[index] = one;
    else for (const index of tiles) cells[index] = code;
    return new Board(this.rows, this.columns, cells);
  }

  /**
   * The same board with more or fewer rows and columns, and where these tiles are on it. They come and go at the
   * bottom and the right, or with `top` and `left` at the other sides.
   */
  resized(rows, columns, { top = false, left = false, tiles = [] } = {}) {
    const [down, right] = [top ? rows - this.rows : 0, left ? columns - this.columns : 0];
    const board = Board.empty(rows, columns), moved = new Map();
    this.cells.forEach((code, at) => {
      const [row, column] = this.at(at), to = [row + down, column + right];
      if (to[0] < 0 || to[1] < 0 || to[0] >= rows || to[1] >= columns) return;
      moved.set(at, board.index(to));
      board.cells[board.index(to)] = code;
    });
    return [board, new Set([...tiles].filter((at) => moved.has(at)).map((at) => moved.get(at)))];
  }

  /** Tiles like this one that are connected with it, side by side. */
  region(index) {
    const code = this.cells[index], found = new Set([index]), queue = [index];
    while (queue.length) {
      const [row, column] = this.at(queue.pop());
      for (const [r, c] of [[row - 1, column], [row + 1, column], [row, column - 1], [row, column + 1]]) {
        const other = r * this.columns + c;
        if (r < 0 || c < 0 || r >= this.rows || c >= this.columns || found.has(other)) continue;
        if (this.cells[other] === code) {
          found.add(other);
          queue.push(other);
        }
      }
    }
    return [...found];
  }

  /** Covered tiles that no opened number touches. */
  nextToNone() {
    return (this.apart ??= this.findNextToNone());
  }

  findNextToNone() {
    const found = new Set();
    this.cells.forEach((code, at) => { if (code === COVERED || code === FLAG) found.add(at); });
    this.cells.forEach((code, at) => {
      if (code <= 8) this.around(at).forEach((one) => found.delete(one));
    });
    return found;
  }

  /** What numbers beside flags or shown mines leave for other tiles: index -> number. */
  lessFlags() {
    const left = new Map();
    this.cells.forEach((code, at) => {
      if (code !== FLAG && code !== MINE) return;
      for (const one of this.around(at)) if (this.cells[one] <= 8) left.set(one, (left.get(one) ?? this.cells[one]) - 1);
    });
    return left;
  }

  /** The tiles around one. */
  around(index) {
    const [row, column] = this.at(index), found = [];
    for (let r = Math.max(row - 1, 0); r <= Math.min(row + 1, this.rows - 1); r++)
      for (let c = Math.max(column - 1, 0); c <= Math.min(column + 1, this.columns - 1); c++)
        if (r !== row || c !== column) found.push(r * this.columns + c);
    return found;
  }

  /** Tiles on the straight way from one tile to another, without the first. */
  line(a, b) {
    const [[r0, c0], [r1, c1]] = [this.at(a), this.at(b)];
    const count = Math.max(Math.abs(r1 - r0), Math.abs(c1 - c0));
    return Array.from({ length: count }, (_, at) => {
      const part = (at + 1) / count;
      return this.index([Math.round(r0 + (r1 - r0) * part), Math.round(c0 + (c1 - c0) * part)]);
    });
  }

  rectangle(a, b) {
    const [[r0, c0], [r1, c1]] = [this.at(a), this.at(b)];
    const found = [];
    for (let r = Math.min(r0, r1); r <= Math.max(r0, r1); r++)
      for (let c = Math.min(c0, c1); c <= Math.max(c0, c1); c++) found.push(r * this.columns + c);
    return found;
  }
}

// A right click on a covered tile flags it, as in every game.
const ROUND = [COVERED, 0, 1, 2, 3, 4, 5, 6, 7, 8, SAFE, MINE, FLAG];

/** The tile that comes after (or before) one when it is clicked. */
export function counted(code, step) {
  return ROUND[(ROUND.indexOf(code) + step + ROUND.length) % ROUND.length];
}

const LINK_SIGNS = "012345678uFmx";

/** A position as the part of an address after #; all of it is there, nothing is stored anywhere. */
export function toLink(board, mines, { local = false, trust = false } = {}) {
  const signs = Array.from(board.cells, (code) => LINK_SIGNS[code]).join("");
  return `#p=${board.columns}x${board.rows}x${mines ?? ""}${local ? "l" : ""}${trust ? "t" : ""}.${signs}`;
}

/** The position of the link in a text; null where there is none, an Error where it is broken. */
export function fromLink(text) {
  const hash = /#p=\S*/.exec(text)?.[0];
  if (hash === undefined) return null;
  const found = /^#p=(\d{1,6})x(\d{1,6})x(\d{0,7})(l?)(t?)\.([0-8uFmx]*)$/.exec(hash);
  const [columns, rows] = found ? [Number(found[1]), Number(found[2])] : [0, 0];
  if (!found?.[6].length || columns * rows !== found[6].length)
    throw new Error("This link holds no complete position: was it cut off?");
  const cells = Uint8Array.from(found[6], (sign) => LINK_SIGNS.indexOf(sign));
  const mines = found[3] === "" ? null : Number(found[3]);
  return { board: new Board(rows, columns, cells), mines, local: found[4] !== "", trust: found[5] !== "" };
}
