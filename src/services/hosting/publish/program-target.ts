import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { CliError } from '../../../core/errors.js';
import { LIMITS, type FilePlace, type HubSource } from '../../../hub/source.js';
import { readIndex } from '../../../hub/index-file.js';
import { readSmall } from '../../catalog/signed-index.js';
import { filesOfIndex, type Published, type PublishStep } from './plan.js';
import type { PublishTarget } from './publish.js';
import { stampOf } from '../tree/file-stamp.js';
import { bytesOf, type TreeFile } from './tree-files.js';

/** A program with its arguments, of which `{file}` and `{path}` are replaced. */
export type ProgramWords = readonly [program: string, ...rest: string[]];

/** What a program printed, at most the end of it, and why it failed if it did. */
export interface EndedProgram extends Readonly<Record<'stdout' | 'stderr', string>> {
  readonly why: string | undefined;
}

/** How the files of a tree reach their place: by a program of the user's, once per file. */
export interface ProgramSetup {
  readonly tree: string;
  readonly upload: ProgramWords;
  readonly remove: ProgramWords | undefined;
  /** The published hub, whose index tells what is there. */
  readonly against: Pick<HubSource, 'label' | 'open'> | undefined;
  /** Runs a program to its end; `why` is what is wrong with it, if anything. */
  readonly run: (program: ProgramWords, signal: AbortSignal) => Promise<EndedProgram>;
}

const MOST_LINES = 10;

/** What lies where a program puts it, such as object storage. */
export function programTarget({ tree, upload, remove, against, run }: ProgramSetup): PublishTarget {
  const runFor = async (
    [program, ...words]: ProgramWords,
    { path }: PublishStep,
    signal: AbortSignal,
  ): Promise<void> => {
    const file = join(tree, path);
    // At once, as the name of a file may have braces.
    const filled = words.map((word) =>
      word.replaceAll(/\{(?:file|path)\}/gu, (mark) => (mark === '{file}' ? file : path)),
    );
    const { stdout, stderr, why } = await run([program, ...filled], signal);
    signal.throwIfAborted();
    if (why === undefined) return;
    const lines = `${stdout}\n${stderr}`.split(/\r?\n/u).filter((line) => line.trim() !== '');
    throw new CliError('PUBLISH_FAILED', `${program} ${why} for ${path}`, { lines: lines.slice(-MOST_LINES) });
  };
  return {
    label: against?.label ?? upload[0],
    isShared: true,
    published: (signal) => publishedBy(against, signal),
    async upload(steps, placed, signal) {
      for (const step of steps) {
        await unchanged(join(tree, step.path), step, () => runFor(upload, step, signal), signal);
        placed(step.path);
      }
    },
    remove:
      remove &&
      (async (step, signal) => {
        try {
          await runFor(remove, step, signal);
        } catch (error) {
          // An earlier run may have removed it, or it never was: some programs fail at that.
          if (signal.aborted || (await isPublished(against, step.path, signal))) throw error;
        }
      }),
  };
}

/** Does work with a file that is as planned before it and not changed in it. */
async function unchanged(
  file: string,
  { sha256 }: PublishStep,
  work: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const before = stampOf(file)?.id;
  const hash = createHash('sha256');
  for await (const chunk of bytesOf(file, signal)) {
    hash.update(chunk);
  }
  const isPlanned = hash.digest('hex') === sha256;
  if (isPlanned) await work();
  const after = stampOf(file)?.id;
  if (isPlanned && before !== undefined && after === before) return;
  throw new CliError('CHANGED_MEANWHILE', `${file} was changed while it was published`, {
    hints: ['build and sign the tree again, and publish it then'],
    target: { file },
  });
}

/** Whether a hub still has a file, past all caches; true where that cannot be told. */
async function isPublished(source: ProgramSetup['against'], path: string, signal: AbortSignal): Promise<boolean> {
  if (source === undefined) return true;
  try {
    const file = await source.open(placeOf(path), { maxBytes: LIMITS.resource, fresh: true }, signal);
    await file?.discard();
    return file !== undefined;
  } catch {
    return true;
  }
}

function placeOf(path: string): FilePlace {
  const [, name, third, file] = path.split('/');
  if (file !== undefined) return { name, version: third, file };
  return third === undefined ? { file: path } : { category: name, file: third };
}

/** What a hub has published, as its index tells, read past all caches; nothing without an index. */
async function publishedBy(source: ProgramSetup['against'], signal: AbortSignal): Promise<Published> {
  const bytes = source && (await readSmall(source, { file: 'index.json' }, LIMITS.index, signal, true));
  if (source === undefined || bytes === undefined) return { files: new Map(), index: undefined };
  const index = readIndex(bytes, `index.json of ${source.label}`);
  const own = { size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
  const files = new Map<string, Pick<TreeFile, 'size' | 'sha256'>>([...filesOfIndex(index), ['index.json', own]]);
  return { files, index, isByIndex: true };
}
