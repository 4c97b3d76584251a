// The position that is edited, with everything before and after it.

import { Board } from "./board.js";

const MOST_STEPS = 1000;

/**
 * States are never changed. `mines` is null when not given, `reading` the screenshot that the board was read from
 * (see Picture), or null; `confirmed` are tiles that a person has set or found right; `scope` and `trust` are as they were when the position was loaded, which `loaded` counts.
 */
export class Store extends EventTarget {
  /** `mines` of `board` at the start. */
  constructor(board = Board.empty(9, 9), mines = null) {
    super();
    this.state = { board, mines, uncertain: new Set(), confirmed: new Set(), reading: null, scope: "global", trust: false, loaded: 0 };
    this.past = [];
    this.future = [];
    this.locked = null; // a mine count that nothing changes
  }

  /** Keep this mine count, whatever is loaded, edited or undone; null: no more. */
  lock(mines) {
    this.locked = mines;
    this.put(this.state);
  }

  get board() {
    return this.state.board;
  }

  /** Change the position; the step can be undone. `joined` makes it a part of the step before. */
  change(part, joined = false) {
    if (!joined) this.past.push(this.state);
    if (this.past.length > MOST_STEPS) this.past.shift();
    this.future = [];
    this.put({ ...this.state, ...part });
  }

  /**
   * Set tiles: a Map of index -> code, or indices and one code. What was set is no longer in doubt; `seen`: somebody
   * has looked at each of them.
   */
  set(tiles, code, { joined = false, seen = true } = {}) {
    const list = [...(code === undefined ? tiles.keys() : tiles)];
    const board = this.board.with(tiles, code);
    const doubted = list.some((index) => this.state.uncertain.has(index));
    const confirmed = seen ? this.withConfirmed(list) : this.state.confirmed;
    if (!doubted && board.cells.every((one, index) => one === this.board.cells[index])) return void (seen && this.confirm(list));
    const uncertain = doubted ? new Set(this.state.uncertain) : this.state.uncertain;
    if (doubted) list.forEach((index) => uncertain.delete(index));
    this.change({ board, uncertain, confirmed }, joined);
  }

  /** Note that somebody has looked at these tiles; nothing that is shown follows from it, so it is no step. */
  confirm(tiles) {
    this.state = { ...this.state, confirmed: this.withConfirmed(tiles) };
  }

  /** Only of a board that was read does it matter, and large sets are not made for nothing. */
  withConfirmed(tiles) {
    const { confirmed, reading } = this.state, more = reading ? [...tiles].filter((index) => !confirmed.has(index)) : [];
    return more.length ? new Set([...confirmed, ...more]) : confirmed;
  }

  put(state) {
    this.state = this.locked === null ? state : { ...state, mines: this.locked };
    this.dispatchEvent(new Event("change"));
  }

  undo() {
    if (!this.past.length) return false;
    this.future.push(this.state);
    this.put(this.past.pop());
    return true;
  }

  redo() {
    if (!this.future.length) return false;
    this.past.push(this.state);
    this.put(this.future.pop());
    return true;
  }
}
