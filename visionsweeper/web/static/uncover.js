// What a click opens on a minefield that is known: shown at once, before the server has said the rest.

import { COVERED, FLAG } from "./board.js";

const isMine = (field, board, index) => {
  const [row, column] = board.at(index);
  return field[row][column] === "*";
};

/** The tiles that a move clicks on: one, or all around a number that has as many flags around it. */
export function hitBy(board, action, index) {
  if (action === "open") return [index];
  const around = action === "chord" ? board.around(index) : [];
  return around.filter((one) => board.cells[one] === FLAG).length === board.cells[index] ? around : [];
}

/** What opens with these tiles, index -> number, where none of them holds a mine; `field`: rows with * for mines. */
export function uncovered(board, field, tiles) {
  const found = new Map(), left = [...tiles];
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
