import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CliError } from '../../../../src/core/errors.js';
import { hasClass, readJar } from '../../../../src/core/files/jar.js';
import { makeJar } from '../../../../src/emulator/jar/make-jar.js';
import { codeOf, errorOf } from '../../../support/errors.js';

const CLASS = { name: 'org/example/Driver.class', bytes: Buffer.from('not looked into') };
const GOOD = makeJar({ manifest: { 'Bundle-Version': '1.2.3' }, entries: [CLASS] });
const END = GOOD.length - 22;
const DIRECTORY = GOOD.readUInt32LE(END + 16);

let folder: string;
let count = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cdapctl-jar-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function fileOf(bytes: Buffer): Promise<string> {
  const file = join(folder, `${(count += 1)}.jar`);
  await writeFile(file, bytes);
  return file;
}

async function refusal(bytes: Buffer): Promise<CliError> {
  return errorOf(readJar(await fileOf(bytes)));
}

/** A copy with numbers of the directory entry of the manifest changed, by their offset in it. */
function lying(changes: Readonly<Record<number, number>>, bytes = 4): Buffer {
  const copy = Buffer.from(GOOD);
  for (const [offset, value] of Object.entries(changes)) copy.writeUIntLE(value, DIRECTORY + Number(offset), bytes);
  return copy;
}

/** An archive of so many empty entries with names of so many bytes. */
function crowded(entries: number, length: number): Buffer {
  const one = Buffer.alloc(46 + length, 'x');
  one.fill(0, 0, 46).writeUInt32LE(0x02014b50, 0);
  one.writeUInt16LE(length, 28);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt32LE(entries * one.length, 12);
  return Buffer.concat([Buffer.alloc(entries * one.length, one), end]);
}

/** A JAR whose manifest is packed as given, whatever it holds. */
function withManifest(packed: Buffer, size: number): Buffer {
  const name = Buffer.from('META-INF/MANIFEST.MF');
  const facts = Buffer.alloc(26);
  facts.writeUInt16LE(8, 4);
  facts.writeUInt32LE(packed.length, 14);
  facts.writeUInt32LE(size, 18);
  facts.writeUInt16LE(name.length, 22);
  const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), facts, name, packed]);
  const central = Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), facts, Buffer.alloc(14), name]);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(local.length, 16);
  return Buffer.concat([local, central, end]);
}

describe('a JAR', () => {
  it('tells its classes, its size and the version in its manifest', async () => {
    const jar = await readJar(await fileOf(GOOD));
    expect(jar).toMatchObject({ bytes: GOOD.length, bundleVersion: '1.2.3' });
    expect(hasClass(jar, 'org.example.Driver')).toBe(true);
    expect(hasClass(jar, 'org.example.driver')).toBe(false);
  });

  it.each([
    ['a version on several lines', { 'Bundle-Version': `1.0.0-${'x'.repeat(100)}` }, `1.0.0-${'x'.repeat(100)}`],
    ['an attribute in other letters', { 'bundle-version': '2' }, '2'],
    ['no version', {}, undefined],
    ['an empty version', { 'Bundle-Version': '' }, undefined],
  ])('with %s', async (_, manifest, version) => {
    const bytes = makeJar({ manifest, entries: [] });
    expect((await readJar(await fileOf(bytes))).bundleVersion).toBe(version);
  });

  it.each([
    [{ 'Main-Class': 'org.example.Shop' }, 'org.example.Shop'],
    [{ 'main-class': `org.${'x'.repeat(100)}.Shop` }, `org.${'x'.repeat(100)}.Shop`],
    [{ 'Main-Class': ' ' }, undefined],
    [{ 'Bundle-Version': '1.0.0', 'X-Main-Class': 'org.example.Shop' }, undefined],
  ])('names its main class: %o', async (manifest, mainClass) => {
    expect((await readJar(await fileOf(makeJar({ manifest, entries: [] })))).mainClass).toBe(mainClass);
  });

  it('may have a comment, also one that looks like the end of an archive', async () => {
    const comment = Buffer.concat([GOOD.subarray(END), Buffer.from('and more')]);
    const bytes = Buffer.concat([GOOD, comment]);
    bytes.writeUInt16LE(comment.length, END + 20);
    expect((await readJar(await fileOf(bytes))).bundleVersion).toBe('1.2.3');
  });

  it.each([
    ['empty', Buffer.alloc(0)],
    ['text', Buffer.from('<html>404</html>')],
    ['cut', GOOD.subarray(0, GOOD.length - 30)],
    ['with bytes behind its end', Buffer.concat([GOOD, Buffer.from('more')])],
    [
      'with two manifests',
      makeJar({ manifest: {}, entries: [{ name: 'META-INF/MANIFEST.MF', bytes: Buffer.from('x') }] }),
    ],
    [
      'with two manifests in other letters',
      makeJar({ manifest: {}, entries: [{ name: 'meta-inf/manifest.mf', bytes: Buffer.from('x') }] }),
    ],
    ['with an encrypted manifest', lying({ 8: 1 }, 2)],
    ['packed in an unknown way', lying({ 10: 99 }, 2)],
    ['with a manifest that is smaller than it says', lying({ 24: 5000 })],
    ['with a manifest that is larger than it says', lying({ 24: 3 })],
    ['with a manifest beyond the end', lying({ 42: 0x7fffffff })],
    ['with a manifest where another file is', lying({ 42: GOOD.indexOf('PK\x03\x04', 10, 'latin1') })],
    ['with a manifest that is damaged', lying({ 16: 1 })],
    ['with a bomb for a manifest', withManifest(deflateRawSync(Buffer.alloc(50 * 1024 * 1024)), 1000)],
    ['with a huge manifest', withManifest(deflateRawSync(Buffer.alloc(2 * 1024 * 1024)), 2 * 1024 * 1024)],
    [
      'with a directory of another length',
      Buffer.concat([GOOD.subarray(0, END + 12), Buffer.from([0xff, 0xff, 0xff, 0x03]), GOOD.subarray(END + 16)]),
    ],
    ['with names that are longer than the directory', lying({ 28: 60_000 }, 2)],
  ])('that is %s is refused', async (_, bytes) => {
    expect((await refusal(bytes)).code).toBe('BAD_JAR');
  });

  it('that is an archive of nothing is one all the same', async () => {
    const end = Buffer.alloc(22);
    end.writeUInt32LE(0x06054b50);
    expect(hasClass(await readJar(await fileOf(end)), CLASS.name)).toBe(false);
    expect((await refusal(end.subarray(1))).message).toContain('it is not a ZIP archive');
  });

  it('must be there, and a file', async () => {
    const file = join(folder, 'missing.jar');
    await expect(readJar(file)).rejects.toMatchObject({ code: 'LOCAL_IO', message: `${file} does not exist` });
    await expect(readJar(folder, 'lib/words.jar')).rejects.toMatchObject({
      message: 'lib/words.jar is not a valid JAR: it is not a regular file',
    });
    expect(await codeOf(readJar(folder))).toBe('BAD_JAR');
  });

  it.skipIf(process.platform === 'win32')('is not waited for when it is a pipe', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    expect(await codeOf(readJar(pipe))).toBe('BAD_JAR');
  });

  it.each([
    { what: 'entries', jar: () => crowded(150_001, 8), says: 'it has more than 150000 entries' },
    { what: 'bytes in its directory', jar: () => crowded(100_000, 200), says: 'its directory is larger than' },
  ])('is refused when it has too many $what', async ({ jar, says }) => {
    const error = await refusal(jar());
    expect(error.code).toBe('BAD_JAR');
    expect(error.message).toContain(says);
  });

  it('is read or refused, whatever becomes of its bytes', async () => {
    const file = await fileOf(GOOD);
    const change = fc.tuple(fc.nat({ max: GOOD.length - 1 }), fc.integer({ min: 0, max: 255 }));
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), fc.nat({ max: 3 }), async (changes, cut) => {
        const bytes = Buffer.from(GOOD.subarray(0, GOOD.length - cut));
        for (const [at, value] of changes) if (at < bytes.length) bytes.writeUInt8(value, at);
        await writeFile(file, bytes);
        const verdict: unknown = await readJar(file).catch((cause: unknown) => cause);
        expect(verdict instanceof CliError ? verdict.code : 'BAD_JAR').toBe('BAD_JAR');
        expect(verdict instanceof Error && !(verdict instanceof CliError)).toBe(false);
      }),
      { numRuns: 400 },
    );
  });
});
