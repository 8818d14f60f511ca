import type { FoundSettings } from '../../cli/settings.js';
import { CliError } from '../../core/errors.js';
import { commandLine } from '../../cli/line/command-line.js';
import type { LogoutItem } from '../../output/views/identity.js';
import { readLogin, removeAllLogins, removeLogin, writeLogin } from '../../state/login/logins.js';

/**
 * Removes the tokens that logins keep, of the context in force or of all.
 * @throws USAGE when no context is in force
 */
export async function logout(
  all: boolean,
  { settings, folders }: Pick<FoundSettings, 'settings' | 'folders'>,
): Promise<readonly LogoutItem[]> {
  const one = settings.context?.value.name;
  if (!all && one === undefined)
    throw new CliError('USAGE', 'there is no current context to log out of', {
      hints: [`${commandLine(['logout', '--context'])} NAME`, commandLine(['logout', '--all'])],
    });
  if (all) return (await removeAllLogins(folders.state)).map((context) => ({ context, state: 'removed' }));
  const context = one ?? '';
  return [{ context, state: (await removeLogin(folders.state, context)) ? 'removed' : 'none' }];
}

type Place = Pick<FoundSettings, 'folders'>;

/** Removes the token of a context that goes. */
export const forgetLogin = async (context: string, { folders }: Place): Promise<void> => {
  await removeLogin(folders.state, context);
};

/** Keeps the token of a context under its new name. */
export async function renameLogin(context: string, to: string, { folders }: Place): Promise<void> {
  const login = await readLogin(folders.state, context);
  if (login === undefined) return;
  await writeLogin(folders.state, { ...login, context: to });
  await removeLogin(folders.state, context);
}
