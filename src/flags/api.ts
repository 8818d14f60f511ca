import * as Flags from '@oclif/core/flags';
import { several } from './values.js';
import { withTwins } from './environment-names.js';

/** Flags of a request that is written by hand, besides those of a connection. */
export const apiFlags = withTwins({
  data: Flags.string({ summary: 'body of the request: text, @FILE, or - for stdin', helpValue: 'DATA' }),
  header: Flags.string({
    ...several,
    summary: 'header to send (default: Content-Type: application/json)',
    helpValue: 'NAME:VALUE',
  }),
  include: Flags.boolean({ summary: 'also print status and headers of the response' }),
  paginate: Flags.boolean({
    summary: 'follow nextPageToken and print all pages; PATH needs a pageSize',
  }),
  raw: Flags.boolean({
    summary: 'print the response body unchanged, including secrets (a terminal gets control characters escaped)',
  }),
});
