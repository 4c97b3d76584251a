// How the tiles of one game look, learned from what the server has read: a tile that looks the same is the same.

const SIDE = 12; // px that a tile is shrunk to, each way
const LENGTH = SIDE * SIDE * 4; // bytes of a tile, RGBA
const INSET = 0.06; // share of a tile at each edge that is left out: grid lines, and the neighbour's
const CHANGED = 1.2; // mean difference of gray levels from which on a tile has changed
const SAME = 3; // the same, up to which two tiles look the same
const CLEARLY = 2.5; // how much farther any other class has to be
const NEW = 1; // the same, from which on an exemplar of a known class is kept too
const MOST = 400; // exemplars

/** The tiles of a frame, shrunk: one after the other, rows first, as bytes. */
export function sample(canvas, { x, y }) {
  const columns = x.length - 1, rows = y.length - 1, small = new OffscreenCanvas(SIDE, SIDE * columns * rows);
  const pen = small.getContext("2d", { willReadFrequently: true });
  pen.imageSmoothingQuality = "medium";
  for (let row = 0, at = 0; row < rows; row++)
    for (let column = 0; column < columns; column++, at++) {
      const [wide, high] = [x[column + 1] - x[column], y[row + 1] - y[row]];
      pen.drawImage(canvas, x[column] + INSET * wide, y[row] + INSET * high, (1 - 2 * INSET) * wide, (1 - 2 * INSET) * high, 0, at * SIDE, SIDE, SIDE);
    }
  return pen.getImageData(0, 0, SIDE, SIDE * columns * rows).data;
}

/** Mean difference of two tiles, in gray levels; no more than `most` is told exactly. */
function apart(a, from, b, start, most) {
  let sum = 0;
  const limit = most * SIDE * SIDE * 3;
  for (let at = 0; at < LENGTH; at += 4) {
    sum += Math.abs(a[from + at] - b[start + at]) + Math.abs(a[from + at + 1] - b[start + at + 1]) + Math.abs(a[from + at + 2] - b[start + at + 2]);
    if (sum > limit) return Infinity;
  }
  return sum / (SIDE * SIDE * 3);
}

/** Indices of the tiles that differ between two samples of one size. */
export function changedTiles(before, now) {
  const found = [];
  for (let tile = 0; tile * LENGTH < now.length; tile++)
    if (apart(before, tile * LENGTH, now, tile * LENGTH, CHANGED) > CHANGED) found.push(tile);
  return found;
}

export class Exemplars {
  constructor() {
    this.known = []; // { bytes, code }
  }

  /** Keep how a tile looks, if that is new. */
  learn(sampled, tile, code) {
    const from = tile * LENGTH;
    // One exemplar cannot be two things: what was read last is right.
    this.known = this.known.filter((one) => one.code === code || apart(one.bytes, 0, sampled, from, NEW) === Infinity);
    if (this.known.some((one) => one.code === code && apart(one.bytes, 0, sampled, from, NEW) <= NEW)) return;
    if (this.known.length < MOST) this.known.push({ bytes: sampled.slice(from, from + LENGTH), code });
  }

  /** The code of the tile that it looks like, or null where that is not clear. */
  classOf(sampled, tile) {
    let best = Infinity, code = null, other = Infinity;
    for (const one of this.known) {
      const distance = apart(one.bytes, 0, sampled, tile * LENGTH, SAME * CLEARLY + 1);
      if (distance < best) {
        if (one.code !== code) other = best;
        best = distance;
        code = one.code;
      } else if (one.code !== code) other = Math.min(other, distance);
    }
    return best <= SAME && other > Math.max(CLEARLY * best, best + 1) ? code : null;
  }
}
