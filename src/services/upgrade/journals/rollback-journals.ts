import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { CliError } from '../../../core/errors.js';
import type { Emit } from '../../../core/events.js';
import { sameConfiguration } from '../same-configuration.js';
import { isSameArtifact } from '../deployed-state.js';
import { leftBy } from '../run/rollback.js';
import { isSameAddress } from '../../../core/hub-address.js';
import type { RunEntry, UpgradeSelection } from '../../../state/upgrade-journal.js';
import { journalPath, rollbacksOf, upgradesOf } from '../../../state/upgrade-folder.js';
import { hasSent, readUpgrade, type ReadUpgrade, type UpgradeRecord } from '../../../state/read-upgrade-journal.js';

/** What a rollback takes back: an upgrade, with the interrupted runs before it that it started over. */
export interface UpgradeToRollBack {
  /** The journal of the upgrade, and those of the runs before it. */
  readonly file: string;
  readonly also: readonly string[];
  /** When it began. */
  readonly at: string;
  /** By `recordKey`; what several runs changed goes back to what it was before the first. */
  readonly records: ReadonlyMap<string, UpgradeRecord>;
  /** What earlier rollbacks did, by `recordKey`. */
  readonly earlier: ReadonlyMap<string, UpgradeRecord>;
  /** Interrupted earlier runs of another choice or platform version, with what was not rolled back. */
  readonly elsewhere: readonly ElsewhereRun[];
  /** Pipelines whose notes carry no digest. */
  readonly unsealed: number;
}

/** A run that a rollback does not take back, although nobody went on with it. */
export interface ElsewhereRun {
  readonly journal: string;
  readonly pipelines: readonly { readonly namespace: string; readonly name: string }[];
}

async function sentOf(
  { records }: ReadUpgrade,
  namespace?: string,
): Promise<readonly (readonly [string, UpgradeRecord])[]> {
  const sent: (readonly [string, UpgradeRecord])[] = [];
  for (const one of records)
    if ((namespace === undefined || one[1].namespace === namespace) && (await hasSent(one[1]))) sent.push(one);
  return sent;
}

/** A record of a pipeline that two runs changed one after the other: as it was before the first. */
function joined(newer: UpgradeRecord, older: UpgradeRecord): UpgradeRecord {
  const sending: UpgradeRecord['sending'] = async () => {
    const [now, then] = [await newer.sending(), await older.sending()];
    if (now === undefined || then === undefined) return now ?? then;
    const left = leftBy(older, then);
    const follows =
      left !== undefined &&
      isSameArtifact(left.artifact, now.before.artifact) &&
      sameConfiguration(left.configuration, now.before.configuration);
    return follows ? { ...now, before: then.before } : now;
  };
  return { ...newer, sending };
}

/** What a run chose; how it treats what runs and who does the work change nothing about that. */
export const chosenBy = ({ selection }: Pick<RunEntry, 'selection'>): UpgradeSelection | undefined =>
  selection && { ...selection, running: 'warn', engine: 'client' };

/** Whether two upgrades may have changed the same pipelines. */
export function meets(one: RunEntry, other: RunEntry): boolean {
  const [here, there] = [one.selection?.namespace, other.selection?.namespace];
  return here === undefined || there === undefined || here === there;
}

interface Journals {
  readonly newest: ReadUpgrade;
  /** Runs before it that were cut off, newest first: the same upgrade, and others. */
  readonly begun: readonly ReadUpgrade[];
  readonly others: readonly ReadUpgrade[];
}

/** Whether two runs are the same upgrade: of the same choice, to the same version of the platform. */
const isSameUpgrade = (one: RunEntry, other: RunEntry): boolean =>
  one.platformVersion === other.platformVersion && isDeepStrictEqual(chosenBy(one), chosenBy(other));

/** Which upgrades a rollback looks for: of a platform, in a namespace or all. */
interface UpgradePlace {
  readonly url: string;
  readonly namespace: string | undefined;
}

/** The named upgrade, else the newest that sent anything there. With the unfinished runs directly before it. */
async function newestOf(
  stateFolder: string,
  { url, namespace }: UpgradePlace,
  emit: Emit,
  named?: ReadUpgrade,
): Promise<Journals | undefined> {
  const [begun, others]: [ReadUpgrade[], ReadUpgrade[]] = [[], []];
  let newest = named;
  let isLater = named !== undefined;
  try {
    for await (const file of upgradesOf(stateFolder, url)) {
      if (isLater) {
        isLater = resolve(file) !== resolve(named?.file ?? '');
        continue;
      }
      const upgrade = await readUpgrade(file);
      if ((await sentOf(upgrade, namespace)).length === 0) continue;
      if (newest === undefined) newest = upgrade;
      else if (upgrade.finished) break;
      else if (meets(upgrade.run, newest.run)) (isSameUpgrade(upgrade.run, newest.run) ? begun : others).push(upgrade);
    }
  } catch (error) {
    if (newest === undefined || !(error instanceof CliError)) throw error;
    const message = `${error.message}; runs before the newest upgrade were not checked for unfinished pipelines`;
    emit({ type: 'warning', code: error.code, message });
  }
  return newest === undefined ? undefined : { newest, begun, others };
}

async function elsewhereOf(
  { others }: Journals,
  known: ReadonlyMap<string, UpgradeRecord>,
  stateFolder: string,
): Promise<readonly ElsewhereRun[]> {
  const runs: ElsewhereRun[] = [];
  for (const other of others) {
    const journal = resolve(other.file);
    const back = await rollbacksOf(stateFolder, journal);
    const left = (await sentOf(other)).filter(
      ([key, { ended }]) => !known.has(key) && ended?.untouched !== true && back.get(key)?.state !== 'done',
    );
    const pipelines = left.map(([, { namespace, pipeline: name }]) => ({ namespace, name }));
    if (pipelines.length > 0) runs.push({ journal, pipelines });
  }
  return runs;
}

async function together(journals: Journals, stateFolder: string): Promise<UpgradeToRollBack> {
  const { newest, begun } = journals;
  const file = resolve(newest.file);
  const records = new Map(newest.records);
  const earlier = new Map(await rollbacksOf(stateFolder, file));
  for (const older of begun) {
    const back = await rollbacksOf(stateFolder, resolve(older.file));
    for (const [key, record] of await sentOf(older)) {
      const known = records.get(key);
      const isKnown = known !== undefined && (await hasSent(known));
      records.set(key, isKnown ? joined(known, record) : record);
      const rolledBack = back.get(key);
      if (!isKnown && rolledBack !== undefined) earlier.set(key, rolledBack);
    }
  }
  return {
    file,
    also: begun.map((one) => resolve(one.file)),
    at: newest.run.at,
    records,
    earlier,
    elsewhere: await elsewhereOf(journals, records, stateFolder),
    unsealed: [newest, ...begun].reduce((sum, { unsealed }) => sum + unsealed, 0),
  };
}

/**
 * Finds the upgrade to roll back: that of the named journal, else the newest that sent anything. With it come the runs
 * directly before it that were interrupted and started over. See docs/conventions.md D18.
 * @throws NOT_FOUND without one
 */
export async function findUpgrade(
  journal: string | undefined,
  stateFolder: string,
  place: UpgradePlace,
  emit: Emit,
): Promise<UpgradeToRollBack> {
  const { url, namespace } = place;
  if (journal !== undefined) {
    const newest = await readUpgrade(journalPath(journal, stateFolder));
    const { command, platform } = newest.run;
    if (command !== 'upgrade')
      throw new CliError('USAGE', `${journal} is the journal of a rollback`, { hints: [{ next: 'list-upgrades' }] });
    if (!isSameAddress(platform, url))
      throw new CliError('USAGE', `${journal} is the journal of an upgrade of ${platform}, not of ${url}`);
    const found = await newestOf(stateFolder, { url, namespace: undefined }, emit, newest);
    return together({ newest, begun: found?.begun ?? [], others: [] }, stateFolder);
  }
  const journals = await newestOf(stateFolder, place, emit);
  if (journals !== undefined) return together(journals, stateFolder);
  const where = namespace === undefined ? url : `namespace ${namespace} on ${url}`;
  throw new CliError('NOT_FOUND', `there is no journal of an upgrade of ${where} that changed anything`);
}

/** What a rollback leaves as it is, a line for each journal that holds it. */
export function leftElsewhere(runs: readonly ElsewhereRun[]): readonly string[] {
  return runs.map(({ journal, pipelines }) => {
    const names = pipelines.slice(0, 10).map(({ namespace, name }) => `${namespace}/${name}`);
    const more = pipelines.length - names.length;
    const all = `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
    return `not rolled back because an interrupted run changed them: ${all} (journal ${journal})`;
  });
}
