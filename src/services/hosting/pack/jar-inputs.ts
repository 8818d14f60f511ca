import { createHash } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import { CliError } from '../../../core/errors.js';
import { localError } from '../../../core/files/local-error.js';
import { LIMITS } from '../../../hub/source.js';
import { readUnchanged } from '../sign/read-unchanged.js';
import { readConfigBeside } from './sibling-config.js';
import type { PackedJar } from './draft.js';
import { readPackedJar } from './read-jar.js';

/** A JAR as it was named, and where it is. */
export interface NamedJar {
  readonly shown: string;
  readonly file: string;
}

/**
 * Reads JARs and the configs beside them.
 * @throws BAD_JAR, BAD_JSON and the like, LOCAL_IO; of several errors the first, with a line for each
 */
export async function readJars(jars: readonly NamedJar[], signal: AbortSignal): Promise<readonly PackedJar[]> {
  const read: PackedJar[] = [];
  const errors: CliError[] = [];
  for (const jar of jars) {
    try {
      read.push(await readOne(jar, signal));
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof CliError)) throw error;
      errors.push(error);
    }
  }
  const [first, ...more] = errors;
  if (first === undefined) return read;
  if (more.length === 0) throw first;
  const lines = errors.map(({ message }) => message);
  throw new CliError(first.code, `${errors.length} of ${jars.length} JARs cannot be packed`, { lines });
}

async function readOne({ file, shown }: NamedJar, signal: AbortSignal): Promise<PackedJar> {
  const unreadable = (error: unknown): never => {
    throw localError(error, 'read', shown);
  };
  const real = await realpath(file).catch(unreadable);
  const stats = await stat(real).catch(unreadable);
  if (!stats.isFile())
    throw new CliError('BAD_JAR', `${shown} is not a valid JAR: it is not a regular file`, { target: { file: shown } });
  if (stats.size > LIMITS.resource)
    throw new CliError('TOO_LARGE', `${shown} has more than ${LIMITS.resource} bytes, which clients do not read`);
  // First: if another JAR takes its place before the facts are read, the copy has another digest.
  const sha256 = await digestOf(real, signal, () => undefined);
  // The name is that of the file as it was given: it may tell of which project the JAR is.
  const facts = await readPackedJar(real, shown, file, signal);
  return { ...facts, file: real, shown, sha256, beside: await readConfigBeside(file) };
}

/**
 * The SHA-256 of a file in hex, whose bytes are handed on.
 * @throws CHANGED_MEANWHILE, LOCAL_IO
 */
export async function digestOf(file: string, signal: AbortSignal, take: (chunk: Uint8Array) => void): Promise<string> {
  const hash = createHash('sha256');
  await readUnchanged(file, signal, (chunk) => {
    hash.update(chunk);
    take(chunk);
  });
  return hash.digest('hex');
}
