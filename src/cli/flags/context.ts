import * as Flags from '@oclif/core/flags';
import { withTwins } from './twins.js';

/** Flags of commands that say what a context is. */
export const contextFlags = withTwins({
  namespace: Flags.string({ char: 'n', summary: 'namespace to work in', helpValue: 'NS' }),
  hub: Flags.string({ summary: 'hub that goes with it, by name or URL', helpValue: 'HUB' }),
  'token-file': Flags.string({
    char: 'a',
    summary: 'file with its access token, used for its address only',
    helpValue: 'FILE',
  }),
  'ca-file': Flags.string({ summary: 'PEM file with further certificate authorities', helpValue: 'FILE' }),
  proxy: Flags.string({ summary: 'proxy for its connections', helpValue: 'URL' }),
  'ui-url': Flags.string({ summary: "address of the platform's own UI, for links of the dashboard", helpValue: 'URL' }),
  protected: Flags.boolean({
    summary: 'every change on its platform needs the name typed, or --confirm NAME',
    allowNo: true,
  }),
});
