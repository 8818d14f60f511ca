import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  read as readBytes,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import * as z from 'zod/mini';
import { Staged, type StagedFile, type WriteOptions } from './atomic-write.js';
import {
  leftPartials,
  movePartial,
  ownPartial,
  removePartial,
  restingPartial,
  type PartialPaths,
} from './partial-file-names.js';
import { checkOwner } from './private-folder.js';
import { readOwn } from './read-state-file.js';

const APPEND = constants.O_APPEND | constants.O_NOFOLLOW;
const NOTED_EVERY = 1024 * 1024;
const CHUNK = 256 * 1024;

const Note = z.strictObject({
  v: z.literal(1),
  address: z.string(),
  etag: z.string(),
  bytes: z.int().check(z.positive()),
  crc32: z.int(),
});
type Note = z.infer<typeof Note>;

/**
 * A staged file whose partial content is kept when a run is interrupted, for the next run to resume. It is hidden
 * beside its final place.
 */
export interface ResumableFile extends StagedFile {
  /**
   * What an earlier run left of it: as many bytes as it had, unchanged, and the tag of the whole. Undefined after
   * `begin`.
   */
  readonly left: { readonly etag: string; readonly bytes: number } | undefined;
  /** Whether the bytes of an earlier run are a part of it. */
  readonly resumed: boolean;
  /** The bytes that are left. */
  contents(): AsyncIterable<Uint8Array>;
  /** The bytes that are left are good: the first ones written now are the same again. */
  goOn(): void;
  /** Forgets what is left; what is written from now on can be resumed if it has a tag. */
  begin(etag: string | undefined): void;
  /** Ends the work without a result and leaves what can be resumed; never fails. */
  leave(): void;
}

class Resumable extends Staged implements ResumableFile {
  left: ResumableFile['left'];
  resumed = false;
  readonly #address: string;
  readonly #own: PartialPaths;
  #etag: string | undefined;
  #bytes = 0;
  #crc = 0;
  #noted = 0;
  #again = 0;

  constructor(target: string, address: string, options: WriteOptions) {
    super(target, options);
    this.#address = address;
    this.#own = ownPartial(target);
  }

  /** Takes over what an earlier run left, when it is whole as far as its notes say. */
  async claim(signal: AbortSignal): Promise<void> {
    const [first, ...others] = leftPartials(this.target);
    others.forEach(removePartial);
    if (first === undefined) return;
    let file: number | undefined;
    try {
      movePartial(first, this.#own);
      const note = noteIn(await readOwn(this.#own.record), this.#address);
      file = openSync(this.#own.bytes, constants.O_RDWR | APPEND);
      const stat = fstatSync(file);
      checkOwner(this.#own.bytes, stat);
      if (!stat.isFile() || stat.nlink !== 1 || note === undefined) throw new Error('not usable');
      if ((await checksum(file, note.bytes, signal)) !== note.crc32) throw new Error('not as it was');
      ftruncateSync(file, note.bytes);
      super.drop();
      [this.file, this.path] = [file, this.#own.bytes];
      this.left = note;
      [this.#etag, this.#bytes, this.#crc, this.#noted] = [note.etag, note.bytes, note.crc32, note.bytes];
    } catch {
      if (file !== undefined) closeSync(file);
      if (signal.aborted) this.#rest();
      else [first, this.#own].forEach(removePartial);
    }
    signal.throwIfAborted();
  }

  contents(): AsyncIterable<Uint8Array> {
    return read(this.opened(), this.left?.bytes ?? 0);
  }

  goOn(): void {
    this.resumed = true;
    this.#again = this.#bytes;
  }

  begin(etag: string | undefined): void {
    this.guarded(() => {
      this.left = undefined;
      [this.#etag, this.#bytes, this.#crc, this.#noted, this.#again] = [etag, 0, 0, 0, 0];
      ftruncateSync(this.opened(), 0);
      rmSync(this.#own.record, { force: true });
      if (etag === undefined || this.path === this.#own.bytes) return;
      renameSync(this.path, this.#own.bytes);
      this.path = this.#own.bytes;
    });
  }

  override write(chunk: string | Uint8Array): void {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, 'utf8') : chunk;
    const more = bytes.subarray(Math.min(this.#again, bytes.length));
    this.#again -= bytes.length - more.length;
    if (more.length === 0) return;
    super.write(more);
    if (this.#etag === undefined) return;
    this.#crc = crc32(more, this.#crc);
    this.#bytes += more.length;
    if (this.#bytes - this.#noted < NOTED_EVERY) return;
    this.guarded(() => {
      this.#note();
    });
  }

  override async commit(): Promise<void> {
    await super.commit();
    removePartial(this.#own);
  }

  leave(): void {
    if (this.file !== undefined && this.#etag !== undefined && this.#bytes > 0) this.#rest();
    this.drop();
  }

  protected override drop(): void {
    super.drop();
    removePartial(this.#own);
  }

  #rest(): void {
    try {
      this.#note();
      movePartial(this.#own, restingPartial(this.target));
    } catch {
      // Then the next run begins anew.
    }
  }

  #note(): void {
    if (this.#etag === undefined || this.#noted === this.#bytes) return;
    const note: Note = { v: 1, address: this.#address, etag: this.#etag, bytes: this.#bytes, crc32: this.#crc };
    const record = openSync(this.#own.record, constants.O_WRONLY | constants.O_CREAT | APPEND, 0o600);
    try {
      writeSync(record, `${JSON.stringify(note)}\n`);
    } finally {
      closeSync(record);
    }
    this.#noted = this.#bytes;
  }
}

/** The last whole note of a record, when it is about this address. */
function noteIn(record: Buffer | undefined, address: string): Note | undefined {
  const line = record?.toString('utf8').split('\n').at(-2);
  if (line === undefined) return undefined;
  const note = z.safeParse(Note, JSON.parse(line)).data;
  return note?.address === address ? note : undefined;
}

async function* read(file: number, bytes: number): AsyncGenerator<Uint8Array, void, void> {
  const piece = Buffer.allocUnsafe(CHUNK);
  for (let at = 0; at < bytes;) {
    const { bytesRead } = await promisify(readBytes)(file, piece, 0, Math.min(CHUNK, bytes - at), at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield piece.subarray(0, bytesRead);
  }
}

async function checksum(file: number, bytes: number, signal: AbortSignal): Promise<number> {
  let sum = 0;
  for await (const piece of read(file, bytes)) {
    signal.throwIfAborted();
    sum = crc32(piece, sum);
  }
  return sum;
}

/**
 * Like `createStaged`, and takes over what an earlier run left of the same address. A partial file that is damaged or
 * another user's is none.
 */
export async function createResumable(
  path: string,
  address: string,
  options: WriteOptions,
  signal: AbortSignal,
): Promise<ResumableFile> {
  const file = new Resumable(path, address, options);
  try {
    await file.claim(signal);
    return file;
  } catch (error) {
    await file.abort();
    throw error;
  }
}
