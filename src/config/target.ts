import { dirname, isAbsolute, join } from 'node:path';
import { CliError } from '../core/errors.js';
import { hubAddress, refuseAddress } from '../core/hub-address.js';
import type { NextStep } from '../core/next-step.js';
import { rootedCommand } from './command-words.js';
import { entryOf, isAddress, NAME, type Context, type HubEntry } from './config-schema.js';
import { inContext, pick, type Candidate, type Setting, type SettingSources } from './setting.js';

/** The command that would make the name known; none for what can be no name. */
const addHint = (what: 'context' | 'hub', name: string): readonly NextStep[] =>
  NAME.test(name) ? [{ next: what === 'hub' ? 'add-hub' : 'add-context', name }] : [];

/** A context with its name and the file that defines it; paths in it are absolute. */
export interface NamedContext extends Readonly<Context> {
  readonly name: string;
  readonly file: string;
}

/** Whom a command speaks to. Without a context it is anonymous: nothing that is stored for a context may be used. */
export interface Target {
  readonly context: Setting<NamedContext> | undefined;
  readonly url: Setting<string> | undefined;
}

/** A hub by name or address; unknown addresses have no name. */
export interface HubChoice {
  readonly name: string | undefined;
  readonly url: string;
  readonly verify?: HubEntry['verify'];
}

type Files = Pick<SettingSources, 'user' | 'system'>;

function contextNamed(name: string, files: Files): { context: NamedContext; origin: 'user' | 'system' } {
  for (const origin of ['user', 'system'] as const) {
    const layer = files[origin];
    const context = layer === undefined ? undefined : entryOf(layer.config.contexts, name);
    if (layer === undefined || context === undefined) continue;
    const { caFile, tokenFile, tokenCommand, hub } = context;
    const fromFile = (path: string): string => (isAbsolute(path) ? path : join(dirname(layer.file), path));
    const paths = {
      ...(caFile !== undefined && { caFile: fromFile(caFile) }),
      ...(tokenFile !== undefined && { tokenFile: fromFile(tokenFile) }),
      ...(tokenCommand !== undefined && { tokenCommand: rootedCommand(tokenCommand, dirname(layer.file)) }),
      // Never a folder below wherever the command is run.
      ...(hub !== undefined && /^\.{1,2}(?:[\\/]|$)/u.test(hub) && { hub: fromFile(hub) }),
    };
    return { context: { ...context, ...paths, name, file: layer.file }, origin };
  }
  const known = [
    ...Object.keys(files.user?.config.contexts ?? {}),
    ...Object.keys(files.system?.config.contexts ?? {}),
  ];
  const list =
    known.length === 0 ? 'no contexts are configured' : `existing contexts: ${[...new Set(known)].join(', ')}`;
  throw new CliError('NOT_FOUND', `context "${name}" not found; ${list}`, {
    hints: [{ next: 'list-contexts' }, ...addHint('context', name)],
    target: { context: name },
  });
}

function text(value: string): string {
  return value;
}

/**
 * Chooses the context and the URL (docs/conventions.md 2.10). The highest source that names either decides both. An
 * address thus never gets the credentials or settings of a context from a lower source.
 */
export function selectTarget(sources: SettingSources): Target {
  const { environment, project, user, system } = sources;
  const { context, url } = sources.flags;
  const level = (
    origin: Candidate['origin'],
    contextFrom: string,
    contextValue: unknown,
    urlFrom: string,
    urlValue: unknown,
  ): Target | undefined => {
    const name = pick([{ value: contextValue, origin, from: contextFrom }], text);
    const address = pick([{ value: urlValue, origin, from: urlFrom }], text);
    if (name === undefined) return address === undefined ? undefined : { context: undefined, url: address };
    const found = contextNamed(name.value, { user, system });
    const own = { value: found.context.url, origin: found.origin, ...inContext(name.value) };
    return { context: { ...name, value: found.context }, url: address ?? own };
  };
  return (
    level('flag', context?.from ?? '', context?.value, url?.from ?? '', url?.value) ??
    level(
      'environment',
      'CDAPCTL_CONTEXT',
      environment['CDAPCTL_CONTEXT'],
      'CDAPCTL_URL',
      environment['CDAPCTL_URL'],
    ) ??
    level('project', project?.file ?? '', project?.settings.context, '', undefined) ??
    level('user', user?.file ?? '', user?.config.current, '', undefined) ??
    level('system', system?.file ?? '', system?.config.current, '', undefined) ?? { context: undefined, url: undefined }
  );
}

/** All configured hubs in the order of the files, the user's before the system's. */
export function configuredHubs(files: Files): readonly HubChoice[] {
  const entries = { ...files.system?.config.hubs, ...files.user?.config.hubs };
  const names = new Set([...Object.keys(files.user?.config.hubs ?? {}), ...Object.keys(entries)]);
  return [...names].flatMap((name) => {
    const entry = entryOf(entries, name);
    return entry === undefined ? [] : [{ name, ...entry }];
  });
}

/**
 * The hub of a name or URL; a URL that is configured gets its name and settings.
 * @throws HUB_NOT_FOUND for an unknown name
 */
export function hubNamed(nameOrUrl: string, files: Files): HubChoice {
  const hubs = configuredHubs(files);
  if (nameOrUrl.includes('://')) {
    refuseAddress(nameOrUrl);
    // What else an address may hold is refused where it is opened.
    const wanted = isAddress(nameOrUrl) ? hubAddress(nameOrUrl) : undefined;
    return hubs.find(({ url }) => hubAddress(url) === wanted) ?? { name: undefined, url: nameOrUrl };
  }
  const hub = hubs.find(({ name }) => name === nameOrUrl);
  if (hub !== undefined) return hub;
  throw new CliError('HUB_NOT_FOUND', `hub "${nameOrUrl}" not found`, {
    hints: [{ next: 'list-hubs' }, ...addHint('hub', nameOrUrl)],
    target: { hub: nameOrUrl },
  });
}
