import { describe, expect, it } from 'vitest';
import { CliError } from '../../../../src/core/errors.js';
import { parsePackageRef } from '../../../../src/services/catalog/package-ref.js';
import { resolvePackage } from '../../../../src/services/catalog/resolve.js';
import { memoryHub } from './support/memory-hub.js';
import { codeOf } from '../../../support/errors.js';

const { signal } = new AbortController();
const CATALOG = [
  { name: 'plugin-pivot', version: '1.6.0', cdapVersion: '[5.0.0,6.0.0)' },
  { name: 'plugin-pivot', version: '1.10.0', cdapVersion: '[6.0.0,7.0.0)' },
  { name: 'plugin-pivot', version: '2.0.0', cdapVersion: '[7.0.0,8.0.0)' },
  { name: 'plugin-pivot', version: '2.0.1', cdapVersion: '[7.0.0,7.0.0)' },
  { name: 'driver', version: '12c' },
  { name: 'twice', version: '1' },
  { name: 'twice', version: '1' },
];
async function resolveIn(text: string, platform?: string, ...hubs: ReturnType<typeof memoryHub>[]) {
  const { all, problem } = await resolvePackage(
    (hubs.length > 0 ? hubs : [memoryHub('corp', CATALOG)]).map(({ hub }) => hub),
    parsePackageRef(text),
    platform,
    signal,
  );
  if (all.length > 1) throw new Error(`${problem}: ${all.map(({ hub }) => hub).join(', ')}`);
  return all[0];
}

describe('parsePackageRef', () => {
  it.each([
    ['name', undefined, 'name', undefined],
    ['name@1.0.0', undefined, 'name', '1.0.0'],
    ['hub/name@12c', 'hub', 'name', '12c'],
    ['hub/name', 'hub', 'name', undefined],
  ])('reads %s', (text, hub, name, version) => {
    expect(parsePackageRef(text)).toEqual({ hub, name, version });
  });

  it.each(['', '@1', 'name@', '/name', 'hub/', 'a/b/c', '..', 'hub/..@1', 'a\\b', 'a@..', 'a\u0000'])(
    'refuses %j',
    (text) => {
      expect(() => parsePackageRef(text)).toThrow(expect.objectContaining({ code: 'USAGE' }) as Error);
    },
  );
});

describe('resolvePackage', () => {
  it.each([
    ['6.4.1', '1.10.0', 'IN_RANGE'],
    ['5.1.0', '1.6.0', 'IN_RANGE'],
    [undefined, '2.0.0', undefined],
    ['4.0.0', '2.0.1', 'EMPTY_RANGE'],
  ])('without a version takes for platform %s the version %s', async (platform, version, reason) => {
    const place = await resolveIn('plugin-pivot', platform);
    expect(place).toMatchObject({
      hub: 'corp',
      name: 'plugin-pivot',
      version,
      chosen: true,
      entry: { version },
      compatibility: { reason },
    });
    expect(place.versions.map((one) => one.version)).toEqual(['2.0.1', '2.0.0', '1.10.0', '1.6.0']);
  });

  it('takes the version that is named, compatible or not', async () => {
    expect(await resolveIn('plugin-pivot@1.6.0', '6.4.1')).toMatchObject({
      version: '1.6.0',
      chosen: false,
      compatibility: { reason: 'ABOVE', compatible: false },
    });
  });

  it('takes a version that is no version', async () => {
    expect(await resolveIn('driver', '6.4.1')).toMatchObject({
      version: '12c',
      chosen: false,
      compatibility: { reason: 'NO_RANGE' },
    });
  });

  it('takes a version that the catalog lacks when its specification is there', async () => {
    const hub = memoryHub('corp', CATALOG, { 'plugin-pivot/9.9.9/spec.json': '{}' });
    expect(await resolveIn('plugin-pivot@9.9.9', '6.4.1', hub)).toMatchObject({ version: '9.9.9', entry: undefined });
    expect(hub.unread()).toBe(0);
  });

  it('names the versions when the one asked for is nowhere', async () => {
    await expect(resolveIn('plugin-pivot@9.9.9')).rejects.toMatchObject({
      code: 'PACKAGE_NOT_FOUND',
      message: 'version 9.9.9 of plugin-pivot not found',
      details: { lines: ['versions: 2.0.1, 2.0.0, 1.10.0, 1.6.0'] },
    });
  });

  it('suggests a name that is near', async () => {
    await expect(resolveIn('plugin-pivto')).rejects.toMatchObject({
      code: 'PACKAGE_NOT_FOUND',
      details: { hints: ['Did you mean "plugin-pivot"?', { next: 'search-package', package: 'plugin-pivto' }] },
    });
    await expect(resolveIn('something-else')).rejects.toMatchObject({
      code: 'PACKAGE_NOT_FOUND',
      details: { hints: [{ next: 'search-package', package: 'something-else' }] },
    });
  });

  it('refuses a version that the catalog lists twice', async () => {
    expect(await codeOf(resolveIn('twice@1'))).toBe('AMBIGUOUS');
    expect(await codeOf(resolveIn('twice'))).toBe('AMBIGUOUS');
  });

  it('lets no hub go before another', async () => {
    const [one, two] = [memoryHub('one', CATALOG), memoryHub('two', CATALOG)];
    await expect(resolveIn('driver@12c', undefined, one, two)).rejects.toThrow(
      'several hubs have the package driver: one, two',
    );
    expect(await resolveIn('driver', undefined, one, one)).toMatchObject({ hub: 'one' });
    expect(await resolveIn('two/driver', undefined, one, two)).toMatchObject({ hub: 'two' });
    expect(one.opened).toEqual([]);
  });

  it('suggests a name that holds what was typed', async () => {
    await expect(resolveIn('pivot')).rejects.toMatchObject({
      details: { hints: ['Did you mean "plugin-pivot"?', { next: 'search-package', package: 'pivot' }] },
    });
  });

  it('suggests the package of a label', async () => {
    const labelled = memoryHub('corp', [...CATALOG, { name: 'plugin-trim', version: '1.0.0', label: 'Trim Fields' }]);
    await expect(resolveIn('trim fields', undefined, labelled)).rejects.toMatchObject({
      details: { hints: ['Did you mean "plugin-trim"?', { next: 'search-package', package: 'trim fields' }] },
    });
  });

  it('does not let another hub step in for one that fails', async () => {
    const down = new CliError('NET_REFUSED', 'nothing listens');
    await expect(resolveIn('driver', undefined, memoryHub('one', down), memoryHub('two', CATALOG))).rejects.toBe(down);
  });

  it('suggests the hub when its name is mistyped', async () => {
    await expect(resolveIn('crop/driver@12c')).rejects.toMatchObject({
      code: 'HUB_NOT_FOUND',
      details: {
        hints: ['Did you mean "corp/driver@12c"?', { next: 'list-hubs' }, 'for a folder: ./crop/driver@12c'],
      },
    });
  });
});
