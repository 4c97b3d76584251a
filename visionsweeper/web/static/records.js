// What was played in this browser: games, wins, best times; kept by the browser alone.

import { h, scrolling } from "./dom.js";
import { keep, kept } from "./settings.js";

const RULES = { safe: ", first click safe", any: ", first click can be a mine" };

/** What games of the same kind have in common. */
const kindOf = ({ width, height, mines, no_guess, first_click, hardcore }) => `${width}x${height}, ${mines} mines${hardcore ? ", hard-core" : ""}${no_guess ? ", no guessing" : ""}${RULES[first_click] ?? ""}`;

/** Note a game that is over. */
export function note(rules, { won, seconds, speed }) {
  const all = kept("records", {}), kind = kindOf(rules);
  const { played = 0, wins = 0, streak = 0, longest = 0, total = 0, best = null, fastest = null } = all[kind] ?? {};
  const row = won ? streak + 1 : 0;
  all[kind] = {
    played: played + 1, wins: wins + won, streak: row, longest: Math.max(longest, row), total: total + (won ? seconds : 0),
    best: won ? Math.min(seconds, best ?? seconds) : best,
    fastest: won && speed !== null ? Math.max(speed, fastest ?? 0) : fastest,
  };
  keep("records", all);
  return won && (best === null || seconds < best);
}

const TITLES = ["Game", "Played", "Won", "Best time", "Average", "Best 3BV/s", "In a row", "Most in a row"];
const figure = (value) => (value === null ? "" : value.toFixed(2));

/** The table of all kinds of games, and a button that forgets them. */
export function showRecords(place) {
  const kinds = Object.entries(kept("records", {}));
  const rows = kinds.map(([kind, one]) => h("tr", {}, h("td", {}, kind), [one.played, `${one.wins} (${Math.round((100 * one.wins) / one.played)}%)`, figure(one.best), one.wins ? figure(one.total / one.wins) : "", figure(one.fastest), one.streak, one.longest].map((text) => h("td", {}, String(text)))));
  const forget = () => { keep("records", {}); showRecords(place); };
  place.replaceChildren(...(kinds.length
    ? [scrolling(h("table", { class: "figures" }, h("thead", {}, h("tr", {}, TITLES.map((title) => h("th", { scope: "col" }, title)))), h("tbody", {}, rows))),
       h("button", { type: "button", class: "small", onclick: forget }, "Forget all")]
    : [h("p", { class: "note" }, "No game has been finished yet.")]),
    h("p", { class: "note" }, "Games played without help, in this browser. Odds, hints, Open what is certain, minefields of your own and boards played before do not count."));
}
