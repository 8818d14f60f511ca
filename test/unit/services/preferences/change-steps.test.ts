import { describe, expect, it } from 'vitest';
import { CliError } from '../../../../src/core/errors.js';
import { changePreferences, mergedValues, type ChangeDeps } from '../../../../src/services/preferences/change.js';
import { NEVER } from '../../../support/clock.js';
import { codeOf } from '../../../support/errors.js';
import { failure, platformWith, type Reply } from '../pipelines/support.js';
import { warningsTo } from '../../../support/warnings.js';

const PLACE = { level: 'app', namespace: 'etl', application: 'orders' } as const;
const PATH = '/v3/namespaces/etl/apps/orders/preferences';
const is = (values: Readonly<Record<string, string>>): Reply => ({ json: values });
const setting = (values: Readonly<Record<string, string>>, ...remove: readonly string[]) => ({
  ...{ set: new Map(Object.entries(values)), remove: new Set(remove) },
});
const LOST = new CliError('NET_RESET', 'broke', { sent: 'unknown' });

/** A change where the platform is looked at and answers as told; `took` are the milliseconds of a write. */
function change(
  wanted: ReturnType<typeof setting>,
  looks: readonly Reply[],
  {
    put = [{ status: 200 }] as readonly Reply[],
    took = 0,
    more = {},
    seen = undefined as ReadonlyMap<string, string> | undefined,
  } = {},
) {
  const { platform, asked } = platformWith({
    ...{ [`GET ${PATH}`]: looks, [`PUT ${PATH}`]: put, [`DELETE ${PATH}`]: { status: 200 } },
  });
  const warnings: string[] = [];
  const waits: number[] = [];
  let now = 1000;
  const deps: ChangeDeps = {
    platform: {
      ...platform,
      call: (endpoint, parameters, signal) => {
        if (endpoint.method === 'PUT') now += took;
        return platform.call(endpoint, parameters, signal);
      },
    },
    ...{ signal: NEVER, stop: NEVER, clock: { monotonic: () => now } },
    wait: async (milliseconds) => void waits.push(milliseconds),
    ...warningsTo(warnings),
    ...more,
  };
  const writes = () => asked.filter((line) => !line.startsWith('GET'));
  return { done: changePreferences(PLACE, wanted, deps, seen), asked, writes, warnings, waits };
}
const plain = ({ before, after, others }: Awaited<ReturnType<typeof changePreferences>>) => ({
  ...{ before: Object.fromEntries(before), after: Object.fromEntries(after), others },
});

describe('a change of preferences, step by step', () => {
  it('looks, sends the whole, waits and reads back', async () => {
    const { done, asked, waits, warnings } = change(setting({ a: '1' }, 'b'), [
      is({ b: '2', c: '3' }),
      is({ a: '1', c: '3' }),
    ]);
    expect(plain(await done)).toEqual({ before: { b: '2', c: '3' }, after: { a: '1', c: '3' }, others: [] });
    expect(asked).toEqual([`GET ${PATH}`, `PUT ${PATH} {"c":"3","a":"1"}`, `GET ${PATH}`]);
    expect([waits, warnings]).toEqual([[1500], []]);
  });

  it('sends nothing where all is so', async () => {
    const { done, asked, waits } = change(setting({ a: '1' }, 'b'), [is({ a: '1' })]);
    expect(plain(await done)).toEqual({ before: { a: '1' }, after: { a: '1' }, others: [] });
    expect([asked, waits]).toEqual([[`GET ${PATH}`], []]);
  });

  it('removes all where nothing is left', async () => {
    const { done, writes } = change(setting({}, 'a'), [is({ a: '1' }), is({})]);
    await done;
    expect(writes()).toEqual([`DELETE ${PATH}`]);
  });

  it('is merged again where someone wrote over it, and tells which keys are theirs', async () => {
    const looks = [is({ x: '0' }), is({ x: '9', y: '1' }), is({ x: '9', y: '1' }), is({ x: '9', y: '1', a: '1' })];
    const { done, writes, warnings } = change(setting({ a: '1' }), looks);
    expect(plain(await done)).toEqual({ before: { x: '0' }, after: { x: '9', y: '1', a: '1' }, others: ['x', 'y'] });
    expect(writes()).toEqual([`PUT ${PATH} {"x":"0","a":"1"}`, `PUT ${PATH} {"x":"9","y":"1","a":"1"}`]);
    expect(warnings).toEqual(['someone else changed pipeline orders at the same time; merging and writing again']);
  });

  const taken = (keys: string) => ({
    code: 'CHANGED_MEANWHILE',
    message: `someone else changed the same preferences of pipeline orders at the same time: ${keys}`,
    ...{ hints: ['check the values, then run the same command again'], target: { level: 'app' } },
  });

  it('leaves keys that someone else set', async () => {
    const looks = [is({ a: '0', b: '0', c: '0' }), is({ a: '8', b: '9', c: '0' })];
    const { done, writes } = change(setting({ a: '1', c: '1' }, 'b'), looks);
    expect(await failure(done)).toEqual(taken('"a", "b"'));
    expect(writes()).toHaveLength(1);
  });

  it('P43: is not sent again over keys that someone else set while its answer was lost', async () => {
    const looks = [is({ a: '0' }), is({ a: '9' })];
    const { done, writes } = change(setting({ a: '1' }), looks, { put: [LOST, { status: 200 }] });
    expect(await failure(done)).toEqual(taken('"a"'));
    expect(writes()).toHaveLength(1);
  });

  it('P43: is not sent again over keys that someone else set just before', async () => {
    const before = [is({ a: '0' }), is({ a: '0' }), is({ a: '0' }), is({ a: '0' })];
    const { done, writes } = change(setting({ a: '1' }), [...before, is({ a: '9' })], {
      put: [LOST, { status: 200 }],
    });
    expect(await failure(done)).toEqual(taken('"a"'));
    expect(writes()).toHaveLength(1);
  });

  it('P43: leaves keys that have other values than were shown', async () => {
    const seen = new Map(Object.entries({ a: '0', b: '0', c: '0' }));
    const { done, writes } = change(setting({ a: '1', c: '1' }, 'b', 'd'), [is({ a: '1', b: '7', d: '8' })], { seen });
    expect(await failure(done)).toEqual(taken('"c", "b", "d"'));
    expect(writes()).toEqual([]);
  });

  it('sends nothing once it is told to stop', async () => {
    const reason = new CliError('INTERRUPTED', 'stopped');
    for (const after of [1, 2]) {
      const stop = new AbortController();
      let gets = 0;
      const { platform, asked } = platformWith({ [`GET ${PATH}`]: is({}), [`PUT ${PATH}`]: { status: 200 } });
      const deps: ChangeDeps = {
        platform: {
          ...platform,
          find: async (endpoint, parameters, signal) => {
            const found = await platform.find(endpoint, parameters, signal);
            if ((gets += 1) === after) stop.abort(reason);
            return found;
          },
        },
        ...{ signal: NEVER, stop: stop.signal, clock: { monotonic: () => 0 }, wait: async () => undefined },
        ...warningsTo([]),
      };
      expect(await codeOf(changePreferences(PLACE, setting({ a: '1' }), deps))).toBe('INTERRUPTED');
      // After the second look, at what was undone, nothing is merged and sent again.
      expect(asked.filter((line) => line.startsWith('PUT'))).toHaveLength(after - 1);
    }
  });

  it('gives up after five writes that were undone', async () => {
    const { done, writes, warnings } = change(setting({ a: '1' }), [is({})]);
    expect(await failure(done)).toEqual(taken('"a"'));
    expect([writes().length, warnings.length]).toEqual([5, 4]);
  });

  it.each([
    [1000, []],
    [1001, ['the write took 1001 ms; a change that someone else made to pipeline orders in that time may be lost']],
  ])('tells of a write that took %i ms', async (took, told) => {
    const { done, warnings } = change(setting({ a: '1' }), [is({}), is({ a: '1' })], { took });
    await done;
    expect(warnings).toEqual(told);
  });

  it('looks and merges again before it is sent a second time', async () => {
    const looks = [
      is({ x: '0' }),
      is({ x: '0' }),
      is({ x: '0' }),
      is({ x: '5' }),
      is({ x: '5' }),
      is({ x: '5', a: '1' }),
    ];
    const { done, writes } = change(setting({ a: '1' }), looks, { put: [LOST, { status: 200 }] });
    expect(plain(await done)).toMatchObject({ after: { x: '5', a: '1' } });
    expect(writes()).toEqual([`PUT ${PATH} {"x":"0","a":"1"}`, `PUT ${PATH} {"x":"5","a":"1"}`]);
  });

  it('has an unknown outcome where it cannot be read back, or not sent for certain', async () => {
    const refused: Reply = { status: 500, text: 'no' };
    const cause = 'platform.example responded to GET /v3/namespaces/etl/apps/orders/preferences with status 500';
    expect(await failure(change(setting({ a: '1' }), [is({}), refused]).done)).toEqual({
      ...{ code: 'UNKNOWN_OUTCOME', message: 'the preferences of pipeline orders were sent, but not read back' },
      ...{ lines: [cause], hints: ['run the same command again: it changes only what is missing'] },
    });
    const lost = change(setting({ a: '1' }), [is({})], { put: [LOST] });
    expect(await failure(lost.done)).toMatchObject({
      code: 'UNKNOWN_OUTCOME',
      message: 'the change of pipeline orders was sent, but it is unknown whether the platform applied it',
    });
  });

  it('ends with the reason where it is stopped before it is read back', async () => {
    const stop = new AbortController();
    const wait = async (): Promise<void> => {
      stop.abort(new CliError('INTERRUPTED', 'stopped'));
      stop.signal.throwIfAborted();
    };
    const { done } = change(setting({ a: '1' }), [is({})], { more: { signal: stop.signal, wait } });
    expect(await codeOf(done)).toBe('INTERRUPTED');
  });

  it('keeps what it does not name', () => {
    const values = new Map(Object.entries({ a: '0', b: '1', c: '2' }));
    expect(Object.fromEntries(mergedValues(values, setting({ a: '9', d: '4' }, 'b')))).toEqual({
      a: '9',
      c: '2',
      d: '4',
    });
  });
});
