import * as Flags from '@oclif/core/flags';
import { withTwins } from './twins.js';

const delivery = {
  'out-file': Flags.string({
    char: 'O',
    summary: 'file to write, - for stdout (default); its extension is the format unless -o says another',
    helpValue: 'FILE',
  }),
  clobber: Flags.boolean({ summary: 'replace a file that is there', exclusive: ['skip-existing'] }),
  'skip-existing': Flags.boolean({ summary: 'keep an existing file, unchecked' }),
  resume: Flags.boolean({
    summary: 'resume csv or ndjson that an earlier run left unfinished (default); --no-resume starts over',
    allowNo: true,
    default: true,
  }),
  'keep-partial': Flags.boolean({ summary: 'keep what was received as FILE.partial when it fails' }),
};

const part = {
  offset: Flags.integer({ summary: 'leave out so many records at the beginning', min: 0, helpValue: 'N' }),
  limit: Flags.integer({ summary: 'at most so many records (default: all)', min: 1, helpValue: 'N' }),
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
