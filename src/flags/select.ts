import * as Flags from '@oclif/core/flags';
import { withTwins } from './environment-names.js';
import { list } from './values.js';

const hub = {
  hub: Flags.string({
    summary: 'hub by name or base URL; repeatable',
    ...list,
    helpValue: 'HUB',
  }),
};

/** Flags of commands that choose among hubs. */
export const hubFlags = withTwins(hub, 'SELECTION');
