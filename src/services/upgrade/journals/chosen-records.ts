import { closest } from '../../../core/closest.js';
import { CliError } from '../../../core/errors.js';
import { fitsPattern } from '../../../core/pipeline-pattern.js';
import type { UpgradeRecord } from '../../../state/read-upgrade-journal.js';
import type { UpgradeToRollBack } from './rollback-journals.js';

/** What of an upgrade is rolled back. */
export interface RollbackChoice {
  readonly upgrade: UpgradeToRollBack;
  /** Only these, by name or namespace and name; all when empty. */
  readonly pipelines: readonly string[];
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
}

/**
 * The pipelines of an upgrade that are rolled back.
 * @throws NOT_FOUND for one that the upgrade does not have, or where it has none of the namespace
 */
export function chosenRecords({ upgrade, pipelines, namespace }: RollbackChoice): readonly UpgradeRecord[] {
  const isFor =
    (record: UpgradeRecord) =>
    (pattern: string): boolean =>
      fitsPattern(pattern, { namespace: record.namespace, name: record.pipeline });
  const here = [...upgrade.records.values()].filter(
    (record) => namespace === undefined || record.namespace === namespace,
  );
  const missing = pipelines.filter((pattern) => !here.some((record) => isFor(record)(pattern)));
  if (missing.length > 0) {
    const names = here.map(({ pipeline }) => pipeline);
    const near = missing.flatMap((name) => closest(name, names) ?? []);
    throw new CliError('NOT_FOUND', `the upgrade in ${upgrade.file} has no pipeline ${missing.join(', ')}`, {
      hints: [...near.map((name) => `Did you mean "${name}"?`), { next: 'list-upgrades' }],
    });
  }
  if (here.length === 0 && namespace !== undefined)
    throw new CliError('NOT_FOUND', `the upgrade in ${upgrade.file} has no pipeline of namespace ${namespace}`, {
      hints: [{ next: 'list-upgrades' }],
    });
  return pipelines.length === 0 ? here : here.filter((record) => pipelines.some(isFor(record)));
}

/** What of other runs is named: where only some pipelines are taken back, nothing. */
export function chosenElsewhere({ upgrade, pipelines, namespace }: RollbackChoice): UpgradeToRollBack['elsewhere'] {
  if (pipelines.length > 0) return [];
  return upgrade.elsewhere.flatMap(({ journal, pipelines: all }) => {
    const here = all.filter((one) => namespace === undefined || one.namespace === namespace);
    return here.length === 0 ? [] : [{ journal, pipelines: here }];
  });
}
