import { describe, expect, it } from 'vitest';
import type { HubFile, HubSource } from '../../../../src/hub/source.js';
import { packageFiles } from '../../../../src/services/catalog/package-files.js';

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
