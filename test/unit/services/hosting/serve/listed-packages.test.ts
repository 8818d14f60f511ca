import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { listedPackages } from '../../../../../src/services/hosting/serve/listed-packages.js';
import { withTempDir } from '../../../../support/processes/run-cli.js';

it.each([
  ['[{"name":"a","version":"1"},{"name":"b","version":"1"}]', 2],
  ['[]', 0],
  ['[{"name":"a"', undefined],
  [undefined, undefined],
])('counts the packages of the catalog %s: %s', (text, count) =>
  withTempDir(async (root) => {
    if (text !== undefined) await writeFile(join(root, 'packages.json'), text);
    const { signal } = new AbortController();
    expect(await listedPackages(root, signal)).toBe(count);
    const stopped = new Error('stopped');
    if (count === 2) await expect(listedPackages(root, AbortSignal.abort(stopped))).rejects.toBe(stopped);
  }),
);
