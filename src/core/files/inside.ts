import path, { type PlatformPath } from 'node:path';

/** Whether a path is a folder or inside it; both as they are on the disk, without links. */
export function isInside(
  folder: string,
  inner: string,
  paths: Pick<PlatformPath, 'relative' | 'isAbsolute' | 'sep'> = path,
): boolean {
  const way = paths.relative(folder, inner);
  // On Windows there is no way from one drive to another.
  return way !== '..' && !way.startsWith(`..${paths.sep}`) && !paths.isAbsolute(way);
}
