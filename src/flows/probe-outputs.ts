import { createStaged } from '../state/atomic-write.js';
import { refusePlanFile } from './plan-file.js';

/** Files that a line asks for besides the result. */
export interface OutputFlags {
  readonly junit?: string | undefined;
  readonly 'plan-out'?: string | undefined;
}

/**
 * Proves that what is asked for besides can be written, before the first request (docs/faults.md L04).
 * @throws EXISTS for a plan that is there (docs/faults.md L09)
 */
export async function probeOutputs({ junit, 'plan-out': plan }: OutputFlags): Promise<void> {
  if (plan !== undefined) {
    refusePlanFile(plan);
    await createStaged(plan).abort();
  }
  if (junit !== undefined) await createStaged(junit, { overwrite: true }).abort();
}
