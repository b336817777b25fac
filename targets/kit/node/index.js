'use strict';
// What a target written for Node.js is made with: const { knobs } = require(`${process.env.HARNESS_KIT}/node`).
// `once.js` is apart, because it needs packages (pg, ioredis) that a target may not have.

module.exports = {
  ...require('./knobs'),
  ...require('./attempts'),
  ...require('./downstream'),
  ...require('./serve'),
};
