import type { CommandContext } from '../../cli/context-types.js';
import { commandLine, withFlags } from '../../cli/line/command-line.js';
import type { Session } from '../../cli/session.js';
import { askSecret, askText, unanswered } from '../../cli/terminal/prompts.js';
import { CliError } from '../../core/errors.js';
import { secretLine } from '../secret-line.js';

/** What a line says of who logs in. */
export interface CredentialFlags {
  readonly username?: string | undefined;
  readonly 'password-file'?: string | undefined;
  readonly 'password-stdin'?: boolean | undefined;
}

/** The user and the password that a login is tried with. */
export interface UserAndPassword {
  readonly user: string;
  readonly password: string;
}

async function givenPassword(
  flags: CredentialFlags,
  session: Pick<Session, 'signal' | 'terminal'>,
): Promise<string | undefined> {
  const file = flags['password-file'];
  const isStdin = flags['password-stdin'] === true || file === '-';
  if (file !== undefined && flags['password-stdin'] === true)
    throw new CliError('USAGE', '--password-file and --password-stdin cannot be used together');
  const place = isStdin ? '-' : file;
  return place === undefined ? undefined : secretLine(place, 'password', session);
}

/**
 * Gives user and password to `tryThem`, as flags say or a person types; a person may try three times.
 * @throws INPUT_MISSING where something is missing and nobody can be asked
 */
export async function withCredentials<T>(
  flags: CredentialFlags,
  { asker }: Pick<CommandContext, 'asker'>,
  { argv, signal, terminal }: Pick<Session, 'argv' | 'signal' | 'terminal'>,
  tryThem: (credentials: UserAndPassword) => Promise<T>,
): Promise<T> {
  const given = await givenPassword(flags, { signal, terminal });
  if (asker === undefined && (flags.username === undefined || given === undefined)) {
    const missing = [
      ...(flags.username === undefined ? ['--username', 'USER'] : []),
      ...(given === undefined ? ['--password-file', 'FILE'] : []),
    ];
    throw new CliError('INPUT_MISSING', 'user and password are required to log in', {
      hints: [commandLine(withFlags(argv, missing)), 'to log in with a token that you have, use --token-file FILE'],
    });
  }
  for (let attempt = 1; ; attempt++) {
    const user = flags.username ?? (asker && (await askText('User:', undefined, () => undefined, asker)));
    if (user === undefined) throw unanswered();
    const password = given ?? (asker && (await askSecret('Password:', asker)));
    if (password === undefined) throw unanswered();
    terminal.secrets.add(password);
    try {
      return await tryThem({ user, password });
    } catch (error) {
      const isWrong = error instanceof CliError && error.code === 'AUTH';
      if (!isWrong || given !== undefined || attempt === 3) throw error;
      terminal.note(error.message);
    }
  }
}
