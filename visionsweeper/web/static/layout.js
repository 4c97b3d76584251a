// How large tiles are, and where screenshot and board go: whatever makes them largest.

export const RULER = { left: 32, top: 22 }; // px, the numbers of rows and columns beside the board
const GAP = 16; // px between screenshot and board
export const MOST = 64; // px, the largest tile
const LEAST = 16, LEAST_TOUCHED = 22; // px, the smallest tile that is not scrolled to
const SNUG = 19; // px, the smallest tile where a smaller one saves scrolling sideways
const NARROW = 500; // px: rooms in which fingers are at work

/** The room in which a board can be drawn, px: what the window has from this element's top on. */
export function roomOf(element, below = 44) {
  const top = element.getBoundingClientRect().top + window.scrollY;
  return { width: element.clientWidth, height: Math.max(window.innerHeight - Math.max(top, 0) - below, 220) };
}

const smallest = (room) => (room.width < NARROW ? LEAST_TOUCHED : LEAST);

/** The size of the square tiles of a board of so many columns and rows alone. */
export function alone({ columns, rows, ruled = true, most = MOST, least = smallest }, room, zoom = 1) {
  const across = (room.width - (ruled ? RULER.left : 4)) / columns;
  const down = (room.height - (ruled ? RULER.top : 4)) / rows;
  const lowest = across < SNUG ? least(room) : Math.min(least(room), Math.floor(across));
  return scaled(Math.min(across, down), lowest, most, zoom);
}

/** The same beside or below its screenshot, `viewed` columns and rows of which are shown. */
export function together({ columns, rows, ratio, viewed }, room, zoom = 1) {
  const beside = Math.min(
    (room.width - GAP - RULER.left) / (columns + viewed.columns),
    (room.height - RULER.top) / (Math.max(rows, viewed.rows) * ratio));
  const below = Math.min(
    (room.width - RULER.left) / Math.max(columns, viewed.columns),
    (room.height - GAP - RULER.top) / ((rows + viewed.rows) * ratio));
  const stacked = room.width < NARROW || below > beside;
  const across = (room.width - RULER.left) / Math.max(columns, viewed.columns);
  return { size: scaled(room.width < NARROW ? across : Math.max(beside, below), smallest(room), MOST, zoom), below: stacked };
}

function scaled(size, least, most, zoom) {
  return Math.max(Math.round(Math.min(Math.max(Math.floor(size), least), most) * zoom), 8);
}
