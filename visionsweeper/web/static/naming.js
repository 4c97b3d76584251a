// How tiles are named: (row, column), counted from 0 or from 1, as buttons that show the tile.

import { h } from "./dom.js";
import { keep, kept } from "./settings.js";

let first = kept("count-from", 0) === 1 ? 1 : 0;

/** Dispatches "change" when rows and columns are counted otherwise. */
export const naming = new EventTarget();

export const countedFrom = () => first;

export function countFrom(start) {
  first = start;
  keep("count-from", start);
  naming.dispatchEvent(new Event("change"));
}

/** A row or a column as people count them. */
export const shown = (place) => String(place + first);

export const tileName = ([row, column]) => `row ${shown(row)}, column ${shown(column)}`;

/** A button that goes to a tile, and shows where it is while the mouse is on it. */
export const chip = (tile, go) =>
  h("button", { class: "tile-link", type: "button", "aria-label": tileName(tile), "data-tile": tile.join(), onclick: () => go(tile) }, `(${tile.map(shown).join(", ")})`);

const NAMED = /\brow (\d+), column (\d+)/gi;

/** A sentence of the server as text and chips: it names tiles as the command line does, from 0. */
export function withChips(sentence, go) {
  const parts = [];
  let from = 0;
  for (const found of sentence.matchAll(NAMED)) {
    parts.push(sentence.slice(from, found.index), chip([Number(found[1]), Number(found[2])], go));
    from = found.index + found[0].length;
  }
  return [...parts, sentence.slice(from)];
}

/** The same as plain text. */
export const counted = (sentence) => sentence.replace(NAMED, (all, row, column) => `${all[0]}ow ${shown(Number(row))}, column ${shown(Number(column))}`);
