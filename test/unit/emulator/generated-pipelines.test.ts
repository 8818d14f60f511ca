import { describe, expect, it } from 'vitest';
import type { Platform } from '../../../src/emulator/store/generation.js';
import { withEmulator } from './emulator.js';

interface Listed {
  readonly name: string;
  readonly artifact: { readonly name: string; readonly version: string };
}
interface Page {
  readonly applications: readonly Listed[];
  readonly nextPageToken?: string;
}
interface Detail {
  readonly artifact: Listed['artifact'];
  readonly configuration: string;
}

const NEWER: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '6.11.0': { '6.10.0': '6.11.0', '2.12.0': '2.13.0', '1.0.0': '1.1.0' },
  '6.1.1': { '6.0.0': '6.1.1', '2.2.0': '2.3.4', '1.0.0': '1.1.0' },
};

const read = async <T>(url: string): Promise<T> => (await (await fetch(url)).json()) as T;

async function pagesOf(base: string, size: number): Promise<Page[]> {
  const pages: Page[] = [];
  let token: string | undefined;
  do {
    const behind: string = token === undefined ? '' : `&pageToken=${token}`;
    const page: Page = await read(`${base}/apps?pageSize=${size}${behind}`);
    pages.push(page);
    token = page.nextPageToken;
  } while (token !== undefined);
  return pages;
}

const seedOf = (count: number, namespace?: string) => ({
  namespaces: namespace === undefined ? [] : [namespace],
  pipelines: [{ count, ...(namespace !== undefined && { namespace }) }],
});

/** The configurations of the first twenty generated pipelines. */
async function configurations(): Promise<string[]> {
  const found: string[] = [];
  await withEmulator(
    async ({ url }) => {
      for (let index = 0; index < 20; index++) {
        const name = `pipeline-${String(index).padStart(5, '0')}`;
        found.push((await read<Detail>(`${url}/v3/namespaces/default/apps/${name}`)).configuration);
      }
    },
    { seed: seedOf(20) },
  );
  return found;
}

describe('generated pipelines', () => {
  it('are listed in pages, each once and in the order of their numbers', async () => {
    await withEmulator(
      async ({ url }) => {
        const pages = await pagesOf(`${url}/v3/namespaces/etl`, 100);
        expect(pages.map(({ applications }) => applications.length)).toEqual([100, 100, 50]);
        const names = pages.flatMap(({ applications }) => applications.map(({ name }) => name));
        expect(names).toEqual(Array.from({ length: 250 }, (_, at) => `pipeline-${String(at).padStart(5, '0')}`));
      },
      { seed: seedOf(250, 'etl') },
    );
  });

  it('are mostly of the older artifacts, some current, some in real time, some with an active schedule', async () => {
    await withEmulator(
      async ({ url }) => {
        const base = `${url}/v3/namespaces/default`;
        const records = (await pagesOf(base, 100)).flatMap(({ applications }) => applications);
        const made = records.map(({ artifact }) => `${artifact.name} ${artifact.version}`);
        const count = (what: string): number => made.filter((each) => each === what).length;
        expect(
          ['pipeline 6.10.0', 'pipeline 6.11.0', 'streams 6.10.0'].map((each) => count(`cdap-data-${each}`)),
        ).toEqual([70, 20, 10]);
        const schedules = await Promise.all(
          records.map(({ name }) => read<{ status: string }[]>(`${base}/apps/${name}/schedules`)),
        );
        const statuses = schedules.flat().map(({ status }) => status);
        expect(statuses.filter((status) => status === 'SCHEDULED')).toHaveLength(30);
        expect(statuses).toHaveLength(90);
      },
      { seed: seedOf(100) },
    );
  });

  it('have contents that follow from their number alone', async () => {
    const [first, second] = [await configurations(), await configurations()];
    expect(first).toEqual(second);
    expect(new Set(first).size).toBe(20);
  });

  it.each(['6.11.0', '6.1.1'] as const)('can be moved to the current artifacts on %s', async (platform) => {
    await withEmulator(
      async ({ url }) => {
        for (let index = 0; index < 10; index++) {
          const app = `${url}/v3/namespaces/default/apps/pipeline-0000${index}`;
          const { artifact, configuration } = await read<Detail>(app);
          const newer = (version: string): string => NEWER[platform]?.[version] ?? version;
          const text = configuration.replace(/("version": ?)"([^"]+)"/gu, (_, member: string, version: string) => {
            return `${member}"${newer(version)}"`;
          });
          const config: unknown = platform === '6.11.0' ? text : JSON.parse(text);
          const body = JSON.stringify({ artifact: { ...artifact, version: newer(artifact.version) }, config });
          const answer = await fetch(app, { method: 'PUT', body });
          expect(answer.status, await answer.text()).toBe(200);
          const after = await read<Detail>(app);
          expect(after.configuration).toBe(text);
          expect(after.artifact.version).toBe(platform);
        }
      },
      { platform, seed: seedOf(10) },
    );
  });

  it('survive in a state folder like all others', async () => {
    const { mkdtemp, rm } = await import('node:fs/promises');
    const { tmpdir } = await import('node:os');
    const stateDir = await mkdtemp(`${tmpdir()}/emulator-`);
    const path = '/v3/namespaces/default/apps/pipeline-00003';
    const found: Detail[] = [];
    for (const seed of [seedOf(5), undefined]) {
      const options = { stateDir, ...(seed && { seed }) };
      await withEmulator(async ({ url }) => void found.push(await read(url + path)), options);
    }
    await rm(stateDir, { recursive: true });
    expect(found[1]).toEqual(found[0]);
  });

  it('are refused where there are no two generations of artifacts', async () => {
    const platform: Platform = '4.3.5';
    const started = withEmulator(async () => undefined, { platform, seed: seedOf(1) });
    await expect(started).rejects.toThrow('there are no generated pipelines on a platform 4.3.5');
  });
});

describe('the latency of the platform', () => {
  it('is what an answer takes, of many at once too', async () => {
    await withEmulator(
      async ({ url }) => {
        const began = performance.now();
        const times = await Promise.all(
          Array.from({ length: 50 }, async () => {
            await fetch(`${url}/v3/version`);
            return performance.now() - began;
          }),
        );
        expect(Math.min(...times)).toBeGreaterThanOrEqual(99);
        expect(Math.max(...times)).toBeLessThan(50 * 100);
      },
      { latency: 100 },
    );
  });
});
