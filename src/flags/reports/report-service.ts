import * as Flags from '@oclif/core/flags';
import { withTwins } from '../environment-names.js';
import { durationFlag } from '../values.js';

const waiting = {
  wait: Flags.boolean({
    summary: 'wait until the service responds (default); --no-wait returns once it is started',
    allowNo: true,
    default: true,
  }),
  timeout: durationFlag({ summary: 'maximum time to wait for the service (default: 5m)' }),
};

const stopping = {
  timeout: durationFlag({ summary: 'maximum time to wait for the service to stop (default: 1m)' }),
};

const change = {
  // Not a boolean: CDAPCTL_DRY_RUN=online, which holds for an install, must not be read as "no".
  'dry-run': Flags.option({
    summary: 'show what would be done and change nothing on the platform',
    options: ['online'] as const,
    helpValue: '[=online]',
  })(),
};

const capability = {
  'capability-file': Flags.string({
    summary: 'write the capability file that keeps the service running on platform 6.3 and later',
    helpValue: 'FILE',
  }),
};

/** Flags of `report service enable`. */
export const enableFlags = { ...withTwins({ ...change, ...capability }, 'WORK'), ...withTwins(waiting, 'WAIT') };

/** Flags of `report service stop`. */
export const stopFlags = { ...withTwins(change, 'WORK'), ...withTwins(stopping, 'WAIT') };
