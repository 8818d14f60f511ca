import { resolve } from 'node:path';
import type { Context } from '../config/config-schema.js';
import { CliError } from '../core/errors.js';
import { hubAddress } from './hub-address.js';
import { platformAddress } from './platform-address.js';
import type { Session } from './session.js';
import type { FoundSettings } from './settings.js';

interface ContextLine {
  readonly url?: string | undefined;
  readonly namespace?: string | undefined;
  readonly hub?: string | undefined;
  readonly 'token-file'?: string | undefined;
  readonly 'ca-file'?: string | undefined;
  readonly proxy?: string | undefined;
  readonly protected?: boolean | undefined;
}

type Members = { -readonly [member in keyof Context]?: Context[member] | undefined };

function pathOf(text: string): string {
  if (text !== '-') return resolve(text);
  throw new CliError('USAGE', 'a context names a file; stdin is for one run: -a -');
}

/** What a line says of a context; a text that is empty takes its member away. */
export async function contextMembers(
  flags: ContextLine,
  { sources }: FoundSettings,
  session: Session,
): Promise<Members> {
  const { url, namespace, hub, proxy } = flags;
  const [tokenFile, caFile] = [flags['token-file'], flags['ca-file']];
  const members: Members = {};
  if (url !== undefined) members.url = platformAddress(url);
  if (namespace !== undefined) members.namespace = namespace || undefined;
  if (hub !== undefined) members.hub = hub === '' ? undefined : await hubAddress(hub, sources, session);
  if (proxy !== undefined) members.proxy = proxy || undefined;
  if (tokenFile !== undefined) members.tokenFile = tokenFile === '' ? undefined : pathOf(tokenFile);
  if (caFile !== undefined) members.caFile = caFile === '' ? undefined : pathOf(caFile);
  if (flags.protected !== undefined) members.protected = flags.protected || undefined;
  return members;
}
