import { basename, resolve } from 'node:path';
import { rollbacksOf, upgradesOf } from '../../../state/upgrade-folder.js';
import { hasSent, readUpgrade } from '../../../state/read-upgrade-journal.js';

/** One upgrade of a platform, from its journal: pipelines by how they ended or were rolled back since. */
export interface PastUpgrade {
  /** When it began, RFC 3339. */
  readonly at: string;
  /** Undefined: all namespaces. */
  readonly namespace?: string;
  readonly platformVersion: string;
  readonly upgraded: number;
  readonly failed: number;
  /** Sent without a known end: the run was cut off, or the platform did not tell. */
  readonly unknown: number;
  readonly rolledBack: number;
  /** `unfinished`: it was cut off, or stopped; `rolled-back`: nothing of it is left to roll back. */
  readonly state: 'finished' | 'unfinished' | 'rolled-back';
  /** The name of its journal, which `upgrade rollback` takes. */
  readonly journal: string;
  readonly file: string;
}

async function pastUpgrade(
  stateFolder: string,
  file: string,
  within: string | undefined,
): Promise<PastUpgrade | undefined> {
  const { run, records, finished } = await readUpgrade(file);
  const back = await rollbacksOf(stateFolder, resolve(file));
  let [sent, upgraded, unknown, rolledBack, untouched] = [0, 0, 0, 0, 0];
  let isWithin = within === undefined;
  for (const [key, record] of records) {
    if (record.state === 'done') upgraded += 1;
    if (record.state === 'sending' || record.state === 'unknown') unknown += 1;
    if (!(await hasSent(record))) continue;
    sent += 1;
    isWithin ||= record.namespace === within;
    if (back.get(key)?.state === 'done') rolledBack += 1;
    else if (record.ended?.untouched === true) untouched += 1;
  }
  if (sent === 0 || !isWithin) return undefined;
  const { namespace } = run.selection ?? {};
  return {
    at: run.at,
    ...(namespace !== undefined && { namespace }),
    platformVersion: run.platformVersion,
    upgraded,
    failed: records.size - upgraded - unknown,
    unknown,
    rolledBack,
    state: rolledBack > 0 && rolledBack + untouched === sent ? 'rolled-back' : finished ? 'finished' : 'unfinished',
    journal: basename(file),
    file,
  };
}

/**
 * The upgrades of a platform that sent anything, to a namespace or at all, newest first.
 * @throws JOURNAL, JOURNAL_NEWER for one that cannot be read
 */
export async function* upgradeHistory(
  stateFolder: string,
  url: string,
  namespace?: string,
): AsyncGenerator<PastUpgrade> {
  for await (const file of upgradesOf(stateFolder, url)) {
    const past = await pastUpgrade(stateFolder, file, namespace);
    if (past !== undefined) yield past;
  }
}
