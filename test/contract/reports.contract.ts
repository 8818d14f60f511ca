import { describe, expect, vi } from 'vitest';
import { noApplication } from './line.js';
import { expectEmpty, it, json, NO_TYPE, TEXT_TYPE } from './suite.js';

const APP = '/v3/namespaces/system/apps/ReportGenerationApp';
const PROGRAM = `${APP}/spark/ReportGenerationSpark`;
const REPORTS = `${PROGRAM}/methods/reports`;
const PATIENCE = { timeout: 600_000, interval: 500 };

describe('the report service (6.11)', () => {
  it(
    'is deployed and started over HTTP, and stopped by the platform',
    { timeout: 900_000 },
    async ({ call, target }) => {
      if (!target.real) await call('POST', '/emulator/reports', { body: { scanMilliseconds: 500 } });
      expect(await call('GET', APP)).toEqual({
        status: 404,
        type: TEXT_TYPE,
        text: noApplication('system', 'ReportGenerationApp'),
      });
      expect(await call('GET', REPORTS)).toEqual({
        status: 503,
        type: NO_TYPE,
        text: `No discoverable found for request GET ${REPORTS} HTTP/1.1`,
      });
      const { version } = json<{ version: string }>(await call('GET', '/v3/version'));
      const artifact = { name: 'cdap-program-report', version, scope: 'SYSTEM' };
      expect(await call('PUT', APP, { body: { artifact } })).toMatchObject({ status: 200 });
      expect(json(await call('GET', `${PROGRAM}/status`))).toEqual({ status: 'STOPPED' });
      expectEmpty(await call('POST', `${PROGRAM}/start`));
      await vi.waitFor(async () => {
        expect(json<object[]>(await call('GET', `${PROGRAM}/runs`))).toMatchObject([{ status: 'KILLED' }]);
      }, PATIENCE);
      expect(json(await call('GET', `${PROGRAM}/status`))).toEqual({ status: 'STOPPED' });
      await vi.waitFor(async () => {
        expectEmpty(await call('DELETE', APP));
      }, PATIENCE);
    },
  );
});
