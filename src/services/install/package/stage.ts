import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { readJar } from '../../../core/files/jar.js';
import { fileNameFor } from '../../../core/names.js';
import { createStaged } from '../../../state/atomic-write.js';
import { localError } from '../../../core/files/local-error.js';
import { pastCaches } from '../../../hub/while-published.js';
import type { TrustedPackage } from '../../catalog/trusted-package.js';
import type { JarSource, PreparedAction, StagedFile, StagedJar } from '../action.js';

/** Fetches and verifies each file of a package once. Small ones stay in memory, large ones go to disk. */
export interface StagedFiles {
  readonly resource: (name: string) => Promise<Uint8Array>;
  readonly file: (name: string) => Promise<StagedFile>;
  readonly jar: (source: JarSource) => Promise<StagedJar>;
}

async function digestLocal(file: string, signal: AbortSignal): Promise<StagedFile> {
  // It is a JAR or is not read: the bytes of a device have no end.
  await readJar(file);
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const chunk of createReadStream(file, { signal, highWaterMark: 256 * 1024 })) {
      const part = Buffer.from(chunk);
      hash.update(part);
      bytes += part.length;
    }
  } catch (error) {
    throw localError(error, 'read', file);
  }
  return { file, bytes, sha256: hash.digest('hex') };
}

function fetchFile(name: string, folder: string, trusted: TrustedPackage, signal: AbortSignal): Promise<StagedFile> {
  const file = join(folder, fileNameFor(name));
  return pastCaches(async (fresh) => {
    const staged = createStaged(file, { passing: true });
    try {
      const sink = (chunk: Uint8Array): void => {
        staged.write(chunk);
      };
      const { bytes, sha256 } = await trusted.fetch(name, { sink, fresh }, signal);
      await staged.commit();
      return { file, bytes, sha256 };
    } catch (error) {
      await staged.abort();
      throw error;
    }
  });
}

function once<T>(make: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const made = new Map<string, Promise<T>>();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    return value;
  };
}

/** Opens the staging of a package in a private folder. Nothing gets its name there before it is verified. */
export function openStaging(trusted: TrustedPackage, folder: string, signal: AbortSignal): StagedFiles {
  const fetched = once((name) => fetchFile(name, folder, trusted, signal));
  const local = once((file) => digestLocal(file, signal));
  return {
    resource: once((name) => trusted.read(name, signal)),
    file: fetched,
    jar: async (source) => {
      const jar = await (source.kind === 'local' ? local(source.file) : fetched(source.name));
      // A person knows the file by its place in the package, not by the one that it waits in.
      await readJar(jar.file, source.kind === 'local' ? source.file : source.name);
      return jar;
    },
  };
}

/** Fetches and verifies all JARs; gives the warnings about those that only the policy accepts. */
export async function stageJars(
  actions: readonly PreparedAction[],
  { trusted, staging }: { readonly trusted: Pick<TrustedPackage, 'warnings'>; readonly staging: StagedFiles },
): Promise<readonly string[]> {
  const known = trusted.warnings.length;
  for (const { step } of actions) if (step?.jar !== undefined) await staging.jar(step.jar);
  return trusted.warnings.slice(known);
}
