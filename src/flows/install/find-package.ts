import { withHints } from '../../cli/connection-hints.js';
import { CliError } from '../../core/errors.js';
import type { Meant } from '../../core/closest.js';
import { parsePackageRef, type PackageRef } from '../../services/catalog/package-ref.js';
import { resolveInFolder } from '../../services/catalog/resolve.js';
import { resolvePackage, type PackagePlace } from '../../services/catalog/resolve.js';
import { choosePackage, type FoundPackage } from './choose-package.js';
import type { CommandContext } from '../../cli/context-types.js';
import { expandHome, isFolder, isPath } from '../../cli/line/local-path.js';
import type { Session } from '../../cli/session.js';

/**
 * Finds the package that an argument names. `[HUB/]NAME[@VERSION]` in the hubs of the context, or a folder on this
 * machine. The user chooses if several hubs have it.
 */
export async function findPackage(
  context: Pick<CommandContext, 'asker' | 'home' | 'hubs' | 'stateFolder'>,
  text: string,
  platformVersion: string | undefined,
  session: Pick<Session, 'argv' | 'build' | 'clock' | 'signal'>,
): Promise<FoundPackage> {
  const { signal, argv } = session;
  const meant = isPath(text)
    ? await resolveInFolder(expandHome(text, context.home), platformVersion, signal)
    : await inHubs(parsePackageRef(text), context, platformVersion, signal).catch((error: unknown) => {
        throw isMissing(error) && isFolder(text) ? withHints(error, [`for the folder: ./${text}`]) : error;
      });
  if (meant.all.length === 1) return { named: text, argv, ...meant.all[0] };
  return choosePackage(meant, text, context, session);
}

/**
 * The version of the platform, by which one of several versions of a package is chosen. A platform is asked only where
 * a name comes without its version.
 */
export async function versionToChooseBy(
  context: Pick<CommandContext, 'platformIfAny'>,
  names: readonly string[],
): Promise<string | undefined> {
  const areExact = names.every((text) => !isPath(text) && parsePackageRef(text).version !== undefined);
  return areExact ? undefined : (await context.platformIfAny())?.version;
}

const isMissing = (error: unknown): error is CliError =>
  error instanceof CliError && ['PACKAGE_NOT_FOUND', 'HUB_NOT_FOUND'].includes(error.code);

const inHubs = async (
  ref: PackageRef,
  { hubs }: Pick<CommandContext, 'hubs'>,
  platformVersion: string | undefined,
  signal: AbortSignal,
): Promise<Meant<PackagePlace>> => resolvePackage(await hubs(ref.hub), ref, platformVersion, signal);
