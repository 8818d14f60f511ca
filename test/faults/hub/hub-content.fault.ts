import { describe, expect, it } from 'vitest';
import type { SamplePackage } from '../../../src/emulator/hub/packages/sample-package.js';
import { hubPackage } from '../../support/sites/hub-tree.js';
import type { Site } from '../../support/sites/install-site.js';
import { judge } from '../judge.js';
import { DEPTH } from '../depth.js';
import { FOLDER, goodKey, installTrim, PACKAGES, publish, tamper, trustGood } from './signed-site.js';

const list = (site: Site): string[] => ['hub', 'list', '--hub', site.hub, '--all'];
/** What may not reach a terminal; lines end with a line feed. */
const UNSAFE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/u;

const row = { line: installTrim, prepare: trustGood } as const;

/** Damages the bytes of the catalog. */
const catalog = (change: (bytes: Buffer) => Buffer | undefined): ((site: Site) => Promise<void>) =>
  tamper('packages.json', change);

type Entry = Record<string, unknown>;

/** Damages the entries of the catalog. */
const entries = (change: (entries: Entry[]) => unknown): ((site: Site) => Promise<void>) =>
  catalog((bytes) => Buffer.from(JSON.stringify(change(JSON.parse(bytes.toString('utf8')) as Entry[]))));

/** Damages the entry of the package that is installed. */
const entry = (members: Entry): ((site: Site) => Promise<void>) =>
  entries((all) => all.map((one) => (one['version'] === '1.10.0' ? { ...one, ...members } : one)));

describe('a catalog that cannot be read', () => {
  it('H01: is not there', async () => {
    await judge({
      ...row,
      fault: catalog(() => undefined),
      exit: 5,
      code: 'HUB_NOT_FOUND',
      says: ['no hub catalog at'],
      holds: 'AD',
    });
  });

  it('H02: is an HTML page', async () => {
    const body = '<!doctype html><title>Welcome</title>';
    await judge({
      ...row,
      fault: (site) =>
        site.fail({
          match: { port: 'hub', path: 'packages.json' },
          kind: 'status',
          status: 200,
          body,
          when: 'before',
          times: 9,
        }),
      exit: 12,
      code: 'BAD_JSON',
      says: ['content type is text/plain'],
      holds: 'AD',
    });
  });

  it('H03: is cut, and its length agrees', async () => {
    await judge({
      ...row,
      fault: catalog((bytes) => bytes.subarray(0, 500)),
      exit: 12,
      code: 'BAD_JSON',
      says: [/at byte \d+/u],
      holds: 'AD',
      look: ({ stdout }) => {
        expect(stdout).not.toContain('CSV Copy');
      },
    });
  });

  it('H04: is not a list', async () => {
    await judge({
      ...row,
      fault: catalog(() => Buffer.from('{"packages":[]}')),
      exit: 12,
      code: 'BAD_CATALOG',
      says: ['is not a list of packages'],
      holds: 'AD',
    });
  });

  it('H13: never ends', async () => {
    await judge({
      ...row,
      fault: catalog(() => Buffer.alloc(65 * 1024 * 1024, '[ ')),
      exit: 12,
      code: 'TOO_LARGE',
      says: [/larger than the limit of 40000000 bytes/u],
      holds: 'AD',
    });
  });

  it('H08: is not UTF-8', async () => {
    await judge({
      ...row,
      fault: catalog((bytes) => Buffer.concat([bytes.subarray(0, 10), Buffer.from([0xff]), bytes.subarray(10)])),
      exit: 12,
      code: 'BAD_UTF8',
      says: ['error at byte'],
      holds: 'AD',
    });
  });

  it('H10: is nested 100,000 deep', async () => {
    await judge({
      ...row,
      fault: catalog(() => Buffer.from(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)),
      exit: 12,
      code: 'TOO_DEEP',
      says: ['deeper than 64 levels'],
      holds: 'AD',
    });
  });
});

describe('an entry of the catalog that cannot be used', () => {
  it.for([['name'], ['version']] as const)('H05: has no %s', async ([member]) => {
    const fault = entry({ [member]: undefined });
    const says = ['1 entry of the catalog skipped', `has no ${member}`];
    await judge({ ...row, line: list, fault, exit: 0, says, holds: 'A' });
  });

  it('H05: has no version, and no version is asked for', async () => {
    await judge({
      ...row,
      line: (site) => site.line(['example-trim-fields', '-y']),
      fault: entry({ version: undefined }),
      exit: 12,
      code: 'BAD_FIELD',
      says: ['without a version', 'example-trim-fields@1.9.0'],
      holds: 'AD',
    });
  });

  it('H06: stands there twice', async () => {
    const fault = entries((all) => [...all, ...all]);
    await judge({ ...row, line: list, fault, exit: 0, says: ['listed more than once'], holds: 'A' });
    await judge({ ...row, fault, exit: 12, code: 'AMBIGUOUS', says: ['more than once'], holds: 'AD' });
  });

  it.for([['1e400'], ['-1'], ['9007199254740993'], ['"12"']] as const)('H12: was created at %s', async ([created]) => {
    const fault = catalog((bytes) =>
      Buffer.from(bytes.toString('utf8').replaceAll(/"created": \d+/gu, `"created": ${created}`)),
    );
    await judge({ ...row, line: list, fault, exit: 0, says: ['created is not a time'], holds: 'A' });
    await judge({ ...row, fault, exit: 12, code: 'BAD_FIELD', says: ['created is not a time'], holds: 'AD' });
  });

  it.for([
    ['unfinished', '[6.0.0,'],
    ['two versions', '6.0.0;7.0.0'],
    ['100 KB of digits', '9'.repeat(100_000)],
  ] as const)('H15: has a range that is none (%s)', async ([, cdapVersion]) => {
    const fault = entry({ cdapVersion });
    await judge({ ...row, line: list, fault, exit: 0, says: ['is not a version range'], holds: 'A' });
    await judge({ ...row, fault, exit: 12, code: 'BAD_RANGE', says: ['is not a version range'], holds: 'AD' });
  });

  it('H16: is not for this platform', async () => {
    const packages = PACKAGES.map((one) => ({ ...one, spec: { ...one.spec, cdapVersion: '[5.0.0,6.1.0)' } }));
    await judge({
      ...row,
      fault: (site) => publish(site, { packages }),
      exit: 6,
      code: 'INCOMPATIBLE',
      says: ['it requires [5.0.0,6.1.0), but the platform is 6.11.0'],
      holds: 'AD',
    });
  });

  it('H28: disagrees with the specification', async () => {
    const fault = entry({ label: 'Something else', author: 'Somebody else' });
    await judge({ ...row, fault, exit: 0, says: ['label, author'] });
    const line = (site: Site): string[] => [
      'hub',
      'verify',
      'example-trim-fields@1.10.0',
      '--hub',
      site.hub,
      '--strict',
    ];
    await judge({ ...row, line, fault, exit: 9, code: 'CATALOG_MISMATCH', says: ['label, author'], holds: 'AD' });
  });
});

describe('content that is no fault', () => {
  const served = (packages: readonly SamplePackage[]) => ({
    line: (site: Site) => site.line(['test-package', '-y', '--accept-license']),
    prepare: async (site: Site) => {
      await publish(site, { packages });
      await site.pin(await goodKey());
    },
  });

  it('H09: a byte order mark', async () => {
    const bom = Buffer.from([0xef, 0xbb, 0xbf]);
    await judge({ ...row, fault: catalog((bytes) => Buffer.concat([bom, bytes])), exit: 0 });
  });

  it('H11: members with the names of what every object has', async () => {
    const odd = '"__proto__": {"name": "stolen"}, "constructor": {"prototype": 1}, "toString": "x",';
    const fault = catalog((bytes) => Buffer.from(bytes.toString('utf8').replaceAll('"name":', `${odd} "name":`)));
    await judge({
      ...row,
      line: list,
      fault,
      exit: 0,
      look: ({ stdout }) => {
        expect(stdout).toContain('example-trim-fields');
        expect(stdout).not.toContain('stolen');
      },
    });
    await judge({ ...row, fault, exit: 0 });
  });

  const show = (site: Site): string[] => ['hub', 'show', 'test-package', '--hub', site.hub];

  it('H29: control sequences in every text', async () => {
    const evil = '\u001b[2J\u001b]0;title\u0007\u009b31m\u202e\nline';
    const told = [{ type: 'informational', label: evil, arguments: [{ name: 'steps', value: [evil] }] }];
    const spec = { label: `label ${evil}`, description: evil, author: evil, org: evil, actions: told };
    const tame = served([hubPackage()]);
    for (const line of [list, show, tame.line])
      await judge({
        ...tame,
        line,
        // A version that has been installed may not change any more.
        ...(line === tame.line && { mend: false }),
        fault: (site) => publish(site, { packages: [hubPackage({ spec })] }),
        exit: 0,
        look: ({ stdout, stderr }) => {
          expect(`${stdout}${stderr}`).not.toMatch(UNSAFE);
        },
        read: ({ stdout, stderr }) => {
          expect(`${stdout}${stderr}`).not.toMatch(UNSAFE);
          expect(`${stdout}${stderr}`).toContain('\\x1b[2J');
        },
      });
  });

  it.for([
    ['description', show],
    ['label', list],
  ] as const)('H30: a %s of 3 MB', async ([member, line]) => {
    const long = 'long '.repeat(600_000);
    await judge({
      ...served([hubPackage()]),
      line,
      fault: (site) => publish(site, { packages: [hubPackage({ spec: { [member]: long } })] }),
      exit: 0,
      look: ({ stdout }) => {
        expect(stdout.length).toBeGreaterThan(long.length);
      },
      read: ({ stdout }) => {
        expect(stdout.length).toBeLessThan(20_000);
        expect(stdout).toMatch(/\w ?(?:\.\.\.|…)/u);
      },
    });
  });

  it('H31: no actions', async () => {
    await judge({
      ...served([hubPackage({ spec: { actions: [] } })]),
      fault: () => undefined,
      exit: 0,
      holds: 'A',
      look: ({ item }) => {
        expect(item).toMatchObject({ state: 'skipped', actions: [] });
      },
      read: ({ stdout }) => {
        expect(stdout).toBe('Nothing to do: test-package 1.0.0 has no actions\n');
      },
    });
  });

  it('H33: no icon', async () => {
    await judge({
      ...row,
      fault: tamper(`${FOLDER}/icon.png`, () => undefined),
      exit: 0,
      read: ({ stdout, stderr }) => {
        expect(`${stdout}${stderr}`).not.toContain('icon');
      },
    });
  });

  it('H34: the license is named and missing', async () => {
    const licensed = served([hubPackage({ spec: { license: 'license.txt' }, unsigned: { 'license.txt': 'Use it.' } })]);
    const fault = async (site: Site): Promise<void> => {
      const packages = [hubPackage({ spec: { license: 'license.txt' } })];
      await publish(site, { packages });
    };
    await judge({ ...licensed, line: list, fault, exit: 0 });
    const says = ['the license "license.txt"', 'is missing'];
    await judge({ ...licensed, fault, exit: 5, code: 'RESOURCE_MISSING', says, holds: 'AD' });
  });

  const COUNT = DEPTH !== 'sample' ? 100_000 : 10_000;

  it(`H14: ${COUNT} entries`, { timeout: 120_000 }, async () => {
    const many = (all: Entry[]): Entry[] =>
      Array.from({ length: COUNT }, (_, n) => ({ ...all[n % all.length], name: `package-${n}` }));
    await judge({
      ...row,
      line: list,
      fault: entries(many),
      exit: 0,
      deadline: 30_000,
      look: ({ stdout }) => {
        expect((JSON.parse(stdout) as { items: object[] }).items).toHaveLength(COUNT);
      },
      read: ({ stdout, stderr }) => {
        expect(stdout.split('\n')).toHaveLength(COUNT + 2);
        expect(stderr).toContain(`${COUNT} packages`);
      },
    });
  });
});
