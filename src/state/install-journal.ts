import { createHash } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { baseAddress, hubAddress } from './base-address.js';

const Time = z.string().check(z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z$/u));
const Common = { v: z.literal(1), at: Time };
const Action = z.int().check(z.nonnegative());

/** One line of the journal of an install (cli.md decision 11): what became of a step, a fact to restore later, or the end. */
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
    /** What is remembered, `schedules` say: their statuses before a deploy (decision 12). */
    name: z.string().check(z.minLength(1)),
    value: z.json(),
  }),
  z.strictObject({
    ...Common,
    type: z.literal('finished'),
    /** Whether every file of the package was verified. */
    verified: z.optional(z.boolean()),
  }),
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
