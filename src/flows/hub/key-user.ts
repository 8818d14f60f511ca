import type { CommandContext } from '../../cli/context-types.js';
import { askText, unanswered } from '../../cli/terminal/prompts.js';
import { CliError } from '../../core/errors.js';
import { emailProblem, userNameProblem } from '../../services/hosting/keys/new-key-files.js';
import type { KeyWishes } from '../../trust/signing/generate-key.js';

type KeyUser = Pick<KeyWishes, 'name' | 'email'>;

/**
 * Whom a new key names: as the line has it, or as typed at a terminal.
 * @throws USAGE for what a key cannot have, INPUT_MISSING without a terminal, DECLINED
 */
export async function keyUser({ name, email }: KeyUser, { asker }: Pick<CommandContext, 'asker'>): Promise<KeyUser> {
  refuseBad('--name', name, userNameProblem);
  refuseBad('--email', email, emailProblem);
  if (name !== undefined || email !== undefined) return { name, email };
  if (asker === undefined)
    throw new CliError('INPUT_MISSING', 'the key needs --name, --email or both', {
      hints: ['--name "NAME OF THE PUBLISHER"'],
    });
  const fault = (text: string): string | undefined =>
    text.trim() === '' ? 'enter a name' : userNameProblem(text.trim());
  const typed = await askText('Name of the publisher:', undefined, fault, asker);
  if (typed === undefined) throw unanswered();
  return { name: typed.trim(), email };
}

function refuseBad(flag: string, text: string | undefined, problemOf: typeof userNameProblem): void {
  const problem = text === undefined ? undefined : problemOf(text);
  if (problem !== undefined) throw new CliError('USAGE', `${flag} ${JSON.stringify(text)} ${problem}`);
}
