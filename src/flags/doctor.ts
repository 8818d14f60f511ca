import * as Flags from '@oclif/core/flags';
import { withTwins } from './environment-names.js';

/** Flags of doctor, besides those of a connection. */
export const doctorFlags = withTwins({
  fix: Flags.boolean({ summary: 'mend modes of files of cdapctl that other users can read or change' }),
  bundle: Flags.string({
    summary: 'write findings and settings, without secrets, to a file for a report of a problem',
    helpValue: 'FILE',
  }),
  clobber: Flags.boolean({ summary: 'overwrite the file of --bundle', dependsOn: ['bundle'] }),
  junit: Flags.string({ summary: 'write a JUnit report with a test case per check', helpValue: 'FILE' }),
});
