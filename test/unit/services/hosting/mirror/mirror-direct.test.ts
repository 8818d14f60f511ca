import { createHash } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CliError } from '../../../../../src/core/errors.js';
import type { Emit } from '../../../../../src/core/events.js';
import type { MirrorRequest } from '../../../../../src/services/hosting/mirror/mirror-plan.js';
import { codeOf, errorOf, saidBy } from '../../../../support/errors.js';
import {
  flipByte,
  HUB_TIME,
  hubKey,
  hubPackage,
  pluginSpec,
  type SignedHubOptions,
} from '../../../../support/sites/hub-tree.js';
import { plugin, treeOf } from '../../../../support/sites/mirror-site.js';
import { folders, setupWith } from '../../catalog/support-trust.js';
import { ALL, signedBy, siteIn, type Site } from './direct-site.js';

const newFolder = folders();
const siteOf = (packages: readonly ReturnType<typeof plugin>[], more: { index?: boolean } = {}): Promise<Site> =>
  siteIn(newFolder, { packages, ...more });
const BOTH = [plugin('one'), plugin('two')];

/** Warnings and notes. */
function told(): { readonly emit: Emit; readonly events: () => readonly string[] } {
  const events: string[] = [];
  return {
    emit: (event) => {
      if (event.type === 'warning') events.push(`${event.code}: ${event.message}`);
      else if (event.type === 'note') events.push(event.message);
      else if (event.type === 'count') events.push(`${event.what} ${event.done}/${event.of}, ${event.failed} failed`);
    },
    events: () => events.splice(0),
  };
}

const NONE = { added: 0, updated: 0, unchanged: 0, removed: 0, failed: 0, files: 0, bytes: 0, signatures: 0 };
const NO_VERSIONS = { added: [], updated: [], removed: [] };

describe('what a mirror comes to', () => {
  it('is told in figures, with its versions, and how far it is', async () => {
    const { root, publish, mirror } = await siteOf(BOTH);
    const { emit, events } = told();
    const plain = { folder: root, hub: 'corp', whole: true, dryRun: false, failures: [], unserved: [], unverified: [] };
    const figures = { ...plain, ...NONE, sequence: 1, added: 2, files: 8 };
    const versions = { ...NO_VERSIONS, added: ['one@1.0.0', 'two@1.0.0'] };
    const { bytes, ...preview } = await mirror({ emit, dry: true });
    expect({ ...preview, bytes: 0 }).toEqual({ ...figures, versions, dryRun: true, catalog: 'outdated' });
    expect(await mirror({ emit })).toEqual({
      ...{ ...figures, bytes, versions, signatures: 6, catalog: 'written' },
    });
    const fetched = [...treeOf(root)].filter(([path]) => path.startsWith('packages/') && !path.endsWith('.asc'));
    expect(fetched.reduce((sum, [, content]) => sum + content.length, 0)).toBe(bytes);
    const steps = ['packages 1/2, 0 failed', 'packages 2/2, 0 failed'];
    expect(events()).toEqual([...steps, ...steps]);
    const again = { ...plain, ...NONE, sequence: 1, unchanged: 2, catalog: 'unchanged', versions: NO_VERSIONS };
    expect(await mirror({ emit })).toEqual(again);
    await publish({ packages: [plugin('two'), plugin('three')], sequence: 2 });
    expect(await mirror({ prune: true })).toMatchObject({
      ...{ sequence: 2, added: 1, updated: 1, unchanged: 0, removed: 1, files: 4, catalog: 'written' },
      versions: { added: ['three@1.0.0'], updated: ['two@1.0.0'], removed: ['one@1.0.0'] },
    });
  });

  it('is foretold of a hub without an index as far as it is known: its specifications', async () => {
    const { opened, mirror } = await siteOf(BOTH, { index: false });
    opened.length = 0;
    const figures = { added: 2, files: 2, bytes: 0, dryRun: true, catalog: 'outdated', sequence: undefined };
    expect(await mirror({ dry: true })).toMatchObject(figures);
    expect(opened.filter((path) => path.includes('/'))).toEqual([]);
  });
});

describe('a mirror of a part', () => {
  it('tells that it becomes one of the whole hub, in a preview, too', async () => {
    const { root, mirror } = await siteOf(BOTH);
    const { emit, events } = told();
    const notes = () => events().filter((text) => text.startsWith('note:'));
    const one = { ...ALL, packages: [{ hub: undefined, name: 'one', version: undefined }] };
    await mirror({ emit, selection: one });
    await mirror({ emit, selection: one });
    expect(notes()).toEqual([]);
    await mirror({ emit, dry: true });
    await mirror({ emit });
    await mirror({ emit });
    expect(notes()).toEqual(
      ['would mirror', 'now mirrors'].map(
        (does) => `note: ${root} was a mirror of some packages, and ${does} the whole hub, with its own catalog`,
      ),
    );
  });

  it('tells that an index of its own does not match its catalog any more', async () => {
    const { root, mirror } = await siteOf(BOTH);
    const { emit, events } = told();
    const warnings = () => events().filter((text) => text.startsWith('MIXED'));
    const of = (...names: readonly string[]) => {
      return { ...ALL, packages: names.map((name) => ({ hub: undefined, name, version: undefined })) };
    };
    await mirror({ emit, selection: of('one') });
    writeFileSync(join(root, 'index.json'), '{}');
    await mirror({ emit, selection: of('one') });
    expect(warnings()).toEqual([]);
    await mirror({ emit, selection: of('two') });
    const warning = 'MIXED: index.json does not match the new catalog; sign the hub again';
    expect(warnings()).toEqual([warning]);
    const whole = await siteOf(BOTH, { index: false });
    await whole.mirror();
    writeFileSync(join(whole.root, 'index.json'), '{}');
    await whole.publish({ packages: [plugin('one')], index: false });
    await whole.mirror({ emit });
    expect(warnings()).toEqual([`${warning}, or remove it and index.json.asc: the hub has no index`]);
  });
});

it('warns once of what several versions are trusted in spite of', async () => {
  const { mirror } = await siteOf(BOTH);
  const { emit, events } = told();
  const setup = await setupWith([(await hubKey()).publicKey], { policy: 'warn' });
  await mirror({ emit, setup });
  const warnings = events().filter((text) => !text.startsWith('packages '));
  expect(warnings.length).toBeGreaterThan(0);
  expect(warnings.filter((text) => !text.startsWith('TRUST: '))).toEqual([]);
  expect(new Set(warnings).size).toBe(warnings.length);
});

it('ends at an error that is not of one version, and lists a pinned file that the hub does not have', async () => {
  const { between, mirror } = await siteOf(BOTH);
  for (const code of ['USAGE', 'DISK_FULL'] as const) {
    const failing = Promise.reject(new CliError(code, 'it failed'));
    failing.catch(() => undefined);
    between(
      (open) =>
        (place, ...more) =>
          place.name === 'one' ? failing : open(place, ...more),
    );
    expect(saidBy(await errorOf(mirror()))).toEqual({ code, message: 'it failed' });
  }
  const other = await siteOf(BOTH);
  await other.mirror();
  const files = [...treeOf(join(other.root, 'packages/one/1.0.0'))]
    .filter(([name]) => !name.endsWith('.asc'))
    .map(([name, bytes]) => ({ name, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }));
  const gone = { name: 'gone.jar', size: 1, sha256: 'a'.repeat(64) };
  const locked = [{ hub: 'corp', name: 'one', version: '1.0.0', files: [...files, gone] }];
  const { code, details } = await errorOf(other.mirror({ root: await newFolder(), selection: { ...ALL, locked } }));
  expect([code, details.lines]).toEqual([
    'LOCK_MISMATCH',
    ['one 1.0.0: gone.jar is pinned, but the hub has no such file'],
  ]);
});

describe('the line of a version that fails', () => {
  const withFile = (name: string) =>
    hubPackage({
      name: 'one',
      version: '1.0.0',
      spec: pluginSpec(name),
      resources: { [name]: 'x', 'plug.json': '{}' },
    });
  const halfSpec = { 'packages/one/1.0.0/spec.json': (bytes: Buffer) => bytes.subarray(0, 9) };
  const CLOSED = 'the connection broke';

  it.each<[string, string, Partial<SignedHubOptions> & { readonly message?: string }, string]>([
    ['of the way to it', 'plug.jar', { message: CLOSED }, `one/1.0.0/plug.jar: ${CLOSED}`],
    ['that is called like a word', 'connection', { message: CLOSED }, `one/1.0.0/connection: ${CLOSED}`],
    ['in an address', 'plug.jar', { message: 'no h/one/1.0.0/plug.jar now' }, 'no h/one/1.0.0/plug.jar now'],
    ['of a bad name', '.x', {}, 'one/1.0.0: the name ".x" begins with a dot'],
    [
      'that is another one',
      'plug.jar',
      { tamper: { 'packages/one/1.0.0/plug.jar': flipByte } },
      'one/1.0.0/plug.jar does not match the index of the hub',
    ],
    [
      'that cannot be read',
      'plug.jar',
      { index: false, tamper: halfSpec },
      'one/1.0.0/spec.json is not valid JSON (it ends too early, at byte 9)',
    ],
  ])('names its file once: %s', async (_, name, { message, ...hub }, line) => {
    const { between, mirror } = await siteIn(newFolder, { packages: [withFile(name)], ...hub });
    if (message !== undefined)
      between((open) => async (place, ...asked) => {
        if (place.file === name) throw new CliError('NET_RESET', message);
        return open(place, ...asked);
      });
    const setup = await setupWith([], { policy: 'off' });
    expect((await errorOf(mirror({ setup }))).details.lines).toEqual([line]);
  });
});

describe('the selection of a mirror', () => {
  const found = async (selection: Partial<MirrorRequest['selection']>) => {
    const packages = [
      plugin('one', 'jar', '1.0.0'),
      plugin('one', 'jar', '1.10.0'),
      plugin('one', 'jar', '1.9.0'),
      hubPackage({ name: 'two', spec: { ...pluginSpec(), categories: ['other'], cdapVersion: '[1.0.0,2.0.0)' } }),
    ];
    const { root, mirror } = await siteOf(packages, { index: false });
    rmSync(root, { recursive: true });
    const { versions } = await mirror({ dry: true, selection: { ...ALL, ...selection } });
    return versions.added;
  };
  const ref = (name: string, version?: string) => ({ hub: undefined, name, version });

  it.each<[string, Partial<MirrorRequest['selection']>, readonly string[]]>([
    ['a name', { packages: [ref('one')] }, ['one@1.0.0', 'one@1.10.0', 'one@1.9.0']],
    ['a version', { packages: [ref('one', '1.9.0'), ref('two')] }, ['one@1.9.0', 'two@1.0.0']],
    ['a category', { categories: ['other'] }, ['two@1.0.0']],
    [
      'a name and a category',
      { packages: [ref('one')], categories: ['example', 'other'] },
      ['one@1.0.0', 'one@1.10.0', 'one@1.9.0'],
    ],
    ['a platform', { platformVersion: '6.5.0' }, ['one@1.0.0', 'one@1.10.0', 'one@1.9.0']],
    ['a count', { versions: 2 }, ['one@1.10.0', 'one@1.9.0', 'two@1.0.0']],
    ['a large count', { versions: 3 }, ['one@1.0.0', 'one@1.10.0', 'one@1.9.0', 'two@1.0.0']],
    ['a lock file', { locked: [{ hub: 'corp', name: 'one', version: '1.9.0', files: [] }] }, ['one@1.9.0']],
  ])('is by %s', async (_, selection, wanted) => {
    expect([...(await found(selection))].sort()).toEqual([...wanted].sort());
  });

  it.each<[string, Partial<MirrorRequest['selection']>, object]>([
    [
      'name',
      { packages: [ref('missing')] },
      {
        message: 'package missing not found',
        target: { package: 'missing' },
        hints: [{ next: 'search-package', package: 'missing' }],
      },
    ],
    [
      'mistyped name',
      { packages: [ref('twoo')] },
      {
        message: 'package twoo not found',
        target: { package: 'twoo' },
        hints: ['Did you mean "two"?', { next: 'search-package', package: 'twoo' }],
      },
    ],
    [
      'version',
      { packages: [ref('one', '2.0.0')] },
      {
        message: 'version 2.0.0 of one not found',
        target: { package: 'one@2.0.0' },
        lines: ['versions: 1.10.0, 1.9.0, 1.0.0'],
        hints: [{ next: 'list-versions', package: 'one' }],
      },
    ],
    [
      'category',
      { categories: ['b', 'other', 'a'] },
      { message: 'no package has the category b, a', lines: ['categories of the hub: example, other'] },
    ],
    [
      'both',
      { packages: [ref('one')], categories: ['other'] },
      { message: 'no package version of the hub is selected', lines: ['categories of the hub: example, other'] },
    ],
    ['platform', { platformVersion: '9.0.0' }, { message: 'no package version of the hub is selected', lines: [] }],
  ])('is refused where nothing has this %s', async (_, selection, words) => {
    expect(saidBy(await errorOf(found(selection)))).toEqual({ code: 'PACKAGE_NOT_FOUND', ...words });
  });

  it('is refused where two versions have one name on many disks', async () => {
    const { mirror } = await siteOf([plugin('one'), plugin('One'), plugin('ONE', 'jar', '2.0.0')], { index: false });
    expect(saidBy(await errorOf(mirror({ dry: true })))).toEqual({
      code: 'BAD_CATALOG',
      message: expect.stringMatching(
        /^(?:one 1\.0\.0 and One|One 1\.0\.0 and one) 1\.0\.0 differ in upper and lower case only$/u,
      ) as string,
      hints: ['mirror only some packages, with only one of these'],
    });
  });
});

describe('a signature in a mirror', () => {
  const SIGNATURE = 'packages/one/1.0.0/plug.jar.asc';

  it('that was kept without verification is verified with the keys that are trusted by now', async () => {
    const { publish, mirror } = await siteOf(BOTH);
    await publish({ packages: BOTH, tamper: { [SIGNATURE]: (bytes) => flipByte(bytes) } });
    const off = await setupWith([], { policy: 'off' });
    expect(await mirror({ setup: off })).toMatchObject({ added: 2, failed: 0 });
    expect(await mirror({ setup: off })).toMatchObject({ unchanged: 2 });
    const { details } = await errorOf(mirror());
    expect(details.lines).toEqual([expect.stringMatching(/^one\/1\.0\.0\/plug\.jar\.asc: .* of plug\.jar /u)]);
    expect(details.item).toMatchObject({
      unchanged: 1,
      failures: [
        { package: 'one', version: '1.0.0', file: 'plug.jar.asc', code: expect.stringMatching(/^SIG_/u) as string },
      ],
    });
  });

  it('is asked for again only when the index has changed, and replaced when it is another one', async () => {
    const { opened, publish, mirror } = await siteOf(BOTH);
    const asked = async (): Promise<readonly string[]> => {
      opened.length = 0;
      await mirror();
      return opened.filter((path) => path.startsWith('one/'));
    };
    await asked();
    expect(await asked()).toEqual([]);
    await publish({ packages: [...BOTH, plugin('three')], sequence: 2 });
    expect((await asked()).every((path) => path.endsWith('.asc'))).toBe(true);
    expect(await asked()).toEqual([]);
    await publish({ packages: [...BOTH, plugin('three')], sequence: 3, now: HUB_TIME + 1000 });
    const setup = await setupWith([(await signedBy()).publicKey], { now: new Date(HUB_TIME + 2000) });
    for (const dry of [true, false]) expect(await mirror({ dry, setup })).toMatchObject({ updated: 3, files: 0 });
  });
});

it('ends where the way to an icon of a category breaks, and goes without one that is too large', async () => {
  const { root, publish, between, mirror } = await siteOf(BOTH, { index: false });
  const categories = Buffer.from(JSON.stringify([{ name: 'example', hasIcon: true }]));
  await publish({ packages: BOTH, index: false, tamper: { 'categories.json': () => categories } });
  const { emit, events } = told();
  for (const code of ['NET_RESET', 'TOO_LARGE'] as const) {
    between(
      (open) =>
        (place, ...more) =>
          place.category === undefined ? open(place, ...more) : Promise.reject(new CliError(code, 'it failed')),
    );
    if (code === 'NET_RESET') expect(await codeOf(mirror())).toBe(code);
    else expect(await mirror({ emit })).toMatchObject({ failed: 0 });
  }
  expect(events().filter((text) => text.startsWith('TOO_LARGE'))).toEqual([
    'TOO_LARGE: the icon of a category cannot be mirrored: it failed',
  ]);
  expect(treeOf(root).has('categories.json')).toBe(true);
});

describe('a catalog', () => {
  const damaged = async (prune: boolean): Promise<readonly [number, readonly string[]]> => {
    const { publish, mirror } = await siteOf(BOTH, { index: false });
    const { emit, events } = told();
    await mirror();
    await publish({
      packages: [plugin('two')],
      index: false,
      tamper: {
        'packages.json': (bytes) => {
          const [two] = JSON.parse(bytes.toString()) as [object];
          const entries = [{ ...two, label: 7 }, ...Array.from({ length: 22 }, () => ({ name: 'x' }))];
          return Buffer.from(JSON.stringify(entries));
        },
      },
    });
    const { removed } = await mirror({ emit, prune });
    return [removed, events().filter((text) => text.startsWith('BAD_'))];
  };

  it('is mirrored without what cannot be read of it, of which some are named, and nothing is removed then', async () => {
    const skipped = Array.from(
      { length: 20 },
      (_, at) => `BAD_FIELD: entry ${at + 1} of the catalog of corp is skipped: has no version`,
    );
    expect(await damaged(false)).toEqual([0, skipped]);
    expect(await damaged(true)).toEqual([
      0,
      [...skipped, 'BAD_CATALOG: nothing is removed, because 22 entries were skipped'],
    ]);
  });
});
