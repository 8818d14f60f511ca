import * as Flags from '@oclif/core/flags';
import { withTwins } from './environment-names.js';

const consent = {
  confirm: Flags.string({
    summary: 'confirm changes to this protected context by its name; -y does not replace it',
    helpValue: 'NAME',
  }),
};

/** Flag of every command that changes a platform, whose context may be protected. */
export const consentFlags = withTwins(consent, 'COMMON');
