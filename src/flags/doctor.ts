import * as Flags from '@oclif/core/flags';
import { withTwins } from './environment-names.js';

/** Flags of doctor, besides those of a connection. */
export const doctorFlags = withTwins({
  fix: Flags.boolean({ summary: 'fix permissions of cdapctl files that other users can read or change' }),
  bundle: Flags.string({
    summary: 'write findings and settings (without secrets) to a file for a bug report',
    helpValue: 'FILE',
  }),
  clobber: Flags.boolean({ summary: 'overwrite an existing --bundle file', dependsOn: ['bundle'] }),
  junit: Flags.string({ summary: 'write a JUnit report with a test case per check', helpValue: 'FILE' }),
});
