import * as Flags from '@oclif/core/flags';
import { withTwins } from './twins.js';
import { durationFlag } from './values.js';

const wait = {
  wait: Flags.boolean({ summary: 'wait until the remote work has ended', allowNo: true }),
  timeout: durationFlag({ summary: 'longest time for the whole command' }),
  interval: durationFlag({ summary: 'time between two looks' }),
};

/** Flags of commands that can wait for remote work. */
export const waitFlags = withTwins(wait, 'WAITING');
