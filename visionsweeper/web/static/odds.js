// How odds are written and coloured; colours and usual mine counts are the Python package's, asked for once.

import { get } from "./api.js";

let ramp = ["#60fa97", "#b20111"];
let standard = {};

/** The forms in which a position can be saved, filled in by `loadCommon`. */
export let formats = [];

export let mostVideo = Infinity; // bytes that the server takes

/** Ask for what the page has in common with the rest of the program. */
export async function loadCommon() {
  const about = await get("about");
  ramp = about.ramp;
  standard = about.standard_mines;
  formats = about.formats;
  mostVideo = about.most_video;
  const accepted = about.board_suffixes.join();
  for (const input of document.querySelectorAll("input.board-file")) input.accept = `${accepted},.avf,.evf,.rmv,.mvf,.rawvf,.json,text/plain${input.id === "pick-file" ? ",video/*,.mkv" : ""}`;
}

export const colourOf = (p) => ramp[Math.round(Math.min(Math.max(p, 0), 1) * (ramp.length - 1))];

/** The usual mine count of a board of this size; null for other sizes. */
export const standardMines = (board) => standard[`${board.columns}x${board.rows}`] ?? null;

/**
 * A probability, a number or a num/den text, as a percentage: as `wording.format_percentage` writes it, and held
 * to the same table of cases. 0 and 100 stand for certainty alone.
 */
export function percent(p, certain = undefined, compact = false) {
  if (certain ?? sureFraction(p)) return valueOf(p) < 0.5 ? "0%" : "100%";
  const tenths = parts(p, 3);
  if (tenths === 0) return "<0.1%";
  if (tenths === 1000) return ">99.9%";
  return compact && tenths >= 100 && tenths < 990 ? `${parts(p, 2)}%` : `${(tenths / 10).toFixed(1)}%`;
}

/** Whether a num/den text is 0 or 1; a number may be the rounding of something else. */
function sureFraction(p) {
  if (typeof p === "number") return false;
  const [a, b] = p.split("/");
  return a === "0" || a === b;
}

/** How many parts of 10 ** -digits it comes to, half rounded up: exactly, as 0.0045 as a number is less than that. */
function parts(p, digits) {
  if (typeof p === "number") return Math.round(Number(p.toFixed(digits)) * 10 ** digits);
  const [a, b] = p.split("/").map(BigInt);
  return Number((2n * a * 10n ** BigInt(digits) + b) / (2n * b));
}

/** The few signs that fit on a tile. */
export function short(p, width) {
  const text = percent(p, false, width < 40).replace("%", "");
  return width < 26 ? String(Math.min(Math.max(Math.round(p * 100), 1), 99)) : text;
}

/** Which mine counts fit, as [fewest, most], for people; nothing where that is not known. */
export const possible = (range) => (!range ? "" : range[0] === range[1] ? `possible: ${range[0]}` : `possible: ${range[0]} to ${range[1]}`);

/** A number of any size for people: grouped, or as a power of ten. */
export function big(text) {
  if (text.length <= 15) return text.replace(/\B(?=(\d{3})+$)/g, "\u202f");
  return `${text[0]}.${text.slice(1, 4)}\u00b710${superscript(text.length - 1)}`;
}

const superscript = (number) => [...String(number)].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]).join("");

/** A num/den text as a number. */
export function valueOf(fraction) {
  if (fraction === null || typeof fraction === "number") return fraction;
  const [a, b] = fraction.split("/");
  if (a.length < 300 && b.length < 300) return Number(a) / Number(b);
  // Both too long for a float: their first digits tell, and the difference of their lengths.
  return (Number(a.slice(0, 15)) / Number(b.slice(0, 15))) * 10 ** (a.length - Math.min(15, a.length) - b.length + Math.min(15, b.length));
}

/** A fraction for people; too long ones as a percentage. */
export function fractionText(fraction, most = 15) {
  const [a, b] = fraction.split("/");
  if (a === "0") return "0";
  if (a === b) return "1";
  return fraction.length <= most ? `${a}/${b}` : percent(fraction);
}

/** The scale that explains the colours. */
export function gradient() {
  return `linear-gradient(to right, ${ramp.filter((_, at) => at % 5 === 0).join(", ")})`;
}
