import { describe, expect, it } from 'vitest';
import { CliError } from '../../../../src/core/errors.js';
import { followJson, followText, logLines, logText, type LogWish } from '../../../../src/services/pipelines/logs.js';
import { failure, foundPipeline, ORDERS, platformWith, RUN, waitingOn, type Replies, type Reply } from './support.js';

const { place } = foundPipeline();
const PLACE = { ...place, run: RUN };
const LOGS = `GET ${ORDERS}/runs/${RUN}/logs`;
const TEXT = 'escape=false&format=text';
const JSON_FORM = 'escape=false&format=json&suppress=isNativeMethod';

async function all<T>(lines: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const line of lines) found.push(line);
  return found;
}

describe('the log of a run as text', () => {
  const read = async (wish: Omit<LogWish, 'place'>, replies: Replies): Promise<string> =>
    Buffer.concat(
      await all(logText({ place: PLACE, ...wish }, waitingOn(platformWith(replies).platform).waiting)),
    ).toString();

  it.each<[string, Omit<LogWish, 'place'>, string]>([
    ['whole', {}, ''],
    ['from a second on', { since: 1_700_000_000_999 }, '&start=1700000000'],
    ['up to a second', { until: 1_700_000_000_001 }, '&stop=1700000001'],
    ['between whole seconds', { since: 5000, until: 9000 }, '&start=5&stop=9'],
    ['from the beginning of time', { since: 0, until: 0 }, '&start=0&stop=0'],
  ])('is read as it is written, %s', async (_, wish, query) => {
    expect(await read(wish, { [`${LOGS}?${TEXT}${query}`]: { status: 200, text: 'one\ntwo\n' } })).toBe('one\ntwo\n');
  });

  it('is read at its end, of which times are no matter', async () => {
    const last = {
      json: [
        { log: 'nine\n', offset: '1.1' },
        { log: 'ten\n', offset: '1.2' },
      ],
    };
    expect(await read({ tail: 2, since: 7 }, { [`${LOGS}/prev?${TEXT}&max=2`]: last })).toBe('nine\nten\n');
  });
});

describe('the lines of the log of a run', () => {
  const line = (at: number) => ({ log: { timestamp: at, message: `line ${at}` }, offset: `-10000.${at}` });
  const read = (wish: Omit<LogWish, 'place'>, replies: Replies, most?: number) =>
    all(logLines({ place: PLACE, ...wish }, waitingOn(platformWith(replies).platform).waiting, most));

  it('come one by one', async () => {
    const lines = [line(1), line(2)];
    expect(await read({ since: 1999 }, { [`${LOGS}?${JSON_FORM}&start=1`]: { json: lines } })).toEqual(lines);
    expect(await read({ tail: 5 }, { [`${LOGS}/prev?${JSON_FORM}&max=5`]: { json: lines } })).toEqual(lines);
  });

  it.each<[string, Reply, string]>([
    ['are of another shape', { json: [{ log: 'x' }] }, 'BAD_ANSWER'],
    ['are absent', { status: 404 }, 'NOT_FOUND'],
  ])('are an error where they %s', async (_, reply, code) => {
    expect(await failure(read({}, { [`${LOGS}?${JSON_FORM}`]: reply }))).toMatchObject({ code });
  });

  it('say what is wrong with one that cannot be read', async () => {
    expect(await failure(read({}, { [`${LOGS}?${JSON_FORM}`]: { json: [{ log: 'x' }] } }))).toEqual({
      ...{ code: 'BAD_ANSWER', message: 'the log of the run has a line that cannot be read' },
    });
  });

  it('are read up to a size', async () => {
    const reply = { json: [line(1), line(2)] };
    const size = JSON.stringify(reply.json).length;
    expect(await read({}, { [`${LOGS}?${JSON_FORM}`]: reply }, size)).toHaveLength(2);
    expect(await failure(read({}, { [`${LOGS}?${JSON_FORM}`]: reply }, size - 1))).toMatchObject({ code: 'TOO_LARGE' });
  });
});

describe('a log that is followed by the clock', () => {
  const next = (offset: number | undefined, max = 1000, form = TEXT): string =>
    `${LOGS}/next?${form}&max=${max}${offset === undefined ? '' : `&fromOffset=-10000.${offset}`}`;
  const STATE = `GET ${ORDERS}/runs/${RUN}`;
  const COMPLETED = { json: { runid: RUN, status: 'COMPLETED' } };
  const page = (...times: readonly number[]) => ({
    json: times.map((at) => ({ log: `l${at}`, offset: `-10000.${at}` })),
  });
  const NONE = { json: [] };

  it('has its last lines first, and goes on from there', async () => {
    const { platform, asked } = platformWith({
      [`${LOGS}/prev?${TEXT}&max=2`]: page(8, 9),
      [next(8)]: [page(9), page(9, 10)],
      [next(9)]: page(10),
      [STATE]: COMPLETED,
    });
    const pages = await all(followText({ place: PLACE, tail: 2 }, 1000, waitingOn(platform).waiting));
    expect(pages.map((lines) => lines.map(({ log }) => log))).toEqual([['l8', 'l9'], ['l10']]);
    expect(asked.slice(0, 4)).toEqual([`${LOGS}/prev?${TEXT}&max=2`, next(8), STATE, next(8)]);
  });

  it('is read from its beginning where nothing is known, and until nothing came for five seconds after the end', async () => {
    const { platform, asked } = platformWith({ [next(undefined)]: NONE, [STATE]: COMPLETED });
    const { waiting, naps } = waitingOn(platform);
    expect(await all(followText({ place: PLACE }, 1000, waiting))).toEqual([]);
    expect(naps).toEqual([1000, 1000, 1000, 1000, 1000]);
    // Once it is over, nobody asks again whether it is.
    expect(asked.filter((line) => line === STATE)).toHaveLength(1);
  });

  it('is followed as JSON, too', async () => {
    const json = [{ log: { timestamp: 3, message: 'm' }, offset: '-10000.3' }];
    const { platform } = platformWith({
      [next(undefined, 1000, JSON_FORM)]: { json },
      [next(2, 1000, JSON_FORM)]: { json },
      [STATE]: COMPLETED,
    });
    expect(await all(followJson({ place: PLACE }, 6000, waitingOn(platform).waiting))).toEqual([json]);
  });

  it('goes on while the run is not known yet', async () => {
    const { platform } = platformWith({ [next(undefined)]: NONE, [STATE]: [{ status: 404 }, COMPLETED] });
    const { waiting, naps } = waitingOn(platform);
    await all(followText({ place: PLACE }, 3000, waiting));
    expect(naps).toEqual([3000, 3000, 3000]);
  });

  it.each(['-10000.x', 'x-10000.1', '-10000.1234567890123456', '-10000.', '10000.1x'])(
    'is an error with the offset %s',
    async (offset) => {
      const { platform } = platformWith({ [next(undefined)]: { json: [{ log: 'x', offset }] }, [STATE]: COMPLETED });
      expect(await failure(all(followText({ place: PLACE }, 1000, waitingOn(platform).waiting)))).toEqual({
        ...{ code: 'BAD_ANSWER', message: 'a line of the log has an invalid offset' },
      });
    },
  );

  it('takes an offset of another sign and of fifteen digits', async () => {
    const offset = '7.123456789012345';
    const { platform } = platformWith({
      [next(undefined)]: { json: [{ log: 'x', offset }] },
      [next(123456789012344)]: NONE,
      [STATE]: COMPLETED,
    });
    const pages = await all(followText({ place: PLACE }, 6000, waitingOn(platform).waiting));
    expect(pages).toEqual([[{ log: 'x', offset }]]);
  });

  it('cannot have more than 64000 lines of one millisecond', async () => {
    const many = Array.from({ length: 64_000 }, () => ({ log: '', offset: '-10000.1' }));
    const of = (count: number) => ({ json: many.slice(0, count) });
    const { platform } = platformWith({
      [next(undefined)]: of(1000),
      ...Object.fromEntries([1000, 4000, 16_000, 64_000].map((max) => [next(0, max), of(max)])),
      [STATE]: COMPLETED,
    });
    expect(await failure(all(followText({ place: PLACE }, 1000, waitingOn(platform).waiting)))).toEqual({
      ...{ code: 'TOO_LARGE', message: 'more than 64000 lines of one millisecond (1) cannot be followed' },
      hints: ['the whole log can be read without following it'],
    });
  });

  it('tells of an outage once, and ends after an hour of it', async () => {
    const away = new CliError('UNAVAILABLE', 'gone');
    const { waiting, naps, told } = waitingOn(platformWith({ [next(undefined)]: away, [STATE]: away }).platform);
    expect(await failure(all(followText({ place: PLACE }, 600_000, waiting)))).toEqual({
      ...{ code: 'UNAVAILABLE', message: 'gone' },
    });
    expect(naps).toHaveLength(6);
    expect(told).toEqual([{ type: 'warning', code: 'AWAY', message: 'platform not responding, retrying: gone' }]);
  });

  it('ends with any other error', async () => {
    const { waiting, naps } = waitingOn(platformWith({ [next(undefined)]: { status: 403 } }).platform);
    expect(await failure(all(followText({ place: PLACE }, 1000, waiting)))).toMatchObject({ code: 'FORBIDDEN' });
    expect(naps).toEqual([]);
  });

  it('ends where it is stopped while the platform is away', async () => {
    const away = new CliError('UNAVAILABLE', 'gone');
    const { waiting, told } = waitingOn(platformWith({ [next(undefined)]: away }).platform);
    const stopped = { ...waiting, signal: AbortSignal.abort(new CliError('INTERRUPTED', 'stopped')) };
    expect(await failure(all(followText({ place: PLACE }, 1000, stopped)))).toMatchObject({ code: 'UNAVAILABLE' });
    expect(told).toEqual([]);
  });
});
