import { storedLogin, tokenPlace } from '../../cli/connection-hints.js';
import type { CommandContext } from '../../cli/context-types.js';
import type { Session } from '../../cli/session.js';
import type { Identity } from '../../output/views/identity.js';
import { lookAt } from '../../services/login/sign-in.js';
import { namespacesOf } from '../../services/listing/namespaces.js';

/**
 * Tells as whom a platform is used: asks it with the token of this run.
 * @throws AUTH when it does not accept it
 */
export async function whoami(
  context: Pick<CommandContext, 'bare' | 'found' | 'platform' | 'tokenExpiresAt'>,
  session: Pick<Session, 'env' | 'signal'>,
): Promise<Identity> {
  const { signal } = session;
  const { platform, url, context: name, version } = await context.platform();
  const namespaces = (await namespacesOf(platform, signal)).map((namespace) => namespace.name);
  const door = await lookAt(url, context.bare, signal);
  const login = await storedLogin(context.found, session);
  const expiresAt = context.tokenExpiresAt();
  const tokenFrom = tokenPlace(context.found, session, login);
  return {
    url,
    authentication: door.kind === 'closed',
    version,
    namespaces,
    ...(name !== undefined && { context: name }),
    ...(login?.user !== undefined && { user: login.user }),
    ...(tokenFrom !== undefined && { tokenFrom: tokenFrom.replace(/^(?:in|of) /u, '') }),
    ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }),
  };
}
