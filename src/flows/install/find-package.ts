import { parsePackageRef } from '../../services/catalog/package-ref.js';
import { resolveInFolder } from '../../services/catalog/resolve-folder.js';
import { resolvePackage, type PackagePlace } from '../../services/catalog/resolve.js';
import { choosePackage, type FoundPackage } from './choose-package.js';
import type { CommandContext } from '../../cli/context-types.js';
import { expandHome, isPath } from '../../cli/local-path.js';
import type { Session } from '../../cli/session.js';

/** The package that an argument names: `[HUB/]NAME[@VERSION]` in the hubs of the context, or a folder on this machine. A person chooses where several hubs have it. */
export async function findPackage(
  context: Pick<CommandContext, 'asker' | 'home' | 'hubs' | 'stateFolder'>,
  text: string,
  platformVersion: string | undefined,
  session: Pick<Session, 'argv' | 'build' | 'clock' | 'signal'>,
): Promise<FoundPackage> {
  const { signal, argv } = session;
  const chooseOne = (places: readonly PackagePlace[], problem: string): Promise<FoundPackage> =>
    choosePackage(places, problem, text, context, session);
  const as = { named: text, argv };
  if (isPath(text))
    return { ...as, ...(await resolveInFolder(expandHome(text, context.home), platformVersion, signal, chooseOne)) };
  const ref = parsePackageRef(text);
  return { ...as, ...(await resolvePackage(await context.hubs(ref.hub), ref, platformVersion, signal, chooseOne)) };
}
