import { createHash } from 'node:crypto';
import { parseJson } from '../../core/json.js';
import { hasStudio, type Capabilities } from '../../platform/capabilities.js';
import { getApplication, listApplications, type ApplicationDetail } from '../../platform/apps.js';
import { getArtifact, type ArtifactDetail } from '../../platform/artifacts.js';
import type { Platform } from '../../platform/client.js';
import { getDraft, listDrafts } from '../../platform/drafts.js';
import { getStream } from '../../platform/streams.js';
import { draftTexts, getUserSettings } from '../../platform/user-store.js';
import type { LedgerItem, Thing } from '../../state/ledger.js';
import { lastEventTime } from './streams.js';

/** What looking at things on the platform needs. */
export interface Looking {
  readonly platform: Platform;
  readonly namespace: string;
  readonly capabilities: Capabilities;
  readonly signal: AbortSignal;
}

/** Whether a thing is there, and a digest of all that an install determines of it; `unknown` for kinds that this version does not know. */
export type Standing =
  | { readonly state: 'absent' }
  | { readonly state: 'unknown' }
  | {
      readonly state: 'present';
      readonly as: string;
      /** Of an item of the kind `application`: only its artifact is there. */
      readonly bare?: true;
    };

/** Whether a thing is as the install left it, or what an uninstall that was cut off has left of it. */
export function isOurs({ as, standing }: LedgerItem, now: Standing): boolean {
  if (now.state !== 'present' || as === undefined) return false;
  return now.as === as || (standing === 'removing' && now.bare === true);
}

/** Null members and the order of members mean nothing to the platform (contract 5.5). */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null && member !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, plain(member)]),
  );
}

const present = (value: unknown): Standing => ({
  state: 'present',
  as: createHash('sha256')
    .update(JSON.stringify(plain(value)))
    .digest('hex'),
});

function parsed(text: string): unknown {
  try {
    return parseJson(Buffer.from(text), 'a configuration');
  } catch {
    return text;
  }
}

const artifactPart = ({ classes: { apps = [], plugins = [] }, properties = {} }: ArtifactDetail): unknown => ({
  applications: apps.map(({ className }) => String(className)).sort(),
  plugins: plugins.map(({ type, name, className }) => `${type} ${name} ${className ?? ''}`).sort(),
  properties,
});

const applicationPart = ({ name, artifact, configuration = '' }: ApplicationDetail): unknown => ({
  name,
  artifact: `${artifact.name} ${artifact.version} ${artifact.scope.toUpperCase()}`,
  configuration: parsed(configuration),
});

const findArtifact = ({ name, version = '' }: Thing, { platform, namespace, signal }: Looking) =>
  platform.find(getArtifact, { namespace, name, version }, signal);

async function artifact(thing: Thing, looking: Looking): Promise<Standing> {
  const found = await findArtifact(thing, looking);
  return found === undefined ? { state: 'absent' } : present(artifactPart(found));
}

async function pipeline({ name }: Thing, { platform, namespace, signal }: Looking): Promise<Standing> {
  const found = await platform.find(getApplication, { namespace, application: name }, signal);
  return found === undefined ? { state: 'absent' } : present(applicationPart(found));
}

/** The names of the applications that are made from an artifact of the namespace. */
export async function madeFrom(
  { name, version }: Thing,
  { platform, namespace, signal }: Looking,
): Promise<readonly string[]> {
  const listed = await platform.call(listApplications, { namespace, artifact: name }, signal);
  const own = listed.filter((one) => one.artifact.scope.toUpperCase() === 'USER' && one.artifact.name === name);
  return [...new Set(own.filter((one) => one.artifact.version === version).map((one) => one.name))].sort();
}

async function application(thing: Thing, looking: Looking): Promise<Standing> {
  const { platform, namespace, signal } = looking;
  const found = await findArtifact(thing, looking);
  const details: unknown[] = [];
  for (const name of await madeFrom(thing, looking)) {
    const detail = await platform.find(getApplication, { namespace, application: name }, signal);
    if (detail !== undefined) details.push(applicationPart(detail));
  }
  if (found === undefined && details.length === 0) return { state: 'absent' };
  const whole = present({ artifact: found && artifactPart(found), applications: details });
  return whole.state === 'present' && details.length === 0 ? { ...whole, bare: true } : whole;
}

/** A draft with its id, which is all that its place keeps of it under the same name. */
export interface FoundDraft {
  readonly id: string;
  readonly studio: boolean;
  readonly content: unknown;
}

/** The drafts of a name, wherever the platform keeps drafts; two may share one. */
export async function draftsNamed(name: string, looking: Looking): Promise<readonly FoundDraft[]> {
  const { platform, namespace, capabilities, signal } = looking;
  const found: FoundDraft[] = [];
  if (await hasStudio(platform, capabilities, signal)) {
    for (const listed of await platform.call(listDrafts, { namespace }, signal)) {
      if (listed.name !== name) continue;
      const draft = await platform.find(getDraft, { namespace, id: listed.id }, signal);
      if (draft !== undefined)
        found.push({ id: listed.id, studio: true, content: { artifact: draft.artifact, config: draft.config } });
    }
    return found;
  }
  for (const [id, text] of draftTexts(await platform.call(getUserSettings, {}, signal), namespace)) {
    const value = parsed(text);
    if (typeof value !== 'object' || value === null) continue;
    const draft: Readonly<Record<string, unknown>> = { ...value };
    if (draft['name'] === name)
      found.push({ id, studio: false, content: { artifact: draft['artifact'], config: draft['config'] } });
  }
  return found;
}

async function draft({ name }: Thing, looking: Looking): Promise<Standing> {
  const found = await draftsNamed(name, looking);
  if (found.length === 0) return { state: 'absent' };
  return present(found.map(({ id, content }) => ({ id, content })).sort((a, b) => (a.id < b.id ? -1 : 1)));
}

async function stream({ name }: Thing, looking: Looking): Promise<Standing> {
  const { platform, namespace, capabilities, signal } = looking;
  const place = { namespace, stream: name };
  const found = capabilities.streams ? await platform.find(getStream, place, signal) : undefined;
  // Who appends an event changes the stream.
  return found === undefined
    ? { state: 'absent' }
    : present({ properties: found, last: await lastEventTime(place, looking) });
}

const LOOKS: ReadonlyMap<string, (thing: Thing, looking: Looking) => Promise<Standing>> = new Map([
  ['artifact', artifact],
  ['application', application],
  ['pipeline', pipeline],
  ['draft', draft],
  ['stream', stream],
]);

/** Looks whether a thing is there and what it is like; only reads. */
export async function standingOf(thing: Thing, looking: Looking): Promise<Standing> {
  return (await LOOKS.get(thing.kind)?.(thing, looking)) ?? { state: 'unknown' };
}
