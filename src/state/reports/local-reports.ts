import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, renameSync, rmSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { CliError } from '../../core/errors.js';
import { errnoOf, localError } from '../../core/files/local-error.js';
import { shellWord } from '../../core/shell-word.js';
import { baseAddress } from '../base-address.js';
import { LocalReportWriter, PAGE_RECORDS, REPORT_FILES } from './local-report-writer.js';
import { checkPrivateFolder } from '../private-folder.js';
import { readFrom, readOwn } from '../read-state-file.js';
import { removeLeftovers, temporaryName } from '../temporary.js';

const ID = /^local-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u;

const Kept = z.strictObject({
  v: z.literal(1),
  detail: z.unknown(),
  records: z.int(),
  bytes: z.int(),
  pages: z.array(z.int()),
});

/** A report of the state folder: what is known of it, and how many records it has. */
export interface LocalReport<T> {
  readonly id: string;
  readonly detail: T;
  readonly records: number;
}

/** Some records of a report, from index `offset` on. */
export interface LocalPage {
  readonly offset: number;
  readonly total: number;
  readonly records: readonly Readonly<Record<string, unknown>>[];
}

/** Whether a text has the shape of the id of a local report. */
export const isLocalReportId = (id: string): boolean => ID.test(id);

/** The reports that this tool made of one platform: a folder each, which appears once it is complete. */
export class LocalReports<T> {
  /** Where they are. */
  readonly folder: string;
  readonly #schema: z.ZodMiniType<T>;

  /** `base` is the address of the platform; `schema` is what is kept of a report beside its records. */
  constructor(stateFolder: string, base: string, schema: z.ZodMiniType<T>) {
    const key = createHash('sha256').update(baseAddress(base)).digest('hex');
    this.folder = join(stateFolder, 'reports', key);
    this.#schema = schema;
  }

  /** Begins a new report; removes what killed runs left. */
  async create(): Promise<{ readonly id: string; readonly writer: LocalReportWriter }> {
    const id = `local-${randomUUID()}`;
    return { id, writer: await LocalReportWriter.open(join(this.folder, id)) };
  }

  /** All reports, in no order; those that cannot be read are given to `skip`, or thrown without it. */
  async list(skip?: (error: CliError) => void): Promise<readonly LocalReport<T>[]> {
    if (!checkPrivateFolder(this.folder)) return [];
    removeLeftovers(this.folder);
    const found: LocalReport<T>[] = [];
    for (const name of this.#names()) {
      try {
        const report = await this.get(name);
        if (report !== undefined) found.push(report);
      } catch (error) {
        if (skip === undefined || !(error instanceof CliError)) throw error;
        skip(error);
      }
    }
    return found;
  }

  /**
   * One report; undefined when there is none of this id.
   * @throws LOCAL_IO when it is damaged
   */
  async get(id: string): Promise<LocalReport<T> | undefined> {
    const kept = await this.#kept(id);
    return kept && { id, detail: kept.detail, records: kept.records };
  }

  /**
   * The records of a report from index `offset` on, at most `limit`, read on demand; at least one page.
   * @throws NOT_FOUND when it is not there (any more)
   */
  async *pages(
    id: string,
    { offset, limit = Infinity }: { readonly offset: number; readonly limit?: number | undefined },
    signal: AbortSignal,
  ): AsyncGenerator<LocalPage, void, void> {
    const kept = await this.#kept(id);
    if (kept === undefined) throw this.#gone(id);
    const { records: total, bytes, pages } = kept;
    const end = Math.min(total, offset + limit);
    if (offset >= end) yield { offset, total, records: [] };
    for (let at = offset; at < end;) {
      signal.throwIfAborted();
      const page = Math.floor(at / PAGE_RECORDS);
      const [from, to] = [pages[page] ?? 0, pages[page + 1] ?? bytes];
      const first = page * PAGE_RECORDS;
      const lines = await this.#lines(id, bytes, from, to);
      if (lines.length !== Math.min(PAGE_RECORDS, total - first)) throw this.#damaged(id);
      const records = lines.slice(at - first, end - first);
      yield { offset: at, total, records };
      at += records.length;
    }
  }

  /** Removes a report; whether it was there. */
  remove(id: string): boolean {
    if (!isLocalReportId(id) || !checkPrivateFolder(this.folder)) return false;
    const hidden = join(this.folder, temporaryName());
    try {
      // From here on nobody sees it, whatever becomes of the rest.
      renameSync(join(this.folder, id), hidden);
      rmSync(hidden, { recursive: true, force: true });
      return true;
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return false;
      throw localError(error, 'write', join(this.folder, id));
    }
  }

  #names(): readonly string[] {
    try {
      return readdirSync(this.folder).filter(isLocalReportId);
    } catch (error) {
      throw localError(error, 'read', this.folder);
    }
  }

  async #kept(id: string) {
    if (!isLocalReportId(id) || !checkPrivateFolder(join(this.folder, id))) return undefined;
    const bytes = await readOwn(join(this.folder, id, REPORT_FILES.detail));
    if (bytes === undefined) return undefined;
    const kept = Kept.safeParse(parsed(bytes.toString('utf8')));
    const detail = this.#schema.safeParse(kept.data?.detail);
    if (!kept.success || !detail.success) throw this.#damaged(id);
    return { ...kept.data, detail: detail.data };
  }

  async #lines(id: string, size: number, from: number, to: number) {
    const read = async (handle: FileHandle, now: number): Promise<Buffer | undefined> => {
      if (now !== size) return undefined;
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(to - from), 0, to - from, from);
      return bytesRead === to - from ? buffer : undefined;
    };
    const file = join(this.folder, id, REPORT_FILES.records);
    const found = await readFrom(file, {}, async (handle, now) => ({ bytes: await read(handle, now) }));
    if (found === undefined) throw this.#gone(id);
    const records = found.bytes && parsed(`[${found.bytes.toString('utf8').trimEnd().replaceAll('\n', ',')}]`);
    if (!isRecords(records)) throw this.#damaged(id);
    return records;
  }

  #gone(id: string): CliError {
    return new CliError('NOT_FOUND', `report ${id} not found`, { hints: [{ next: 'list-reports' }] });
  }

  #damaged(id: string): CliError {
    const folder = join(this.folder, id);
    return new CliError('LOCAL_IO', `the local report ${id} is damaged or was written by a newer version of cdapctl`, {
      hints: [`rm -r ${shellWord(folder)}`],
      target: { file: folder },
    });
  }
}

/**
 * A look at each is enough for what this tool has written. A schema would take longer than all the rest of a download.
 */
function isRecords(value: unknown): value is readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) && value.every((record) => typeof record === 'object' && record !== null);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
