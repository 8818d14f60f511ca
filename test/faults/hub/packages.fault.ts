import { join } from 'node:path';
import { brotliCompressSync, deflateRawSync, gzipSync } from 'node:zlib';
import { readdir, stat } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { makeJar } from '../../../src/emulator/jar/make-jar.js';
import type { SamplePackage } from '../../../src/emulator/hub/packages/sample-package.js';
import { addKey } from '../../../src/state/trust-store.js';
import { hubPackage } from '../../support/sites/hub-tree.js';
import { documentOf, openSite, type Site } from '../../support/sites/install-site.js';
import { front } from '../front.js';
import { judge } from '../judge.js';
import { DEPTH } from '../depth.js';
import { bytesOf, FOLDER, goodKey, installTrim, PACKAGES, publish, tamper, trustGood } from './signed-site.js';

const SPEC = `${FOLDER}/spec.json`;
const CONFIG = 'example-trim-fields-1.10.0.json';
const JAR = 'example-trim-fields-1.10.0.jar';
const row = { line: installTrim, prepare: trustGood } as const;

/** Serves the specification with other bytes, well signed. */
const specification =
  (change: (bytes: Buffer) => Buffer) =>
  async (site: Site): Promise<void> => {
    const bytes = change(await bytesOf(SPEC));
    const signature = Buffer.from(await (await goodKey()).sign(bytes));
    await publish(site, { tamper: { [SPEC]: () => bytes, [`${SPEC}.asc`]: () => signature } });
  };

interface PlainAction {
  readonly type: string;
  readonly arguments: readonly { readonly name: string; readonly value?: unknown }[];
}

/** Serves the package with other actions or files, well signed. */
function changed(
  action: (action: PlainAction) => unknown,
  resources: Readonly<Record<string, Buffer>> = {},
): (site: Site) => Promise<void> {
  const packages = PACKAGES.map((one): SamplePackage => {
    if (one.version !== '1.10.0') return one;
    const [first] = one.spec['actions'] as readonly PlainAction[];
    const actions = first === undefined ? [] : [action(first)];
    return { ...one, spec: { ...one.spec, actions }, resources: { ...one.resources, ...resources } };
  });
  return (site) => publish(site, { packages });
}

const same = (action: PlainAction): PlainAction => action;

/** The action with another value of an argument; `undefined` takes it away. */
const withArgument =
  (name: string, value: unknown) =>
  (action: PlainAction): PlainAction => ({
    ...action,
    arguments: [
      ...action.arguments.filter((argument) => argument.name !== name),
      ...(value === undefined ? [] : [{ name, value }]),
    ],
  });

describe('a specification that cannot be read', () => {
  it.for([
    ['H07', 'names a member twice', 'DUP_KEY', ['has the duplicate member "label"']],
    ['H08', 'is not UTF-8', 'BAD_UTF8', ['error at byte 2']],
    ['H10', 'is nested 100,000 deep', 'TOO_DEEP', ['deeper than 64 levels']],
  ] as const)('%s: %s', async ([id, , code, says]) => {
    const changes: Record<typeof id, (bytes: Buffer) => Buffer> = {
      H07: (bytes) => Buffer.from(bytes.toString('utf8').replace('"label"', '"label": "Other", "label"')),
      H08: (bytes) => Buffer.concat([bytes.subarray(0, 2), Buffer.from([0xc0]), bytes.subarray(2)]),
      H10: () => Buffer.from(`{"actions": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`),
    };
    await judge({ ...row, fault: specification(changes[id]), exit: 12, code, says, holds: 'AD' });
  });

  it('H09: a byte order mark is no fault, and the signature is over the raw bytes', async () => {
    const bom = Buffer.from([0xef, 0xbb, 0xbf]);
    const fault = specification((bytes) => Buffer.concat([bom, bytes]));
    await judge({ ...row, fault, mend: false, exit: 0 });
  });

  it.for([['-1'], ['1e400']] as const)('H12: the package was created at %s', async ([created]) => {
    const fault = specification((bytes) =>
      Buffer.from(bytes.toString('utf8').replace(/"created": \d+/u, `"created": ${created}`)),
    );
    await judge({ ...row, fault, exit: 12, code: 'BAD_FIELD', says: ['created is not a time'], holds: 'AD' });
  });

  it('H15: the package is for a range that is none', async () => {
    const fault = specification((bytes) => Buffer.from(bytes.toString('utf8').replace('[6.1.0,7.0.0)', '[6.1.0,')));
    await judge({
      ...row,
      fault,
      exit: 12,
      code: 'BAD_RANGE',
      says: ['"[6.1.0," is not a version range'],
      holds: 'AD',
    });
  });
});

describe('an action that cannot be carried out', () => {
  it('H17: is of an unknown type', async () => {
    await judge({
      ...row,
      fault: changed((action) => ({ ...action, type: 'make_coffee' })),
      exit: 12,
      code: 'BAD_ACTION',
      says: ['action 1 (make_coffee)'],
      holds: 'AD',
    });
  });

  it('H18: lacks a required argument, which a person may supply', async () => {
    await judge({
      ...row,
      fault: changed(withArgument('name', undefined)),
      exit: 2,
      code: 'INPUT_MISSING',
      says: ['action 1 name', '--set 1.name=VALUE'],
      holds: 'AD',
    });
  });

  it.for([
    ['an argument of another JSON type', withArgument('name', ['a', 'b']), ['"name"', 'is not a text']],
    ['an argument that is no object', (action: PlainAction) => ({ ...action, arguments: ['name'] }), ['not an object']],
    [
      'an argument twice',
      (action: PlainAction) => ({ ...action, arguments: [...action.arguments, { name: 'name', value: 'x' }] }),
      ['has the argument "name" twice'],
    ],
  ] as const)('H19: has %s', async ([, change, says]) => {
    await judge({
      ...row,
      fault: changed(change),
      exit: 12,
      code: 'BAD_ACTION',
      says: [...says, /action 1\b/u],
      holds: 'AD',
    });
  });

  it.for([
    ['../x'],
    ['a/b'],
    ['%2e%2e'],
    ['a\\b'],
    ['a\u0000b'],
    [''],
    ['.'],
    ['..'],
    ['x'.repeat(256)],
    ['\u001b[2J'],
  ] as const)('H20: names the file %j', async ([name]) => {
    await judge({
      ...row,
      fault: changed(withArgument('config', name)),
      exit: 12,
      code: 'BAD_NAME',
      says: ['the file name'],
      holds: 'AD',
      read: ({ stderr }) => {
        expect(stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/u);
      },
    });
  });

  it.for([['CON'], ['nul.jar'], ['a:b'], ['a.'], ['a '], ['.cdapctl-unfinished'], ['spec.json.asc']] as const)(
    'H21: names the file %j, which is not good on every system, or that of another file',
    async ([name]) => {
      await judge({
        ...row,
        fault: changed(withArgument('jar', name)),
        exit: 12,
        code: 'BAD_NAME',
        says: [JSON.stringify(name)],
        holds: 'AD',
      });
    },
  );
});

describe('a resource that cannot be used', () => {
  it.for([[CONFIG], [JAR]] as const)('H22: %s is not there', async ([name]) => {
    await judge({
      ...row,
      fault: tamper(`${FOLDER}/${name}`, () => undefined),
      exit: 5,
      code: 'RESOURCE_MISSING',
      says: [name],
      holds: 'AD',
    });
  });

  it.for([
    ['text', 'not JSON'],
    ['a list', '[]'],
    ['a number', '1'],
    ['cut', '{"parents": ['],
  ] as const)('H24: the configuration is %s', async ([, text]) => {
    await judge({
      ...row,
      fault: changed(same, { [CONFIG]: Buffer.from(text) }),
      exit: 12,
      code: 'BAD_JSON',
      says: [CONFIG],
      holds: 'AD',
    });
  });

  it.for([[['cdap-data-pipeline']], [[42]], ['all'], [['system:a b[1,2)']]] as const)(
    'H25: the parents are %j',
    async ([parents]) => {
      await judge({
        ...row,
        fault: changed(same, { [CONFIG]: Buffer.from(JSON.stringify({ parents })) }),
        exit: 12,
        code: 'BAD_PARENT',
        says: [CONFIG],
        holds: 'AD',
      });
    },
  );

  const good = makeJar({ manifest: { 'Bundle-Version': '1.10.0' }, entries: [] });
  const directory = good.readUInt32LE(good.length - 6);
  /** Writes a number into the directory entry of the manifest. */
  const lying = (offset: number, value: number): Buffer => {
    const copy = Buffer.from(good);
    copy.writeUInt16LE(value, directory + offset);
    return copy;
  };
  const MANIFEST = 'META-INF/MANIFEST.MF';

  it.for([
    ['H26', 'is no archive', Buffer.from('<html></html>'), 'it is not a ZIP archive'],
    ['H27', 'has two manifests', twice(MANIFEST), 'it has several manifests'],
    ['H27', 'has an encrypted manifest', lying(8, 1), 'its manifest is encrypted'],
    ['H27', 'has a manifest of another size', lying(24, 3), 'its manifest'],
    ['H27', 'has a bomb for a manifest', bomb(MANIFEST), 'its manifest'],
  ] as const)('%s: the JAR %s', async ([, , bytes, reason]) => {
    await judge({
      ...row,
      fault: changed(same, { [JAR]: bytes }),
      exit: 12,
      code: 'BAD_JAR',
      says: [reason],
      holds: 'AD',
    });
  });

  it('H26: neither the action nor the manifest names a version', async () => {
    await judge({
      ...row,
      fault: changed(withArgument('version', undefined), { [JAR]: makeJar({ manifest: {}, entries: [] }) }),
      exit: 12,
      code: 'BAD_JAR',
      says: ['specifies a version', '--set 1.version=VERSION'],
      holds: 'AD',
    });
  });
});

function twice(name: string): Buffer {
  return makeJar({ manifest: {}, entries: [{ name, bytes: Buffer.from('Bundle-Version: 2\r\n') }] });
}

/** A JAR of one file that is far larger than it says. */
function bomb(name: string): Buffer {
  const packed = deflateRawSync(Buffer.alloc(50 * 1024 * 1024));
  const facts = Buffer.alloc(26);
  facts.writeUInt16LE(8, 4);
  facts.writeUInt32LE(packed.length, 14);
  facts.writeUInt32LE(1000, 18);
  facts.writeUInt16LE(name.length, 22);
  const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), facts, Buffer.from(name), packed]);
  const central = Buffer.concat([
    Buffer.from('PK\x01\x02\x14\x00', 'latin1'),
    facts,
    Buffer.alloc(14),
    Buffer.from(name),
  ]);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(local.length, 16);
  return Buffer.concat([local, central, end]);
}

describe('how a resource is sent', () => {
  const addresses = new WeakMap<Site, string>();
  const line = (site: Site): string[] => [
    ...['install', 'example-trim-fields@1.10.0', '-y'],
    ...['--hub', addresses.get(site) ?? site.hub, '-u', site.through],
  ];

  /** Has the hub send its JARs in another way. */
  const sentAs =
    (headers: Readonly<Record<string, string>>, change: (bytes: Buffer) => Buffer) =>
    async (site: Site): Promise<void> => {
      const before = await front(site.hub, async ({ path, socket, effect }) => {
        if (!path.endsWith('.jar')) return undefined;
        const body = change((await effect()).body);
        const lines = Object.entries({ 'Content-Length': String(body.length), ...headers, Connection: 'close' });
        const head = ['HTTP/1.1 200 OK', ...lines.map(([name, value]) => `${name}: ${value}`)].join('\r\n');
        socket.end(Buffer.concat([Buffer.from(`${head}\r\n\r\n`), body]));
        return 'handled';
      });
      const address = `${before.url}/v2`;
      addresses.set(site, address);
      const { publicKey, fingerprint } = await goodKey();
      const key = { fingerprint, armored: publicKey, addedAt: '2025-01-01T00:00:00Z' };
      await addKey(join(site.home, '.local/state/cdapctl/trust'), address, key);
    };
  const way = {
    line,
    prepare: trustGood,
    mend: (site: Site): void => {
      addresses.delete(site);
    },
  } as const;

  it('H23: larger than is allowed', async () => {
    await judge({
      ...way,
      fault: sentAs({ 'Content-Length': '3000000000' }, (bytes) => bytes),
      exit: 12,
      code: 'TOO_LARGE',
      says: [JAR, '2147483648 bytes'],
      holds: 'AD',
    });
  });

  it('H36: as gzip', async () => {
    await judge({ ...way, fault: sentAs({ 'Content-Encoding': 'gzip' }, (bytes) => gzipSync(bytes)), exit: 0 });
  });

  it.for([['br'], ['x-secret']] as const)('H36: encoded as %s', async ([encoding]) => {
    await judge({
      ...way,
      fault: sentAs({ 'Content-Encoding': encoding }, (bytes) => brotliCompressSync(bytes)),
      exit: 12,
      code: 'BAD_ENCODING',
      says: [JAR, `"${encoding}"`],
      holds: 'AD',
    });
  });
});

describe('packages that are odd and good', () => {
  it('H35: two actions of one file fetch it once', async () => {
    const packages = PACKAGES.map((one): SamplePackage => {
      const actions = one.spec['actions'] as readonly PlainAction[];
      const other = actions.map(withArgument('name', 'example-trim-again'));
      return one.version === '1.10.0' ? { ...one, spec: { ...one.spec, actions: [...actions, ...other] } } : one;
    });
    await judge({
      ...row,
      prepare: async (site) => {
        await publish(site, { packages });
        await site.pin(await goodKey());
      },
      fault: () => undefined,
      exit: 0,
      look: async ({ item }, site) => {
        expect(item?.actions).toHaveLength(2);
        const paths = (await site.requests()).map(({ path }) => path.split('/').at(-1));
        expect([JAR, CONFIG].map((name) => paths.filter((path) => path === name).length)).toEqual([1, 1]);
      },
    });
  });

  const COUNT = DEPTH !== 'sample' ? 500 : 60;

  it(`H32: ${COUNT} actions`, { timeout: 300_000 }, async () => {
    const config = PACKAGES.find(({ name }) => name === 'example-csv-copy')?.resources['pipeline.json'] ?? '';
    const artifact = { name: 'cdap-data-pipeline', version: '6.11.0', scope: 'SYSTEM' };
    const actions = Array.from({ length: COUNT }, (_, n) => ({
      type: 'create_pipeline',
      arguments: Object.entries({ artifact, name: `Copy${n}`, config: 'pipeline.json' }).map(([name, value]) => ({
        name,
        value,
      })),
    }));
    const journalBytes = async (site: Site): Promise<number> => {
      const folder = join(site.home, '.local/state/cdapctl/installs');
      const names = (await readdir(folder)).filter((name) => name.endsWith('.ndjson'));
      return (await stat(join(folder, names[0] ?? ''))).size;
    };
    const site = await openSite();
    await publish(site, { packages: [hubPackage({ spec: { actions }, resources: { 'pipeline.json': config } })] });
    await site.pin(await goodKey());
    const run = await site.cdapctl([...site.line(['test-package', '-y']), '--json'], { timeout: 100_000 });
    const { item } = await documentOf(run);
    expect(item?.actions.filter(({ state }) => state === 'done')).toHaveLength(COUNT);
    expect(await site.call('GET', '/apps')).toHaveLength(COUNT);
    expect((await site.writes()).filter((line) => line.startsWith('PUT '))).toHaveLength(COUNT);
    expect(await journalBytes(site)).toBeLessThan(COUNT * 2000);
    await site.close();
  });
});
