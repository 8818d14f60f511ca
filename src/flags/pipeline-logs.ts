import * as Flags from '@oclif/core/flags';
import { CliError } from '../core/errors.js';
import { withTwins } from './environment-names.js';
import { secretFlags } from './preferences.js';
import { durationFlag } from './values.js';

/** More of the last lines are not had in one response. */
const MOST_LINES = 10_000;

function linesOrAll(text: string): number | 'all' {
  const lines = /^\d{1,5}$/u.test(text) ? Number(text) : 0;
  if (text === 'all' || (lines >= 1 && lines <= MOST_LINES)) return text === 'all' ? text : lines;
  throw new CliError('USAGE', `must be all, or an integer from 1 to ${MOST_LINES}, not ${text.slice(0, 40)}`);
}

const selection = {
  level: Flags.option({
    summary: 'only lines of this level or more severe',
    options: ['ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE'] as const,
    helpValue: 'LEVEL',
  })(),
  since: Flags.string({ summary: 'only lines since this time: 10m (ago), 18:00, ...', helpValue: 'TIME' }),
  until: Flags.string({ summary: 'only lines before this time', helpValue: 'TIME' }),
  tail: Flags.custom<number | 'all'>({
    summary: 'show only the last N lines (default on a terminal: 200), or all',
    helpValue: 'N|all',
    exclusive: ['since', 'until'],
    parse: async (text) => linesOrAll(text),
  })(),
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
