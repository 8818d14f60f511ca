import { describe, expect, test } from 'vitest';
import {
  FIVE,
  linesOf,
  ODD_EVENTS,
  openDataSite,
  PROPERTIES,
  STREAM,
  type DataSite,
} from '../../support/sites/data-site.js';
import { documentOf, type Install } from '../../support/sites/install-site.js';

const SPACE = '/v3/namespaces/default/streams/clicks';
const CREATE = `PUT ${SPACE} 200`;
const LOAD = `POST ${SPACE}/batch 200`;

const it = test.extend<{ site: DataSite }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the names of what a fixture needs from its parameter
  site: async ({}, use) => {
    const site = await openDataSite();
    await use(site);
    await site.close();
  },
});

const stateOf = ({ item }: Install): readonly (string | undefined)[] => [
  item?.state,
  ...(item?.actions ?? []).map(({ state }) => state),
];

/** A second run says that nothing is to be done, and sends nothing but reads. */
async function expectNothingToDo(site: DataSite, what: string): Promise<void> {
  const events = await site.events();
  await site.forget();
  expect((await site.install(what, '-y')).item?.state).toBe('already-present');
  expect(await site.writes()).toEqual([]);
  expect(await site.events()).toEqual(events);
}

describe('a stream', () => {
  it('is created with its properties and description by one write, and a second run writes nothing', async ({
    site,
  }) => {
    const done = await site.install('stream');
    expect(stateOf(done)).toEqual(['installed', 'done']);
    expect(done.item?.actions[0]).toMatchObject({ target: { kind: 'stream', name: STREAM }, effect: 'create' });
    expect(await site.writes()).toEqual([CREATE]);
    expect(await site.call('GET', '/streams/clicks')).toMatchObject({
      ...PROPERTIES,
      description: 'Clicks of a day',
    });
    await expectNothingToDo(site, 'stream');
  });

  it('P08 that is there with the same properties is already there, and keeps its events', async ({ site }) => {
    await site.call('PUT', '/streams/clicks', PROPERTIES);
    await site.append('mine');
    await site.forget();
    const { item } = await site.install('stream');
    expect(item?.state).toBe('already-present');
    expect(item?.actions[0]?.effect).toBe('already exists');
    expect(await site.writes()).toEqual([]);
    expect(await site.events()).toEqual(['mine']);
  });

  it('that is there with properties of its own keeps them, unless --force and a yes set ours', async ({ site }) => {
    await site.call('PUT', '/streams/clicks', { ttl: 5 });
    await site.append('mine');
    await site.forget();
    const kept = await site.install('stream');
    expect(kept.item?.state).toBe('already-present');
    expect(kept.item?.actions[0]?.effect).toMatch(/other properties, which are kept unless forced/u);
    expect((await site.unasked('stream', '--force')).error).toMatchObject({ code: 'CONSENT_MISSING', exitCode: 13 });
    expect(await site.writes()).toEqual([]);
    expect((await site.install('stream', '--force', '-y')).item?.state).toBe('installed');
    expect(await site.writes()).toEqual([`PUT ${SPACE}/properties 200`]);
    expect(await site.call('GET', '/streams/clicks')).toMatchObject(PROPERTIES);
    expect(await site.events()).toEqual(['mine']);
  });

  it('has a name that the platform takes, or nothing is asked of it', async ({ site }) => {
    expect((await site.install('odd-name', '-y')).error).toMatchObject({
      code: 'BAD_ACTION',
      message: expect.stringContaining('"a.b"') as string,
    });
    expect(await site.writes()).toEqual([]);
    expect(stateOf(await site.install('odd-name', '--set', '1.name=a_b'))).toEqual(['installed', 'done']);
    expect(await site.statusOf('/streams/a_b')).toBe(200);
  });
});

describe('a data pack', () => {
  it('is loaded once, every line an event, into the stream of the action before', async ({ site }) => {
    const done = await site.install('clicks');
    expect(stateOf(done)).toEqual(['installed', 'done', 'done']);
    expect(done.item?.actions[1]).toMatchObject({
      effect: 'load 5 lines of odd.csv',
      inputs: { name: STREAM, files: ['odd.csv'] },
      target: { kind: 'stream', name: STREAM },
    });
    expect(await site.writes()).toEqual([CREATE, LOAD]);
    expect(await site.events()).toEqual(ODD_EVENTS);
    await expectNothingToDo(site, 'clicks');
  });

  it('makes the stream that is missing, and loads all its files in their order', async ({ site }) => {
    const done = await site.install('five');
    expect(done.item?.actions[0]?.effect).toBe('create it and load 15 lines of 5 files');
    expect(await site.writes()).toEqual([CREATE, LOAD, LOAD, LOAD, LOAD, LOAD]);
    expect(await site.events()).toEqual(FIVE.flatMap(linesOf));
    await expectNothingToDo(site, 'five');
  });

  it('goes with the type of each file, and a file without lines is not sent', async ({ site }) => {
    await site.install('kinds');
    expect((await site.shown()).map(({ headers, body }) => `${body} ${headers['content.type'] ?? ''}`)).toEqual([
      'a text/accesslog',
      'b text/TXT',
      'c text/plain',
      'd text/tsv',
    ]);
    await expectNothingToDo(site, 'kinds');
  });

  it('needs a yes where the stream has data already, and adds to it', async ({ site }) => {
    await site.call('PUT', '/streams/clicks', {});
    await site.append('mine');
    await site.forget();
    const refused = await site.unasked('five');
    expect(refused.error).toMatchObject({ code: 'CONSENT_MISSING', exitCode: 13 });
    expect(refused.error.message).toContain('add 15 lines of 5 files to stream clicks, which has data already');
    expect(await site.writes()).toEqual([]);
    expect((await site.install('five', '-y')).item?.state).toBe('installed');
    expect(await site.events()).toEqual(['mine', ...FIVE.flatMap(linesOf)]);
    await expectNothingToDo(site, 'five');
  });

  it('is loaded again only when told, with a yes', async ({ site }) => {
    await site.install('clicks');
    expect((await site.unasked('clicks', '--again')).error).toMatchObject({ code: 'CONSENT_MISSING', exitCode: 13 });
    expect(await site.events()).toEqual(ODD_EVENTS);
    await site.forget();
    expect(stateOf(await site.install('clicks', '--again', '-y'))).toEqual(['installed', 'already-present', 'done']);
    expect(await site.writes()).toEqual([LOAD]);
    expect(await site.events()).toEqual([...ODD_EVENTS, ...ODD_EVENTS]);
    await expectNothingToDo(site, 'clicks');
  });

  it('is loaded once by a run with --again that stops and is repeated', async ({ site }) => {
    const words = ['all', '--again', '-y'];
    const match = { method: 'POST', path: '/default/apps$' };
    await site.fail({ match, kind: 'status', status: 403, when: 'before' });
    expect(stateOf(await site.install(...words))).toEqual(['partial', 'done', 'done', 'failed']);
    const events = await site.events();
    expect(stateOf(await site.install(...words))).toEqual(['installed', 'already-present', 'already-present', 'done']);
    expect(await site.events()).toEqual(events);
    expect(stateOf(await site.install(...words))).toEqual(['installed', 'already-present', 'done', 'already-present']);
    expect(await site.events()).toEqual([...events, ...events]);
  });

  it('that was done alone leaves an install partial until the rest is done, too', async ({ site }) => {
    const listed = async (): Promise<unknown> => {
      const { stdout } = await site.cdapctl(['installed', 'list', '-u', site.url, '--json']);
      return (JSON.parse(stdout) as { items: { state: string }[] }).items.map(({ state }) => state);
    };
    const match = { method: 'POST', path: '/default/apps$' };
    await site.fail({ match, kind: 'status', status: 403, when: 'before' });
    await site.install('all', '-y');
    expect(stateOf(await site.install('all', '-y', '--only', '2'))).toContain('already-present');
    expect(await listed()).toEqual(['partial']);
    expect(stateOf(await site.install('all', '-y', '--only', '3'))).toContain('installed');
    expect(await listed()).toEqual(['installed']);
  });

  it('from another machine is data like any other: it needs a yes', async ({ site }) => {
    await site.install('clicks');
    const elsewhere = { home: `${site.home}/elsewhere` };
    const words = [...site.line(['clicks', '--verify', 'off']), '--json'];
    const { error } = await documentOf(await site.cdapctl(words, elsewhere));
    expect(error).toMatchObject({ code: 'CONSENT_MISSING', exitCode: 13 });
    expect(await site.events()).toEqual(ODD_EVENTS);
  });

  it('is loaded anew when its stream was emptied, or is gone and another action makes it', async ({ site }) => {
    await site.install('clicks', '-y');
    for (const [method, path] of [
      ['POST', '/streams/clicks/truncate'],
      ['DELETE', '/streams/clicks'],
    ] as const) {
      await site.call(method, path);
      expect((await site.install('clicks', '-y')).item?.state).toBe('installed');
      expect(await site.events()).toEqual(ODD_EVENTS);
    }
  });

  it('is loaded anew when its stream is gone', async ({ site }) => {
    await site.install('five');
    await site.call('DELETE', '/streams/clicks');
    expect((await site.install('five')).item?.state).toBe('installed');
    expect(await site.events()).toEqual(FIVE.flatMap(linesOf));
  });

  it('may share its stream with another of the package', async ({ site }) => {
    expect(stateOf(await site.install('twice'))).toEqual(['installed', 'done', 'done']);
    expect(await site.events()).toEqual(FIVE.slice(0, 2).flatMap(linesOf));
    await expectNothingToDo(site, 'twice');
  });

  it('without a name asks for one', async ({ site }) => {
    const { error, item } = await site.install('unnamed');
    expect(error).toMatchObject({ code: 'INPUT_MISSING', exitCode: 2 });
    expect(item?.missing).toMatchObject([{ kind: 'argument', n: 1, flag: '--set 1.name=VALUE' }]);
    expect((await site.install('unnamed', '--set', '1.name=mine')).item?.state).toBe('installed');
    expect(await site.events('mine')).toEqual(linesOf('part-1.csv'));
  });

  it('is shown by a dry run with its number of lines, and nothing is written', async ({ site }) => {
    const { stdout } = await site.cdapctl([...site.line(['clicks']), '--dry-run']);
    expect(stdout).toMatch(/1 +create_stream +stream clicks +create$/mu);
    expect(stdout).toMatch(/2 +load_datapack +stream clicks +load 5 lines of odd\.csv$/mu);
    expect(await site.writes()).toEqual([]);
  });
});

describe.for(['6.1.1', '6.11.0'] as const)('on a platform %s, which has no streams,', (platform) => {
  test.for([
    ['stream', 1],
    ['five', 1],
    ['all', 1],
  ] as const)('package %s is refused before anything is written', async ([name, n]) => {
    const site = await openDataSite(platform);
    const { error } = await site.install(name, '-y', '--force');
    expect(error).toMatchObject({ code: 'INCOMPATIBLE', exitCode: 6 });
    expect(error.message).toBe(`action ${n} needs a stream, but this platform has no streams`);
    expect(error.hints.join(' ')).toContain(`--skip ${n}`);
    expect((await site.cdapctl([...site.line([name]), '--dry-run'])).code).toBe(6);
    expect(await site.writes()).toEqual([]);
    await site.close();
  });

  test('the rest of a package can be installed', async () => {
    const site = await openDataSite(platform);
    const left = await site.install('all', '--skip', '1', '--skip', '2');
    expect(stateOf(left)).toEqual(['installed', 'skipped', 'skipped', 'done']);
    await site.close();
  });
});
