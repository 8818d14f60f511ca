import { resolve } from 'node:path';
import { CliError } from '../core/errors.js';
import type { Emit } from '../core/events.js';
import {
  hasSent,
  isOpen,
  readUpgrade,
  rollbacksOf,
  upgradesOf,
  type UpgradeRecord,
} from '../state/upgrade-journals.js';

/** How many journals are looked at: each is read as a whole. */
const MOST_JOURNALS = 100;

/** Takes what a journal says of pipelines that no newer one sent; `known` holds null for what came to its end. */
async function takeFrom(file: string, stateFolder: string, known: Map<string, UpgradeRecord | null>): Promise<void> {
  let back: ReadonlyMap<string, UpgradeRecord> | undefined;
  for (const [key, record] of (await readUpgrade(file)).records) {
    // What was not sent ends nothing that a run before it began.
    if (known.has(key) || (record.state !== 'done' && !(await hasSent(record)))) continue;
    if (isOpen(record)) back ??= await rollbacksOf(stateFolder, resolve(file));
    known.set(key, isOpen(record) && back?.get(key)?.state !== 'done' ? record : null);
  }
}

/**
 * What upgrades of a platform sent and did not bring to an end, by `recordKey`: a run that begins anew does so, as schedules may be off
 * since (decision 12), also where narrower runs came in between. What a rollback took back is not left; journals that cannot be read are a warning.
 */
export async function findLeft(
  stateFolder: string,
  url: string,
  emit: Emit,
): Promise<ReadonlyMap<string, UpgradeRecord>> {
  const known = new Map<string, UpgradeRecord | null>();
  let read = 0;
  try {
    for await (const file of upgradesOf(stateFolder, url)) {
      await takeFrom(file, stateFolder, known);
      if (++read === MOST_JOURNALS) break;
    }
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const message = `${error.message}; what upgrades before it left unfinished is not known`;
    emit({ type: 'warning', code: error.code, message });
  }
  const left = new Map<string, UpgradeRecord>();
  for (const [key, record] of known) if (record !== null) left.set(key, record);
  return left;
}
