import * as Flags from '@oclif/core/flags';
import { withTwins } from './twins.js';

const consent = {
  confirm: Flags.string({
    summary: 'name of the protected context that may be changed; -y does not stand for it',
    helpValue: 'NAME',
  }),
};

/** Flag of every command that changes a platform, whose context may be protected. */
export const consentFlags = withTwins(consent, 'COMMON');
