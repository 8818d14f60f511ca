import * as Flags from '@oclif/core/flags';
import { withTwins } from './twins.js';

const hub = {
  hub: Flags.string({
    summary: 'hub by name or base URL; repeatable',
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'HUB',
  }),
};

/** Flags of commands that choose among hubs. */
export const hubFlags = withTwins(hub, 'SELECTION');
