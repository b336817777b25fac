'use strict';
// What the harness has set for this process.

let read;

/** Every knob of target.yaml; durations are seconds. */
function knobs() {
  read ??= JSON.parse(process.env.HARNESS_KNOBS);
  return read;
}

/** How many jobs this worker may run at once: HARNESS_CONCURRENCY, else the knob `concurrency`. */
function concurrency() {
  return Number(process.env.HARNESS_CONCURRENCY || knobs().concurrency);
}

/** Milliseconds, as most of Node.js counts, from a knob's seconds; undefined, which is no limit, from 0. */
function milliseconds(seconds) {
  return Math.round(seconds * 1000) || undefined;
}

module.exports = { knobs, concurrency, milliseconds };
