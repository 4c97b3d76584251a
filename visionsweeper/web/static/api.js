// Calls of the server; what goes wrong becomes an ApiError with a message for people.

import { newTicket, watchPlace } from "./queue.js";

// The library names options of the command line as remedies: here these are fields of the page.
const FIELDS = { "--width": "columns", "--height": "rows", "--box": "the box", "--mines": "the mine count", "--name": "name (Learn as…)" };

const forPage = (message) => message.replace(/--(width|height|box|mines|name)/g, (option) => FIELDS[option]);

export class ApiError extends Error {
  constructor(kind, message) {
    super(message);
    this.kind = kind;
  }
}

let underWay = 0;

/** For assistive software, and whoever else wants to know: whether the page still waits for something. */
function count(more) {
  underWay += more;
  document.querySelector("main").setAttribute("aria-busy", String(underWay > 0));
}

async function answered(path, options, told) {
  count(1);
  const ticket = newTicket(), ended = watchPlace(ticket, told);
  try {
    return await contentOf(await fetch(`api/${path}`, { ...options, headers: { ...options.headers, "X-Ticket": ticket } }));
  } catch (error) {
    if (error.name === "AbortError" || error instanceof ApiError) throw error;
    throw new ApiError("offline", "The server does not answer: is `visionsweeper serve` still running?");
  } finally {
    ended();
    count(-1);
  }
}

async function contentOf(response) {
  const type = response.headers.get("Content-Type") ?? "";
  if (response.ok && !type.startsWith("application/json")) return response.blob();
  const body = type.startsWith("application/json") ? await response.json() : null;
  if (body?.error) body.error.message = forPage(body.error.message);
  if (body?.warnings) body.warnings = body.warnings.map(forPage);
  if (response.ok) return body;
  throw Object.assign(new ApiError(body?.error?.kind ?? "unexpected", body?.error?.message ?? `The server answered with ${response.status}.`), { boards: body?.error?.boards?.map(({ box }) => box) });
}

export const post = (path, value, signal) =>
  answered(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(value),
    signal,
  });

export const get = (path) => answered(path, {});

/** A box as the server takes it. */
export const boxText = (box) => box.map((edge) => edge.toFixed(2)).join(",");

/** Send fields and files; null ones are left out. `told` gets how much of a long task is done, 0 to 1. */
export function send(path, fields, signal, told) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) if (value !== null && value !== undefined) form.append(name, value);
  return answered(path, { method: "POST", body: form, signal }, told);
}

/** Run a task once at a time, and once more if it was asked for meanwhile, however often. */
export class Latest {
  constructor(task, patience = 400) {
    this.task = task;
    this.patience = patience;
    this.running = null;
    this.waiting = false;
  }

  ask() {
    this.waiting = true;
    const running = this.running;
    if (running === null) {
      // All that one event asks for is one task.
      this.running = new AbortController();
      this.since = performance.now();
      queueMicrotask(() => this.next());
    }
    // A quick answer is worth waiting for; one that takes long is of no use any more.
    else if (performance.now() - this.since > this.patience) running.abort();
    else setTimeout(() => this.waiting && this.running === running && running.abort(), this.patience);
  }

  /** Leave the task that is running. */
  stop() {
    this.running?.abort();
  }

  async next() {
    while (this.waiting) {
      this.waiting = false;
      this.running = new AbortController();
      this.since = performance.now();
      try {
        await this.task(this.running.signal);
      } catch (error) {
        if (error.name !== "AbortError") console.error(error);
      }
    }
    this.running = null;
  }
}
