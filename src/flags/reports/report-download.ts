import * as Flags from '@oclif/core/flags';
import { withTwins } from '../environment-names.js';

const delivery = {
  'out-file': Flags.string({
    char: 'O',
    summary: 'file to write, - for stdout (default); the extension sets the format unless -o is given',
    helpValue: 'FILE',
  }),
  clobber: Flags.boolean({ summary: 'overwrite an existing file', exclusive: ['skip-existing'] }),
  'skip-existing': Flags.boolean({ summary: 'keep an existing file without checking it' }),
  resume: Flags.boolean({
    summary: 'resume an interrupted csv or ndjson download (default); --no-resume starts over',
    allowNo: true,
    default: true,
  }),
  'keep-partial': Flags.boolean({ summary: 'on failure, keep what was received as FILE.partial' }),
};

const part = {
  offset: Flags.integer({ summary: 'skip this many records', min: 0, helpValue: 'N' }),
  limit: Flags.integer({ summary: 'maximum number of records (default: all)', min: 1, helpValue: 'N' }),
};

/** How commands that write the records of a report may fail. */
export const DELIVERY_FAILURES = [
  'NOT_FOUND',
  'EXISTS',
  'REPORTS_OFF',
  'STILL_RUNNING',
  'REPORT_FAILED',
  'REPORTS_EMPTY',
  'PAGING',
  'SHORT',
  'DISK_FULL',
  'SYMLINK',
] as const;

/** Flags of commands that write the records of a report. */
export const deliveryFlags = withTwins(delivery, 'RESULT');

/** Flags of commands that may write a part of the records of a report. */
export const partFlags = withTwins(part, 'SELECTION');
