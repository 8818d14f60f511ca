import * as Flags from '@oclif/core/flags';
import { FORMATS } from '../output/format.js';
import { withTwins } from './environment-names.js';

const output = {
  output: Flags.option({
    char: 'o',
    summary: 'output format; all formats except table and wide are stable',
    options: FORMATS,
    helpValue: 'FORMAT',
  })(),
  json: Flags.boolean({ summary: 'same as -o json' }),
  fields: Flags.string({
    summary: 'columns of table and csv, members of json items (comma-separated)',
    helpValue: 'a,b,c',
  }),
  'no-headers': Flags.boolean({ summary: 'omit the header line of table and csv' }),
  'no-header': Flags.boolean({ summary: 'same as --no-headers', hidden: true }),
  'csv-raw': Flags.boolean({ summary: 'do not escape spreadsheet formulas in csv' }),
  'no-color': Flags.boolean({ summary: 'no colour' }),
  color: Flags.option({
    summary: 'when to use color (default: auto)',
    options: ['auto', 'always', 'never'] as const,
    helpValue: 'WHEN',
  })(),
  'no-progress': Flags.boolean({ summary: 'hide progress' }),
  utc: Flags.boolean({ summary: 'show times in UTC instead of local time' }),
  quiet: Flags.boolean({ char: 'q', summary: 'print only the result, warnings and errors' }),
  verbose: Flags.boolean({
    char: 'v',
    summary: 'print each request with its status and time, retries, and full server messages',
  }),
  debug: Flags.boolean({
    summary: 'also print request and response headers and error stacks; secrets are hidden',
  }),
  'trace-http': Flags.string({
    summary: 'write requests and responses with headers to a file, - for stderr; secrets are hidden',
    helpValue: 'FILE',
  }),
  'no-input': Flags.boolean({ summary: 'never prompt; missing input is an error, missing confirmation exits with 13' }),
  yes: Flags.boolean({
    char: 'y',
    summary: 'skip confirmation prompts (not for licenses, trust and protected contexts)',
  }),
};

/** Flags of every command for output, verbosity and questions. */
export const outputFlags = withTwins(output, 'OUTPUT');
for (const name of ['no-input', 'yes'] as const) outputFlags[name].helpGroup = 'COMMON';
