import * as Flags from '@oclif/core/flags';
import { withTwins } from './environment-names.js';
import { secretFlags } from './preferences.js';
import { durationFlag, several } from './values.js';

const input = {
  set: Flags.string({ ...several, summary: 'argument of this run; repeatable', helpValue: 'NAME=VALUE' }),
  'set-file': Flags.string({
    ...several,
    summary: 'argument of this run from a file; repeatable',
    helpValue: 'NAME=FILE',
  }),
  values: Flags.string({
    char: 'f',
    summary: 'file with arguments, YAML or JSON, - for stdin',
    helpValue: 'FILE',
  }),
  like: Flags.string({
    summary: 'take the arguments of another run (ID or latest)',
    helpValue: 'RUN',
  }),
  profile: Flags.string({
    summary: 'compute profile of this run, with or without SCOPE:',
    helpValue: 'NAME',
  }),
};

const condition = {
  'no-check': Flags.boolean({
    summary: 'start even if macros have no value, because a stage sets them during the run',
  }),
  'if-not-running': Flags.boolean({ summary: 'start nothing and exit with 0 if a run is active' }),
};

const patience = {
  timeout: durationFlag({ summary: 'maximum time to wait (default: 1h)' }),
  interval: durationFlag({ summary: 'maximum time between checks (default: 5s)' }),
  outage: durationFlag({ summary: 'give up when the platform does not respond for this long (default: --timeout)' }),
};

const waitAfterStart = {
  wait: Flags.option({
    summary: 'wait until the run has ended, or with --wait=running until it runs',
    options: ['done', 'running'] as const,
    helpValue: '[=done|running]',
  })(),
};

const afterFailure = {
  'logs-on-failure': Flags.boolean({ summary: 'show the last errors of the log when the run fails; needs --wait' }),
};

const dryRun = {
  'dry-run': Flags.option({
    summary: 'show what would be done and change nothing',
    options: ['online'] as const,
    helpValue: '[=online]',
  })(),
};

const stopping = {
  'all-runs': Flags.boolean({ summary: 'stop all active runs of the pipeline' }),
};

const waitForStop = {
  wait: Flags.boolean({
    summary: 'wait until the runs have ended (default); --no-wait returns after the request',
    allowNo: true,
    default: true,
  }),
  timeout: durationFlag({ summary: 'maximum time to wait for each run to end (default: 2m)' }),
};

const waitFor = {
  for: Flags.option({
    summary: 'wait until the run has ended, or until it runs (default: done)',
    options: ['done', 'running'] as const,
    helpValue: 'done|running',
  })(),
};

/** Flags of `pipeline start`. */
export const pipelineStartFlags = {
  ...withTwins(input, 'INPUT'),
  ...withTwins({ ...condition, ...dryRun }, 'SELECTION'),
  ...withTwins({ ...waitAfterStart, ...patience }, 'WAITING'),
  ...withTwins(afterFailure, 'OUTPUT'),
  ...secretFlags,
};

/** Flags of `pipeline stop`. */
export const pipelineStopFlags = {
  ...withTwins({ ...stopping, ...dryRun }, 'SELECTION'),
  ...withTwins(waitForStop, 'WAITING'),
};

/** Flags of `pipeline wait`. */
export const pipelineWaitFlags = {
  ...withTwins({ ...waitFor, ...patience }, 'WAITING'),
  ...secretFlags,
};
