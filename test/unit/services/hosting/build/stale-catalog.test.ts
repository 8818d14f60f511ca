import { mkdirSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { named, staleCatalog } from '../../../../../src/services/hosting/build/stale-catalog.js';
import { withTempDir } from '../../../../support/processes/run-cli.js';

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
    expect(await told([])).toEqual('does not list one 1.0.0; build the hub again, unless this is intended');
    expect(await told([GONE])).toEqual(
      'does not list one 1.0.0 and lists two 1.0.0, which the tree does not have; build the hub again, unless this is intended',
    );
    expect(await told([...PLACES, GONE])).toEqual('lists two 1.0.0, which the tree does not have; build the hub again');
    expect(await told([...PLACES, 1, GONE, GONE].map((one) => (typeof one === 'number' ? [] : one)))).toEqual(
      'lists undefined undefined, two 1.0.0, two 1.0.0, which the tree does not have; build the hub again',
    );
    const file = join(root, 'packages.json');
    truncateSync(file, 40_000_001);
    expect(await staleCatalog(root, PLACES, signal)).toEqual(
      'has 40000001 bytes, and clients read at most 40000000; build the hub again',
    );
    truncateSync(file, 40_000_000);
    expect(await staleCatalog(root, PLACES, signal)).toMatch(/^lists /u);
    writeFileSync(file, '[{"name": ');
    expect(await staleCatalog(root, PLACES, signal)).toEqual(
      'cannot be read: packages.json ends too early; build the hub again',
    );
    rmSync(file);
    mkdirSync(file);
    expect(await staleCatalog(root, PLACES, signal)).toBeUndefined();
  }));

it('tells of specifications that changed after the catalog, not of what it does not list', () =>
  withTempDir(async (root) => {
    const { signal } = new AbortController();
    const put = (version: string, specification: object | string): void => {
      const folder = join(root, 'packages/one', version);
      mkdirSync(folder, { recursive: true });
      const text = typeof specification === 'string' ? specification : JSON.stringify(specification);
      writeFileSync(join(folder, 'spec.json'), text);
    };
    const SPECIFICATION = { label: 'One', categories: [], licenseInfo: { name: 'A', url: 'https://a.example/' } };
    const versions = ['1.0.0', '2.0.0', '3.0.0'];
    for (const version of versions) put(version, SPECIFICATION);
    const places = versions.map((version) => ({ name: 'one', version }));
    const entries = places.map((place) => ({ ...place, ...SPECIFICATION, created: 0, beta: false, paid: false }));
    writeFileSync(join(root, 'packages.json'), JSON.stringify(entries));
    expect(await staleCatalog(root, places, signal)).toBeUndefined();
    put('1.0.0', { ...SPECIFICATION, actions: [] });
    put('2.0.0', { ...SPECIFICATION, licenseInfo: { name: 'B' } });
    put('3.0.0', '{');
    const said = 'differs from the specification of one 2.0.0; build the hub again';
    expect(await staleCatalog(root, places, signal)).toBe(said);
    // A copy of another tree may have any times.
    writeFileSync(join(root, 'packages.json'), JSON.stringify(entries));
    for (const version of versions) utimesSync(join(root, 'packages/one', version, 'spec.json'), 1, 1);
    expect(await staleCatalog(root, places, signal)).toBe(said);
    put('2.0.0', SPECIFICATION);
    expect(await staleCatalog(root, places, signal)).toBeUndefined();
    // Half a character is a question mark in a catalog.
    put('2.0.0', { ...SPECIFICATION, description: '\ud800' });
    const shown = entries.map((entry, at) => (at === 1 ? { ...entry, description: '?' } : entry));
    writeFileSync(join(root, 'packages.json'), JSON.stringify(shown));
    for (const version of versions) utimesSync(join(root, 'packages/one', version, 'spec.json'), 1, 1);
    expect(await staleCatalog(root, places, signal)).toBeUndefined();
    rmSync(join(root, 'packages/one/2.0.0/spec.json'));
    expect(await staleCatalog(root, places, signal)).toBeUndefined();
  }));

it('ends when it is told to', () =>
  withTempDir(async (root) => {
    writeFileSync(join(root, 'packages.json'), '[{}]');
    const stopped = new Error('stopped');
    await expect(staleCatalog(root, PLACES, AbortSignal.abort(stopped))).rejects.toBe(stopped);
  }));

it('names three of many versions', () => {
  const places = ['a 1', 'b 1', 'c 1'];
  expect(named(places)).toBe('a 1, b 1, c 1');
  expect(named([...places, 'd 1'])).toBe('4 package versions (a 1, b 1, c 1, ...)');
});
