import { basename, resolve } from 'node:path';
import { hasSent, readUpgrade, rollbacksOf, upgradesOf } from '../../state/upgrade-journals.js';

/** One upgrade of a platform as its journal tells of it: pipelines by how they ended, and those that were rolled back since. */
export interface PastUpgrade {
  /** When it began, RFC 3339. */
  readonly at: string;
  /** Undefined: all namespaces. */
  readonly namespace?: string;
  readonly platformVersion: string;
  readonly upgraded: number;
  readonly failed: number;
  readonly rolledBack: number;
  /** `unfinished`: it was cut off, or stopped; `rolled-back`: nothing of it is left to roll back. */
  readonly state: 'finished' | 'unfinished' | 'rolled-back';
  /** The name of its journal, which `upgrade rollback` takes. */
  readonly journal: string;
  readonly file: string;
}

async function pastUpgrade(stateFolder: string, file: string): Promise<PastUpgrade | undefined> {
  const { run, records, finished } = await readUpgrade(file);
  const back = await rollbacksOf(stateFolder, resolve(file));
  const states = [...records].map(([key, { state }]) => ({ state, isBack: back.get(key)?.state === 'done' }));
  let sent = 0;
  for (const record of records.values()) if (await hasSent(record)) sent += 1;
  if (sent === 0) return undefined;
  const upgraded = states.filter(({ state }) => state === 'done').length;
  const rolledBack = states.filter(({ isBack }) => isBack).length;
  const { namespace } = run.selection ?? {};
  return {
    at: run.at,
    ...(namespace !== undefined && { namespace }),
    platformVersion: run.platformVersion,
    upgraded,
    failed: states.length - upgraded,
    rolledBack,
    state: rolledBack > 0 && rolledBack >= upgraded ? 'rolled-back' : finished ? 'finished' : 'unfinished',
    journal: basename(file),
    file,
  };
}

/** The upgrades of a platform that sent anything, newest first. JOURNAL, JOURNAL_NEWER for one that cannot be read. */
export async function* upgradeHistory(stateFolder: string, url: string): AsyncGenerator<PastUpgrade> {
  for await (const file of upgradesOf(stateFolder, url)) {
    const past = await pastUpgrade(stateFolder, file);
    if (past !== undefined) yield past;
  }
}
