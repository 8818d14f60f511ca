import { describe, expect, test } from 'vitest';
import { FIVE, linesOf, openDataSite, STREAM, type DataSite } from '../../support/sites/data-site.js';
import type { Install } from '../../support/sites/install-site.js';
import { startStallingProxy, type AtRequest } from '../../support/stalling-proxy.js';

const ALL = FIVE.flatMap(linesOf);
const [, , , FOURTH = ''] = FIVE;
const five = ['five', '-y'] as const;

/** What happens at a file: nothing of it arrives, or its answer is lost after its effect. */
interface Loss {
  /** Which file it is, the fourth unless told. */
  readonly at?: number;
  /** How many of its sends are lost before they have an effect. */
  readonly before?: number;
  /** What else happens at the first of them. */
  readonly atLoss?: (site: DataSite) => Promise<unknown>;
  /** Whether its answer is lost after the effect, and what else happens then. */
  readonly after?: (site: DataSite) => Promise<unknown>;
}

const isLoad = (method: string, path: string): boolean => method === 'POST' && path.endsWith('/batch');

/** A platform behind a proxy, whose address is that of all runs: the journal is of an address. */
interface LossySite extends DataSite {
  /** From now on; counts the files anew. */
  lose(loss: Loss): void;
}

async function onSite(use: (site: LossySite) => Promise<void>): Promise<void> {
  const site = await openDataSite();
  let loss: Loss = {};
  let loads = 0;
  const isIt = (method: string, path: string): boolean => isLoad(method, path) && loads >= (loss.at ?? 4);
  const beforeEffect: AtRequest = async (method, path) => {
    if (isLoad(method, path)) loads += 1;
    const { before = 0, atLoss } = loss;
    if (!isIt(method, path) || before === 0) return;
    loss = { ...loss, before: before - 1 };
    await atLoss?.(site);
    throw new Error('the request is lost');
  };
  const afterEffect: AtRequest = async (method, path) => {
    const { after } = loss;
    if (!isIt(method, path) || after === undefined) return;
    loss = {};
    await after(site);
    throw new Error('the answer is lost');
  };
  const proxy = await startStallingProxy(site.url, afterEffect, beforeEffect);
  void proxy.arm();
  site.through = proxy.url;
  try {
    const lose = (next: Loss): void => {
      [loss, loads] = [next, 0];
    };
    await use(Object.assign(site, { lose }));
  } finally {
    await proxy.close();
    await site.close();
  }
}

/** Loads five files with a loss at one. */
async function install(site: LossySite, loss: Loss, ...flags: readonly string[]): Promise<Install> {
  site.lose(loss);
  const result = await site.install(...five, ...flags);
  site.lose({});
  return result;
}

/** The loads that had their effect. */
const loads = async (site: DataSite): Promise<number> =>
  (await site.writes()).filter((line) => line.endsWith('/batch 200')).length;

const unreadable = (site: DataSite): Promise<void> =>
  site.fail({ match: { method: 'GET', path: '/events' }, kind: 'status', status: 500, when: 'before', times: 99 });

/** The same command again ends well and sends nothing that is there, and a third time sends nothing. */
async function recovers(site: DataSite, sent: number, events: readonly string[]): Promise<void> {
  await site.heal();
  await site.forget();
  expect((await site.install(...five)).code).toBe(0);
  expect(await loads(site)).toBe(sent);
  expect(await site.events()).toEqual(events);
  await site.forget();
  expect((await site.install(...five)).item?.state).toBe('already-present');
  expect(await site.writes()).toEqual([]);
}

// Most of their time is the tool's waiting between looks.
describe.concurrent('a data pack of five files', () => {
  test('P35: loses the link before the fourth, twice: 16, and only that and the fifth are sent by the next run', async () => {
    await onSite(async (site) => {
      const { error, item } = await install(site, { before: 2 });
      expect(error).toMatchObject({ code: 'UNKNOWN_OUTCOME', exitCode: 16 });
      expect(item).toMatchObject({ state: 'partial', actions: [{ state: 'failed' }] });
      expect(await site.events()).toEqual(ALL.slice(0, 9));
      await recovers(site, 2, ALL);
    });
  });

  test('P35: loses the answer to the fourth and cannot read the stream: 16, and the next run sends the fifth', async () => {
    await onSite(async (site) => {
      const { error, item } = await install(site, { after: unreadable });
      expect(error).toMatchObject({ code: 'UNKNOWN_OUTCOME', exitCode: 16 });
      expect(item).toMatchObject({ state: 'partial', actions: [{ state: 'failed' }] });
      expect(await loads(site)).toBe(4);
      await recovers(site, 1, ALL);
    });
  });

  test.for([
    ['nothing', undefined],
    ['data of somebody', 'mine'],
  ] as const)('sends the fourth again where it had no effect, on a stream with %s', async ([, mine]) => {
    await onSite(async (site) => {
      if (mine !== undefined) {
        await site.call('PUT', `/streams/${STREAM}`, {});
        await site.append(mine);
      }
      const { code, warnings } = await install(site, { before: 1 });
      expect(code).toBe(0);
      expect(warnings.map(({ message }) => message).join('\n')).toContain(`the load of ${FOURTH}`);
      expect(await loads(site)).toBe(5);
      expect(await site.events()).toEqual([...(mine === undefined ? [] : [mine]), ...ALL]);
    });
  });

  test.for([
    ['nothing', undefined],
    ['data of somebody', 'mine'],
  ] as const)('does not send the fourth again where it arrived, on a stream with %s', async ([, mine]) => {
    await onSite(async (site) => {
      if (mine !== undefined) {
        await site.call('PUT', `/streams/${STREAM}`, {});
        await site.append(mine);
      }
      expect((await install(site, { after: async () => undefined })).code).toBe(0);
      expect(await loads(site)).toBe(5);
      expect(await site.events()).toEqual([...(mine === undefined ? [] : [mine]), ...ALL]);
    });
  });

  test.for([
    ['somebody adds to the stream', { after: (site: DataSite) => site.append('mine') }],
    ['only a part arrives', { before: 1, atLoss: (site: DataSite) => site.append(linesOf(FOURTH)[0] ?? '') }],
    [
      'others add as many lines',
      { before: 1, atLoss: (site: DataSite) => Promise.all(['x', 'y', 'z'].map((line) => site.append(line))) },
    ],
  ] as const)('does not guess where %s: 16 until it is told', async ([, loss]) => {
    await onSite(async (site) => {
      expect((await install(site, loss)).error).toMatchObject({ code: 'UNKNOWN_OUTCOME', exitCode: 16 });
      const events = await site.events();
      await site.forget();
      const { error } = await site.install(...five);
      expect(error).toMatchObject({ code: 'UNKNOWN_OUTCOME', exitCode: 16 });
      expect(error.message).toContain(`it is unknown whether ${FOURTH} was loaded into stream ${STREAM}`);
      expect(error.hints.join('\n')).toMatch(/empty the stream and add --again/u);
      expect(await site.writes()).toEqual([]);
      expect(await site.events()).toEqual(events);
      await site.call('POST', `/streams/${STREAM}/truncate`);
      expect((await site.install(...five, '--again')).code).toBe(0);
      expect(await site.events()).toEqual(ALL);
      await site.forget();
      expect((await site.install(...five)).item?.state).toBe('already-present');
      expect(await site.writes()).toEqual([]);
    });
  });

  test('that was to be loaded again and was cut off goes on with that, and not with the time before', async () => {
    await onSite(async (site) => {
      await install(site, { before: 2 });
      expect((await install(site, { at: 2, before: 2 }, '--again')).error).toMatchObject({ code: 'UNKNOWN_OUTCOME' });
      await recovers(site, 4, [...ALL.slice(0, 9), ...ALL]);
    });
  });

  test('whose stream is gone after a cut is loaded from its first file on', async () => {
    await onSite(async (site) => {
      await install(site, { before: 2 });
      await site.call('DELETE', `/streams/${STREAM}`);
      await recovers(site, 5, ALL);
    });
  });

  test('is refused by the platform: what was sent stays, and the next run goes on', async () => {
    await onSite(async (site) => {
      await site.fail({ match: { method: 'POST', path: '/batch$' }, kind: 'status', status: 500, when: 'before' });
      const { error } = await site.install(...five);
      expect(error.exitCode).toBe(10);
      expect(await site.events()).toEqual([]);
      await recovers(site, 5, ALL);
    });
  });
});

describe.concurrent('an answer to the creation of a stream that is lost', () => {
  const CREATE = { method: 'PUT', path: '/streams/clicks$' };

  test.for([
    ['before', 2],
    ['after', 1],
  ] as const)('%s the effect is read back; it is sent %i time(s)', async ([when, times]) => {
    await onSite(async (site) => {
      await site.fail({ match: CREATE, kind: 'reset', when });
      expect((await site.install('stream', '-y')).item?.state).toBe('installed');
      expect((await site.writes()).filter((line) => line.startsWith('PUT '))).toHaveLength(times);
      await site.forget();
      expect((await site.install('stream', '-y')).item?.state).toBe('already-present');
      expect(await site.writes()).toEqual([]);
    });
  });
});
