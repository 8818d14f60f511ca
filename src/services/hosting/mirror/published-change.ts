import { CliError } from '../../../core/errors.js';
import { digestOf } from './existing-copy.js';
import { versionFolder } from './folder/mirror-folder.js';
import { namesIn } from './folder/folder-names.js';
import { expectedDigest, pathIn, type VersionWork } from './version-work.js';

/** What a version would come to: files that wait, and those that it has and would lose. */
interface Change {
  readonly waiting: readonly string[];
  readonly surplus: readonly string[];
}

/**
 * Refuses a version that a key of one's own has published, and that is another one in the hub now.
 * @throws CHANGED
 */
export async function refuseChange(
  work: VersionWork,
  { waiting, surplus }: Change,
  at: (file: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const { folder, wanted, published } = work;
  if (waiting.length + surplus.length === 0 || published?.guards(wanted) !== true) return;
  const kept = namesIn(versionFolder(folder.root, wanted)).filter((name) => !surplus.includes(name));
  const files: { name: string; sha256: string }[] = [];
  for (const name of new Set([...waiting, ...kept])) {
    const isNew = waiting.includes(name);
    // A preview has not fetched it.
    const expected = work.dry && isNew ? expectedDigest(work, name) : undefined;
    const sha256 = expected ?? (await digestOf(pathIn(work, isNew ? 'stage' : 'tree', name), signal));
    // Nor does it know what is not listed.
    if (sha256 === undefined && work.dry) return;
    if (sha256 !== undefined) files.push({ name, sha256 });
  }
  const [difference] = published.differences(wanted, files);
  if (difference === undefined) return;
  at(difference.name);
  throw new CliError('CHANGED', `${difference.name} was ${difference.how} since the mirror published the version`, {
    hints: ['a published version must never change; ask the publisher'],
  });
}
