import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  contentTypeOf,
  dataFile,
  type DataFile,
} from '../../../../../../src/services/install/things/stream/data-files.js';
import { loadStep } from '../../../../../../src/services/install/things/stream/load-step.js';
import { temporaryFolder } from '../../../../state/support.js';
import { codeOf, errorOf, saidBy } from '../../../../../support/errors.js';
import { answer, inMemory, type InMemory } from '../../../in-memory-platform.js';
import { contextOn } from '../../support.js';

const folder = temporaryFolder();
const STREAM = 'default/streams/names';
const PUT = 'PUT /v3/namespaces/default/streams/names';
const POST = 'POST /v3/namespaces/default/streams/names/batch';
let [two, one, none]: [DataFile?, DataFile?, DataFile?] = [];
const files = (...given: readonly (DataFile | undefined)[]): readonly DataFile[] =>
  given.filter((file) => file !== undefined);

async function fileOf(name: string, content: string): Promise<DataFile> {
  const file = join(folder, name);
  writeFileSync(file, content);
  return dataFile(name, { file, bytes: content.length, sha256: name });
}

beforeAll(async () => {
  two = await fileOf('two.csv', 'a\n\nb\n');
  one = await fileOf('one.txt', 'c');
  none = await fileOf('none.csv', '\n');
});

const streams = (): InMemory => inMemory({}, '4.3.5');
const create = (site: InMemory): Promise<unknown> => site.call('PUT', STREAM);
const append = (site: InMemory, event: string): Promise<unknown> => site.call('POST', STREAM, event);
/** The events as the platform shows them; those of `append` are JSON texts. */
const eventsOf = async (site: InMemory): Promise<readonly string[]> =>
  (await site.call<{ body: string }[]>('GET', `${STREAM}/events`)).map(({ body }) => body);
const load = (...given: readonly (DataFile | undefined)[]) => loadStep({ n: 4, name: 'names', files: files(...given) });
const APPLIED = { state: 'applied' };

describe('the step of a load', () => {
  it('is named after its lines, and is another one for other files', () => {
    const { title, target, material, jar } = load(two);
    expect({ title, target, material, jar }).toEqual({
      title: '2 lines of two.csv into stream names',
      target: { kind: 'stream', name: 'names' },
      material: { name: 'names', files: [{ name: 'two.csv', sha256: 'two.csv' }] },
      jar: undefined,
    });
  });

  it.each([
    ['no file', 0, '0 lines of 0 files into stream names'],
    ['one line', 1, '1 line of one.txt into stream names'],
    ['two files', 2, '3 lines of 2 files into stream names'],
  ])('counts the lines of %s', (_, count, title) => {
    expect(load(...[one, two].slice(0, count)).title).toBe(title);
  });
});

describe('a stream that is looked at before a load', () => {
  const absent = async (): Promise<void> => undefined;
  const sent = { 'file 1': { state: 'sent', since: '0', lines: '0', sum: '0' } };
  const filled = async (site: InMemory): Promise<void> => {
    await create(site);
    await append(site, 'x');
  };
  const adds = {
    state: 'differs',
    effect: 'add 2 lines of two.csv to the existing data',
    consent: 'add 2 lines of two.csv to stream names, which has data already',
    appends: true,
  };
  const done = { state: 'done', effect: 'already loaded (recorded in the journal)' };
  const rest = { state: 'incomplete', effect: 'load the rest of 2 lines of two.csv' };
  it.each<[string, (site: InMemory) => Promise<unknown>, Record<string, unknown>, object]>([
    ['is made by the load', absent, {}, { state: 'absent', effect: 'create it and load 2 lines of two.csv' }],
    ['is filled where it is empty', create, {}, { state: 'incomplete', effect: 'load 2 lines of two.csv' }],
    [
      'is filled again where it was emptied',
      create,
      { 'file 1': APPLIED },
      { state: 'incomplete', effect: 'load 2 lines of two.csv' },
    ],
    ['is added to where it has events', filled, {}, adds],
    ['has all where the journal says so', filled, { 'file 1': APPLIED }, done],
    ['lacks what was not begun', filled, { 'file 1': { state: 'open' } }, rest],
    ['lacks what was sent and did not arrive as it is', filled, sent, rest],
  ])('%s', async (_, prepare, noted, expected) => {
    const site = streams();
    await prepare(site);
    expect(await load(two).observe(contextOn(site, {}, noted))).toEqual(expected);
    expect(site.writes()).toEqual([]);
  });

  it.each<[string, object, string]>([
    ['an earlier step makes', { kind: 'stream', name: 'names' }, 'load 1 line of one.txt'],
    [
      'an earlier step makes under another name',
      { kind: 'stream', name: 'other' },
      'create it and load 1 line of one.txt',
    ],
    ['is no stream', { kind: 'pipeline', name: 'names' }, 'create it and load 1 line of one.txt'],
  ])('is told by the plan where it is one that %s', async (_, target, effect) => {
    const upcoming = [target as { kind: 'stream'; name: string }];
    expect(await load(one).observe(contextOn(streams(), { upcoming }))).toEqual({ state: 'absent', effect });
  });

  it('has all of a file that arrived although the run was killed', async () => {
    const site = streams();
    await create(site);
    for (const event of [1, 2]) await append(site, event as unknown as string);
    const numbers = await fileOf('numbers.csv', '2\n1');
    expect(await load(numbers).observe(contextOn(site, {}, sent))).toEqual(done);
  });

  it('has all of files without lines once the journal knows them, and of a load that is done', async () => {
    const site = streams();
    await create(site);
    expect(await load(none).observe(contextOn(site, {}, { 'file 1': { state: 'open' } }))).toEqual(done);
    await append(site, 'x');
    const history = { begun: true, done: true, facts: new Map() };
    expect(await load(two).observe(contextOn(site, { history }))).toEqual(done);
  });

  it('is none on a platform without streams', async () => {
    const observed = await load(two).observe(contextOn(inMemory({})));
    expect(observed).toMatchObject({ state: 'refused', effect: 'no streams on this platform' });
    expect(observed.state === 'refused' && saidBy(observed.error)).toEqual({
      code: 'INCOMPATIBLE',
      message: 'action 4 needs a stream, but this platform has no streams',
      hints: [{ next: 'skip-stream', n: 4 }],
    });
  });
});

const observed = { state: 'absent', effect: '' } as const;

describe('a load', () => {
  it('makes the stream, sends each file once and notes both ends of it', async () => {
    const site = streams();
    const notes: unknown[] = [];
    const context = contextOn(site);
    const note = async (name: string, value: unknown): Promise<void> => {
      notes.push([name, value]);
      context.facts.set(name, value);
    };
    await load(two, none, one).apply({ ...context, note }, observed);
    expect(site.writes()).toEqual([PUT, POST, POST]);
    expect(await eventsOf(site)).toEqual(['a', 'b', 'c']);
    const open = { state: 'open' };
    expect(notes).toEqual([
      ['file 1', open],
      ['file 2', open],
      ['file 3', open],
      ['file 1', { state: 'sent', since: '0', lines: '0', sum: '0' }],
      ['file 1', APPLIED],
      ['file 3', expect.objectContaining({ state: 'sent', lines: '2' })],
      ['file 3', APPLIED],
    ]);
    expect(context.waits).toEqual([]);
  });

  it('sends what is missing only', async () => {
    const site = streams();
    await create(site);
    await append(site, 'x');
    await load(two, one).apply(contextOn(site, {}, { 'file 1': APPLIED }), observed);
    expect(site.writes()).toEqual([POST]);
    expect(await eventsOf(site)).toEqual(['"x"', 'c']);
  });

  it('sends all to a stream that was emptied, or made anew', async () => {
    for (const prepare of [create, async () => undefined]) {
      const site = streams();
      await prepare(site);
      await load(one).apply(contextOn(site, {}, { 'file 1': APPLIED }), observed);
      expect(await eventsOf(site)).toEqual(['c']);
    }
  });

  it('notes what arrived before the run was killed, and sends it no more', async () => {
    const site = streams();
    await create(site);
    await site.call('POST', STREAM, 7);
    const context = contextOn(site, {}, { 'file 1': { state: 'sent', since: '0', lines: '0', sum: '0' } });
    await load(await fileOf('seven.csv', '7')).apply(context, observed);
    expect(site.writes()).toEqual([]);
    expect(context.facts.get('file 1')).toEqual(APPLIED);
  });

  it('sends again what did not arrive before the run was killed, after it waited', async () => {
    const site = streams();
    await create(site);
    const context = contextOn(site, {}, { 'file 1': { state: 'sent', since: '0', lines: '0', sum: '0' } });
    await load(one).apply(context, observed);
    expect(context.waits).toEqual([1000, 1000]);
    expect(await eventsOf(site)).toEqual(['c']);
  });

  it('is not repeated where the answer was lost and the lines are there', async () => {
    const site = streams();
    site.breaking(async ({ line }, itself) => {
      if (line !== POST) return undefined;
      await itself();
      return answer(502);
    });
    const context = contextOn(site);
    await load(two).apply(context, observed);
    expect(await eventsOf(site)).toEqual(['a', 'b']);
    expect([context.waits, context.warnings]).toEqual([[], []]);
  });

  it('is repeated where the answer was lost and nothing is there', async () => {
    const site = streams();
    let sends = 0;
    site.breaking(async ({ line }) => (line === POST && (sends += 1) === 1 ? answer(502) : undefined));
    const context = contextOn(site);
    await load(two).apply(context, observed);
    expect(await eventsOf(site)).toEqual(['a', 'b']);
    expect(context.warnings).toEqual([
      'the load of two.csv into stream names: the response was lost and nothing was applied; sending it again',
    ]);
  });

  it('says that its outcome is unknown where other lines came', async () => {
    const site = streams();
    await create(site);
    await append(site, 'x');
    const noted = { 'file 1': { state: 'sent', since: '5', lines: '0', sum: '0' } };
    const context = contextOn(site, {}, noted);
    expect(saidBy(await errorOf(load(two).apply(context, observed)))).toEqual({
      code: 'UNKNOWN_OUTCOME',
      message: 'it is unknown whether two.csv was loaded into stream names: the new events do not match the file',
      hints: [
        'check the stream: GET /v3/namespaces/default/streams/names/events?start=5; the file has 2 lines',
        { next: 'load-again', n: 4 },
      ],
      target: { stream: 'names', namespace: 'default', file: 'two.csv' },
    });
    expect(context.waits).toEqual([1000, 1000]);
    expect(context.facts.get('file 1')).toEqual(noted['file 1']);
  });
});

describe('a file of data', () => {
  it('keeps what it was staged as', async () => {
    const file = await fileOf('data.csv', 'a\nb');
    expect({ ...file, file: '', content: file.content.lines }).toEqual({
      ...{ name: 'data.csv', file: '', bytes: 3, sha256: 'data.csv', content: 2 },
    });
  });

  it('that is gone is an error of this machine', async () => {
    const file = join(folder, 'gone');
    expect(await codeOf(dataFile('gone.csv', { file, bytes: 1, sha256: '' }))).toBe('LOCAL_IO');
  });

  it.each([
    ['texts.csv', 'text/csv'],
    ['a.b.TSV', 'text/TSV'],
    ['plain', 'text/plain'],
    ['odd.x-y', 'text/plain'],
    ['odd.', 'text/plain'],
    ['folder.d/name', 'text/plain'],
  ])('%s is sent as %s', (name, type) => {
    expect(contentTypeOf(name)).toBe(type);
  });
});
