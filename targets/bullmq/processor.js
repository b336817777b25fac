'use strict';
// What BullMQ calls for each job: in the worker itself, or in a child process of it (processor: sandboxed).

const { Attempts, isPermanent } = require(`${process.env.HARNESS_KIT}/node`);
const { handler } = require(`${process.env.HARNESS_KIT}/node/handler`);
const { KNOBS, bullmq } = require('./queue');

const attempts = new Attempts();
const connected = handler();
process.once('disconnect', () => process.exit()); // a child ends with its worker, and does not wait for PostgreSQL

module.exports = async function handle(job) {
  const perform = await connected;
  // BullMQ counts failures: a job that runs again because it stalled has the attempt number that it had before.
  const attempt = job.attemptsMade + 1;
  const work = () => perform(job.data, attempt, job.attemptsStarted);
  await attempts.run(job.data.key, attempt, isLast(job), work).catch((error) => {
    throw isPermanent(error) ? unrecoverable(error) : error;
  });
};

/** Whether a failure now is the job's end. BullMQ 5 looks at max_started_attempts only when a job starts. */
function isLast(job) {
  const starts = KNOBS.version === 6 && KNOBS.max_started_attempts;
  return (starts && job.attemptsStarted >= starts) || job.attemptsMade + 1 >= job.opts.attempts;
}

/** BullMQ's own word for no more retries; the trace, which the failed set keeps, names the error's own class. */
function unrecoverable(error) {
  return Object.assign(new bullmq.UnrecoverableError(error.message), { stack: error.stack });
}
