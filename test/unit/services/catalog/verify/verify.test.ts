import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { HubSigner } from '../../../../../src/emulator/hub/sign.js';
import { CliError } from '../../../../../src/core/errors.js';
import type { HubSource } from '../../../../../src/hub/source.js';
import type { TrustSetup } from '../../../../../src/services/catalog/trust-setup.js';
import type { VerifiedFile } from '../../../../../src/services/catalog/verified-file.js';
import { expiringRefusal } from '../../../../../src/services/catalog/verify/expiring.js';
import { verifyAll, type VerificationOutcome } from '../../../../../src/services/catalog/verify/verify.js';
import { everyPackage, readFolder, setupFor } from '../../../../../src/services/catalog/verify/target.js';
import type { HubMemory } from '../../../../../src/trust/memory.js';
import {
  flipByte,
  HUB_TIME,
  hubKey,
  hubPackage,
  signedHub,
  writeHubTree,
  type SignedHubOptions,
} from '../../../../support/sites/hub-tree.js';
import { saidBy } from '../../../../support/errors.js';
import { countedHub, folders, PLUGIN, setupWith } from '../support-trust.js';

const newFolder = folders();
const signal = new AbortController().signal;
const FOLDER = 'packages/plug/1.0.0';
const PLUG = hubPackage({
  name: 'plug',
  spec: PLUGIN,
  resources: { 'plug.jar': 'not really a jar', 'plug.json': '{}' },
});
let key: HubSigner;
let stranger: HubSigner;

beforeAll(async () => {
  [key, stranger] = [await hubKey(), await hubKey({ owner: 'Stranger' })];
});

interface Result {
  readonly rows: Readonly<Record<string, VerifiedFile>>;
  readonly outcome: VerificationOutcome;
  readonly remembered: HubMemory | undefined;
  readonly opened: readonly string[];
}

interface Wanted extends Partial<SignedHubOptions> {
  readonly setup?: TrustSetup;
  readonly strict?: boolean;
  readonly kind?: HubSource['kind'];
}

/** Verifies all of a hub in a folder, signed by the key that is pinned unless told otherwise. */
async function verify({ setup, strict = false, kind, ...options }: Wanted = {}): Promise<Result> {
  const { files } = await signedHub({ packages: [PLUG], key, ...options });
  const { source: folder, opened } = await countedHub(await newFolder(), files);
  const source = kind === undefined ? folder : { ...folder, kind };
  const packages = await everyPackage({ name: 'corp', source }, signal);
  opened.length = 0;
  let remembered: HubMemory | undefined;
  const remember = (memory: HubMemory): Promise<void> => {
    remembered = memory;
    return Promise.resolve();
  };
  const target = { hub: 'corp', source, setup: setup ?? (await setupWith([key.publicKey])), packages, remember };
  const { rows, outcome } = verifyAll([target], { strict }, signal);
  const found: Record<string, VerifiedFile> = {};
  for await (const row of rows) found[row.name] = row;
  return { rows: found, outcome: outcome(), remembered, opened };
}

it('waits for the index of a hub that is being published', async () => {
  const OTHER = hubPackage({ name: 'other' });
  const states = [[PLUG], [PLUG, OTHER]].map(async (packages) => {
    const { files } = await signedHub({ packages, key });
    return (await countedHub(await newFolder(), files)).source;
  });
  const [before, after] = await Promise.all(states);
  if (before === undefined || after === undefined) throw new Error('two states');
  let waits = 0;
  const open: HubSource['open'] = async (place, options, stop) => {
    const from = waits < 2 && place.file.startsWith('index') ? before : after;
    const file = await from.open(place, options, stop);
    return file && { ...file, changed: { at: 1, answered: 2 } };
  };
  const patience = { now: () => 0, wait: () => Promise.resolve((waits += 1) > 0) };
  const source = { ...after, open };
  const packages = await everyPackage({ name: 'corp', source }, signal);
  const setup = await setupWith([key.publicKey], { patience });
  const { rows, outcome } = verifyAll([{ hub: 'corp', source, setup, packages }], { strict: true }, signal);
  const found: VerifiedFile[] = [];
  for await (const row of rows) found.push(row);
  expect(found.filter(({ ok }) => !ok)).toEqual([]);
  expect(outcome()).toMatchObject({ ok: true, packages: 2, refused: 0 });
  expect(waits).toBe(2);
});

it('reads the catalog again that a publication has replaced', async () => {
  const { files } = await signedHub({ packages: [PLUG], key });
  const { source } = await countedHub(await newFolder(), files);
  const packages = [{ name: 'gone', version: '1.0.0', entry: undefined }];
  const again = () => everyPackage({ name: 'corp', source }, signal);
  const setup = await setupWith([key.publicKey]);
  const { rows, outcome } = verifyAll([{ hub: 'corp', source, setup, packages, again }], { strict: true }, signal);
  const found: string[] = [];
  for await (const { package: name, ok } of rows) if (name !== undefined) found.push(`${name} ${String(ok)}`);
  expect(new Set(found)).toEqual(new Set(['plug true']));
  expect(outcome()).toMatchObject({ ok: true, packages: 1 });
});

it.each([{}, { index: false }])('does not read a catalog again that fits its hub: %j', async (options) => {
  const { files } = await signedHub({ packages: [PLUG], key, ...options });
  const { source } = await countedHub(await newFolder(), files);
  const packages = await everyPackage({ name: 'corp', source }, signal);
  const again = () => Promise.reject(new Error('read again'));
  const setup = await setupWith([key.publicKey]);
  const { rows, outcome } = verifyAll([{ hub: 'corp', source, setup, packages, again }], { strict: true }, signal);
  for await (const { ok } of rows) expect(ok).toBe(true);
  expect(outcome()).toMatchObject({ ok: true, packages: 1, expiring: [], unindexed: [] });
});

const statesOf = (rows: Result['rows']): Record<string, string> =>
  Object.fromEntries(Object.entries(rows).map(([name, { state, ok }]) => [name, ok ? state : state.toUpperCase()]));

describe('several hubs, one of which cannot be read', () => {
  const gone = new CliError('NET_REFUSED', 'nobody listens there', { hints: ['cdapctl hub remove gone'] });
  async function both(tampered: boolean): Promise<{ rows: VerifiedFile[]; outcome: VerificationOutcome }> {
    const tamper = tampered ? { [`${FOLDER}/plug.jar`]: flipByte } : {};
    const { files } = await signedHub({ packages: [PLUG], key, tamper });
    const { source } = await countedHub(await newFolder(), files);
    const packages = await everyPackage({ name: 'corp', source }, signal);
    const setup = await setupWith([]);
    const broken = { ...source, open: () => Promise.reject(gone) };
    const targets = [
      { hub: 'dying', source: broken, setup, packages },
      { hub: 'corp', source, setup: tampered ? await setupWith([key.publicKey]) : setup, packages },
    ];
    const { rows, outcome } = verifyAll(targets, { strict: false, unread: [{ hub: 'gone', error: gone }] }, signal);
    const found: VerifiedFile[] = [];
    for await (const row of rows) found.push(row);
    return { rows: found, outcome: outcome() };
  }

  it('verifies the others, names it, and ends with 10', async () => {
    const { rows, outcome } = await both(false);
    expect(new Set(rows.map(({ hub }) => hub))).toEqual(new Set(['corp']));
    expect(outcome.ok).toBe(false);
    expect(outcome.unread.map(({ hub }) => hub)).toEqual(['gone', 'dying']);
    expect(outcome.refusal && saidBy(outcome.refusal)).toEqual({
      ...{ code: 'PARTIAL', message: '2 of 3 hubs could not be read' },
      lines: ['hub "gone": nobody listens there', 'hub "dying": nobody listens there'],
      hints: ['cdapctl hub remove gone'],
    });
    expect(outcome.warnings).toEqual([expect.stringMatching(/^hub "corp": nothing was verified/u)]);
  });

  it('has no hint where its error has none', () => {
    const unread = [{ hub: 'gone', error: new CliError('NET_REFUSED', 'nobody listens there') }];
    const { refusal } = verifyAll([], { strict: false, unread }, signal).outcome();
    expect(refusal?.details).toEqual({ lines: ['hub "gone": nobody listens there'], hints: [] });
  });

  it('ends with what was refused of the others all the same', async () => {
    expect((await both(true)).outcome.refusal?.exitCode).toBe(9);
  });
});

describe('a hub that is as published', () => {
  it('has every file verified, the catalog and the icon by the signed index', async () => {
    const { rows, outcome } = await verify();
    expect(statesOf(rows)).toEqual({
      'spec.json': 'valid',
      'plug.jar': 'valid',
      'plug.json': 'valid',
      'icon.png': 'valid',
      'index.json': 'valid',
      'packages.json': 'unsigned',
      'categories.json': 'unsigned',
    });
    const counts = { packages: 1, files: 7, refused: 0, unknown: 0, valid: 5, unsigned: 2 };
    expect(outcome).toEqual({
      ok: true,
      policy: 'require',
      ...counts,
      warnings: [],
      unindexed: [],
      expiring: [],
      unread: [],
      refusal: undefined,
    });
    const sha256 = expect.stringMatching(/^[0-9a-f]{64}$/u) as string;
    const signed = {
      sha256,
      reason: 'good',
      fingerprint: key.fingerprint,
      keyId: key.fingerprint.slice(-16),
      userId: 'Test Hub <test@hub.example.org>',
      signedAt: '2025-06-01T12:00:00Z',
      algorithm: 'Ed25519',
      hash: 'SHA-512',
    };
    const jar = { bytes: 16, sha256: 'd2c6cf77ae5f94f752b1bb51027081935c2487ad68f670e6d230f41c93d5c547' };
    expect(rows['plug.jar']).toMatchObject({ hub: 'corp', package: 'plug', version: '1.0.0', ...signed, ...jar });
    expect(rows['index.json']).toMatchObject({ hub: 'corp', bytes: 1735, ...signed });
    const unsigned = { sha256, reason: 'unsigned', detail: 'covered by the signed index' };
    expect(rows['packages.json']).toMatchObject({ hub: 'corp', bytes: 333, ...unsigned });
    expect(rows['icon.png']).toMatchObject({ ...signed, detail: 'covered by the signed index' });
  });

  it('needs no signature of a file that its index lists, and has no other file in its place', async () => {
    const bare = Object.fromEntries(
      ['spec.json', 'plug.jar', 'plug.json'].map((name) => [`${FOLDER}/${name}.asc`, () => undefined]),
    );
    const { rows, outcome, remembered } = await verify({ tamper: bare, strict: true });
    expect([outcome.ok, outcome.valid, remembered?.signed]).toEqual([true, 5, true]);
    expect(rows['plug.jar']).toMatchObject({ state: 'valid', ok: true, detail: 'covered by the signed index' });
    const setup = await setupWith([key.publicKey], { ...(remembered && { memory: remembered }) });
    const changed = await verify({ tamper: { ...bare, [`${FOLDER}/plug.jar`]: flipByte }, setup, sequence: 2 });
    expect(changed.rows['plug.jar']).toMatchObject({ state: 'missing', ok: false });
    expect(changed.rows['plug.jar']?.detail).toBe('the signed index lists another size or digest');
    expect([changed.outcome.refusal?.code, changed.outcome.refused]).toEqual(['MIXED', 1]);
    const stale = await verify({ tamper: bare, now: HUB_TIME - 40 * 86_400_000 });
    expect([stale.outcome.valid, stale.rows['plug.jar']?.state]).toEqual([0, 'missing']);
  });

  it('is remembered: every file, the index, and that it was signed', async () => {
    const { rows, remembered } = await verify();
    expect(remembered?.signed).toBe(true);
    expect(remembered?.index).toMatchObject({ sequence: 1, sha256: rows['index.json']?.sha256 });
    expect(remembered?.files['plug/1.0.0/plug.jar']).toMatchObject({ bytes: 16, sha256: rows['plug.jar']?.sha256 });
    expect(Object.keys(remembered?.files ?? {}).sort()).toEqual(
      ['icon.png', 'plug.jar', 'plug.json', 'spec.json'].map((file) => `plug/1.0.0/${file}`),
    );
  });

  it('has its catalog shown as unsigned when there is no signed index', async () => {
    const { rows, outcome } = await verify({ index: false });
    expect(rows['packages.json']).toMatchObject({
      state: 'unsigned',
      ok: true,
      detail: 'this hub does not sign its catalog',
    });
    expect(rows['icon.png']).toMatchObject({ state: 'unsigned', detail: 'by design' });
    expect(rows['index.json']).toBeUndefined();
    expect(outcome.ok).toBe(true);
  });

  it('may sign its catalog alone', async () => {
    const { files } = await signedHub({ packages: [PLUG], key, index: false });
    const catalog = files.get('packages.json') ?? expect.fail('no catalog');
    for (const [bytes, state, code] of [
      [catalog, 'valid', undefined],
      [Buffer.concat([catalog, Buffer.from(' ')]), 'invalid', 'SIG_BAD'],
    ] as const) {
      files.set('packages.json.asc', Buffer.from(await key.sign(catalog)));
      files.set('packages.json', bytes);
      const { source } = await countedHub(await newFolder(), files);
      const target = { hub: 'corp', source, setup: await setupWith([key.publicKey]), packages: [] };
      const { rows, outcome } = verifyAll([target], { strict: false }, signal);
      const found: VerifiedFile[] = [];
      for await (const row of rows) found.push(row);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      expect(found).toMatchObject([{ name: 'packages.json', state, bytes: bytes.length, sha256 }]);
      expect(outcome().refusal?.code).toBe(code ?? 'PACKAGE_NOT_FOUND');
    }
  });

  it('has its index read once, however many packages there are', async () => {
    const packages = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => hubPackage({ name }));
    const { opened, outcome } = await verify({ packages });
    expect(outcome.packages).toBe(6);
    expect(opened.filter((file) => file.startsWith('index.json'))).toEqual(['index.json', 'index.json.asc']);
  });

  it('may lack an icon', async () => {
    const { rows, outcome } = await verify({ index: false, tamper: { [`${FOLDER}/icon.png`]: () => undefined } });
    expect(rows['icon.png']).toBeUndefined();
    expect(outcome.ok).toBe(true);
  });
});

describe('a hub that is not as published', () => {
  const BAD = (file: string) => ({
    code: 'SIG_BAD',
    message: '1 of 7 files is not as published',
    lines: [`${file} does not match its signature: the file, or the signature, was changed`],
    hints: [{ next: 'restore-file', folder: undefined }],
    target: { file, reason: 'bad-signature', signer: expect.stringMatching(/^[0-9A-F]{40}$/u) as string },
  });
  const STALE = {
    code: 'STALE',
    message: 'the signed index expired 2025-05-22T12:00:00Z and is 40 days old (it is 2025-06-01T12:00:00Z)',
    hints: [
      'if the clock of this machine is right, the hub may be an outdated copy; ask its owner',
      { next: 'allow-stale' },
    ],
  };
  const changed: readonly [string, string, Wanted, Record<string, string>, object][] = [
    [
      'a changed JAR',
      'S04',
      { tamper: { [`${FOLDER}/plug.jar`]: flipByte } },
      { 'plug.jar': 'INVALID' },
      BAD('plug.jar'),
    ],
    [
      'a changed specification',
      'S03',
      { tamper: { [`${FOLDER}/spec.json`]: (bytes) => flipByte(bytes, 30) } },
      { 'spec.json': 'INVALID' },
      BAD('spec.json'),
    ],
    [
      'a missing signature',
      'S02',
      { index: false, tamper: { [`${FOLDER}/plug.json.asc`]: () => undefined } },
      { 'plug.json': 'MISSING' },
      {
        code: 'SIG_MISSING',
        message: '1 of 5 files is not signed',
        lines: ['plug.json has no signature'],
        hints: ['ask the publisher for a signed package'],
        target: { file: 'plug.json', reason: 'missing' },
      },
    ],
    [
      'a file that is gone',
      'H22',
      { tamper: { [`${FOLDER}/plug.jar`]: () => undefined } },
      { 'plug.jar': 'MISSING' },
      {
        code: 'RESOURCE_MISSING',
        message: '1 of 7 files is not there',
        lines: ['the file plug.jar of plug 1.0.0 is missing'],
        hints: [],
        target: { file: 'plug.jar', package: 'plug', version: '1.0.0' },
      },
    ],
    [
      'an icon that the index does not know',
      'S21',
      { tamper: { [`${FOLDER}/icon.png`]: flipByte } },
      { 'icon.png': 'INVALID' },
      {
        code: 'MIXED',
        message: '1 of 7 files is not as published',
        lines: ['plug 1.0.0: icon.png does not match the signed index of the hub'],
        hints: [{ next: 'publish-again' }],
        target: { file: 'icon.png', package: 'plug', version: '1.0.0' },
      },
    ],
    [
      'a catalog that the index does not know',
      'S21',
      { tamper: { 'packages.json': (bytes) => Buffer.concat([bytes, Buffer.from(' ')]) } },
      { 'packages.json': 'INVALID' },
      {
        code: 'MIXED',
        message: '1 of 7 files is not as published',
        lines: ['packages.json does not match the signed index of the hub'],
        hints: [{ next: 'publish-again' }],
        target: { file: 'packages.json' },
      },
    ],
    ['an index that has expired', 'S20', { now: HUB_TIME - 40 * 86_400_000 }, { 'index.json': 'INVALID' }, STALE],
  ];

  it.each(changed)('is refused for %s (%s), and only that file', async (_what, _id, wanted, bad, said) => {
    const { files } = { files: wanted };
    const old = wanted.now === undefined ? key : await hubKey({ now: wanted.now });
    const { rows, outcome, remembered } = await verify({ ...files, key: old, setup: await setupWith([old.publicKey]) });
    const refused = Object.fromEntries(
      Object.entries(statesOf(rows)).filter(([, state]) => state === state.toUpperCase()),
    );
    expect(refused).toEqual(bad);
    expect(outcome).toMatchObject({ ok: false, refused: 1 });
    expect(outcome.valid + outcome.unsigned).toBe(outcome.files - 1);
    expect(outcome.refusal && saidBy(outcome.refusal)).toEqual(said);
    expect(remembered).toBeUndefined();
  });

  it.each([
    ['a folder', 'folder', []],
    ['a server', 'http', [expect.stringMatching(/^do not use the package/u)]],
  ] as const)('says of the index of another publication in %s who continues it (V28)', async (_, kind, more) => {
    const tamper = { 'index.json': (bytes: Buffer) => Buffer.concat([bytes, Buffer.from(' ')]) };
    const { rows, outcome } = await verify({ tamper, kind });
    expect(rows['index.json']).toMatchObject({ state: 'invalid', ok: false });
    expect(outcome.refusal).toMatchObject({
      code: 'SIG_BAD',
      details: { hints: [{ next: 'publish-again' }, ...more] },
    });
  });

  it('is refused for a signer who is not pinned, naming the fingerprint', async () => {
    const { rows, outcome } = await verify({ key: stranger, index: false });
    expect(outcome).toMatchObject({ valid: 0, unsigned: 2, refused: 3 });
    expect(rows['spec.json']).toMatchObject({ state: 'unknown-signer', ok: false, fingerprint: stranger.fingerprint });
    expect(outcome.refusal?.exitCode).toBe(9);
    expect(outcome.refusal?.code).toBe('KEY_UNKNOWN');
  });

  it.each(['expired', 'revoked'] as const)('is refused for a key that was %s', async (state) => {
    const bad = await hubKey({ state });
    const { rows, outcome } = await verify({ key: bad, setup: await setupWith([bad.publicKey]) });
    expect(rows['spec.json']).toMatchObject({ state: `${state}-key`, ok: false });
    expect(outcome.refusal?.code).toBe(state === 'expired' ? 'KEY_EXPIRED' : 'KEY_REVOKED');
  });

  it('is refused for a file that was seen with other content, though it is well signed (S18)', async () => {
    const first = await verify();
    const files = { ...first.remembered?.files };
    const memory = { ...first.remembered, index: undefined, files } as HubMemory;
    delete memory.index;
    const other = hubPackage({
      name: 'plug',
      spec: PLUGIN,
      resources: { 'plug.jar': 'other bytes', 'plug.json': '{}' },
    });
    const { rows, outcome } = await verify({ packages: [other], setup: await setupWith([key.publicKey], { memory }) });
    expect(rows['plug.jar']).toMatchObject({ state: 'invalid', reason: 'good', ok: false });
    expect(outcome.refusal?.code).toBe('CHANGED');
  });

  it('is refused when the signed files of another package stand in its place (S16)', async () => {
    const other = hubPackage({
      name: 'other',
      spec: PLUGIN,
      resources: { 'plug.jar': 'other bytes', 'plug.json': '{}' },
    });
    const { files } = await signedHub({ packages: [PLUG, other], key });
    const theirs = (file: string): Buffer => files.get(`packages/other/1.0.0/${file}`) ?? expect.fail(file);
    const tamper = {
      [`${FOLDER}/plug.jar`]: () => theirs('plug.jar'),
      [`${FOLDER}/plug.jar.asc`]: () => theirs('plug.jar.asc'),
    };
    const { outcome } = await verify({ packages: [PLUG, other], tamper });
    expect(outcome.refusal?.code).toBe('BINDING');
    expect(outcome.refusal?.details.lines).toEqual(['plug 1.0.0: plug.jar is signed as a file of other 1.0.0']);
  });

  it('is refused when the index that it had is gone (S22)', async () => {
    const { remembered: memory } = await verify();
    const { rows, outcome } = await verify({
      index: false,
      setup: await setupWith([key.publicKey], { ...(memory && { memory }) }),
    });
    expect(rows['index.json']).toMatchObject({ state: 'missing', ok: false });
    expect(outcome.refusal?.code).toBe('DOWNGRADE');
  });

  it('has all its faults listed, errors of trust before those of content', async () => {
    const { outcome } = await verify({
      tamper: { [`${FOLDER}/plug.json`]: () => undefined, [`${FOLDER}/plug.jar`]: flipByte },
    });
    expect(outcome.refusal?.code).toBe('SIG_BAD');
    expect(outcome.refusal?.message).toBe('2 of 7 files are not as published');
    expect(outcome.refusal?.details.lines).toHaveLength(2);
  });

  it('is judged to the end when a specification cannot be read', async () => {
    const broken = hubPackage({ name: 'broken', spec: { actions: 'none' } });
    const { rows, outcome } = await verify({ packages: [broken, PLUG] });
    expect(outcome).toMatchObject({ packages: 2, refused: 1 });
    expect(outcome.refusal?.code).toBe('BAD_ACTION');
    expect(rows['plug.jar']?.ok).toBe(true);
  });
});

describe('what cannot be read', () => {
  async function allOf(rows: AsyncIterable<VerifiedFile>): Promise<readonly VerifiedFile[]> {
    const all: VerifiedFile[] = [];
    for await (const row of rows) all.push(row);
    return all;
  }
  const dying =
    (file: string, error: Error): HubSource['open'] =>
    async (place) =>
      place.file === file ? Promise.reject(error) : undefined;
  const target = async (open: HubSource['open'], changes: Partial<TrustSetup> = {}) => {
    const source = { ...(await folderOf([PLUG])), open };
    const packages = [{ name: 'plug', version: '1.0.0', entry: undefined }];
    return { hub: 'corp', source, setup: await setupWith([key.publicKey], changes), packages };
  };
  async function folderOf(packages: SignedHubOptions['packages']): Promise<HubSource> {
    const { files } = await signedHub({ packages, key });
    return (await countedHub(await newFolder(), files)).source;
  }

  it.each([
    ['spec.json', new CliError('NET_RESET', 'cut')],
    ['packages.json', new CliError('NET_RESET', 'cut')],
    ['spec.json', new TypeError('bug')],
  ])('%s ends a run over one hub (%s)', async (file, error) => {
    const { rows } = verifyAll([await target(dying(file, error))], { strict: false }, signal);
    await expect(allOf(rows)).rejects.toBe(error);
  });

  it('by an error of ours ends a run over several hubs, too', async () => {
    const targets = [await target(dying('spec.json', new TypeError('bug'))), await target(dying('none', new Error()))];
    await expect(allOf(verifyAll(targets, { strict: false }, signal).rows)).rejects.toThrow('bug');
  });

  it('is told where there is no package at all', async () => {
    const one = await target(async () => undefined);
    const { rows, outcome } = verifyAll([{ ...one, packages: [] }], { strict: false }, signal);
    expect(await allOf(rows)).toEqual([]);
    const { ok, refusal } = outcome();
    expect(ok).toBe(false);
    expect(refusal && saidBy(refusal)).toEqual({
      code: 'PACKAGE_NOT_FOUND',
      message: 'there is no package to verify',
      hints: ['a hub holds packages.json or packages/NAME/VERSION/spec.json, a package holds spec.json'],
    });
  });

  it('is malformed where a file is larger than it may be', async () => {
    const large = new CliError('TOO_LARGE', 'spec.json is larger than 4 MB');
    const { rows } = verifyAll([await target(dying('spec.json', large))], { strict: false }, signal);
    const [row] = await allOf(rows);
    expect(row).toEqual({
      ...{ hub: 'corp', package: 'plug', version: '1.0.0', name: 'spec.json' },
      ...{ state: 'invalid', reason: 'malformed', ok: false, detail: large.message },
    });
  });
});

describe('the policy', () => {
  it('warns without a key, says that nothing was verified, and stores nothing new as signed', async () => {
    const { rows, outcome, remembered } = await verify({ setup: await setupWith([]) });
    const detail = 'cannot be verified: no trusted key';
    expect(rows['spec.json']).toMatchObject({ state: 'unknown-signer', ok: true, detail });
    expect(outcome).toMatchObject({ ok: true, policy: 'warn' });
    expect(outcome.warnings).toEqual(['nothing was verified: no key is trusted for this folder']);
    expect(remembered?.signed).toBe(false);
  });

  it('without a key names the hub whose key the signatures name', async () => {
    const lenders = [
      { hub: 'other', option: '--hub other', keyring: (await setupWith([stranger.publicKey])).keyring },
      { hub: 'corp', option: '--hub corp', keyring: (await setupWith([key.publicKey])).keyring },
    ];
    const { outcome } = await verify({ setup: { ...(await setupWith([])), lenders } });
    expect(outcome.warnings).toContain(
      'the key of the signatures is trusted for the hub "corp"; to verify with it: --hub corp',
    );
    const required = await verify({ setup: { ...(await setupWith([], { policy: 'require' })), lenders } });
    expect(required.outcome.refusal).toMatchObject({ code: 'NO_TRUST' });
    expect(required.outcome.refusal?.details.hints?.[0]).toContain('--hub corp');
  });

  it('says of files of strangers that no trusted key signed them, not that they changed', async () => {
    const { outcome } = await verify({ key: stranger, index: false });
    expect(outcome.refusal).toMatchObject({ code: 'KEY_UNKNOWN' });
    expect(outcome.refusal?.message).toMatch(/^\d of \d files are not signed by a trusted key$/u);
  });

  it.each([
    ['a missing one', { tamper: { [`${FOLDER}/plug.jar.asc`]: (): undefined => undefined } }, ['plug.jar']],
    ['one of a stranger', {}, ['spec.json', 'plug.jar', 'plug.json']],
  ])('warn takes no signature but a valid one where there was one: %s (S22)', async (_, wanted, refused) => {
    const { remembered } = await verify({ index: false });
    const memory = remembered ?? expect.fail('nothing was remembered');
    const setup = await setupWith([key.publicKey], { policy: 'warn', memory });
    const signer = refused.length === 1 ? key : stranger;
    const { rows, outcome } = await verify({ ...wanted, key: signer, index: false, setup });
    const bad = Object.values(rows).filter(({ ok }) => !ok);
    expect(bad.map(({ name }) => name)).toEqual(refused);
    expect(outcome.refusal?.code).toBe('DOWNGRADE');
  });

  it('warn takes no index of a stranger where there was a good one (S19, S22)', async () => {
    const { remembered } = await verify();
    const memory = { ...(remembered ?? expect.fail('nothing was remembered')), signed: false };
    const setup = await setupWith([key.publicKey], { policy: 'warn', memory });
    const { rows, outcome } = await verify({ key: stranger, setup });
    expect(rows['index.json']).toMatchObject({ state: 'unknown-signer', ok: false });
    expect(outcome.refusal?.code).toBe('DOWNGRADE');
  });

  it('warn lets a stranger sign a hub that never had a good signature', async () => {
    const { outcome } = await verify({ key: stranger, setup: await setupWith([key.publicKey], { policy: 'warn' }) });
    expect(outcome.ok).toBe(true);
    expect(outcome.warnings).not.toEqual([]);
  });

  it('require without a key is one refusal, however many files there are (S25)', async () => {
    const { rows, outcome } = await verify({ setup: await setupWith([], { policy: 'require' }) });
    expect(outcome.refusal?.code).toBe('NO_TRUST');
    expect(rows['index.json']).toMatchObject({ state: 'unknown-signer', ok: false });
    expect(outcome).toMatchObject({ unknown: 6, unsigned: 1 });
    expect(outcome.refusal?.message).toContain('no key is trusted');
  });

  it.each([
    ['without a key', [], undefined, 'unknown-signer', 'the signed index cannot be verified'],
    ['of a stranger', [true], undefined, 'unknown-signer', 'the signed index cannot be verified'],
    ['changed', [true], { 'index.json': flipByte }, 'invalid', 'the signed index is not valid'],
  ] as const)(
    'refuses the catalogs with the signed index that lists them: %s (S03)',
    async (_, keys, tamper, state, detail) => {
      const setup = await setupWith(
        keys.map(() => key.publicKey),
        { policy: 'require' },
      );
      const { rows, outcome } = await verify({ setup, ...(tamper ? { tamper } : { key: stranger }) });
      for (const name of ['packages.json', 'categories.json'])
        expect(rows[name]).toMatchObject({ state, detail, ok: false });
      expect(outcome).toMatchObject({ unsigned: 1, refused: tamper ? 3 : 6 });
      const code = keys.length === 0 ? 'NO_TRUST' : tamper ? 'SIG_BAD' : 'KEY_UNKNOWN';
      expect(outcome.refusal).toMatchObject({ code });
    },
  );

  it('warn does not count catalogs that nothing vouches for as in need of no signature', async () => {
    const { rows, outcome } = await verify({ setup: await setupWith([]) });
    expect(rows['categories.json']).toMatchObject({ state: 'unknown-signer', ok: true });
    expect(outcome).toMatchObject({ refused: 0, valid: 0, unsigned: 1, files: 7 });
  });

  it('strict makes a catalog that disagrees with the specification an error (H28)', async () => {
    const tamper = {
      'packages.json': (bytes: Buffer) => Buffer.from(bytes.toString().replace('Label of plug', 'Another')),
    };
    const mild = await verify({ index: false, tamper });
    expect(mild.outcome.ok).toBe(true);
    expect(mild.outcome.warnings).toEqual(['the catalog does not match the specification of plug 1.0.0: label']);
    const { rows, outcome } = await verify({ index: false, tamper, strict: true });
    expect(rows['spec.json']?.ok).toBe(false);
    expect(outcome.refusal?.code).toBe('CATALOG_MISMATCH');
  });

  it('takes a key for some packages as no key for the others', async () => {
    const setup = await setupWith([{ armored: key.publicKey, packages: 'acme-*' }]);
    const { rows } = await verify({ setup, index: false });
    expect(rows['spec.json']).toMatchObject({ state: 'unknown-signer', ok: false });
  });
});

describe('a folder', () => {
  it('of one package is verified without the index of its hub', async () => {
    const folder = await newFolder();
    const { files } = await signedHub({ packages: [PLUG], key });
    await writeHubTree(folder, files);
    const content = await readFolder(`${folder}/${FOLDER}`, signal);
    expect(content).toMatchObject({ alone: true, packages: [{ name: 'plug', version: '1.0.0' }] });
    const { remembered } = await verify();
    const stored = await setupWith([key.publicKey], { ...(remembered && { memory: remembered }) });
    const setup = setupFor(stored, { alone: true });
    const { rows, outcome } = verifyAll([{ hub: folder, ...content, setup }], { strict: false }, signal);
    const names: string[] = [];
    for await (const { name, state } of rows) names.push(`${name} ${state}`);
    expect(names).toEqual(['spec.json valid', 'plug.jar valid', 'plug.json valid', 'icon.png unsigned']);
    expect(outcome().ok).toBe(true);
  });

  it.each<[string, readonly string[], object]>([
    [
      'no file has one',
      ['spec.json', 'plug.jar', 'plug.json'],
      {
        message: 'this folder has no signatures (downloaded without signatures?)',
        hints: [{ next: 'download-signatures' }, { next: 'verify-by-index' }],
      },
    ],
    [
      'some files have one',
      ['plug.jar', 'plug.json'],
      {
        message: '2 of 4 files are not signed',
        lines: ['plug.jar has no signature', 'plug.json has no signature'],
        hints: ['ask the publisher for a signed package'],
        target: { file: 'plug.jar', reason: 'missing' },
      },
    ],
  ])('of one package is refused for want of signatures where %s', async (_, bare, told) => {
    const folder = await newFolder();
    const tamper = Object.fromEntries(bare.map((name) => [`${FOLDER}/${name}.asc`, () => undefined]));
    const { files } = await signedHub({ packages: [PLUG], key, index: false, tamper });
    await writeHubTree(folder, files);
    const content = await readFolder(`${folder}/${FOLDER}`, signal);
    const setup = await setupWith([key.publicKey]);
    const { rows, outcome } = verifyAll([{ hub: folder, ...content, setup }], { strict: false }, signal);
    for await (const { name, ok } of rows) expect([name, ok]).toEqual([name, !bare.includes(name)]);
    const { refusal } = outcome();
    expect(refusal && saidBy(refusal)).toEqual({ code: 'SIG_MISSING', ...told });
  });

  it.each([{ index: false }, { sequence: 1 }])(
    'is not judged by the history of the hub that lends the keys: %j',
    async (changes) => {
      const { remembered } = await verify();
      const memory = remembered ?? expect.fail('nothing was remembered');
      const index = memory.index && { ...memory.index, sequence: 4 };
      const stored = await setupWith([key.publicKey], { memory: { ...memory, ...(index && { index }) } });
      const { outcome } = await verify({ ...changes, setup: setupFor(stored, { borrowed: true }) });
      expect(outcome.refusal).toBeUndefined();
    },
  );

  it.each([
    ['of a hub', '', 'restore-file'],
    ['of one package', `/${FOLDER}`, 'download-again'],
  ])('%s is put right by what holds for it', async (_, below, next) => {
    const folder = await newFolder();
    const { files } = await signedHub({ packages: [PLUG], key, tamper: { [`${FOLDER}/plug.jar`]: flipByte } });
    await writeHubTree(folder, files);
    const content = await readFolder(`${folder}${below}`, signal);
    const setup = await setupWith([key.publicKey]);
    const { rows, outcome } = verifyAll([{ hub: folder, ...content, setup }], { strict: false }, signal);
    for await (const row of rows) expect(row.name).not.toBe('');
    expect(outcome().refusal?.details.hints).toMatchObject([{ next, ...(below === '' && { folder }) }]);
  });

  it.each([
    ['within the tolerance', 30 * 86_400_000 + 8000, false, 'accepted until 2025-06-01T12:04:52Z'],
    ['with --allow-stale', 40 * 86_400_000, true, 'accepted as requested'],
  ])('says that its index has expired and still counts %s', async (_, age, allowStale, why) => {
    const old = await hubKey({ now: HUB_TIME - age });
    const setup = await setupWith([old.publicKey], { allowStale });
    const { outcome } = await verify({ key: old, now: HUB_TIME - age, setup });
    expect(outcome.refusal).toBeUndefined();
    expect(outcome.warnings).toEqual([expect.stringMatching(/^the signed index expired at /u)]);
    expect(outcome.warnings[0]).toContain(why);
  });

  it('has the command told that renews its index', async () => {
    const folder = await newFolder();
    const { files } = await signedHub({ packages: [PLUG], key });
    await writeHubTree(folder, files);
    const content = await readFolder(folder, signal);
    const target = { hub: folder, ...content, setup: await setupWith([key.publicKey]) };
    const { rows, outcome } = verifyAll([target], { strict: false, within: 31 * 86_400_000 }, signal);
    for await (const row of rows) expect(row.ok).toBe(true);
    const { refusal } = outcome();
    expect(refusal && saidBy(refusal)).toEqual({
      ...{ code: 'EXPIRING', message: '1 signed index or key expires soon' },
      lines: [`hub "${folder}": index.json expires at 2025-07-01T12:00:00Z`],
      hints: [{ next: 'refresh-index', folder, isLate: false }],
    });
  });

  it('is not said to end soon where it has ended already', async () => {
    const folder = await newFolder();
    const old = await hubKey({ now: HUB_TIME - 30 * 86_400_000 - 8000 });
    const { files } = await signedHub({ packages: [PLUG], key: old, now: HUB_TIME - 30 * 86_400_000 - 8000 });
    await writeHubTree(folder, files);
    const target = { hub: folder, ...(await readFolder(folder, signal)), setup: await setupWith([old.publicKey]) };
    const { rows, outcome } = verifyAll([target], { strict: false, within: 1000 }, signal);
    for await (const row of rows) expect(row.ok).toBe(true);
    const { refusal } = outcome();
    expect(refusal && saidBy(refusal)).toEqual({
      ...{ code: 'EXPIRING', message: '1 signed index or key has expired' },
      lines: [`hub "${folder}": index.json expired at 2025-06-01T11:59:52Z, accepted until 2025-06-01T12:04:52Z`],
      hints: [{ next: 'refresh-index', folder, isLate: true }],
    });
    const later = { hub: 'corp', name: 'ABCD', expiresAt: '2025-06-03T12:00:00Z' };
    expect(expiringRefusal([...outcome().expiring, later], folder, HUB_TIME)?.message).toBe(
      '2 signed indexes or keys expire soon or have expired',
    );
  });

  it('has a key that ends soon told before an index that ends later, and neither before its time', async () => {
    const day = 86_400_000;
    // It was made a day ago, for two.
    const ending = await hubKey({ now: HUB_TIME + 2 * day, state: 'expired' });
    const folder = await newFolder();
    const { files } = await signedHub({ packages: [PLUG], key: ending });
    await writeHubTree(folder, files);
    const content = await readFolder(folder, signal);
    const setup = await setupWith([stranger.publicKey, ending.publicKey]);
    const soon = async (within: number) => {
      const { rows, outcome } = verifyAll([{ hub: folder, ...content, setup }], { strict: false, within }, signal);
      for await (const row of rows) expect(row.ok).toBe(true);
      return outcome();
    };
    expect(await soon(day)).toMatchObject({ refusal: undefined, expiring: [] });
    const key = { hub: folder, name: ending.fingerprint, expiresAt: '2025-06-02T12:00:00Z' };
    const first = await soon(day + 1);
    expect([first.expiring, first.refusal?.details.hints]).toEqual([
      [key],
      ['clients need the extended key before it is used'],
    ]);
    const { expiring, refusal } = await soon(31 * day);
    expect(expiring).toEqual([key, { hub: folder, name: 'index.json', expiresAt: '2025-07-01T12:00:00Z' }]);
    expect(refusal && saidBy(refusal)).toEqual({
      ...{ code: 'EXPIRING', message: '2 signed indexes or keys expire soon' },
      lines: expiring.map(({ name, expiresAt }) => `hub "${folder}": ${name} expires at ${expiresAt}`),
      hints: [{ next: 'refresh-index', folder, isLate: false }, 'clients need the extended key before it is used'],
    });
  });

  it('has every file in it looked at, also one that no action names', async () => {
    const folder = await newFolder();
    const { files } = await signedHub({ packages: [PLUG], key, index: false });
    files.set(`${FOLDER}/extra.bin`, Buffer.from('who am I'));
    await writeHubTree(folder, files);
    const content = await readFolder(folder, signal);
    expect(content.alone).toBe(false);
    const setup = await setupWith([key.publicKey]);
    const { rows } = verifyAll([{ hub: folder, ...content, setup }], { strict: false }, signal);
    const refused: string[] = [];
    for await (const { name, ok } of rows) if (!ok) refused.push(name);
    expect(refused).toEqual(['extra.bin']);
  });

  it('takes the policy from the keys that are given for the run', async () => {
    const stored = await setupWith([]);
    const { keyring, pinned } = await setupWith([key.publicKey]);
    expect(setupFor(stored, {}).policy).toBe('require');
    expect(setupFor({ ...stored, policy: 'off' }, {}).policy).toBe('warn');
    expect(setupFor({ ...stored, policy: 'off', pinned: 1 }, {}).policy).toBe('require');
    expect(setupFor(stored, { keys: { keyring, pinned } }).policy).toBe('require');
    expect(setupFor(stored, { keys: { keyring, pinned }, policy: 'warn' }).policy).toBe('warn');
  });
});
