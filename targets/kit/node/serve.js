'use strict';
// The producer's HTTP server: `serve({ enqueue, state, held, letters })` is the whole of it.

const http = require('node:http');
const { knobs } = require('./knobs');

const BACKLOG = 4096;

/** The queue confirmed the job. */
const acked = (job) => ({ key: job.key, outcome: 'acked' });

/** The queue certainly has not got the job. */
const rejected = (job, error) => ({ key: job.key, outcome: 'rejected', why: `${error.name}: ${error.message}` });

/** Nobody knows whether the queue has the job. */
const unknown = (job, error) => ({ key: job.key, outcome: 'unknown', why: `${error.name}: ${error.message}` });

/**
 * Serve the producer on HARNESS_LISTEN until SIGTERM.
 *
 * `enqueue` takes the jobs of one request and gives a result for each (`acked`, `rejected`, `unknown`); `state` gives
 * the counts, `held` the list of `{ key, where }`. `letters` has `list`, which gives the dead letters, and `replay` and
 * `discard`, which take the id of one and say whether there was such a letter. `routes` adds paths of the target's own
 * ("POST /take"), each a function of the body.
 */
function serve({ enqueue, state, held, letters, routes = {} }) {
  const publish = knobs().publish === 'background' ? inBackground(enqueue) : enqueue;
  const table = {
    'GET /health': () => ({}),
    'POST /jobs': async (body) => ({ results: await publish(jobsOf(body)) }),
    'GET /state': () => state(),
    ...(held && { 'GET /held': async () => ({ held: await held() }) }),
    ...(letters && {
      'GET /letters': async () => ({ letters: await letters.list() }),
      'POST /letters/replay': (body) => each(idsOf(body), letters.replay, 'replayed'),
      'POST /letters/discard': (body) => each(idsOf(body), letters.discard, 'discarded'),
    }),
    ...routes,
  };
  const server = http.createServer((request, response) => answer(table, request, response));
  // An idle connection is the client's to close: one that the server closes may cross with a request.
  Object.assign(server, { keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 });
  const { hostname, port } = new URL(`http://${process.env.HARNESS_LISTEN}`);
  server.listen({ host: hostname.replace(/[[\]]/g, ''), port: Number(port), backlog: BACKLOG });
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => process.exit(0));
}

/** An `enqueue` that answers before it has begun; what becomes of the jobs nobody is told. */
function inBackground(enqueue) {
  return (jobs) => {
    setImmediate(() => enqueue(jobs).then(tellTheLog, (error) => console.error(error)));
    return jobs.map(acked);
  };
}

function tellTheLog(results) {
  for (const { key, outcome, why } of results) if (outcome !== 'acked') console.error(`${key}: ${outcome}: ${why}`);
}

/** What became of each dead letter. */
async function each(ids, act, outcome) {
  const results = ids.map(async (id) => ({ id, outcome: (await act(id)) ? outcome : 'missing' }));
  return { results: await Promise.all(results) };
}

/** What the client sent and the protocol does not allow; the message is its answer. */
class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** Whatever else a handler throws becomes a 500 and a trace in the log. */
async function answer(table, request, response) {
  try {
    const handler = handlerOf(table, `${request.method} ${request.url.split('?')[0]}`);
    send(response, 200, await handler(await bodyOf(request)));
  } catch (error) {
    if (!(error instanceof Refused)) console.error(error);
    send(response, error.status ?? 500, { error: `${error.name}: ${error.message}` });
  }
}

function handlerOf(table, route) {
  if (Object.hasOwn(table, route)) return table[route];
  throw new Refused(404, `no ${route} here; there is ${Object.keys(table).join(', ')}`);
}

async function bodyOf(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  const text = Buffer.concat(parts).toString();
  try {
    return text ? JSON.parse(text) : null;
  } catch (error) {
    throw new Refused(400, error.message);
  }
}

function jobsOf(body) {
  const jobs = body?.jobs;
  if (Array.isArray(jobs) && jobs.every((job) => typeof job?.key === 'string')) return jobs;
  throw new Refused(400, 'expected {"jobs": [{"key": "...", ...}, ...]}; see docs/target-protocol.md');
}

function idsOf(body) {
  const ids = body?.ids;
  if (Array.isArray(ids) && ids.every((id) => typeof id === 'string')) return ids;
  throw new Refused(400, 'expected {"ids": ["...", ...]}; see docs/target-protocol.md');
}

function send(response, status, body) {
  const content = JSON.stringify(body);
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(content) });
  response.end(content);
}

module.exports = { serve, acked, rejected, unknown };
