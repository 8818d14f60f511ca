import { resolve } from 'node:path';
import { rootedCommand } from '../../config/command-words.js';
import type { Context } from '../../config/config-schema.js';
import { looksLikeToken } from '../../config/token.js';
import { CliError } from '../../core/errors.js';
import { isThere } from '../../core/files/exists.js';
import { hubAddress } from '../../cli/hubs.js';
import { platformAddress } from '../../cli/transports.js';
import type { Session } from '../../cli/session.js';
import { namespaceHints, type FoundSettings } from '../../cli/settings.js';

interface ContextLine {
  readonly url?: string | undefined;
  readonly namespace?: string | undefined;
  readonly hub?: string | undefined;
  readonly 'token-file'?: string | undefined;
  readonly 'token-command'?: string | undefined;
  readonly 'ca-file'?: string | undefined;
  readonly proxy?: string | undefined;
  readonly 'ui-url'?: string | undefined;
  readonly protected?: boolean | undefined;
}

type Members = { -readonly [member in keyof Context]?: Context[member] | undefined };

function tokenFileOf(text: string): string {
  if (looksLikeToken(text) && !isThere(resolve(text)))
    throw new CliError('USAGE', 'the value looks like a token, not like a file path', {
      hints: ['save the token in a file with mode 600 and specify that file', 'start a path with ./'],
    });
  return pathOf(text);
}

function pathOf(text: string): string {
  if (text !== '-') return resolve(text);
  throw new CliError('USAGE', 'a context needs a file; to read the token from stdin for one run: -a -');
}

/** What a line says of a context; a text that is empty takes its member away. */
export async function contextMembers(
  flags: ContextLine,
  { sources }: Pick<FoundSettings, 'sources'>,
  session: Pick<Session, 'env' | 'signal'>,
): Promise<Members> {
  const { url, namespace, hub, proxy } = flags;
  const [tokenFile, caFile, uiUrl] = [flags['token-file'], flags['ca-file'], flags['ui-url']];
  const members: Members = {};
  if (url !== undefined) members.url = platformAddress(url);
  if (namespace?.includes(',') === true)
    throw new CliError('USAGE', `a context has one namespace, not ${JSON.stringify(namespace)}`, {
      hints: namespaceHints(namespace.split(',')),
    });
  if (namespace !== undefined) members.namespace = namespace || undefined;
  if (hub !== undefined) members.hub = hub === '' ? undefined : await hubAddress(hub, sources, session);
  if (proxy !== undefined) members.proxy = proxy || undefined;
  if (tokenFile !== undefined) members.tokenFile = tokenFile === '' ? undefined : tokenFileOf(tokenFile);
  const command = flags['token-command'];
  if (command !== undefined) {
    if (tokenFile !== undefined && tokenFile !== '' && command !== '')
      throw new CliError('USAGE', 'a context has a token file or a token command, not both');
    members.tokenCommand = command === '' ? undefined : rootedCommand(command, resolve());
  }
  // One takes the place of the other.
  if (members.tokenFile !== undefined) members.tokenCommand = undefined;
  if (members.tokenCommand !== undefined) members.tokenFile = undefined;
  if (caFile !== undefined) members.caFile = caFile === '' ? undefined : pathOf(caFile);
  if (uiUrl !== undefined) members.uiUrl = uiUrl || undefined;
  if (flags.protected !== undefined) members.protected = flags.protected || undefined;
  return members;
}
