import { resolve } from 'node:path';
import { CliError } from '../../../core/errors.js';
import type { Emit } from '../../../core/events.js';
import type { ReadUpgrade } from '../../../state/read-upgrade-journal.js';
import { runsOf } from '../../../state/upgrade-folder.js';
import { meets } from './rollback-journals.js';

/** A run since an upgrade that may have changed the same pipelines. */
export interface NewerRun {
  readonly command: 'upgrade' | 'rollback';
  readonly at: string;
  readonly journal: string;
}

/** The newest run since an upgrade that may have changed the same pipelines; a rollback of it, say. */
export async function newerRun(
  { file, run }: ReadUpgrade,
  { stateFolder, emit }: { readonly stateFolder: string; readonly emit: Emit },
): Promise<NewerRun | undefined> {
  const own = resolve(file);
  try {
    for await (const { file: journal, run: other } of runsOf(stateFolder, run.platform)) {
      if (other.at <= run.at) return undefined;
      const { at } = other;
      if (other.command === 'upgrade' && meets(other, run)) return { command: 'upgrade', at, journal };
      if (other.of === own || other.also?.includes(own) === true) return { command: 'rollback', at, journal };
    }
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    emit({ type: 'warning', code: error.code, message: `${error.message}; whether a newer run exists is not known` });
  }
  return undefined;
}
