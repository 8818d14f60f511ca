import type { CommandContext } from '../../cli/context-types.js';
import { commandLine, withFlags } from '../../cli/line/command-line.js';
import type { Session } from '../../cli/session.js';
import { askSecret } from '../../cli/terminal/prompts.js';
import { CliError } from '../../core/errors.js';
import { secretLine } from '../secret-line.js';

/** The variable that has a passphrase itself; a file is safer. */
export const PASSPHRASE_VARIABLE = 'CDAPCTL_PASSPHRASE';

const ATTEMPTS = 3;

type PassphraseSession = Pick<Session, 'env' | 'signal' | 'terminal'>;

/** The passphrases that a line gives: one from each file, or stdin, else that of the variable. */
export async function givenPassphrases(
  files: readonly string[],
  session: PassphraseSession,
): Promise<readonly string[]> {
  const given: string[] = [];
  for (const file of files) given.push(await secretLine(file, 'passphrase', session));
  const text = session.env[PASSPHRASE_VARIABLE] ?? '';
  if (given.length > 0 || text === '') return given;
  session.terminal.secrets.add(text);
  return [text];
}

/** Whether a new key lacks a passphrase that cannot be asked for. */
export const lacksPassphrase = (
  file: string | undefined,
  { asker }: Pick<CommandContext, 'asker'>,
  { env }: Pick<Session, 'env'>,
): boolean => file === undefined && asker === undefined && (env[PASSPHRASE_VARIABLE] ?? '') === '';

/** What a line without a passphrase can have instead. */
export const WITHOUT_PASSPHRASE = 'for a key that only its file permissions protect: --no-passphrase';

/**
 * The passphrase for a new key: as given, or typed twice.
 * @throws INPUT_MISSING without a terminal, DECLINED when the two differ three times or the input ends
 */
export async function newPassphrase(
  file: string | undefined,
  { asker }: Pick<CommandContext, 'asker'>,
  session: PassphraseSession & Pick<Session, 'argv'>,
): Promise<string> {
  const [given] = await givenPassphrases(file === undefined ? [] : [file], session);
  if (given !== undefined) return given;
  if (asker === undefined)
    throw new CliError('INPUT_MISSING', 'a passphrase for the new key is required without a terminal', {
      hints: [commandLine(withFlags(session.argv, ['--passphrase-file', 'FILE'])), WITHOUT_PASSPHRASE],
    });
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const first = await askSecret('Passphrase for the new key:', asker);
    if (first !== undefined) session.terminal.secrets.add(first);
    const second = first === undefined ? undefined : await askSecret('Repeat the passphrase:', asker);
    if (second === undefined) throw new CliError('DECLINED', 'no passphrase was given; nothing was written');
    if (first === second) return second;
    session.terminal.secrets.add(second);
    if (attempt < ATTEMPTS) session.terminal.note('the passphrases do not match; enter both again');
  }
  throw new CliError('DECLINED', 'the passphrases do not match; nothing was written');
}
