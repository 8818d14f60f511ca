import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { staleCatalog } from '../../../../../src/services/hosting/build/stale-catalog.js';
import { withTempDir } from '../../../../support/run-cli.js';

const PLACES = [{ name: 'one', version: '1.0.0' }];

it('advises no build that would list what was left out', () =>
  withTempDir(async (root) => {
    const { signal } = new AbortController();
    const told = (entries: readonly object[]): Promise<string | undefined> => {
      writeFileSync(join(root, 'packages.json'), JSON.stringify(entries));
      return staleCatalog(root, PLACES, signal);
    };
    const GONE = { name: 'two', version: '1.0.0' };
    expect(await told(PLACES)).toBeUndefined();
    expect(await told([])).toMatch(/^does not list one 1\.0\.0; .*, unless that was left out on purpose$/u);
    expect(await told([GONE])).toMatch(/ lists two 1\.0\.0, .*; .*, unless that was left out on purpose$/u);
    expect(await told([...PLACES, GONE])).toMatch(/^lists two 1\.0\.0, .*; build the hub again$/u);
  }));

it('ends when it is told to', () =>
  withTempDir(async (root) => {
    writeFileSync(join(root, 'packages.json'), '[{}]');
    const stopped = new Error('stopped');
    await expect(staleCatalog(root, PLACES, AbortSignal.abort(stopped))).rejects.toBe(stopped);
  }));
