'use strict';
// BullMQ's failed set as dead letters.

const { KNOBS } = require('./queue');

// BullMQ starts a job once more only to say so; the handler was not called.
const NOT_RUN = /^job (stalled|started) more than allowable limit$/;

/** The letters of a queue: to list, to replay and to discard. */
function letters(queue) {
  return {
    list: async () => (await queue.getJobs(['failed'])).map(letter),
    replay: (id) => inFailed(queue, id, (job) => job.retry('failed', anew)),
    discard: (id) => inFailed(queue, id, (job) => job.remove()),
  };
}

// Starts go on counting, as handlers that reconcile must know of them, unless their number is limited.
const anew = { resetAttemptsMade: true, resetAttemptsStarted: KNOBS.max_started_attempts > 0 };

function letter(job) {
  return {
    id: job.id,
    key: job.data.key,
    payload: job.data,
    attempts: job.attemptsStarted - (NOT_RUN.test(job.failedReason) ? 1 : 0),
    error: classOf(job.stacktrace),
    message: job.failedReason,
    died: job.finishedOn / 1000,
  };
}

/** BullMQ keeps an error's message and its trace, which begins with the class; stack_trace_limit 0 keeps no trace. */
function classOf(stacktrace) {
  return /^\w+/.exec(stacktrace.at(-1) ?? '')?.[0];
}

async function inFailed(queue, id, act) {
  const job = await queue.getJob(id);
  if (!(await job?.isFailed())) return false;
  await act(job);
  return true;
}

module.exports = { letters };
