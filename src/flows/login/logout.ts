import type { Change } from '../../cli/consent.js';
import type { FoundSettings } from '../../cli/settings.js';
import { CliError } from '../../core/errors.js';
import { commandLine } from '../../cli/line/command-line.js';
import type { LogoutItem } from '../../output/views/identity.js';
import { hasLogin, loggedIn, readLogin, removeLogin, removeLogins, writeLogin } from '../../state/login/logins.js';

/**
 * Removes the tokens that logins keep, of the context in force or of all, after a yes to it. Where there is none
 * nothing is asked.
 * @throws USAGE when no context is in force
 */
export async function logout(
  all: boolean,
  { settings, folders: { state } }: Pick<FoundSettings, 'settings' | 'folders'>,
  consent: (change: Change) => Promise<void>,
): Promise<readonly LogoutItem[]> {
  if (all) {
    const contexts = await loggedIn(state);
    if (contexts.length > 0) await consent(removing(contexts));
    await removeLogins(state, contexts);
    return contexts.map((context) => ({ context, state: 'removed' }));
  }
  const context = settings.context?.value.name;
  if (context === undefined)
    throw new CliError('USAGE', 'there is no current context to log out of', {
      hints: [`${commandLine(['logout', '--context'])} NAME`, commandLine(['logout', '--all'])],
    });
  if (await hasLogin(state, context)) await consent(removing([context]));
  return [{ context, state: (await removeLogin(state, context)) ? 'removed' : 'none' }];
}

const removing = (contexts: readonly string[]): Change => ({
  deed: `remove the ${contexts.length === 1 ? 'login of context' : 'logins of contexts'} ${contexts.join(', ')}`,
});

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
