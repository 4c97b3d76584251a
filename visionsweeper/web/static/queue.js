// Who waits because the server is busy sees the place in line, and how far a long task is.

import { $, show } from "./dom.js";

const PATIENCE = 1500, AGAIN = 1000; // ms

let tickets = 0;
const own = Math.random().toString(36).slice(2);
const places = new Map(); // ticket -> place

/** A name for a request, by which its place can be asked for. */
export const newTicket = () => `${own}-${++tickets}`;

function tell() {
  const place = Math.min(...places.values());
  show($("queue"), places.size > 0);
  if (places.size) $("queue").textContent = `The server is busy. Your place in line: ${place}`;
}

/** Show the place of a request for as long as it waits, and tell how much of it is done; gives a function that ends this. */
export function watchPlace(ticket, told) {
  let over = false;
  const look = async () => {
    const answer = await fetch(`api/place?ticket=${ticket}`).catch(() => null);
    const { place, done } = answer?.ok ? await answer.json() : { place: null, done: null };
    if (over) return;
    if (done !== null) told?.(done);
    if (place) places.set(ticket, place);
    else places.delete(ticket);
    tell();
    timer = setTimeout(look, AGAIN);
  };
  let timer = setTimeout(look, PATIENCE);
  return () => {
    over = true;
    clearTimeout(timer);
    if (places.delete(ticket)) tell();
  };
}
