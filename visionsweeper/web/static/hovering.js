// A digit sets the covered tile that the mouse is on, without a click.

import { COVERED, KEYS } from "./board.js";
import { $, typing } from "./dom.js";

/** Let digits go to the tile under the mouse; `page` is the Board page. */
export function setByHovering(page) {
  const { editor, grid, store } = page;
  let hovered = null;
  // A mouse that merely rests somewhere takes no keys: it has to be moved after the last tile was chosen.
  grid.element.addEventListener("pointermove", (event) => { hovered = event.pointerType === "mouse" && !event.buttons ? grid.indexOf(event) : null; });
  grid.element.addEventListener("pointerleave", () => { hovered = null; });
  editor.addEventListener("select", () => { hovered = null; });

  const wanted = () => hovered !== null && store.board.cells[hovered] === COVERED
    && editor.selection.size === 1 && !store.state.uncertain.size; // who checks a reading goes from doubt to doubt by keys
  document.addEventListener("keydown", (event) => {
    if (!/^[0-8]$/.test(event.key) || event.ctrlKey || event.metaKey || event.altKey || !wanted()) return;
    if ($("page-board").hidden || typing(event) || document.querySelector("dialog[open]")) return;
    editor.select(hovered, false, true);
    editor.put(KEYS[event.key]);
    event.preventDefault();
    event.stopPropagation(); // the board would take it for the tile that was chosen before
  }, { capture: true });
}
