import { createHash } from 'node:crypto';
import { makeIcon } from './make-icon.js';
import { samplePackages } from './packages.js';
import type { SamplePackage } from './packages/sample-package.js';
import { makeSigner, type HubSigner, type KeptSigner } from './sign.js';

/**
 * The files of a hub by their path below its root, in the order of their making. Every path is plain ASCII without
 * escapes.
 */
export type HubFiles = Map<string, Buffer>;

/** A signed hub and the key that signed it. */
export interface SampleHub extends HubSigner {
  readonly files: HubFiles;
}

/** What a hub is made of. */
export interface HubContent {
  readonly packages: readonly SamplePackage[];
  readonly signer: HubSigner;
  /** Milliseconds since the epoch; the signed index is valid for 30 days from then. */
  readonly now: number;
  /** Number of the signed index; a hub counts it up with every change. */
  readonly sequence: number;
}

const INDEX_LIFE = 30 * 24 * 60 * 60 * 1000;
const COPIED = ['description', 'label', 'author', 'org', 'cdapVersion', 'license', 'licenseInfo', 'created'];

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const jsonFile = (value: unknown): Buffer => Buffer.from(`${JSON.stringify(value, undefined, 2)}\n`, 'utf8');

function catalogEntry({ name, version, spec }: SamplePackage): Record<string, unknown> {
  const copied = COPIED.filter((member) => spec[member] !== undefined).map((member): [string, unknown] => [
    member,
    spec[member],
  ]);
  const paidLink = spec['paidLink'];
  const paid = typeof paidLink === 'string' && paidLink !== '';
  return {
    name,
    version,
    ...Object.fromEntries(copied),
    beta: spec['beta'] === true || spec['preview'] === true,
    ...(spec['categories'] === undefined ? {} : { categories: spec['categories'] }),
    paid,
    ...(paid ? { paidLink } : {}),
  };
}

function catalogOrder(a: SamplePackage, b: SamplePackage): number {
  const label = ({ spec }: SamplePackage): string => String(spec['label']).toLowerCase();
  return compareText(label(a), label(b)) || compareText(a.name, b.name) || compareText(a.version, b.version);
}

function categoriesOf(packages: readonly SamplePackage[]): object[] {
  const names = packages.flatMap(({ spec }) =>
    Array.isArray(spec['categories']) ? spec['categories'].map(String) : [],
  );
  return [...new Set(names)].sort(compareText).map((name) => ({ name, hasIcon: false }));
}

/** The path of a package's folder below the root of a hub. */
export function packageFolder({ name, version }: Pick<SamplePackage, 'name' | 'version'>): string {
  return `packages/${name}/${version}`;
}

async function packageFiles(sample: SamplePackage, signer: HubSigner): Promise<[string, Buffer][]> {
  const signed: [string, Buffer][] = [['spec.json', jsonFile(sample.spec)], ...Object.entries(sample.resources)];
  const signatures = await Promise.all(signed.map(async ([, bytes]) => Buffer.from(await signer.sign(bytes), 'utf8')));
  const files = signed.flatMap(([name, bytes], at): [string, Buffer][] => [
    [name, bytes],
    [`${name}.asc`, signatures[at] ?? Buffer.alloc(0)],
  ]);
  return [...files, ['icon.png', makeIcon(sample.name)], ...Object.entries(sample.unsigned ?? {})];
}

function fileFacts(name: string, bytes: Buffer): object {
  return { name, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** Builds every file of a hub: packages with signatures, catalog, categories, name and signed index. */
export async function buildHub({ packages, signer, now, sequence }: HubContent): Promise<HubFiles> {
  const sorted = [...packages].sort(catalogOrder);
  const folders = await Promise.all(sorted.map((sample) => packageFiles(sample, signer)));
  const catalogs: [string, Buffer][] = [
    ['packages.json', jsonFile(sorted.map(catalogEntry))],
    ['categories.json', jsonFile(categoriesOf(sorted))],
  ];
  const index = jsonFile({
    format: 1,
    sequence,
    created: new Date(now).toISOString(),
    expires: new Date(now + INDEX_LIFE).toISOString(),
    files: catalogs.map(([name, bytes]) => fileFacts(name, bytes)),
    packages: sorted.map(({ name, version }, at) => ({
      name,
      version,
      files: (folders[at] ?? []).map(([file, bytes]) => fileFacts(file, bytes)),
    })),
    keys: [signer.fingerprint],
  });
  return new Map([
    ...catalogs,
    ['metadata.json', jsonFile({ marketName: 'Example hub' })],
    ['index.json', index],
    ['index.json.asc', Buffer.from(await signer.sign(index), 'utf8')],
    ...sorted.flatMap((sample, at) =>
      (folders[at] ?? []).map(([name, bytes]): [string, Buffer] => [`${packageFolder(sample)}/${name}`, bytes]),
    ),
  ]);
}

/**
 * Builds the hub of sample packages, signed with a new key or with that of an earlier start. Its index is newer than
 * any that was built before.
 */
export async function buildSampleHub({
  now,
  privateKey,
}: Pick<HubContent, 'now'> & { readonly privateKey?: string | undefined }): Promise<SampleHub & KeptSigner> {
  const signer = await makeSigner(now, privateKey);
  // A client that has seen the index of an earlier start takes only one with a higher number.
  const sequence = privateKey === undefined ? 1 : now;
  return { ...signer, files: await buildHub({ packages: samplePackages(), signer, now, sequence }) };
}
