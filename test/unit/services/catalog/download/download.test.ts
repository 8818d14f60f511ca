import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { CliError } from '../../../../../src/core/errors.js';
import type { ServiceEvent } from '../../../../../src/core/events.js';
import type { HubSource } from '../../../../../src/hub/source.js';
import type { HubSigner } from '../../../../../src/emulator/hub/sign.js';
import {
  downloadPackages,
  downloadToBuffer,
  type DownloadResult,
} from '../../../../../src/services/catalog/download/download.js';
import type { DownloadOptions } from '../../../../../src/services/catalog/download/download-package.js';
import type { PackageToDownload } from '../../../../../src/services/catalog/download/fetch-one.js';
import { writableFolder } from '../../../../../src/services/catalog/download/place.js';
import { holdFiles, isHeld } from '../../../../../src/services/catalog/files-in-memory.js';
import type { TrustSetup } from '../../../../../src/services/catalog/trust-setup.js';
import { emptyMemory, mergeMemories, type HubMemory } from '../../../../../src/trust/memory.js';
import { flipByte, hubKey, hubPackage, signedHub, type SignedHubOptions } from '../../../../support/sites/hub-tree.js';
import { countedHub, folders, PLUGIN, setupWith } from '../support-trust.js';
import { codeOf, errorOf } from '../../../../support/errors.js';

const newFolder = folders();
const signal = new AbortController().signal;
const RESOURCES = { 'plug.jar': 'not really a jar', 'plug.json': '{}' };
const PLUG = hubPackage({ name: 'plug', spec: PLUGIN, resources: RESOURCES });
const OTHER = hubPackage({ name: 'other', spec: PLUGIN, resources: RESOURCES });
const FOLDER = 'packages/plug/1.0.0';
let key: HubSigner;

beforeAll(async () => {
  key = await hubKey();
});

interface Ready {
  readonly out: string;
  readonly opened: string[];
  readonly memories: HubMemory[];
  readonly run: (names?: readonly string[], options?: Partial<DownloadOptions>) => Promise<DownloadResult>;
  readonly wanted: (name: string) => PackageToDownload;
}

interface Wanted extends Partial<SignedHubOptions> {
  readonly setup?: TrustSetup;
  /** Runs before the hub gives a file. */
  readonly before?: (file: string, out: string) => void;
}

const plainOptions = (folder: string): DownloadOptions => ({
  folder,
  resources: [],
  signatures: true,
  existing: 'refuse',
  resume: true,
  concurrency: 4,
  emit: () => undefined,
});

async function ready({ setup, before, ...options }: Wanted = {}): Promise<Ready> {
  const { files } = await signedHub({ packages: [PLUG, OTHER], key, ...options });
  const { source, opened } = await countedHub(await newFolder(), files);
  const out = join(await newFolder(), 'out');
  const open: typeof source.open = async (place, ...more) => {
    before?.(place.file, out);
    return source.open(place, ...more);
  };
  const held = holdFiles({ ...source, open }, isHeld);
  const memories: HubMemory[] = [];
  const trusted = setup ?? (await setupWith([key.publicKey]));
  const wanted = (name: string): PackageToDownload => ({
    hub: 'corp',
    source: held,
    name,
    version: '1.0.0',
    entry: undefined,
    setup: trusted,
    remember: (memory) => {
      memories.push(memory);
      return Promise.resolve();
    },
  });
  return {
    out,
    opened,
    memories,
    wanted,
    run: (names = ['plug'], changes = {}) =>
      downloadPackages(names.map(wanted), { ...plainOptions(out), ...changes }, signal),
  };
}

/** All files below a folder, sorted. */
async function tree(folder: string): Promise<readonly string[]> {
  const entries = existsSync(folder) ? await readdir(folder, { recursive: true, withFileTypes: true }) : [];
  return entries
    .filter((entry) => !entry.isDirectory() && entry.name !== '.cdapctl-unfinished')
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

const WHOLE = ['icon.png', 'plug.jar', 'plug.jar.asc', 'plug.json', 'plug.json.asc', 'spec.json', 'spec.json.asc'];

describe('a download', () => {
  it('writes every file of a package with its signature, verified', async () => {
    const { out, run } = await ready();
    const result = await run();
    expect(await tree(out)).toEqual(WHOLE.map((file) => `plug/1.0.0/${file}`));
    expect(readFileSync(join(out, 'plug/1.0.0/plug.jar'), 'utf8')).toBe('not really a jar');
    expect(result).toMatchObject({ policy: 'require', verified: true, failed: [], warnings: [] });
    expect(result.files.map(({ name, state, signature }) => `${name} ${state} ${signature ?? '-'}`)).toEqual([
      'spec.json downloaded valid',
      'plug.jar downloaded valid',
      'plug.json downloaded valid',
      'icon.png downloaded valid',
    ]);
    expect(result.files[1]).toMatchObject({
      bytes: 16,
      path: join(out, 'plug/1.0.0/plug.jar'),
      sha256: createHash('sha256').update('not really a jar').digest('hex'),
    });
  });

  it('writes the very signature that was judged, which is read once', async () => {
    const { out, opened, run } = await ready();
    await run();
    expect(readFileSync(join(out, 'plug/1.0.0/plug.jar.asc'), 'utf8')).toContain('BEGIN PGP SIGNATURE');
    expect(opened.filter((file) => file.endsWith('plug.jar.asc'))).toHaveLength(1);
    expect(opened.filter((file) => file === 'index.json')).toHaveLength(1);
  });

  it('leaves signatures out when told', async () => {
    const { out, run } = await ready();
    await run(['plug'], { signatures: false });
    expect((await tree(out)).filter((file) => file.endsWith('.asc'))).toEqual([]);
  });

  it('writes only the resources that are named', async () => {
    const { out, opened, run } = await ready();
    const { files } = await run(['plug'], { resources: ['plug.json', 'plug.json'] });
    expect(await tree(out)).toEqual(['plug/1.0.0/plug.json', 'plug/1.0.0/plug.json.asc']);
    expect(files.map(({ name }) => name)).toEqual(['plug.json']);
    expect(opened.filter((file) => file.includes('plug.jar'))).toEqual([]);
  });

  it('minds no file but those that are named', async () => {
    const { out, opened, run } = await ready();
    mkdirSync(join(out, 'plug/1.0.0'), { recursive: true });
    writeFileSync(join(out, 'plug/1.0.0/spec.json'), 'mine');
    await run(['plug'], { resources: ['plug.json'] });
    expect(readFileSync(join(out, 'plug/1.0.0/spec.json'), 'utf8')).toBe('mine');
    opened.length = 0;
    expect((await errorOf(run(['plug'], { resources: ['plug.json'] }))).code).toBe('EXISTS');
    expect(opened).toEqual([]);
  });

  it('says that a named resource is missing', async () => {
    const { out, run } = await ready({ index: false });
    expect((await errorOf(run(['plug'], { resources: ['nothing.jar'] }))).code).toBe('RESOURCE_MISSING');
    expect(await tree(out)).toEqual([]);
  });

  it('remembers both of two packages of one hub', async () => {
    const { memories, run } = await ready();
    await run(['plug', 'other']);
    expect(memories).toHaveLength(2);
    const both = memories.reduce(mergeMemories, emptyMemory());
    expect(
      Object.keys(both.files)
        .filter((file) => file.endsWith('jar'))
        .sort(),
    ).toEqual(['other/1.0.0/plug.jar', 'plug/1.0.0/plug.jar']);
    expect(both).toMatchObject({ signed: true, index: { sequence: 1 } });
  });

  it('tells the bytes of each file when it is done', async () => {
    const { run } = await ready();
    const events: ServiceEvent[] = [];
    await run(['plug'], { emit: (event) => events.push(event) });
    expect(events).toContainEqual({ type: 'bytes', what: 'plug.jar', done: 16, total: 16 });
    expect(events).toHaveLength(4);
  });
});

describe('a download of what is not as published', () => {
  const faults: readonly [string, SignedHubOptions['tamper'], string][] = [
    ['a changed file', { [`${FOLDER}/plug.jar`]: flipByte }, 'SIG_BAD'],
    ['a missing file', { [`${FOLDER}/plug.jar`]: () => undefined }, 'RESOURCE_MISSING'],
    ['a signature of another file', { [`${FOLDER}/plug.jar.asc`]: flipByte }, 'SIG_MALFORMED'],
  ];

  it.each(faults)('gives no name to %s, and remembers nothing', async (_what, tamper, code) => {
    const { out, memories, run } = await ready({ ...(tamper && { tamper }) });
    const error = await errorOf(run(['plug'], { concurrency: 1 }));
    expect(error.code).toBe(code);
    expect(await tree(out)).toEqual(['plug/1.0.0/spec.json', 'plug/1.0.0/spec.json.asc']);
    expect(memories).toEqual([]);
    expect((error.details.item as DownloadResult).files.map(({ name }) => name)).toEqual(['spec.json']);
  });

  it('gives no name to a file without a signature that no index lists', async () => {
    const { out, memories, run } = await ready({
      index: false,
      tamper: { [`${FOLDER}/plug.jar.asc`]: () => undefined },
    });
    expect(await codeOf(run(['plug'], { concurrency: 1 }))).toBe('SIG_MISSING');
    expect([await tree(out), memories]).toEqual([['plug/1.0.0/spec.json', 'plug/1.0.0/spec.json.asc'], []]);
  });

  it('writes nothing at all for a bad specification', async () => {
    const { out, run } = await ready({ tamper: { [`${FOLDER}/spec.json`]: (bytes) => flipByte(bytes, 30) } });
    expect((await errorOf(run())).code).toBe('SIG_BAD');
    expect(await tree(out)).toEqual([]);
  });

  it('refuses an icon that the signed index does not know (S21)', async () => {
    const { out, run } = await ready({ tamper: { [`${FOLDER}/icon.png`]: flipByte } });
    expect((await errorOf(run())).code).toBe('MIXED');
    expect((await tree(out)).filter((file) => file.includes('icon'))).toEqual([]);
  });

  it('lacks an icon where the hub has none', async () => {
    const { run } = await ready({ index: false, tamper: { [`${FOLDER}/icon.png`]: () => undefined } });
    const { files, verified } = await run();
    expect([files.map(({ name }) => name), verified]).toEqual([['spec.json', 'plug.jar', 'plug.json'], true]);
  });

  it.each([
    ['an icon that is named', { resources: ['icon.png'] }, {}],
    ['a license that the specification names', {}, { spec: { ...PLUGIN, license: 'LICENSE' } }],
  ])('is refused without %s', async (_what, changes, more) => {
    const packages = [hubPackage({ name: 'plug', resources: RESOURCES, spec: PLUGIN, ...more })];
    const { run } = await ready({ packages, index: false, tamper: { [`${FOLDER}/icon.png`]: () => undefined } });
    expect(await codeOf(run(['plug'], changes))).toBe('RESOURCE_MISSING');
  });

  it.each([new CliError('NET_RESET', 'cut'), new TypeError('bug')])('ends where an icon fails (%s)', async (error) => {
    const before = (file: string): void => {
      if (file === 'icon.png') throw error;
    };
    const { run } = await ready({ before });
    const thrown: unknown = await run(['plug', 'other']).catch((cause: unknown) => cause);
    expect([thrown instanceof CliError, (thrown as Error).message]).toEqual([error instanceof CliError, error.message]);
  });

  it('goes on with the other packages, and is PARTIAL', async () => {
    const { out, run } = await ready({ tamper: { [`${FOLDER}/plug.jar`]: flipByte } });
    const error = await errorOf(run(['plug', 'other']));
    expect([error.code, error.exitCode]).toEqual(['PARTIAL', 10]);
    const item = error.details.item as DownloadResult;
    const message = 'plug.jar does not match its signature: the file, or the signature, was changed';
    expect([error.message, error.details.lines]).toEqual([
      '1 of 2 packages could not be downloaded',
      [`plug@1.0.0: ${message}`],
    ]);
    expect(error.details.hints).toHaveLength(1);
    expect(item.failed).toEqual([{ hub: 'corp', package: 'plug', version: '1.0.0', code: 'SIG_BAD', message }]);
    expect((await tree(out)).filter((file) => file.startsWith('other/'))).toHaveLength(WHOLE.length);
  });

  it.each([
    ['SIG_BAD', 9, flipByte],
    ['PARTIAL', 10, () => undefined],
  ])('is %s (%i) where all packages fail', async (code, exit, other) => {
    const tamper = { [`${FOLDER}/plug.jar`]: flipByte, 'packages/other/1.0.0/plug.jar': other };
    const { run } = await ready({ tamper });
    const error = await errorOf(run(['plug', 'other']));
    expect([error.code, error.exitCode, error.message]).toEqual([
      code,
      exit,
      '2 of 2 packages could not be downloaded',
    ]);
    expect((error.details.item as DownloadResult).failed).toHaveLength(2);
  });

  it('without verification takes what there is and says so', async () => {
    const setup = await setupWith([key.publicKey], { policy: 'off' });
    const { out, memories, run } = await ready({ setup, tamper: { [`${FOLDER}/plug.jar`]: flipByte } });
    const result = await run();
    expect(result.verified).toBe(false);
    expect(result.files.map(({ signature }) => signature)).toEqual([undefined, undefined, undefined, undefined]);
    expect(await tree(out)).toHaveLength(WHOLE.length);
    // The same value: there is nothing to store.
    expect(memories).toHaveLength(1);
    expect(memories[0]).toBe(setup.memory);
  });

  it('without a key warns, and is not called verified', async () => {
    const { run } = await ready({ setup: await setupWith([]) });
    const result = await run();
    expect(result.verified).toBe(false);
    expect(result.warnings).toEqual(['nothing was verified: no key is trusted for this folder']);
  });
});

describe('a download that stopped', () => {
  const MARK = '.cdapctl-unfinished';

  /** Downloads all but the last file, whose place is `lost` until `restore` is called. */
  async function stopped(
    setup?: TrustSetup,
    tamper: SignedHubOptions['tamper'] = {},
  ): Promise<Ready & { folder: string; restore: () => void }> {
    const site = await ready({ ...(setup && { setup }), tamper });
    const file = join(fileURLToPath(site.wanted('plug').source.base), FOLDER, 'plug.json');
    renameSync(file, `${file}.lost`);
    expect((await errorOf(site.run(['plug'], { concurrency: 1 }))).code).toBe('RESOURCE_MISSING');
    const folder = join(site.out, 'plug/1.0.0');
    expect(existsSync(join(folder, MARK))).toBe(true);
    site.opened.length = 0;
    const restore = (): void => {
      renameSync(`${file}.lost`, file);
    };
    return { ...site, folder, restore };
  }

  const statesOf = ({ files }: DownloadResult): object =>
    Object.fromEntries(files.map(({ name, state, signature }) => [name, `${state} ${String(signature)}`]));

  it('is gone on with by the same command: what is there is verified where it is, the rest is fetched', async () => {
    const { run, opened, folder, out, restore } = await stopped();
    expect((await errorOf(run(['plug'], { concurrency: 1 }))).code).toBe('RESOURCE_MISSING');
    restore();
    const result = await run();
    expect(statesOf(result)).toEqual({
      'spec.json': 'kept valid',
      'plug.jar': 'kept valid',
      'plug.json': 'downloaded valid',
      'icon.png': 'downloaded valid',
    });
    expect(result.verified).toBe(true);
    expect(opened).not.toContain('plug/1.0.0/plug.jar');
    expect(existsSync(join(folder, MARK))).toBe(false);
    expect(await tree(out)).toHaveLength(7);
    expect(await errorOf(run())).toMatchObject({
      code: 'EXISTS',
      details: { hints: [{ next: 'keep-files' }, { next: 'replace-files' }] },
    });
  });

  it('is whole, and kept, without the signatures of files that the index lists', async () => {
    const bare = { [`${FOLDER}/plug.jar.asc`]: () => undefined, [`${FOLDER}/spec.json.asc`]: () => undefined };
    const { run, opened, out, restore } = await stopped(undefined, bare);
    restore();
    expect(statesOf(await run())).toMatchObject({ 'spec.json': 'kept valid', 'plug.jar': 'kept valid' });
    expect(opened).not.toContain('plug/1.0.0/plug.jar');
    const written = WHOLE.filter((name) => !['plug.jar.asc', 'spec.json.asc'].includes(name));
    expect(await tree(out)).toEqual(written.map((file) => `plug/1.0.0/${file}`));
  });

  it.each([
    [true, 'resumed', [undefined, 1_199_999]],
    [false, 'downloaded', [undefined, undefined]],
  ])('goes on in the middle of a large file (%s): it is %s', async (resume, state, from) => {
    const jar = 'x'.repeat(1_500_000);
    const large = hubPackage({ name: 'plug', spec: PLUGIN, resources: { ...RESOURCES, 'plug.jar': jar } });
    const { out, wanted } = await ready({ packages: [large] });
    const asked: (number | undefined)[] = [];
    const open: HubSource['open'] = async (place, how, stop) => {
      const file = await source.open(place, how, stop);
      if (file === undefined || place.file !== 'plug.jar') return file;
      await file.discard();
      asked.push(how.rest?.from);
      const isFirst = asked.length === 1;
      const body = (async function* () {
        yield Buffer.from(jar.slice(how.rest?.from ?? 0, isFirst ? 1_200_000 : undefined));
        if (isFirst) throw new CliError('NET_RESET', 'cut');
      })();
      return { ...file, etag: '"1"', from: how.rest?.from, body };
    };
    const { source } = wanted('plug');
    const download = () => downloadPackages([{ ...wanted('plug'), source: { ...source, open } }], options, signal);
    const options = { ...plainOptions(out), resume, resources: ['plug.jar'] };
    expect((await errorOf(download())).code).toBe('NET_RESET');
    expect((await download()).files).toMatchObject([{ name: 'plug.jar', state, bytes: 1_500_000, signature: 'valid' }]);
    expect(asked).toEqual(from);
    expect(await tree(out)).toEqual(['plug/1.0.0/plug.jar', 'plug/1.0.0/plug.jar.asc']);
  });

  it('fetches again what no signature speaks for', async () => {
    const { run, restore } = await stopped(await setupWith([]));
    restore();
    expect(statesOf(await run())).toMatchObject({ 'plug.jar': 'downloaded unknown-signer' });
  });

  it('does not take what somebody else put there with a forged note', async () => {
    const { run, folder, restore } = await stopped();
    const note = (name: string, text: string): void => {
      const sha256 = createHash('sha256').update(text).digest('hex');
      const [first = '{}'] = readFileSync(join(folder, MARK), 'utf8').split('\n');
      writeFileSync(join(folder, name), text);
      writeFileSync(join(folder, MARK), `${JSON.stringify({ ...JSON.parse(first), name, sha256 })}\n`, { flag: 'a' });
    };
    note('plug.jar', 'evil');
    note('plug.jar.asc', 'evil');
    restore();
    expect(statesOf(await run())).toMatchObject({ 'plug.jar': 'downloaded valid' });
    expect(readFileSync(join(folder, 'plug.jar'), 'utf8')).toBe(RESOURCES['plug.jar']);
    expect(readFileSync(join(folder, 'plug.jar.asc'), 'utf8')).toContain('BEGIN PGP SIGNATURE');
  });

  it.each([
    [
      'a file that was changed since',
      (folder: string) => {
        writeFileSync(join(folder, 'plug.jar'), 'mine');
      },
    ],
    [
      'a signature that was changed since',
      (folder: string) => {
        writeFileSync(join(folder, 'plug.jar.asc'), 'mine');
      },
    ],
    [
      'a link to what it wrote',
      (folder: string) => {
        renameSync(join(folder, 'plug.jar'), join(folder, 'moved'));
        symlinkSync(join(folder, 'moved'), join(folder, 'plug.jar'));
      },
    ],
    [
      'a file of nobody knows which run',
      (folder: string) => {
        rmSync(join(folder, MARK));
      },
    ],
    [
      'a file of a run whose notes are a link',
      (folder: string) => {
        renameSync(join(folder, MARK), join(folder, 'moved'));
        symlinkSync(join(folder, 'moved'), join(folder, MARK));
      },
    ],
    [
      'a file of another hub',
      (folder: string) => {
        const text = readFileSync(join(folder, MARK), 'utf8');
        writeFileSync(join(folder, MARK), text.replaceAll('file://', 'file:///other'));
      },
    ],
  ])('does not touch %s', async (_, change) => {
    const { run, folder, restore } = await stopped();
    restore();
    change(folder);
    expect((await errorOf(run())).code).toBe('EXISTS');
  });
});

describe('a download to a place that is taken', () => {
  const twins: readonly (readonly [string, Partial<PackageToDownload>])[] = [
    ['of two hubs', { hub: 'other' }],
    ['of names that differ in case', { name: 'Plug' }],
  ];
  it.each(twins)('stops before any request at packages for one folder (%s)', async (_, twin) => {
    const { out, opened, wanted } = await ready();
    const packages = [wanted('plug'), { ...wanted('plug'), ...twin }];
    for (const existing of ['refuse', 'replace', 'keep'] as const) {
      const work = downloadPackages(packages, { ...plainOptions(out), existing }, signal);
      expect(await errorOf(work)).toMatchObject({ code: 'USAGE', details: { hints: [{ next: 'download-apart' }] } });
    }
    expect([opened, existsSync(out)]).toEqual([[], false]);
  });

  it.each(['spec.json', 'plug.jar', 'plug.json.asc'])('stops at %s before any file is written (L09)', async (file) => {
    const { out, opened, run } = await ready();
    mkdirSync(join(out, 'plug/1.0.0'), { recursive: true });
    writeFileSync(join(out, 'plug/1.0.0', file), 'mine');
    expect((await errorOf(run(['other', 'plug']))).code).toBe('EXISTS');
    expect(await tree(out)).toEqual([`plug/1.0.0/${file}`]);
    expect(opened.filter((name) => name.includes('plug.j'))).toEqual([]);
  });

  it.each([
    ['plug.jar', 'plug.jar.asc'],
    ['plug.jar', '.cdapctl-unfinished'],
  ])('stops before any file is written where a package names %s and %s (H21)', async (...resources) => {
    const named = resources.map((jar) => ({ ...PLUGIN.actions[0], arguments: [{ name: 'jar', value: jar }] }));
    const odd = hubPackage({ name: 'plug', spec: { ...PLUGIN, actions: named }, resources: RESOURCES });
    const { out, run } = await ready({ packages: [odd] });
    expect(await codeOf(run())).toBe('BAD_NAME');
    expect(existsSync(out)).toBe(false);
  });

  it('stops at a file that somebody made in the meantime', async () => {
    const before = (file: string, out: string): void => {
      if (file === 'plug.jar') writeFileSync(join(out, 'plug/1.0.0/plug.jar'), 'mine');
    };
    const { out, run } = await ready({ before });
    expect(await codeOf(run())).toBe('EXISTS');
    expect(readFileSync(join(out, 'plug/1.0.0/plug.jar'), 'utf8')).toBe('mine');
  });

  it('replaces with clobber', async () => {
    const { out, run } = await ready();
    mkdirSync(join(out, 'plug/1.0.0'), { recursive: true });
    writeFileSync(join(out, 'plug/1.0.0/plug.jar'), 'mine');
    await run(['plug'], { existing: 'replace' });
    expect(readFileSync(join(out, 'plug/1.0.0/plug.jar'), 'utf8')).toBe('not really a jar');
  });

  it('keeps what is there when told, does not fetch it, and does not call it verified', async () => {
    const { out, opened, run } = await ready();
    mkdirSync(join(out, 'plug/1.0.0'), { recursive: true });
    writeFileSync(join(out, 'plug/1.0.0/plug.jar'), 'mine');
    const result = await run(['plug'], { existing: 'keep' });
    expect(readFileSync(join(out, 'plug/1.0.0/plug.jar'), 'utf8')).toBe('mine');
    expect(result.files.find(({ name }) => name === 'plug.jar')).toMatchObject({ state: 'kept' });
    expect(result.verified).toBe(false);
    expect(result.files.map(({ state }) => state)).toEqual(['downloaded', 'kept', 'downloaded', 'downloaded']);
    expect(opened).not.toContain('plug/1.0.0/plug.jar');
  });

  it('never writes through a link, to a file or to a folder (L10)', async () => {
    const first = await ready();
    const elsewhere = await newFolder();
    writeFileSync(join(elsewhere, 'target'), 'untouched');
    mkdirSync(join(first.out, 'plug/1.0.0'), { recursive: true });
    symlinkSync(join(elsewhere, 'target'), join(first.out, 'plug/1.0.0/plug.jar'));
    expect((await errorOf(first.run(['plug'], { existing: 'replace' }))).code).toBe('SYMLINK');
    expect(readFileSync(join(elsewhere, 'target'), 'utf8')).toBe('untouched');
    const second = await ready();
    mkdirSync(second.out);
    symlinkSync(elsewhere, join(second.out, 'plug'));
    expect((await errorOf(second.run())).code).toBe('SYMLINK');
    expect(await tree(elsewhere)).toEqual(['target']);
  });

  it('finds out that the folder is a file, or lies below one (L04)', async () => {
    const file = join(await newFolder(), 'file');
    writeFileSync(file, 'a file');
    expect(await errorOf(writableFolder(file))).toMatchObject({ code: 'LOCAL_IO', exitCode: 15 });
    expect(await errorOf(writableFolder(join(file, 'below')))).toMatchObject({ code: 'LOCAL_IO', exitCode: 15 });
  });

  it('makes the folder, and leaves nothing in it', async () => {
    const folder = join(await newFolder(), 'a', 'b');
    await writableFolder(folder);
    expect(await tree(folder)).toEqual([]);
  });
});

describe('a download for stdout', () => {
  it('is whole and verified before it can be read', async () => {
    const good = await ready();
    const folder = await newFolder();
    const options = {
      folder,
      resources: ['plug.jar'],
      signatures: false,
      existing: 'replace',
      resume: true,
      concurrency: 1,
      emit: () => undefined,
    } as const;
    const { path, warnings } = await downloadToBuffer(good.wanted('plug'), options, signal);
    expect([warnings, good.memories.map(({ signed }) => signed)]).toEqual([[], [true]]);
    expect(readFileSync(path, 'utf8')).toBe('not really a jar');
    await downloadToBuffer(good.wanted('plug'), { ...options, resources: ['plug.json'] }, signal);
    expect([await tree(folder), readFileSync(path, 'utf8')]).toEqual([['download'], '{}']);
    const bad = await ready({ tamper: { [`${FOLDER}/plug.jar`]: flipByte } });
    const empty = await newFolder();
    expect((await errorOf(downloadToBuffer(bad.wanted('plug'), { ...options, folder: empty }, signal))).code).toBe(
      'SIG_BAD',
    );
    expect(existsSync(join(empty, 'download'))).toBe(false);
    expect(await tree(empty)).toEqual([]);
  });
});
