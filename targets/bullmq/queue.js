'use strict';
// BullMQ, configured from the knobs; shared by the producer and the worker.

const { knobs, milliseconds } = require(`${process.env.HARNESS_KIT}/node`);

const KNOBS = knobs();
const QUEUE = 'jobs';
const bullmq = require(KNOBS.version === 5 ? 'bullmq5' : 'bullmq');

/** How to reach Redis; what differs between a producer and a worker is in `more`. */
function connection(more) {
  const { hostname, port } = new URL(process.env.HARNESS_REDIS);
  const connectTimeout = milliseconds(KNOBS.connect_timeout);
  const socketTimeout = milliseconds(KNOBS.socket_timeout);
  return { host: hostname, port: Number(port), retryStrategy, connectTimeout, socketTimeout, ...more };
}

/** BullMQ's own wait before it connects again, with its cap as a knob. */
function retryStrategy(times) {
  return Math.max(Math.min(Math.exp(times), KNOBS.reconnect_delay_max * 1000), 1000);
}

/** What a job is added with. */
function jobOptions(job) {
  return {
    attempts: KNOBS.attempts,
    backoff: backoff(),
    removeOnComplete: keep(KNOBS.remove_on_complete),
    removeOnFail: keep(KNOBS.remove_on_fail),
    ...(KNOBS.job_id === 'key' && { jobId: job.key }),
  };
}

function backoff() {
  if (KNOBS.backoff_type === 'none') return undefined;
  return { type: KNOBS.backoff_type, delay: KNOBS.backoff_delay * 1000, jitter: KNOBS.backoff_jitter };
}

function keep(count) {
  return count < 0 ? false : { count };
}

/** The strategy of backoff_type `capped`: BullMQ's exponential one, which has no cap, with one. */
function capped(attemptsMade) {
  const longest = Math.min(KNOBS.backoff_delay * 2 ** (attemptsMade - 1), KNOBS.backoff_delay_max) * 1000;
  return Math.round(longest * (1 - Math.random() * KNOBS.backoff_jitter));
}

module.exports = { KNOBS, QUEUE, bullmq, connection, jobOptions, capped };
