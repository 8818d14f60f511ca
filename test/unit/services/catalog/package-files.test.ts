import { describe, expect, it } from 'vitest';
import type { HubFile, HubSource } from '../../../../src/hub/source.js';
import { CliError } from '../../../../src/core/errors.js';
import { countingProblems, packageFiles } from '../../../../src/services/catalog/package-files.js';
import { missingVerdict } from '../../../../src/trust/verdict.js';

const never = (): Promise<HubFile> => Promise.reject(new Error('nothing is opened'));

/** The names of the files of a package in a folder that lists these. */
async function filesIn(listed: readonly string[]): Promise<readonly string[]> {
  const source: HubSource = {
    base: 'file:///hub',
    kind: 'folder',
    label: './hub',
    catalog: () => Promise.reject(new Error('no catalog is read')),
    open: never,
    list: () => Promise.resolve(listed.map((name) => ({ name, bytes: 1 }))),
  };
  const nothing = { specification: undefined, entry: undefined, index: undefined };
  const files = await packageFiles({ source, name: 'one', version: '1.0.0' }, nothing);
  return files.filter(({ optional }) => !optional).map(({ name }) => name);
}

describe('the files of a package', () => {
  it.each([
    [['spec.json', 'spec.json.asc', 'a.jar', 'a.jar.asc'], ['a.jar']],
    [['spec.json', 'note.asc', 'note.asc.asc'], ['note.asc']],
    // A license and an icon that are not there may have a signature all the same.
    [['spec.json', 'icon.png.asc', 'license.txt.asc'], []],
  ])('are in a folder of %j: %j', async (listed, expected) => {
    expect(await filesIn(listed)).toEqual(expected);
  });
});

describe('a file that nobody signs by design', () => {
  it('is reproached for what a lock file, the index or the memory says against it, and not for its signature', () => {
    const icon = { name: 'icon.png', signed: false, optional: false };
    const problems = (['NO_TRUST', 'LOCK_MISMATCH', 'MIXED', 'CHANGED'] as const).map(
      (code) => new CliError(code, code),
    );
    const counting = countingProblems(icon, missingVerdict(), problems).map(({ code }) => code);
    expect(counting).toEqual(['LOCK_MISMATCH', 'MIXED', 'CHANGED']);
    expect(countingProblems({ ...icon, signed: true }, missingVerdict(), problems)).toEqual(problems);
  });
});
