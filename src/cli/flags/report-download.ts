import * as Flags from '@oclif/core/flags';
import { withTwins } from './twins.js';
import { durationFlag } from './values.js';

const delivery = {
  'out-file': Flags.string({
    char: 'O',
    summary: 'file to write, - for stdout (default); its extension is the format unless -o says another',
    helpValue: 'FILE',
  }),
  clobber: Flags.boolean({ summary: 'replace a file that is there', exclusive: ['skip-existing'] }),
  'skip-existing': Flags.boolean({ summary: 'keep a file that is there, unseen' }),
  offset: Flags.integer({ summary: 'leave out so many records at the beginning', min: 0, helpValue: 'N' }),
  limit: Flags.integer({ summary: 'at most so many records (default: all)', min: 1, helpValue: 'N' }),
  resume: Flags.boolean({
    summary: 'go on with csv or ndjson that a run before left unfinished (default); --no-resume begins anew',
    allowNo: true,
    default: true,
  }),
  'keep-partial': Flags.boolean({ summary: 'keep what has come as FILE.partial when it fails' }),
};

const waiting = {
  wait: Flags.boolean({ summary: 'wait for a report that is still being made' }),
  timeout: durationFlag({ summary: 'longest wait for the report (default: 10m)' }),
};

/** Flags of commands that write the records of a report. */
export const deliveryFlags = withTwins(delivery, 'RESULT');

/** Flags of a download of a report that may still be made. */
export const downloadWaitFlags = withTwins(waiting, 'WAIT');
