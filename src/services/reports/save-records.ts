import { renameSync } from 'node:fs';
import { collectEarly } from '../../core/collecting.js';
import { CliError } from '../../core/errors.js';
import { removeLeftPartials } from '../../state/partial-file-names.js';
import { createResumable, type ResumableFile } from '../../state/resumable-file.js';

const MODE = 0o644;
const QUOTE = 0x22;
const LINE_FEED = 0x0a;
const FIRST_ROOM = 262_144;
/** Bytes of one UTF-16 unit in UTF-8, at most. */
const MOST_BYTES = 3;
/** Exit codes of failures that say nothing about the records: the way to the platform. */
const OF_THE_WAY: readonly number[] = [3, 4, 7, 8];

/** What makes it safe to go on with what an earlier run wrote. */
export interface ResumeRule {
  /** What is written where, and how: report, part, format, columns. */
  readonly address: string;
  /** Tells this very report from a later one of the same id: its total and when it was made. */
  readonly tag: string;
  readonly format: 'csv' | 'ndjson';
  /** Whether the text has a header row. */
  readonly header: boolean;
  /** Records that the whole text has. */
  readonly records: number;
}

/** How records are written into a file. */
export interface SaveOptions {
  readonly path: string;
  readonly overwrite: boolean;
  /** Go on with what is left, and leave such for a next run; undefined where that is not safe. */
  readonly resume: ResumeRule | undefined;
  /** On a failure keep what has come as `<path>.partial`. */
  readonly keepPartial: boolean;
  /** The command that goes on with what is left; undefined: the same one again. */
  readonly goOn?: string | undefined;
  /** Only this run needs the file. */
  readonly passing?: boolean;
}

/** A file that was written. */
export interface SavedRecords {
  readonly bytes: number;
  /** Records that an earlier run had written. */
  readonly resumed: number;
}

/** A file that records go into: opened, with what an earlier run left of them, then written as a whole. */
export interface RecordsFile {
  /** Records that an earlier run had written: the text goes on behind them. */
  readonly resumed: number;
  /**
   * Writes the text; the file gets its name when it is whole. Failures of the way leave what has come for the next run,
   * others nothing.
   */
  write(texts: AsyncIterable<string>): Promise<SavedRecords>;
}

/** Opens the file that `write` ends. */
export async function openRecords(options: SaveOptions, signal: AbortSignal): Promise<RecordsFile> {
  const { path, overwrite, resume, passing = false } = options;
  if (resume === undefined) removeLeftPartials(path);
  const file = await createResumable(path, resume?.address ?? '', { overwrite, passing, mode: MODE }, signal);
  try {
    const kept = resume === undefined ? { records: 0, bytes: 0 } : await takeOver(file, resume, signal);
    return { resumed: kept.records, write: (texts) => write(texts, file, kept, options, signal) };
  } catch (error) {
    await file.abort();
    throw error;
  }
}

async function write(
  texts: AsyncIterable<string>,
  file: ResumableFile,
  kept: { readonly records: number; readonly bytes: number },
  options: SaveOptions,
  signal: AbortSignal,
): Promise<SavedRecords> {
  let { bytes } = kept;
  collectEarly('transfer');
  try {
    let room = Buffer.allocUnsafe(FIRST_ROOM);
    for await (const text of texts) {
      // One buffer for all pieces: what each would leave behind is memory that is given back late.
      if (text.length * MOST_BYTES > room.length) room = Buffer.allocUnsafe(text.length * MOST_BYTES);
      const piece = room.subarray(0, room.write(text, 'utf8'));
      file.write(piece);
      bytes += piece.length;
    }
    await file.commit();
    return { bytes, resumed: kept.records };
  } catch (error) {
    throw left(file, error, bytes, options, signal);
  } finally {
    await file.abort();
  }
}

/** Counts the rows of a text that comes in pieces. */
export interface RowCounter {
  take(piece: Uint8Array): void;
  /** Rows that have their end. */
  readonly rows: number;
  /** The text ends with the end of a row. */
  readonly whole: boolean;
}

/** Counts rows of csv, whose quoted cells may hold line ends, or lines of ndjson. */
export function countRows(format: 'csv' | 'ndjson'): RowCounter {
  const quotes = format === 'csv';
  let rows = 0;
  let quoted = false;
  let last = LINE_FEED;
  return {
    take: (piece) => {
      for (const byte of piece) {
        if (byte === QUOTE && quotes) quoted = !quoted;
        else if (byte === LINE_FEED && !quoted) rows += 1;
      }
      last = piece.at(-1) ?? last;
    },
    get rows() {
      return rows;
    },
    get whole() {
      return !quoted && last === LINE_FEED;
    },
  };
}

/** Takes what an earlier run left when it is of the same report and ends with a row; else begins anew. */
async function takeOver(
  file: ResumableFile,
  { tag, format, header, records }: ResumeRule,
  signal: AbortSignal,
): Promise<{ records: number; bytes: number }> {
  const { left: before } = file;
  if (before?.etag === tag) {
    const counter = countRows(format);
    for await (const piece of file.contents()) {
      signal.throwIfAborted();
      counter.take(piece);
    }
    const rows = counter.rows - (header ? 1 : 0);
    if (counter.whole && rows >= 0 && rows <= records) {
      file.goOn();
      for await (const piece of file.contents()) file.write(piece);
      return { records: rows, bytes: before.bytes };
    }
  }
  file.begin(tag);
  return { records: 0, bytes: 0 };
}

/** Leaves what has come where it is of use, and says so in the error. */
function left(
  file: ResumableFile,
  error: unknown,
  bytes: number,
  { path, resume, keepPartial, goOn = 'run the same command again' }: SaveOptions,
  signal: AbortSignal,
): unknown {
  if (bytes === 0) return error;
  if (keepPartial) return withLine(error, keep(file, path) ? `the received part is in ${path}.partial` : undefined);
  const ofTheWay = error instanceof CliError && OF_THE_WAY.includes(error.exitCode);
  if (resume === undefined || !(ofTheWay || signal.aborted)) return error;
  file.leave();
  return withLine(error, `to resume after ${bytes} bytes: ${goOn}`);
}

function keep(file: ResumableFile, path: string): boolean {
  try {
    renameSync(file.path, `${path}.partial`);
    return true;
  } catch {
    return false;
  }
}

function withLine(error: unknown, line: string | undefined): unknown {
  if (!(error instanceof CliError) || line === undefined) return error;
  const { lines = [] } = error.details;
  return new CliError(error.code, error.message, { ...error.details, lines: [...lines, line] });
}
