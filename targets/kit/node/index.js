'use strict';
// What a target written for Node.js is made with: const { knobs } = require(`${process.env.HARNESS_KIT}/node`).
// `once.js` and `handler.js` are apart, because they need packages (pg, ioredis) that a target may not have.

module.exports = {
  ...require('./knobs'),
  ...require('./work'),
  ...require('./attempts'),
  ...require('./downstream'),
  ...require('./serve'),
};
