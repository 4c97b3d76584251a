// The Board page: a position, its odds as it changes, and what belongs to it.

import { Latest, post } from "./api.js";
import { Board, COVERED, FLAG, toLink } from "./board.js";
import { Checking } from "./checking.js";
import { $, h, segmented, show, toast } from "./dom.js";
import { Editor } from "./editor.js";
import { Grid, NO_MARKS } from "./grid.js";
import { setByHovering } from "./hovering.js";
import { Intake } from "./intake.js";
import { Legal } from "./legal.js";
import { showLegend } from "./legend.js";
import { chip, counted, naming, withChips } from "./naming.js";
import { big, fractionText, possible, short, standardMines } from "./odds.js";
import { Outgoing } from "./outgoing.js";
import { OVERLAYS, overlayOf } from "./overlays.js";
import { Palette } from "./palette.js";
import { Solutions, rowOf, showAdvice, showTile, showTileAtOnce, showWarnings } from "./panels.js";
import { Picture } from "./picture.js";
import { sizeQuestion } from "./plausible.js";
import { Positions } from "./positions.js";
import { Replay } from "./replay.js";
import { keep, kept } from "./settings.js";
import { Store } from "./store.js";
import { Tooltip } from "./tooltip.js";
import { Work } from "./work.js";

const MOST_IN_ADDRESS = 10000; // tiles
const LARGE = 3000; // tiles of a board whose tables take long
const PAUSE = 1000; // ms without a change after which they are asked for: odds come first

export class BoardPage {
  constructor() {
    this.store = new Store();
    this.grid = new Grid($("board-holder"), "The board", true);
    this.editor = new Editor(this.grid, this.store);
    this.picture = new Picture(this.grid);
    this.scope = "global";
    this.form = "percent";
    this.trust = false;
    this.found = null; // odds of the server
    this.advice = null;
    this.ghost = null;
    this.marked = this.pinned = null; // what a step or a component points at
    this.pointed = new Set(); // the tile whose name the mouse is on
    this.question = 0; // changes with everything that odds depend on: answers to older ones are not shown
    this.loads = this.loaded = 0;
    this.typed = null; // the state that typing a mine count made last
    this.solving = new Latest((signal) => this.solve(signal));
    this.work = new Work($("odds-work"));
    this.bestWork = new Work($("best-work"));
    this.advising = new Latest((signal) => this.advise(signal));
    this.explaining = new Latest((signal) => this.explain(signal));
    this.overlay = "mine";
    this.overlaid = null; // { name, question, grid } of another measure than the chance of a mine
    this.overlaying = new Latest((signal) => this.askOverlay(signal));
    this.solutions = new Solutions($("solutions"), {
      position: () => this.position(),
      shown: (drawn) => this.showSolution(drawn),
      failed: (error) => this.fail(error),
    });
    this.checking = new Checking(this);
    this.intake = new Intake(this);
    this.replay = new Replay(this);
    new Tooltip(this);
    setByHovering(this);
    new Outgoing(this);
    new Positions(this);
    this.wire();
    this.wireView();
    this.store.addEventListener("change", () => this.changed());
    this.changed();
    this.started = true;
  }

  // What is asked of the server

  get mines() {
    return this.store.state.mines ?? standardMines(this.store.board);
  }

  position() {
    return {
      board: this.store.board.toRows(),
      mines: this.store.state.mines,
      trust_flags: this.trust,
      local: this.scope === "local",
      continues: this.reading?.continues ?? [],
    };
  }

  /** The tiles that were read with doubt, as [row, column]. */
  doubted() {
    return [...this.store.state.uncertain].map((index) => this.store.board.at(index));
  }

  /** Put the position into the address, which can be reloaded and kept. */
  link() {
    history.replaceState(null, "", toLink(this.store.board, this.store.state.mines, { local: this.scope === "local", trust: this.trust }));
  }

  /** Let the address hold the position as it is, so that reloading loses none of it; very large ones find no room. */
  keep() {
    if (!this.started) return; // what the address holds is still to be read
    clearTimeout(this.keeping);
    if (this.store.board.size > MOST_IN_ADDRESS) history.replaceState(null, "", location.pathname + location.search);
    else this.keeping = setTimeout(() => this.link(), 200);
  }

  /** Say what went wrong, until something else is tried. */
  fail(error) {
    if (error.name === "AbortError") return;
    $("problem").textContent = error.message;
    show($("problem"), true);
    this.unsolved = false;
    const { top, bottom } = $("problem").getBoundingClientRect();
    if (bottom < 0 || top > window.innerHeight) toast(error.message);
  }

  /** The task with its errors told. */
  trying(task) {
    return async () => {
      this.clearProblem();
      try {
        await task();
      } catch (error) {
        this.fail(error);
      }
    };
  }

  /** What went wrong before is no longer of interest. */
  clearProblem() {
    show($("problem"), false);
  }

  changed() {
    // First of all ask: the server can work while the page draws.
    if (this.loaded !== this.store.state.loaded) this.another();
    this.again();
    this.showTileAtOnce();
    this.marked = this.pinned = this.ghost = null;
    this.pointed = new Set(); // what pointed may be gone without a word
    $("undo").disabled = !this.store.past.length;
    $("redo").disabled = !this.store.future.length;
    // What is being typed is left alone; a count that is only assumed is shown, but not as if it were given.
    if ($("mines") !== document.activeElement) $("mines").value = this.store.state.mines ?? "";
    $("mines").placeholder = standardMines(this.store.board) ?? "";
    if (!this.picture.pointing) this.picture.show(this.reading, this.store.state.uncertain.size === 0);
    this.checking.reset();
  }

  /** Another position, not the same one edited: nothing of the one before is shown any more. */
  another() {
    const { loaded, scope, trust } = this.store.state;
    this.loaded = loaded;
    this.found = null;
    this.scope = scope;
    this.chooseScope(scope);
    this.trust = $("trust").checked = trust;
    this.solutions.reset(null);
    for (const id of ["summary", "warnings", "mines-note", "best", "answer", "tile", "status"]) $(id).replaceChildren();
  }

  /** The screenshot that this very board was read from, or null. */
  get reading() {
    return this.picture.pointing ? null : this.store.state.reading;
  }

  async solve(signal) {
    const asked = { ...this.position(), uncertain: this.doubted(), exact: this.form === "fraction", advice: false };
    const question = this.question;
    const ended = this.work.begin(() => this.cancelSolving());
    try {
      const found = await post("solve", asked, signal);
      if (question !== this.question) return;
      this.found = found;
      $("panel-odds").classList.remove("waiting");
      this.doubtSize();
      if (this.overlay !== "mine") this.overlaying.ask();
      if (this.unsolved) this.clearProblem();
      this.showOdds();
      this.advising.ask();
      this.explainSoon();
    } catch (error) {
      if (error.name === "AbortError" || question !== this.question) return;
      this.withoutOdds();
      this.fail(error);
      this.unsolved = true;
      this.retry(error, question, this.solving);
    } finally {
      ended();
    }
  }

  /** Show the board without odds, and nothing that follows from them. */
  withoutOdds() {
    this.found = this.advice = null;
    $("panel-odds").classList.remove("waiting");
    for (const id of ["summary", "warnings", "mines-note", "best", "answer", "tile"]) $(id).replaceChildren();
    this.solutions.reset(null);
    this.render();
  }

  /** Somebody does not want to wait for the odds. */
  cancelSolving() {
    this.solving.stop();
    this.withoutOdds();
    $("summary").textContent = "Cancelled: there are no odds. Any change asks for them again; local ones take less time.";
  }

  /** Ask whether the size is right, once for a reading. */
  doubtSize() {
    const { reading } = this, { board, uncertain } = this.store.state;
    if (!reading || reading.asked) return;
    reading.asked = true;
    const question = sizeQuestion(board, uncertain.size, this.found.conflict.length);
    if (question) this.picture.question(question);
  }

  /** What the figures stand for, where that is not the chance of a mine. */
  async askOverlay(signal) {
    const { overlay, question } = this, ended = this.work.begin(() => this.cancelOverlay());
    try {
      const grid = await overlayOf(overlay, this.position(), this.advice, signal);
      if (question !== this.question || overlay !== this.overlay) return;
      this.overlaid = { name: overlay, question, grid };
      const none = this.advice !== null && grid.flat().every((p) => p === null);
      $("overlay-note").textContent = (none && OVERLAYS[overlay].none) || "";
      this.render();
    } catch (error) {
      if (error.name !== "AbortError" && question === this.question) this.fail(error);
    } finally {
      ended();
    }
  }

  /** Somebody does not want to wait for another measure: the chance of a mine is there. */
  cancelOverlay() {
    this.overlaying.stop();
    this.overlay = $("overlay").value = "mine";
    $("overlay-note").textContent = "";
    this.render();
  }

  async advise(signal) {
    const question = this.question;
    let advice = null, reason = "None while there are no odds.";
    $("best").classList.add("waiting");
    const ended = this.bestWork.begin(() => this.cancelAdvising());
    try {
      if (this.found && !this.found.error)
        ({ advice } = await post("advise", { ...this.position(), uncertain: this.doubted(), first_click: $("first-click").value }, signal));
    } catch (error) {
      if (error.name === "AbortError") return;
      reason = error.message;
      this.retry(error, question, this.advising);
    } finally {
      ended();
    }
    if (question !== this.question) return;
    this.advice = advice;
    if (this.overlay === "progress" || this.overlay === "win") this.overlaying.ask();
    $("best").classList.remove("waiting");
    showAdvice($("best"), advice, (tile) => this.go(tile));
    $("answer").replaceChildren(...(advice ? withChips(advice.reason, (tile) => this.go(tile)) : []));
    if (!advice) $("best").replaceChildren(h("p", { class: "note" }, reason));
    this.render();
  }

  /** Somebody does not want to wait for the best tile. */
  cancelAdvising() {
    this.advising.stop();
    $("best").classList.remove("waiting");
    $("best").replaceChildren(h("p", { class: "note" }, "Cancelled. Any change asks for it again."));
  }

  /** Ask for the tables of the chosen tile, unless more changes are likely to come. */
  explainSoon() {
    clearTimeout(this.pausing);
    if (this.store.board.size < LARGE) this.explaining.ask();
    else this.pausing = setTimeout(() => this.explaining.ask(), PAUSE);
  }

  async explain(signal) {
    const question = this.question, board = this.store.board, tile = board.at(this.grid.cursor);
    this.showTileAtOnce();
    try {
      const found = await post("explain", { ...this.position(), uncertain: this.doubted(), tile, tables: "tile" }, signal);
      if (question !== this.question || board.index(tile) !== this.grid.cursor) return;
      showTile($("tile"), tile, found, board, { go: (one, keep) => this.go(one, keep), mark: (what, pinned) => this.mark(what, pinned) });
      if (this.tabled !== question) {
        this.tabled = question;
        this.solutions.reset(found.tables);
      }
      this.solutions.chooseFor(rowOf(found, tile)?.component);
    } catch (error) {
      if (error.name === "AbortError" || question !== this.question) return;
      $("tile").replaceChildren(h("p", { class: "note" }, error.message));
      if (this.tabled !== question) this.solutions.reset(null);
      this.retry(error, question, this.explaining);
    }
  }

  /** Show what the page itself knows of the chosen tile, until the server has said more. */
  showTileAtOnce() {
    const board = this.store.board, tile = board.at(this.grid.cursor);
    showTileAtOnce($("tile"), tile, this.oddsOf(tile), board, (one) => this.go(one));
  }

  /** A server that is busy is asked again, as long as it is still about the same. */
  retry(error, question, task) {
    if (error.kind === "busy") setTimeout(() => question === this.question && task.ask(), 1000);
  }

  // What is shown

  marks() {
    const board = this.store.board, index = (tile) => board.index(tile);
    const set = (tiles) => new Set((tiles ?? []).map(index));
    const found = this.found;
    const ranking = this.advice?.ranking ?? [];
    const marks = {
      ...NO_MARKS,
      selected: this.editor.selection,
      uncertain: this.store.state.uncertain,
      conflict: set(found?.conflict),
      best: set(ranking.slice(0, 1).map((one) => one.tile)),
      runners: set(ranking.slice(1, 3).map((one) => one.tile)),
      alike: new Set(this.checking?.lookAlikes()),
      pointed: this.pointed,
      component: set(this.marked?.component),
      numbers: set(this.marked?.numbers),
      ghost: this.ghost,
    };
    if ($("reduced").checked) marks.less = board.lessFlags();
    marks.measure = OVERLAYS[this.overlay].measure;
    if (this.form !== "none" && this.overlay !== "mine") marks.odds = this.overlaidOdds();
    else if (found?.probability && this.form !== "none") marks.odds = this.oddsByTile(found);
    if (found) marks.ifRight = set([...(found.safe_if_read_right ?? []), ...(found.mine_if_read_right ?? [])]);
    if (found) marks.wrongFlags = new Set(found.safe.map(index).filter((one) => board.cells[one] === FLAG));
    return marks;
  }

  /** What is known of one tile's chance, or null. */
  oddsOf([row, column]) {
    const p = this.found?.probability?.[row]?.[column] ?? null, has = (list) => list.some((one) => one[0] === row && one[1] === column);
    return p === null ? null : { p, certain: has(this.found.safe) || has(this.found.mine) };
  }

  overlaidOdds() {
    const board = this.store.board, odds = {}, { grid, question, name } = this.overlaid ?? {};
    if (question !== this.question || name !== this.overlay) return odds;
    grid.forEach((row, r) => row.forEach((p, c) => {
      const at = r * board.columns + c;
      if (p !== null && board.cells[at] === COVERED) odds[at] = { p: 1 - p, shown: p, certain: false, text: short(p, this.grid.size) };
    }));
    return odds;
  }

  oddsByTile(found) {
    const board = this.store.board, odds = {}, beyond = found.scope === "global" ? board.nextToNone() : new Set();
    this.others = null;
    const sure = new Set([...found.safe, ...found.mine].map((tile) => board.index(tile)));
    found.probability.forEach((row, r) => row.forEach((p, c) => {
      const at = r * board.columns + c;
      if (p === null || (board.cells[at] !== COVERED && board.cells[at] !== FLAG)) return;
      const certain = sure.has(at);
      // A flag that is right needs no figure.
      if (board.cells[at] === FLAG && certain && p > 0.5) return;
      const fraction = found.exact?.[r][c];
      const common = beyond.has(at) && beyond.size > 1 && !certain && board.cells[at] === COVERED;
      if (common) this.others = p;
      odds[at] = { p, certain, common, text: this.form === "fraction" && fraction ? fractionText(fraction, this.grid.size >= 34 ? 7 : 5).replace("%", "") : null };
    }));
    // A board too wide to count still has tiles that single numbers settle.
    for (const [tiles, p] of [[found.safe, 0], [found.mine, 1]])
      for (const tile of tiles) if (board.cells[board.index(tile)] === COVERED) odds[board.index(tile)] ??= { p, certain: true, text: null };
    return odds;
  }

  /** Show everything as it now is; all that one event changes is drawn once. */
  render() {
    if (this.rendering) return;
    this.rendering = true;
    queueMicrotask(() => {
      this.rendering = false;
      this.draw();
      this.drawn?.();
    });
  }

  draw() {
    const marks = this.marks();
    this.grid.render(this.store.board, marks);
    showLegend($("legend"), marks, this.overlay === "mine" && marks.odds ? this.others : null, OVERLAYS[this.overlay].name);
    if (this.reading && this.picture.reading === this.reading) this.picture.mark([this.grid.cursor], marks.alike);
    const doubted = this.reading !== null && this.store.state.uncertain.has(this.grid.cursor);
    show($("lens"), doubted);
    if (doubted) this.picture.magnify($("lens"), this.grid.cursor);
  }

  showOdds() {
    const { found } = this, board = this.store.board;
    this.checking.show();
    this.grid.element.dataset.ready = "true";
    const covered = board.cells.reduce((sum, code) => sum + (code === COVERED || code === FLAG), 0);
    const summary = $("summary"), doubts = this.store.state.uncertain.size;
    if (found.error) {
      // As many as the message names; the board marks all of them.
      const faults = found.conflict.slice(0, 8).map((tile) => chip(tile, (one) => this.go(one)));
      summary.replaceChildren(h("span", { class: "bad-text" }, `${capital(this.faultText(found.error.message))}.`), " ", ...faults);
    } else {
      const given = doubts ? `If the ${doubts === 1 ? "uncertain tile is" : `${doubts} uncertain tiles are`} right: ` : "";
      const certain = `${found.safe.length} certainly safe, ${found.mine.length} certainly a mine${this.onCondition(found)}`;
      if (covered === 0) summary.replaceChildren("No covered tile is left.");
      else summary.replaceChildren(`${given}${covered} covered tile${covered === 1 ? "" : "s"}, ${certain}. ${big(found.solutions)} solution${found.solutions === "1" ? "" : "s"}${found.scope === "local" ? " of the tiles next to numbers" : ""}.`);
    }
    showWarnings($("warnings"), found.warnings, (tile) => this.go(tile));
    this.showMines();
    show($("first-label"), covered === board.size);
  }

  /** How many more tiles are certain if what is in doubt is right: uncertain tiles, which are named before, or the mine count. */
  onCondition(found) {
    const more = (found.safe_if_read_right?.length ?? 0) + (found.mine_if_read_right?.length ?? 0);
    if (!more) return "";
    const count = `${found.mines} mine${found.mines === 1 ? "" : "s"}`;
    const condition = found.mines_source === "standard" && !this.store.state.uncertain.size ? ` if the board has ${count}, as usual for its size` : "";
    return `, and ${more} more ${more === 1 ? "is" : "are"} certain${condition}`;
  }

  /** A contradiction in words for this page: a board made by hand was not read. */
  faultText(message) {
    return counted(this.reading ? message : message.replace("check how these tiles were read", "check these tiles"));
  }

  showMines() {
    const note = $("mines-note"), range = this.found?.mine_range;
    const source = this.store.state.mines !== null ? "" : this.mines === null ? "unknown: local odds" : "standard for the size";
    const fits = possible(range);
    note.replaceChildren([source, fits].filter(Boolean).join(" · "));
    const wrong = range && this.mines !== null && (this.mines < range[0] || this.mines > range[1]) && this.scope === "global";
    $("mines").classList.toggle("bad", Boolean(wrong));
    if (wrong && this.store.locked === null) {
      const nearest = Math.min(Math.max(this.mines, range[0]), range[1]);
      note.append(" ", h("button", { class: "small", onclick: () => this.store.change({ mines: nearest }) }, `take ${nearest}`));
    }
  }

  /** Point at tiles; what is pinned stays when the mouse goes elsewhere. */
  mark(what, pinned = false) {
    if (pinned) this.pinned = what;
    this.marked = what ?? this.pinned;
    this.render();
  }

  /** Go to a tile; `keep` leaves the marks that point at it. */
  go(tile, keep = false) {
    const marked = this.marked;
    this.editor.select(this.store.board.index(tile), false, true);
    if (keep) this.mark(marked, true);
  }

  showSolution(drawn) {
    if (!drawn) {
      this.ghost = null;
    } else {
      const before = this.store.board, after = Board.fromRows(drawn.board);
      const mines = new Set(drawn.mines.map((tile) => before.index(tile)));
      this.ghost = new Map();
      before.cells.forEach((code, at) => {
        if (mines.has(at)) this.ghost.set(at, 1);
        else if (after.cells[at] !== code) this.ghost.set(at, 0);
      });
    }
    this.render();
  }

  load(board, mines, { uncertain = new Set(), said = "", scope = "global", trust = false, reading = null, focus = false } = {}) {
    this.intake.stop(); // what else is being read comes too late
    show($("welcome"), false);
    show($("learned"), false);
    if (this.picture.shown && (!reading || this.picture.pointing)) this.picture.putAway();
    this.store.change({ board, mines, uncertain, confirmed: new Set(), reading, scope, trust, loaded: ++this.loads });
    this.editor.reset();
    this.editor.select(uncertain.size ? Math.min(...uncertain) : 0, false, focus || uncertain.size > 0);
    $("status").textContent = said;
  }

  /** Take the board of a game that is watched: one step after the other, none of them to be undone. */
  follow(board, mines, uncertain) {
    const { state, locked } = this.store, same = this.following && state.board.rows === board.rows && state.board.columns === board.columns;
    const doubts = uncertain ?? new Set([...state.uncertain].filter((at) => same && board.cells[at] === state.board.cells[at]));
    this.following = true;
    mines = locked ?? mines;
    if (!same) return this.load(board, mines, { uncertain: doubts });
    const changed = mines !== state.mines || doubts.size !== state.uncertain.size || board.cells.some((code, at) => code !== state.board.cells[at]);
    if (changed) this.store.change({ board, mines, uncertain: doubts, reading: null }, true);
  }

  // Keys that are not the editor's

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Tab" && (this.store.state.uncertain.size || this.checking.faults.length)) {
      if (!this.checking.go(event.shiftKey ? -1 : 1)) return; // on to the next control
    } else if (event.key === "Enter" && this.checking.lookAlikes().length) this.checking.correctAlike();
    else if (event.key === " ") this.checking.right(event.shiftKey);
    else if ((event.key === "b" || event.key === "B") && this.advice?.ranking.length) this.go(this.advice.ranking[0].tile);
    else if (event.key === "[" || event.key === "]") this.solutions.step(event.key === "]" ? 1 : -1);
    else if (event.key === "r" || event.key === "R") this.solutions.go(null);
    else if (event.key === "Escape" && this.ghost) this.solutions.hide();
    else return;
    event.preventDefault();
  }

  // Wiring

  wire() {
    const { store, editor, picture } = this;
    new Palette($("palette"), editor);
    segmented(document.querySelectorAll("[data-tool]"), "tool", (tool) => {
      editor.tool = tool;
      editor.restrict(tool === "build" ? new Legal(this) : null);
      this.grid.element.classList.toggle("painting", tool === "paint");
    });
    this.chooseScope = segmented(document.querySelectorAll("[data-scope]"), "scope", (scope) => { this.scope = scope; this.again(); });
    segmented(document.querySelectorAll("[data-form]"), "form", (form) => { this.form = form; this.again(); });
    $("trust").addEventListener("change", (event) => { this.trust = event.target.checked; this.again(); });
    $("first-click").addEventListener("change", () => this.advising.ask());
    $("mines").addEventListener("input", (event) => {
      const value = event.target.value.trim();
      const mines = value === "" ? null : Math.max(0, Math.min(Math.round(Number(value)), 1000000));
      store.change({ mines }, this.typed === store.state); // one number, one step
      this.typed = store.state;
    });
    $("reduced").addEventListener("change", () => this.render());
    $("mines-lock").addEventListener("change", ({ target }) => {
      if (target.checked && this.mines === null) {
        target.checked = false;
        toast("Give the mine count first.");
      }
      store.lock(target.checked ? this.mines : null);
      $("mines").readOnly = target.checked;
    });
    $("mines").addEventListener("blur", () => {
      this.typed = null;
      $("mines").value = store.state.mines ?? "";
    });
    editor.addEventListener("select", () => {
      this.marked = this.pinned = null;
      this.checking.show();
      this.showTileAtOnce(); // the server may still be at another tile
      this.explainSoon();
    });
    // Before the editor's own keys, which would take some of them.
    this.grid.element.addEventListener("keydown", (event) => this.key(event), { capture: true });
    picture.addEventListener("close", () => {
      if (!picture.pointing) return store.change({ reading: null, uncertain: new Set() });
      picture.putAway();
      picture.show(this.reading);
      this.checking.reset();
    });
    picture.addEventListener("mode", () => this.render());
    picture.addEventListener("tile", ({ detail }) => this.editor.select(detail, false, true));
    // Tools that were clicked leave the keys to the board.
    $("page-board").addEventListener("click", (event) => {
      const tool = event.target.closest("[role=toolbar] button:not(#box-open), .segmented button, #check button");
      if (tool && event.detail > 0 && !document.querySelector("dialog[open]")) this.grid.focus();
    });
    // A tile that is named somewhere is shown where it is.
    for (const [come, point] of [["pointerover", true], ["pointerout", false], ["focusin", true], ["focusout", false]])
      $("page-board").addEventListener(come, (event) => {
        const named = event.target.closest?.(".tile-link")?.dataset.tile;
        if (!named) return;
        this.pointed = new Set(point ? [this.store.board.index(named.split(",").map(Number))] : []);
        this.render();
      });
    const on = { "undo": () => store.undo(), "redo": () => store.redo(), "copy": () => editor.copy(), "cut": () => editor.cut(),
      "paste": this.trying(async () => (navigator.clipboard?.readText ? editor.paste(await navigator.clipboard.readText()) : toast("Press Ctrl+V on the board"))), "select-all": () => editor.selectAll(), "clear": () => editor.clear() };
    for (const [id, task] of Object.entries(on)) $(id).addEventListener("click", task);
  }

  /** How the board is seen: what the figures stand for, how large the tiles are, which way it is turned. */
  wireView() {
    $("overlay").append(...Object.entries(OVERLAYS).map(([value, { name }]) => h("option", { value }, name)));
    $("overlay").addEventListener("change", ({ target }) => {
      this.overlay = target.value;
      $("overlay-note").textContent = "";
      if (this.overlay !== "mine") this.overlaying.ask();
      this.render();
    });
    const zoom = (factor) => {
      this.grid.zoom = Math.min(Math.max(factor, 0.5), 4);
      keep("zoom", this.grid.zoom);
      this.picture.lay();
    };
    zoom(kept("zoom", 1));
    $("zoom-out").addEventListener("click", () => zoom(this.grid.zoom / 1.25));
    $("zoom-in").addEventListener("click", () => zoom(this.grid.zoom * 1.25));
    $("zoom-fit").addEventListener("click", () => zoom(1));
    // On a phone the tools lie at the lower edge, and what is checked with just above them.
    new ResizeObserver(() => document.documentElement.style.setProperty("--toolbar-high", `${document.querySelector("#page-board .toolbar").offsetHeight}px`)).observe(document.querySelector("#page-board .toolbar"));
    const turn = (on) => {
      this.grid.turn(on);
      $("turn").setAttribute("aria-pressed", String(on));
      if (on && this.picture.mode !== "hide") this.picture.setMode("hide");
    };
    $("turn").addEventListener("click", () => turn(!this.grid.turned));
    this.picture.addEventListener("mode", () => { if (this.grid.turned && this.picture.mode !== "hide" && this.picture.shown) turn(false); });
    naming.addEventListener("change", () => { this.advising.ask(); this.explainSoon(); if (this.found) this.showOdds(); });
  }

  /** Something that the odds depend on has changed: ask for them. */
  again() {
    this.question++;
    clearTimeout(this.pausing);
    this.solving.ask();
    this.clearProblem();
    this.keep();
    this.advice = null;
    $("panel-odds").classList.add("waiting");
    this.solutions.hide();
  }
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);
