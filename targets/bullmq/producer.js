'use strict';
// The web application in front of BullMQ: it adds jobs, and reads from BullMQ what became of them.

const { serve, acked, rejected, unknown, milliseconds } = require(`${process.env.HARNESS_KIT}/node`);
const { createTable } = require(`${process.env.HARNESS_KIT}/node/once`);
const { KNOBS, QUEUE, bullmq, connection, jobOptions } = require('./queue');
const { letters } = require('./letters');

// Where BullMQ keeps a job -> what the harness calls it. The failed set is BullMQ's dead-letter queue.
const PLACES = {
  waiting: 'queued', // and paused, which BullMQ 5 adds by itself and BullMQ 6 has no more
  prioritized: 'queued',
  'waiting-children': 'queued',
  active: 'active',
  delayed: 'delayed',
  failed: 'dead',
};
const NEVER_SENT = /^Stream isn't writeable/;
const REFUSED = /^(OOM|LOADING|READONLY|MISCONF|NOREPLICAS|MASTERDOWN|BUSY|NOAUTH|NOPERM) /;

const queue = new bullmq.Queue(QUEUE, {
  connection: connection({
    enableOfflineQueue: KNOBS.enable_offline_queue,
    maxRetriesPerRequest: KNOBS.max_retries_per_request,
    commandTimeout: milliseconds(KNOBS.command_timeout),
  }),
  streams: { events: { maxLen: KNOBS.events_max_len } },
});
queue.on('error', (error) => console.error(`queue: ${error.message}`));

/** Add each job; they go out one after the other, and each has an answer of its own. */
function enqueue(jobs) {
  return Promise.all(jobs.map(add));
}

function add(job) {
  return queue.add('job', job, jobOptions(job)).then(() => acked(job), (error) => refused(job, error));
}

function refused(job, error) {
  const certain = NEVER_SENT.test(error.message) || (error.name === 'ReplyError' && REFUSED.test(error.message));
  return (certain ? rejected : unknown)(job, error);
}

async function state() {
  const counts = await queue.getJobCounts(...Object.keys(PLACES));
  const state = { queued: 0, active: 0, delayed: 0, dead: 0 };
  for (const [place, count] of Object.entries(counts)) state[PLACES[place] ?? 'queued'] += count;
  return state;
}

async function held() {
  return (await Promise.all(Object.keys(PLACES).map(heldIn))).flat();
}

async function heldIn(place) {
  const jobs = await queue.getJobs([place]);
  return jobs.map((job) => ({ key: job.data.key, where: PLACES[place] }));
}

async function main() {
  await Promise.all([createTable(), queue.waitUntilReady()]);
  serve({ enqueue, state, held, letters: letters(queue) });
}

main();
