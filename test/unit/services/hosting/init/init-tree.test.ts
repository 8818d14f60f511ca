import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { initTree } from '../../../../../src/services/hosting/init/init-tree.js';
import { codeOf, errorOf, saidBy } from '../../../../support/errors.js';

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
    expect(await readFile(join(folder, spec), 'utf8')).toEqual(
      '{\n  "specVersion": "1.0",\n  "label": "one",\n  "description": "Says what the package is for, in one or two sentences.",\n  "author": "Your name",\n  "org": "Your organisation",\n  "created": 7,\n  "categories": [\n    "pipeline"\n  ],\n  "cdapVersion": "[6.0.0,7.0.0-SNAPSHOT)",\n  "actions": [\n    {\n      "type": "informational",\n      "label": "About this package",\n      "arguments": [\n        {\n          "name": "steps",\n          "value": [\n            "Replace this action by what the package installs."\n          ]\n        }\n      ]\n    }\n  ]\n}\n',
    );
    expect(await readFile(join(folder, 'README.md'), 'utf8')).toBe('how');
    expect(await readFile(join(folder, '.gitignore'), 'utf8')).toBe('*.key\n');
    const modeOf = async (file: string): Promise<number> => (await stat(join(folder, file))).mode & 0o777;
    // Others may read it as any new file.
    await writeFile(join(folder, 'mine'), '', { mode: 0o644 });
    for (const file of ['.gitignore', 'README.md', spec]) expect(await modeOf(file)).toBe(await modeOf('mine'));
  });

  it('is made in a checkout, whose files stay, but not where a folder cannot be', async () => {
    await writeFile(join(folder, 'packages'), '');
    expect(await codeOf(initTree({ folder, name: 'one', created: 7, guide: 'how' }))).toBe('LOCAL_IO');
    await mkdir(join(folder, 'other'));
    await writeFile(join(folder, 'other', 'README.md'), 'mine');
    const made = await initTree({ folder: join(folder, 'other'), name: 'one', created: 7, guide: 'how' });
    expect(made).toEqual(['.gitignore', spec]);
    expect(await readFile(join(folder, 'other', 'README.md'), 'utf8')).toBe('mine');
  });

  it('is not made in a hub', async () => {
    await mkdir(join(folder, 'packages'));
    expect(saidBy(await errorOf(initTree({ folder, name: 'one', created: 7, guide: 'how' })))).toEqual({
      code: 'EXISTS',
      message: `${folder} is already a hub`,
      hints: [{ next: 'pack-package', folder }],
    });
    expect(await readdir(folder)).toEqual(['packages']);
  });
});
