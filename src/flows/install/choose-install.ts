import { CliError } from '../../core/errors.js';
import { visible } from '../../output/escape.js';
import { findInstall, isMeant } from '../../services/installed/find.js';
import type { PackageRef } from '../../services/catalog/package-ref.js';
import { readLedger, type LedgerInstall } from '../../state/ledger.js';
import { commandLine } from '../../cli/line/command-line.js';
import { choose } from '../../cli/terminal/choice.js';
import type { CommandContext } from '../../cli/context-types.js';
import { withArgument, withFlag } from '../../cli/line/rewrite-line.js';
import type { Session } from '../../cli/session.js';

type Line = Pick<Session, 'argv' | 'build'>;

/** The line that means one of several installs alone. */
function lineFor(
  install: LedgerInstall,
  several: readonly LedgerInstall[],
  text: string,
  line: Line,
): readonly string[] {
  const differs = (key: 'hub' | 'hubName' | 'namespace' | 'platform'): boolean =>
    several.some((other) => other[key] !== install[key]);
  // The hub that was named still is where all are of one; installs of others may have the name, too.
  const hub = differs('hub') ? '' : text.slice(0, text.indexOf('/') + 1);
  let argv = withArgument(line, text, `${hub}${install.package}@${install.version}`);
  if (differs('hub')) argv = withFlag(argv, 'hub', differs('hubName') ? install.hubName : install.hub);
  if (differs('namespace')) argv = withFlag(argv, 'namespace', install.namespace, 'n');
  if (differs('platform')) argv = withFlag(argv, 'url', install.platform, 'u');
  return argv;
}

/** An install, and the words that mean it alone. */
export interface NamedInstall {
  readonly install: LedgerInstall;
  readonly ref: PackageRef;
  /** The line, which names it where one had to be chosen. */
  readonly argv: readonly string[];
}

/** The install that an argument names; a person chooses where several are meant. */
export async function installNamed(
  text: string,
  ref: PackageRef,
  installs: readonly LedgerInstall[],
  { asker }: Pick<CommandContext, 'asker'>,
  line: Line,
): Promise<NamedInstall> {
  const { all, problem } = findInstall(ref, installs);
  if (all.length === 1) return { install: all[0], ref, argv: line.argv };
  const choices = all.map((value) => {
    const { hubName, package: name, version, namespace, platform } = value;
    const columns = [`${hubName}/${name}@${version}`, `in ${namespace}`, platform];
    return { value, columns, argv: lineFor(value, all, text, line) };
  });
  const { value: install, argv } = await choose(problem, choices, asker);
  return { install, ref: { hub: install.hub, name: install.package, version: install.version }, argv };
}

const MOST_PLACES = 5;

/** What other places of an install are looked for with. */
interface OtherPlaces {
  readonly stateFolder: string;
  /** Address of the platform of the line. */
  readonly url: string;
  readonly ref: PackageRef;
  readonly session: Pick<Session, 'argv' | 'terminal'>;
}

/** The error of an install that is not at this place, with the line for each place where it is. */
export async function namingOthers(error: unknown, { stateFolder, url, ref, session }: OtherPlaces): Promise<unknown> {
  if (!(error instanceof CliError) || error.code !== 'PACKAGE_NOT_FOUND') return error;
  const all = await readLedger(stateFolder, {}, () => undefined);
  const others = all.filter((install) => install.items.length > 0 && isMeant(ref, install));
  if (others.length === 0) return error;
  const places = others.slice(0, MOST_PLACES).map(({ namespace, platform }) => {
    const there = withFlag(session.argv, 'namespace', namespace, 'n');
    return session.terminal.hide(commandLine(platform === url ? there : withFlag(there, 'url', platform, 'u')));
  });
  const [{ namespace, platform } = { namespace: '', platform: '' }] = others;
  const where = others.length === 1 ? `in namespace ${namespace} of ${platform}` : `at ${others.length} other places`;
  return new CliError(error.code, `${error.message}; installed ${visible(where)}`, {
    ...error.details,
    hints: places,
  });
}
