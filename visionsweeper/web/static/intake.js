// Coming in: screenshots, files, text, links, empty boards.

import { ApiError, send } from "./api.js";
import { Board, fromLink, MOST_TILES } from "./board.js";
import { isPicture, prepared, refuseOthers } from "./decoding.js";
import { $, h, show } from "./dom.js";
import { isAnimation } from "./gif.js";
import { readingOf } from "./picture.js";
import { remembered } from "./remembered.js";
import { isReplay } from "./replay.js";
import { gamesOf, isVideo, videoText } from "./video.js";
import { Work } from "./work.js";

const READING = "Reading…", READING_VIDEO = "Reading the video…";

const NOT_FOUND = {
  no_board: "No board was found in this picture. Draw a box around it with the mouse: it is read at once. If you know its columns and rows, give them too.",
  no_board_in_box: "No board was found in this box. Draw it around the whole board, or give its columns and rows too.",
  several_boards: "There are several boards in this picture: click the one to read.",
};

/** What came of reading a picture; contradictions are told where they are found, with the odds. */
function readingText(board, doubts, counted) {
  const doubt = doubts ? `; ${doubts} tile${doubts === 1 ? " is" : "s are"} in doubt.` : ".";
  return `Read a board of ${board.columns}x${board.rows}${doubt}${counted === null ? "" : ` The counter says ${counted} mine${counted === 1 ? "" : "s"}.`}`;
}

export class Intake {
  /** `page` is the Board page. */
  constructor(page) {
    this.page = page;
    this.reading = new AbortController(); // of what is being read
    this.work = new Work($("work"));
    page.picture.boxing.addEventListener("read", ({ detail }) => this.readPicture(page.picture.file, detail));
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
    if ([READING, READING_VIDEO].includes($("status").textContent)) $("status").textContent = "";
  }

  cancel() {
    this.stop();
    $("status").textContent = "Cancelled.";
  }

  /** Read something that came in; whatever was being read before is left. */
  async take(task) {
    this.stop();
    this.reading = new AbortController();
    const { signal } = this.reading;
    this.page.clearProblem();
    $("status").textContent = READING;
    document.body.classList.add("busy");
    this.work.begin(() => this.cancel());
    try {
      await task(signal);
    } catch (error) {
      if (error.name === "AbortError") return;
      $("status").textContent = "";
      this.page.fail(error);
    } finally {
      if (signal === this.reading.signal) {
        document.body.classList.remove("busy");
        this.work.end();
      }
    }
  }

  /** Read a picture that came in, as it is or as this browser decodes it. */
  async openPicture(file, signal) {
    const picture = await prepared(file);
    const place = await remembered(picture);
    if (!signal.aborted) await this.readInto(picture, place ?? {}, signal);
  }

  /** Read a picture that is shown once more; `asked`: box, width, height, and what to ask `otherwise`. */
  readPicture(file, asked) {
    return this.take((signal) => this.readInto(file, asked, signal));
  }

  async readInto(file, { otherwise = null, ...asked }, signal) {
    let found;
    try {
      found = await send("parse", { image: file, details: "true", ...asked }, signal);
    } catch (error) {
      if (!["no_board", "several_boards"].includes(error.kind)) throw error;
      if (otherwise) return this.readInto(file, otherwise, signal);
      throw this.pointOut(file, asked, error);
    }
    const reading = await readingOf(file, found.reading);
    reading.continues = found.continues;
    if (signal.aborted) return;
    const board = Board.fromRows(found.board);
    const uncertain = new Set(found.uncertain.map((tile) => board.index(tile)));
    const counted = found.mines_source === "counter" ? found.mines : null;
    this.page.load(board, counted, { uncertain, reading, said: readingText(board, uncertain.size, counted) });
  }

  /** Let the board be pointed out by hand; the error to tell. */
  pointOut(file, asked, error) {
    const { picture, checking } = this.page, boards = error.boards ?? [];
    if (picture.file !== file || boards.length) {
      picture.point(file, boards);
      checking.reset();
    }
    if (asked.width || asked.height) return error;
    return new ApiError(error.kind, NOT_FOUND[asked.box && !boards.length ? "no_board_in_box" : error.kind]);
  }

  async readFile(file, signal) {
    const read = await send("read-file", { file }, signal);
    this.page.load(Board.fromRows(read.board), read.mines, { said: read.field ? `A minefield of ${read.width}x${read.height} with ${read.mines} mine${read.mines === 1 ? "" : "s"}, all of it known.` : `Loaded a board of ${read.width}x${read.height}.` });
  }

  /** Read a recording: the games in it become replays. */
  async readVideo(file, signal) {
    $("status").textContent = READING_VIDEO;
    const found = await gamesOf(file, signal, (part) => this.work.tell(part));
    if (signal.aborted) return;
    const { page } = this, [first] = found.games, moved = found.games.some(({ boards }) => boards.length > 1);
    if (!moved && isPicture(file)) return this.openPicture(file, signal); // something else moves in it
    if (moved) page.replay.startGames(found.games, file.name.replace(/\.[^.]*$/, ""));
    else {
      const board = Board.fromRows(first.boards[0]);
      page.load(board, first.mines, { uncertain: new Set(first.uncertain[0].map((tile) => board.index(tile))) });
    }
    $("status").textContent = videoText(found);
  }

  /** Anything dropped, pasted or chosen. */
  open(file) {
    return this.take(async (signal) => {
      if (isVideo(file) || (await isAnimation(file))) return this.readVideo(file, signal);
      if (isPicture(file)) return this.openPicture(file, signal);
      refuseOthers(file);
      if (!isReplay(file)) return this.readFile(file, signal);
      await this.page.replay.open(file, signal);
    });
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
      if (fresh) this.page.load(Board.empty(height, width), mines, { focus: true });
      else {
        const { board, uncertain, confirmed, reading } = this.page.store.state;
        const same = board.rows === height && board.columns === width;
        const sides = { top: $("size-top").checked, left: $("size-left").checked };
        const [other, kept] = board.resized(height, width, { ...sides, tiles: uncertain });
        this.page.store.change({ board: other, mines, uncertain: kept, confirmed: same ? confirmed : new Set(), reading: same ? reading : null });
      }
    });
    // The menu that it was opened from is closed.
    $("size-dialog").addEventListener("close", () => this.page.grid.focus());
    $("size-dialog").addEventListener("input", () => $("size-height").setCustomValidity(""));
  }
}
