import { describe, expect, it } from 'vitest';
import { lastEventTime } from '../../../../../../src/services/install/things/stream/streams.js';
import { streamStep } from '../../../../../../src/services/install/things/stream/step.js';
import { NEVER } from '../../../../../support/clock.js';
import { errorOf, saidBy } from '../../../../../support/errors.js';
import { answer, inMemory, type InMemory, loseAnswer } from '../../../in-memory-platform.js';
import { contextOn } from '../../support.js';

const PUT = 'PUT /v3/namespaces/default/streams/names';
const SCHEMA = { type: 'record', name: 'line', fields: [{ name: 'body', type: 'string' }] };
const OURS = { ttl: 100, format: { name: 'csv', schema: SCHEMA }, description: 'names' };
const wanted = (properties: object = OURS) =>
  streamStep({ n: 4, name: 'names', properties: JSON.stringify(properties) });
const absent = { state: 'absent', effect: '' } as const;
const differs = { state: 'differs', effect: '', consent: '' } as const;

/** A platform with a stream of these properties. */
async function withStream(properties: object): Promise<InMemory> {
  const site = inMemory({}, '4.3.5');
  await site.call('PUT', 'default/streams/names', properties);
  return site;
}

const DONE = { state: 'done', effect: 'already exists' };
const KEPT = { state: 'done', effect: 'already exists with other properties, which are kept unless forced' };
const CHANGE = {
  state: 'differs',
  effect: 'set its properties',
  consent: 'change the properties of stream names',
};

describe('a stream that is wanted', () => {
  it('is one step', () => {
    const { title, target, material } = wanted({ ttl: 1 });
    expect({ title, target, material }).toEqual({
      title: 'stream names',
      target: { kind: 'stream', name: 'names' },
      material: { name: 'names', properties: '{"ttl":1}' },
    });
  });

  it.each<[string, object | undefined, object, object]>([
    ['is made where it is absent', undefined, OURS, { state: 'absent', effect: 'create' }],
    ['is there with equal properties', OURS, OURS, DONE],
    ['is there with another description', OURS, { ...OURS, description: 'other' }, DONE],
    ['is there, and nothing is asked of it', OURS, {}, DONE],
    ['is there, and nothing is asked of its format', OURS, { ttl: 100, format: null }, DONE],
    ['is there, and only the name of its format is asked for', OURS, { format: { name: 'csv' } }, DONE],
    ['has another time to live', OURS, { ...OURS, ttl: 101 }, KEPT],
    ['has another format', OURS, { format: { name: 'avro', schema: SCHEMA } }, KEPT],
    ['has another schema', OURS, { format: { name: 'csv', schema: { ...SCHEMA, name: 'other' } } }, KEPT],
    ['has no such settings', OURS, { format: { name: 'csv', schema: SCHEMA, settings: { a: 'b' } } }, KEPT],
    ['has another threshold', OURS, { 'notification.threshold.mb': 7 }, KEPT],
  ])('%s', async (_, present, properties, expected) => {
    const site = present === undefined ? inMemory({}, '4.3.5') : await withStream(present);
    expect(await wanted(properties).observe(contextOn(site))).toEqual(expected);
    const forced = await wanted(properties).observe(contextOn(site, { force: true }));
    expect(forced).toEqual(expected === KEPT ? CHANGE : expected);
    expect(site.writes()).toEqual([]);
  });

  it('cannot be made on a platform without streams', async () => {
    expect(await wanted().observe(contextOn(inMemory({})))).toMatchObject({
      state: 'refused',
      error: { code: 'INCOMPATIBLE' },
    });
  });
});

describe('the creation of a stream', () => {
  it('sends its properties', async () => {
    const site = inMemory({}, '4.3.5');
    await wanted().apply(contextOn(site), absent);
    expect(site.writes()).toEqual([PUT]);
    expect(await site.call('GET', 'default/streams/names')).toMatchObject({ ttl: 100, description: 'names' });
  });

  it('is not repeated where the answer was lost and the stream is there', async () => {
    const site = inMemory({}, '4.3.5');
    site.breaking(async ({ line }, itself) => {
      if (line !== PUT) return undefined;
      await itself();
      return answer(502);
    });
    const context = contextOn(site);
    await wanted().apply(context, absent);
    expect([site.writes(), context.waits, context.warnings]).toEqual([[PUT], [], []]);
  });

  it('sends nothing where somebody made the very stream meanwhile', async () => {
    const site = await withStream(OURS);
    await wanted().apply(contextOn(site), absent);
    expect(site.writes()).toEqual([]);
  });

  it('leaves another stream that somebody made meanwhile', async () => {
    const site = await withStream({ ttl: 5 });
    expect(saidBy(await errorOf(wanted().apply(contextOn(site), absent)))).toEqual({
      code: 'CONFLICT',
      message: 'stream names was created or changed by someone else since the plan was shown',
      hints: ['run the same command again to see what it overwrites'],
      target: { stream: 'names' },
    });
    expect(site.writes()).toEqual([]);
  });
});

describe('a change of the properties of a stream', () => {
  it('is sent where it was agreed to', async () => {
    const site = await withStream({ ttl: 5 });
    await wanted().apply(contextOn(site), differs);
    expect(site.writes()).toEqual([`${PUT}/properties`]);
    expect(await wanted().observe(contextOn(site))).toEqual(DONE);
  });

  it.each([
    ['not repeated where the answer was lost and they are there', true, 1],
    ['repeated where the answer was lost and they are not there', false, 2],
  ])('is %s', async (_, arrives, sends) => {
    const site = await withStream({ ttl: 5 });
    loseAnswer(site, 'PUT', arrives);
    const context = contextOn(site);
    await wanted().apply(context, differs);
    expect(site.writes()).toHaveLength(sends);
    expect(context.warnings).toEqual(
      sends === 1
        ? []
        : ['the properties of stream names: the response was lost and nothing was applied; sending it again'],
    );
    expect(await wanted().observe(contextOn(site))).toEqual(DONE);
  });
});

describe('the time of the last event', () => {
  const place = { namespace: 'default', stream: 'names' };
  /** A stream of events at these times, in this order; counts the requests. */
  async function timeOf(times: readonly number[]): Promise<readonly [number | undefined, number]> {
    const site = inMemory({}, '4.3.5');
    site.breaking(async ({ line }) => {
      const query = new URL(line.slice(4), 'http://x').searchParams;
      const [start, limit] = [Number(query.get('start')), Number(query.get('limit'))];
      const found = times.filter((timestamp) => timestamp >= start).slice(0, limit);
      const events = found.map((timestamp) => ({ timestamp, body: '' }));
      return found.length === 0 ? answer(204) : answer(200, JSON.stringify(events));
    });
    const last = await lastEventTime(place, { platform: site.platform, signal: NEVER });
    return [last, site.asked.length];
  }
  const count = (length: number, step: number, from = 1_000): readonly number[] =>
    Array.from({ length }, (_, at) => from + at * step);

  it.each<[string, readonly number[], number | undefined, number]>([
    ['is none in an empty stream', [], undefined, 1],
    ['is that of the only event', [7], 7, 1],
    ['is that of the last of 99, in one request', count(99, 10), 1_980, 1],
    ['is that of the last of 100', count(100, 10), 1_990, 4],
    ['is that of the last of 101', count(101, 10), 2_000, 2],
    ['is one that all events share', count(250, 0), 1_000, 4],
    ['is found among many with few requests', count(20_000, 1), 20_999, 23],
    ['is found behind a gap', [...count(200, 1), 5_000_000], 5_000_000, 3],
  ])('%s', async (_, times, last, most) => {
    const [found, requests] = await timeOf(times);
    expect(found).toBe(last);
    expect(requests).toBeLessThanOrEqual(most);
  });
});
