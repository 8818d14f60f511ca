import type { UpgradedPipeline, UpgradeResult } from '../../../src/services/upgrade/upgrade-result.js';

/** A pipeline of a result; what is not told of it is as of one that was upgraded from 6.0.0 to 6.1.1. */
export function pipeline(name: string, told: Partial<UpgradedPipeline> = {}): UpgradedPipeline {
  return {
    namespace: 'etl',
    name,
    artifact: 'cdap-data-pipeline',
    from: '6.0.0',
    to: '6.1.1',
    state: 'upgraded',
    changes: [],
    findings: [],
    notes: [],
    durationMs: 0,
    ...told,
  };
}

/** The result of an upgrade with these pipelines, of one namespace unless told. */
export function resultOf(
  pipelines: readonly UpgradedPipeline[],
  told: Partial<Pick<UpgradeResult, 'command' | 'state' | 'target'>> = {},
): UpgradeResult {
  const count = (...states: readonly UpgradedPipeline['state'][]): number =>
    pipelines.filter(({ state }) => states.includes(state)).length;
  return {
    command: 'upgrade',
    target: { url: 'http://platform.example', namespace: 'etl', namespaceFrom: '-n', platformVersion: '6.1.1' },
    engine: 'client',
    state: 'done',
    summary: {
      total: pipelines.length,
      planned: count('planned'),
      upgraded: count('upgraded', 'rolled-back'),
      failed: count('failed', 'blocked', 'unknown'),
      current: count('current'),
      skipped: count('skipped'),
      notRun: count('not-run'),
    },
    pipelines,
    ...told,
  };
}

/** A change of a plugin in a stage. */
export const change = {
  stage: 'in',
  plugin: 'File',
  type: 'batchsource',
  artifact: 'core-plugins',
  from: '2.2.0',
  to: '2.3.4',
};
