import * as Flags from '@oclif/core/flags';
import { withTwins } from './environment-names.js';
import { secretFlags } from './preferences.js';
import { durationFlag } from './values.js';

const selection = {
  level: Flags.option({
    summary: 'only lines of this level or more severe',
    options: ['ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE'] as const,
    helpValue: 'LEVEL',
  })(),
  since: Flags.string({ summary: 'only lines since this time: 10m (ago), 18:00, ...', helpValue: 'TIME' }),
  until: Flags.string({ summary: 'only lines before this time', helpValue: 'TIME' }),
  tail: Flags.integer({
    summary: 'show only the last N lines',
    min: 1,
    max: 10_000,
    helpValue: 'N',
    exclusive: ['since', 'until'],
  }),
};

const following = {
  follow: Flags.boolean({ char: 'f', summary: 'show new lines as they are written, until the run ends' }),
  interval: durationFlag({ summary: 'time between requests for new lines (default: 1s)' }),
};

/** Flags of `pipeline logs`. */
export const pipelineLogFlags = {
  ...withTwins(selection, 'SELECTION'),
  ...withTwins(following, 'WAITING'),
  ...secretFlags,
};
