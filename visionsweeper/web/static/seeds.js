// Seeds of games, and links that hold one: whoever opens it gets the same minefield.

import { MOST_TILES } from "./board.js";

const RULES = { opening: "o", safe: "s", any: "a" };
const LINK = /#g=(\d{1,6})x(\d{1,6})x(\d{1,7})\.([osa])(n?)\.(\d{1,16})(?:\.(\d{1,6})-(\d{1,6}))?/;

const MOST = 2 ** 53 - 1;

export const newSeed = () => Math.floor(Math.random() * 2 ** 32);

/** A seed that was typed: digits as they are, other text as a number made of it; null for nothing. */
export function seedOf(text) {
  const typed = text.trim();
  if (!typed) return null;
  if (/^\d+$/.test(typed) && Number(typed) <= MOST) return Number(typed);
  return [...typed].reduce((sum, sign) => (sum * 31 + sign.codePointAt(0)) % 2 ** 32, 7);
}

/** The part of an address that holds a game: its rules, its seed, and the tile that was opened first. */
export function gameLink({ width, height, mines, first_click, no_guess }, seed, start) {
  return `#g=${width}x${height}x${mines}.${RULES[first_click]}${no_guess ? "n" : ""}.${seed}${start ? `.${start.join("-")}` : ""}`;
}

/** The game of the link in a text; null where there is none. */
export function fromGameLink(text) {
  const found = LINK.exec(text);
  if (!found || Number(found[6]) > MOST) return null;
  const [width, height, mines] = found.slice(1, 4).map(Number);
  const first_click = Object.keys(RULES).find((name) => RULES[name] === found[4]);
  const start = found[7] === undefined ? null : [Number(found[7]), Number(found[8])];
  if (width * height < 1 || width * height > MOST_TILES || mines > width * height) return null;
  if (start && (start[0] >= height || start[1] >= width)) return null;
  return { rules: { width, height, mines, first_click, no_guess: found[5] !== "" }, seed: Number(found[6]), start };
}
