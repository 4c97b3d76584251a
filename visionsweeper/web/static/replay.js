// A game that can be stepped through, each move with its odds; the avoidable risks are listed.

import { post, send } from "./api.js";
import { Board, SYMBOLS } from "./board.js";
import { $, download, h, show } from "./dom.js";
import { tileName } from "./naming.js";
import { percent, standardMines } from "./odds.js";

const AT_ONCE = 20; // moves that are reviewed by one request

const ENDINGS = /\.(avf|evf|rmv|mvf|rawvf|replay\.json)$/i;

export const isReplay = (file) => ENDINGS.test(file.name ?? "");

/** The replay that a file holds. Throws for one that holds none. */
async function read(file, signal) {
  if (!/\.json$/i.test(file.name)) return send("read-replay", { file }, signal);
  try {
    const { boards, mines, seconds, uncertain } = JSON.parse(await file.text());
    const alike = boards.every((rows) => rows.length === boards[0].length && rows.every((row) => row.length === boards[0][0].length && [...row].every((sign) => SYMBOLS.includes(sign))));
    const onBoard = ([row, column]) => boards[0][row]?.[column] !== undefined;
    if (boards.length && alike && (uncertain ?? []).flat().every(onBoard)) return { boards, mines: mines ?? null, seconds: seconds ?? [], uncertain };
  } catch {
    // As for what is no replay.
  }
  throw new Error("This file holds no replay.");
}

const several = (tiles) => (tiles.length === 1 ? tileName(tiles[0]) : `${tiles.length} tiles from ${tileName(tiles[0])} on`);

/** What a move did, in words. */
export function moveText({ clicked, flagged, exploded, risk, least, safest, forced }) {
  if (!clicked.length) return flagged.length ? `flag: ${several(flagged)}` : exploded ? "a mine was hit" : "nothing was opened";
  const what = `${exploded ? "a mine was hit: " : "opened "}${several(clicked)}`;
  if (risk === null) return `${what}; its risk is not known`;
  if (risk === "0/1") return `${what}, certainly safe`;
  return `${what}, risk ${percent(risk)}${forced ? ", the least possible" : `; avoidable: ${tileName(safest)} had ${percent(least)}`}`;
}

const timeText = (seconds) => (seconds === null || seconds === undefined ? "" : ` (${seconds.toFixed(2)} s)`);

/** A game among several of a video. */
function gameText({ begins, boards }, at) {
  const moves = boards.length - 1, from = `${Math.floor(begins / 60)}:${String(Math.floor(begins % 60)).padStart(2, "0")}`;
  return `${at + 1}, from ${from}: ${boards[0][0].length}x${boards[0].length}, ${moves} move${moves === 1 ? "" : "s"}`;
}

const avoidable = (move) => move.risk !== null && !move.forced;

export class Replay {
  /** `page` is the Board page. */
  constructor(page) {
    this.page = page;
    this.boards = [];
    this.asked = new AbortController();
    $("replay-step").addEventListener("input", ({ target }) => this.go(Number(target.value)));
    const on = { "replay-back": () => this.go(this.at - 1), "replay-on": () => this.go(this.at + 1), "replay-close": () => this.close(), "replay-text": () => this.saveText(), "replay-json": () => this.saveJson() };
    for (const [id, task] of Object.entries(on)) $(id).addEventListener("click", task);
    $("replay-game").addEventListener("change", ({ target }) => this.begin(this.games[Number(target.value)]));
    page.store.addEventListener("change", () => { if (!this.going && this.boards.length && page.store.board !== this.shown) this.close(); });
  }

  async open(file, signal) {
    const replay = await read(file, signal);
    if (!signal?.aborted) this.start(replay, file.name.replace(ENDINGS, ""));
  }

  start(replay, name = "game") {
    this.startGames([replay], name);
  }

  /** Offer several games, and begin with the first one that has moves. */
  startGames(games, name) {
    Object.assign(this, { games, name });
    const first = Math.max(games.findIndex(({ boards }) => boards.length > 1), 0);
    show($("replay-games"), games.length > 1);
    $("replay-game").replaceChildren(...games.map((game, at) => h("option", { value: String(at), selected: at === first }, gameText(game, at))));
    this.begin(games[first]);
  }

  /** Begin at the first board; the moves are reviewed meanwhile. */
  begin({ boards, mines, seconds, uncertain = [] }) {
    this.asked.abort();
    this.asked = new AbortController();
    Object.assign(this, { mines, seconds, uncertain, moves: [], at: 0, boards: boards.map((rows) => Board.fromRows(rows)) });
    const given = this.boards;
    $("replay-step").max = boards.length - 1;
    show($("replay"), true);
    $("replay-risks").replaceChildren();
    this.page.picture.putAway();
    this.page.following = false;
    this.go(0);
    this.saving(false);
    this.review(this.asked.signal).catch((error) => this.page.fail(error)).finally(() => { if (this.boards === given) this.saving(true); });
  }

  /** A replay is saved with the risks of all its moves: no sooner than they are known. */
  saving(allowed) {
    for (const button of ["replay-text", "replay-json"]) $(button).disabled = !allowed;
  }

  close() {
    this.asked.abort();
    this.boards = [];
    this.page.pointed = new Set();
    show($("replay"), false);
  }

  async review(signal) {
    const mines = this.mines ?? standardMines(this.boards[0]); // as for the odds beside it
    while (this.moves.length < this.boards.length - 1) {
      const from = this.moves.length, part = this.boards.slice(from, from + AT_ONCE + 1);
      const { moves } = await post("moves", { boards: part.map((board) => board.toRows()), mines }, signal);
      this.moves.push(...moves);
      this.tell();
      this.tellRisks();
    }
  }

  /** Show the board before a move, or the last one. */
  go(at) {
    if (!this.boards.length) return;
    this.at = Math.min(Math.max(at, 0), this.boards.length - 1);
    this.going = true;
    const board = this.boards[this.at];
    this.page.follow(board, this.mines, new Set((this.uncertain[this.at] ?? []).map((tile) => board.index(tile))));
    this.shown = this.page.store.board;
    this.going = false;
    this.tell();
  }

  tell() {
    const { at, boards, seconds } = this, last = boards.length - 1, move = this.moves[at];
    $("replay-step").value = at;
    $("replay-back").disabled = at === 0;
    $("replay-on").disabled = at === last;
    $("replay-text-now").textContent = at === last ? `After move ${last}, the last.` : `Before move ${at + 1} of ${last}${timeText(seconds[at + 1])}: ${move ? moveText(move) : "…"}.`;
    $("replay-text-now").classList.toggle("bad-text", Boolean(move && avoidable(move)));
    this.page.pointed = new Set((move?.clicked ?? []).map((tile) => this.shown.index(tile)));
    this.page.render();
  }

  /** The avoidable risks, each a button that goes there. */
  tellRisks() {
    const risks = this.moves.flatMap((move, at) => (avoidable(move) ? [[move, at]] : []));
    const done = this.moves.length === this.boards.length - 1;
    const words = risks.length ? `${risks.length} avoidable risk${risks.length === 1 ? "" : "s"}:` : done ? "No risk was avoidable." : `Looking for avoidable risks: ${this.moves.length} of ${this.boards.length - 1} moves…`;
    $("replay-risks").replaceChildren(words, " ", ...risks.map(([move, at]) => h("button", { type: "button", class: "small", onclick: () => this.go(at) }, `move ${at + 1}: ${percent(move.risk)}`)));
  }

  saveText() {
    const lines = this.boards.slice(1).map((board, at) => `# move ${at + 1}${timeText(this.seconds[at + 1])}${this.moves[at] ? `: ${moveText(this.moves[at])}` : ""}\n${board}`);
    const head = `${this.mines === null ? "" : `# mines: ${this.mines}\n`}${this.boards[0]}`;
    download(`${this.name}.replay.txt`, new Blob([[head, ...lines].join("\n")], { type: "text/plain" }));
  }

  saveJson() {
    const { mines, seconds, uncertain, moves } = this;
    const value = { version: 1, mines, boards: this.boards.map((board) => board.toRows()), seconds, uncertain, moves };
    download(`${this.name}.replay.json`, new Blob([JSON.stringify(value, null, 1)], { type: "application/json" }));
  }
}
