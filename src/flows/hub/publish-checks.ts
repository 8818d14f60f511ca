import { commandLine } from '../../cli/line/command-line.js';
import { typedPath } from '../../cli/line/local-path.js';
import { CliError } from '../../core/errors.js';
import type { Emit } from '../../core/events.js';
import type { Published, PublishPlan } from '../../services/hosting/publish/plan.js';
import { isUnsigned } from '../../services/hosting/publish/republished.js';
import type { TreeFiles } from '../../services/hosting/publish/tree-files.js';

type Index = Published['index'];

/** Refuses to remove files of a folder that had packages before the first publication. */
export function refuseForeign({ removals: [first] }: PublishPlan, where: string): void {
  if (first === undefined) return;
  throw new CliError('EXISTS', `${where} has ${first.path}, which hub publish may not have put there`, {
    hints: ['publish into a new folder, or remove the file yourself'],
    target: { file: where },
  });
}

/** Warns of a tree of which nothing is signed. */
export function warnOfUnsigned(root: string, tree: TreeFiles, emit: Emit): void {
  if (!isUnsigned(tree)) return;
  const sign = commandLine(['hub', 'sign', typedPath(root), '--key', 'FILE']);
  emit({ type: 'warning', code: 'UNSIGNED', message: `nothing in the hub is signed: ${sign}` });
}

/** Warns of a hub that would lose all the keys that its clients trust. */
export function warnOfOtherKeys(own: Index, published: Index, emit: Emit): void {
  if (own === undefined || published === undefined || published.keys.length === 0) return;
  if (own.keys.length === 0 || own.keys.some((key) => published.keys.includes(key))) return;
  const message = `the published hub is signed by ${published.keys.join(', ')}, this one by ${own.keys.join(', ')}: clients that trust only the former will reject it; sign it with both keys until they trust the new one`;
  emit({ type: 'warning', code: 'OTHER_KEYS', message });
}
