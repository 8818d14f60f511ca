import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { findUpgrade, leftElsewhere } from '../../../../../src/services/upgrade/journals/rollback-journals.js';
import { runEntry, sealed, type UpgradeEntry } from '../../../../../src/state/upgrade-journal.js';
import { createUpgradeFile } from '../../../../../src/state/upgrade-folder.js';
import { recordKey } from '../../../../../src/state/read-upgrade-journal.js';
import { SELECTION } from '../in-memory.js';
import { temporaryFolder } from '../../../state/support.js';
import { errorOf } from '../../../../support/errors.js';

const URL = 'http://platform:11015';
const MAY = Date.UTC(2026, 4, 1);
const root = temporaryFolder();
let state = '';
beforeEach(() => {
  state = mkdtempSync(join(root, 'rollback-'));
});

const artifact = (version: string) => ({ name: 'cdap-data-pipeline', version, scope: 'SYSTEM' }) as const;
const common = { v: 1, at: '2026-05-01T00:00:00.000Z', namespace: 'etl' } as const;
const FINISHED: UpgradeEntry = { v: 1, at: common.at, type: 'finished' };

/** A pipeline that was sent and done. */
function done(pipeline: string, from = '6.9.0', to = '6.10.0'): readonly UpgradeEntry[] {
  const made = (version: string) => ({ artifact: artifact(version), configuration: `{"of":"${version}"}` });
  return [
    { ...common, type: 'sending', pipeline, before: made(from), sent: made(to), schedules: [] },
    { ...common, type: 'ended', pipeline, state: 'done', after: { artifact: artifact(to) } },
  ];
}

interface Begun {
  readonly selection?: object;
  readonly platformVersion?: string;
  readonly command?: 'upgrade' | 'rollback';
  readonly of?: string;
  readonly also?: string[];
}

let at = MAY;
async function journal(entries: readonly UpgradeEntry[], more: Begun = {}): Promise<string> {
  at += 1000;
  const file = await createUpgradeFile(state, at);
  const { selection = {}, ...rest } = more;
  const run = runEntry(at, {
    command: 'upgrade',
    platform: URL,
    platformVersion: '6.11.0',
    selection: { ...SELECTION, ...selection },
    ...rest,
  });
  const lines = [run, ...entries].map((entry, at) => `${JSON.stringify(sealed(entry, at + 1))}\n`);
  writeFileSync(file, lines.join(''));
  return file;
}

const found = () => findUpgrade(undefined, state, URL, () => undefined);
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
    expect(await found()).toMatchObject({ file: newest, also: [cut], elsewhere: [] });
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

  it.each([
    ['came to its end', {}, [FINISHED]],
    ['was of another version of the platform', { platformVersion: '6.10.0' }, []],
    ['chose pipelines of another namespace', { selection: { namespace: 'finance' } }, []],
  ])('is alone where the run before it %s', async (_, more, end) => {
    await journal([...done('a'), ...end], more);
    await journal([...done('b'), FINISHED], { selection: { namespace: 'etl' } });
    expect(await namesOf()).toEqual(['b']);
    expect((await found()).elsewhere).toEqual([]);
  });

  it('names what a run that was cut off and chose otherwise changed, and nobody took back', async () => {
    const cut = await journal([...done('a'), ...done('b'), ...done('c')]);
    await journal([...done('b')], { command: 'rollback', of: cut });
    await journal([...done('c'), FINISHED], { selection: { namespace: 'etl' } });
    const { elsewhere } = await found();
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
    const one = await findUpgrade(cut, state, URL, () => undefined);
    expect([...one.earlier.keys()].sort()).toEqual(keys);
    expect(one.also).toEqual([]);
  });

  it('is not a rollback, of which nothing is rolled back', async () => {
    const of = await journal([...done('a'), FINISHED]);
    const back = await journal([...done('a'), FINISHED], { command: 'rollback', of });
    const error = await errorOf(() => findUpgrade(back, state, URL, () => undefined));
    expect([error.code, error.message]).toEqual(['USAGE', `${back} is the journal of a rollback`]);
  });

  it('is told without what cannot be read before it, with a warning', async () => {
    writeFileSync(await journal(done('a')), 'no journal\n');
    await journal([...done('b'), FINISHED]);
    const warnings: string[] = [];
    const { file, also } = await findUpgrade(undefined, state, URL, (event) => {
      if (event.type === 'warning') warnings.push(event.message);
    });
    expect([file.length > 0, also]).toEqual([true, []]);
    expect(warnings).toMatchObject([expect.stringContaining('were not checked for unfinished pipelines') as string]);
  });
});

describe('what is noted of a pipeline', () => {
  it('is not believed where a byte of it is another one, whichever', async () => {
    const file = await journal([...done('a')]);
    const [run = '', sending = '', ended = ''] = readFileSync(file, 'utf8').split('\n');
    let refused = 0;
    for (let flip = 0; flip < sending.length; flip += 7) {
      const bytes = Buffer.from(sending);
      bytes[flip] = (bytes[flip] ?? 0) ^ 1;
      if (bytes[flip] === 0x0a) continue;
      writeFileSync(file, Buffer.concat([Buffer.from(`${run}\n`), bytes, Buffer.from(`\n${ended}\n`)]));
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
