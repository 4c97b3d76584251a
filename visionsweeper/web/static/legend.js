// What the marks on the board mean: only those that are there.

import { h } from "./dom.js";
import { colourOf, gradient, percent } from "./odds.js";

const KEYS = [
  ["best", "covered best", "", "best next"],
  ["runners", "covered runners", "", "runner-up"],
  ["uncertain", "covered uncertain", "", "read with doubt"],
  ["ifRight", "covered ifRight", "", "certain if what is in doubt is right"],
  ["conflict", "opened conflict", "5", "contradiction"],
  ["wrongFlags", "covered flag wrongFlags", "⚑", "wrong flag"],
  ["alike", "covered alike", "", "looks the same"],
  ["numbers", "opened numbers", "2", "number of a step"],
];

const sample = (classes, sign) => h("i", { class: `tile ${classes}` }, sign);
const key = (...parts) => h("span", { class: "key" }, ...parts);

/** `marks` as the grid takes them; `others`: the value that all tiles next to no number share, or null. */
export function showLegend(place, marks, others, measure) {
  const odds = Object.values(marks.odds ?? {}), keys = [];
  if (odds.some((one) => one.certain && one.p < 0.5)) keys.push(key(sample("covered sure-safe", h("span", { class: "sure" }, "✓")), " safe"));
  if (odds.some((one) => one.certain && one.p > 0.5)) keys.push(key(sample("covered sure-mine", h("span", { class: "sure" }, "✕")), " mine"));
  if (odds.some((one) => !one.certain)) keys.push(key(h("i", { class: "scale", style: { background: gradient() } }), ` ${measure}`));
  if (others !== null) keys.push(key(h("i", { class: "tile covered odds", style: { "--odds": colourOf(others) } }), ` every tile next to no number: ${percent(others, false)}`));
  for (const [name, classes, sign, text] of KEYS) if (marks[name].size) keys.push(key(sample(classes, sign), ` ${text}`));
  if (marks.ghost?.size) keys.push(key(sample("ghost-mine", "✹"), " mine of a solution"));
  place.replaceChildren(...keys);
}
