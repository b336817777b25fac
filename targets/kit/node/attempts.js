'use strict';
// The event lines of a worker: ready, start, finish.

const fs = require('node:fs');
const path = require('node:path');
const { now } = require('./clock');
const { isPermanent } = require('./work');

/** Appends what this worker does to its event file; silent without HARNESS_EVENTS. */
class Attempts {
  constructor() {
    const folder = process.env.HARNESS_EVENTS;
    this.worker = process.env.HARNESS_WORKER || 'worker';
    this.file = folder ? fs.openSync(path.join(folder, `${this.worker}.${process.pid}.jsonl`), 'a') : null;
    this.born = BigInt(now()).toString(16);
    this.count = 0;
  }

  /** This worker consumes from now on. */
  ready() {
    this.write('ready', {});
  }

  /**
   * Write `start`, do the work, write `finish`: done, or after an error failed, or dead if this was the last attempt
   * or no retry can help. The work may return a note, such as `dedup`.
   */
  async run(key, attempt, last, work) {
    // The pid alone would repeat in a container, so the file's birth is part of a run's name.
    const run = `${process.pid}.${this.born}.${++this.count}`;
    this.write('start', { key, run, attempt });
    const note = await work().catch((error) => {
      this.write('finish', { key, run, outcome: last || isPermanent(error) ? 'dead' : 'failed', note: error.name });
      throw error;
    });
    this.write('finish', { key, run, outcome: 'done', note });
  }

  write(event, fields) {
    if (this.file === null) return;
    const rest = JSON.stringify({ worker: this.worker, pid: process.pid, ...fields }).slice(1);
    const line = Buffer.from(`{"e":"${event}","t":${now()},${rest}\n`);
    if (fs.writeSync(this.file, line) !== line.length) {
      throw new Error(`only part of a line was written for ${this.worker}: is the disk full?`);
    }
  }
}

module.exports = { Attempts };
