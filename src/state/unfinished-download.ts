import { createHash } from 'node:crypto';
import { closeSync, constants, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { CliError } from '../core/errors.js';
import { isThere } from '../core/files/exists.js';
import { localError } from '../core/files/local-error.js';
import { fileNameProblem } from '../core/names.js';
import { readFrom, readOwnBeginning } from './read-state-file.js';

const NAME = '.cdapctl-unfinished';
const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;
const MOST = 1024 * 1024;

const OwnFile = z.strictObject({
  address: z.string(),
  name: z.string().check(z.refine((name) => fileNameProblem(name) === undefined)),
  sha256: z.string(),
});

/** A file that a download wrote; `address` says of which package of which hub. */
export type OwnFile = Readonly<z.infer<typeof OwnFile>>;

/** Notes in a folder that a file is about to be written there, durably. */
export function noteOwn(folder: string, file: OwnFile): void {
  const path = join(folder, NAME);
  try {
    const handle = openSync(path, APPEND, 0o600);
    try {
      writeSync(handle, `${JSON.stringify(file)}\n`);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    throw localError(error, 'write', path);
  }
}

/**
 * The files that an unfinished download of an address left in a folder, and that are unchanged since. A file that
 * cannot be read counts as not ours.
 */
export async function ownFiles(folder: string, address: string): Promise<ReadonlySet<string>> {
  const noted = new Map<string, string>();
  for (const { name, sha256 } of await notedIn(folder, address)) noted.set(name, sha256);
  const own = new Set<string>();
  for (const [name, sha256] of noted) if ((await digestOf(join(folder, name))) === sha256) own.add(name);
  return own;
}

/** Whether a folder is that of a download that is not finished. */
export const isUnfinished = (folder: string): boolean => isThere(join(folder, NAME));

/** Forgets which files of a folder are of an unfinished download. */
export function forgetOwn(folder: string): void {
  try {
    rmSync(join(folder, NAME), { force: true });
  } catch {
    // Without it nothing is lost but a refusal to replace.
  }
}

async function notedIn(folder: string, address: string): Promise<readonly OwnFile[]> {
  const found = await harmless(() => readOwnBeginning(join(folder, NAME), MOST));
  const lines = found?.bytes.toString('utf8').split('\n') ?? [];
  return lines.flatMap((line) => fileIn(line) ?? []).filter((file) => file.address === address);
}

function fileIn(line: string): OwnFile | undefined {
  try {
    return OwnFile.safeParse(JSON.parse(line)).data;
  } catch {
    // A line that a kill cut.
    return undefined;
  }
}

async function digestOf(path: string): Promise<string | undefined> {
  const hash = createHash('sha256');
  return harmless(() =>
    readFrom(path, {}, async (handle) => {
      for await (const chunk of handle.createReadStream({ autoClose: false }))
        hash.update(z.instanceof(Buffer).parse(chunk));
      return hash.digest('hex');
    }),
  );
}

async function harmless<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}
