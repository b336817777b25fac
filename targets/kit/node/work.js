'use strict';
// What a job asks of its handler before the effect: to wait, to compute, to fail.

const { setTimeout: sleep } = require('node:timers/promises');
const { knobs } = require('./knobs');

const TRANSIENT_ATTEMPTS = 2;

/** No retry can help. */
class Permanent extends Error {
  name = 'Permanent';
}

/** Nobody has said whether a retry can help. */
class Unclassified extends Error {
  name = 'Unclassified';
}

/** A retry will help. */
class Transient extends Error {
  name = 'Transient';
}

/** Wait for `work` seconds, compute for `busy`, and fail if the job is `poison`. */
async function work(job, attempt) {
  if (job.work) await sleep(job.work * 1000);
  compute(job.busy ?? 0);
  fail(job, attempt);
}

/** Hold the event loop. */
function compute(seconds) {
  const until = performance.now() + seconds * 1000;
  while (performance.now() < until);
}

function fail({ key, poison }, attempt) {
  if (poison === 'permanent') throw new Permanent(`${key} cannot be done`);
  if (poison === 'unknown') throw new Unclassified(`something is wrong with ${key}`);
  if (poison === 'transient' && attempt <= TRANSIENT_ATTEMPTS) throw new Transient(`${key} cannot be done yet`);
}

/** Whether the error ends the job at once, where the knob `classify` asks for that. */
function isPermanent(error) {
  return error.name === 'Permanent' && knobs().classify === true;
}

module.exports = { work, isPermanent };
