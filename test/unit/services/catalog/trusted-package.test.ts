import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { HubSigner } from '../../../../src/emulator/hub/sign.js';
import type { HubIndex, IndexFile } from '../../../../src/hub/index-file.js';
import type { HubSource } from '../../../../src/hub/source.js';
import { openTrustedPackage, type TrustedPackage } from '../../../../src/services/catalog/trusted-package.js';
import type { TrustSetup } from '../../../../src/services/catalog/trust-setup.js';
import type { PinnedKey } from '../../../../src/trust/keyring.js';
import { emptyMemory } from '../../../../src/trust/memory.js';
import { codeOf, errorOf, saidBy } from '../../../support/errors.js';
import {
  flipByte,
  HUB_TIME,
  hubKey,
  hubPackage,
  signedHub,
  type SignedHubOptions,
} from '../../../support/sites/hub-tree.js';
import { countedHub, folders, PLUGIN, setupWith } from './support-trust.js';

const never = new AbortController().signal;
const PIECE = Buffer.alloc(65_536);

/** A hub that sends one file without an end. */
function endlessHub(): { readonly source: HubSource; readonly sent: () => number } {
  let sent = 0;
  async function* body(): AsyncGenerator<Uint8Array, void, void> {
    for (; sent < 1000 * PIECE.length; sent += PIECE.length) yield PIECE;
  }
  const open: HubSource['open'] = async ({ file }) =>
    file === 'big.jar' ? { what: file, body: body(), discard: async () => undefined } : undefined;
  const catalog = () => Promise.reject(new Error('not asked for'));
  return { sent: () => sent, source: { base: 'http://hub', kind: 'http', label: 'hub', open, catalog } };
}

it('reads no further than the size that is signed, and hands nothing more on', async () => {
  const { source, sent } = endlessHub();
  const trusted = await openTrustedPackage({ source, name: 'a', version: '1' }, await setupWith([]), never);
  let taken = 0;
  const sink = (chunk: Uint8Array): void => void (taken += chunk.length);
  const { report } = await trusted.inspect('big.jar', { sink, signed: { size: 1270, agreed: undefined } }, never);
  expect(report.bytes).toBeGreaterThan(1270);
  expect([sent(), taken]).toEqual([0, PIECE.length]);
});

const newFolder = folders();
const RESOURCES = { 'plug.jar': 'not really a jar', 'plug.json': '{}' };
const PLUG = hubPackage({ name: 'plug', spec: PLUGIN, resources: RESOURCES });
const JAR = 'packages/plug/1.0.0/plug.jar';
const sha256 = createHash('sha256').update('not really a jar').digest('hex');
let key: HubSigner;
beforeAll(async () => {
  key = await hubKey();
});

interface Wanted extends Partial<SignedHubOptions> {
  readonly setup?: Partial<TrustSetup>;
  readonly keys?: readonly string[];
  /** A cache on the way that has another JAR. */
  readonly isCached?: boolean;
}

async function opened({ setup = {}, keys = [key.publicKey], isCached = false, ...options }: Wanted = {}) {
  const { files } = await signedHub({ packages: [PLUG], key, ...options });
  const { source, opened: asked } = await countedHub(await newFolder(), files);
  const fresh: (string | undefined)[] = [];
  const open: HubSource['open'] = async (place, how, signal) => {
    if (how.fresh === true) fresh.push(place.file);
    const file = await source.open(place, how, signal);
    if (!isCached || how.fresh === true || file === undefined || place.file !== 'plug.jar') return file;
    await file.discard();
    const body = (async function* () {
      yield Buffer.from('not quite a jar');
    })();
    return { ...file, body };
  };
  const address = { source: { ...source, open }, name: 'plug', version: '1.0.0' };
  const trusted = await openTrustedPackage(address, await setupWith(keys, setup), never);
  return { trusted, asked, fresh };
}

const fetched = (trusted: TrustedPackage) => trusted.fetch('plug.jar', {}, never);

describe('a hub that is being published', () => {
  /** A hub of which another state is read past caches. */
  async function between(
    before: Partial<SignedHubOptions>,
    after: Partial<SignedHubOptions>,
    old: readonly string[],
    isOld = (isFresh: boolean) => !isFresh,
    setup: Partial<TrustSetup> = {},
  ) {
    const states = [before, after].map(async (options) => {
      const { files } = await signedHub({ packages: [PLUG], key, ...options });
      return (await countedHub(await newFolder(), files)).source;
    });
    const [first, second] = await Promise.all(states);
    if (first === undefined || second === undefined) throw new Error('two states');
    const open: HubSource['open'] = async (place, how, signal) => {
      const from = old.includes(place.file) && isOld(how.fresh === true) ? first : second;
      const file = await from.open(place, how, signal);
      return file && { ...file, changed: { at: 1, answered: 2 } };
    };
    const address = { source: { ...second, open }, name: 'plug', version: '1.0.0' };
    return openTrustedPackage(address, await setupWith([key.publicKey], setup), never);
  }
  const OTHER = hubPackage({ name: 'other' });

  it('has its index read again past caches where that and its signature do not fit', async () => {
    const trusted = await between({ packages: [OTHER] }, {}, ['index.json']);
    expect((await fetched(trusted)).verdict.state).toBe('valid');
    expect(trusted.index?.packages.map(({ name }) => name)).toEqual(['plug']);
  });

  it('has its index read again where that does not list the package yet', async () => {
    const trusted = await between({ packages: [OTHER] }, {}, ['index.json', 'index.json.asc']);
    expect((await fetched(trusted)).verdict.state).toBe('valid');
  });

  it.each([[['index.json']], [['index.json', 'index.json.asc']]])(
    'is waited for until its index is there, too: %j are old',
    async (old) => {
      let waits = 0;
      const patience = { now: () => 0, wait: () => Promise.resolve((waits += 1) > 0) };
      const trusted = await between({ packages: [OTHER] }, {}, old, () => waits < 3, { patience });
      expect((await fetched(trusted)).verdict.state).toBe('valid');
      expect(waits).toBe(3);
    },
  );

  it('is refused where it is the same past caches', async () => {
    const spoiled = { tamper: { 'index.json': (bytes: Buffer) => Buffer.concat([bytes, Buffer.from(' ')]) } };
    expect(await codeOf(between(spoiled, spoiled, []).then(fetched))).toBe('SIG_BAD');
    const unlisted = { packages: [OTHER] };
    const file = async () => (await between(unlisted, unlisted, [])).fetch('spec.json', {}, never);
    expect(await codeOf(file())).toBe('RESOURCE_MISSING');
  });
});

describe('a file of a package', () => {
  it('is reported, and remembered with the index of its hub', async () => {
    const { trusted } = await opened();
    expect(trusted.remembered()).toMatchObject({ signed: false, files: {} });
    const report = await fetched(trusted);
    expect(report).toMatchObject({ name: 'plug.jar', bytes: 16, sha256, verdict: { state: 'valid' } });
    expect([trusted.reports, trusted.warnings, trusted.index?.sequence]).toEqual([[report], [], 1]);
    const { signed, files, index } = trusted.remembered();
    expect([signed, index?.sequence]).toEqual([true, 1]);
    expect(files).toMatchObject({ 'plug/1.0.0/plug.jar': { sha256 } });
  });

  it('is read into memory, past a cache that spoiled it', async () => {
    const { trusted, fresh } = await opened({ isCached: true });
    expect(Buffer.from(await trusted.read('plug.jar', never)).toString()).toBe('not really a jar');
    expect(fresh).toEqual(['plug.jar.asc', 'plug.jar']);
  });

  it('is not read twice where something else is wrong with it', async () => {
    const { trusted, fresh } = await opened({ index: false, tamper: { [`${JAR}.asc`]: () => undefined } });
    expect(await codeOf(trusted.read('plug.jar', never))).toBe('SIG_MISSING');
    expect(fresh).toEqual([]);
  });

  it('of a hub whose keys were removed is refused for want of a key, of one that is no longer signed as that', async () => {
    const memory = { ...emptyMemory(), signed: true };
    for (const policy of ['warn', 'require'] as const) {
      const { trusted } = await opened({ index: false, keys: [], setup: { policy, memory } });
      expect(await codeOf(trusted.read('plug.json', never))).toBe('NO_TRUST');
    }
    const tamper = { 'packages/plug/1.0.0/plug.json.asc': () => undefined };
    const { trusted } = await opened({ index: false, setup: { policy: 'warn', memory }, tamper });
    expect(await codeOf(trusted.read('plug.json', never))).toBe('DOWNGRADE');
  });

  it('is taken only as a lock file pins it, whatever the policy', async () => {
    const digest = (text: string) => new Map([['plug.jar', createHash('sha256').update(text).digest('hex')]]);
    for (const policy of ['require', 'off'] as const) {
      const { trusted } = await opened({ setup: { policy, locked: digest('not really a jar') } });
      expect((await fetched(trusted)).bytes).toBe(16);
      expect(await codeOf(trusted.read('plug.json', never))).toBe('LOCK_MISMATCH');
      const other = await opened({ setup: { policy, locked: digest('another') } });
      expect((await errorOf(fetched(other.trusted))).message).toBe(
        'plug 1.0.0: plug.jar is not the file that the lock file pins',
      );
    }
  });

  it('that is not there is told with its package', async () => {
    const { trusted } = await opened();
    expect(saidBy(await errorOf(trusted.fetch('none.jar', {}, never)))).toEqual({
      code: 'RESOURCE_MISSING',
      message: 'the hub has no file none.jar for plug 1.0.0',
      target: { package: 'plug', version: '1.0.0', file: 'none.jar' },
    });
  });

  it('is taken as it is where nothing is verified, and not remembered', async () => {
    const memory = { ...emptyMemory(), signed: true };
    const { trusted, asked } = await opened({ setup: { policy: 'off', memory }, tamper: { [JAR]: flipByte } });
    await fetched(trusted);
    expect([trusted.remembered() === memory, trusted.index, asked]).toEqual([
      ...[true, undefined, ['plug/1.0.0/plug.jar']],
    ]);
  });

  const problems = async (wanted: Wanted) => {
    const { trusted } = await opened(wanted);
    const inspected = await trusted.inspect('plug.jar', {}, never);
    expect(trusted.reports).toEqual([]);
    return inspected.problems.map(({ code }) => code);
  };
  const signed = { ...emptyMemory(), signed: true };
  const changed = {
    ...signed,
    files: { 'plug/1.0.0/plug.jar': { sha256: 'f'.repeat(64), bytes: 16, seenAt: new Date(HUB_TIME).toISOString() } },
  };

  it.each<[string, Wanted, readonly string[]]>([
    ['good', {}, []],
    ['of another content than the signed one', { tamper: { [JAR]: flipByte } }, ['SIG_BAD', 'MIXED']],
    ['without a signature', { index: false, tamper: { [`${JAR}.asc`]: () => undefined } }, ['SIG_MISSING']],
    [
      'without the signature that it had',
      { index: false, setup: { memory: signed }, tamper: { [`${JAR}.asc`]: () => undefined } },
      ['DOWNGRADE', 'SIG_MISSING'],
    ],
    [
      'with a bad signature where it had a good one',
      { index: false, setup: { memory: signed }, tamper: { [JAR]: flipByte } },
      ['SIG_BAD', 'DOWNGRADE'],
    ],
    ['of another content than it had', { setup: { memory: changed } }, ['CHANGED']],
  ])('that is %s has all that speaks against it', async (_, wanted, codes) => {
    expect(await problems(wanted)).toEqual(codes);
  });
});

describe('a file without a signature of its own', () => {
  const OTHER = hubPackage({
    name: 'other',
    spec: PLUGIN,
    resources: { ...RESOURCES, 'plug.jar': 'of the other one' },
  });
  const ASC = `${JAR}.asc`;
  const THEIRS = 'packages/other/1.0.0/plug.jar';
  const memory = (sequence: number) => ({
    ...emptyMemory(),
    signed: true,
    index: { sequence, sha256: 'f'.repeat(64), created: HUB_TIME, expires: HUB_TIME },
  });
  let stranger: HubSigner;
  beforeAll(async () => {
    stranger = await hubKey({ owner: 'Stranger' });
  });

  interface Attack {
    readonly setup?: Partial<TrustSetup>;
    readonly keys?: () => readonly (PinnedKey | string)[];
    readonly now?: number;
    /** Changes the index before it is signed; the list is the files of the package. */
    readonly relist?: (listed: IndexFile[], index: { packages: unknown[] }) => void;
    /** Signs the index in place of the key of the hub. */
    readonly by?: () => HubSigner;
    readonly change?: (files: Map<string, Buffer>) => void | Promise<void>;
  }

  /** A hub of which only the index is signed. */
  async function indexed({ setup, keys, now, relist, by = () => key, change }: Attack = {}) {
    const { files: built } = await signedHub({ packages: [PLUG, OTHER], key, ...(now !== undefined && { now }) });
    const files = new Map([...built].filter(([path]) => !path.endsWith('.asc')));
    const index = JSON.parse(files.get('index.json')?.toString() ?? '') as HubIndex;
    const own = index.packages.find(({ name }) => name === 'plug')?.files as IndexFile[];
    relist?.(own, index);
    files.set('index.json', Buffer.from(JSON.stringify(index)));
    files.set('index.json.asc', Buffer.from(await by().sign(files.get('index.json') ?? Buffer.alloc(0))));
    await change?.(files);
    const { source } = await countedHub(await newFolder(), files);
    const address = { source, name: 'plug', version: '1.0.0' };
    return openTrustedPackage(address, await setupWith(keys?.() ?? [key.publicKey], setup), never);
  }

  it.each(['require', 'warn'] as const)('counts as signed under %s, and is remembered so', async (policy) => {
    const trusted = await indexed({ setup: { policy } });
    const { verdict } = await fetched(trusted);
    const { fingerprint } = key;
    expect(verdict).toMatchObject({
      state: 'valid',
      reason: 'good',
      fingerprint,
      detail: 'covered by the signed index',
    });
    expect([trusted.warnings, trusted.remembered()]).toMatchObject([[], { signed: true, index: { sequence: 1 } }]);
  });

  it('counts as signed where all had signatures before', async () => {
    const before = (await opened()).trusted;
    await fetched(before);
    const trusted = await indexed({ setup: { memory: { ...before.remembered(), index: memory(0).index } } });
    expect((await fetched(trusted)).verdict.state).toBe('valid');
  });

  it('is read again past a cache that spoiled it', async () => {
    const { trusted, fresh } = await opened({ isCached: true, tamper: { [ASC]: () => undefined } });
    expect(Buffer.from(await trusted.read('plug.jar', never)).toString()).toBe('not really a jar');
    expect(fresh).toEqual(['plug.jar.asc', 'plug.jar']);
  });

  const isJar = ({ name }: IndexFile) => name === 'plug.jar';
  const relisted = (facts: Partial<IndexFile>): Attack => ({
    relist: (listed) =>
      void listed.splice(listed.findIndex(isJar), 1, { ...listed.find(isJar), ...facts } as IndexFile),
  });
  const bytesOf = (files: Map<string, Buffer>, path: string): Buffer => files.get(path) ?? expect.fail(path);

  it.each<[string, Attack, readonly string[]]>([
    ['changed', { change: (files) => void files.set(JAR, flipByte(bytesOf(files, JAR))) }, ['MIXED', 'SIG_MISSING']],
    [
      'changed, under warn',
      { setup: { policy: 'warn' }, change: (files) => void files.set(JAR, flipByte(bytesOf(files, JAR))) },
      ['MIXED'],
    ],
    [
      'longer',
      { change: (files) => void files.set(JAR, Buffer.concat([bytesOf(files, JAR), Buffer.from(' ')])) },
      ['MIXED', 'SIG_MISSING'],
    ],
    [
      'that of another package',
      { change: (files) => void files.set(JAR, bytesOf(files, THEIRS)) },
      ['BINDING', 'SIG_MISSING'],
    ],
    [
      'another one of its package',
      { change: (files) => void files.set(JAR, bytesOf(files, 'packages/plug/1.0.0/plug.json')) },
      ['BINDING', 'SIG_MISSING'],
    ],
    ['listed with a smaller size', relisted({ size: 15 }), ['MIXED', 'SIG_MISSING']],
    ['listed with a larger size', relisted({ size: 17 }), ['MIXED', 'SIG_MISSING']],
    ['listed with another digest', relisted({ sha256: 'f'.repeat(64) }), ['MIXED', 'SIG_MISSING']],
    ['not listed', { relist: (listed) => void listed.splice(listed.findIndex(isJar), 1) }, ['MIXED', 'SIG_MISSING']],
    ['listed under another name', relisted({ name: 'Plug.jar' }), ['MIXED', 'SIG_MISSING']],
    ['beside junk for a signature', { change: (files) => void files.set(ASC, Buffer.from('')) }, ['SIG_MALFORMED']],
    [
      'beside the signature of another file',
      { change: async (files) => void files.set(ASC, Buffer.from(await key.sign(Buffer.from('other')))) },
      ['SIG_BAD'],
    ],
    [
      'beside the signature of a stranger',
      { change: async (files) => void files.set(ASC, Buffer.from(await stranger.sign(bytesOf(files, JAR)))) },
      ['KEY_UNKNOWN'],
    ],
    [
      'listed by an index that is older than one seen',
      { setup: { memory: memory(5) } },
      ['ROLLBACK', 'DOWNGRADE', 'SIG_MISSING'],
    ],
    [
      'listed by another index of the number that was seen',
      { setup: { memory: { ...memory(1), signed: false } } },
      ['ROLLBACK', 'SIG_MISSING'],
    ],
    ['listed by an index that expired', { now: HUB_TIME - 40 * 86_400_000 }, ['STALE', 'SIG_MISSING']],
    [
      'listed by an index of the future',
      { relist: (_, index) => Object.assign(index, { created: '2099-01-01T00:00:00Z' }) },
      ['SIG_FUTURE', 'SIG_MISSING'],
    ],
    ['listed by the index of a stranger', { by: () => stranger }, ['KEY_UNKNOWN', 'SIG_MISSING']],
    [
      'listed by the index of a stranger, under warn, where there was a good one',
      { by: () => stranger, setup: { policy: 'warn', memory: memory(1) } },
      ['DOWNGRADE', 'DOWNGRADE'],
    ],
    [
      'listed by an index of a key for such packages only',
      { keys: () => [{ armored: key.publicKey, packages: 'plug*' }] },
      ['KEY_UNKNOWN', 'SIG_MISSING'],
    ],
    [
      'listed by an index of a key for such packages beside one for all',
      { keys: () => [stranger.publicKey, { armored: key.publicKey, packages: '*' }] },
      ['KEY_UNKNOWN', 'SIG_MISSING'],
    ],
    [
      'listed by an index that was changed',
      {
        change: (files) =>
          void files.set('index.json', Buffer.concat([bytesOf(files, 'index.json'), Buffer.from(' ')])),
      },
      ['SIG_BAD', 'SIG_MISSING'],
    ],
    [
      'listed by an index without a signature',
      { change: (files) => void files.delete('index.json.asc') },
      ['SIG_MISSING'],
    ],
    ['listed where no key is pinned', { keys: () => [], setup: { policy: 'require' } }, ['NO_TRUST']],
  ])('is refused when it is %s', async (_, attack, codes) => {
    const trusted = await indexed(attack);
    const { report, problems } = await trusted.inspect('plug.jar', {}, never);
    expect([problems.map(({ code }) => code), report.verdict.state === 'valid']).toEqual([codes, false]);
    expect(await codeOf(fetched(trusted))).toBe(codes[0]);
    expect(trusted.remembered().signed).toBe(attack.setup?.memory?.signed === true);
  });

  it('counts as signed by an index that expired where that is allowed', async () => {
    const old = await hubKey({ now: HUB_TIME - 40 * 86_400_000 });
    const { trusted } = await opened({
      ...{ key: old, keys: [old.publicKey], now: HUB_TIME - 40 * 86_400_000 },
      ...{ setup: { allowStale: true }, tamper: { [ASC]: () => undefined } },
    });
    expect((await fetched(trusted)).verdict.state).toBe('valid');
  });

  it.each<[string, NonNullable<Attack['relist']>]>([
    ['a file', (listed) => void listed.push(...listed.filter(isJar))],
    ['a package', (_, { packages }) => void packages.push(packages[0])],
  ])('is not read where the index lists %s twice', async (_, relist) => {
    expect(await codeOf(indexed({ relist }))).toBe('BAD_CATALOG');
  });
});
