// Loaded before the tool (NODE_OPTIONS=--require): waits are shorter by a factor, so that a test of a long one is quick. HURRY is the factor for what
// sleeps and, unless HURRY_CLOCK names another, for the clock that measures durations; time limits are as they are, but for those of HURRY_FROM
// milliseconds and more.
const timers = require('node:timers/promises');

const factor = Number(process.env.HURRY);
const clock = Number(process.env.HURRY_CLOCK ?? factor);
const from = Number(process.env.HURRY_FROM ?? Infinity);
const sleep = timers.setTimeout;
const limit = globalThis.setTimeout;
const now = process.hrtime.bigint;

timers.setTimeout = (wait, ...more) => sleep(wait / factor, ...more);
globalThis.setTimeout = (call, wait, ...more) => limit(call, wait >= from ? wait / factor : wait, ...more);
process.hrtime.bigint = () => BigInt(Math.round(Number(now()) * clock));
