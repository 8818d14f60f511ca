import { describe, expect, it } from 'vitest';
import { refuseLocal } from '../../../../../src/services/reports/runs/local-source.js';
import { thrownBy } from '../../../../support/errors.js';
import { told } from '../../pipelines/support.js';

const ID = '00000001-e56c-11f1-8e61-acde48001122';

describe('a report on this machine', () => {
  it.each([
    ['share', 'no one else can read it there'],
    ['save', 'it is kept until it is deleted'],
  ] as const)('is not for %s', (wanted, why) => {
    const id = `local-${ID}`;
    const error = thrownBy(() => {
      refuseLocal(id, wanted);
    });
    expect(told(error)).toEqual({
      ...{ code: 'CONFLICT', message: `${id} is a local report on this machine, not on the platform: ${why}` },
      ...{ hints: [{ next: 'download-report', report: id, to: wanted }], target: { report: id } },
    });
    refuseLocal(ID, wanted);
  });
});
