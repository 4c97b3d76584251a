// Coming in: screenshots, files, text, links, empty boards.

import { ApiError, send } from "./api.js";
import { Board, fromLink } from "./board.js";
import { $, h, show } from "./dom.js";
import { readingOf } from "./picture.js";

const MOST_TILES = 100000; // as the server's own limit

const READING = "Reading…";

const NOT_FOUND = {
  no_board: "No board was found in this picture.",
  several_boards: "There are several boards in this picture.",
};

export const isPicture = (file) => file.type.startsWith("image/") || /\.(png|jpe?g|webp|bmp|gif|tiff?)$/i.test(file.name);

export class Intake {
  /** `page` is the Board page. */
  constructor(page) {
    this.page = page;
    this.reading = new AbortController(); // of what is being read
    page.picture.addEventListener("read", ({ detail }) => this.openPicture(page.picture.file, detail));
    for (const id of ["pick-picture", "pick-camera", "pick-file"])
      $(id).addEventListener("change", (event) => {
        const [file] = event.target.files;
        if (file) this.open(file);
        event.target.value = "";
      });
    this.wireDialogs();
  }

  /** Leave what is being read: something else came. */
  stop() {
    this.reading.abort();
    if ($("status").textContent === READING) $("status").textContent = "";
  }

  /** Read something that came in; whatever was being read before is left. */
  async take(task) {
    this.stop();
    this.reading = new AbortController();
    const { signal } = this.reading;
    this.page.clearProblem();
    $("status").textContent = READING;
    document.body.classList.add("busy");
    try {
      await task(signal);
    } catch (error) {
      if (error.name === "AbortError") return;
      $("status").textContent = "";
      this.page.fail(error);
    } finally {
      if (signal === this.reading.signal) document.body.classList.remove("busy");
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
        if (this.page.picture.file !== file) {
          this.page.picture.point(file);
          this.page.checking.reset();
        }
        throw asked.width ? error : new ApiError(error.kind, `${NOT_FOUND[error.kind]} Draw a box around it with the mouse, give its columns and rows, and read again.`);
      }
      const reading = await readingOf(file, found.reading);
      if (signal.aborted) return;
      const board = Board.fromRows(found.board);
      const uncertain = new Set(found.uncertain.map((tile) => board.index(tile)));
      const counted = found.mines_source === "counter" ? found.mines : null;
      const doubt = uncertain.size ? `${uncertain.size} tile${uncertain.size === 1 ? " was" : "s were"} read with doubt: check ${uncertain.size === 1 ? "it" : "them"}` : "every tile was read with confidence";
      this.page.load(board, counted, { uncertain, reading, said: `Found a board of ${board.columns}x${board.rows}; ${doubt}.${counted === null ? "" : ` The counter says ${counted} mine${counted === 1 ? "" : "s"}.`}` });
    });
  }

  openFile(file) {
    return this.take(async (signal) => {
      const read = await send("read-file", { file }, signal);
      this.page.load(Board.fromRows(read.board), read.mines, { said: read.field ? `A minefield of ${read.width}x${read.height} with ${read.mines} mine${read.mines === 1 ? "" : "s"}, all of it known.` : `Loaded a board of ${read.width}x${read.height}.` });
    });
  }

  /** Anything dropped, pasted or chosen. */
  open(file) {
    return isPicture(file) ? this.openPicture(file) : this.openFile(file);
  }

  /** Load the position of the link in a text; false where there is none. Throws where it is broken. */
  openLink(text) {
    const linked = fromLink(text);
    if (!linked) return false;
    this.page.load(linked.board, linked.mines, { said: "Loaded the position of the link.", scope: linked.local ? "local" : "global", trust: linked.trust });
    this.page.link();
    return true;
  }

  wireDialogs() {
    let typed = new AbortController();
    $("text-open").addEventListener("click", () => { show($("text-error"), false); $("text-dialog").showModal(); });
    $("text-dialog").addEventListener("close", () => typed.abort());
    $("text-load").addEventListener("click", async (event) => {
      event.preventDefault();
      typed.abort();
      typed = new AbortController();
      const { signal } = typed;
      try {
        if (!this.openLink($("text-input").value)) {
          const file = new File([$("text-input").value], "typed.txt", { type: "text/plain" });
          const read = await send("read-file", { file }, signal);
          if (signal.aborted) return;
          this.page.load(Board.fromRows(read.board), read.mines, { said: `Loaded a board of ${read.width}x${read.height}.` });
        }
        $("text-dialog").close();
      } catch (error) {
        if (error.name === "AbortError") return;
        $("text-error").textContent = error.message;
        show($("text-error"), true);
      }
    });
    let fresh = true;
    const ask = (empty) => {
      fresh = empty;
      $("size-title").textContent = empty ? "Empty board" : "Resize";
      show($("size-sides"), !empty);
      const board = this.page.store.board;
      $("size-width").value = board.columns;
      $("size-height").value = board.rows;
      $("size-mines").value = this.page.store.state.mines ?? "";
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
      if (fresh) this.page.load(Board.empty(height, width), mines);
      else {
        const { board, uncertain, confirmed, reading } = this.page.store.state;
        const same = board.rows === height && board.columns === width;
        const sides = { top: $("size-top").checked, left: $("size-left").checked };
        const [other, kept] = board.resized(height, width, { ...sides, tiles: uncertain });
        this.page.store.change({ board: other, mines, uncertain: kept, confirmed: same ? confirmed : new Set(), reading: same ? reading : null });
      }
    });
    // The menu that it was opened from is closed.
    $("size-dialog").addEventListener("close", () => { if (!fresh) this.page.grid.focus(); });
    $("size-dialog").addEventListener("input", () => $("size-height").setCustomValidity(""));
  }
}
