import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { CliError } from '../core/errors.js';
import { createStaged, syncFolder, writeAtomically } from './atomic-write.js';
import { baseAddress, hubKey } from './base-address.js';
import { localError } from '../core/files/local-error.js';
import { checkPrivateFolder, privateFolder, type PrivateOptions } from './private-folder.js';
import { readOwn } from './read-state-file.js';

const PERMS: PrivateOptions = { code: 'TRUST_PERMS' };
const FILES_AT_ONCE = 1000;
const PRIVATE_KEY = 'BEGIN PGP PRIVATE KEY BLOCK';

const KeyRecord = z.strictObject({
  /** The full fingerprint, 40 or 64 hexadecimal digits in upper case. */
  fingerprint: z.string().check(z.regex(/^(?:[0-9A-F]{40}|[0-9A-F]{64})$/u)),
  /** Names of the packages that the key may sign, `acme-*` say; all when absent (docs/faults.md T03). */
  packages: z.optional(z.string()),
  /** RFC 3339. */
  addedAt: z.string(),
});
const KeysFile = z.strictObject({ v: z.literal(1), keys: z.array(KeyRecord) });
const HubFile = z.looseObject({ url: z.string() });

/** What is remembered of a pinned key beside the key itself. */
export type KeyRecord = z.infer<typeof KeyRecord>;

/** A key that is trusted for one hub, with its armored text as it was added. */
export interface PinnedKey extends Readonly<KeyRecord> {
  readonly armored: string;
}

/** All that is trusted and remembered of one hub. */
export interface HubTrust<M> {
  readonly keys: readonly PinnedKey[];
  /** What the verifier has seen of the hub; undefined when nothing was stored. */
  readonly memory: M | undefined;
}

function place(folder: string, base: string): string {
  return join(folder, hubKey(base));
}

function damaged(file: string, cause?: unknown): CliError {
  return new CliError('LOCAL_IO', `the trust store is damaged: ${file} is missing or cannot be read`, {
    hints: ['restore it from a backup, or remove the folder of the hub and add its keys again'],
    target: { file },
    cause,
  });
}

async function readJson<T>(file: string, schema: z.ZodMiniType<T>): Promise<T | undefined> {
  const bytes = await readOwn(file, PERMS);
  if (bytes === undefined) return undefined;
  try {
    return schema.parse(JSON.parse(bytes.toString('utf8')));
  } catch (error) {
    throw damaged(file, error);
  }
}

async function writeJson(file: string, value: unknown): Promise<void> {
  await writeAtomically(file, `${JSON.stringify(value, undefined, 2)}\n`, { overwrite: true });
}

function refusePrivate(armored: string, file: string): void {
  if (!armored.includes(PRIVATE_KEY)) return;
  throw new CliError('TRUST_PRIVATE', `${file} contains a private key`, {
    hints: ['to export only the public key: gpg --armor --export KEY'],
    target: { file },
  });
}

async function recordsOf(hub: string): Promise<KeyRecord[]> {
  return (await readJson(join(hub, 'keys.json'), KeysFile))?.keys ?? [];
}

async function hubFolder(folder: string, base: string): Promise<string> {
  await privateFolder(folder, PERMS);
  const hub = await privateFolder(place(folder, base), PERMS);
  if ((await readOwn(join(hub, 'hub.json'), PERMS)) === undefined) {
    await writeJson(join(hub, 'hub.json'), { v: 1, url: baseAddress(base) });
  }
  return hub;
}

/**
 * Reads keys and memory of a hub; nothing stored is no keys and no memory.
 * @throws TRUST_PERMS, TRUST_PRIVATE, SYMLINK, or LOCAL_IO when damaged
 */
export async function readTrust<M>(folder: string, base: string, memory: z.ZodMiniType<M>): Promise<HubTrust<M>> {
  const hub = place(folder, base);
  if (!checkPrivateFolder(folder, PERMS) || !checkPrivateFolder(hub, PERMS)) return { keys: [], memory: undefined };
  const keys: PinnedKey[] = [];
  for (const record of await recordsOf(hub)) {
    const file = join(hub, `${record.fingerprint}.asc`);
    const armored = (await readOwn(file, PERMS))?.toString('utf8');
    if (armored === undefined) throw damaged(file);
    refusePrivate(armored, file);
    keys.push({ ...record, armored });
  }
  return { keys, memory: await readJson(join(hub, 'memory.json'), memory) };
}

/**
 * The addresses of all hubs with stored data, configured or not, sorted. Calls `unread` for each that cannot be read,
 * and leaves it out.
 */
export async function hubsInStore(folder: string, unread: (error: CliError) => void): Promise<readonly string[]> {
  if (!checkPrivateFolder(folder, PERMS)) return [];
  const names = await readdir(folder).catch((error: unknown) => {
    throw localError(error, 'read', folder);
  });
  const found: string[] = [];
  for (const name of names.filter((one) => /^[0-9a-f]{64}$/u.test(one))) {
    try {
      const hub = await readJson(join(folder, name, 'hub.json'), HubFile);
      if (hub !== undefined) found.push(hub.url);
    } catch (error) {
      if (!(error instanceof CliError && error.code === 'LOCAL_IO')) throw error;
      unread(error);
    }
  }
  return found.sort();
}

/**
 * Pins a key for a hub, or replaces it. The caller has checked that the text is the key of that fingerprint, and holds
 * the lock of the store.
 */
export async function addKey(folder: string, base: string, key: PinnedKey): Promise<void> {
  const { armored, ...rest } = key;
  const record = KeyRecord.parse({ ...rest, fingerprint: rest.fingerprint.toUpperCase() });
  refusePrivate(armored, record.fingerprint);
  const hub = await hubFolder(folder, base);
  const others = (await recordsOf(hub)).filter(({ fingerprint }) => fingerprint !== record.fingerprint);
  await writeAtomically(join(hub, `${record.fingerprint}.asc`), armored, { overwrite: true });
  await writeJson(join(hub, 'keys.json'), { v: 1, keys: [...others, record] });
}

/** Takes a key away from a hub, under the lock of the store; false when it was not pinned. */
export async function removeKey(folder: string, base: string, fingerprint: string): Promise<boolean> {
  const hub = place(folder, base);
  if (!checkPrivateFolder(folder, PERMS) || !checkPrivateFolder(hub, PERMS)) return false;
  const wanted = fingerprint.toUpperCase();
  const records = await recordsOf(hub);
  if (!records.some((record) => record.fingerprint === wanted)) return false;
  await writeJson(join(hub, 'keys.json'), { v: 1, keys: records.filter((record) => record.fingerprint !== wanted) });
  const file = join(hub, `${wanted}.asc`);
  await rm(file, { force: true }).catch((error: unknown) => {
    throw localError(error, 'write', file);
  });
  await syncFolder(hub);
  return true;
}

/**
 * Replaces the memory of a hub; call it under the store lock and after every check has passed. See docs/faults.md T07.
 */
export async function writeMemory(folder: string, base: string, memory: Members): Promise<void> {
  const hub = await hubFolder(folder, base);
  const staged = createStaged(join(hub, 'memory.json'), { overwrite: true });
  try {
    for (const piece of piecesOf(memory)) staged.write(piece);
    await staged.commit();
  } finally {
    await staged.abort();
  }
}

type Members = Readonly<Record<string, unknown>>;

/** JSON whose `files` come a thousand at a time: as one text, 100,000 would take 60 MB more. */
function* piecesOf({ files, ...others }: Members): Generator<string> {
  const rest = JSON.stringify(others).slice(1);
  yield '{';
  if (typeof files === 'object' && files !== null) {
    const entries = Object.entries(files);
    for (let at = 0; at < Math.max(1, entries.length); at += FILES_AT_ONCE) {
      const lines = entries
        .slice(at, at + FILES_AT_ONCE)
        .map(([key, file]) => `\n${JSON.stringify(key)}:${JSON.stringify(file)}`);
      yield `${at === 0 ? '"files":{' : ','}${lines.join()}`;
    }
    yield rest === '}' ? '}' : '},\n';
  }
  yield `${rest}\n`;
}

/** The lock file of the trust store of one hub. */
export function trustLockFile(folder: string, base: string): string {
  return `${place(folder, base)}.lock`;
}
