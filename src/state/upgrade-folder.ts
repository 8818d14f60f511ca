import { existsSync } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { errnoOf, localError } from '../core/files/local-error.js';
import { isSameAddress } from '../core/hub-address.js';
import { damagedJournal } from './journal-line.js';
import { privateFolder } from './private-folder.js';
import { readOwnBeginning } from './read-state-file.js';
import { upgradeJournalName, upgradesFolder, type RunEntry } from './upgrade-journal.js';
import { entryOf, hasSent, readUpgrade, type ReadUpgrade, type UpgradeRecord } from './read-upgrade-journal.js';

const NEWLINE = 0x0a;
/** The first line holds no configuration. */
const FIRST_LINE = 64 * 1024;
const JOURNAL = /^\d{4}-\d\d-\d\dT[\d-]{8}Z(?:-\d+)?\.ndjson$/u;

async function journalNames(folder: string): Promise<readonly string[]> {
  try {
    const names = await readdir(folder);
    const stem = (name: string): string => name.slice(0, -'.ndjson'.length);
    return names.filter((name) => JOURNAL.test(name)).sort((a, b) => (stem(a) < stem(b) ? 1 : -1));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw localError(error, 'read', folder);
  }
}

/**
 * The first line of a journal; undefined when its run was killed before it was written.
 * @throws JOURNAL, JOURNAL_NEWER
 */
async function runOf(file: string): Promise<RunEntry | undefined> {
  const beginning = await readOwnBeginning(file, FIRST_LINE);
  if (beginning === undefined) return undefined;
  const end = beginning.bytes.indexOf(NEWLINE);
  if (end === -1 && beginning.size < FIRST_LINE) return undefined;
  const entry = entryOf(file, beginning.bytes.subarray(0, Math.max(0, end)));
  if (entry?.type === 'run') return entry;
  throw await damagedJournal(file, 1);
}

/**
 * The runs of a platform with their journals, newest first. One that cannot be read is JOURNAL or JOURNAL_NEWER, as it
 * may be the one that is meant.
 */
export async function* runsOf(
  stateFolder: string,
  platform: string,
): AsyncGenerator<Pick<ReadUpgrade, 'file' | 'run'>> {
  const folder = upgradesFolder(stateFolder);
  for (const name of await journalNames(folder)) {
    const file = join(folder, name);
    const run = await runOf(file);
    if (run !== undefined && isSameAddress(run.platform, platform)) yield { file, run };
  }
}

/** The journals of upgrades (not of rollbacks) of a platform, newest first; errors as `runsOf`. */
export async function* upgradesOf(stateFolder: string, platform: string): AsyncGenerator<string> {
  for await (const { file, run } of runsOf(stateFolder, platform)) if (run.command === 'upgrade') yield file;
}

/** A journal by its path, or by its name as `upgrade history` lists it. */
export function journalPath(journal: string, stateFolder: string): string {
  const listed = join(upgradesFolder(stateFolder), journal);
  return basename(journal) === journal && existsSync(listed) ? listed : journal;
}

/** The newest journal of an upgrade of a platform. */
export async function newestUpgrade(stateFolder: string, platform: string): Promise<string | undefined> {
  for await (const file of upgradesOf(stateFolder, platform)) return file;
  return undefined;
}

/**
 * What earlier rollbacks of an upgrade did, by `recordKey`: of each pipeline the last one that counts. That is the last
 * that sent something or finished the pipeline. `of` is the full path of the journal of the upgrade.
 */
export async function rollbacksOf(stateFolder: string, of: string): Promise<ReadonlyMap<string, UpgradeRecord>> {
  const folder = upgradesFolder(stateFolder);
  const records = new Map<string, UpgradeRecord>();
  for (const name of await journalNames(folder)) {
    const file = join(folder, name);
    // What is older than the upgrade takes nothing of it back.
    if (file === of) break;
    const run = await runOf(file);
    if (run?.command !== 'rollback' || (run.of !== of && run.also?.includes(of) !== true)) continue;
    for (const [key, record] of (await readUpgrade(file)).records)
      if (!records.has(key) && (record.state === 'done' || (await hasSent(record)))) records.set(key, record);
  }
  return records;
}

/**
 * Makes a new, empty journal named by the time of its run (milliseconds since the epoch). No other run has that name.
 */
export async function createUpgradeFile(stateFolder: string, at: number): Promise<string> {
  const folder = await privateFolder(upgradesFolder(stateFolder));
  for (let nth = 1; ; nth++) {
    const file = join(folder, upgradeJournalName(at, nth));
    try {
      await (await open(file, 'wx', 0o600)).close();
      return file;
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw localError(error, 'write', file);
    }
  }
}
