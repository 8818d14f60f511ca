import { describe, expect, it } from 'vitest';
import { readAll, type FilePlace, type HubSource } from '../../../../src/hub/source.js';
import { holdFiles, holdHubs } from '../../../../src/services/catalog/files-in-memory.js';
import { NEVER } from '../../../support/clock.js';

/** A hub that numbers what it sends; `asked` has every file, with `!` where caches are passed. */
function numberedHub(base = 'https://hub.example.com') {
  const asked: string[] = [];
  const open: HubSource['open'] = async ({ name = '', version = '', category = '', file }, { fresh }) => {
    asked.push([name, version, category, file].filter((part) => part !== '').join('/') + (fresh === true ? '!' : ''));
    if (file.startsWith('none')) return undefined;
    const text = `answer ${asked.length}`;
    const body = (async function* () {
      yield Buffer.from(text);
    })();
    return { what: file, bytes: text.length, changed: { at: asked.length }, body, discard: async () => undefined };
  };
  const catalog = () => Promise.reject(new Error('not asked for'));
  const source: HubSource = { base, kind: 'http', label: 'hub', open, catalog };
  return { source, asked };
}
async function read(source: HubSource, place: FilePlace, fresh?: boolean): Promise<string | undefined> {
  const file = await source.open(place, { maxBytes: 100, ...(fresh !== undefined && { fresh }) }, NEVER);
  return file && Buffer.from(await readAll(file, 100)).toString();
}
const own = (file: string, name = 'plug', version = '1.0.0'): FilePlace => ({ name, version, file });

describe('the files of a hub in a run that reads whole packages', () => {
  it.each<[string, FilePlace, boolean]>([
    ['the signed index', { file: 'index.json' }, true],
    ['its signature', { file: 'index.json.asc' }, true],
    ['the catalog', { file: 'packages.json' }, false],
    ['the icon of a category', { category: 'gcp', file: 'index.json.png' }, false],
    ['a file of a package', own('plug.jar'), false],
    ['one that is called like the index', own('index.json'), false],
    ['the signature of one', own('plug.jar.asc'), true],
  ])('%s (%j) is kept in memory: %s', async (_, place, isKept) => {
    const { source, asked } = numberedHub();
    const held = holdHubs()(source);
    expect([await read(held, place), await read(held, place)]).toEqual(['answer 1', `answer ${isKept ? 1 : 2}`]);
    expect(asked).toHaveLength(isKept ? 1 : 2);
  });

  it('are kept for each address, whatever reads them', async () => {
    const hold = holdHubs();
    const [one, other] = [numberedHub(), numberedHub('https://other.example.com')];
    for (const { source } of [one, other, one, other]) await read(hold(source), { file: 'index.json' });
    expect([one.asked, other.asked]).toEqual([['index.json'], ['index.json']]);
    expect(hold(one.source)).toMatchObject({ base: one.source.base, kind: 'http', label: 'hub' });
  });
});

describe('a file that is kept', () => {
  const all = (): boolean => true;

  it('is as it was, as often as it is read', async () => {
    const held = holdFiles(numberedHub().source, all);
    for (let time = 0; time < 2; time += 1) {
      const file = (await held.open(own('a'), { maxBytes: 100 }, NEVER)) ?? expect.fail('none');
      expect(file).toMatchObject({ what: 'a', bytes: 8, changed: { at: 1 } });
      await file.discard();
    }
  });

  it('is one for each package, version and category', async () => {
    const { source, asked } = numberedHub();
    const held = holdFiles(source, all);
    const places = [own('a'), own('a', 'plug', '2'), own('a', 'other'), own('b'), { file: 'a' }];
    places.push({ category: 'gcp', file: 'a' }, { category: 'aws', file: 'a' });
    for (const place of [...places, ...places]) await read(held, place);
    expect(asked).toEqual([...['plug/1.0.0/a', 'plug/2/a', 'other/1.0.0/a', 'plug/1.0.0/b', 'a', 'gcp/a', 'aws/a']]);
  });

  it('is fetched again past caches, and that one is kept', async () => {
    const { source, asked } = numberedHub();
    const held = holdFiles(source, all);
    const texts = [await read(held, own('a')), await read(held, own('a'), true), await read(held, own('a'), false)];
    expect(texts).toEqual(['answer 1', 'answer 2', 'answer 2']);
    expect(asked).toEqual(['plug/1.0.0/a', 'plug/1.0.0/a!']);
  });

  it('may be one that is not there', async () => {
    const { source, asked } = numberedHub();
    const held = holdFiles(source, all);
    expect([await read(held, own('none')), await read(held, own('none'))]).toEqual([undefined, undefined]);
    expect(asked).toHaveLength(1);
  });

  it('is no larger than it may be', async () => {
    const held = holdFiles(numberedHub().source, all);
    await expect(held.open(own('a'), { maxBytes: 7 }, NEVER)).rejects.toMatchObject({ code: 'TOO_LARGE' });
  });
});
