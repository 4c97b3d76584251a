// The Board page: a position comes in, is checked and edited, and its odds are shown as it changes.

import { ApiError, Latest, post, send } from "./api.js";
import { Board, COVERED, FLAG, NAMES, STANDARD, fromLink, toLink } from "./board.js";
import { $, copyText, download, h, segmented, show, toast } from "./dom.js";
import { Editor, makePalette } from "./editor.js";
import { Grid, NO_MARKS } from "./grid.js";
import { big, fractionText, gradient } from "./odds.js";
import { Solutions, showAdvice, showTile, showWarnings, tileButton } from "./panels.js";
import { Picture, readingOf } from "./picture.js";
import { Store } from "./store.js";

const MOST_TILES = 100000; // as the server's own limit

const NOT_FOUND = {
  no_board: "No board was found in this picture.",
  several_boards: "There are several boards in this picture.",
};

export class BoardPage {
  constructor() {
    this.store = new Store();
    this.grid = new Grid($("board-holder"), "The board");
    this.editor = new Editor(this.grid, this.store);
    this.picture = new Picture(this.grid);
    this.scope = "global";
    this.form = "percent";
    this.trust = false;
    this.found = null; // odds of the server
    this.advice = null;
    this.ghost = null;
    this.marked = this.pinned = null; // what a step or a component points at
    this.corrected = null; // the correction that look-alikes could follow
    this.question = 0; // changes with everything that odds depend on: answers to older ones are not shown
    this.incoming = new AbortController(); // of the picture or file that is being read
    this.typed = null; // the state that typing a mine count made last
    this.solving = new Latest((signal) => this.solve(signal));
    this.advising = new Latest((signal) => this.advise(signal));
    this.explaining = new Latest((signal) => this.explain(signal));
    this.solutions = new Solutions($("solutions"), {
      position: () => this.position(),
      shown: (drawn) => this.showSolution(drawn),
      failed: (error) => this.fail(error),
    });
    this.wire();
    this.store.addEventListener("change", () => {
      this.changed();
      // The address may hold a position, which this one is no longer.
      if (location.hash) history.replaceState(null, "", location.pathname + location.search);
    });
    this.changed();
  }

  // What is asked of the server

  get mines() {
    const board = this.store.board;
    return this.store.state.mines ?? STANDARD[`${board.columns}x${board.rows}`] ?? null;
  }

  position() {
    return {
      board: this.store.board.toRows(),
      mines: this.store.state.mines,
      trust_flags: this.trust,
      local: this.scope === "local",
    };
  }

  fail(error) {
    if (error.name === "AbortError") return;
    $("problem").textContent = error.message;
    show($("problem"), true);
  }

  changed() {
    this.marked = this.pinned = null;
    this.ghost = null;
    const { board } = this.store.state;
    if (this.shape !== `${board.rows}x${board.columns}`) {
      this.shape = `${board.rows}x${board.columns}`;
      this.grid.resize(board.rows, board.columns);
      this.editor.reset();
    }
    $("undo").disabled = !this.store.past.length;
    $("redo").disabled = !this.store.future.length;
    // What is being typed is left alone; a count that is only assumed is shown, but not as if it were given.
    if ($("mines") !== document.activeElement) $("mines").value = this.store.state.mines ?? "";
    $("mines").placeholder = STANDARD[`${board.columns}x${board.rows}`] ?? "";
    this.picture.show(this.reading);
    this.corrected = null;
    this.found = this.fits(this.found) ? this.found : null;
    this.showCheck();
    this.again();
  }

  /** The screenshot that this very board was read from, or null. */
  get reading() {
    return this.store.state.reading;
  }

  /** Odds of another position are not shown, but those of a tile that did not change do not blink either. */
  fits(found) {
    return found !== null && found.width === this.store.board.columns && found.height === this.store.board.rows;
  }

  async solve(signal) {
    const asked = { ...this.position(), exact: this.form === "fraction", advice: false };
    const question = this.question;
    try {
      const found = await post("solve", asked, signal);
      if (question !== this.question) return;
      this.found = found;
      show($("problem"), false);
      this.showOdds();
      this.advising.ask();
      this.explaining.ask();
    } catch (error) {
      if (error.name === "AbortError" || question !== this.question) return;
      this.found = this.advice = null;
      for (const id of ["summary", "warnings", "mines-note", "best", "tile"]) $(id).replaceChildren();
      this.solutions.reset(null);
      this.render();
      this.fail(error);
      if (error.kind === "busy") setTimeout(() => question === this.question && this.solving.ask(), 1000);
    }
  }

  async advise(signal) {
    const question = this.question;
    let advice = null;
    $("best").classList.add("waiting");
    try {
      if (this.found && !this.found.error)
        ({ advice } = await post("advise", { ...this.position(), first_click: $("first-click").value }, signal));
    } catch (error) {
      if (error.name === "AbortError") return;
    }
    if (question !== this.question) return;
    this.advice = advice;
    $("best").classList.remove("waiting");
    showAdvice($("best"), advice, (tile) => this.go(tile));
    if (!advice) $("best").replaceChildren(h("p", { class: "note" }, "None, as long as there are no odds."));
    this.render();
  }

  async explain(signal) {
    const question = this.question, board = this.store.board, tile = board.at(this.grid.cursor);
    try {
      const found = await post("explain", { ...this.position(), tile }, signal);
      if (question !== this.question) return;
      showTile($("tile"), tile, found, board, { go: (one, keep) => this.go(one, keep), mark: (what, pinned) => this.mark(what, pinned) });
      if (this.tabled !== question) {
        this.tabled = question;
        this.solutions.reset(found.tables);
      }
      const row = found.tables?.tiles.find((one) => one.tile[0] === tile[0] && one.tile[1] === tile[1]);
      this.solutions.chooseFor(row?.component);
    } catch (error) {
      if (error.name === "AbortError" || question !== this.question) return;
      $("tile").replaceChildren(h("p", { class: "note" }, error.message));
    }
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
      component: set(this.marked?.component),
      numbers: set(this.marked?.numbers),
      ghost: this.ghost,
    };
    if (found?.probability && this.form !== "none") marks.odds = this.oddsByTile(found);
    if (found) marks.wrongFlags = new Set(found.safe.map(index).filter((one) => board.cells[one] === FLAG));
    return marks;
  }

  oddsByTile(found) {
    const board = this.store.board, odds = {};
    const sure = new Set([...found.safe, ...found.mine].map((tile) => board.index(tile)));
    found.probability.forEach((row, r) => row.forEach((p, c) => {
      const at = r * board.columns + c;
      if (p === null || (board.cells[at] !== COVERED && board.cells[at] !== FLAG)) return;
      const certain = sure.has(at);
      // A flag that is right needs no figure.
      if (board.cells[at] === FLAG && certain && p > 0.5) return;
      const fraction = found.exact?.[r][c];
      odds[at] = { p, certain, text: this.form === "fraction" && fraction ? fractionText(fraction, this.grid.size >= 34 ? 7 : 5).replace("%", "") : null };
    }));
    // A board too wide to count still has tiles that single numbers settle.
    for (const [tiles, p] of [[found.safe, 0], [found.mine, 1]])
      for (const tile of tiles) if (board.cells[board.index(tile)] === COVERED) odds[board.index(tile)] ??= { p, certain: true, text: null };
    return odds;
  }

  render() {
    this.grid.render(this.store.board, this.marks());
    if (this.reading && this.picture.reading === this.reading) this.picture.mark([this.grid.cursor]);
  }

  showOdds() {
    const { found } = this, board = this.store.board;
    this.render();
    this.grid.element.dataset.ready = "true";
    const covered = board.cells.reduce((sum, code) => sum + (code === COVERED || code === FLAG), 0);
    const summary = $("summary");
    if (found.error) {
      const faults = found.conflict.map((tile) => tileButton(tile, (one) => this.go(one)));
      summary.replaceChildren(h("span", { class: "bad-text" }, `${capital(found.error.message)}.`), " ", ...faults);
    } else {
      const certain = `${found.safe.length} certainly safe, ${found.mine.length} certainly a mine`;
      summary.replaceChildren(`${covered} covered tile${covered === 1 ? "" : "s"}: ${certain}. ${big(found.solutions)} solution${found.solutions === "1" ? "" : "s"}${found.scope === "local" ? " of the tiles next to numbers" : ""}.`);
    }
    showWarnings($("warnings"), found.warnings);
    this.showMines();
    show($("first-label"), covered === board.size);
  }

  showMines() {
    const note = $("mines-note"), range = this.found?.mine_range;
    const source = this.store.state.mines !== null ? "" : this.mines === null ? "unknown" : "standard for the size";
    const fits = range ? (range[0] === range[1] ? `${range[0]} fit` : `${range[0]} to ${range[1]} fit`) : "";
    note.replaceChildren([source, fits].filter(Boolean).join(" · "));
    const wrong = range && this.mines !== null && (this.mines < range[0] || this.mines > range[1]) && this.scope === "global";
    $("mines").classList.toggle("bad", Boolean(wrong));
    if (wrong) {
      const nearest = Math.min(Math.max(this.mines, range[0]), range[1]);
      note.append(" ", h("button", { class: "small", onclick: () => this.store.change({ mines: nearest }) }, `take ${nearest}`));
    }
  }

  showLegend() {
    $("legend").replaceChildren(
      h("span", { class: "key" }, h("i", { class: "tile sure-safe covered" }, "0"), " safe"),
      h("span", { class: "key" }, h("i", { class: "scale", style: { background: gradient() } }), " chance of a mine in %, 0 to 100"),
      h("span", { class: "key" }, h("i", { class: "tile sure-mine covered" }, "100"), " mine"),
      h("span", { class: "key" }, h("i", { class: "tile covered best" }), " best next"),
      h("span", { class: "key" }, h("i", { class: "tile covered runners" }), " runner-up"),
      h("span", { class: "key" }, h("i", { class: "tile covered uncertain" }), " read with doubt"),
      h("span", { class: "key" }, h("i", { class: "tile opened conflict" }, "5"), " cannot be"),
    );
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

  // Coming in

  load(board, mines, { uncertain = new Set(), said = "", scope = "global", trust = false, reading = null } = {}) {
    this.incoming.abort(); // what else is being read comes too late
    if (!reading && this.picture.shown) this.picture.putAway();
    this.scope = scope;
    this.chooseScope(scope);
    this.trust = $("trust").checked = trust;
    this.store.change({ board, mines, uncertain, reading });
    this.editor.reset();
    this.editor.select(uncertain.size ? Math.min(...uncertain) : 0, false, uncertain.size > 0);
    $("status").textContent = said;
  }

  /** Read something that came in; whatever was being read before is left. */
  async take(task) {
    this.incoming.abort();
    this.incoming = new AbortController();
    const { signal } = this.incoming;
    show($("problem"), false);
    $("status").textContent = "Reading…";
    document.body.classList.add("busy");
    try {
      await task(signal);
    } catch (error) {
      if (error.name === "AbortError") return;
      $("status").textContent = "";
      this.fail(error);
    } finally {
      if (signal === this.incoming.signal) document.body.classList.remove("busy");
    }
  }

  openPicture(file, asked = {}) {
    return this.take(async (signal) => {
      let found;
      try {
        found = await send("parse", { image: file, details: "true", ...asked }, signal);
      } catch (error) {
        if (!["no_board", "several_boards"].includes(error.kind)) throw error;
        // The board can still be pointed out by hand.
        if (this.picture.file !== file) this.picture.point(file);
        throw asked.width ? error : new ApiError(error.kind, `${NOT_FOUND[error.kind]} Draw the box around it, give its columns and rows, and read again.`);
      }
      const reading = await readingOf(file, found.reading);
      if (signal.aborted) return;
      const board = Board.fromRows(found.board);
      const uncertain = new Set(found.uncertain.map((tile) => board.index(tile)));
      const counted = found.mines_source === "counter" ? found.mines : null;
      const doubt = uncertain.size ? `${uncertain.size} tile${uncertain.size === 1 ? " was" : "s were"} read with doubt: check ${uncertain.size === 1 ? "it" : "them"}` : "every tile was read surely";
      this.load(board, counted, { uncertain, reading, said: `Found a board of ${board.columns}x${board.rows}; ${doubt}.${counted === null ? "" : ` The counter says ${counted} mines.`}` });
    });
  }

  openFile(file) {
    return this.take(async (signal) => {
      const read = await send("read-file", { file }, signal);
      this.load(Board.fromRows(read.board), read.mines, { said: read.whole ? `A minefield of ${read.width}x${read.height} with ${read.mines} mines, all of it known.` : `Loaded a board of ${read.width}x${read.height}.` });
    });
  }

  /** Anything dropped, pasted or chosen. */
  open(file) {
    return file.type.startsWith("image/") || /\.(png|jpe?g|webp|bmp|gif|tiff?)$/i.test(file.name) ? this.openPicture(file) : this.openFile(file);
  }

  openLink() {
    try {
      const linked = fromLink(location.hash);
      if (linked) this.load(linked.board, linked.mines, { said: "Loaded the position of the link.", scope: linked.local ? "local" : "global", trust: linked.trust });
      return linked !== null;
    } catch (error) {
      this.fail(error);
      return false;
    }
  }

  // Checking

  showCheck() {
    const left = this.store.state.uncertain.size;
    show($("check"), this.reading !== null);
    $("check-text").textContent = left ? `${left} uncertain tile${left === 1 ? "" : "s"} left` : "No uncertain tile left";
    $("check-next").disabled = !left;
    $("check").classList.toggle("doubt", left > 0);
    const others = this.lookAlikes();
    show($("alike"), others.length > 0);
    if (others.length) $("alike").textContent = `Make ${others.length} look-alike${others.length === 1 ? "" : "s"} ${NAMES[this.corrected.code]} too (Enter)`;
  }

  /** The next uncertain tile after the cursor (or before it); null after the last one. */
  nextUncertain(step, around = false) {
    const list = [...this.store.state.uncertain].sort((a, b) => a - b);
    if (!list.length) return null;
    const at = this.grid.cursor;
    const next = step > 0 ? list.find((one) => one > at) : list.findLast((one) => one < at);
    return next ?? (around ? list.at(step > 0 ? 0 : -1) : null);
  }

  /** Tiles that look like the one that was put right last and are not yet what it is. */
  lookAlikes() {
    const groups = this.reading?.groups;
    if (!this.corrected || !groups) return [];
    const group = groups[this.corrected.index];
    return groups.flatMap((one, at) => (one === group && this.store.board.cells[at] !== this.corrected.code ? [at] : []));
  }

  correctAlike() {
    const others = this.lookAlikes();
    if (!others.length) return;
    this.store.set(others, this.corrected.code);
    toast(`${others.length} look-alike${others.length === 1 ? "" : "s"} put right`);
  }

  confirm() {
    const uncertain = new Set(this.store.state.uncertain);
    this.editor.selection.forEach((index) => uncertain.delete(index));
    if (uncertain.size !== this.store.state.uncertain.size) this.store.change({ uncertain });
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Tab" && this.store.state.uncertain.size) {
      const next = this.nextUncertain(event.shiftKey ? -1 : 1);
      if (next === null) return; // on to the next control
      this.editor.select(next, false, true);
    } else if (event.key === "Enter" && this.lookAlikes().length) this.correctAlike();
    else if (event.key === " ") this.confirm();
    else if (event.key === "[" || event.key === "]") this.solutions.step(event.key === "]" ? 1 : -1);
    else if (event.key === "r" || event.key === "R") this.solutions.go(null);
    else if (event.key === "Escape" && this.ghost) this.solutions.hide();
    else return;
    event.preventDefault();
  }

  // Going out

  get name() {
    return (this.reading?.name ?? "board").replace(/\.[^.]*$/, "");
  }

  async exportPicture() {
    const fields = { board: this.store.board.toString(), mines: this.mines, trust_flags: String(this.trust), local: String(this.scope === "local") };
    if (this.reading) Object.assign(fields, { image: this.reading.file, x: this.reading.x, y: this.reading.y });
    download(`${this.name}.solved.png`, await send("picture", fields));
  }

  async exportFile() {
    const kind = $("export-kind").value;
    const suffix = { text: ".txt", jsminesweeper: ".mine", mbf: ".mbf", abf: ".abf" }[kind];
    download(this.name + suffix, await post("write-file", { board: this.store.board.toRows(), mines: this.mines, kind }));
  }

  async exportJson() {
    const found = await post("solve", { ...this.position(), exact: true });
    download(`${this.name}.json`, new Blob([JSON.stringify(found, null, 1)], { type: "application/json" }));
  }

  copyLink() {
    const link = toLink(this.store.board, this.store.state.mines, { local: this.scope === "local", trust: this.trust });
    history.replaceState(null, "", link);
    return copyText(location.href, "Link copied: it holds the whole position");
  }

  // Learning

  /** Without a name the theme is called after the file, or the look adds to the theme it resembles. */
  async learn(name) {
    const reading = this.reading;
    show($("problem"), false);
    $("status").textContent = "Learning…";
    try {
      const box = [reading.x[0], reading.y[0], reading.x.at(-1), reading.y.at(-1)].map((edge) => Math.max(edge, 0)).join(",");
      const found = await send("learn", { image: reading.file, board: this.store.board.toString(), theme: name || null, box });
      $("status").replaceChildren(...[...found.report, ...found.warnings].map((line) => h("span", { class: "line-text" }, `${line}. `)),
        h("button", { class: "small", onclick: async () => {
          try {
            const { undone } = await post("unlearn", {});
            $("status").textContent = `Taken back: ${undone}`;
          } catch (error) { this.fail(error); }
        } }, "Take that back"));
    } catch (error) {
      $("status").textContent = "";
      this.fail(error);
    }
  }

  // Wiring

  wire() {
    const { store, editor, picture } = this;
    makePalette($("palette"), editor);
    segmented(document.querySelectorAll("[data-tool]"), "tool", (tool) => {
      editor.tool = tool;
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
    $("mines").addEventListener("blur", () => {
      this.typed = null;
      $("mines").value = store.state.mines ?? "";
    });
    editor.addEventListener("select", () => {
      this.marked = this.pinned = null;
      this.render();
      this.explaining.ask();
    });
    editor.addEventListener("set", ({ detail }) => {
      if (detail.tiles.length !== 1 || !this.reading) return;
      this.corrected = { index: detail.tiles[0], code: store.board.cells[detail.tiles[0]] };
      this.showCheck();
    });
    // Before the editor's own keys, which would take some of them.
    this.grid.element.addEventListener("keydown", (event) => this.key(event), { capture: true });
    picture.addEventListener("read", ({ detail }) => this.openPicture(picture.file, detail));
    picture.addEventListener("close", () => (this.reading ? store.change({ reading: null, uncertain: new Set() }) : picture.putAway()));
    picture.addEventListener("mode", () => this.render());
    picture.addEventListener("tile", ({ detail }) => this.editor.select(detail, false, true));
    const failing = (task) => async () => { try { await task(); } catch (error) { this.fail(error); } };
    const on = { "undo": () => store.undo(), "redo": () => store.redo(), "copy": () => editor.copy(), "cut": () => editor.cut(),
      "paste": failing(async () => (navigator.clipboard?.readText ? editor.paste(await navigator.clipboard.readText()) : toast("Press Ctrl+V on the board"))), "select-all": () => editor.selectAll(), "clear": () => editor.clear(),
      "check-next": () => { const next = this.nextUncertain(1, true); if (next !== null) editor.select(next, false, true); },
      "alike": () => this.correctAlike(),
      "export-png": failing(() => this.exportPicture()), "export-file": failing(() => this.exportFile()), "export-json": failing(() => this.exportJson()),
      "export-copy": () => copyText(store.board.toString(), "Board copied as text"), "export-link": () => this.copyLink() };
    for (const [id, task] of Object.entries(on)) $(id).addEventListener("click", task);
    for (const id of ["pick-picture", "pick-camera", "pick-file"])
      $(id).addEventListener("change", (event) => {
        const [file] = event.target.files;
        if (file) this.open(file);
        event.target.value = "";
      });
    this.wireDialogs();
  }

  /** Something that the odds depend on has changed: ask for them. */
  again() {
    this.question++;
    this.advice = null;
    this.solutions.hide();
    this.solving.ask();
  }

  wireDialogs() {
    $("text-open").addEventListener("click", () => { show($("text-error"), false); $("text-dialog").showModal(); });
    $("text-load").addEventListener("click", async (event) => {
      event.preventDefault();
      try {
        this.incoming.abort();
        const read = await send("read-file", { file: new File([$("text-input").value], "typed.txt", { type: "text/plain" }) });
        this.load(Board.fromRows(read.board), read.mines, { said: `Loaded a board of ${read.width}x${read.height}.` });
        $("text-dialog").close();
      } catch (error) {
        $("text-error").textContent = error.message;
        show($("text-error"), true);
      }
    });
    let fresh = true;
    const ask = (empty) => {
      fresh = empty;
      const board = this.store.board;
      $("size-width").value = board.columns;
      $("size-height").value = board.rows;
      $("size-mines").value = this.store.state.mines ?? "";
      $("size-dialog").showModal();
    };
    $("new-open").addEventListener("click", () => ask(true));
    $("resize-open").addEventListener("click", () => ask(false));
    $("size-presets").append(...[[9, 9, 10], [16, 16, 40], [30, 16, 99]].map(([width, height, mines]) =>
      h("button", { type: "button", onclick: () => {
        $("size-width").value = width;
        $("size-height").value = height;
        $("size-mines").value = mines;
      } }, `${width}x${height}, ${mines}`)));
    $("size-ok").addEventListener("click", (event) => {
      const width = Number($("size-width").value), height = Number($("size-height").value);
      const tooMany = width * height > MOST_TILES;
      $("size-height").setCustomValidity(tooMany ? `At most ${MOST_TILES} tiles in all` : "");
      if (!$("size-dialog").querySelector("form").reportValidity()) return event.preventDefault();
      const mines = $("size-mines").value === "" ? null : Number($("size-mines").value);
      if (fresh) this.load(Board.empty(height, width), mines);
      else {
        const { board, uncertain, reading } = this.store.state;
        const same = board.rows === height && board.columns === width;
        const kept = same ? uncertain : board.moved(uncertain, height, width);
        this.store.change({ board: board.resized(height, width), mines, uncertain: kept, reading: same ? reading : null });
      }
    });
    $("size-dialog").addEventListener("input", () => $("size-height").setCustomValidity(""));
    $("learn-open").addEventListener("click", () => $("learn-dialog").showModal());
    $("learn-ok").addEventListener("click", () => this.learn($("learn-name").value.trim()));
    $("learn-now").addEventListener("click", () => this.learn(""));
  }
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);
