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
    this.url = process.env.HARNESS_DOWNSTREAM.replace(/\/$/, '');
    this.timeout = timeout * 1000;
    this.agent = new http.Agent({ keepAlive: true });
    this.agent.createConnection = connect;
  }

  /** Ask for the side effect once, never twice; rejects with DownstreamFailed unless it was confirmed. */
  async effect(key, { idempotencyKey, version } = {}) {
    const headers = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey };
    await this.call('POST', '/effects', JSON.stringify({ key, version }), headers);
  }

  /** How many effects there were for a key; rejects with DownstreamFailed. */
  async effects(key) {
    return JSON.parse(await this.call('GET', `/effects/${encodeURIComponent(key)}`)).effects;
  }

  /** The version that a job's record has now; rejects with DownstreamFailed. */
  async version(key) {
    return JSON.parse(await this.call('GET', `/records/${encodeURIComponent(key)}`)).version;
  }

  /** The text of a 200. */
  async call(method, path, body = '', headers = {}) {
    await closedConnectionsAreNoticed();
    const content = body && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
    const answer = await this.send(method, path, body, { ...content, ...headers });
    if (answer.statusCode === 200) return answer.text;
    throw new DownstreamFailed(answer.statusCode, { retryAfter: seconds(answer.headers['retry-after']) });
  }

  send(method, path, body, headers) {
    const options = { method, agent: this.agent, headers, signal: AbortSignal.timeout(this.timeout) };
    return new Promise((resolve, reject) => {
      const fail = (cause) => reject(new DownstreamFailed(null, { why: `${cause.name}: ${cause.message}`, cause }));
      const request = http.request(`${this.url}${path}`, options, (answer) => {
        answer.text = '';
        answer.setEncoding('utf8').on('data', (part) => (answer.text += part));
        answer.on('error', fail).on('end', () => resolve(answer));
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
