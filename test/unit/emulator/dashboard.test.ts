import { describe, expect, it } from 'vitest';
import { withEmulator } from './emulator.js';

interface Listed {
  readonly namespace: string;
  readonly application: { readonly name: string; readonly version: string };
  readonly type: string;
  readonly program: string;
  readonly run?: string;
  readonly user?: string;
  readonly startMethod: string;
  readonly start: number;
  readonly end?: number;
  readonly status?: string;
}
interface Recorded {
  readonly runid: string;
  readonly starting: number;
  readonly status: string;
  readonly properties: Readonly<Record<string, string>>;
}

const NOW = Date.UTC(2026, 10, 21, 20);
const SECOND = NOW / 1000;
const ALL = ['default', 'etl', 'finance', 'marketing'];
const read = async <T>(url: string): Promise<T> => (await (await fetch(url)).json()) as T;
const dashboard = (url: string, start: number, duration: number, namespaces = ALL): Promise<Listed[]> => {
  const query = new URLSearchParams({ start: String(start), duration: String(duration) });
  for (const namespace of namespaces) query.append('namespace', namespace);
  return read(`${url}/v3/dashboard?${query.toString()}`);
};
const runsOf = (url: string, { namespace, application, type, program }: Listed, query = ''): Promise<Recorded[]> => {
  const word = type === 'WORKFLOW' ? 'workflows' : 'spark';
  return read(`${url}/v3/namespaces/${namespace}/apps/${application.name}/${word}/${program}/runs?${query}`);
};
const seeded = (count: number, platform: '6.11.0' | '6.1.1' = '6.11.0') =>
  ({ platform, now: () => NOW, seed: { runs: { count } } }) as const;

describe('the dashboard of the emulator', () => {
  it('lists all generated runs, those of each program as its list of runs does', async () => {
    await withEmulator(async ({ url }) => {
      const records = await dashboard(url, 0, SECOND);
      expect(records).toHaveLength(800);
      const programs = new Map(records.map((record) => [`${record.application.name} ${record.program}`, record]));
      for (const record of programs.values()) {
        const own = records.filter(
          ({ application, program }) => application.name === record.application.name && program === record.program,
        );
        const listed = await runsOf(url, record, 'limit=1000');
        expect(listed.map(({ runid }) => runid)).toEqual(own.map(({ run }) => run).reverse());
      }
    }, seeded(800));
  });

  it('lists the runs of the namespaces that are named, and no other', async () => {
    await withEmulator(async ({ url }) => {
      const each = await Promise.all(ALL.map((namespace) => dashboard(url, 0, SECOND, [namespace])));
      expect(each.every((records) => records.length > 0)).toBe(true);
      expect(each.flat()).toHaveLength(500);
      expect(await dashboard(url, 0, SECOND, ['default', 'default'])).toHaveLength(each[0]?.length ?? 0);
    }, seeded(500));
  });

  it('lists future starts of active schedules, with the version of the application and without a run', async () => {
    await withEmulator(async ({ url }) => {
      const coming = await dashboard(url, SECOND, 2 * 86_400);
      const future = coming.filter(({ run }) => run === undefined);
      expect(future.length).toBeGreaterThan(10);
      expect(future.every(({ start, status }) => start > SECOND && status === undefined)).toBe(true);
      expect(future.every(({ startMethod }) => startMethod === 'SCHEDULED')).toBe(true);
      expect(future.some(({ application }) => application.version === '-SNAPSHOT')).toBe(false);
      expect((await dashboard(url, SECOND - 86_400, 86_400)).every(({ run }) => run !== undefined)).toBe(true);
    }, seeded(100));
  });

  it('lists each future start twice on a platform 6.1.1, as one was seen to do', async () => {
    await withEmulator(
      async ({ url }) => {
        const future = (await dashboard(url, SECOND, 86_400)).filter(({ run }) => run === undefined);
        const distinct = new Set(future.map((record) => JSON.stringify(record)));
        expect(future).toHaveLength(2 * distinct.size);
      },
      seeded(100, '6.1.1'),
    );
  });

  it('sends a long answer in pieces', async () => {
    await withEmulator(async ({ url }) => {
      const response = await fetch(
        `${url}/v3/dashboard?start=0&duration=${SECOND}&namespace=${ALL.join('&namespace=')}`,
      );
      expect(response.headers.get('transfer-encoding')).toBe('chunked');
      const records = (await response.json()) as Listed[];
      expect(new Set(records.map(({ run }) => run)).size).toBe(12_000);
    }, seeded(12_000));
  });
});

describe('generated runs of a program', () => {
  it('are listed newest first, in a window and with a status and a limit', async () => {
    await withEmulator(async ({ url }) => {
      const [record] = (await dashboard(url, 0, SECOND)).filter(({ type }) => type === 'WORKFLOW');
      expect(record).toBeDefined();
      if (record === undefined) return;
      const all = await runsOf(url, record, 'limit=5000');
      const starts = all.map(({ starting }) => starting);
      expect(starts).toEqual(starts.toSorted((a, b) => b - a));
      const [newer = 0, older = 0] = [starts[3], starts[9]];
      expect(await runsOf(url, record, `start=${older}&end=${newer}`)).toEqual(
        all.filter(({ starting }) => starting >= older && starting < newer),
      );
      expect(await runsOf(url, record, 'limit=2&status=failed')).toEqual(
        all.filter(({ status }) => status === 'FAILED').slice(0, 2),
      );
      expect(await runsOf(url, record, '')).toHaveLength(100);
    }, seeded(20_000));
  });

  it('name the run inside a workflow, which is in the list of its own program', async () => {
    await withEmulator(async ({ url }) => {
      const records = await dashboard(url, SECOND - 86_400, 86_400);
      const phase = records.find(({ program }) => program === 'phase-1');
      expect(phase).toBeDefined();
      if (phase === undefined) return;
      const workflow = { ...phase, type: 'WORKFLOW', program: 'DataPipelineWorkflow' };
      const inner = (await runsOf(url, workflow, 'limit=1000')).map(({ properties }) => properties['phase-1']);
      expect(inner).toContain(phase.run);
    }, seeded(5000));
  });

  it('that are active make their program RUNNING until they are stopped', async () => {
    await withEmulator(async ({ url }) => {
      const running = (await dashboard(url, SECOND, 0)).filter(({ status }) => status === 'RUNNING');
      const stream = running.find(({ type, program }) => type === 'SPARK' && program !== 'phase-1');
      expect(stream).toBeDefined();
      if (stream === undefined) return;
      const { namespace, application, program } = stream;
      const base = `${url}/v3/namespaces/${namespace}/apps/${application.name}/spark/${program}`;
      expect(await read(`${base}/status`)).toEqual({ status: 'RUNNING' });
      expect((await fetch(`${base}/runs/${stream.run ?? ''}/stop`, { method: 'POST' })).status).toBe(200);
      expect(await read(`${base}/status`)).toEqual({ status: 'STOPPED' });
      expect(await read(`${base}/runs/${stream.run ?? ''}`)).toMatchObject({ status: 'KILLED', end: SECOND });
    }, seeded(200));
  });
});
