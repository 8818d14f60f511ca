import * as Flags from '@oclif/core/flags';
import { withTwins } from './environment-names.js';

/** Flags of a login, besides those of a connection. */
export const loginFlags = withTwins({
  username: Flags.string({ summary: 'user to log in as', helpValue: 'USER' }),
  'password-file': Flags.string({ summary: 'file with the password', helpValue: 'FILE' }),
  'password-stdin': Flags.boolean({ summary: 'read the password from stdin' }),
  extended: Flags.boolean({ summary: 'ask for a token that lives longer: a week instead of a day by default' }),
  'auth-url': Flags.string({
    summary: 'authentication server to ask, instead of those that the platform names',
    helpValue: 'URL',
  }),
  store: Flags.boolean({ summary: 'keep the token (default); --no-store only tries it', allowNo: true, default: true }),
});
