// What the figures on covered tiles stand for: the chance of a mine, or another measure of where to go on.

import { post } from "./api.js";
import { valueOf } from "./odds.js";

/** Each: its name, the measure as screen readers say it, and when no tile has it. */
export const OVERLAYS = {
  mine: { name: "mine %", measure: "mine" },
  opening: { name: "zero % (opens an area)", measure: "to open an area" },
  progress: { name: "safe and tells more %", measure: "to be safe and tell more", none: "Only told where no tile is certainly safe." },
  win: { name: "win % (last tiles)", measure: "to win", none: "Only told where few solutions are left." },
};

/** The grid of chances that an overlay shows, null where it says nothing; `advice` is of the same position. */
export async function overlayOf(name, position, advice, signal) {
  if (name === "opening") return (await post("openings", position, signal)).probability;
  const grid = position.board.map((row) => new Array(row.length).fill(null));
  for (const one of advice?.ranking ?? []) {
    const value = name === "win" ? one.win : one.progress;
    if (value !== null) grid[one.tile[0]][one.tile[1]] = valueOf(value);
  }
  return grid;
}
