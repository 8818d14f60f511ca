import { readTextFile } from '../../core/files/read-bounded.js';
import { CliError } from '../../core/errors.js';
import { upgradeView } from '../../output/views/upgrade.js';
import { isThere } from '../../core/files/exists.js';
import { readAgreedUpgrade, type AgreedUpgrade } from '../../services/upgrade/plan/agreed-plan.js';
import type { UpgradeResult } from '../../services/upgrade/upgrade-result.js';
import { writeAtomically } from '../../state/atomic-write.js';
import type { Session } from '../../cli/session.js';

const LARGEST = 256 * 1024 * 1024;

/**
 * Reads the plan of `upgrade --plan`.
 * @throws USAGE when the file is not there or holds none
 */
export async function readUpgradePlan(file: string): Promise<AgreedUpgrade> {
  const found = await readTextFile(file, LARGEST);
  if (found.kind === 'text') return readAgreedUpgrade(found.text, file);
  throw new CliError('USAGE', `the plan ${file} ${found.kind === 'absent' ? 'does not exist' : found.why}`, {
    hints: ['to write a plan: --plan-out FILE'],
    target: { file },
  });
}

/** Refuses a plan that would take the place of a file: EXISTS (docs/faults.md L09). */
export function refusePlanFile(file: string): void {
  if (isThere(file)) throw new CliError('EXISTS', `${file} exists`, { hints: ['name another file'], target: { file } });
}

/** Writes the plan of `upgrade --plan-out` to a new file: the document of `--dry-run --json`. */
export async function writePlan(
  file: string,
  plan: UpgradeResult,
  { terminal }: Pick<Session, 'terminal'>,
): Promise<void> {
  refusePlanFile(file);
  const options = { format: 'json', look: terminal.stdout, fields: undefined, header: true, csvRaw: false } as const;
  await writeAtomically(file, upgradeView.render(plan, options));
  terminal.tell(`wrote ${file}. To apply it, run the same command with --plan instead of --plan-out`);
}
