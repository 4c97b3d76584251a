// The Play page: a game whose minefield this page keeps; the server makes the moves and says the odds.

import { figuresText, reviewText, speedOf } from "./aftermath.js";
import { Latest, post, send } from "./api.js";
import { Board, COVERED, FLAG, MINE } from "./board.js";
import { playOn } from "./autoplay.js";
import { Clock } from "./clock.js";
import { $, copyText, show, typing } from "./dom.js";
import { Grid, NO_MARKS } from "./grid.js";
import { PlayMouse, choices } from "./playmouse.js";
import { note, showRecords } from "./records.js";
import { fromGameLink, gameLink, newSeed, seedOf } from "./seeds.js";
import { keep, kept } from "./settings.js";
import { hitBy, uncovered } from "./uncover.js";
import { Work } from "./work.js";

const FACES = { playing: "New game", won: "New game (this one is won)", lost: "New game (this one is lost)" };
const TICK = 40; // ms between two figures of the clock

export class PlayPage {
  /** `analyse` shows a position on the Board page, `replay` steps through a game there. */
  constructor(analyse, replay) {
    this.analyse = analyse;
    this.replay = replay;
    this.grid = new Grid($("play-board"), "The game");
    this.oddsShown = false;
    this.flagging = false;
    this.pressed = new Set(); // tiles that look pressed in
    this.odds = null;
    this.hinted = null;
    this.solving = new Latest((signal) => this.solve(signal));
    this.clock = new Clock();
    this.asked = new AbortController(); // of the move that is made
    this.moved = Promise.resolve(); // once the last move is made
    this.work = new Work($("play-work"));
    this.wire();
    if (!this.restored()) this.begin();
    setInterval(() => this.tick(), TICK);
  }

  get rules() {
    const preset = $("play-preset").value;
    const [width, height, mines] = preset ? preset.split(",").map(Number) : ["width", "height", "mines"].map((name) => Number($(`play-${name}`).value));
    return { width, height, mines, first_click: $("play-first").value, no_guess: $("play-noguess").checked, hardcore: $("play-hardcore").checked };
  }

  /** Begin a game: by the rules as they are chosen, or on a minefield, from the position that `rows` show. */
  begin(field = null, rows = null) {
    this.asked.abort();
    this.work.end();
    this.game = this.rules;
    if (field) {
      const mines = field.reduce((sum, row) => sum + [...row].filter((sign) => sign === "*").length, 0);
      this.game = { ...this.game, width: field[0].length, height: field.length, mines, no_guess: false };
    }
    this.field = field;
    this.origin = rows; // the position that it was begun from
    this.seed = field ? null : seedOf($("play-seed").value) ?? newSeed();
    this.first = null; // the tile that was opened first
    this.board = rows ? Board.fromRows(rows) : Board.empty(Math.max(this.game.height, 1), Math.max(this.game.width, 1));
    this.state = "playing";
    this.questions = new Set(); // covered tiles with a question mark
    this.flags = []; // [index, whether it was flagged, whether it had a question mark] before each mark
    this.left = this.game.mines - this.board.cells.filter((code) => code === FLAG).length;
    this.clock.reset();
    this.clicks = { left: 0, right: 0, chord: 0 };
    this.helped = field !== null || this.oddsShown; // such games are in no statistics
    this.ahead = []; // of each click that the server has yet to answer: what it opens, shown already, as index -> number
    this.seen = []; // { rows, at } of every board that was shown, in seconds
    this.last = null; // { rows, action, index }: what was shown before the last move, and the move
    this.figures = null; // once the game is over
    this.needless = false; // whether the hard-core rule ended it
    this.odds = this.hinted = this.hit = null;
    this.fresh = false; // whether the odds are of the board as it is
    this.busy = false;
    this.say(field ? "A minefield of your own: open the first tile." : "Open the first tile.");
    this.shown();
    this.askOdds();
  }

  // Reloading loses no game

  save() {
    const { game, field, origin, seed, first, confirmed, state, flags, left, clicks, helped, seen, last, hit, figures, needless, oddsShown } = this, questions = [...this.questions];
    const begun = field !== null || this.left !== game.mines;
    const now = { game, field, origin, seed, first, rows: confirmed.toRows(), state, flags, questions, left, clicks, helped, last, hit, figures, needless, oddsShown, seconds: this.clock.seconds };
    // A long game on a large board is kept without the boards that its replay is made of, where they do not fit.
    if (!keep("game", begun ? { ...now, seen } : null)) keep("game", { ...now, seen: seen.slice(-1) });
  }

  /** Take up the game that was kept; whether there was one. */
  restored() {
    const found = kept("game", null);
    if (!found) return false;
    try {
      this.chooseRules(found.game);
      this.begin();
      const { rows, seconds, ...rest } = found;
      Object.assign(this, rest, { board: Board.fromRows(rows), questions: new Set(rest.questions), flags: rest.flags.filter(Array.isArray) });
      this.clock.restore(seconds, this.state === "playing" && seconds > 0);
      this.say(this.state === "playing" ? "Your game continues where you left it." : "");
      this.shown();
      this.askOdds();
      if (this.state !== "playing") this.over();
      return true;
    } catch (error) {
      console.warn(error); // as an earlier version of this page may have kept it
      keep("game", null);
      return false;
    }
  }

  /** Show rules in the fields that they are chosen with. */
  chooseRules({ width, height, mines, first_click, no_guess, hardcore = false }) {
    const preset = [width, height, mines].join();
    $("play-preset").value = [...$("play-preset").options].some(({ value }) => value === preset) ? preset : "";
    for (const [name, value] of Object.entries({ width, height, mines })) $(`play-${name}`).value = value;
    $("play-first").value = first_click;
    $("play-noguess").checked = no_guess;
    $("play-hardcore").checked = hardcore;
    show($("play-own"), !$("play-preset").value);
  }

  /** Begin a game by the rules as they are chosen, if there can be such a game. */
  newGame() {
    const own = $("play-preset").value ? [] : ["play-width", "play-height", "play-mines"].map($);
    show($("play-own"), own.length > 0);
    if (own.every((one) => one.value !== "" && one.reportValidity())) this.begin();
  }

  /** No game is thrown away by looking at other rules. */
  rulesChanged() {
    if (this.field === null || this.state !== "playing") return this.newGame();
    show($("play-own"), !$("play-preset").value);
    this.say("This applies from the next game: press New game to start it.");
  }

  say(text) {
    $("play-status").textContent = text;
  }

  /** Draw the board and the face. */
  draw() {
    const one = (index) => new Set(index === null ? [] : [index]);
    const playing = this.state === "playing";
    const odds = this.oddsShown && playing && this.odds ? Object.fromEntries(Object.entries(this.odds).filter(([at]) => this.board.cells[at] === COVERED || this.board.cells[at] === FLAG)) : null;
    const marks = { ...NO_MARKS, odds, best: one(this.hinted?.tile ?? null), numbers: new Set(this.hinted?.numbers), hit: one(this.hit), pressed: this.pressed };
    marks.questions = new Set([...this.questions].filter((at) => this.board.cells[at] === COVERED));
    this.grid.render(this.board, marks);
    $("play-face").dataset.state = playing && this.pressed.size ? "pressed" : this.state;
    if ($("play-face").ariaLabel !== FACES[this.state]) $("play-face").ariaLabel = FACES[this.state];
  }

  /** Let these tiles look pressed in. */
  press(tiles) {
    if (this.state !== "playing") tiles = new Set();
    if (tiles.size === this.pressed.size && [...tiles].every((at) => this.pressed.has(at))) return;
    this.pressed = tiles;
    this.draw();
  }

  /** Show the game as it is since `at`, in seconds. */
  shown(at = this.clock.seconds) {
    const playing = this.state === "playing";
    this.draw();
    this.grid.element.dataset.state = this.state;
    const left = Math.max(Math.min(this.left, 999), -99);
    $("play-left").textContent = left < 0 ? `-${String(-left).padStart(2, "0")}` : String(left).padStart(3, "0");
    $("play-odds").setAttribute("aria-pressed", String(this.oddsShown));
    $("play-look").textContent = this.state === "lost" ? "Analyse the position before" : "Analyse this position";
    if (playing) $("play-figures").textContent = "";
    show($("play-on-anyway"), this.state === "lost" && this.last !== null);
    this.see(at);
    this.tick();
    this.save();
  }

  /** Note the board as it is among those that a replay steps through. */
  see(at) {
    const rows = this.asPlayed().toRows();
    if (rows.join() !== this.seen.at(-1)?.rows.join()) this.seen.push({ rows, at });
    show($("play-replay"), this.seen.length > 1);
  }

  /** The board without what only the end of a lost game shows: mines that were not hit, and which flags were wrong. */
  asPlayed() {
    if (this.state !== "lost" || !this.last) return this.confirmed;
    const opened = this.openedLast(), back = new Map();
    this.board.cells.forEach((code, at) => {
      if (code === MINE && !opened.has(at)) back.set(at, COVERED);
      else if (code > MINE) back.set(at, FLAG);
    });
    return this.board.with(back);
  }

  /** The tiles that the last move could open. */
  openedLast() {
    const { action, index, rows } = this.last;
    return new Set(action === "chord" ? Board.fromRows(rows).around(index) : [index]);
  }

  tick() {
    const shown = this.clock.seconds.toFixed(2).padStart(6, "0");
    if ($("play-time").textContent !== shown) $("play-time").textContent = shown;
  }

  /** What is worth analysing: after a loss the position that was lost, without what the end showed. */
  get position() {
    return this.state === "lost" && this.last ? Board.fromRows(this.last.rows) : this.board;
  }

  /** The board as the server knows it, with the flags set since. */
  get confirmed() {
    return this.board.with(this.ahead.flatMap((one) => [...one.keys()]), COVERED);
  }

  /** Make a move, after the one that is being made; whether it changed anything. `automatic`: the page itself makes it. */
  move(action, index = 0, automatic = false) {
    if (this.busy && this.field === null) return Promise.resolve(false); // nobody knows yet what it would hit
    const { game } = this, clicked = performance.now();
    const opened = this.openAtOnce(action, index);
    const make = () => game === this.game && this.makeMove(action, index, { automatic, clicked, opened });
    this.moved = this.moved.then(make, make);
    return this.moved;
  }

  /** `clicked` as performance.now() has it; `opened`: what is shown already. */
  async makeMove(action, index, { automatic, clicked, opened }) {
    const game = this.game, sent = this.confirmed;
    this.ahead = this.ahead.filter((one) => one !== opened);
    if (this.state !== "playing" || (action === "open" && sent.cells[index] !== COVERED)) return false;
    this.busy = true;
    let changed = false;
    try {
      const fresh = this.field === null;
      this.asked = new AbortController();
      this.work.begin(() => this.asked.abort());
      if (fresh && game.no_guess) this.say("Looking for a board that needs no guess…");
      const found = await post("play", { ...game, seed: this.seed, field: this.field, board: fresh ? null : sent.toRows(), action, style: $("play-style").value, tile: sent.at(index) }, this.asked.signal);
      if (game !== this.game) return false;
      this.field = found.field;
      changed = found.changed;
      if (changed && action === "open") this.first ??= index;
      // Flags that the server did not know of: set before the first tile was opened, or while it worked.
      const flagged = (board, at) => board.cells[at] === FLAG;
      const known = fresh ? Board.empty(sent.rows, sent.columns) : sent;
      const differ = [...this.board.cells.keys()].filter((at) => flagged(this.board, at) !== flagged(known, at));
      this.board = Board.fromRows(found.board);
      if (found.state !== "playing") this.ahead = [];
      this.openAhead();
      this.left = found.mines_left;
      if (found.state === "playing") differ.forEach((at) => this.flag(at));
      this.state = found.state;
      this.hinted = null;
      if (found.state === "lost") this.hit = this.board.cells[index] === MINE && action === "open" ? index : null;
      this.needless = found.needless_guess;
      if (automatic || action === "certain") this.helped ||= changed;
      if (action === "certain") for (const kind of Object.keys(this.clicks)) this.clicks[kind] += found.clicks[kind];
      else this.clicks[action === "chord" ? "chord" : "left"]++;
      if (found.changed) this.last = { rows: sent.toRows(), action, index };
      if (found.changed && !this.clock.started) this.clock.start(clicked);
      if (found.state !== "playing") this.clock.stop(clicked);
      this.figures = found.figures;
      this.told(automatic ? null : action, found);
    } catch (error) {
      if (game === this.game) {
        this.board = this.board.with(opened.keys(), COVERED);
        this.say(error.name === "AbortError" ? "Cancelled." : error.message);
      }
    }
    if (game !== this.game) return false;
    this.work.end();
    this.busy = false;
    this.fresh = false; // those of before are shown until the new ones are there
    this.shown(this.clock.secondsAt(clicked));
    this.askOdds();
    if (changed && !automatic) this.goOnByItself();
    return changed;
  }

  /** Show what a click opens where no rule can have it otherwise, as index -> number. */
  openAtOnce(action, index) {
    const playing = this.state === "playing" && this.field !== null && !this.game.hardcore;
    const tiles = playing ? uncovered(this.board, this.field, hitBy(this.board, action, index)) : new Map();
    if (tiles.size) {
      this.ahead.push(tiles);
      this.board = this.board.with(tiles);
      this.draw();
    }
    return tiles;
  }

  /** Show what later clicks open on a board that the server has sent. */
  openAhead() {
    for (const tiles of this.ahead)
      for (const at of tiles.keys()) if (this.board.cells[at] !== COVERED) tiles.delete(at);
    this.board = this.board.with(new Map(this.ahead.flatMap((tiles) => [...tiles])));
  }

  goOnByItself() {
    playOn(this, () => $("play-auto").value).catch((error) => this.say(error.message));
  }

  /** Play on after a mine, as if it had been flagged; such a game counts no more. */
  playOnAnyway() {
    const { board } = this, opened = this.openedLast(), back = new Map();
    board.cells.forEach((code, at) => {
      if (code === MINE) back.set(at, opened.has(at) ? FLAG : COVERED);
      else if (code > FLAG) back.set(at, COVERED); // a wrong flag
    });
    this.board = board.with(back);
    this.left = this.game.mines - this.board.cells.filter((code) => code === FLAG).length;
    this.state = "playing";
    this.helped = true;
    this.hit = null;
    this.game = { ...this.game, hardcore: false };
    this.clock.start();
    this.say("Continued: this game does not count in the statistics.");
    this.shown();
    this.askOdds();
  }

  // The same minefield once more, here or elsewhere

  again() {
    if (this.field === null) return this.say("Open a tile first.");
    const { seed, first, game } = this;
    this.begin(this.field, this.origin);
    Object.assign(this, { seed, first, game: { ...game } });
    if (first !== null && !this.origin) {
      this.hinted = { tile: first, numbers: [] };
      this.grid.moveTo(first, false);
    }
    this.say("The same board again. It does not count in the statistics.");
    this.shown();
  }

  share() {
    if (this.seed === null) return this.say("This minefield has no seed: it was not made here.");
    const link = gameLink(this.game, this.seed, this.first === null ? null : this.board.at(this.first));
    copyText(`${location.origin}${location.pathname}${link}`, "Link copied: whoever opens it gets this minefield");
  }

  /** Begin the game of the link in a text; whether there was one. */
  openLink(text) {
    const found = fromGameLink(text);
    if (!found) return false;
    this.chooseRules({ ...found.rules, hardcore: $("play-hardcore").checked });
    $("play-seed").value = found.seed;
    this.begin();
    $("play-seed").value = "";
    if (found.start) this.move("open", this.board.index(found.start));
    return true;
  }

  /** Play on from a position: its mines are laid as one of its solutions, all alike likely. */
  async takeUp(position, signal) {
    const { field, mines } = await post("take-up", position, signal);
    this.begin(field, position.board);
    this.say(`Play on: the ${mines} mines lie as in one of all solutions, drawn at random.`);
  }

  told(action, found) {
    if (found.state !== "playing") this.over(this.noted(found.state === "won"));
    else if (found.changed) this.say("");
    else if (action) this.say({ open: "A flag is there: take it away first.", chord: "The number of flags around that tile does not match.", certain: "No tile is certainly safe." }[action]);
  }

  /** Note a game in the statistics, where it counts; whether it was won quicker than any before. */
  noted(won) {
    if (this.helped) return false;
    const { seconds } = this.clock;
    const best = note(this.game, { won, seconds, speed: speedOf(this.figures, seconds) });
    showRecords($("play-records"));
    return best;
  }

  /** Say how a game ended: its figures at once, and whether it had to be lost as soon as the server knows. */
  over(best = false) {
    const { seconds } = this.clock, won = this.state === "won";
    $("play-figures").textContent = figuresText(this.figures, this.clicks, seconds, won);
    this.say(won ? `Won in ${seconds.toFixed(2)} seconds: every safe tile is open.${best ? " Your best time!" : ""}` : "Lost: that was a mine.");
    if (!won) this.review();
  }

  async review() {
    const { game, last } = this, before = Board.fromRows(last.rows), tile = before.at(last.index);
    const tiles = last.action === "chord" ? before.around(last.index).filter((one) => before.cells[one] === COVERED) : [last.index];
    try {
      const found = await post("review", { board: before.toRows(), mines: game.mines, tiles: tiles.map((one) => before.at(one)) });
      if (game === this.game && this.state === "lost") this.say(reviewText(found, { action: last.action, tile, needless: this.needless }));
    } catch (error) {
      if (game === this.game) this.say(`Lost: that was a mine. ${error.message}`);
    }
  }

  open(index) {
    if (this.board.cells[index] === FLAG && this.state === "playing") this.say("A flag is there: take it away first.");
    else this.move(this.board.cells[index] <= 8 ? "chord" : "open", index);
  }

  /** Go on to the next mark, as the player asked: a flag, a question mark where these are wanted, nothing. */
  mark(index) {
    const code = this.board.cells[index], asked = this.questions.has(index);
    if (this.state !== "playing" || (code !== COVERED && code !== FLAG)) return;
    this.flags.push([index, code === FLAG, asked]);
    this.clicks.right++;
    if (asked || (code === FLAG && choices.questions)) this.question(index, !asked);
    if (!asked) this.flag(index);
    else this.shown();
  }

  question(index, on) {
    if (on) this.questions.add(index);
    else this.questions.delete(index);
  }

  /** Set a flag, or take it away. Flags are the page's own business: they need no server, and work before the first move too. */
  flag(index) {
    const code = this.board.cells[index];
    if (this.state !== "playing" || (code !== COVERED && code !== FLAG)) return;
    this.board = this.board.with([index], code === FLAG ? COVERED : FLAG);
    this.left += code === FLAG ? 1 : -1;
    this.shown();
  }

  /** Take a flag away that stands in the way. */
  unflag(index) {
    if (this.board.cells[index] === FLAG) this.flag(index);
  }

  undo() {
    while (this.flags.length) {
      const [index, flagged, asked] = this.flags.pop(), code = this.board.cells[index];
      if (code !== COVERED && code !== FLAG) continue;
      this.question(index, asked);
      return (code === FLAG) === flagged ? this.shown() : this.flag(index);
    }
    this.say("There is no flag to undo.");
  }

  showOdds(on) {
    this.oddsShown = on;
    this.helped ||= on && this.state === "playing";
    this.shown();
    this.askOdds();
  }

  askOdds() {
    if (this.oddsShown && this.state === "playing" && !this.fresh) this.solving.ask();
  }

  async solve(signal) {
    const { board, game } = this;
    try {
      const found = await post("solve", { board: board.toRows(), mines: game.mines, advice: false }, signal);
      if (game !== this.game || board.cells.some((code, at) => code <= 8 !== this.board.cells[at] <= 8)) return;
      if (found.error) throw new Error(found.error.message);
      const sure = new Set([...found.safe, ...found.mine].map((tile) => board.index(tile)));
      this.odds = {};
      this.fresh = true;
      found.probability.flat().forEach((p, at) => {
        if (p !== null && board.cells[at] > 8) this.odds[at] = { p, certain: sure.has(at), text: null };
      });
      this.shown();
    } catch (error) {
      if (error.name === "AbortError" || game !== this.game) return;
      this.odds = null; // those of an earlier move would be taken for these
      this.shown();
      if (error.kind === "busy") setTimeout(() => this.askOdds(), 1000);
      else this.say(error.message);
    }
  }

  async hint() {
    if (this.state !== "playing") return this.say("The game is over: N begins a new one.");
    this.helped = true;
    try {
      await this.work.run((signal) => this.findHint(signal));
    } catch (error) {
      this.say(error.name === "AbortError" ? "Cancelled." : error.message);
    }
  }

  async findHint(signal) {
    const board = this.board;
    const { advice } = await post("advise", { board: this.board.toRows(), mines: this.game.mines, first_click: this.game.first_click }, signal);
    if (board !== this.board) return; // a move was made, or another game begun
    const [best] = advice.ranking, asked = { board: board.toRows(), mines: this.game.mines, tile: best?.tile ?? null, tables: false };
    const steps = best?.safety === "1/1" && this.field ? (await post("explain", asked, signal)).steps : [];
    if (board !== this.board) return;
    // The last step is the one that settles it, and names the tile.
    this.say(steps.at(-1)?.sentence ?? advice.reason);
    if (best) {
      this.hinted = { tile: this.board.index(best.tile), numbers: steps.at(-1)?.numbers.map((tile) => this.board.index(tile)) ?? [] };
      this.grid.moveTo(this.hinted.tile, true);
    }
    this.shown();
  }

  certain() {
    if (this.field === null) this.say("Open a tile first.");
    else this.move("certain");
  }

  async openFile(file) {
    try {
      const read = await send("read-file", { file });
      if (read.field) this.begin(read.field);
      else this.say("To be played, the whole minefield must be known: every mine flagged, the rest opened, and no number wrong.");
    } catch (error) {
      this.say(error.message);
    }
  }

  key(event) {
    if ($("page-play").hidden || document.querySelector("dialog[open]")) return;
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event) || event.target.closest?.("[role=tab]:not([aria-selected=true])")) return;
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    const cursor = this.grid.cursor;
    if (step) {
      if (event.target.closest?.("[role=tab]")) return; // there they go from page to page
      const [row, column] = this.board.at(cursor);
      const to = [Math.min(Math.max(row + step[0], 0), this.board.rows - 1), Math.min(Math.max(column + step[1], 0), this.board.columns - 1)];
      this.grid.moveTo(this.board.index(to), true);
    } else if (event.key === " " || event.key === "Enter") {
      if (!this.grid.focused) return; // it presses a button or ticks a box
      this.open(cursor);
    } else {
      const task = { f: () => this.mark(cursor), u: () => this.undo(), p: () => this.showOdds(true), l: () => this.showOdds(false), c: () => this.certain(), h: () => this.hint(), n: () => this.newGame() }[event.key.toLowerCase()];
      if (!task) return;
      task();
    }
    event.preventDefault();
  }

  wire() {
    new PlayMouse(this);
    document.addEventListener("keydown", (event) => this.key(event));
    const on = { "play-new": () => this.newGame(), "play-face": () => this.newGame(), "play-certain": () => this.certain(), "play-hint": () => this.hint(), "play-undo": () => this.undo(),
      "play-odds": () => this.showOdds(!this.oddsShown), "play-replay": () => this.replay({ boards: this.seen.map(({ rows }) => rows), mines: this.game.mines, seconds: this.seen.map(({ at }) => at) }), "play-again": () => this.again(), "play-share": () => this.share(), "play-on-anyway": () => this.playOnAnyway(),
      "play-look": () => this.analyse(this.position, this.game.mines),
      "play-flagging": () => { this.flagging = !this.flagging; $("play-flagging").setAttribute("aria-pressed", String(this.flagging)); } };
    for (const [id, task] of Object.entries(on)) $(id).addEventListener("click", task);
    $("play-auto").addEventListener("change", () => this.goOnByItself());
    $("play-style").value = kept("play-style", "no_flags");
    $("play-style").addEventListener("change", ({ target }) => keep("play-style", target.value));
    $("play-seed").addEventListener("change", () => {
      if (!this.openLink($("play-seed").value)) this.rulesChanged();
    });
    $("play-statistics").addEventListener("toggle", () => showRecords($("play-records")));
    window.addEventListener("pagehide", () => this.save());
    $("play-file").addEventListener("change", (event) => {
      const [file] = event.target.files;
      if (file) this.openFile(file);
      event.target.value = "";
    });
    for (const id of ["play-preset", "play-first", "play-noguess", "play-hardcore", "play-width", "play-height", "play-mines"]) $(id).addEventListener("change", () => this.rulesChanged());
  }
}
