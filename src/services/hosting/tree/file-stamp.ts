import { lstatSync, type BigIntStats } from 'node:fs';
import { localError } from '../../../core/files/local-error.js';
import { isGone } from '../../../hub/folder-files.js';

/** What the file system says of a file, which is another after each change of its content. */
export interface FileStamp {
  /** In bytes. */
  readonly size: number;
  /** When content or file were changed last, in milliseconds since the epoch. */
  readonly changedAt: number;
  /** Device, inode, size, and both times in nanoseconds, eight bytes each. Base64 takes less memory. */
  readonly id: string;
}

/** Bytes that the `id` of a stamp stands for. */
export const ID_BYTES = 40;

/** Some file systems count time in steps of two seconds; a change within one step does not show. */
const STEP = 2000;
const NANOSECONDS = 1_000_000n;

/** The stamp of a file, without reading it; undefined when it is gone. */
export const stampOf = (path: string): FileStamp | undefined =>
  found(path, () => {
    const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    return stat && fromStat(stat);
  });

/** The size of a file, in bytes; undefined when it is gone. */
export const sizeOf = (path: string): number | undefined => found(path, () => lstatSync(path).size);

function found<T>(path: string, look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (isGone(error)) return undefined;
    throw localError(error, 'read', path);
  }
}

function fromStat({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): FileStamp {
  const latest = mtimeNs > ctimeNs ? mtimeNs : ctimeNs;
  return {
    size: Number(size),
    changedAt: Number(latest / NANOSECONDS),
    id: Buffer.from(BigUint64Array.of(dev, ino, size, mtimeNs, ctimeNs).buffer).toString('base64'),
  };
}

/** Whether each change from a moment on shows in the stamp. The moment is before the file was looked at. */
export const isSettled = ({ changedAt }: FileStamp, before: number): boolean => changedAt < before - STEP;
