// The clock of a game, which a reload stops and goes on with.

export class Clock {
  constructor() {
    this.reset();
  }

  reset() {
    this.passed = 0; // ms, before it was started last
    this.since = null;
  }

  get started() {
    return this.since !== null || this.passed > 0;
  }

  /** `at` as performance.now() has it. */
  start(at = performance.now()) {
    this.since ??= at;
  }

  stop(at = performance.now()) {
    if (this.since !== null) this.passed += Math.max(at - this.since, 0);
    this.since = null;
  }

  get seconds() {
    return this.secondsAt(performance.now());
  }

  /** What it showed at a moment since it was started last. */
  secondsAt(moment) {
    return (this.passed + (this.since === null ? 0 : Math.max(moment - this.since, 0))) / 1000;
  }

  /** Begin with what had passed, running or not. */
  restore(seconds, running) {
    this.passed = seconds * 1000;
    this.since = running ? performance.now() : null;
  }
}
