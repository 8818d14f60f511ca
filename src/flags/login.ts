import * as Flags from '@oclif/core/flags';
import { withTwins } from './environment-names.js';

/** Flags of a login, besides those of a connection. */
export const loginFlags = withTwins({
  username: Flags.string({ summary: 'user to log in as', helpValue: 'USER' }),
  'password-file': Flags.string({ summary: 'file with the password', helpValue: 'FILE' }),
  'password-stdin': Flags.boolean({ summary: 'read the password from stdin' }),
  extended: Flags.boolean({ summary: 'request a token that is valid longer: by default a week instead of a day' }),
  'auth-url': Flags.string({
    summary: 'URL of the authentication server (default: from the platform)',
    helpValue: 'URL',
  }),
  import: Flags.boolean({
    summary: 'use the token that the CLI of the platform has stored for this host (~/.cdap.accesstoken.HOST)',
    exclusive: ['username', 'password-file', 'password-stdin', 'extended', 'auth-url'],
  }),
  store: Flags.boolean({
    summary: 'store the token (default); --no-store only checks it',
    allowNo: true,
    default: true,
  }),
});
