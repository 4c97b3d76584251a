// Whether the size of a board that was read is to be believed.

const STANDARD = [[8, 8], [9, 9], [10, 10], [16, 16], [30, 16], [24, 20], [18, 14], [10, 8]];
const MUCH = 0.5; // share of doubted tiles from which on the cut itself is in doubt

/** The question to ask about a size, or "" where nothing speaks against it. `faults`: numbers that cannot hold. */
export function sizeQuestion({ columns, rows, size }, doubts, faults) {
  const name = `${columns}x${rows}`;
  if (doubts > MUCH * size) return `Is it really ${name}?`;
  const near = STANDARD.find(([width, height]) => [[width, height], [height, width]].some(([w, h]) => Math.abs(w - columns) + Math.abs(h - rows) === 1));
  const usual = STANDARD.some(([width, height]) => (width === columns && height === rows) || (width === rows && height === columns));
  return near && !usual && (doubts > 0 || faults > 0) ? `Is it really ${name}? ${near.join("x")} is usual.` : "";
}
