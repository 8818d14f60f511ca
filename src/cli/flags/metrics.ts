import * as Flags from '@oclif/core/flags';
import { withTwins } from './twins.js';
import { durationFlag, list, several } from './values.js';

const run = Flags.string({
  summary: 'only this run: id, eight characters or more of its beginning, or latest',
  helpValue: 'RUN',
});
const tag = Flags.string({
  ...several,
  summary: 'only what was counted under this tag, value * for any; repeatable',
  helpValue: 'K=V',
});

const names = {
  run,
  tag,
  user: Flags.boolean({ summary: 'only metrics of the code of the pipeline', exclusive: ['system'] }),
  system: Flags.boolean({ summary: 'only metrics of the platform' }),
  match: Flags.string({ summary: 'only metrics whose name matches the pattern', helpValue: 'GLOB' }),
};

const selection = {
  run,
  tag,
  'group-by': Flags.string({
    ...list,
    summary: 'a series for each value of this tag; repeatable',
    helpValue: 'TAG',
  }),
};

const time = {
  aggregate: Flags.boolean({ summary: 'totals of all time (the default)' }),
  start: Flags.string({ summary: 'from this time on: now-1h, yesterday, "2024-05-01 10:00"', helpValue: 'T' }),
  end: Flags.string({ summary: 'up to this time (default: now)', helpValue: 'T' }),
  resolution: Flags.option({
    summary: 'seconds, minutes or hours between points (default: auto, by the length of the window)',
    options: ['auto', '1s', '1m', '1h'] as const,
    helpValue: 'STEP',
  })(),
  count: Flags.integer({ summary: 'so many points', min: 1, max: 1_000_000, helpValue: 'N' }),
};

const gate = {
  'fail-if': Flags.string({
    ...several,
    summary: 'exit 11 when this holds for the sum of the points of a metric; repeatable',
    helpValue: 'METRIC>N',
  }),
};

const found = {
  'fail-on-no-result': Flags.boolean({ summary: 'exit 5 when a metric that was named has no series' }),
};

const interval = {
  interval: durationFlag({ summary: 'time between refreshes, 1s or more (default: 10s)' }),
};

const watch = { watch: Flags.boolean({ summary: 'refresh until stopped' }) };

const spark = { 'no-spark': Flags.boolean({ summary: 'no drawing of time series on a terminal' }) };

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
