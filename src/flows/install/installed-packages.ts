import type { InstalledItem } from '../../output/views/installed.js';
import { visible } from '../../output/escape.js';
import { verifyInstall, type VerifiedItem } from '../../services/installed/verify.js';
import { readLedger, type LedgerInstall } from '../../state/ledger.js';
import { commandLine } from '../../cli/line/command-line.js';
import type { CommandContext } from '../../cli/context-types.js';
import { refuseNamespaces } from '../../cli/settings.js';
import type { Session } from '../../cli/session.js';

/**
 * The installs on the platform and in the namespace of a command line. All of them where none is named. A journal that
 * cannot be read is a warning.
 */
export async function installsOf(
  { found, stateFolder }: Pick<CommandContext, 'found' | 'stateFolder'>,
  session: Pick<Session, 'terminal'>,
): Promise<readonly LedgerInstall[]> {
  refuseNamespaces(found);
  const { url, namespace } = found.settings;
  return readLedger(stateFolder, { platform: url?.value, namespace: namespace?.value }, (error) => {
    session.terminal.warn(error.code, error.message);
  });
}

/** Says on stderr that installs at other places are not shown, and how those are. */
export async function noteElsewhere(
  { stateFolder }: Pick<CommandContext, 'stateFolder'>,
  { terminal }: Pick<Session, 'terminal'>,
  shown: readonly LedgerInstall[],
): Promise<void> {
  const files = new Set(shown.map(({ file }) => file));
  const all = await readLedger(stateFolder, {}, () => undefined);
  const others = all.filter(({ file, items }) => items.length > 0 && !files.has(file));
  const [first] = others;
  if (first === undefined) return;
  const count =
    others.length === 1
      ? '1 install on another platform or namespace is'
      : `${others.length} installs on other platforms or namespaces are`;
  const place = commandLine(['installed', 'list', '-u', first.platform, '-n', first.namespace]);
  terminal.tell(visible(`note: ${count} not listed; to show the first: ${place}`));
}

function driftOf(items: readonly VerifiedItem[]): NonNullable<InstalledItem['drift']> {
  if (items.some(({ now }) => now === 'gone')) return 'gone';
  return items.some(({ now }) => now === 'changed') ? 'changed' : 'none';
}

/** An install as it is shown; with `verify` the platform is asked how everything stands now. */
export async function installedItem(
  install: LedgerInstall,
  verify: boolean,
  context: Pick<CommandContext, 'platform'>,
  session: Pick<Session, 'signal'>,
): Promise<InstalledItem> {
  const looking = verify
    ? { ...(await context.platform()), namespace: install.namespace, signal: session.signal }
    : undefined;
  const verified = await verifyInstall(install, looking);
  const { package: name, version, hubName, hub, platform, namespace, at, uninstalledAt, state } = install;
  const items = verified.map(({ item: { kind, name: called, version: of, actions, origin, standing, why }, now }) => ({
    kind,
    name: called,
    ...(of !== undefined && { version: of }),
    actions: [...actions],
    origin,
    standing,
    ...(why !== undefined && { why }),
    ...(now !== undefined && { now }),
  }));
  const place = { package: name, version, hub: hubName, hubUrl: hub, platform, namespace };
  const shown = { ...place, at, ...(uninstalledAt !== undefined && { uninstalledAt }), state, items };
  return verify ? { ...shown, drift: driftOf(verified) } : shown;
}
