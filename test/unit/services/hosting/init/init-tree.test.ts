import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { initTree } from '../../../../../src/services/hosting/init/init-tree.js';
import { codeOf } from '../../../../support/errors.js';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cdapctl-unit-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('a new source tree', () => {
  const spec = 'packages/one/1.0.0/spec.json';

  it('has one package, which was made now, and keeps secret keys out of Git', async () => {
    expect(await initTree({ folder, name: 'one', created: 7, guide: 'how' })).toEqual([
      '.gitignore',
      'README.md',
      spec,
    ]);
    expect(JSON.parse(await readFile(join(folder, spec), 'utf8'))).toMatchObject({
      label: 'one',
      created: 7,
    });
    expect(await readFile(join(folder, '.gitignore'), 'utf8')).toBe('*.key\n');
  });

  it('is not written over files that are there, nor where a folder cannot be', async () => {
    await writeFile(join(folder, 'packages'), '');
    expect(await codeOf(initTree({ folder, name: 'one', created: 7, guide: 'how' }))).toBe('LOCAL_IO');
    await mkdir(join(folder, 'other'));
    await writeFile(join(folder, 'other', 'README.md'), 'mine');
    expect(await codeOf(initTree({ folder: join(folder, 'other'), name: 'one', created: 7, guide: 'how' }))).toBe(
      'EXISTS',
    );
    expect(await readFile(join(folder, 'other', 'README.md'), 'utf8')).toBe('mine');
  });
});
