'use strict';
// A real BullMQ worker; SIGTERM finishes what runs and leaves the rest in the queue.

const { setTimeout: sleep } = require('node:timers/promises');
const { Attempts, Downstream, concurrency, milliseconds } = require(`${process.env.HARNESS_KIT}/node`);
const { once } = require(`${process.env.HARNESS_KIT}/node/once`);
const { KNOBS, QUEUE, bullmq, connection, capped } = require('./queue');

const attempts = new Attempts();
const downstream = new Downstream(KNOBS.downstream_timeout);

async function main() {
  const guard = await once();
  const worker = new bullmq.Worker(QUEUE, (job) => handle(job, guard), options());
  worker.on('error', (error) => console.error(`worker: ${error.message}`));
  worker.on('stalled', (id) => console.error(`worker: ${id} had stalled and is queued again`));
  whenItConsumes(worker, () => attempts.ready());
  if (KNOBS.close_on_sigterm) process.once('SIGTERM', () => worker.close().then(() => process.exit(0)));
}

function options() {
  return {
    connection: connection({ maxRetriesPerRequest: null }), // as BullMQ asks of a worker: it waits for Redis for ever
    concurrency: concurrency(),
    lockDuration: milliseconds(KNOBS.lock_duration),
    lockRenewTime: milliseconds(KNOBS.lock_renew_time),
    skipLockRenewal: KNOBS.skip_lock_renewal,
    stalledInterval: milliseconds(KNOBS.stalled_interval),
    skipStalledCheck: KNOBS.skip_stalled_check,
    maxStalledCount: KNOBS.max_stalled_count,
    maxStartedAttempts: KNOBS.max_started_attempts || undefined,
    drainDelay: KNOBS.drain_delay,
    settings: { backoffStrategy: capped },
  };
}

/** Do one job: work, then its effect, once. */
function handle(job, guard) {
  const { key, work = 0 } = job.data;
  // BullMQ counts failures: a job that runs again because it stalled has the attempt number that it had before.
  return attempts.run(key, job.attemptsMade + 1, isLast(job), async () => {
    const first = await guard(key, async () => {
      await sleep(work * 1000);
      await downstream.effect(key, KNOBS.idempotency === 'unique' ? { idempotencyKey: key } : {});
    });
    return first ? undefined : 'dedup';
  });
}

/** Whether a failure now is the job's end. BullMQ 5 looks at max_started_attempts only when a job starts. */
function isLast(job) {
  const starts = KNOBS.version === 6 && KNOBS.max_started_attempts;
  return (starts && job.attemptsStarted >= starts) || job.attemptsMade + 1 >= job.opts.attempts;
}

/** It consumes once it has asked for a job: it got one, or there was none. */
function whenItConsumes(worker, then) {
  const asked = () => {
    worker.off('active', asked).off('drained', asked);
    then();
  };
  worker.on('active', asked).on('drained', asked);
}

main();
