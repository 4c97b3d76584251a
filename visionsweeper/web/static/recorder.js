// The moves of a game that is watched, kept to be stepped through afterwards.

import { COVERED, FLAG } from "./board.js";
import { $, show } from "./dom.js";

const CORRECTED = 0.2; // share of the opened tiles that may be covered again without it being another game

const opened = (code) => code < COVERED;

export class Recorder {
  /** `live` tells of boards, `replay` shows what was kept. */
  constructor(live, replay) {
    this.forget();
    live.addEventListener("board", ({ detail }) => this.take(detail.board, detail.mines, detail.uncertain));
    $("record-replay").addEventListener("click", () => {
      const { kept } = this;
      live.capture.stop();
      replay.start(kept, "watched");
    });
  }

  forget() {
    this.boards = [];
    this.doubts = []; // of each, the tiles that were read with doubt
    this.seconds = [];
    this.kept = null; // the game that is offered
  }

  /** Take a board that was seen. What an earlier one said otherwise was read wrongly, and is put right there. */
  take(board, mines, uncertain, now = performance.now()) {
    const last = this.boards.at(-1);
    if (last && this.another(last, board)) this.boards = [];
    else if (last) this.boards = this.boards.map((before) => corrected(before, last, board));
    if (!this.boards.length) this.doubts = this.seconds = [];
    // What is sure by now was right before.
    this.doubts = this.doubts.map((doubts, at) => doubts.filter((tile) => uncertain.has(tile) || this.boards[at].cells[tile] !== board.cells[tile]));
    const seen = this.boards.length > 0 && alike(this.boards.at(-1), board);
    if (!seen) {
      if (this.boards.length === 1) this.since = now;
      this.seconds = [...this.seconds, this.boards.length ? (now - this.since) / 1000 : 0];
      this.doubts = [...this.doubts, [...uncertain]];
      this.boards = [...this.boards, board];
    }
    const moves = this.boards.length - 1;
    if (moves) this.kept = { boards: this.boards.map((one) => one.toRows()), mines, seconds: this.seconds, uncertain: this.doubts.map((doubts) => doubts.map((tile) => board.at(tile))) };
    show($("recorded"), this.kept !== null);
    if (moves) $("record-replay").textContent = `Replay the ${moves === 1 ? "move" : `${moves} moves`} seen`;
  }

  /** Whether a board is of another game: of another size, or much of it is covered again. */
  another(last, board) {
    if (last.rows !== board.rows || last.columns !== board.columns) return true;
    const before = last.cells.reduce((sum, code) => sum + opened(code), 0);
    const again = last.cells.reduce((sum, code, at) => sum + (opened(code) && (board.cells[at] === COVERED || board.cells[at] === FLAG)), 0);
    return again > CORRECTED * before;
  }
}

const alike = (a, b) => a.cells.every((code, at) => code === b.cells[at]);

/** An earlier board with what the last one said wrongly of opened tiles put right. */
function corrected(before, last, board) {
  const wrong = new Map();
  before.cells.forEach((code, at) => {
    if (opened(code) && code === last.cells[at] && code !== board.cells[at]) wrong.set(at, opened(board.cells[at]) || board.cells[at] === COVERED ? board.cells[at] : code);
  });
  return wrong.size ? before.with(wrong) : before;
}
