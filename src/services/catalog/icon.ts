import { CliError } from '../../core/errors.js';
import { LIMITS, readAll } from '../../hub/source.js';
import { writeAtomically } from '../../state/atomic-write.js';
import { isThere } from '../../core/files/exists.js';
import type { PackagePlace } from './resolve.js';

const ICON = 'icon.png';

/**
 * Writes the icon of a package, which no publisher signs, to a new file.
 * @throws RESOURCE_MISSING, TOO_LARGE, EXISTS and the errors of a file that cannot be written
 */
export async function saveIcon(
  { source, name, version }: PackagePlace,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  if (isThere(path))
    throw new CliError('EXISTS', `${path} exists`, { hints: ['name another file'], target: { file: path } });
  const maxBytes = LIMITS.specification;
  const icon = await source.open({ name, version, file: ICON }, { maxBytes }, signal);
  if (icon === undefined)
    throw new CliError('RESOURCE_MISSING', `${name} ${version} has no ${ICON}`, { target: { file: ICON } });
  await writeAtomically(path, await readAll(icon, maxBytes), { mode: 0o644 });
}
