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

const page = {
  limit: Flags.integer({ summary: 'at most this many', min: 1, helpValue: 'N' }),
  offset: Flags.integer({ summary: 'skip this many', min: 0, helpValue: 'N' }),
  'page-size': Flags.integer({ summary: 'how many to ask for at once', min: 1, helpValue: 'N' }),
  'all-pages': Flags.boolean({ summary: 'everything, page by page' }),
};

/** Flags of commands that page through long lists. */
export const pageFlags = withTwins(page, 'SELECTION');
