import { formatOf } from '../cli/line/argv.js';
import { commandLine, connectionWords } from '../cli/line/command-line.js';
import type { Session } from '../cli/session.js';
import { visible } from '../output/escape.js';

/** A run that failed, and the pipeline that it is of. */
export interface FailedRun {
  readonly namespace: string;
  readonly pipeline: string;
  readonly run: string;
}

/** The command that tells why a run failed, on the same platform. */
export const whyCommand = ({ namespace, pipeline, run }: FailedRun, { argv }: Pick<Session, 'argv'>): string =>
  commandLine(['pipeline', 'why', `${namespace}/${pipeline}`, run, ...connectionWords(argv)]);

/** Whether people read the result. */
export const isTable = ({ argv, env }: Pick<Session, 'argv' | 'env'>): boolean =>
  ['table', 'wide'].includes(formatOf(argv, env));

/** Says after a result with a failed run what to ask next; nothing to programs. */
export function tellFailedRun(
  failed: FailedRun | undefined,
  session: Pick<Session, 'argv' | 'env' | 'terminal'>,
  isForPeople = isTable(session),
): void {
  if (failed !== undefined && isForPeople) session.terminal.tell(`next: ${visible(whyCommand(failed, session))}`);
}
