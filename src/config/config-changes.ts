import type * as z from 'zod/mini';
import { CliError } from '../core/errors.js';
import { baseAddress, refuseAddress } from '../core/hub-address.js';
import type { NextStep } from '../core/next-step.js';
import { Context, entryOf, HubEntry, Name } from './config-schema.js';
import type { ConfigChange } from './config-file.js';

function usable<T>(schema: z.ZodMiniType<T>, value: unknown, what: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const lines = result.error.issues.map(({ path, message }) => [...path, message].join(' '));
  throw new CliError('USAGE', `${what} is not valid: ${lines.join('; ')}`);
}

function missing(what: 'context' | 'hub', name: string, file: string): CliError {
  const code = what === 'hub' ? 'HUB_NOT_FOUND' : 'NOT_FOUND';
  return new CliError(code, `${what} "${name}" not found in ${file}`, {
    hints: [{ next: what === 'hub' ? 'list-hubs' : 'list-contexts' }],
    target: { [what]: name },
  });
}

function defined(members: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** The members in which two entries differ; the spelling of the address does not count. */
function differing(one: object, other: object): readonly string[] {
  const [here, there] = [defined(one), defined(other)];
  const text = (name: string, value: unknown): string =>
    JSON.stringify([typeof value === 'string' && name === 'url' ? baseAddress(value) : value]);
  const names = new Set([...Object.keys(here), ...Object.keys(there)]);
  return [...names].filter((name) => text(name, here[name]) !== text(name, there[name]));
}

/**
 * Whether an entry is there already as it is to be.
 * @throws CONFLICT when the name stands for something else
 */
function isThere(
  entries: Readonly<Record<string, object>>,
  what: 'context' | 'hub',
  name: string,
  entry: object,
): boolean {
  const there = entryOf(entries, name);
  if (there === undefined) return false;
  const members = differing(there, entry);
  if (members.length === 0) return true;
  const given = members.filter((member) => Object.hasOwn(entry, member));
  const values = new Map(Object.entries(defined(entry)).filter(([member]) => given.includes(member)));
  const hint: NextStep =
    values.size > 0 ? { next: 'set-context', name, members: values } : { next: 'show-context', name };
  throw new CliError('CONFLICT', `${what} "${name}" already exists with another ${members.join(' and ')}`, {
    hints: [what === 'context' ? hint : { next: 'remove-hub', name }],
    target: { [what]: name },
  });
}

/**
 * Adds a context, which may be there already with the same values. The first one of a file becomes the current one.
 * @throws USAGE when a value cannot be used, CONFLICT when the name is taken
 */
export function addContext(name: string, context: Context): ConfigChange {
  return (edit) => {
    usable(Name, name, `the name ${JSON.stringify(name)}`);
    const entry = usable(Context, defined(context), `the context "${name}"`);
    if (isThere(edit.config.contexts, 'context', name, entry)) return;
    edit.set(['contexts', name], entry);
    if (edit.config.current === undefined && Object.keys(edit.config.contexts).length === 0)
      edit.set(['current'], name);
  };
}

/**
 * Changes members of a context; an undefined one is taken away.
 * @throws NOT_FOUND, or USAGE when a value cannot be used
 */
export function setContext(name: string, members: Readonly<Partial<Record<keyof Context, unknown>>>): ConfigChange {
  return (edit) => {
    const before = entryOf(edit.config.contexts, name);
    if (before === undefined) throw missing('context', name, edit.file);
    usable(Context, defined({ ...before, ...members }), `the context "${name}"`);
    for (const [member, value] of Object.entries(members))
      if (value === undefined) edit.remove(['contexts', name, member]);
      else edit.set(['contexts', name, member], value);
  };
}

/**
 * Gives a context another name, and the mark of the current one with it.
 * @throws NOT_FOUND, or CONFLICT when the name is taken
 */
export function renameContext(name: string, to: string): ConfigChange {
  return (edit) => {
    const context = entryOf(edit.config.contexts, name);
    if (context === undefined) throw missing('context', name, edit.file);
    usable(Name, to, `the name ${JSON.stringify(to)}`);
    if (entryOf(edit.config.contexts, to) !== undefined)
      throw new CliError('CONFLICT', `context "${to}" already exists`, {
        hints: ['choose another name', { next: 'show-context', name: to }],
      });
    edit.set(['contexts', to], context);
    edit.remove(['contexts', name]);
    if (edit.config.current === name) edit.set(['current'], to);
  };
}

/**
 * Makes a context the current one.
 * @throws NOT_FOUND unless it is in the file or `known` says that it exists elsewhere (system file)
 */
export function useContext(name: string, known = false): ConfigChange {
  return (edit) => {
    usable(Name, name, `the name ${JSON.stringify(name)}`);
    if (!known && entryOf(edit.config.contexts, name) === undefined) throw missing('context', name, edit.file);
    edit.set(['current'], name);
  };
}

/** Leaves no context as the current one of the file. */
export function useNoContext(): ConfigChange {
  return (edit) => {
    edit.remove(['current']);
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

/**
 * Adds a hub, which may be there already with the same values.
 * @throws USAGE when a value cannot be used, CONFLICT when the name is taken
 */
export function addHub(name: string, hub: HubEntry): ConfigChange {
  return (edit) => {
    usable(Name, name, `the name ${JSON.stringify(name)}`);
    refuseAddress(hub.url);
    const entry = usable(HubEntry, defined(hub), `the hub "${name}"`);
    if (!isThere(edit.config.hubs, 'hub', name, entry)) edit.set(['hubs', name], entry);
  };
}

/** Removes a hub; its keys and memory, which belong to its address, stay. */
export function removeHub(name: string): ConfigChange {
  return (edit) => {
    if (entryOf(edit.config.hubs, name) === undefined) throw missing('hub', name, edit.file);
    edit.remove(['hubs', name]);
  };
}
