'use strict';
// BullMQ, configured from the knobs; shared by the producer and the worker.

const { knobs, milliseconds } = require(`${process.env.HARNESS_KIT}/node`);
const { backoff } = require('./backoff');

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
    delay: milliseconds(job.delay ?? 0),
    removeOnComplete: keep(KNOBS.remove_on_complete),
    removeOnFail: keep(KNOBS.remove_on_fail),
    stackTraceLimit: KNOBS.stack_trace_limit < 0 ? undefined : KNOBS.stack_trace_limit,
    ...(KNOBS.job_id === 'key' && { jobId: job.key }),
  };
}

function keep(count) {
  return count < 0 ? false : { count };
}

module.exports = { KNOBS, QUEUE, bullmq, connection, jobOptions };
