import type { Session } from '../cli/session.js';
import { CliError } from '../core/errors.js';
import { isThere } from '../core/files/exists.js';
import { readTextFile } from '../core/files/read-bounded.js';
import type { View } from '../output/view-types.js';
import { writeAtomically } from '../state/atomic-write.js';

/**
 * Reads the text of a plan for `--plan`.
 * @throws LOCAL_IO when the file is not there, USAGE when it cannot be used
 */
export async function readPlanFile(file: string, maxBytes: number): Promise<string> {
  const found = await readTextFile(file, maxBytes);
  if (found.kind === 'text') return found.text;
  const details = { hints: [{ next: 'write-plan' } as const], target: { file } };
  if (found.kind === 'absent') throw new CliError('LOCAL_IO', `the plan ${file} does not exist`, details);
  throw new CliError('USAGE', `the plan ${file} ${found.why}`, details);
}

/** Refuses a plan that would take the place of a file: EXISTS (docs/faults.md L09). */
export function refusePlanFile(file: string): void {
  if (isThere(file)) throw new CliError('EXISTS', `${file} exists`, { hints: ['name another file'], target: { file } });
}

/**
 * Writes the plan of `--plan-out` to a new file: the document of `--dry-run --json`.
 * @throws EXISTS, and the errors of a file that cannot be written
 */
export async function writePlanFile<R>(
  file: string,
  view: View<R>,
  plan: R,
  { terminal }: Pick<Session, 'terminal'>,
): Promise<void> {
  refusePlanFile(file);
  const options = { format: 'json', look: terminal.stdout, fields: undefined, header: true, csvRaw: false } as const;
  await writeAtomically(file, view.render(plan, options));
  terminal.tell(`wrote ${file}. To apply it, run the same command with --plan instead of --plan-out`);
}
