import { describe, expect, it } from 'vitest';
import { showService } from '../../../../src/flows/reports/service.js';
import { clockAt, NEVER } from '../../../support/clock.js';
import { fakeTerminal } from '../../../support/processes/terminal.js';
import { fakePlatform } from '../../services/reports/fake-platform.js';

const NOW = 1_700_000_000_000;
const MINUTE = 60_000;
const APP = '/v3/namespaces/system/apps/ReportGenerationApp';
const SYNC = 'user.run.metadata.last.sync.time.millis';

/** Warnings about a service that runs and has taken in runs at these times. */
async function warningsOf(synced: readonly number[]): Promise<readonly string[]> {
  const { platform } = fakePlatform((request) => {
    if (request === `GET ${APP}`)
      return { body: { name: 'a', artifact: { name: 'cdap-program-report', version: '6.1.1', scope: 'SYSTEM' } } };
    if (request.endsWith('/status')) return { body: { status: 'RUNNING' } };
    if (request.endsWith('/health')) return {};
    const series = synced.map((value) => ({ metricName: SYNC, grouping: {}, data: [{ time: 0, value }] }));
    return { body: { service: { startTime: 0, endTime: 1, series, resolution: '2147483647s' } } };
  });
  const terminal = fakeTerminal();
  const session = { terminal, signal: NEVER, clock: clockAt(NOW) };
  const target = { platform, url: 'http://platform.example', version: '6.1.1' };
  await showService({ ...target, capabilities: { stopsSystemPrograms: false } }, session);
  return terminal.warnings.map(({ code, message }) => `${code} ${message}`);
}

describe('the report service that runs', () => {
  it('is warned of when it has collected nothing, or nothing for more than a day', async () => {
    expect(await warningsOf([])).toEqual([expect.stringMatching(/^COLLECTS_NOTHING .*--engine runs$/u)]);
    expect(await warningsOf([NOW - 4320 * MINUTE])).toEqual([
      expect.stringMatching(/^REPORTS_LATE .*last collected runs at 2023-11-11T22:13:20Z: .*--engine runs$/u),
    ]);
    expect(await warningsOf([2 * NOW])).toEqual([expect.stringMatching(/^REPORTS_LATE .*at an unknown time/u)]);
    expect(await warningsOf([NOW - 25 * 60 * MINUTE])).toEqual([expect.stringMatching(/^REPORTS_LATE /u)]);
    expect(await warningsOf([NOW - 23 * 60 * MINUTE])).toEqual([]);
    expect(await warningsOf([NOW - 10 * MINUTE])).toEqual([]);
  });
});
