import { describe, expect, it } from 'vitest';
import { goneSince } from '../../../../../src/services/upgrade/plan/missing-pipelines.js';
import { plannedAs } from '../../../../../src/services/upgrade/plan/plan.js';
import type { SendingEntry } from '../../../../../src/state/upgrade-journal.js';
import { recordKey, type UpgradeRecord } from '../../../../../src/state/read-upgrade-journal.js';
import { artifact } from '../support.js';

const OLD = artifact('cdap-data-pipeline 6.10.0');

function record(pipeline: string, state: UpgradeRecord['state'], wasSent: boolean): [string, UpgradeRecord] {
  const sent = { before: { artifact: OLD, configuration: '' } } as SendingEntry;
  const sending = () => Promise.resolve(wasSent ? sent : undefined);
  return [recordKey('etl', pipeline), { namespace: 'etl', pipeline, state, ended: undefined, sending }];
}

describe('pipelines that an earlier run tried', () => {
  it('are GONE when they did not end well and are not listed any more (P20)', async () => {
    const records = new Map([
      record('there', 'failed', true),
      record('done', 'done', true),
      record('sent', 'unknown', true),
      record('unsent', 'failed', false),
    ]);
    const planned = [plannedAs({ namespace: 'etl', name: 'there', artifact: OLD, version: undefined }, 'upgrade')];
    const gone = await goneSince(planned, records);
    expect(gone.map(({ ref, state, error }) => [ref.name, ref.artifact.version, state, error?.code])).toEqual([
      ['sent', '6.10.0', 'failed', 'GONE'],
      ['unsent', '', 'failed', 'GONE'],
    ]);
  });
});
