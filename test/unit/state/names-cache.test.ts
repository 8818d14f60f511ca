import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keepNames, keptNames } from '../../../src/state/names-cache.js';
import { temporaryFolder } from './support.js';

const root = temporaryFolder();
const KEPT = { at: 5, names: ['default', 'etl'] };

describe('names of a platform', () => {
  it('are kept by platform and namespace, for their owner', async () => {
    const place = { folder: join(root, 'names'), url: 'http://cdap.example/' };
    const etl = { ...place, namespace: 'etl' };
    expect(await keptNames(place)).toBeUndefined();
    await keepNames(place, { at: 1, names: [] });
    await keepNames(place, KEPT);
    await keepNames(etl, { at: 6, names: ['orders'] });
    expect(await keptNames(place)).toEqual({ v: 1, ...KEPT });
    expect(await keptNames({ ...place, url: 'http://CDAP.example' })).toEqual({ v: 1, ...KEPT });
    expect(await keptNames(etl)).toEqual({ v: 1, at: 6, names: ['orders'] });
    expect(await keptNames({ ...place, namespace: 'other' })).toBeUndefined();
    expect(await keptNames({ ...place, url: 'http://other.example' })).toBeUndefined();
    const names = readdirSync(place.folder);
    expect(names.map((name) => /^[0-9a-f]{64}\.json$/u.test(name))).toEqual([true, true]);
    expect(statSync(place.folder).mode & 0o777).toBe(0o700);
  });

  it.each(['', '{', '{"v":2,"at":1,"names":[]}', '{"v":1,"at":1,"names":[7]}', '{"v":1,"at":1,"names":[],"more":1}'])(
    'are none where their file is %j',
    async (text) => {
      const place = { folder: join(root, 'damaged'), url: 'http://cdap.example' };
      await keepNames(place, KEPT);
      const [name = ''] = readdirSync(place.folder);
      writeFileSync(join(place.folder, name), text);
      expect(await keptNames(place)).toBeUndefined();
    },
  );

  it('that cannot be kept are read again', async () => {
    const file = join(root, 'file');
    writeFileSync(file, 'x');
    await expect(keepNames({ folder: file, url: 'http://cdap.example' }, KEPT)).resolves.toBeUndefined();
    expect(readFileSync(file, 'utf8')).toBe('x');
  });
});
