'use strict';
// A real BullMQ worker; SIGTERM finishes what runs and leaves the rest in the queue.

const { Attempts, concurrency, milliseconds } = require(`${process.env.HARNESS_KIT}/node`);
const { KNOBS, QUEUE, bullmq, connection } = require('./queue');
const { backoffStrategy } = require('./backoff');

const PROCESSOR = require.resolve('./processor');

function main() {
  const worker = new bullmq.Worker(QUEUE, KNOBS.processor === 'sandboxed' ? PROCESSOR : require(PROCESSOR), options());
  worker.on('error', (error) => console.error(`worker: ${error.message}`));
  worker.on('stalled', (id) => console.error(`worker: ${id} had stalled and is queued again`));
  whenItConsumes(worker, () => new Attempts().ready());
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
    settings: { backoffStrategy },
  };
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
