import { createReadStream } from 'node:fs';
import { LineCounter, type LineBag } from '../../../../core/line-digest.js';
import { localError } from '../../../../core/files/local-error.js';
import type { StagedFile } from '../../action.js';

/** A file of data, staged; its lines become events. */
export interface DataFile extends StagedFile {
  /** Its name in the package. */
  readonly name: string;
  readonly content: LineBag;
}

/** Reads a staged file once, in constant memory, to know what of it a stream will hold. */
export async function dataFile(name: string, staged: StagedFile): Promise<DataFile> {
  const counter = new LineCounter();
  try {
    for await (const piece of createReadStream(staged.file, { highWaterMark: 256 * 1024 }))
      counter.feed(Buffer.from(piece));
  } catch (error) {
    throw localError(error, 'read', staged.file);
  }
  return { ...staged, name, content: counter.bag() };
}

/** The type that the platform is told, which takes any that begins with `text/` (docs/platform.md 7). */
export function contentTypeOf(name: string): string {
  const [, extension = 'plain'] = /\.([A-Za-z0-9]+)$/u.exec(name) ?? [];
  return `text/${extension}`;
}
