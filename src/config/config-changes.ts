import type * as z from 'zod/mini';
import { CliError } from '../core/errors.js';
import { refuseAddress } from '../core/hub-address.js';
import { Context, entryOf, HubEntry, Name } from './config-schema.js';
import type { ConfigChange, ConfigEdit } from './config-file.js';

function usable<T>(schema: z.ZodMiniType<T>, value: unknown, what: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const lines = result.error.issues.map(({ path, message }) => [...path, message].join(' '));
  throw new CliError('USAGE', `${what} cannot be used: ${lines.join('; ')}`);
}

function missing(what: 'context' | 'hub', name: string, file: string): CliError {
  const code = what === 'hub' ? 'HUB_NOT_FOUND' : 'NOT_FOUND';
  return new CliError(code, `there is no ${what} "${name}" in ${file}`, {
    hints: [what === 'hub' ? 'cdapctl hub sources' : 'cdapctl context list'],
    target: { [what]: name },
  });
}

function defined(members: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

function refuseTaken(edit: ConfigEdit, what: 'context' | 'hub', name: string): void {
  const entries = what === 'context' ? edit.config.contexts : edit.config.hubs;
  if (entryOf(entries, name) === undefined) return;
  const instead = what === 'context' ? `cdapctl context remove ${name}` : `cdapctl hub remove ${name}`;
  throw new CliError('USAGE', `there is a ${what} "${name}" already`, { hints: [instead], target: { [what]: name } });
}

/** Adds a context; the first one of a file becomes the current one. USAGE when the name is taken or a value cannot be used. */
export function addContext(name: string, context: Context): ConfigChange {
  return (edit) => {
    usable(Name, name, `the name ${JSON.stringify(name)}`);
    refuseTaken(edit, 'context', name);
    edit.set(['contexts', name], usable(Context, defined(context), `the context "${name}"`));
    if (edit.config.current === undefined && Object.keys(edit.config.contexts).length === 0)
      edit.set(['current'], name);
  };
}

/** Makes a context the current one; NOT_FOUND unless it is in the file or `known` says that it exists elsewhere (system file). */
export function useContext(name: string, known = false): ConfigChange {
  return (edit) => {
    usable(Name, name, `the name ${JSON.stringify(name)}`);
    if (!known && entryOf(edit.config.contexts, name) === undefined) throw missing('context', name, edit.file);
    edit.set(['current'], name);
  };
}

/** Removes a context, and the mark of the current one with it. */
export function removeContext(name: string): ConfigChange {
  return (edit) => {
    if (entryOf(edit.config.contexts, name) === undefined) throw missing('context', name, edit.file);
    edit.remove(['contexts', name]);
    if (edit.config.current === name) edit.remove(['current']);
  };
}

/** Adds a hub; USAGE when the name is taken or a value cannot be used. */
export function addHub(name: string, hub: HubEntry): ConfigChange {
  return (edit) => {
    usable(Name, name, `the name ${JSON.stringify(name)}`);
    refuseTaken(edit, 'hub', name);
    refuseAddress(hub.url);
    edit.set(['hubs', name], usable(HubEntry, defined(hub), `the hub "${name}"`));
  };
}

/** Removes a hub; its keys and memory, which belong to its address, stay. */
export function removeHub(name: string): ConfigChange {
  return (edit) => {
    if (entryOf(edit.config.hubs, name) === undefined) throw missing('hub', name, edit.file);
    edit.remove(['hubs', name]);
  };
}
