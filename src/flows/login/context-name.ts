import type { FoundSettings } from '../../cli/settings.js';
import { CliError } from '../../core/errors.js';
import { isSameBase } from '../../core/hub-address.js';
import { commandLine } from '../../cli/line/command-line.js';
import { NAME } from '../../config/config-schema.js';

/** The context that a login is for: one that is there, or one to be added. */
export interface LoginContext {
  readonly name: string;
  readonly isNew: boolean;
}

/**
 * Chooses the context of a login: the named one, the one in force, one with the address, or a new one. That has the
 * name of the host unless another is given.
 * @throws CONFLICT when the name stands for another address
 */
export function loginContext(
  url: string,
  named: string | undefined,
  { sources, settings }: Pick<FoundSettings, 'sources' | 'settings'>,
): LoginContext {
  const contexts = { ...sources.system?.config.contexts, ...sources.user?.config.contexts };
  const current = settings.context?.value;
  if (named === undefined && current !== undefined && isSameBase(current.url, url))
    return { name: current.name, isNew: false };
  const same = Object.entries(contexts).find(([, context]) => isSameBase(context.url, url))?.[0];
  if (named === undefined && same !== undefined) return { name: same, isNew: false };
  const host = new URL(url).hostname.replaceAll(/[[\]:]+/gu, '.').replaceAll(/^\.+|\.+$/gu, '');
  const name = named ?? host;
  if (!NAME.test(name)) throw new CliError('USAGE', `${JSON.stringify(name)} is not a valid context name`);
  if (!Object.hasOwn(contexts, name)) return { name, isNew: true };
  if (isSameBase(contexts[name]?.url ?? '', url)) return { name, isNew: false };
  throw new CliError('CONFLICT', `context "${name}" has another URL: ${contexts[name]?.url ?? ''}`, {
    hints: [commandLine(['context', 'show', name]), 'to name the new context: --context NAME'],
  });
}
