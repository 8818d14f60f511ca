import { counted } from '../../../core/counted.js';
import { CliError } from '../../../core/errors.js';
import { isSignatureAmong } from '../../../hub/signature-names.js';
import { filesOfIndex, type Published, type PublishPlan } from './plan.js';

const MOST_LINES = 20;

/**
 * Refuses to overwrite files of packages that are not as the index of the target lists them. For a target that hub
 * publish has not filled, and a tree that it has: the two may have been swapped. `where` is the target, for messages.
 * @throws CONFLICT with the files
 */
export function refuseEdited(
  { files, replaced }: Pick<PublishPlan, 'files' | 'replaced'>,
  published: Published,
  where: string,
): void {
  const { index } = published;
  const listed = index && filesOfIndex(index);
  const edited = [...files, ...replaced]
    .map(({ path }) => path)
    .filter((path) => path.startsWith('packages/') && !isSignatureAmong(published.files, path))
    .filter((path) => published.files.has(path) && published.files.get(path)?.sha256 !== listed?.get(path)?.sha256);
  const [first] = edited;
  if (first === undefined) return;
  const what = index === undefined ? 'that hub publish did not put there' : 'with content that its index does not list';
  const more = edited.length - MOST_LINES;
  throw new CliError('CONFLICT', `${where} has ${counted(edited.length, 'file')} ${what}; nothing was published`, {
    lines: [...edited.slice(0, MOST_LINES), ...(more > 0 ? [`and ${more} more`] : [])],
    hints: [
      `if ${where} is a source tree, publish it into another folder: the folder of the hub comes first, then the target`,
      'otherwise remove these files from it, and run the same command again',
    ],
    target: { file: `${where}/${first}` },
  });
}
