import { visible } from '../../output/escape.js';
import type { UpgradeResult } from '../../services/upgrade/upgrade-result.js';
import { planRollback } from '../../services/upgrade/run/rollback.js';
import { chosenElsewhere, chosenRecords } from '../../services/upgrade/journals/chosen-records.js';
import { leftElsewhere, type UpgradeToRollBack } from '../../services/upgrade/journals/rollback-journals.js';
import { commandLine, connectionWords } from '../../cli/line/command-line.js';
import { journalText, resumeOf } from './commands.js';
import { changingNothing, planReading } from '../../services/upgrade/plan/plan-reading.js';
import { plannedResult } from '../../services/upgrade/plan/planned-result.js';
import type { MaxFailures } from '../../services/upgrade/failure-limit.js';
import { executeDeps, openRequests, type UpgradeDeps } from './upgrade-deps.js';
import { agreeTo } from './consent.js';
import { writeUpgrade } from './run.js';

/** The upgrade to roll back, and the flags of `upgrade rollback`. */
export interface RollbackOptions extends UpgradeDeps {
  readonly upgrade: UpgradeToRollBack;
  /** Only these, by name or namespace and name; all when empty. */
  readonly pipelines: readonly string[];
  readonly lookOnly: boolean;
  readonly concurrency: number;
  readonly maxFailures: MaxFailures | undefined;
  readonly errorDir: string | undefined;
}

/**
 * Tells on stderr which journals are rolled back. Warns about journals without digests, whose pipelines cannot be
 * verified.
 */
function sayWhich({ upgrade, session, context }: RollbackOptions): void {
  const { file, also, at, unsealed } = upgrade;
  const begun = also.map((one) => visible(one)).join(', ');
  const together = begun === '' ? '' : `, together with interrupted runs before it: ${begun}`;
  const older = commandLine(['upgrade', 'history', ...connectionWords(session.argv)]);
  session.terminal.tell(
    `${journalText(file, at, session.terminal.stderr)}${together}; older ones: ${session.terminal.hide(older)}`,
  );
  if (unsealed === 0) return;
  const message = `the journal is from an older version of cdapctl and has no digests: ${unsealed === 1 ? 'its pipeline cannot' : `its ${unsealed} pipelines cannot`} be verified`;
  context.emit({ type: 'warning', code: 'JOURNAL', message });
}

/**
 * Rolls an upgrade back. Reads every pipeline that it changed, refuses those that were changed since, and restores the
 * others from the journal.
 */
export async function runRollback(run: RollbackOptions): Promise<UpgradeResult> {
  const { upgrade, concurrency, target, context, session } = run;
  const { emit } = context;
  const { file: of, also, earlier } = upgrade;
  sayWhich(run);
  const reading = planReading(target.platform, session, emit);
  const resume = resumeOf(run, of);
  const planning = planRollback(chosenRecords(run), { ...reading, earlier, concurrency, resume, emit });
  const planned = await changingNothing(session.signal, planning);
  const elsewhere = chosenElsewhere(run);
  for (const message of leftElsewhere(elsewhere)) emit({ type: 'warning', code: 'UPGRADE', message });
  const deps = executeDeps(run);
  const shown = plannedResult(planned, deps);
  if (run.lookOnly) return shown;
  await agreeTo(run, shown);
  const requests = await openRequests(run, run.errorDir, planned);
  const writing = {
    ...{ planned, concurrency, requests, maxFailures: run.maxFailures, previous: undefined },
    run: { of, ...(also.length > 0 && { also: [...also] }) },
    records: upgrade.records,
    work: { kind: 'rollback', earlier } as const,
  };
  const result = await writeUpgrade(run, writing, deps);
  await requests.finish(result);
  if (elsewhere.length === 0) return result;
  return { ...result, state: result.state === 'done' ? 'partial' : result.state, elsewhere };
}
