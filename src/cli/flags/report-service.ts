import * as Flags from '@oclif/core/flags';
import { withTwins } from './twins.js';
import { durationFlag } from './values.js';

const waiting = {
  wait: Flags.boolean({
    summary: 'wait until the service answers (default); --no-wait ends when it was started',
    allowNo: true,
    default: true,
  }),
  timeout: durationFlag({ summary: 'longest wait for the service (default: 5m)' }),
};

const stopping = {
  timeout: durationFlag({ summary: 'longest wait until the service has stopped (default: 1m)' }),
};

const change = {
  // Not a boolean: CDAPCTL_DRY_RUN=online, which holds for an install, must not be read as "no".
  'dry-run': Flags.option({
    summary: 'read the platform, say what would be done and change nothing there',
    options: ['online'] as const,
    helpValue: '[=online]',
  })(),
};

const capability = {
  'capability-file': Flags.string({
    summary: 'write the file that keeps the service running on 6.3 and later, where the platform stops it',
    helpValue: 'FILE',
  }),
};

/** Flags of `report service enable`. */
export const enableFlags = { ...withTwins({ ...change, ...capability }, 'WORK'), ...withTwins(waiting, 'WAIT') };

/** Flags of `report service stop`. */
export const stopFlags = { ...withTwins(change, 'WORK'), ...withTwins(stopping, 'WAIT') };
