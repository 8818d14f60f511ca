import { join } from 'node:path';
import { counted } from '../../../core/counted.js';
import { isThere } from '../../../core/files/exists.js';
import { filesOfPackage } from '../../../hub/index-file.js';
import type { PackageVersion } from '../../../hub/source.js';
import { isContentError } from '../../catalog/fetch-file.js';
import { someNames } from './failure-lines.js';
import { digestOf } from './existing-copy.js';
import { versionFolder } from './folder/mirror-folder.js';
import type { MirrorPlan } from './mirror-plan.js';
import { isWhole } from './select.js';

/**
 * The versions that a mirror lists, but has other files of, or none. Catalog and index are mirrored byte for byte, so a
 * version that failed stays in them.
 */
export async function unavailableVersions(plan: MirrorPlan, signal: AbortSignal): Promise<readonly string[]> {
  const { request, failed } = plan;
  if (!isWhole(request.selection)) return [];
  const missing: PackageVersion[] = [];
  for (const { failure } of failed) {
    const version = { name: failure.package, version: failure.version };
    if (failure.code === 'BAD_NAME' || !(await isServed(plan, version, signal))) missing.push(version);
  }
  if (missing.length > 0)
    request.emit({
      type: 'warning',
      code: 'MIXED',
      message: `the mirror ${request.dry ? 'would list' : 'lists'} ${counted(missing.length, 'package version')} that it cannot serve: ${someNames(missing)}`,
    });
  return missing.map(({ name, version }) => `${name}@${version}`);
}

async function isServed(
  { folder, upstream: { index } }: MirrorPlan,
  place: PackageVersion,
  signal: AbortSignal,
): Promise<boolean> {
  const path = versionFolder(folder.root, place);
  if (index === undefined) return isThere(join(path, 'spec.json'));
  // The index speaks for a file whose signature is not there.
  const listed = filesOfPackage(index, place).filter(({ name }) => !name.endsWith('.asc'));
  try {
    for (const { name, sha256 } of listed) if ((await digestOf(join(path, name), signal)) !== sha256) return false;
  } catch (error) {
    // Too large, or a link.
    if (isContentError(error)) return false;
    throw error;
  }
  return listed.length > 0;
}
