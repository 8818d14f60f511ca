import * as Flags from '@oclif/core/flags';
import { withTwins } from './environment-names.js';
import { durationFlag, list, several } from './values.js';

const run = Flags.string({
  summary: 'only this run: ID, the first 8 or more characters of it, or latest',
  helpValue: 'RUN',
});
const tag = Flags.string({
  ...several,
  summary: 'only metrics with this tag; value * matches any; repeatable',
  helpValue: 'K=V',
});

const names = {
  run,
  tag,
  user: Flags.boolean({ summary: 'only user metrics, emitted by pipeline code', exclusive: ['system'] }),
  system: Flags.boolean({ summary: 'only system metrics, emitted by the platform' }),
  match: Flags.string({ summary: 'only metrics whose name matches the pattern', helpValue: 'GLOB' }),
};

const selection = {
  run,
  tag,
  'group-by': Flags.string({
    ...list,
    summary: 'one series per value of this tag; repeatable',
    helpValue: 'TAG',
  }),
};

const time = {
  aggregate: Flags.boolean({ summary: 'all-time totals (the default)' }),
  start: Flags.string({ summary: 'start of the time window: now-1h, yesterday, "2024-05-01 10:00"', helpValue: 'T' }),
  end: Flags.string({ summary: 'end of the time window (default: now)', helpValue: 'T' }),
  resolution: Flags.option({
    summary: 'time between points (default: auto, from the length of the window)',
    options: ['auto', '1s', '1m', '1h'] as const,
    helpValue: 'STEP',
  })(),
  count: Flags.integer({ summary: 'number of points', min: 1, max: 1_000_000, helpValue: 'N' }),
};

const gate = {
  'fail-if': Flags.string({
    ...several,
    summary: 'exit with 11 when the condition is met for the sum of the points of a metric; repeatable',
    helpValue: 'METRIC>N',
  }),
};

const found = {
  'fail-on-no-result': Flags.boolean({ summary: 'exit with 5 when a requested metric has no data' }),
};

const interval = {
  interval: durationFlag({ summary: 'time between refreshes, at least 1s (default: 10s)' }),
};

const watch = { watch: Flags.boolean({ summary: 'refresh until stopped' }) };

const spark = { 'no-spark': Flags.boolean({ summary: 'do not draw charts on a terminal' }) };

/** Flags of `metrics list`. */
export const metricNameFlags = withTwins(names, 'SELECTION');

/** Flags of `metrics watch`: which numbers, of which time, what ends it, how often it looks. */
export const metricWatchFlags = {
  ...withTwins({ ...selection, ...time }, 'SELECTION'),
  ...withTwins(gate, 'GATE'),
  ...withTwins(interval, 'WAITING'),
  ...withTwins(spark, 'OUTPUT'),
};

/** Flags of `metrics get`: which numbers, of which time, what makes it fail. */
export const metricGetFlags = {
  ...withTwins({ ...selection, ...time }, 'SELECTION'),
  ...withTwins({ ...gate, ...found }, 'GATE'),
  ...withTwins({ ...watch, ...interval }, 'WAITING'),
  ...withTwins(spark, 'OUTPUT'),
};

/** Flags of `metrics top`. */
export const metricTopFlags = {
  ...withTwins({ run, tag }, 'SELECTION'),
  ...withTwins(gate, 'GATE'),
  ...withTwins({ ...watch, ...interval }, 'WAITING'),
};
