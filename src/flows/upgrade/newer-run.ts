import { resolve } from 'node:path';
import { CliError } from '../../core/errors.js';
import type { Look } from '../../output/look.js';
import { timeText } from '../../output/writers/columns.js';
import { runsOf } from '../../state/upgrade-folder.js';
import type { ReadUpgrade } from '../../state/upgrade-journals.js';
import type { CommandContext } from '../../cli/context-types.js';
import { meets } from '../../services/upgrade/journals/rollback-journals.js';

/** Words for the newest run since an upgrade that may have changed the same pipelines. Undefined without one. */
export async function newerRun(
  { file, run }: ReadUpgrade,
  { stateFolder, emit }: Pick<CommandContext, 'stateFolder' | 'emit'>,
  look: Look,
): Promise<string | undefined> {
  const own = resolve(file);
  try {
    for await (const { file: journal, run: other } of runsOf(stateFolder, run.platform)) {
      if (other.at <= run.at) return undefined;
      const which = `${timeText(new Date(other.at), look)} (journal ${journal})`;
      if (other.command === 'upgrade' && meets(other, run))
        return `a newer upgrade worked in the same namespaces on ${which}`;
      if (other.of === own || other.also?.includes(own) === true)
        return `the upgrade was rolled back since, at least in part, on ${which}`;
    }
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    emit({ type: 'warning', code: error.code, message: `${error.message}; whether a newer run exists is not known` });
  }
  return undefined;
}
