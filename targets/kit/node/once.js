'use strict';
// How a handler keeps from doing a job's effect twice: the values of the idempotency knob.
// Each is a function of a key, of the work and of the number of this run of the job; it calls the work if it is to be
// done, and says whether it was.

const { knobs, concurrency } = require('./knobs');

const CREATE = 'CREATE TABLE IF NOT EXISTS done (key text PRIMARY KEY)';
const INSERT = 'INSERT INTO done (key) VALUES ($1) ON CONFLICT DO NOTHING';
const TIMEOUT = 3000;
const STARTING = 30000; // a machine that is busy with the start of everything is no reason to give up

/** The way that the knob names, once what it needs is connected. */
async function once(downstream) {
  const ways = {
    none: () => none,
    setnx: connectedSetnx,
    unique: () => unique(postgres(concurrency(), TIMEOUT)),
    fresh: () => none,
    reconcile: () => reconcile(downstream),
  };
  return ways[knobs().idempotency]();
}

/** Make the table of `unique`; for the producer, of which there is one. */
async function createTable() {
  const pool = postgres(1, STARTING);
  await pool.query(CREATE);
  await pool.end();
}

async function none(key, work) {
  await work();
  return true;
}

/** Who may be the second asks the provider first. */
function reconcile(downstream) {
  return async (key, work, run) => {
    if (run > 1 && (await downstream.effects(key)) > 0) return false;
    await work();
    return true;
  };
}

/** The first to set the key in Redis; it is deleted when the attempt fails, and stays when the worker dies. */
function setnx(redis) {
  return async (key, work) => {
    const first = (await redis.set(`done:${key}`, 1, 'EX', Math.ceil(knobs().idempotency_ttl), 'NX')) === 'OK';
    if (!first) return false;
    try {
      await work();
    } catch (error) {
      await redis.del(`done:${key}`);
      throw error;
    }
    return true;
  };
}

/** The first to commit a row with the key; a second run waits for the first to commit or to die. */
function unique(pool) {
  return async (key, work) => {
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      const first = (await client.query(INSERT, [key])).rowCount === 1;
      if (first) await work();
      await client.query('COMMIT');
      client.release();
      return first;
    } catch (error) {
      await client.query('ROLLBACK').then(() => client.release(), (broken) => client.release(broken));
      throw error;
    }
  };
}

function postgres(max, connectionTimeoutMillis) {
  const { Pool } = require('pg');
  const pool = new Pool({ connectionString: process.env.HARNESS_POSTGRES, max, connectionTimeoutMillis });
  // A connection that breaks while nobody uses it would else end the process; one in use fails its next query.
  pool.on('error', (error) => console.error(`PostgreSQL: ${error.message}`));
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** A client that sends nothing twice or late: it could set a key, lose the answer and then find the key set. */
async function connectedSetnx() {
  const { Redis } = require('ioredis');
  const redis = new Redis(process.env.HARNESS_REDIS, {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: TIMEOUT,
    connectTimeout: TIMEOUT,
  });
  redis.on('error', (error) => console.error(`Redis: ${error.message}`));
  await redis.connect();
  return setnx(redis);
}

module.exports = { once, createTable };
