import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect } from 'vitest';
import type { HubSigner } from '../../src/emulator/hub/sign.js';
import { samplePackages } from '../../src/emulator/hub/packages.js';
import type { SamplePackage } from '../../src/emulator/hub/sample-package.js';
import { flipByte, hubKey, hubPackage, signedHub, type SignedHubOptions } from '../support/hub-tree.js';
import { it, type Install, type Site } from '../support/install-site.js';

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

async function refused(site: Site, ...words: readonly string[]): Promise<Install> {
  const trust = join(site.home, '.local/state/cdapctl/trust');
  const before = await snapshot(trust);
  const result = await site.install('example-trim-fields@1.10.0', '-y', ...words);
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

describe('signatures and signers', () => {
  it.for(FILES.map((name) => [name] as const))('a missing signature of %s ends with 9', async ([name], { site }) => {
    await serve(site, { index: false, ...tampered(`${FOLDER}/${name}.asc`, () => undefined) });
    const { error } = await refused(site);
    expect(error.code).toBe('SIG_MISSING');
    expect(error.message).toContain(name);
  });

  it('an HTML page for a signature ends with 9', async ({ site }) => {
    await serve(site, { index: false, ...tampered(`${FOLDER}/spec.json.asc`, () => Buffer.from('<html></html>')) });
    expect((await refused(site)).error.code).toBe('SIG_MALFORMED');
  });

  it('a signer that is not pinned ends with 9', async ({ site }) => {
    site.publish(await signedHub({ packages, now, index: false }));
    expect((await refused(site)).error.code).toBe('KEY_UNKNOWN');
  });

  it('a key that may sign other packages only ends with 9', async ({ site }) => {
    site.publish(await signedHub({ packages, key, now, index: false }));
    await site.pin(key, 'acme-*');
    expect((await refused(site)).error.code).toBe('KEY_UNKNOWN');
  });

  it.for([
    ['expired', 'KEY_EXPIRED'],
    ['revoked', 'KEY_REVOKED'],
  ] as const)('a key that is %s ends with 9', async ([state, code], { site }) => {
    const bad = await hubKey({ now, state });
    site.publish(await signedHub({ packages, key: bad, now, index: false }));
    await site.pin(bad);
    expect((await refused(site)).error.code).toBe(code);
    if (state === 'revoked')
      expect((await refused(site, '--allow-expired-key', bad.fingerprint)).error.code).toBe(code);
    else expect((await site.install('example-trim-fields', '-y', '--allow-expired-key', bad.fingerprint)).code).toBe(0);
  });

  it('no key pinned: a note by default, 9 under --verify require', async ({ site }) => {
    const elsewhere = { home: join(site.home, 'elsewhere') };
    const strict = await site.cdapctl(site.line(['example-trim-fields', '-y', '--verify', 'require']), elsewhere);
    expect(strict.code).toBe(9);
    expect(strict.stderr).toContain('[NO_TRUST]');
    expect(await site.writes()).toEqual([]);
    const plain = await site.cdapctl(site.line(['example-trim-fields', '-y']), elsewhere);
    expect(plain.code).toBe(0);
    expect(plain.stderr.match(/nothing was verified/gu)).toHaveLength(1);
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
    expect(asked.stderr).toContain('which nobody trusted has signed');
    expect((await site.cdapctl(site.line(['test-package', '-y']), elsewhere)).code).toBe(0);
    expect((await site.cdapctl(site.line(['test-package', '--verify', 'off']), elsewhere)).code).toBe(0);
  });

  it('--verify off says so on stderr and in the result', async ({ site }) => {
    await serve(site, { index: false, ...tampered(`${FOLDER}/spec.json.asc`, () => undefined) });
    const result = await site.install('example-trim-fields', '-y', '--verify', 'off');
    expect(result.item).toMatchObject({ state: 'installed', trust: { policy: 'off', verified: false } });
    expect(result.stderr).toContain('NOTHING IS VERIFIED');
  });
});

describe('what a signature alone does not tell', () => {
  it('a package that was swapped for another is refused by the index', async ({ site }) => {
    const hub = await signedHub({ packages, key, now });
    const old = 'packages/example-trim-fields/1.9.0';
    for (const name of ['spec.json', 'spec.json.asc']) {
      const bytes = hub.files.get(`${old}/${name}`);
      if (bytes === undefined) throw new Error(`the hub has no ${name}`);
      hub.files.set(`${FOLDER}/${name}`, bytes);
    }
    site.publish(hub);
    await site.pin(key);
    const { error } = await refused(site);
    expect(error.code).toBe('BINDING');
    expect(error.message).toContain('example-trim-fields 1.9.0');
  });

  it('a file that the index does not list is refused', async ({ site }) => {
    const mixed = await signedHub({ packages, key, now });
    const other = await signedHub({
      packages: packages.map((entry) => ({ ...entry, spec: { ...entry.spec, label: 'Other' } })),
      key,
      now,
    });
    for (const name of ['spec.json', 'spec.json.asc']) {
      const bytes = other.files.get(`${FOLDER}/${name}`);
      if (bytes !== undefined) mixed.files.set(`${FOLDER}/${name}`, bytes);
    }
    site.publish(mixed);
    await site.pin(key);
    expect((await refused(site)).error.code).toBe('MIXED');
  });

  it('an index past its time is refused, unless --allow-stale', async ({ site }) => {
    const stale = await signedHub({ packages, key: await hubKey({ now: now - 50 * DAY }), now: now - 40 * DAY });
    site.publish(stale);
    await site.pin(stale.key);
    expect((await refused(site)).error.code).toBe('STALE');
    expect((await site.install('example-trim-fields', '-y', '--allow-stale')).code).toBe(0);
  });
});

describe('a hub that was seen before', () => {
  const seen = async (site: Site): Promise<void> => {
    await serve(site, { sequence: 5 });
    await site.install('example-csv-copy', '-y');
    await site.install('example-trim-fields@1.10.0', '-y', '--dry-run');
    await site.forget();
  };

  it('may not go back', async ({ site }) => {
    await seen(site);
    site.publish(await signedHub({ packages, key, now, sequence: 4 }));
    expect((await refused(site)).error.code).toBe('ROLLBACK');
  });

  it('may not show another index of the same number', async ({ site }) => {
    await seen(site);
    site.publish(await signedHub({ packages: packages.slice(1), key, now: now + 1000, sequence: 5 }));
    expect((await refused(site)).error.code).toBe('ROLLBACK');
  });

  it('may not lose its index', async ({ site }) => {
    await seen(site);
    site.publish(await signedHub({ packages, key, now, sequence: 5, index: false }));
    expect((await refused(site)).error.code).toBe('DOWNGRADE');
  });

  it('may not lose its signatures', async ({ site }) => {
    await seen(site);
    const bare = await signedHub({
      packages,
      key,
      now,
      sequence: 6,
      ...tampered(`${FOLDER}/spec.json.asc`, () => undefined),
    });
    site.publish(bare);
    expect((await refused(site)).error.code).toMatch(/^(?:DOWNGRADE|SIG_MISSING)$/u);
  });

  it('may not change a published version, however well signed', async ({ site }) => {
    await serve(site, { sequence: 5 });
    await site.install('example-trim-fields@1.10.0', '-y');
    await site.forget();
    const other = packages.map((entry) => ({ ...entry, spec: { ...entry.spec, label: 'Other' } }));
    site.publish(await signedHub({ packages: other, key, now, sequence: 6 }));
    expect((await refused(site)).error.code).toBe('CHANGED');
  });
});

describe('the order of things', () => {
  it('a bad file of a late action stops the whole package before the first write', async ({ site }) => {
    const spec = {
      actions: [pipelineAction('First', 'first.json'), pipelineAction('Second', 'second.json')],
    };
    const config = packages.find(({ name }) => name === 'example-csv-copy')?.resources['pipeline.json'] ?? '';
    const resources = { 'first.json': config, 'second.json': config };
    const two = [hubPackage({ spec, resources })];
    const path = 'packages/test-package/1.0.0/second.json';
    site.publish(
      await signedHub({ packages: two, key, now, index: false, ...tampered(path, (bytes) => flipByte(bytes)) }),
    );
    await site.pin(key);
    expect((await site.install('test-package', '-y')).error.code).toBe('SIG_BAD');
    expect(await site.writes()).toEqual([]);
  });
});

const pipelineAction = (name: string, config: string): object => ({
  type: 'create_pipeline',
  arguments: Object.entries({
    artifact: { name: 'cdap-data-pipeline', version: '6.11.0', scope: 'SYSTEM' },
    name,
    config,
  }).map(([argument, value]) => ({ name: argument, value, canModify: false })),
});
