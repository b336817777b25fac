'use strict';
// The host's clock, finer than Date.now().

const { performance } = require('node:perf_hooks');

/**
 * Nanoseconds since the epoch, as a string of digits: no number of JavaScript holds so many.
 *
 * Node.js has a wall clock of milliseconds and a fine clock that drifts away from it; the fine one is held within
 * the millisecond that the wall clock shows.
 */
function now() {
  const fine = performance.timeOrigin + performance.now();
  const shown = Date.now();
  const held = Math.min(Math.max(fine, shown), shown + 0.999);
  return `${Math.floor(held * 1000)}000`;
}

module.exports = { now };
