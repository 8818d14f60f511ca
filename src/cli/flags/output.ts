import * as Flags from '@oclif/core/flags';
import { FORMATS } from '../../output/format.js';
import { withTwins } from './twins.js';

const output = {
  output: Flags.option({
    char: 'o',
    summary: 'how to write the result; everything but table and wide is a stable contract',
    options: FORMATS,
    helpValue: 'FORMAT',
  })(),
  json: Flags.boolean({ summary: 'same as -o json' }),
  fields: Flags.string({
    summary: 'columns of table and csv, members of json items, comma-separated',
    helpValue: 'a,b,c',
  }),
  'no-headers': Flags.boolean({ summary: 'table and csv without the header line' }),
  'no-header': Flags.boolean({ summary: 'same as --no-headers', hidden: true }),
  'csv-raw': Flags.boolean({ summary: 'csv cells without the guard against spreadsheet formulas' }),
  'no-color': Flags.boolean({ summary: 'no colour' }),
  color: Flags.option({
    summary: 'when to use colour (default: auto)',
    options: ['auto', 'always', 'never'] as const,
    helpValue: 'WHEN',
  })(),
  'no-progress': Flags.boolean({ summary: 'no progress on stderr' }),
  utc: Flags.boolean({ summary: 'times in UTC instead of the local zone' }),
  quiet: Flags.boolean({ char: 'q', summary: 'only the result, warnings and errors' }),
  verbose: Flags.boolean({
    char: 'v',
    summary: 'say more: each request with its status and time, retries, all words of the server',
  }),
  debug: Flags.boolean({
    summary: 'also headers of requests and answers, and where in the code an error came from; secrets are hidden',
  }),
  'trace-http': Flags.string({
    summary: 'write each request and answer with headers to a file, - for stderr; secrets are hidden',
    helpValue: 'FILE',
  }),
  'no-input': Flags.boolean({ summary: 'never ask; what is missing is an error, a missing confirmation is 13' }),
  yes: Flags.boolean({
    char: 'y',
    summary: 'skip confirmations (licenses, trust and protected contexts still need their own flags)',
  }),
};

/** Flags of every command: what is written, how it looks, how much is said, whether questions may be asked. */
export const outputFlags = withTwins(output, 'OUTPUT');
for (const name of ['no-input', 'yes'] as const) outputFlags[name].helpGroup = 'COMMON';
