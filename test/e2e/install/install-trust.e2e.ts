import { chmod, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect } from 'vitest';
import type { HubSigner } from '../../../src/emulator/hub/sign.js';
import { samplePackages } from '../../../src/emulator/hub/packages.js';
import type { SamplePackage } from '../../../src/emulator/hub/packages/sample-package.js';
import {
  flipByte,
  hubKey,
  hubPackage,
  signedHub,
  writeHubTree,
  type SignedHubOptions,
} from '../../support/sites/hub-tree.js';
import { it, type Install, type Site } from '../../support/sites/install-site.js';

const DAY = 24 * 60 * 60 * 1000;
const FOLDER = 'packages/example-trim-fields/1.10.0';
const FILES = ['spec.json', 'example-trim-fields-1.10.0.json', 'example-trim-fields-1.10.0.jar'];
const now = Date.now();

let key: HubSigner;
let packages: readonly SamplePackage[];

beforeAll(async () => {
  key = await hubKey({ now: now - DAY });
  packages = samplePackages().filter(({ name }) => ['example-trim-fields', 'example-csv-copy'].includes(name));
});

/** Serves a hub at the address of the site; its key is pinned. */
async function serve(site: Site, options: Partial<SignedHubOptions> = {}): Promise<void> {
  site.publish(await signedHub({ packages, key, now, ...options }));
  await site.pin(key);
}

const tampered = (path: string, change: (bytes: Buffer) => Buffer | undefined): Partial<SignedHubOptions> => ({
  tamper: { [path]: change },
});

async function refused(site: Site): Promise<Install> {
  const trust = join(site.home, '.local/state/cdapctl/trust');
  const before = await snapshot(trust);
  const result = await site.install('example-trim-fields@1.10.0', '-y');
  expect(result.code).toBe(9);
  expect(await site.writes()).toEqual([]);
  expect(await snapshot(trust)).toEqual(before);
  expect(await leftOvers(site)).toEqual([]);
  return result;
}

async function snapshot(folder: string): Promise<Record<string, string>> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const contents = files.map(async (file): Promise<[string, string]> => [file, await readFile(file, 'base64')]);
  return Object.fromEntries(await Promise.all(contents));
}

/** Files of packages anywhere below the home: none may outlive a run. */
async function leftOvers(site: Site): Promise<string[]> {
  const names = await readdir(site.home, { recursive: true });
  return names.filter((name) => name.endsWith('.jar') || name.includes('run-'));
}

describe('a changed byte', () => {
  it.for(FILES.flatMap((name) => [[name, 'start'] as const, [name, 'middle'] as const, [name, 'end'] as const]))(
    'in %s (%s) ends with 9 and no write',
    async ([name, where], { site }) => {
      const at = { start: () => 0, middle: undefined, end: (bytes: Buffer) => bytes.length - 1 }[where];
      await serve(site, {
        index: false,
        ...tampered(`${FOLDER}/${name}`, (bytes) => (at === undefined ? flipByte(bytes) : flipByte(bytes, at(bytes)))),
      });
      expect((await refused(site)).error.code).toBe('SIG_BAD');
    },
  );

  it.for([['example-trim-fields-1.10.0.jar'], ['spec.json']] as const)(
    'in %s is refused by the signed index as well',
    async ([name], { site }) => {
      await serve(
        site,
        tampered(`${FOLDER}/${name}`, (bytes) => flipByte(bytes)),
      );
      expect(['SIG_BAD', 'MIXED']).toContain((await refused(site)).error.code);
    },
  );

  it('in the index ends with 9 and no write', async ({ site }) => {
    await serve(
      site,
      tampered('index.json', (bytes) => flipByte(bytes)),
    );
    expect((await refused(site)).error.code).toBe('SIG_BAD');
  });

  it.for([
    ['spec.json.asc'],
    ['example-trim-fields-1.10.0.json.asc'],
    ['example-trim-fields-1.10.0.jar.asc'],
    ['../../../index.json.asc'],
  ] as const)('in the packets of %s ends with 9 and no write', async ([name], { site }) => {
    const path = join(FOLDER, name);
    await serve(site, tampered(path, changePacket));
    expect((await refused(site)).error.code).toMatch(/^(?:SIG_|KEY_)/u);
  });
});

/** Changes a byte of the packet itself and repairs the armour round it. */
function changePacket(armored: Buffer): Buffer {
  const lines = armored.toString('utf8').trim().split(/\r?\n/u);
  const blank = lines.indexOf('');
  const end = lines.findIndex((line, at) => at > blank && (line.startsWith('=') || line.startsWith('-----END')));
  const packet = Buffer.from(lines.slice(blank + 1, end).join(''), 'base64');
  const changed = flipByte(packet, packet.length - 5)
    .toString('base64')
    .match(/.{1,64}/gu);
  return Buffer.from([...lines.slice(0, blank + 1), ...(changed ?? []), '-----END PGP SIGNATURE-----', ''].join('\n'));
}

describe('what is said of the signer', () => {
  it('is about the specification, as its files are judged later', async ({ site }) => {
    const jar = `${FOLDER}/example-trim-fields-1.10.0.jar`;
    await serve(site, { index: false, ...tampered(jar, (bytes) => flipByte(bytes)) });
    const { code, stdout, stderr } = await site.cdapctl(site.line(['example-trim-fields@1.10.0', '-y']));
    expect([code, stdout]).toEqual([9, '']);
    const [first] = stderr.split('\n');
    expect(first).toMatch(
      /^example-trim-fields 1\.10\.0 {2}from \S+ {2}specification signed by trusted key [0-9A-F]{4} /u,
    );
    expect(stderr).toContain('[SIG_BAD]');
  });
});

describe('signatures and signers', () => {
  it('a key that may sign other packages only ends with 9', async ({ site }) => {
    site.publish(await signedHub({ packages, key, now, index: false }));
    await site.pin(key, 'acme-*');
    expect((await refused(site)).error.code).toBe('KEY_UNKNOWN');
  });

  it.for([
    ['has no signature', () => undefined],
    ['has junk for a signature', () => Buffer.from('<html></html>')],
    ['is signed by a stranger', (signature: Buffer) => signature],
  ] as const)('no key pinned, and the package %s: needs a yes', async ([, change], { site }) => {
    const spec = 'packages/test-package/1.0.0/spec.json.asc';
    site.publish(await signedHub({ packages: [hubPackage()], now, index: false, ...tampered(spec, change) }));
    const elsewhere = { home: join(site.home, 'elsewhere') };
    const asked = await site.cdapctl(site.line(['test-package']), elsewhere);
    expect(asked.code).toBe(13);
    expect(asked.stderr).toContain('without a trusted signature');
    expect((await site.cdapctl(site.line(['test-package', '-y']), elsewhere)).code).toBe(0);
    expect((await site.cdapctl(site.line(['test-package', '--verify', 'off', '-y']), elsewhere)).code).toBe(0);
  });
});

describe('a hub of which only the index is signed', () => {
  const KEYS = join(import.meta.dirname, '../../fixtures/keys/signing');

  /** Signs the index of a hub in the home with a key of the fixtures, serves that and pins the key. */
  async function signIndex(site: Site): Promise<Map<string, Buffer>> {
    const { files } = await signedHub({ packages, key, now, index: false });
    const bare = new Map([...files].filter(([path]) => !path.endsWith('.asc')));
    await writeHubTree(join(site.home, 'hub'), bare);
    const secret = await site.file('hub.key', await readFile(join(KEYS, 'ed25519.secret.asc')));
    await chmod(secret, 0o600);
    const sign = ['hub', 'sign', './hub', '--key', './hub.key', '--index-only', '--json'];
    const { code, stdout } = await site.cdapctl(sign, { cwd: site.home });
    expect(code, stdout).toBe(0);
    for (const name of ['index.json', 'index.json.asc']) bare.set(name, await readFile(join(site.home, 'hub', name)));
    expect((await readdir(join(site.home, 'hub', FOLDER))).filter((name) => name.endsWith('.asc'))).toEqual([]);
    await rm(join(site.home, 'hub'), { recursive: true });
    site.publish({ files: bare });
    const [fingerprint = ''] = (JSON.parse(stdout) as { item: { keys: string[] } }).item.keys;
    await site.pin({ fingerprint, publicKey: await readFile(join(KEYS, 'ed25519.public.asc'), 'utf8') });
    return bare;
  }

  it('S28: is verified and installed from, and a changed byte ends with 9', async ({ site }) => {
    const files = await signIndex(site);
    for (const name of FILES) {
      const path = `${FOLDER}/${name}`;
      const changed = new Map([...files, [path, flipByte(files.get(path) ?? expect.fail(path))]]);
      site.publish({ files: changed });
      expect((await refused(site)).error.code, name).toBe('MIXED');
      expect((await site.cdapctl(['hub', 'verify', '--all', '--hub', site.hub])).code).toBe(9);
    }
    site.publish({ files });
    const verified = await site.cdapctl(['hub', 'verify', '--all', '--strict', '--hub', site.hub]);
    expect([verified.code, verified.stderr]).toEqual([0, expect.stringContaining(', 0 invalid')]);
    const { code, stdout } = await site.install('example-trim-fields@1.10.0', '--verify', 'require');
    expect(code).toBe(0);
    const { item } = JSON.parse(stdout) as { item: object };
    const states = FILES.map((name) => ({ name, state: 'valid' }));
    expect(item).toMatchObject({ trust: { policy: 'require', verified: true, files: states } });
  });

  it('S28: may not swap a file for that of another package, nor lose its index once seen', async ({ site }) => {
    const files = await signIndex(site);
    const other = files.get('packages/example-csv-copy/1.0.0/spec.json') ?? expect.fail('no other package');
    site.publish({ files: new Map([...files, [`${FOLDER}/spec.json`, other]]) });
    expect((await refused(site)).error.code).toBe('BINDING');
    site.publish({ files });
    expect((await site.install('example-csv-copy')).code).toBe(0);
    await site.forget();
    site.publish({ files: new Map([...files].filter(([path]) => !path.startsWith('index.json'))) });
    expect((await refused(site)).error.code).toBe('DOWNGRADE');
  });
});

describe('a package of a stranger under warn', () => {
  it('has every file told that nobody trusted has signed, also those that are fetched last', async ({ site }) => {
    const stranger = await hubKey({ now: now - DAY });
    site.publish(await signedHub({ packages, key: stranger, now, index: false }));
    await site.pin(key);
    const line = site.line(['example-trim-fields@1.10.0', '-y', '--verify', 'warn']);
    const { stderr, code } = await site.cdapctl(line);
    expect(code, stderr).toBe(0);
    for (const file of FILES) expect(stderr).toContain(`warning: ${file} is signed by a key that is not trusted`);
  });
});

describe('a hub that was seen before', () => {
  const seen = async (site: Site): Promise<void> => {
    await serve(site, { sequence: 5 });
    await site.install('example-csv-copy', '-y');
    await site.install('example-trim-fields@1.10.0', '-y', '--dry-run');
    await site.forget();
  };

  it('may not show another index of the same number', async ({ site }) => {
    await seen(site);
    site.publish(await signedHub({ packages: packages.slice(1), key, now: now + 1000, sequence: 5 }));
    expect((await refused(site)).error.code).toBe('ROLLBACK');
  });
});
