import { rm, truncate } from 'node:fs/promises';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { consentToDelete, reportsToDelete } from '../../../../src/flows/reports/delete.js';
import { findReport, listAll, type KnownReports } from '../../../../src/flows/reports/sources.js';
import { CliError } from '../../../../src/core/errors.js';
import type { ServiceEvent } from '../../../../src/core/events.js';
import { localReports, localReportsOf } from '../../../../src/services/reports/runs/local-source.js';
import { fakeService, type HeldReport } from '../../services/reports/fake-service.js';
import { clockAt, NEVER } from '../../../support/clock.js';
import { errorOf } from '../../../support/errors.js';
import { ROOT } from '../../../support/processes/run-cli.js';
import { fakeTerminal } from '../../../support/processes/terminal.js';

const signal = NEVER;
const clock = clockAt(2_000_000_000_000);
const URL = 'http://platform.example';
const request = { name: 'mine', start: 1, end: 2, fields: ['run'], filters: [] };
const summary = {
  ...{ namespaces: [], artifacts: [], owners: [], startMethods: [], start: 1, end: 2, recordCount: 0 },
  ...{ durations: { min: 0, max: 0, average: 0 }, starts: { oldest: 0, newest: 0 }, creationTimeMillis: 0 },
};

const build = { version: '0.0.0', commit: '', root: ROOT, node: '20.18.1', system: 'linux x64' };
const CHOOSING = {
  context: { asker: undefined },
  session: { argv: ['report', 'show'], build, terminal: fakeTerminal() },
};

let state: string;
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'cdapctl-sources-'));
});
afterEach(() => rm(state, { recursive: true, force: true }));

async function keep(creationTimeMillis = 0, created = 1000): Promise<string> {
  const { id, writer } = await localReportsOf(state, URL).create();
  await writer.commit({ created, request, summary: { ...summary, creationTimeMillis } }, signal);
  return id;
}

/** A platform whose report service does as told, beside the reports of this machine. */
function opened(status: 'RUNNING' | 'STOPPED', reports: HeldReport[] = []) {
  const events: ServiceEvent[] = [];
  const emit = (event: ServiceEvent): void => void events.push(event);
  const platform = fakeService(reports);
  platform.state = status;
  const sources = [platform.service, localReports(state, URL, emit)];
  return { reports: { sources, watching: { clock, emit }, choosing: CHOOSING }, events };
}

const deleting = (words: readonly string[], reports: Pick<KnownReports, 'sources' | 'watching' | 'choosing'>) =>
  reportsToDelete(words, { statuses: undefined, olderThan: undefined, force: false }, reports, { clock, signal });

describe('the latest report, while the service of the platform is off', () => {
  it('is one of this machine, and that is said', async () => {
    const id = await keep();
    const { reports, events } = opened('STOPPED');
    expect((await findReport('latest', reports, signal)).ref).toEqual({ id });
    expect(events).toMatchObject([
      {
        type: 'warning',
        code: 'REPORTS_OFF',
        message: expect.stringContaining(`using the newest local report, ${id}`) as string,
      },
    ]);
  });

  it('is not deleted, as the service may have a newer one', async () => {
    await keep(0, 900);
    const id = await keep();
    const { reports, events } = opened('STOPPED');
    const error = await errorOf(deleting(['latest'], reports));
    expect([error.code, error.details.lines]).toEqual(['REPORTS_OFF', [`the newest local report is ${id}`]]);
    expect(error.details.hints).toContain(`cdapctl report delete ${id}`);
    expect(events).toEqual([]);
    expect((await deleting([id], reports)).map(({ ref }) => ref)).toEqual([{ id }]);
  });

  it('is not there where this machine has none, which is an empty list', async () => {
    const { reports, events } = opened('STOPPED');
    expect(await listAll(reports, signal, true)).toEqual([]);
    expect(events).toMatchObject([{ type: 'warning', code: 'REPORTS_OFF' }]);
    expect(await errorOf(deleting(['latest'], reports))).toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('a platform that is gone', () => {
  const gone = new CliError('NET_REFUSED', 'nobody listens there');
  const fail = async (): Promise<never> => {
    throw gone;
  };
  const away = () => {
    const { reports, events } = opened('RUNNING');
    const sources = reports.sources.map((source) =>
      source.engine === 'platform' ? { ...source, list: fail, get: fail, remove: fail } : source,
    );
    return { reports: { ...reports, sources, open: fail }, events };
  };

  it.for(['with reports of this machine', 'without'])(
    'is the error of lists and of the latest report, %s',
    async (how) => {
      if (how !== 'without') await keep();
      const { reports, events } = away();
      await expect(listAll(reports, signal, true)).rejects.toBe(gone);
      await expect(findReport('latest', reports, signal)).rejects.toBe(gone);
      await expect(deleting(['latest'], reports)).rejects.toBe(gone);
      expect(events).toEqual([]);
    },
  );

  it('is not asked for a report of this machine, nor for whether it is protected', async () => {
    const id = await keep();
    const { reports, events } = away();
    const found = await deleting([id], reports);
    const asked: object[] = [];
    const consent = { ask: async (change: object) => void asked.push(change) };
    await consentToDelete(found, reports, { consent }, { terminal: fakeTerminal() });
    expect(asked).toEqual([{ deed: `delete report ${id} from this machine` }]);
    expect(events).toEqual([]);
  });
});

describe('reports of one second', () => {
  // Ids and seconds as the platform 6.1.1 gave them (recordings).
  const SECOND = 1_795_239_196;
  const ids = ['0d917afd-e56d-11f1-9efe-acde48001122', '0d8b125c-e56d-11f1-b1b1-acde48001122'] as const;
  const there = (id: string): HeldReport => ({ id, created: SECOND, status: 'COMPLETED' });
  const millis = (n: number): number => SECOND * 1000 + n;

  it.for<[string, (number | string)[]]>([
    ['local', [millis(800), ids[0], millis(680), ids[1], millis(640)]],
    ['of the platform', [ids[0], millis(680), ids[1], millis(640), millis(0)]],
  ])('are listed by when they were made, and the newest one, %s, is the latest', async ([, expected]) => {
    const made = new Map<number | string, string>(ids.map((id) => [id, id]));
    for (const one of [...expected].reverse()) if (typeof one === 'number') made.set(one, await keep(one, SECOND));
    const { reports } = opened('RUNNING', [...ids].reverse().map(there));
    const order = expected.map((one) => made.get(one));
    expect((await listAll(reports, signal)).map(({ id }) => id)).toEqual(order);
    expect((await findReport('latest', reports, signal)).ref).toEqual({ id: order[0] });
  });
});

describe('a damaged report of this machine', () => {
  it('is left out of the list, and told of once', async () => {
    const [whole, damaged] = [await keep(), await keep()];
    await truncate(join(localReportsOf(state, URL).folder, damaged, 'report.json'), 3);
    const { reports, events } = opened('RUNNING');
    expect((await listAll(reports, signal)).map(({ id }) => id)).toEqual([whole]);
    expect((await findReport('latest', reports, signal)).ref).toEqual({ id: whole });
    expect((await findReport(whole, reports, signal)).ref).toEqual({ id: whole });
    expect(events).toMatchObject([
      { type: 'warning', code: 'LOCAL_IO', message: expect.stringContaining(`${damaged} is damaged`) as string },
    ]);
    expect((await errorOf(findReport(damaged, reports, signal))).details.hints).toEqual([
      expect.stringMatching(/^rm -r /u),
    ]);
  });
});
