import * as Flags from '@oclif/core/flags';
import { withTwins } from './environment-names.js';
import { durationFlag } from './values.js';

const connection = {
  url: Flags.string({ char: 'u', summary: 'base URL of the platform', helpValue: 'URL' }),
  'token-file': Flags.string({ char: 'a', summary: 'file with the access token, - for stdin', helpValue: 'FILE' }),
  'token-command': Flags.string({
    summary: 'program that prints the access token, run without a shell',
    helpValue: 'COMMAND',
  }),
  context: Flags.string({ summary: 'named connection to use', helpValue: 'NAME' }),
  namespace: Flags.string({ char: 'n', summary: 'namespace', helpValue: 'NS' }),
  'ca-file': Flags.string({ summary: 'PEM file with additional certificate authorities', helpValue: 'FILE' }),
  proxy: Flags.string({ summary: 'proxy for all connections', helpValue: 'URL' }),
  'insecure-skip-tls-verify': Flags.boolean({ summary: 'do not check certificates (prints a warning)' }),
  'allow-http-token': Flags.boolean({ summary: 'allow sending the token to another machine over plain http' }),
  retries: Flags.integer({
    summary: 'maximum number of retries per request (default: 3)',
    min: 0,
    max: 20,
    helpValue: 'N',
  }),
  'connect-timeout': durationFlag({ summary: 'maximum time to connect (default: 10s)' }),
  'request-timeout': durationFlag({
    summary: 'maximum time to wait for a response to start (default: 30s, or 15m for long writes)',
  }),
};

/** Flags of every command that speaks to the platform or a hub. */
export const connectionFlags = withTwins(connection, 'CONNECTION');

/** The same for commands that `-n` means nothing to. It is accepted, as its variable is, and not in the help. */
export const placelessFlags = {
  ...connectionFlags,
  namespace: { ...connectionFlags.namespace, hidden: true },
};

/** Which context, for commands that change one and connect to nothing. */
export const contextOnlyFlags = withTwins(
  { context: Flags.string({ summary: 'named connection to change (default: the current one)', helpValue: 'NAME' }) },
  'FLAGS',
);
