import * as Flags from '@oclif/core/flags';
import { withTwins } from './environment-names.js';

/** Flags of commands that say what a context is. */
export const contextFlags = withTwins({
  namespace: Flags.string({ char: 'n', summary: 'default namespace', helpValue: 'NS' }),
  hub: Flags.string({ summary: 'default hub, by name or URL', helpValue: 'HUB' }),
  'token-file': Flags.string({
    char: 'a',
    summary: 'file with the access token, sent to this platform only',
    helpValue: 'FILE',
  }),
  'token-command': Flags.string({
    summary: 'program that prints the access token, run without a shell; instead of a token file',
    helpValue: 'COMMAND',
  }),
  'ca-file': Flags.string({ summary: 'PEM file with additional certificate authorities', helpValue: 'FILE' }),
  proxy: Flags.string({ summary: 'proxy for all connections', helpValue: 'URL' }),
  'ui-url': Flags.string({ summary: "URL of the platform's web UI, for links in the dashboard", helpValue: 'URL' }),
  protected: Flags.boolean({
    summary: 'require the context name, typed or as --confirm NAME, for every change',
    allowNo: true,
  }),
});
