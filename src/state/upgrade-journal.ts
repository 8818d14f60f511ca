import { createHash } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { baseAddress } from './base-address.js';
import { JournalWriter } from './journal-writer.js';

const Text = z.string().check(z.minLength(1));
const Time = z.string().check(z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z$/u));
/** `n` is the number of the line, so that a missing one is noticed. Journals of older versions have none. */
const Common = { v: z.literal(1), at: Time, n: z.optional(z.number()) };
const Place = { namespace: Text, pipeline: Text };
const Artifact = z.strictObject({ name: Text, version: Text, scope: z.enum(['SYSTEM', 'USER']) });

/** What a pipeline is made from, and with what configuration (its text). */
const Made = z.strictObject({ artifact: Artifact, configuration: z.string() });
/** A pipeline as the platform showed it. `version` is that of the application, where the platform names one. */
const Shown = z.strictObject({ ...Made.shape, version: z.optional(z.string()) });

const Schedule = z.looseObject({ name: z.string(), status: z.optional(z.string()) });

/** What an upgrade was asked to choose, also where it is resumed. `running` may be given again then. */
export const UpgradeSelection = z.strictObject({
  /** Undefined: all namespaces. */
  namespace: z.optional(z.string()),
  pipeline: z.optional(z.string()),
  match: z.array(z.string()),
  exclude: z.array(z.string()),
  kind: z.optional(z.enum(['batch', 'realtime'])),
  to: z.optional(z.string()),
  plugins: z.array(z.string()),
  includeCurrent: z.boolean(),
  snapshots: z.boolean(),
  running: z.enum(['warn', 'skip', 'fail']),
  engine: z.enum(['client', 'server']),
});
/** What an upgrade was asked to choose. */
export type UpgradeSelection = z.infer<typeof UpgradeSelection>;

const Run = z.strictObject({
  ...Common,
  type: z.literal('run'),
  command: z.enum(['upgrade', 'rollback']),
  /** Base address of the platform, and its version. */
  platform: Text,
  platformVersion: z.string(),
  /** Of an upgrade. */
  selection: z.optional(UpgradeSelection),
  /** The journal that a rollback takes back. */
  of: z.optional(z.string()),
  /** Journals of runs before that one which were cut off, and are taken back together with it. */
  also: z.optional(z.array(z.string())),
});

const Sending = z.strictObject({
  ...Common,
  type: z.literal('sending'),
  ...Place,
  before: Shown,
  /** Undefined where the platform itself upgrades. */
  sent: z.optional(Made),
  /** The artifact that the platform is to upgrade to, where it does so itself. */
  to: z.optional(Artifact),
  /** Every schedule with its status and all that the platform told of it. */
  schedules: z.array(Schedule),
  /** SHA-256 of the line before this member, which is the last; journals of older versions have none. */
  digest: z.optional(z.string()),
});

const Ended = z.strictObject({
  ...Common,
  type: z.literal('ended'),
  ...Place,
  state: z.enum(['done', 'failed', 'blocked', 'unknown']),
  /** What was read back; the configuration only where its text is another one than was sent. */
  after: z.optional(
    z.strictObject({ artifact: Artifact, version: z.optional(z.string()), configuration: z.optional(z.string()) }),
  ),
  message: z.optional(z.string()),
  /** Its schedules may not be as before it was sent: the next run restores them as `sending` noted them. */
  schedules: z.optional(z.literal('open')),
  /** What was sent had no effect: what is there now is somebody else's. */
  untouched: z.optional(z.literal(true)),
});

/**
 * One line of the journal of an upgrade or its rollback. It says which run it belongs to, what is about to be sent, how
 * a pipeline ended, or that everything was tried.
 */
export const UpgradeEntry = z.discriminatedUnion('type', [
  Run,
  Sending,
  Ended,
  z.strictObject({ ...Common, type: z.literal('finished') }),
]);

/** One line of the journal of an upgrade; `at` is RFC 3339 in UTC. */
export type UpgradeEntry = z.infer<typeof UpgradeEntry>;
/** The first line: what run the journal is of. */
export type RunEntry = z.infer<typeof Run>;
/** What a pipeline was, and what is about to be sent over it. */
export type SendingEntry = z.infer<typeof Sending>;
/** How a pipeline ended. */
export type EndedEntry = z.infer<typeof Ended>;
/** A pipeline as the platform showed it. */
export type ShownPipeline = z.infer<typeof Shown>;
/** What a pipeline is, or is to be, made from. */
export type MadePipeline = z.infer<typeof Made>;

const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex');

/** An entry as it is written: what a rollback may send back gets a digest, after all that it covers. */
export function sealed(entry: UpgradeEntry, line: number): UpgradeEntry {
  if (entry.type !== 'sending') return { ...entry, n: line };
  // JSON leaves out what is undefined, and what is set anew stands last.
  const rest = { ...entry, n: line };
  delete rest.digest;
  return { ...rest, digest: sha256(JSON.stringify(rest).slice(0, -1)) };
}

/**
 * Writes the journal of an upgrade. Each entry gets the number of its line, and what a rollback may send back gets a
 * digest.
 */
export class UpgradeJournal extends JournalWriter<UpgradeEntry> {
  protected override readonly written = sealed;
}

const SEAL = /,"digest":"([\da-f]{64})"\}$/u;
const LONGEST_SEAL = 80;

/** Whether the line of an entry with a digest is what was written, byte for byte. */
export function isIntact(line: Uint8Array): boolean {
  const from = Math.max(0, line.length - LONGEST_SEAL);
  const match = SEAL.exec(Buffer.from(line.subarray(from)).toString('latin1'));
  return match !== null && sha256(line.subarray(0, from + match.index)) === match[1];
}

/** The folder of the journals of upgrades. */
export const upgradesFolder = (stateFolder: string): string => join(stateFolder, 'upgrades');

/**
 * The name of a journal by the time its run began (milliseconds since the epoch). `2` and so on for further ones of one
 * second.
 */
export function upgradeJournalName(at: number, nth: number): string {
  const time = new Date(at).toISOString().slice(0, 19).replaceAll(':', '-');
  return `${time}Z${nth === 1 ? '' : `-${nth}`}.ndjson`;
}

/** The first line of the journal of a run. */
export function runEntry(at: number, run: Omit<RunEntry, 'v' | 'at' | 'type'>): RunEntry {
  return { v: 1, type: 'run', at: new Date(at).toISOString(), ...run, platform: baseAddress(run.platform) };
}
