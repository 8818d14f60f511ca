import { resolve } from 'node:path';
import { closest } from '../core/closest.js';
import { CliError } from '../core/errors.js';
import { visible } from '../output/escape.js';
import type { UpgradeResult } from '../services/upgrade/result.js';
import { planRollback, rollingBack } from '../services/upgrade/rollback.js';
import { openErrorFiles } from '../services/upgrade/error-files.js';
import { baseAddress } from '../state/base-address.js';
import {
  readUpgrade,
  rollbacksOf,
  upgradesOf,
  type ReadUpgrade,
  type UpgradeRecord,
} from '../state/upgrade-journals.js';
import { planReading } from './upgrade-reading.js';
import { clearUnkept, rescuing } from './upgrade-rescue.js';
import { askUpgrade, executeUpgrade, resultOf, type UpgradeBase } from './upgrade-run.js';

/** What `upgrade rollback` needs. */
export interface RollbackRun extends UpgradeBase {
  readonly upgrade: ReadUpgrade;
  /** Only these, by name or namespace and name; all when empty. */
  readonly pipelines: readonly string[];
  readonly lookOnly: boolean;
  readonly concurrency: number;
  readonly maxFailures: string | undefined;
  readonly errorDir: string | undefined;
  readonly showPlan: (plan: UpgradeResult) => void;
}

async function hasSent({ records }: ReadUpgrade): Promise<boolean> {
  for (const record of records.values()) if ((await record.sending()) !== undefined) return true;
  return false;
}

/** The upgrade that is to be taken back: the journal that is named, else the newest of the platform that sent anything (decision 18). NOT_FOUND without one. */
export async function findUpgrade(journal: string | undefined, stateFolder: string, url: string): Promise<ReadUpgrade> {
  if (journal !== undefined) {
    const upgrade = await readUpgrade(journal);
    if (upgrade.run.platform === baseAddress(url)) return upgrade;
    throw new CliError('USAGE', `${journal} is the journal of an upgrade of ${upgrade.run.platform}, not of ${url}`);
  }
  for await (const file of upgradesOf(stateFolder, url)) {
    const upgrade = await readUpgrade(file);
    if (await hasSent(upgrade)) return upgrade;
  }
  throw new CliError('NOT_FOUND', `there is no journal of an upgrade of ${url} that changed anything`);
}

function chosen({ upgrade, pipelines, namespace }: RollbackRun): readonly UpgradeRecord[] {
  const isNamed = (record: UpgradeRecord): boolean =>
    pipelines.length === 0 ||
    pipelines.includes(record.pipeline) ||
    pipelines.includes(`${record.namespace}/${record.pipeline}`);
  const here = [...upgrade.records.values()].filter(
    (record) => namespace === undefined || record.namespace === namespace,
  );
  const known = (name: string): boolean =>
    here.some((record) => record.pipeline === name || `${record.namespace}/${record.pipeline}` === name);
  const missing = pipelines.filter((name) => !known(name));
  if (missing.length > 0) {
    const names = here.map(({ pipeline }) => pipeline);
    const near = missing.flatMap((name) => closest(name, names) ?? []);
    throw new CliError('NOT_FOUND', `the upgrade of ${upgrade.file} had no pipeline ${missing.join(', ')}`, {
      hints: near.map((name) => `Did you mean "${name}"?`),
    });
  }
  return here.filter(isNamed);
}

/** Takes an upgrade back: reads every pipeline that it changed, refuses those that somebody changed since, and puts back the others as the journal knows them. */
export async function runRollback(run: RollbackRun): Promise<UpgradeResult> {
  const { upgrade, concurrency, target, context, session } = run;
  const { emit, stateFolder } = context;
  const of = resolve(upgrade.file);
  session.terminal.tell(
    `the upgrade of ${upgrade.run.at}, ${visible(of)}; an older one is taken back by naming its journal`,
  );
  const earlier = await rollbacksOf(stateFolder, of);
  const reading = planReading(target.platform, session, emit);
  const planned = await planRollback(chosen(run), { ...reading, earlier, concurrency, emit });
  const shown = resultOf(run, planned);
  if (run.lookOnly) return shown;
  run.showPlan(shown);
  if (shown.summary.planned > 0) await askUpgrade(run, shown);
  const refs = planned.map(({ ref }) => ref);
  const files =
    run.errorDir === undefined
      ? undefined
      : await openErrorFiles(run.errorDir, refs, target.capabilities, session.clock);
  const result = await executeUpgrade(run, {
    planned,
    run: { of },
    previous: undefined,
    maxFailures: run.maxFailures,
    running: {
      records: upgrade.records,
      concurrency,
      save: files === undefined ? () => Promise.resolve(undefined) : rescuing(run, files, refs),
    },
    work: rollingBack(earlier),
  });
  await run.keeping.attempt(async () => files?.finish([]));
  await clearUnkept(run, result);
  return result;
}
