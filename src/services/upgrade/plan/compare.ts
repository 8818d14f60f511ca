import { CliError } from '../../../core/errors.js';
import { parseJson } from '../../../core/json/json.js';
import type { ApplicationDetail } from '../../../platform/apps.js';
import type { Note, PluginChange, PluginUse, UsedArtifact } from '../pipeline.js';
import { readUses } from '../plugins/plugin-uses.js';

/** So many members that differ are told one by one. */
const MOST_TOLD = 20;
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Uses by place and name, as a platform may put stages in another order; those of one name in theirs. */
function byStage(uses: readonly PluginUse[]): ReadonlyMap<string, PluginUse> {
  const seen = new Map<string, number>();
  return new Map(
    uses.map((use) => {
      const name = JSON.stringify([use.place, use.stage]);
      const nth = (seen.get(name) ?? 0) + 1;
      seen.set(name, nth);
      return [`${nth} ${name}`, use];
    }),
  );
}

const isOther = (one: UsedArtifact, other: UsedArtifact): boolean =>
  one.name !== other.name || (one.scope !== undefined && other.scope !== undefined && one.scope !== other.scope);

function changeOf({ stage, plugin, type, artifact: was }: PluginUse, { artifact: is }: PluginUse): PluginChange[] {
  const change = { stage, plugin, type, artifact: (was ?? is)?.name ?? '' };
  const [from, to] = [was?.version ?? '', is?.version ?? ''];
  if (was !== undefined && is !== undefined && isOther(was, is)) {
    const { name, scope } = is;
    return [{ ...change, from, to, toArtifact: { name, ...(scope !== undefined && { scope }) } }];
  }
  return from === to ? [] : [{ ...change, from, to }];
}

/** What a change of a configuration does to the artifacts of its plugins, stages paired by name. */
export function pluginChanges(before: string, after: string): readonly PluginChange[] {
  const now = byStage(readUses(after).uses);
  return [...byStage(readUses(before).uses)].flatMap(([key, was]) => {
    const is = now.get(key);
    return is === undefined ? [] : changeOf(was, is);
  });
}

const nameOf = (value: unknown): string | undefined =>
  isObject(value) && typeof value['name'] === 'string' ? value['name'] : undefined;

/** A value as a text that is the same whatever the order of its members, without those that are null. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return `{${members
    .map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`)
    .sort()
    .join()}}`;
}

/** Whether two values mean the same, lists in whatever order. */
function isSame(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return canonical(one) === canonical(other);
  return one.map(canonical).sort().join() === other.map(canonical).sort().join();
}

/**
 * What is there before and not after, or with another value; members that only came are none. Values are not quoted,
 * they can be secrets.
 */
function* lost(path: string, before: unknown, after: unknown): Generator<string> {
  if (before === null || before === undefined) return;
  if (after === null || after === undefined) {
    yield `${path} is gone`;
    return;
  }
  if (isObject(before) && isObject(after)) {
    for (const [name, value] of Object.entries(before))
      yield* lost(path === '' ? name : `${path}.${name}`, value, after[name]);
    return;
  }
  if (!isSame(before, after)) yield `${path} has another value`;
}

const isArtifact = (path: string): boolean => /^plugin\.artifact\b/u.test(path);

/** What is lost of the stages or post-actions, each by its name. */
function* lostElements(before: readonly unknown[], after: readonly unknown[], path: string): Generator<Note> {
  for (const [at, was] of before.entries()) {
    const stage = nameOf(was);
    const is = stage === undefined ? after[at] : after.find((other) => nameOf(other) === stage);
    if (stage === undefined) for (const message of lost(`${path}[${at}]`, was, is)) yield { message };
    else if (is === undefined) yield { stage, message: 'is gone' };
    else for (const message of lost('', was, is)) if (!isArtifact(message)) yield { stage, message };
  }
}

function* lostMembers(before: unknown, after: unknown): Generator<Note> {
  if (!isObject(before) || !isObject(after)) return;
  for (const [name, was] of Object.entries(before)) {
    const is = after[name];
    const hasNames = name === 'stages' || name === 'postActions';
    if (hasNames && Array.isArray(was) && Array.isArray(is)) yield* lostElements(was, is, name);
    else for (const message of lost(name, was, is)) yield { message };
  }
}

/** The members that a configuration lost, other than plugin artifacts: gone, or with another value. */
function lostOf(before: string, after: string): readonly Note[] {
  const parsed = (text: string): unknown => parseJson(Buffer.from(text), 'the configuration of the pipeline');
  const notes = [...lostMembers(parsed(before), parsed(after))];
  const more = notes.length - MOST_TOLD;
  return more <= 0 ? notes : [...notes.slice(0, MOST_TOLD), { message: `and ${more} more members` }];
}

/** What a pipeline became when it was written over. */
interface Became {
  readonly changes: readonly PluginChange[];
  readonly notes: readonly Note[];
}

const artifactText = (name: string, version: string, scope = ''): string =>
  [name, version, scope].filter((part) => part !== '').join(' ');

/**
 * A note that it cannot be told what changed in a configuration, such as one that is nested too deep. Its presence is
 * proved all the same.
 */
function untold(what: string, cause: unknown): Became {
  if (!(cause instanceof CliError)) throw cause;
  return { changes: [], notes: [{ message: `the changes to its ${what} are unknown: ${cause.message}` }] };
}

/** What happened to the artifacts of the plugins of a pipeline that was written over. */
export function changesIn(before: string, after: string): Became {
  try {
    return { changes: pluginChanges(before, after), notes: [] };
  } catch (cause) {
    return untold('plugins', cause);
  }
}

/** What the platform made of a configuration: the new artifacts of its stages, and what is gone. */
export function becameOf(before: string, { configuration = '' }: ApplicationDetail): Became {
  try {
    const changes = pluginChanges(before, configuration);
    const moved = changes.flatMap(({ stage, artifact, from, to, toArtifact }): readonly Note[] => {
      if (toArtifact === undefined) return [];
      const now = artifactText(toArtifact.name, to, toArtifact.scope);
      return [{ stage, message: `the platform moved it from ${artifactText(artifact, from)} to ${now}` }];
    });
    return { changes, notes: [...moved, ...lostOf(before, configuration)] };
  } catch (cause) {
    return untold('configuration', cause);
  }
}
