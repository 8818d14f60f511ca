import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { tokenFromText } from '../../src/config/token.js';
import { CliError, type ErrorCode } from '../../src/core/errors.js';
import { readJar } from '../../src/core/files/jar.js';
import { parseJson } from '../../src/core/json/json.js';
import { memberTexts } from '../../src/core/json/members.js';
import { isEmptyRange, parseRange, rangeContains, type Range } from '../../src/core/version-range.js';
import { compareVersions, parseVersion } from '../../src/core/version.js';
import { buildSampleHub } from '../../src/emulator/hub/build.js';
import { makePluginClass } from '../../src/emulator/jar/make-class.js';
import { readCatalog } from '../../src/hub/catalog.js';
import { readIndex } from '../../src/hub/index-file.js';
import { parseParent, readArtifactConfig, readPipelineConfig } from '../../src/hub/resource-config.js';
import type { SpecificationText } from '../../src/hub/package-entry.js';
import { readTree } from '../../src/hub/tree-catalog.js';
import { readSpecification } from '../../src/hub/specification.js';
import { readClassFile } from '../../src/services/hosting/pack/class-file.js';
import { pomParents } from '../../src/services/hosting/pack/pom-parents.js';
import { rewrite } from '../../src/services/upgrade/plan/rewrite.js';
import { readUses, type Uses } from '../../src/services/upgrade/plugins/plugin-uses.js';
import { readKeyBlocks, readSignatureArmor } from '../../src/trust/armor.js';
import { openKeyring, readPublicKeys } from '../../src/trust/keyring.js';
import { readSignaturePackets } from '../../src/trust/packets.js';
import { Refusal } from '../../src/trust/refusal.js';
import { readSignaturePacket } from '../../src/trust/signature-packet.js';
import { verifyBytes } from '../../src/trust/verify.js';
import { armorSignature, NOW, packet } from '../support/openpgp.js';
import { pomOf } from '../support/sites/pack-jars.js';
import { objectionOf, pairOf, partsOf } from './judges.js';

/** A parser, what it is fed with at first, and how it may refuse. */
export interface Target {
  readonly name: string;
  readonly seeds: readonly Buffer[];
  readonly words: readonly string[];
  /** How often it has its turn, compared with the others. */
  readonly share: number;
  readonly parse: (bytes: Buffer) => unknown;
  readonly refuses: (error: unknown) => boolean;
  /** What was accepted, written and to be read again; its reading has to be the same. */
  readonly again?: (value: unknown) => Buffer | undefined;
  /** What else has to hold for what was accepted; says what does not. */
  readonly wrong?: (value: unknown, bytes: Buffer) => string | undefined;
}

const withCodes =
  (...codes: readonly ErrorCode[]) =>
  (error: unknown): boolean =>
    error instanceof CliError && codes.includes(error.code);
const refusal = (error: unknown): boolean => error instanceof Refusal;

const JSON_CODES = ['BAD_JSON', 'BAD_UTF8', 'DUP_KEY', 'TOO_DEEP'] as const;
const JSON_WORDS = [
  '{',
  '}',
  '[',
  ']',
  ':',
  ',',
  '"',
  '\\u0000',
  '\\ud83d',
  '\\"',
  'null',
  'true',
  '-0',
  '1e400',
  '1e-7',
  '9007199254740993',
  '"__proto__":',
  '"constructor":{}',
  '\ufeff',
  '[['.repeat(50),
  '\u0000',
  '\u202e',
  '../',
  '"name":',
  '"version":',
  '"actions":[]',
  '"arguments":',
  '"value":',
  '"parents":["a[1,2)"]',
  '"created":',
];
const VERSION_WORDS = [
  '[',
  ')',
  '(',
  ']',
  ',',
  '.',
  '-SNAPSHOT',
  ' ',
  '9'.repeat(20),
  '1.2.3',
  '0',
  '-',
  '\u00a0',
  'system:',
  ':',
  '\n',
];
const ARMOR_WORDS = [
  '-----BEGIN PGP SIGNATURE-----\n',
  '-----END PGP SIGNATURE-----\n',
  '-----BEGIN PGP PUBLIC KEY BLOCK-----\n',
  '-----END PGP PUBLIC KEY BLOCK-----\n',
  '\n\n',
  '\r\n',
  'Version: 1\n',
  '=',
  '=AAAA',
  ' ',
  '\t',
  '-',
  '\u0000',
  '\u00ff',
];

const text = (bytes: Buffer): string => bytes.toString('utf8');
const buffers = (...texts: readonly (string | Buffer)[]): Buffer[] => texts.map((one) => Buffer.from(one));

function rangeWrong(range: Range): string | undefined {
  const { lower, upper } = range;
  if (compareVersions(lower, upper) !== -compareVersions(upper, lower) && compareVersions(lower, upper) !== 0)
    return 'the order of two versions depends on which is first';
  if (isEmptyRange(range) && (rangeContains(range, lower) || rangeContains(range, upper)))
    return 'an empty range contains something';
  if (!isEmptyRange(range) && range.lowerIncluded && !rangeContains(range, lower))
    return 'a range does not contain its lower end';
  return undefined;
}

function versionTargets(): Target[] {
  return [
    {
      name: 'range',
      seeds: buffers('[6.1.0,7.0.0)', '(1.0, 2.0]', '1.2.3', '[1.0.0-SNAPSHOT,1.0.0.jre7]', '[2,1]'),
      words: VERSION_WORDS,
      share: 4,
      parse: (bytes) => parseRange(text(bytes)),
      refuses: () => false,
      wrong: (value) => (value === undefined ? undefined : rangeWrong(value as Range)),
    },
    {
      name: 'version',
      seeds: buffers('6.11.0', '6.0.jre7', '1.0.0_x', '0.14.4.3', '1.2.3-SNAPSHOT'),
      words: VERSION_WORDS,
      share: 4,
      parse: (bytes) => parseVersion(text(bytes)),
      refuses: () => false,
      wrong: (value) =>
        value !== undefined && compareVersions(value as never, value as never) !== 0
          ? 'a version is not equal to itself'
          : undefined,
    },
    {
      name: 'parent',
      seeds: buffers('system:cdap-data-pipeline[6.1.0,7.0.0-SNAPSHOT)', 'a.b_c-d (1,2]'),
      words: VERSION_WORDS,
      share: 4,
      parse: (bytes) => parseParent(text(bytes)),
      refuses: () => false,
    },
    {
      name: 'token',
      seeds: buffers('abc.def', '{"access_token":"abc"}', 'Bearer abc\r\n'),
      words: [...JSON_WORDS, 'bearer '],
      share: 2,
      parse: (bytes) => tokenFromText(text(bytes)),
      refuses: withCodes('TOKEN_BAD'),
      // A token that looks like an answer of an auth server is one only inside of such an answer.
      again: (value) => (String(value).startsWith('{') ? undefined : Buffer.from(String(value))),
      wrong: (value) => (/^[\u0021-\u007e]+$/u.test(String(value)) ? undefined : 'a token that no header can carry'),
    },
  ];
}

const TARGET_VERSION = '9.9.9';

/** With other versions in their places a configuration is read as before, but for these. */
function usesWrong({ uses, notes }: Uses, configuration: string): string | undefined {
  const edits = uses.filter(({ version }) => version !== undefined).map((use) => ({ use, to: TARGET_VERSION }));
  const again = readUses(rewrite(configuration, edits));
  const found = again.uses.map((use) => ({ ...use, version: undefined }));
  const expected = uses.map((use) => ({
    ...use,
    artifact: use.artifact && { ...use.artifact, version: TARGET_VERSION },
    version: undefined,
  }));
  return isDeepStrictEqual([found, again.notes], [expected, notes])
    ? undefined
    : 'with other versions the rest is read in another way';
}

function usesTarget(files: ReadonlyMap<string, Buffer>): Target {
  const artifact = String.raw`{"\u0076ersion":"[1.0.0,2.0.0)","name":"a","scope":"user"}`;
  const plugin = `{"name":"A","type":"b","artifact":{"name":"x","version":"0"},"artifact":${artifact},"properties":{"p":${artifact}}}`;
  return {
    name: 'uses',
    seeds: [
      ...[...files]
        .filter(([name]) => name.endsWith('pipeline.json'))
        .map(([, bytes]) => Buffer.from(memberTexts(text(bytes)).get('config') ?? text(bytes))),
      ...buffers(
        `\ufeff { "stages" : [ {"name":"s","plugin":${plugin}} ], "postActions":[{"name":"p","plugin":${plugin}}]}`,
      ),
    ],
    words: [...JSON_WORDS, '"stages":[', '"artifact":', '"version":"1.0.0"', '"plugin":{', artifact, plugin],
    share: 4,
    parse: (bytes) => readUses(text(bytes)),
    refuses: withCodes('BAD_JSON', 'TOO_DEEP', 'BAD_ANSWER'),
    wrong: (value, bytes) => usesWrong(value as Uses, text(bytes)),
  };
}

function documentTargets(files: ReadonlyMap<string, Buffer>): Target[] {
  const named = (pattern: RegExp): Buffer[] =>
    [...files].filter(([name]) => pattern.test(name)).map(([, bytes]) => bytes);
  const words = JSON_WORDS;
  const content = [...JSON_CODES, 'BAD_FIELD'] as const;
  const target = (
    name: string,
    seeds: readonly Buffer[],
    parse: Target['parse'],
    refuses: Target['refuses'],
  ): Target => ({ name, seeds, words, share: 3, parse, refuses });
  const specs = named(/spec\.json$/u);
  return [
    {
      ...target(
        'json',
        [...named(/\.json$/u)].filter(({ length }) => length < 4000),
        (bytes) => parseJson(bytes, 'it'),
        withCodes(...JSON_CODES),
      ),
      again: (value) => Buffer.from(JSON.stringify(value, (_, one: unknown) => (one === 0 ? 0 : one))),
    },
    target(
      'catalog',
      named(/packages\.json$/u),
      (bytes) => readCatalog(bytes, 'it'),
      withCodes(...JSON_CODES, 'BAD_CATALOG'),
    ),
    target(
      'specification',
      specs,
      (bytes) => readSpecification(bytes, 'it'),
      withCodes(...content, 'BAD_ACTION', 'BAD_NAME'),
    ),
    target(
      'index',
      named(/index\.json$/u),
      (bytes) => readIndex(bytes, 'it'),
      withCodes(...content, 'BAD_CATALOG', 'BAD_NAME', 'SIG_MALFORMED'),
    ),
    target(
      'artifact-config',
      named(/-1\.10\.0\.json$/u),
      (bytes) => readArtifactConfig(bytes, 'it'),
      withCodes(...content, 'BAD_PARENT'),
    ),
    target(
      'pipeline-config',
      named(/pipeline\.json$/u),
      (bytes) => readPipelineConfig(bytes, 'it'),
      withCodes(...content),
    ),
    {
      ...target('source-tree', specs, treeOf, () => false),
      share: 1,
    },
  ];
}

/** The catalog of a tree whose only specification are these bytes. */
async function treeOf(bytes: Buffer): Promise<unknown> {
  const place = { name: 'one', version: '1.0.0' };
  const read = async (): Promise<SpecificationText> => {
    const value = parseJson(bytes, 'spec.json');
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new CliError('BAD_FIELD', 'spec.json is no object');
    return { json: value as Record<string, unknown>, text: () => bytes.toString() };
  };
  return readTree([place], read, new AbortController().signal);
}

const GPG = resolve('test/fixtures/keys/gpg');
const sample = (name: string): Buffer => readFileSync(join(GPG, name));

/** Keys and signatures of GnuPG, armored and not. */
async function trustTargets(): Promise<Target[]> {
  const signed = sample('file.txt');
  const armored = ['rsa3072', 'rsa3072-sha512', 'ed25519', 'nistp256', 'subkey'].map((name) =>
    sample(`${name}.sig.asc`),
  );
  const signatures = armored.map((one) => Buffer.from(readSignatureArmor(one)));
  const certificates = ['rsa3072', 'ed25519', 'nistp256', 'subkey'].map((name) => sample(`${name}.key.asc`));
  const keyring = await openKeyring(certificates.map((one) => ({ armored: one.toString() })));
  const words = ARMOR_WORDS;
  return [
    {
      name: 'armor',
      seeds: [...armored, ...signatures],
      words,
      share: 4,
      parse: (bytes) => Buffer.from(readSignatureArmor(bytes)),
      refuses: refusal,
      again: (value) => Buffer.from(armorSignature(value as Buffer)),
    },
    {
      name: 'packets',
      seeds: [...signatures, Buffer.concat(signatures)],
      words,
      share: 4,
      parse: (bytes) => readSignaturePackets(bytes).map((body) => Buffer.from(body)),
      refuses: refusal,
      again: (value) => Buffer.concat((value as Buffer[]).map((body) => packet(2, body))),
    },
    {
      name: 'signature-packet',
      seeds: signatures.flatMap((one) => readSignaturePackets(one).map((body) => Buffer.from(body))),
      words,
      share: 4,
      parse: (bytes) => readSignaturePacket(bytes),
      refuses: refusal,
    },
    {
      name: 'signature',
      seeds: [...armored, ...signatures],
      words,
      share: 2,
      parse: async (bytes) => verifyBytes(signed, bytes, keyring, NOW),
      refuses: () => false,
      wrong: (value) => (typeof (value as { state?: unknown }).state === 'string' ? undefined : 'no verdict'),
    },
    judgesTarget(signatures, certificates),
    {
      name: 'keys',
      seeds: [...certificates, sample('all.key.bin')],
      words,
      share: 1,
      parse: async (bytes) => readPublicKeys(bytes),
      refuses: withCodes('KEY_UNUSABLE', 'TRUST_PRIVATE', 'SIG_WEAK', 'KEY_EXPIRED'),
      again: (value) => Buffer.from((value as { armored: string }[]).map((key) => key.armored).join('')),
    },
  ];
}

/** A signature packet and a key, both changed: what our judge accepts, openpgp.js and gpgv accept. */
function judgesTarget(signatures: readonly Buffer[], certificates: readonly Buffer[]): Target {
  const file = join(GPG, 'file.txt');
  const keys = certificates.flatMap((one) => readKeyBlocks(one).map(({ packets }) => Buffer.from(packets)));
  return {
    name: 'judges',
    seeds: signatures.flatMap((one) => keys.map((key) => pairOf(one, key))),
    words: [],
    share: 2,
    parse: async (bytes) => {
      const [signature, key] = partsOf(bytes);
      return objectionOf(file, signature, key);
    },
    refuses: withCodes('KEY_UNUSABLE', 'TRUST_PRIVATE', 'SIG_WEAK'),
    wrong: (value) => (typeof value === 'string' ? value : undefined),
  };
}

function jarTarget(files: ReadonlyMap<string, Buffer>, folder: string): Target {
  const file = join(folder, 'fuzzed.jar');
  return {
    name: 'jar',
    seeds: [...files].filter(([name]) => name.endsWith('.jar')).map(([, bytes]) => bytes),
    words: [
      'PK\u0001\u0002',
      'PK\u0003\u0004',
      'PK\u0005\u0006',
      'PK\u0006\u0006',
      'META-INF/MANIFEST.MF',
      'Bundle-Version: 1.0.0\r\n',
      'Main-Class: a.B\r\n',
      '\r\n ',
      '\r\n\r\n',
      '../',
    ],
    share: 2,
    parse: async (bytes) => {
      writeFileSync(file, bytes);
      return readJar(file);
    },
    refuses: withCodes('BAD_JAR'),
  };
}

function packTargets(): readonly Target[] {
  const plugin = { className: 'a.B', type: 't', name: 'B', description: 'of B' };
  return [
    {
      name: 'class',
      seeds: [makePluginClass(plugin), makePluginClass({ ...plugin, passThrough: true })],
      words: ['RuntimeVisibleAnnotations', 'Signature', '@', '[', '\u0000\u0001', '\u00ff\u00ff', '\u0005', '\u0007'],
      share: 1,
      parse: (bytes) => readClassFile(bytes),
      refuses: () => false,
    },
    {
      name: 'pom',
      seeds: [Buffer.from(pomOf(['system:a[1.0,2.0)', '${cdap.range}']))],
      words: [
        '<![CDATA[',
        ']]>',
        '<!--',
        '-->',
        '<?',
        '?>',
        '<!DOCTYPE a [',
        '&#65;',
        '&lt;',
        '</',
        '/>',
        '"',
        '${',
        '}',
      ],
      share: 1,
      parse: (bytes) => pomParents(bytes.toString('utf8')),
      refuses: () => false,
    },
  ];
}

/** Every parser that reads what others have written, and how to end with them. */
export async function openTargets(): Promise<{ targets: readonly Target[]; close: () => void }> {
  const folder = mkdtempSync(join(tmpdir(), 'cdapctl-fuzz-'));
  const { files } = await buildSampleHub({ now: Date.UTC(2025, 0, 1) });
  return {
    targets: [
      ...versionTargets(),
      ...documentTargets(files),
      usesTarget(files),
      ...packTargets(),
      ...(await trustTargets()),
      jarTarget(files, folder),
    ],
    close: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Outcome = { readonly value: unknown } | { readonly error: unknown };

async function outcomeOf(target: Target, bytes: Buffer): Promise<Outcome> {
  try {
    return { value: await target.parse(bytes) };
  } catch (error) {
    return { error };
  }
}

const described = (error: unknown): string =>
  error instanceof Error
    ? `${error.name} ${'code' in error ? String(error.code) : ''} ${error.message}`
    : String(error);

/** What a target does wrong with an input, or undefined; the beginning up to the colon names the kind of failure. */
export async function failureOf(target: Target, bytes: Buffer): Promise<string | undefined> {
  const first = await outcomeOf(target, bytes);
  if ('error' in first) return target.refuses(first.error) ? undefined : `throws: ${described(first.error)}`;
  const wrong = target.wrong?.(first.value, bytes);
  if (wrong !== undefined) return `accepts: ${wrong}`;
  const second = await outcomeOf(target, bytes);
  if (!('value' in second) || !isDeepStrictEqual(second.value, first.value))
    return 'differs: the same bytes are read in another way';
  const written = target.again?.(first.value);
  if (written === undefined) return undefined;
  const third = await outcomeOf(target, written);
  if ('error' in third) return `rewritten: what was accepted is refused: ${described(third.error)}`;
  return isDeepStrictEqual(plain(third.value), plain(first.value))
    ? undefined
    : 'rewritten: what was accepted is read in another way';
}

/** Without the sign of zero, which JSON has and nobody needs. */
function plain(value: unknown): unknown {
  return Buffer.isBuffer(value) ? value.toString('hex') : JSON.parse(JSON.stringify(value ?? null));
}
