import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { forgetOwn, noteOwn, ownFiles } from '../../../src/state/unfinished-download.js';
import { saidBy, thrownBy } from '../../support/errors.js';
import { temporaryFolder } from './support.js';

const root = temporaryFolder();
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(root, 'unfinished-'));
});

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const note = (name: string, text: string, address = 'here'): void => {
  noteOwn(folder, { address, name, sha256: sha256(text) });
};
const own = async (address = 'here'): Promise<readonly string[]> => [...(await ownFiles(folder, address))];

describe('the files of an unfinished download', () => {
  it('are those that were noted for its address and are as they were written', async () => {
    for (const name of ['same', 'changed', 'gone', 'other']) note(name, 'x', name === 'other' ? 'there' : 'here');
    note('written-twice', 'first');
    note('written-twice', 'second');
    for (const name of ['same', 'other', 'not-noted']) writeFileSync(join(folder, name), 'x');
    writeFileSync(join(folder, 'changed'), 'y');
    writeFileSync(join(folder, 'written-twice'), 'second');
    expect(await own()).toEqual(['same', 'written-twice']);
    expect(await own('there')).toEqual(['other']);
    expect(statSync(join(folder, '.cdapctl-unfinished')).mode & 0o777).toBe(0o600);
  });

  it('are none without notes, and none any more once they were forgotten', async () => {
    expect(await own()).toEqual([]);
    note('a', 'x');
    writeFileSync(join(folder, 'a'), 'x');
    forgetOwn(folder);
    expect([await own(), readdirSync(folder)]).toEqual([[], ['a']]);
    forgetOwn(join(folder, 'a'));
  });

  it('are not what a cut or odd line names, nor what cannot be read', async () => {
    const line = (name: string, more = {}): string =>
      `${JSON.stringify({ address: 'here', name, sha256: sha256('x'), ...more })}\n`;
    writeFileSync(join(folder, 'a'), 'x');
    mkdirSync(join(folder, 'folder'));
    symlinkSync(join(folder, 'a'), join(folder, 'link'));
    const odd = [line('../a'), line('a', { more: 1 }), 'null\n', line('folder'), line('link'), line('a').slice(0, -5)];
    appendFileSync(join(folder, '.cdapctl-unfinished'), odd.join(''), { mode: 0o600 });
    expect(await own()).toEqual([]);
  });

  it('are not told where the folder has no valid name', async () => {
    await expect(ownFiles('a\0b', 'here')).rejects.toThrow(TypeError);
  });

  it('cannot be noted in a folder that is none', async () => {
    const none = join(folder, 'none');
    const file = join(none, '.cdapctl-unfinished');
    const error = thrownBy(() => {
      noteOwn(none, { address: 'here', name: 'a', sha256: '' });
    });
    expect(saidBy(error)).toEqual({
      code: 'LOCAL_IO',
      message: `cannot write ${file}: there is no folder ${none}`,
      hints: [`mkdir -p ${none}`],
      target: { file },
    });
  });
});
