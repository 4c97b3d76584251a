// Calls of the server; what goes wrong becomes an ApiError with a message for people.

// The library names options of the command line as remedies: here these are fields of the page.
const FIELDS = { "--width": "columns", "--height": "rows", "--box": "the box", "--mines": "the mine count" };

const forPage = (message) => message.replace(/--(width|height|box|mines)/g, (option) => FIELDS[option]);

export class ApiError extends Error {
  constructor(kind, message, body = null) {
    super(forPage(message));
    this.kind = kind;
    this.body = body;
  }
}

let underWay = 0;

/** For assistive software, and whoever else wants to know: whether the page still waits for something. */
function count(more) {
  underWay += more;
  document.querySelector("main").setAttribute("aria-busy", String(underWay > 0));
}

async function answered(path, options) {
  count(1);
  try {
    return await contentOf(await fetch(`api/${path}`, options));
  } catch (error) {
    if (error.name === "AbortError" || error instanceof ApiError) throw error;
    throw new ApiError("offline", "The server does not answer: is `visionsweeper serve` still running?");
  } finally {
    count(-1);
  }
}

async function contentOf(response) {
  const type = response.headers.get("Content-Type") ?? "";
  if (response.ok) return type.startsWith("application/json") ? response.json() : response.blob();
  const body = type.startsWith("application/json") ? await response.json() : null;
  const error = body?.error ?? { kind: "unexpected", message: `The server answered with ${response.status}.` };
  throw new ApiError(error.kind, error.message, body);
}

export const post = (path, value, signal) =>
  answered(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(value),
    signal,
  });

export const get = (path) => answered(path, {});

/** Send fields and files; null ones are left out, lists are sent as often as they have entries. */
export function send(path, fields, signal) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (value === null || value === undefined) continue;
    if (Array.isArray(value)) value.forEach((one) => form.append(name, one));
    else form.append(name, value);
  }
  return answered(path, { method: "POST", body: form, signal });
}

/** Run one task at a time, the newest last: what was asked for in between is left out. */
export class Latest {
  constructor(task, patience = 400) {
    this.task = task;
    this.patience = patience;
    this.running = null;
    this.waiting = null;
  }

  ask(...what) {
    this.waiting = what;
    const running = this.running;
    if (running === null) this.next();
    // A quick answer is worth waiting for; one that takes long is of no use any more.
    else if (performance.now() - this.since > this.patience) running.abort();
    else setTimeout(() => this.waiting && this.running === running && running.abort(), this.patience);
  }

  async next() {
    while (this.waiting !== null) {
      const what = this.waiting;
      this.waiting = null;
      this.running = new AbortController();
      this.since = performance.now();
      try {
        await this.task(this.running.signal, ...what);
      } catch (error) {
        if (error.name !== "AbortError") console.error(error);
      }
    }
    this.running = null;
  }
}
