import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { timestamp, type Clock } from '../../../core/clock.js';
import { CliError } from '../../../core/errors.js';
import { parseJson } from '../../../core/json/json.js';
import { localError } from '../../../core/files/local-error.js';
import { makeFolders } from '../../../core/files/make-folders.js';
import type { Capabilities } from '../../../platform/capabilities.js';
import { writeAtomically } from '../../../state/atomic-write.js';
import { readOwn } from '../../../state/read-state-file.js';
import { recordKey } from '../../../state/read-upgrade-journal.js';
import { appRequest } from '../../writing/app-request.js';
import { chooseErrorFiles, errorFileNames } from './error-file-names.js';
import { byName } from '../pipeline.js';
import type { Change, PipelinePlace } from '../pipeline.js';

const Entry = z.strictObject({
  /**
   * There is nothing to send by hand. What was sent may have been applied (`unknown`), or was (`deployed`) and its
   * schedules may not be as before: the next run settles that.
   */
  state: z.optional(z.enum(['unknown', 'deployed'])),
  /** Undefined when there is no request to send again. That is with a `state`, or when the platform itself upgrades. */
  file: z.optional(z.string()),
  namespace: z.string(),
  pipeline: z.string(),
  stage: z.optional(z.string()),
  message: z.string(),
  serverSaid: z.optional(z.string()),
  hint: z.optional(z.string()),
  at: z.string(),
});
const Index = z.strictObject({ schemaVersion: z.literal(1), files: z.array(Entry) });
type Entry = z.infer<typeof Entry>;

/** What a file holds, and what its index tells of it; `H`: the form of its hint. */
export interface SavedRequest<H = string> {
  /** Undefined when it failed before there was a request, or after that was sent. */
  readonly change: Change | undefined;
  readonly message: string;
  readonly serverSaid: string | undefined;
  /** It was sent, so that there is nothing to send by hand: it may have been applied, or was. */
  readonly sent?: 'unknown' | 'deployed' | undefined;
  readonly stage?: string | undefined;
  readonly hint?: H | undefined;
}

/** Keeps what was, or would have been, sent; gives the file, undefined where nobody wants it. */
export type SaveRequest<H = string> = (place: PipelinePlace, saved: SavedRequest<H>) => Promise<string | undefined>;

/** The folder of `-e`: a request to send again for each failed pipeline, and an index of them. */
export interface ErrorFiles {
  /**
   * Writes the request and the index. Gives the path of the file, undefined where there is no request or the platform
   * itself upgrades.
   * @throws LOCAL_IO, DISK_FULL
   */
  save(place: PipelinePlace, saved: SavedRequest): Promise<string | undefined>;
  /** Removes the files of these pipelines, also those of earlier runs, and writes the index. */
  finish(upgraded: readonly PipelinePlace[]): Promise<void>;
}

function notOurs(file: string): CliError {
  return new CliError('USAGE', `${file} is not an index of failed pipelines`, {
    hints: ['use another folder, or remove the file'],
    target: { file },
  });
}

function parseIndex(bytes: Uint8Array, path: string): readonly Entry[] {
  try {
    const parsed = z.safeParse(Index, parseJson(bytes, path));
    if (parsed.success) return parsed.data.files;
  } catch (cause) {
    if (!(cause instanceof CliError)) throw cause;
  }
  throw notOurs(path);
}

/**
 * What an earlier run left. Only names that would be ours are believed, as files of the index are written over and
 * removed.
 */
async function readIndex(folder: string): Promise<readonly Entry[]> {
  const path = join(folder, 'index.json');
  const bytes = await readOwn(path);
  if (bytes === undefined) return [];
  const entries = parseIndex(bytes, path);
  const isOurs = ({ file, namespace, pipeline: name }: Entry): boolean =>
    file === undefined || errorFileNames({ namespace, name }).includes(file);
  const files = entries.flatMap(({ file }) => (file === undefined ? [] : [file.toLowerCase()]));
  const pipelines = new Set(entries.map(({ namespace, pipeline }) => recordKey(namespace, pipeline)));
  if (!entries.every(isOurs) || new Set(files).size < files.length || pipelines.size < entries.length)
    throw notOurs(path);
  return entries.filter(({ file }) => file === undefined || existsSync(join(folder, file)));
}

const placeOf = ({ namespace, pipeline: name }: Entry): PipelinePlace => ({ namespace, name });

function placesOf(entries: readonly Entry[]): ReadonlyMap<string, PipelinePlace & { readonly file: string }> {
  const places = entries.flatMap(({ file, namespace, pipeline: name }) =>
    file === undefined ? [] : [[recordKey(namespace, name), { file, namespace, name }] as const],
  );
  return new Map(places);
}

function makeFolder(folder: string): void {
  try {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false)
      throw new CliError('USAGE', `${folder} is not a folder`, { target: { file: folder } });
    makeFolders(folder, 0o700);
  } catch (error) {
    throw localError(error, 'write', folder);
  }
}

function removeFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    throw localError(error, 'write', path);
  }
}

/** Work that is never done twice at once. Who asks meanwhile waits for the next time, together with all who do. */
function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let last = Promise.resolve();
  let next: Promise<void> | undefined;
  const begin = (): Promise<void> => {
    next = undefined;
    return work();
  };
  return () => (next ??= last = last.then(begin, begin));
}

const requestOf = (change: Change | undefined, capabilities: Capabilities): string | undefined =>
  change?.engine === 'client' ? appRequest({ ...change.made, keepSchedules: true }, capabilities) : undefined;

function writeEntries(folder: string, entries: Iterable<Entry>): Promise<void> {
  const files = [...entries].sort((one, other) => byName(placeOf(one), placeOf(other)));
  const index: z.infer<typeof Index> = { schemaVersion: 1, files };
  return writeAtomically(join(folder, 'index.json'), `${JSON.stringify(index, undefined, 2)}\n`, { overwrite: true });
}

/**
 * Opens a folder for the requests of failed pipelines; makes it if necessary. Reads the index of earlier runs and
 * proves with a new one that the folder can be written (docs/faults.md P19).
 * @throws USAGE when it is no folder or has an `index.json` of another program; LOCAL_IO, DISK_FULL
 */
export async function openErrorFiles(
  folder: string,
  places: readonly PipelinePlace[],
  capabilities: Capabilities,
  clock: Clock,
): Promise<ErrorFiles> {
  makeFolder(folder);
  const earlier = await readIndex(folder);
  const entries = new Map(earlier.map((entry) => [recordKey(entry.namespace, entry.pipeline), entry]));
  const names = chooseErrorFiles(places, placesOf(earlier));
  const writeIndex = oneAtATime(() => writeEntries(folder, entries.values()));
  await writeIndex();
  return {
    async save({ namespace, name }, { change, sent, ...told }) {
      const key = recordKey(namespace, name);
      const request = requestOf(change, capabilities);
      const before = entries.get(key)?.file;
      if (sent !== undefined && before !== undefined) removeFile(join(folder, before));
      const file = request === undefined ? before : names.get(key);
      const kept = sent === undefined ? { file } : { state: sent };
      const at = timestamp(clock);
      if (request !== undefined && file !== undefined)
        await writeAtomically(join(folder, file), request, { overwrite: true });
      const { message, serverSaid, stage, hint } = told;
      entries.set(key, { ...kept, namespace, pipeline: name, stage, message, serverSaid, hint, at });
      await writeIndex();
      return request === undefined || file === undefined ? undefined : join(folder, file);
    },
    async finish(upgraded) {
      for (const { namespace, name } of upgraded) {
        const key = recordKey(namespace, name);
        const file = entries.get(key)?.file;
        if (file !== undefined) removeFile(join(folder, file));
        entries.delete(key);
      }
      await writeIndex();
    },
  };
}
