import { describe, expect, it } from 'vitest';
import { ODD_EVENTS, linesOf, openDataSite, STREAM, type DataSite } from '../../support/sites/data-site.js';
import type { Site } from '../../support/sites/install-site.js';
import { startStallingProxy } from '../../support/stalling-proxy.js';
import { DEPTH } from '../depth.js';
import { itIsFinished, killAt, undisturbedRun, type KillCase, type Scene } from '../kill.js';

const EVENTS = [...linesOf('part-1.csv'), ...ODD_EVENTS];
const SPACE = '/v3/namespaces/default';

const sites = new WeakMap<Site, DataSite>();

/** A platform with streams, and with data of somebody where it is told. */
async function scene(mine: readonly string[] = []): Promise<Scene> {
  const site = await openDataSite();
  sites.set(site, site);
  if (mine.length > 0) await site.call('PUT', `/streams/${STREAM}`, { ttl: 5 });
  for (const body of mine) await site.append(body);
  await site.forget();
  const proxy = await startStallingProxy(site.url);
  site.through = proxy.url;
  return {
    site,
    proxy,
    words: site.line(['all', '-y', '--json']),
    close: async () => {
      await proxy.close();
      await site.close();
    },
  };
}

const eventsOf = async (site: Site): Promise<readonly string[]> => (await sites.get(site)?.events()) ?? [];

async function stateOf(site: Site): Promise<unknown> {
  return {
    stream: await site.call('GET', `/streams/${STREAM}`),
    events: await eventsOf(site),
    applications: (await site.call<{ name: string }[]>('GET', '/apps')).map(({ name }) => name),
  };
}

const caseOf = (mine: readonly string[]): KillCase => ({ scene: () => scene(mine), stateOf });

const ALWAYS = [['a platform without the stream', []]] as const;
const SOMETIMES = [['a stream with data of somebody', ['mine', 'too']]] as const;

describe.for(DEPTH !== 'sample' ? [...ALWAYS, ...SOMETIMES] : ALWAYS)(
  'an install of data that is killed, on %s',
  ([, mine]) => {
    itIsFinished({
      tried: caseOf(mine),
      judge: ({ sends, state }) => {
        expect(sends.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
          ...(mine.length === 0 ? [`PUT ${SPACE}/streams/${STREAM}`] : []),
          `POST ${SPACE}/streams/${STREAM}/batch`,
          `POST ${SPACE}/streams/${STREAM}/batch`,
          `POST ${SPACE}/apps`,
        ]);
        expect(state).toMatchObject({ events: [...mine, ...EVENTS], applications: ['Shop'] });
      },
    });
  },
);

describe('L24: an install of data that is killed while others add to the stream', () => {
  it('does not guess: 16, and nothing is sent', async () => {
    const tried = caseOf([]);
    const { requests } = await undisturbedRun(tried);
    const loads = requests.flatMap((request, at) => (request.endsWith('/batch') ? [at + 1] : []));
    expect(loads).toHaveLength(2);
    for (const n of loads)
      for (const stall of ['unsent', 'unanswered'] as const) {
        const killed = await tried.scene();
        const { site, proxy, words } = killed;
        await killAt(killed, { n, stall });
        await sites.get(site)?.append('mine');
        const before = await eventsOf(site);
        void proxy.arm();
        await site.forget();
        const { code, stdout } = await site.cdapctl(words);
        expect(code, `request ${n} ${stall}: ${stdout}`).toBe(16);
        expect(await site.writes()).toEqual([]);
        expect(await eventsOf(site)).toEqual(before);
        await killed.close();
      }
  });
});
