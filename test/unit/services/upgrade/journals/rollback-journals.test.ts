import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { findUpgrade, leftElsewhere } from '../../../../../src/services/upgrade/journals/rollback-journals.js';
import { recordKey } from '../../../../../src/state/read-upgrade-journal.js';
import { temporaryFolder } from '../../../state/support.js';
import { errorOf } from '../../../../support/errors.js';
import { done, ended, FINISHED, journalsIn, URL } from './support.js';

const root = temporaryFolder();
let state = '';
let journal = journalsIn(state);
beforeEach(() => {
  state = mkdtempSync(join(root, 'rollback-'));
  journal = journalsIn(state);
});

const found = () => findUpgrade(undefined, state, { url: URL, namespace: undefined }, () => undefined);
const namesOf = async (): Promise<readonly string[]> =>
  [...(await found()).records.values()].map(({ pipeline }) => pipeline).sort();
const beforeOf = async (pipeline: string): Promise<string | undefined> =>
  (await (await found()).records.get(recordKey('etl', pipeline))?.sending())?.before.artifact.version;

describe('the upgrade that a rollback takes back', () => {
  it('is the newest with the run before it that was cut off and begun anew', async () => {
    await journal([...done('older'), FINISHED]);
    const cut = await journal([...done('a'), ...done('b')]);
    const newest = await journal([...done('c'), FINISHED]);
    expect(await namesOf()).toEqual(['a', 'b', 'c']);
    expect(await found()).toMatchObject({ file: newest, also: [cut], earlier: new Map(), elsewhere: [] });
  });

  it('is the newest that changed a pipeline of the namespace that was named', async () => {
    const wanted = await journal([...done('a'), FINISHED]);
    await journal([...done('b').map((entry) => ({ ...entry, namespace: 'web' })), FINISHED]);
    const foundIn = (namespace: string) => findUpgrade(undefined, state, { url: URL, namespace }, () => undefined);
    expect((await foundIn('etl')).file).toBe(wanted);
    expect((await errorOf(foundIn('none'))).message).toContain('of namespace none on');
  });

  it('is that of a journal with the runs that it started over, whatever was run since', async () => {
    const cut = await journal([...done('a'), ...done('b')]);
    const named = await journal([...done('c'), FINISHED]);
    await journal(done('d'));
    const upgrade = await findUpgrade(named, state, { url: URL, namespace: undefined }, () => undefined);
    expect(upgrade).toMatchObject({ file: named, also: [cut], elsewhere: [] });
  });

  it('goes back to what a pipeline was before the first of several runs', async () => {
    await journal(done('a', '6.8.0', '6.9.0'));
    await journal(done('a', '6.9.0', '6.10.0'));
    expect(await beforeOf('a')).toBe('6.8.0');
  });

  it('does not go back further where somebody changed the pipeline between two runs', async () => {
    await journal(done('a', '6.7.0', '6.8.0'));
    await journal(done('a', '6.9.0', '6.10.0'));
    expect(await beforeOf('a')).toBe('6.9.0');
  });

  it('does not go back further where the artifact alone is another between two runs', async () => {
    await journal(done('a', '6.7.0', '6.8.0'));
    const [sending, end] = ended('a', 'done', '6.9.0', '6.10.0');
    const before = { ...sending.before, configuration: '{"of":"6.8.0"}' };
    await journal([{ ...sending, before }, end]);
    expect(await beforeOf('a')).toBe('6.9.0');
  });

  it.each([
    ['came to its end', {}, [FINISHED]],
    ['chose pipelines of another namespace', { selection: { namespace: 'finance' } }, []],
  ])('is alone where the run before it %s', async (_, more, end) => {
    await journal([...done('a'), ...end], more);
    await journal([...done('b'), FINISHED], { selection: { namespace: 'etl' } });
    expect(await namesOf()).toEqual(['b']);
    expect((await found()).elsewhere).toEqual([]);
  });

  it.each([
    ['chose otherwise', {}],
    ['was of another version of the platform', { selection: { namespace: 'etl' }, platformVersion: '6.10.0' }],
  ])('names what a run that was cut off and %s changed, and nobody took back', async (_, more) => {
    const [sent, failed] = ended('d', 'failed');
    const cut = await journal([...done('a'), ...done('b'), ...done('c'), sent, { ...failed, untouched: true }], more);
    await journal([...done('b')], { command: 'rollback', of: cut });
    await journal([...done('c'), FINISHED], { selection: { namespace: 'etl' } });
    const { also, elsewhere } = await found();
    expect(also).toEqual([]);
    expect(elsewhere).toEqual([{ journal: cut, pipelines: [{ namespace: 'etl', name: 'a' }] }]);
    expect(leftElsewhere(elsewhere)).toEqual([
      `not rolled back because an interrupted run changed them: etl/a (journal ${cut})`,
    ]);
  });

  it('knows what an earlier rollback of both did, whichever journal it is asked for', async () => {
    const cut = await journal(done('a'));
    const of = await journal([...done('b'), FINISHED]);
    await journal([...done('a'), ...done('b')], { command: 'rollback', of, also: [cut] });
    const keys = [recordKey('etl', 'a'), recordKey('etl', 'b')];
    expect([...(await found()).earlier.keys()].sort()).toEqual(keys);
    const one = await findUpgrade(cut, state, { url: URL, namespace: undefined }, () => undefined);
    expect([...one.earlier.keys()].sort()).toEqual(keys);
    expect(one.also).toEqual([]);
  });

  it('knows nothing of what a rollback did with a pipeline that was upgraded again after it', async () => {
    const cut = await journal(done('a'));
    await journal(done('a'), { command: 'rollback', of: cut });
    await journal([...done('a'), FINISHED]);
    expect(await found()).toMatchObject({ also: [cut], earlier: new Map() });
  });

  it('is not a rollback, of which nothing is rolled back', async () => {
    const of = await journal([...done('a'), FINISHED]);
    const back = await journal([...done('a'), FINISHED], { command: 'rollback', of });
    const error = await errorOf(() => findUpgrade(back, state, { url: URL, namespace: undefined }, () => undefined));
    expect([error.code, error.message]).toEqual(['USAGE', `${back} is the journal of a rollback`]);
  });

  it('is told without what cannot be read before it, with a warning', async () => {
    writeFileSync(await journal(done('a')), 'no journal\n');
    await journal([...done('b'), FINISHED]);
    const warnings: string[] = [];
    const { file, also } = await findUpgrade(undefined, state, { url: URL, namespace: undefined }, (event) => {
      if (event.type === 'warning') warnings.push(event.message);
    });
    expect([file.length > 0, also]).toEqual([true, []]);
    expect(warnings).toMatchObject([expect.stringContaining('were not checked for unfinished pipelines') as string]);
  });
});

describe('what is noted of a pipeline', () => {
  it('is not believed where a byte of it is another one, whichever', async () => {
    const file = await journal([...done('a')]);
    const [run = '', sending = '', last = ''] = readFileSync(file, 'utf8').split('\n');
    let refused = 0;
    for (let flip = 0; flip < sending.length; flip += 7) {
      const bytes = Buffer.from(sending);
      bytes[flip] = (bytes[flip] ?? 0) ^ 1;
      if (bytes[flip] === 0x0a) continue;
      writeFileSync(file, Buffer.concat([Buffer.from(`${run}\n`), bytes, Buffer.from(`\n${last}\n`)]));
      const read = (await found().catch(() => undefined))?.records.values() ?? [];
      for (const { sending: reads } of read) {
        const taken = await reads().catch(() => undefined);
        expect(taken?.before, `byte ${flip}`).toBeUndefined();
      }
      refused += 1;
    }
    expect(refused).toBeGreaterThan(60);
  });

  it('is believed without a digest, as older versions wrote none, and counted', async () => {
    const file = await journal(done('a'));
    writeFileSync(file, readFileSync(file, 'utf8').replace(/,"digest":"\w+"/u, ''));
    expect(await beforeOf('a')).toBe('6.9.0');
    expect((await found()).unsealed).toBe(1);
  });
});
