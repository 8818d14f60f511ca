import * as z from 'zod/mini';
import { CliError } from '../../../core/errors.js';
import { parseJson } from '../../../core/json/json.js';
import { readBounded } from '../../../core/files/read-bounded.js';
import { writeAtomically } from '../../../state/atomic-write.js';
import type { LintFault } from './rule.js';

type Known = Pick<LintFault, 'file' | 'rule' | 'message'>;

const LARGEST = 16_000_000;
const Baseline = z.object({
  faults: z.array(z.object({ file: z.string(), rule: z.string(), message: z.string() })),
});

/** What makes a fault the same as one before: no line, which changes with every edit above it. */
const lasting = ({ file, rule, message }: Known): Known => ({
  file,
  rule,
  message: message.replace(/, first in line \d+$/u, ''),
});

/** A key that a fault shares with those that are the same. */
export const keyOf = (fault: Known): string => {
  const { file, rule, message } = lasting(fault);
  return JSON.stringify([file, rule, message]);
};

/**
 * The keys of the faults in a baseline.
 * @throws BAD_JSON, LOCAL_IO
 */
export async function readBaseline(path: string): Promise<ReadonlySet<string>> {
  const read = Baseline.safeParse(parseJson(await readBounded(path, LARGEST), path));
  if (!read.success) throw new CliError('BAD_JSON', `${path} is not a baseline of hub lint`);
  return new Set(read.data.faults.map(keyOf));
}

/** Writes a baseline: one line for each fault, for small changes under version control. */
export async function writeBaseline(path: string, faults: readonly LintFault[]): Promise<void> {
  const lines = faults.map((fault) => `  ${JSON.stringify(lasting(fault))}`);
  const text = `{"faults": [\n${[...new Set(lines)].join(',\n')}\n]}\n`;
  await writeAtomically(path, text, { mode: 0o644, overwrite: true });
}
