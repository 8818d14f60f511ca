import { createHash } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { baseAddress, hubAddress } from './base-address.js';
import { openJournal, type Journal } from './journal.js';

const Time = z.string().check(z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z$/u));
const Common = { v: z.literal(1), at: Time };
const Action = z.int().check(z.nonnegative());

/**
 * One line of the journal of an install (docs/conventions.md D11). It is the outcome of a step, a fact to restore
 * later, who owns a thing on the platform, a fresh start, or the end.
 */
export const InstallEntry = z.discriminatedUnion('type', [
  z.strictObject({
    ...Common,
    type: z.literal('step'),
    /** Number of the step in the plan. */
    n: Action,
    /** SHA-256 of the resolved arguments and the digests of the files. */
    key: z.string().check(z.regex(/^[0-9a-f]{64}$/u)),
    state: z.enum(['started', 'done', 'failed', 'unknown']),
    detail: z.optional(z.string()),
  }),
  z.strictObject({
    ...Common,
    type: z.literal('fact'),
    n: Action,
    /** What is remembered, `schedules` say: their statuses before a deploy (docs/conventions.md D12). */
    name: z.string().check(z.minLength(1)),
    value: z.json(),
  }),
  z.strictObject({
    ...Common,
    type: z.literal('install'),
    /** What the journal is of; the name of its file is a digest of this. */
    platform: z.string(),
    namespace: z.string(),
    hub: z.string(),
    hubName: z.string(),
    package: z.string(),
    version: z.string(),
  }),
  z.strictObject({
    ...Common,
    type: z.literal('target'),
    n: Action,
    kind: z.string().check(z.minLength(1)),
    name: z.string().check(z.minLength(1)),
    version: z.optional(z.string()),
    /**
     * What this install has to do with a thing on the platform. It is about to make it, made it, found it there, is
     * about to remove it or has left it behind; `absent`: it is not there, or not by this install.
     */
    state: z.enum(['creating', 'created', 'found', 'removing', 'left', 'absent']),
    /** SHA-256 over what the install determined of the thing, as the platform showed it then. */
    as: z.optional(z.string().check(z.regex(/^[0-9a-f]{64}$/u))),
    /** Why an uninstall left it behind, in words. */
    why: z.optional(z.string()),
  }),
  z.strictObject({
    ...Common,
    type: z.literal('finished'),
    /** Whether every file of the package was verified. */
    verified: z.optional(z.boolean()),
  }),
  /** A run that does everything once more: what stands before it no longer counts for its steps. */
  z.strictObject({
    ...Common,
    type: z.literal('again'),
    state: z.enum(['begun', 'ended']),
    /** Numbers of the actions that it is of. */
    actions: z.array(Action),
  }),
  /** An uninstall came to its end, whatever it had to leave. */
  z.strictObject({ ...Common, type: z.literal('uninstalled') }),
]);

/** One line of the journal of an install; `at` is RFC 3339 in UTC, as `formatTime` writes it. */
export type InstallEntry = z.infer<typeof InstallEntry>;

/** What an install is the same install by. */
export interface InstallIdentity {
  /** Scheme, host and port of the platform, with its path prefix. */
  readonly platform: string;
  readonly namespace: string;
  /** Base URL of the hub. */
  readonly hub: string;
  readonly package: string;
  readonly version: string;
}

/** The journal of an install: `installs/<SHA-256 of its identity>.ndjson`. */
export function installJournalFile(stateFolder: string, identity: InstallIdentity): string {
  const { platform, namespace, hub, version } = identity;
  const parts = [baseAddress(platform), namespace, hubAddress(hub), identity.package, version];
  const name = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  return join(stateFolder, 'installs', `${name}.ndjson`);
}

/** Opens the journal of an install; it has no entries where nothing was begun. */
export const openInstallJournal = (stateFolder: string, identity: InstallIdentity): Promise<Journal<InstallEntry>> =>
  openJournal(installJournalFile(stateFolder, identity), InstallEntry);

/** Writes down what a journal is of, once, so that the ledger can list it. */
export async function identifyJournal(
  journal: Journal<InstallEntry>,
  identity: InstallIdentity & { readonly hubName: string },
  now: number,
): Promise<void> {
  if (journal.entries.some(({ type }) => type === 'install')) return;
  const addresses = { platform: baseAddress(identity.platform), hub: hubAddress(identity.hub) };
  await journal.append({ v: 1, type: 'install', ...identity, ...addresses, at: new Date(now).toISOString() });
}
