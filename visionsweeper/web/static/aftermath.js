// What is said of a game that is over: its figures, and whether the click that lost it had to be risked.

import { tileName } from "./naming.js";
import { percent } from "./odds.js";

const part = (a, b) => `${Math.round((100 * a) / b)}%`;

/** 3BV a second; null where no time passed. */
export const speedOf = ({ bbbv_done }, seconds) => (seconds >= 0.005 ? bbbv_done / seconds : null);

/** Time, 3BV, clicks and what follows from them, in a line. */
export function figuresText(figures, clicks, seconds, won) {
  const { bbbv, bbbv_done, zini } = figures, all = clicks.left + clicks.right + clicks.chord, speed = speedOf(figures, seconds);
  const kinds = `${clicks.left} left, ${clicks.right} right, ${clicks.chord} chord${clicks.chord === 1 ? "" : "s"}`;
  return [
    `${seconds.toFixed(2)} s`,
    won ? `3BV ${bbbv}` : `3BV ${bbbv_done} of ${bbbv}`,
    speed === null ? null : `3BV/s ${speed.toFixed(2)}`,
    `${all} click${all === 1 ? "" : "s"} (${kinds})`,
    all ? `efficiency ${part(bbbv_done, all)}` : null,
    `ZiNi ${zini}${won && all ? ` (${part(zini, all)})` : ""}`,
  ].filter(Boolean).join(" · ");
}

/** What the last click risked, and whether it had to: `found` as /api/review says it. */
export function reviewText(found, { action, tile, needless = false }) {
  const sure = found.risk === "1/1";
  const what = action === "chord" ? `Opening around ${tileName(tile)}` : capital(tileName(tile));
  const risked = needless ? `${what} was a risk of ${percent(found.risk)}: that loses a hard-core game.` : action === "chord" ? `${what} was ${sure ? "certain to hit" : `a risk of ${percent(found.risk)} to hit`} a mine.` : `${what} was a mine ${sure ? "for certain" : `with ${percent(found.risk)}`}.`;
  const [safe] = found.safe, more = found.safe.length - 1;
  const otherwise = safe
    ? `It was not forced: ${tileName(safe)}${more ? ` and ${more} more were` : " was"} certainly safe.`
    : found.forced ? "It was forced: no tile was safer." : `It was not forced: ${tileName(found.safest)} was a mine with only ${percent(found.least)}.`;
  return `Lost. ${risked} ${otherwise}`;
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);
