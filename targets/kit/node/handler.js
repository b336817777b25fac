'use strict';
// The handler of every target: the work that a job asks for, then its effect, once.

const { randomUUID } = require('node:crypto');
const { knobs } = require('./knobs');
const { work } = require('./work');
const { Downstream } = require('./downstream');
const { once } = require('./once');

/**
 * The handler that the knobs describe, once what it needs is connected: a function of the job, its attempt and the
 * number of its run, which counts redeliveries too. It gives a note for the finish line.
 */
async function handler() {
  const downstream = new Downstream(knobs().downstream_timeout);
  const guard = await once(downstream);
  return async (job, attempt, run = attempt) => {
    const first = await guard(job.key, () => perform(downstream, job, attempt), run);
    return first ? undefined : 'dedup';
  };
}

async function perform(downstream, job, attempt) {
  await work(job, attempt);
  const version = await versionOf(downstream, job);
  await downstream.effect(job.key, { version, idempotencyKey: idempotencyKey(job) });
}

/** The version of the record to act on; undefined for a job without a record. */
async function versionOf(downstream, { key, version }) {
  return version === undefined || knobs().record === 'snapshot' ? version : downstream.version(key);
}

/** A key that outlives the attempt guards the effect; one made for the attempt does not. */
function idempotencyKey({ key }) {
  return { unique: key, fresh: randomUUID() }[knobs().idempotency];
}

module.exports = { handler };
