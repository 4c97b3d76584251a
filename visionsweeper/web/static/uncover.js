// What a click opens on a minefield that is known: shown at once, before the server has said the rest.

import { COVERED } from "./board.js";

const isMine = (field, board, index) => {
  const [row, column] = board.at(index);
  return field[row][column] === "*";
};

/** The covered tiles that open with one that holds no mine, with their numbers; `field`: rows with * for mines. */
export function uncovered(board, field, index) {
  const found = new Map(), left = [index];
  while (left.length) {
    const at = left.pop();
    if (found.has(at) || board.cells[at] !== COVERED) continue;
    if (isMine(field, board, at)) return new Map(); // only the server says how a game is lost
    const around = board.around(at), mines = around.filter((one) => isMine(field, board, one)).length;
    found.set(at, mines);
    if (!mines) left.push(...around);
  }
  return found;
}
