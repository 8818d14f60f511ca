import { describe, expect, it } from 'vitest';
import { chooseTarget } from '../../../../../src/services/upgrade/plugins/target.js';
import { artifact } from '../support.js';

const PRESENT = [
  'cdap-data-pipeline 6.11.0',
  'cdap-data-pipeline 6.9.2',
  'cdap-data-pipeline 6.10.0',
  'cdap-data-pipeline 6.12.0-SNAPSHOT',
  'cdap-data-pipeline 9.0.0 user',
  'cdap-data-streams 6.10.0',
  'cdap-data-streams 6.10.0-rc1',
  'core-plugins 2.13.0',
].map(artifact);

const upgrade = (text: string) => ({ kind: 'upgrade', to: artifact(text) });
const skipped = (reason: string) => ({ kind: 'skipped', reason });

describe('the target of a pipeline', () => {
  it.each([
    ['cdap-data-pipeline 6.1.1', upgrade('cdap-data-pipeline 6.11.0')],
    ['cdap-data-pipeline 6.9.2', upgrade('cdap-data-pipeline 6.11.0')],
    ['cdap-data-pipeline 6.11.0-SNAPSHOT', upgrade('cdap-data-pipeline 6.11.0')],
    ['cdap-data-pipeline 6.11.0', { kind: 'current' }],
    ['cdap-data-pipeline 6.12.0-SNAPSHOT', { kind: 'current' }],
    ['cdap-data-pipeline 6.12.0', skipped('is newer than 6.11.0')],
    ['cdap-data-streams 6.10.0', upgrade('cdap-data-streams 6.10.0-rc1')],
    ['cdap-data-pipeline 6.10.0 user', skipped('uses a cdap-data-pipeline with scope user')],
    ['cdap-etl-batch 3.5.0', skipped('uses cdap-etl-batch, whose configurations have another format')],
    ['cdap-etl-realtime 3.5.0', skipped('uses cdap-etl-realtime, whose configurations have another format')],
    ['cdap-program-report 6.1.1', skipped('is not a pipeline: it uses cdap-program-report')],
    ['cdap-data-pipeline 12c', skipped('has the invalid version 12c')],
  ])('of %s', (from, expected) => {
    expect(chooseTarget(artifact(from), PRESENT, { snapshots: false })).toEqual(expected);
  });

  it.each([
    ['cdap-data-pipeline 6.1.1', '6.10.0', upgrade('cdap-data-pipeline 6.10.0')],
    ['cdap-data-pipeline 6.1.1', '6.12.0-SNAPSHOT', upgrade('cdap-data-pipeline 6.12.0-SNAPSHOT')],
    ['cdap-data-pipeline 6.10.0', '6.10.0', { kind: 'current' }],
    ['cdap-data-pipeline 6.11.0', '6.10.0', skipped('is newer than 6.10.0')],
    ['cdap-data-pipeline 6.1.1', '6.9.9', { kind: 'missing' }],
    ['cdap-data-pipeline 6.1.1', '9.0.0', { kind: 'missing' }],
    ['cdap-data-pipeline 6.1.1', 'latest', { kind: 'missing' }],
    ['cdap-etl-batch 3.5.0', '9.9.9', skipped('uses cdap-etl-batch, whose configurations have another format')],
  ])('of %s when %s is asked for', (from, to, expected) => {
    expect(chooseTarget(artifact(from), PRESENT, { to, snapshots: false })).toEqual(expected);
  });

  it('can be a snapshot when snapshots are asked for', () => {
    const target = chooseTarget(artifact('cdap-data-pipeline 6.10.0'), PRESENT, { snapshots: true });
    expect(target).toEqual(upgrade('cdap-data-pipeline 6.12.0-SNAPSHOT'));
  });

  it('is none where the platform has no version of the artifact', () => {
    const target = chooseTarget(artifact('cdap-data-streams 6.1.1'), [artifact('cdap-data-pipeline 6.11.0')], {
      snapshots: false,
    });
    expect(target).toEqual(skipped('the platform has no version of cdap-data-streams'));
  });
});
