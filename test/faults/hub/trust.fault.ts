import { chmod, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateKey } from 'openpgp';
import { describe, expect, it } from 'vitest';
import { hubKey, signedHub } from '../../support/sites/hub-tree.js';
import type { Site } from '../../support/sites/install-site.js';
import { judge } from '../judge.js';
import { DAY, FOLDER, goodKey, installTrim, NOW, PACKAGES, publish, tamper, trustGood } from './signed-site.js';

const OLD = 'packages/example-trim-fields/1.9.0';
const COPY = 'packages/example-csv-copy/1.0.0';
const RELABELLED = PACKAGES.map((entry) => ({ ...entry, spec: { ...entry.spec, label: 'Other' } }));

let good: Promise<ReadonlyMap<string, Buffer>> | undefined;

/** A hub with a signed index, made once: another one of the same number would be a fault of its own. */
const goodFiles = (): Promise<ReadonlyMap<string, Buffer>> =>
  (good ??= goodKey().then(async (key) => (await signedHub({ packages: PACKAGES, key, now: NOW, sequence: 5 })).files));

/** Serves it, with other bytes at some paths. */
async function indexed(site: Site, others: Readonly<Record<string, Buffer | undefined>> = {}): Promise<void> {
  const files = new Map(await goodFiles());
  for (const [path, bytes] of Object.entries(others)) if (bytes !== undefined) files.set(path, bytes);
  site.publish({ files });
}

/** The world in which a hub with an index is trusted, and was seen before. */
async function seen(site: Site): Promise<void> {
  await indexed(site);
  await site.pin(await goodKey());
  const { code } = await site.install('example-trim-fields@1.9.0', '-y');
  expect(code).toBe(0);
}

const row = { line: installTrim, prepare: seen, mend: (site: Site) => indexed(site) } as const;

/** The specification of the package and its signature are those of another hub or folder. */
const specificationFrom = (folder: string, from: ReadonlyMap<string, Buffer>): Record<string, Buffer | undefined> => ({
  [`${FOLDER}/spec.json`]: from.get(`${folder}/spec.json`),
  [`${FOLDER}/spec.json.asc`]: from.get(`${folder}/spec.json.asc`),
});

describe('what a signature alone does not tell', () => {
  it('S16: the specification of another package', async () => {
    await judge({
      ...row,
      fault: async (site) => indexed(site, specificationFrom(COPY, await goodFiles())),
      exit: 9,
      code: 'BINDING',
      says: ['is signed as a file of example-csv-copy 1.0.0'],
      holds: 'AD',
    });
  });

  it('S17: an older version under the path of a newer one', async () => {
    await judge({
      ...row,
      fault: async (site) => indexed(site, specificationFrom(OLD, await goodFiles())),
      exit: 9,
      code: 'BINDING',
      says: ['is signed as a file of example-trim-fields 1.9.0'],
      holds: 'AD',
    });
  });

  it('S18: a version that was seen has new content, well signed', async () => {
    await judge({
      ...row,
      prepare: async (site) => {
        await publish(site);
        await site.pin(await goodKey());
        expect((await site.install('example-trim-fields@1.10.0', '-y')).code).toBe(0);
      },
      fault: (site) => publish(site, { packages: RELABELLED }),
      mend: (site) => publish(site),
      exit: 9,
      code: 'CHANGED',
      says: [`had different content on ${new Date(NOW).toISOString().slice(0, 8)}`],
      holds: 'AD',
    });
  });

  it('S19: the number of the signed index went back', async () => {
    await judge({
      ...row,
      fault: (site) => publish(site, { index: true, sequence: 4 }),
      exit: 9,
      code: 'ROLLBACK',
      says: ['number 4 after 5'],
      holds: 'AD',
    });
  });

  it('S20: the signed index has expired', async () => {
    const stale = {
      prepare: trustGood,
      fault: (site: Site) => publish(site, { index: true, sequence: 4, now: NOW - 40 * DAY }),
    };
    const says = ['40 days old', '--allow-stale'];
    await judge({ ...row, ...stale, exit: 9, code: 'STALE', says, holds: 'A' });
    await judge({ ...row, ...stale, line: (site) => [...installTrim(site), '--allow-stale'], exit: 0 });
  });

  it('S21: a file is well signed, but not the one of the signed index', async () => {
    const other = await signedHub({ packages: RELABELLED, key: await goodKey(), now: NOW });
    await judge({
      ...row,
      fault: (site) => indexed(site, specificationFrom(FOLDER, other.files)),
      exit: 9,
      code: 'MIXED',
      says: ['spec.json does not match the signed index'],
      holds: 'AD',
    });
  });

  it('S22: the hub lost its signed index', async () => {
    await judge({
      ...row,
      fault: (site) => publish(site),
      exit: 9,
      code: 'DOWNGRADE',
      says: ['number 5'],
      holds: 'AD',
    });
  });

  it('S22: the hub lost its signatures', async () => {
    await judge({
      ...row,
      prepare: async (site) => {
        await trustGood(site);
        expect((await site.install('example-trim-fields@1.9.0', '-y')).code).toBe(0);
      },
      fault: tamper(`${FOLDER}/spec.json.asc`, () => undefined),
      mend: (site) => publish(site),
      exit: 9,
      code: 'DOWNGRADE',
      says: ['is no longer signed by a trusted key'],
      holds: 'AD',
    });
  });
});

describe('the trust store', () => {
  const trustFolder = async (site: Site): Promise<string> => {
    const folder = join(site.home, '.local/state/cdapctl/trust');
    const [hub = ''] = (await readdir(folder)).filter((name) => !name.includes('.'));
    return join(folder, hub);
  };
  const keyFile = async (site: Site): Promise<string> =>
    join(await trustFolder(site), `${(await goodKey()).fingerprint}.asc`);

  it('S23: a private key is offered', async () => {
    const { privateKey, publicKey } = await generateKey({ userIDs: [{ name: 'Publisher' }], format: 'armored' });
    await judge({
      line: (site) => [
        'hub',
        'key',
        'add',
        join(site.home, 'offered.asc'),
        '--hub',
        site.hub,
        '--fingerprint',
        'F'.repeat(40),
      ],
      prepare: trustGood,
      fault: async (site) => {
        await site.file('offered.asc', `${publicKey}\n${privateKey}`);
      },
      mend: false,
      exit: 2,
      code: 'TRUST_PRIVATE',
      says: ['offered.asc has a private key', 'gpg --armor --export'],
      holds: 'AD',
    });
  });

  it('S23: a private key stands among the trusted ones', async () => {
    const { privateKey } = await generateKey({ userIDs: [{ name: 'Publisher' }], format: 'armored' });
    await judge({
      line: installTrim,
      prepare: trustGood,
      fault: async (site) => writeFile(await keyFile(site), privateKey),
      exit: 2,
      code: 'TRUST_PRIVATE',
      holds: 'AD',
    });
  });

  it.for([
    ['folder', 0o777],
    ['file', 0o666],
  ] as const)('S24: a %s of the trust store can be written by others', async ([what, mode]) => {
    const place = async (site: Site): Promise<string> =>
      what === 'folder' ? trustFolder(site) : join(await trustFolder(site), 'keys.json');
    await judge({
      line: installTrim,
      prepare: trustGood,
      fault: async (site) => chmod(await place(site), mode),
      mend: async (site) => chmod(await place(site), what === 'folder' ? 0o700 : 0o600),
      exit: 2,
      code: 'TRUST_PERMS',
      holds: 'AD',
    });
  });

  it('S25: no key is trusted for the hub, and verification is required', async () => {
    await judge({
      line: (site) => [...installTrim(site), '--verify', 'require'],
      prepare: trustGood,
      fault: (site) => rm(join(site.home, '.local'), { recursive: true }),
      exit: 9,
      code: 'NO_TRUST',
      says: [/cdapctl hub key add FILE --hub http:\/\/\S+ --fingerprint FPR/u],
      holds: 'A',
    });
  });

  it('S25: no key is trusted for the hub', async () => {
    await judge({
      line: installTrim,
      prepare: trustGood,
      fault: (site) => rm(join(site.home, '.local'), { recursive: true }),
      exit: 0,
      says: ['nothing was verified: no key is trusted for this hub'],
      look: ({ item, warnings }) => {
        expect(item?.trust.verified).toBe(false);
        expect(warnings).toHaveLength(1);
      },
      read: ({ stderr }) => {
        expect(stderr.match(/nothing was verified/gu)).toHaveLength(1);
      },
    });
  });

  it('S26: verification is switched off', async () => {
    const journal = async (site: Site): Promise<string> => {
      const folder = join(site.home, '.local/state/cdapctl/installs');
      const [name = ''] = (await readdir(folder)).filter((file) => file.endsWith('.ndjson'));
      return readFile(join(folder, name), 'utf8');
    };
    await judge({
      line: (site) => [...installTrim(site), '--verify', 'off'],
      prepare: trustGood,
      fault: async (site) => {
        const stranger = await hubKey({ now: NOW - DAY });
        await publish(site, { key: stranger });
      },
      exit: 0,
      says: ['NOTHING IS VERIFIED'],
      look: async ({ item, stderr }, site) => {
        expect(item?.trust).toMatchObject({ policy: 'off', verified: false });
        expect(stderr).toContain('NOTHING IS VERIFIED');
        expect(await journal(site)).toContain('"verified":false');
      },
      read: async ({ stderr }, site) => {
        expect(stderr).toContain('NOTHING IS VERIFIED');
        expect(await journal(site)).toContain('"verified":false');
      },
    });
  });
});
