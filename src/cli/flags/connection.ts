import * as Flags from '@oclif/core/flags';
import { withTwins } from './twins.js';
import { durationFlag } from './values.js';

const connection = {
  url: Flags.string({ char: 'u', summary: 'base URL of the platform', helpValue: 'URL' }),
  'token-file': Flags.string({ char: 'a', summary: 'file with the access token, - for stdin', helpValue: 'FILE' }),
  context: Flags.string({ summary: 'named connection to use', helpValue: 'NAME' }),
  namespace: Flags.string({ char: 'n', summary: 'namespace', helpValue: 'NS' }),
  'ca-file': Flags.string({ summary: 'PEM file with further certificate authorities', helpValue: 'FILE' }),
  proxy: Flags.string({ summary: 'proxy for all connections', helpValue: 'URL' }),
  'insecure-skip-tls-verify': Flags.boolean({ summary: 'do not check certificates; warns on every use' }),
  'allow-http-token': Flags.boolean({ summary: 'send the token over plain http to another machine' }),
  retries: Flags.integer({
    summary: 'further tries of a request that may be repeated (default: 3)',
    min: 0,
    max: 20,
    helpValue: 'N',
  }),
  'connect-timeout': durationFlag({ summary: 'longest wait for a connection (default: 10s)' }),
  'request-timeout': durationFlag({
    summary: 'longest wait for the start of an answer (default: 30s, of a write that may take long 15m)',
  }),
};

/** Flags of every command that speaks to the platform or a hub. */
export const connectionFlags = withTwins(connection, 'CONNECTION');

/** Which context, for commands that change one and connect to nothing. */
export const contextOnlyFlags = withTwins(
  { context: Flags.string({ summary: 'named connection to change (default: the current one)', helpValue: 'NAME' }) },
  'FLAGS',
);
