// Where the board is in pictures whose look was learned: such a picture is read again without being asked.

import { keep, kept } from "./settings.js";

const MOST = 200; // pictures

async function digest(file) {
  if (!crypto.subtle) return null; // on plain http from another machine
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", await file.arrayBuffer()));
  return Array.from(bytes.slice(0, 12), (one) => one.toString(16).padStart(2, "0")).join("");
}

/** Remember box and size of the board in a picture. */
export async function remember(file, place) {
  const name = await digest(file);
  if (!name) return;
  const others = kept("learned-pictures", []).filter(([other]) => other !== name);
  keep("learned-pictures", [...others, [name, place]].slice(-MOST));
}

/** Box and size of the board in a picture that was learned; null for others. */
export async function remembered(file) {
  const known = kept("learned-pictures", []);
  if (!known.length) return null;
  const name = await digest(file);
  return known.find(([other]) => other === name)?.[1] ?? null;
}
