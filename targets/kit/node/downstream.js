'use strict';
// The call to the downstream: each effect is asked for once, over a kept connection.

const http = require('node:http');
const net = require('node:net');

/** The effect was not confirmed. `status` is null when no answer came: then it may have happened all the same. */
class DownstreamFailed extends Error {
  constructor(status, { retryAfter = null, why = `the downstream answered ${status}`, cause } = {}) {
    super(why, { cause });
    this.name = 'DownstreamFailed';
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

/** The downstream of HARNESS_DOWNSTREAM; `timeout` in seconds is for the whole call. */
class Downstream {
  constructor(timeout) {
    this.url = `${process.env.HARNESS_DOWNSTREAM.replace(/\/$/, '')}/effects`;
    this.timeout = timeout * 1000;
    this.agent = new http.Agent({ keepAlive: true });
    this.agent.createConnection = connect;
  }

  /** Ask for the side effect once, never twice; rejects with DownstreamFailed unless it was confirmed. */
  async effect(key, { idempotencyKey } = {}) {
    await closedConnectionsAreNoticed();
    const body = JSON.stringify({ key });
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
    if (idempotencyKey !== undefined) headers['Idempotency-Key'] = idempotencyKey;
    const answer = await this.post(headers, body);
    if (answer.statusCode !== 200) {
      throw new DownstreamFailed(answer.statusCode, { retryAfter: seconds(answer.headers['retry-after']) });
    }
  }

  post(headers, body) {
    const options = { method: 'POST', agent: this.agent, headers, signal: AbortSignal.timeout(this.timeout) };
    return new Promise((resolve, reject) => {
      const fail = (cause) => reject(new DownstreamFailed(null, { why: `${cause.name}: ${cause.message}`, cause }));
      const request = http.request(this.url, options, (answer) => {
        answer.on('error', fail).on('end', () => resolve(answer)).resume();
      });
      request.on('error', fail).end(body);
    });
  }
}

/** A connection that is gone as soon as the other side has closed it, so that it is never taken for the next call. */
function connect(options) {
  const socket = net.connect(options);
  return socket.on('end', () => socket.destroy());
}

/** Between two turns of the event loop everything that has arrived is read, the end of an idle connection too. */
async function closedConnectionsAreNoticed() {
  await new Promise(setImmediate);
  await new Promise(setImmediate);
}

function seconds(header) {
  return /^\d+$/.test(header ?? '') ? Number(header) : null;
}

module.exports = { Downstream, DownstreamFailed };
