'use strict';
// How long a job waits before its next attempt.

const { knobs } = require(`${process.env.HARNESS_KIT}/node`);

const KNOBS = knobs();

// The longest wait of each backoff_type after so many attempts, in seconds.
const LONGEST = {
  none: () => 0,
  fixed: () => KNOBS.backoff_delay,
  exponential: (attempts) => KNOBS.backoff_delay * 2 ** (attempts - 1),
  capped: (attempts) => Math.min(LONGEST.exponential(attempts), KNOBS.backoff_delay_max),
};

/** The option of a job. BullMQ's own strategies do not look at the error and have no cap; who wants either writes one. */
function backoff() {
  const ours = KNOBS.honour_retry_after || KNOBS.backoff_type === 'capped';
  if (!ours && KNOBS.backoff_type === 'none') return undefined;
  return { type: ours ? 'ours' : KNOBS.backoff_type, delay: KNOBS.backoff_delay * 1000, jitter: KNOBS.backoff_jitter };
}

/** That strategy: BullMQ's waits and jitter, added to what a 429 asked for. */
function backoffStrategy(attemptsMade, _type, error) {
  const asked = (KNOBS.honour_retry_after && error.retryAfter) || 0;
  const longest = LONGEST[KNOBS.backoff_type](attemptsMade);
  return Math.round((asked + longest * (1 - Math.random() * KNOBS.backoff_jitter)) * 1000);
}

module.exports = { backoff, backoffStrategy };
