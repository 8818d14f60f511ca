import { resolve } from 'node:path';
import { CliError } from '../../../core/errors.js';
import type { Emit } from '../../../core/events.js';
import { rollbacksOf, upgradesOf } from '../../../state/upgrade-folder.js';
import { hasFinished, hasSent, isOpen, readUpgrade, type UpgradeRecord } from '../../../state/read-upgrade-journal.js';

/** How many journals are looked at in any case: each is read as a whole. */
const MOST_JOURNALS = 100;
/** How many are looked at where an older one is unfinished: what came after it may have ended it. */
const FURTHEST = 1000;

/** Takes what a journal says of pipelines that no newer one sent. `known` holds null for what came to its end. */
async function takeFrom(file: string, stateFolder: string, known: Map<string, UpgradeRecord | null>): Promise<void> {
  let back: ReadonlyMap<string, UpgradeRecord> | undefined;
  for (const [key, record] of (await readUpgrade(file)).records) {
    // What was not sent ends nothing that a run before it began.
    if (known.has(key) || (record.state !== 'done' && !(await hasSent(record)))) continue;
    if (isOpen(record)) back ??= await rollbacksOf(stateFolder, resolve(file));
    known.set(key, isOpen(record) && back?.get(key)?.state !== 'done' ? record : null);
  }
}

function notLookedAt(newest: string, count: number): string {
  const runs = `${count} ${count === 1 ? 'upgrade' : 'upgrades'} before the newest ${FURTHEST}`;
  return `${runs} ${count === 1 ? 'is' : 'are'} unfinished; ${count === 1 ? 'its' : 'their'} pipelines were not checked (the newest: ${newest})`;
}

/**
 * What upgrades of a platform sent and did not finish, by `recordKey`. A run that starts over finishes it, as schedules
 * may be off since (docs/conventions.md D12), even if narrower runs came in between. What was rolled back is left out.
 * Journals that cannot be read are a warning.
 */
export async function findLeft(
  stateFolder: string,
  url: string,
  emit: Emit,
): Promise<ReadonlyMap<string, UpgradeRecord>> {
  const known = new Map<string, UpgradeRecord | null>();
  const forgotten: string[] = [];
  let waiting: string[] = [];
  let seen = 0;
  try {
    for await (const file of upgradesOf(stateFolder, url)) {
      seen += 1;
      const isNew = seen <= MOST_JOURNALS;
      if (!isNew) waiting.push(file);
      if (!isNew && (await hasFinished(file))) continue;
      if (seen > FURTHEST) forgotten.push(file);
      else for (const one of isNew ? [file] : waiting) await takeFrom(one, stateFolder, known);
      waiting = [];
    }
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const message = `${error.message}; earlier upgrades were not checked for unfinished pipelines`;
    emit({ type: 'warning', code: error.code, message });
  }
  const [newest] = forgotten;
  if (newest !== undefined) emit({ type: 'warning', code: 'JOURNAL', message: notLookedAt(newest, forgotten.length) });
  const left = new Map<string, UpgradeRecord>();
  for (const [key, record] of known) if (record !== null) left.set(key, record);
  return left;
}
