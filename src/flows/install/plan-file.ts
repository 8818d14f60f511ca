import { readTextFile } from '../../core/files/read-bounded.js';
import { CliError } from '../../core/errors.js';
import { installView } from '../../output/views/install.js';
import { isThere } from '../../core/files/exists.js';
import { readAgreedPlan, type AgreedPlan } from '../../services/install/plan/agreed-plan.js';
import type { InstallResult } from '../../services/install/plan/install-result.js';
import { writeAtomically } from '../../state/atomic-write.js';
import type { Session } from '../../cli/session.js';

const LARGEST = 16 * 1024 * 1024;

/**
 * Reads the plan of `install --plan`.
 * @throws USAGE when the file is not there or holds none
 */
export async function readPlan(file: string): Promise<AgreedPlan> {
  const found = await readTextFile(file, LARGEST);
  if (found.kind === 'text') return readAgreedPlan(found.text, file);
  throw new CliError('USAGE', `the plan ${file} ${found.kind === 'absent' ? 'does not exist' : found.why}`, {
    target: { file },
  });
}

/**
 * Writes the plan of `install --plan-out` to a new file: the document of `--dry-run --json`.
 * @throws EXISTS, and the errors of a file that cannot be written
 */
export async function writePlan(
  file: string,
  plan: InstallResult,
  { terminal }: Pick<Session, 'terminal'>,
): Promise<void> {
  if (isThere(file)) throw new CliError('EXISTS', `${file} exists`, { hints: ['name another file'], target: { file } });
  const options = { format: 'json', look: terminal.stdout, fields: undefined, header: true, csvRaw: false } as const;
  await writeAtomically(file, installView.render(plan, options));
  terminal.tell(`wrote ${file}. To apply it, run the same command with --plan instead of --plan-out`);
}
