// What can stand on a tile, as far as the numbers and the mine count allow.

import { post } from "./api.js";
import { COVERED, FLAG, MINE, SAFE } from "./board.js";

export class Legal {
  /** `page` is the Board page. */
  constructor(page) {
    this.page = page;
  }

  /** Whether a board can be; where the one before cannot either, all that may mend it is allowed. */
  async allows(board) {
    const before = this.page.store.board;
    return (await this.holds(board)) || !(await this.holds(before));
  }

  async holds(board) {
    return !(await post("solve", { ...this.page.position(), board: board.toRows(), advice: false })).error;
  }

  /** The codes that a tile can have; all where that is not known. */
  async codes(index, signal) {
    const board = this.page.store.board.with([index], COVERED);
    const { outcomes } = await post("explain", { ...this.page.position(), board: board.toRows(), tile: board.at(index) }, signal);
    const can = (chance) => Boolean(chance) && !chance.startsWith("0/");
    const numbers = [0, 1, 2, 3, 4, 5, 6, 7, 8].filter((number) => !outcomes || can(outcomes[number]));
    return new Set([COVERED, FLAG, ...numbers, ...(numbers.length ? [SAFE] : []), ...(!outcomes || can(outcomes.mine) ? [MINE] : [])]);
  }
}
