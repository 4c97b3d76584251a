// Watching a game as it is played: the board is found once, then only tiles that change are looked at.

import { boxText, send } from "./api.js";
import { Board } from "./board.js";
import { Capture, refusal } from "./capture.js";
import { Companion } from "./companion.js";
import { $, h, show } from "./dom.js";
import { Exemplars, changedTiles, sample } from "./exemplars.js";

const STILL = 90; // ms without a change after which a board that looks new is searched for: animations have ended
const RESTLESS = 16; // times STILL, the longest pause between readings of tiles that do not come to rest
const AGAIN = 1500; // ms of quiet after which all of the board is read once more
const SEARCH = 1200; // ms between searches for a board that is gone
const LOST = 0.4; // share of the tiles that look new all at once, from which on the board is somewhere else
const SURE = 0.95; // confidence from which on a tile is learned

export class Live extends EventTarget {
  /** `page` is the Board page; events: board, with the board as it is after a move. */
  constructor(page) {
    super();
    this.page = page;
    this.capture = new Capture($("live-video"));
    this.capture.addEventListener("frame", () => this.frame());
    this.capture.addEventListener("end", () => this.ended());
    this.companion = new Companion(page, $("live-companion"));
    this.forget();
    $("live-start").addEventListener("click", () => this.start("screen"));
    $("live-camera").addEventListener("click", () => this.start("camera"));
    $("live-stop").addEventListener("click", () => this.capture.stop());
    $("live-check").addEventListener("click", () => this.check());
    $("live-find").addEventListener("click", () => { this.forget(); this.look(); });
  }

  /** Nothing is known of the board: it is looked for anew. */
  forget() {
    this.place = null; // edges x and y of its tiles, px of the frame
    this.size = ""; // of the frame that they count in
    this.sampled = null; // the tiles as the board shows them
    this.board = null;
    this.exemplars = new Exemplars();
    this.restless = 0; // times STILL to wait before the next reading: tiles changed while they were read
    clearTimeout(this.waiting);
    clearTimeout(this.verifying);
    this.waiting = this.latest = null; // latest: the tiles of the frame before
  }

  async start(kind) {
    const reason = refusal(kind);
    if (reason) return this.page.fail(new Error(reason));
    this.page.clearProblem();
    this.forget();
    this.kind = kind;
    try {
      await this.capture.start(kind);
    } catch (error) {
      if (error.name !== "NotAllowedError") this.page.fail(new Error(`Sharing failed: ${error.message}`));
      return;
    }
    show($("welcome"), false);
    show($("live"), true);
    this.say("Looking for the board…");
  }

  ended() {
    this.forget();
    show($("live"), false);
    this.companion.close();
  }

  say(text) {
    if ($("live-text").textContent !== text) $("live-text").textContent = text;
  }

  /** The frame as a picture, to be checked and learned as any other. */
  async check() {
    const file = await this.capture.file();
    this.capture.stop();
    await this.page.intake.open(file);
  }

  frame() {
    this.since ??= performance.now();
    if (this.looking) return void (this.missed = true);
    this.look();
  }

  /** Look at the frame as it is; frames that come meanwhile are one more look. */
  async look() {
    if (!this.capture.running || this.looking || !this.capture.canvas.width) return;
    this.looking = true;
    this.missed = false;
    try {
      await this.see();
    } catch (error) {
      if (error.name !== "AbortError") this.say(error.message);
    } finally {
      this.looking = false;
      this.since = null;
    }
    if (this.missed) queueMicrotask(() => this.look());
  }

  async see() {
    const { canvas } = this.capture, size = `${canvas.width}x${canvas.height}`;
    if (this.kind === "camera") return this.glance();
    if (!this.place || size !== this.size) return this.search();
    const now = sample(canvas, this.place), changed = changedTiles(this.sampled, now);
    // Frames may come though nothing moves, and must not put the reading off for ever.
    const still = this.latest?.length === now.length && !changedTiles(this.latest, now).length;
    this.latest = now;
    if (!changed.length || (still && this.waiting)) return;
    const codes = new Map(changed.map((tile) => [tile, this.exemplars.classOf(now, tile)]));
    const unknown = changed.filter((tile) => codes.get(tile) === null);
    unknown.forEach((tile) => codes.delete(tile));
    if (unknown.length > LOST * this.board.size) return this.later(() => this.search(), STILL);
    if (codes.size) {
      const seen = this.sampled.slice(), length = now.length / this.board.size;
      for (const tile of codes.keys()) seen.set(now.subarray(tile * length, (tile + 1) * length), tile * length);
      this.sampled = seen;
      this.take(this.board.with(codes));
    }
    // At once: in a tab in the background any timer may take a second.
    if (!unknown.length) this.verify();
    else if (!this.restless) await this.read();
    else this.waiting ?? this.later(() => this.read(), STILL * this.restless);
  }

  /** A camera may move, and no two of its frames are alike: the board is found anew, again and again. */
  glance() {
    this.waiting ?? this.later(() => this.search(), SEARCH / 2);
  }

  /** Do it once nothing has changed for a while; only the last thing asked for is done. */
  later(task, pause) {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => { this.waiting = null; this.alone(task); }, pause);
  }

  /** Once all is quiet, read the whole board again: what was taken for the same may have been wrong. */
  verify() {
    clearTimeout(this.verifying);
    this.verifying = setTimeout(() => this.alone(() => this.read()), AGAIN);
  }

  async alone(task) {
    if (this.looking || !this.capture.running) return void this.later(task, STILL);
    this.looking = true;
    try {
      await task();
    } catch (error) {
      if (error.name !== "AbortError") this.say(error.message);
    } finally {
      this.looking = false;
      if (this.missed) this.look();
    }
  }

  /** Find the board in the whole frame. */
  async search() {
    if (this.searched && performance.now() - this.searched < SEARCH) return this.later(() => this.search(), SEARCH);
    const { canvas } = this.capture, frame = this.copy();
    let found;
    try {
      found = await send("parse", { image: await this.capture.file(), details: "true" });
    } catch (error) {
      this.say(error.kind === "no_board" ? "No board is visible: waiting for one." : error.message);
      this.place = null;
      this.searched = performance.now();
      return this.later(() => this.search(), SEARCH);
    }
    if (found.reading.turned && this.kind !== "camera") throw new Error("The board is tilted: share a window that shows it upright.");
    this.size = `${canvas.width}x${canvas.height}`;
    this.place = { x: found.reading.x, y: found.reading.y };
    this.exemplars = new Exemplars();
    this.mines = found.mines_source === "counter" ? found.mines : null;
    this.accept(found, found.reading.turned ? null : sample(frame, this.place));
  }

  /** Read the board where it is known to be. */
  async read() {
    if (!this.place) return this.search();
    clearTimeout(this.waiting);
    this.waiting = null;
    const { canvas } = this.capture, { place } = this, { x, y } = place, pitch = (x.at(-1) - x[0]) / (x.length - 1);
    const part = [Math.max(Math.floor(x[0] - pitch), 0), Math.max(Math.floor(y[0] - pitch), 0), Math.min(Math.ceil(x.at(-1) + pitch), canvas.width), Math.min(Math.ceil(y.at(-1) + pitch), canvas.height)];
    const sampled = sample(canvas, place), [left, top] = part;
    const box = boxText([x[0] - left, y[0] - top, x.at(-1) - left, y.at(-1) - top]);
    let found;
    try {
      found = await send("parse", { image: await this.capture.file(part), width: x.length - 1, height: y.length - 1, box });
    } catch (error) {
      if (error.kind !== "no_board") throw error;
      return this.search();
    }
    if (place !== this.place) return; // it was to be found anew meanwhile
    // Much in doubt where nothing was before: something lies over the board, or it has moved.
    if (found.uncertain.length > LOST * this.board.size && found.uncertain.length > 2 * this.doubts) return this.search();
    const moving = changedTiles(sampled, sample(canvas, place));
    this.restless = moving.length ? Math.min(2 * this.restless || 1, RESTLESS) : 0;
    this.accept(found, sampled, moving);
  }

  copy() {
    const { canvas } = this.capture, copy = new OffscreenCanvas(canvas.width, canvas.height);
    copy.getContext("2d").drawImage(canvas, 0, 0);
    return copy;
  }

  /** Take what the server read: the board, and how its sure tiles look; those that were `moving` stay what they were. */
  accept(found, sampled, moving = []) {
    const read = Board.fromRows(found.board), uncertain = new Set(found.uncertain.map((tile) => read.index(tile)));
    const board = read.with(new Map(moving.map((tile) => [tile, this.board.cells[tile]])));
    moving.forEach((tile) => uncertain.delete(tile));
    this.doubts = uncertain.size;
    this.sampled = sampled;
    const still = found.confidence.flat();
    moving.forEach((tile) => { still[tile] = 0; });
    if (sampled) still.forEach((sure, tile) => { if (sure >= SURE) this.exemplars.learn(sampled, tile, board.cells[tile]); });
    this.take(board, uncertain);
    this.missed = true; // what changed while it was read
  }

  /** Show the board as it now is. */
  take(board, uncertain = null) {
    this.board = board;
    this.page.follow(board, this.mines, uncertain);
    const seen = this.since === null || this.since === undefined ? null : Math.round(performance.now() - this.since);
    this.say(`Watching a board of ${board.columns}x${board.rows}${seen === null ? "" : `; last move read in ${seen} ms`}.`);
    this.dispatchEvent(new CustomEvent("board", { detail: { board, mines: this.mines, uncertain: this.page.store.state.uncertain } }));
  }
}
