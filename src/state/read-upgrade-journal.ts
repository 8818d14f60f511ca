import type { FileHandle } from 'node:fs/promises';
import { CliError } from '../core/errors.js';
import { damagedJournal, refuseNewer, valueOfLine } from './journal-line.js';
import { readFrom } from './read-state-file.js';
import { isIntact, UpgradeEntry, type EndedEntry, type RunEntry, type SendingEntry } from './upgrade-journal.js';

const NEWLINE = 0x0a;
/** Bytes that hold the last line of a finished journal. */
const LAST_LINE = 200;

/** What a journal says of one pipeline: the last attempt, and how it ended. */
export interface UpgradeRecord {
  readonly namespace: string;
  readonly pipeline: string;
  /** `sending`: the run was cut off before it knew. */
  readonly state: 'sending' | EndedEntry['state'];
  readonly ended: EndedEntry | undefined;
  /**
   * Reads what was about to be sent; undefined when nothing was.
   * @throws JOURNAL where it is not what was written
   */
  readonly sending: () => Promise<SendingEntry | undefined>;
}

/** Whether a run began to send a pipeline, also where what it noted of that is damaged. */
export async function hasSent({ sending }: UpgradeRecord): Promise<boolean> {
  try {
    return (await sending()) !== undefined;
  } catch (error) {
    if (error instanceof CliError && error.code === 'JOURNAL') return true;
    throw error;
  }
}

/**
 * Whether a run sent a pipeline and did not finish it. It was interrupted, could not tell the outcome, or left
 * schedules that are not as they were.
 */
export function isOpen({ state, ended }: UpgradeRecord): boolean {
  return state === 'sending' || state === 'unknown' || ended?.schedules === 'open';
}

/** A journal of an upgrade as a whole; configurations stay on the disk. */
export interface ReadUpgrade {
  readonly file: string;
  readonly run: RunEntry;
  readonly finished: boolean;
  /** Whether it was finished at any time, so that all pipelines of it were tried. */
  readonly completed: boolean;
  /** Bytes of the whole lines: where the next entry belongs. */
  readonly length: number;
  /** How many whole lines there are. */
  readonly lines: number;
  /** By `recordKey`. */
  readonly records: ReadonlyMap<string, UpgradeRecord>;
  /** Pipelines without proof that the noted entry is what was written: by an older version of this tool. */
  readonly unsealed: number;
}

/** One name for one pipeline, to compare by. */
export const recordKey = (namespace: string, pipeline: string): string => JSON.stringify([namespace, pipeline]);

interface Line {
  readonly bytes: Buffer;
  readonly start: number;
}

async function* linesOf(handle: FileHandle): AsyncGenerator<Line> {
  let rest: Uint8Array[] = [];
  let start = 0;
  const chunks: AsyncIterable<Buffer> = handle.createReadStream({ start: 0, autoClose: false, highWaterMark: 1 << 18 });
  for await (const chunk of chunks) {
    let piece = chunk;
    for (let end = piece.indexOf(NEWLINE); end !== -1; end = piece.indexOf(NEWLINE)) {
      const bytes = Buffer.concat([...rest, piece.subarray(0, end)]);
      yield { bytes, start };
      start += bytes.length + 1;
      rest = [];
      piece = piece.subarray(end + 1);
    }
    if (piece.length > 0) rest.push(piece);
  }
}

/** JOURNAL_NEWER for an entry of a newer version; undefined for what is no entry. */
export function entryOf(file: string, bytes: Uint8Array): UpgradeEntry | undefined {
  const value = valueOfLine(bytes);
  refuseNewer(file, value);
  return UpgradeEntry.safeParse(value).data;
}

type Place = Pick<Line, 'start'> & { readonly bytes: number };

function readLineAt(file: string, { bytes, start }: Place): Promise<Buffer | undefined> {
  return readFrom(file, {}, async (handle) => (await handle.read(Buffer.alloc(bytes), 0, bytes, start)).buffer);
}

const notAsWritten = (file: string, why: string): CliError =>
  new CliError('JOURNAL', `the journal ${file} ${why}`, { target: { file } });

/** Takes the entries of a journal one by one and keeps what a run that goes on has to know. */
class Records {
  readonly records = new Map<string, UpgradeRecord>();
  unsealed = 0;
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  take(entry: SendingEntry | EndedEntry, line: Line): void {
    const { namespace, pipeline } = entry;
    const key = recordKey(namespace, pipeline);
    if (entry.type === 'sending') {
      const place = { bytes: line.bytes.length, start: line.start };
      if (entry.digest === undefined) this.unsealed += 1;
      const sending = () => this.#read(place, pipeline);
      this.records.set(key, { namespace, pipeline, state: 'sending', ended: undefined, sending });
      return;
    }
    const sending = this.records.get(key)?.sending ?? (() => Promise.resolve(undefined));
    this.records.set(key, { namespace, pipeline, state: entry.state, ended: entry, sending });
  }

  async #read(place: Place, pipeline: string): Promise<SendingEntry> {
    const bytes = await readLineAt(this.#file, place);
    const found = bytes === undefined ? undefined : entryOf(this.#file, bytes);
    if (bytes === undefined || found?.type !== 'sending')
      throw notAsWritten(this.#file, 'was changed while it was read');
    const { digest, ...sending } = found;
    if (digest === undefined || isIntact(bytes)) return sending;
    throw notAsWritten(this.#file, `is damaged at pipeline ${pipeline}, which is skipped`);
  }
}

async function readEntries(file: string, handle: FileHandle): Promise<ReadUpgrade> {
  const known = new Records(file);
  let run: RunEntry | undefined;
  let [finished, completed, number, length] = [false, false, 0, 0];
  for await (const line of linesOf(handle)) {
    number += 1;
    length = line.start + line.bytes.length + 1;
    const entry = entryOf(file, line.bytes);
    // A line that is not where it was written: others are missing, doubled or somewhere else.
    const isMoved = entry?.n !== undefined && entry.n !== number;
    if (entry === undefined || isMoved || (number === 1) !== (entry.type === 'run'))
      throw await damagedJournal(file, number);
    finished = entry.type === 'finished';
    completed ||= finished;
    if (entry.type === 'run') run = entry;
    else if (entry.type !== 'finished') known.take(entry, line);
  }
  if (run === undefined) throw await damagedJournal(file, 1);
  const { records, unsealed } = known;
  return { file, run, finished, completed, length, lines: number, records, unsealed };
}

/**
 * Reads a journal. A last line without its end (a kill in mid write) is dropped, other damage is JOURNAL; NOT_FOUND
 * without the file; SYMLINK, STATE_PERMS or LOCAL_IO for what is no file of ours.
 */
export async function readUpgrade(file: string): Promise<ReadUpgrade> {
  const found = await readFrom(file, {}, (handle) => readEntries(file, handle));
  if (found !== undefined) return found;
  throw new CliError('NOT_FOUND', `journal ${file} not found`, {
    hints: [{ next: 'list-upgrades' }],
    target: { file },
  });
}

/** Whether the run of a journal came to its end, by its last line alone. */
export async function hasFinished(file: string): Promise<boolean> {
  const end = await readFrom(file, {}, async (handle, size) => {
    const start = Math.max(0, size - LAST_LINE);
    return (await handle.read(Buffer.alloc(size - start), 0, size - start, start)).buffer;
  });
  return /^\{"v":1,[^\n]*"type":"finished"[^\n]*\}\n(?![^])/mu.test(end?.toString('latin1') ?? '');
}
