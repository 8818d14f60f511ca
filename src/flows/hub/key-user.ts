import type { CommandContext } from '../../cli/context-types.js';
import { commandLine, withFlags } from '../../cli/line/command-line.js';
import type { Session } from '../../cli/session.js';
import { askText, unanswered } from '../../cli/terminal/prompts.js';
import { CliError } from '../../core/errors.js';
import { emailProblem, userNameProblem } from '../../services/hosting/keys/new-key-files.js';
import type { KeyWishes } from '../../trust/signing/generate-key.js';
import { WITHOUT_PASSPHRASE } from './passphrase.js';

type KeyUser = Pick<KeyWishes, 'name' | 'email'>;

/** What is known of the passphrase of the key. */
interface PassphraseState extends Pick<Session, 'argv'> {
  /** Whether it is missing and cannot be asked for either. */
  readonly lacksPassphrase: boolean;
}

/**
 * Whom a new key names: as the line has it, or as typed at a terminal.
 * @throws USAGE for what a key cannot have, INPUT_MISSING without a terminal, DECLINED
 */
export async function keyUser(
  { name, email }: KeyUser,
  { asker }: Pick<CommandContext, 'asker'>,
  state: PassphraseState,
): Promise<KeyUser> {
  refuseBad('--name', name, userNameProblem);
  refuseBad('--email', email, emailProblem);
  if (name !== undefined || email !== undefined) return { name, email };
  if (asker === undefined) throw missingUser(state);
  const fault = (text: string): string | undefined =>
    text.trim() === '' ? 'enter a name' : userNameProblem(text.trim());
  const typed = await askText('Name of the publisher:', undefined, fault, asker);
  if (typed === undefined) throw unanswered();
  return { name: typed.trim(), email };
}

function missingUser({ argv, lacksPassphrase }: PassphraseState): CliError {
  const needs = 'the key needs --name, --email or both';
  if (!lacksPassphrase) return new CliError('INPUT_MISSING', needs, { hints: ['--name "NAME OF THE PUBLISHER"'] });
  return new CliError('INPUT_MISSING', `${needs}, and without a terminal a passphrase`, {
    hints: [commandLine(withFlags(argv, ['--name', 'NAME', '--passphrase-file', 'FILE'])), WITHOUT_PASSPHRASE],
  });
}

function refuseBad(flag: string, text: string | undefined, problemOf: typeof userNameProblem): void {
  const problem = text === undefined ? undefined : problemOf(text);
  if (problem !== undefined) throw new CliError('USAGE', `${flag} ${JSON.stringify(text)} ${problem}`);
}
