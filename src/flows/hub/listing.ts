import { partsOf } from '../../core/collections.js';
import { counted } from '../../core/counted.js';
import { CliError, type ErrorCode } from '../../core/errors.js';
import { visible } from '../../output/escape.js';
import type { ListResult } from '../../output/view-types.js';
import { installedMarks } from '../../services/catalog/installed-marks.js';
import { listPackages, type ListQuery, type PackageList } from '../../services/catalog/list.js';
import type { PackageItem } from '../../services/catalog/package-item.js';
import { readLedger, type LedgerInstall } from '../../state/ledger.js';
import type { CommandContext } from '../../cli/context-types.js';
import type { HubListFlags } from '../../flags/hub-list.js';
import type { Terminal } from '../../cli/terminal/terminal.js';

/** How a list was asked for. */
export interface HubListOptions {
  readonly flags: HubListFlags;
  readonly text: string | undefined;
  /** Whether the types of actions are shown, which costs a request a package. */
  readonly withActions: boolean;
}

/** Whether the requested output shows action types. Reading them costs one request per package. */
export function showsActions({
  output,
  fields,
}: {
  readonly output?: string | undefined;
  readonly fields?: string | undefined;
}): boolean {
  return fields === undefined ? output === 'wide' || output === 'csv' : partsOf(fields).includes('actions');
}

/** Counts the entries of each hub that cannot even be shown (docs/faults.md H05). */
function tellSkipped({ problems }: PackageList, warn: (code: string, message: string) => void): void {
  const skipped = problems.filter(({ severity }) => severity === 'skipped');
  for (const hub of new Set(skipped.map((problem) => problem.hub))) {
    const own = skipped.filter((problem) => problem.hub === hub);
    const count = own.length === 1 ? '1 entry' : `${own.length} entries`;
    const [first] = own;
    warn('BAD_CATALOG', `hub "${hub}": ${count} of the catalog skipped; the first one ${first?.message ?? ''}`);
  }
}

function tell(list: PackageList, platformVersion: string | undefined, terminal: Pick<Terminal, 'tell' | 'warn'>): void {
  const warn = (code: string, message: string): void => {
    terminal.warn(code, message);
  };
  for (const { hub, error } of list.failed) warn(error.code, `hub "${hub}" could not be read: ${error.message}`);
  tellSkipped(list, warn);
  const serious = list.problems.filter(({ severity }) => severity === 'warning');
  for (const { hub, code, message } of serious.slice(0, 10)) warn(code, `hub "${hub}": ${message}`);
  if (serious.length > 10) warn('BAD_CATALOG', `${serious.length - 10} more problems in the catalogs`);
  for (const hub of list.synthesized)
    terminal.tell(`note: hub "${visible(hub)}" is a source tree without packages.json; read from its specifications`);
  if (list.noCategory !== undefined) {
    const { asked, known } = list.noCategory;
    warn('NO_CATEGORY', `no package has the category ${asked.join(', ')}; categories: ${known.join(', ')}`);
  }
  const hidden =
    list.hidden === 0
      ? ''
      : `, ${list.hidden} hidden (not compatible with platform ${platformVersion ?? ''}); use --all to show them`;
  terminal.tell(`${counted(list.total, 'package')}${hidden}`);
}

function refuse(list: PackageList, flags: HubListFlags): void {
  const [failed] = list.failed;
  const [problem] = list.problems.filter(({ severity }) => severity !== 'note');
  if (flags.strict && failed !== undefined) throw failed.error;
  if (flags.strict && problem !== undefined)
    throw new CliError('BAD_CATALOG', `hub "${problem.hub}": ${problem.message}`);
  if (flags['fail-on-no-result'] && list.total === 0) throw new CliError('PACKAGE_NOT_FOUND', 'no packages found');
}

/** What is wrong with the command line or the files of the user, and not with the platform. */
const LINE_FAULTS: ReadonlySet<ErrorCode> = new Set(['USAGE', 'CONFIG', 'TOKEN_BAD', 'PLAIN_HTTP_TOKEN', 'LOCAL_IO']);

/** The version of the platform; a platform that cannot be asked hides nothing, and that is said. */
export async function versionIfKnown(
  context: Pick<CommandContext, 'platformIfAny'>,
  terminal: Pick<Terminal, 'warn'>,
): Promise<string | undefined> {
  try {
    return (await context.platformIfAny())?.version;
  } catch (error) {
    if (!(error instanceof CliError) || LINE_FAULTS.has(error.code)) throw error;
    terminal.warn(error.code, `cannot read the platform version, so compatibility is not checked: ${error.message}`);
    return undefined;
  }
}

/**
 * The installs of the platform of a line, or of all where it names none, in all namespaces. Records that cannot be read
 * mark nothing.
 */
async function knownInstalls({
  found,
  stateFolder,
}: Pick<CommandContext, 'found' | 'stateFolder'>): Promise<readonly LedgerInstall[]> {
  try {
    return await readLedger(stateFolder, { platform: found.settings.url?.value }, () => undefined);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return [];
  }
}

/** Lists packages of the hubs of a context for the view. Tells on stderr what was left out. */
export async function listFor(
  context: Pick<CommandContext, 'found' | 'hubs' | 'platformIfAny' | 'stateFolder'>,
  { flags, text, withActions }: HubListOptions,
  terminal: Pick<Terminal, 'tell' | 'warn'>,
  signal: AbortSignal,
): Promise<{ readonly result: ListResult<PackageItem>; readonly several: boolean }> {
  const given = flags['platform-version'];
  const platformVersion = given ?? (flags.offline ? undefined : await versionIfKnown(context, terminal));
  const hubs = (await context.hubs()).map((hub) => ({
    ...hub,
    offline: flags.offline,
    refresh: flags.refresh,
  }));
  const query: ListQuery = {
    categories: flags.category,
    platformVersion,
    all: flags.all,
    actionTypes: flags['action-type'],
    text,
    beta: flags.beta,
    latest: flags.latest,
    sort: flags.sort,
    withActions,
    installed: installedMarks(hubs, await knownInstalls(context)),
  };
  const list = await listPackages(hubs, query, signal);
  tell(list, platformVersion, terminal);
  refuse(list, flags);
  const page = { offset: 0, returned: list.total, total: list.total, next: null };
  return { result: { items: list.items, page, members: { hidden: list.hidden } }, several: hubs.length > 1 };
}
