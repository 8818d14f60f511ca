import { CliError } from '../../core/errors.js';
import type { Target } from './action.js';

/** The refusal to write over what somebody made or changed since the plan was shown (CONFLICT). */
export function notAgreed({ kind, name }: Pick<Target, 'kind' | 'name'>): CliError {
  return new CliError('CONFLICT', `${kind} ${name} was created or changed by someone else since the plan was shown`, {
    hints: ['run the same command again to see what it overwrites'],
    target: { [kind]: name },
  });
}
