import { resolve } from 'node:path';
import { CliError } from '../core/errors.js';
import type { Emit } from '../core/events.js';
import { isOpen, newestUpgrade, readUpgrade, rollbacksOf, type UpgradeRecord } from '../state/upgrade-journals.js';

/**
 * What the newest upgrade of a platform sent and did not bring to an end, by `recordKey`: a run that begins anew does so, as schedules may be off
 * since (decision 12). What a rollback took back is not left; journals that cannot be read are a warning.
 */
export async function findLeft(
  stateFolder: string,
  url: string,
  emit: Emit,
): Promise<ReadonlyMap<string, UpgradeRecord>> {
  try {
    const file = await newestUpgrade(stateFolder, url);
    const open = file === undefined ? [] : [...(await readUpgrade(file)).records].filter(([, one]) => isOpen(one));
    if (file === undefined || open.length === 0) return new Map();
    const back = await rollbacksOf(stateFolder, resolve(file));
    return new Map(open.filter(([key]) => back.get(key)?.state !== 'done'));
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const message = `${error.message}; what the last upgrade left unfinished is not known`;
    emit({ type: 'warning', code: error.code, message });
    return new Map();
  }
}
