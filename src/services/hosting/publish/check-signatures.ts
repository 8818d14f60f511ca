import { join } from 'node:path';
import { mapConcurrent } from '../../../core/concurrency.js';
import { counted } from '../../../core/counted.js';
import { CliError } from '../../../core/errors.js';
import { readBounded } from '../../../core/files/read-bounded.js';
import { LIMITS } from '../../../hub/source.js';
import { signedBy } from '../../../hub/signature-names.js';
import { startPrefixCheck } from '../../../trust/digest-prefix.js';
import type { KeyringEntry } from '../../../trust/keyring.js';
import { checkSignature } from '../../../trust/verify.js';
import { treeKeys } from '../sign/tree-keys.js';
import type { PublishPlan } from './plan.js';
import { bytesOf, type TreeFiles } from './tree-files.js';

const AT_ONCE = 4;
const MOST_LINES = 20;
/** Of a known key: what clients would not take, whatever their clock and their settings. */
const WRONG: ReadonlySet<string> = new Set(['bad-signature', 'disputed', 'malformed', 'wrong-signature-type']);

/**
 * Refuses a plan with a signature that is not over its file: clients would reject the file. The keys in
 * the tree judge it; of other keys only the digest is compared.
 * @throws SIG_BAD with the files
 */
export async function refuseWrongSignatures(
  root: string,
  { files, replaced, front }: PublishPlan,
  tree: TreeFiles,
  now: Date,
  signal: AbortSignal,
): Promise<void> {
  const paths = [...files, ...replaced, ...front].map(({ path }) => signedBy(path) ?? path);
  const signed = [...new Set(paths)].filter((path) => tree.files.has(path) && tree.files.has(`${path}.asc`));
  const trusted = await treeKeys(root);
  const wrong: string[] = [];
  const judge = async (path: string, stop: AbortSignal) => ({
    path,
    isGood: await fits(root, path, trusted, now, stop),
  });
  for await (const { path, isGood } of mapConcurrent(signed, AT_ONCE, judge, signal))
    if (!isGood) wrong.push(`${path}.asc: it is not a signature of this file`);
  if (wrong.length === 0) return;
  throw new CliError('SIG_BAD', `${counted(wrong.length, 'wrong signature')} in the tree; nothing was published`, {
    lines: [
      ...wrong.slice(0, MOST_LINES),
      ...(wrong.length > MOST_LINES ? [`and ${wrong.length - MOST_LINES} more`] : []),
    ],
    hints: ['sign the tree again, or remove these signatures'],
  });
}

async function fits(
  root: string,
  path: string,
  trusted: readonly KeyringEntry[],
  now: Date,
  signal: AbortSignal,
): Promise<boolean> {
  const signature = await readBounded(join(root, `${path}.asc`), LIMITS.signature);
  const prefix = startPrefixCheck(signature);
  const check = await checkSignature(signature, { trusted, elsewhere: [] }, now);
  for await (const chunk of bytesOf(join(root, path), signal)) {
    prefix.update(chunk);
    check.update(chunk);
  }
  return prefix.finish() && !WRONG.has((await check.finish()).reason);
}
