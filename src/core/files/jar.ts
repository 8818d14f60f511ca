import { withZip, type ZipEntry, type ZipFile } from './zip.js';

const LARGEST_MANIFEST = 1024 * 1024;
const MANIFEST = 'META-INF/MANIFEST.MF';

/** What the tool needs to know of a JAR: its entries, and what its manifest says. */
export interface Jar {
  readonly file: string;
  readonly bytes: number;
  /** `Bundle-Version` of the manifest: the platform's default version (docs/platform.md 4.1). */
  readonly bundleVersion?: string;
  /** `Main-Class` of the manifest: the application, where the JAR holds one (docs/platform.md 5). */
  readonly mainClass?: string;
  /** By name the CRC-32 that the directory gives; nobody has compared it with the content. */
  readonly entries: ReadonlyMap<string, number>;
}

/** Attributes of the main section of a manifest, by their names in lower case; empty ones are absent. */
export type Manifest = ReadonlyMap<string, string>;

/** Whether an entry is the manifest of a JAR. */
export const isManifest = ({ name }: ZipEntry): boolean => name.toUpperCase() === MANIFEST;

/**
 * Reads the manifest of a JAR among its entries; empty when there is none.
 * @throws BAD_JAR when there are several (docs/faults.md T35), or it is damaged
 */
export async function readManifest(zip: ZipFile, manifests: readonly ZipEntry[]): Promise<Manifest> {
  if (manifests.length > 1) throw zip.fault('it has several manifests');
  const [entry] = manifests;
  if (entry === undefined) return new Map();
  const text = (await zip.read(entry, { what: 'its manifest', most: LARGEST_MANIFEST })).toString('utf8');
  const main = text.replace(/\r\n?/gu, '\n').replace(/\n /gu, '').split('\n\n')[0] ?? '';
  const attributes = new Map<string, string>();
  for (const line of main.split('\n')) {
    const end = line.indexOf(':');
    const [name, value] = [line.slice(0, Math.max(0, end)).toLowerCase(), line.slice(end + 1).trim()];
    if (name !== '' && value !== '' && !attributes.has(name)) attributes.set(name, value);
  }
  return attributes;
}

async function inspect(zip: ZipFile, file: string): Promise<Jar> {
  const entries = new Map<string, number>();
  const manifests: ZipEntry[] = [];
  for (const entry of zip.entries()) {
    entries.set(entry.name, entry.crc);
    if (isManifest(entry)) manifests.push(entry);
  }
  const manifest = await readManifest(zip, manifests);
  const [bundleVersion, mainClass] = [manifest.get('bundle-version'), manifest.get('main-class')];
  return {
    file,
    bytes: zip.bytes,
    entries,
    ...(bundleVersion !== undefined && { bundleVersion }),
    ...(mainClass !== undefined && { mainClass }),
  };
}

/**
 * Reads the directory and the manifest of a JAR on disk, nothing else of it. `shown` is what it is called in messages.
 * @throws BAD_JAR when it is no ZIP or its manifest is ambiguous (docs/faults.md T35), LOCAL_IO when it cannot be read
 */
export async function readJar(file: string, shown = file): Promise<Jar> {
  return withZip(file, shown, (zip) => inspect(zip, shown));
}

/** Whether a JAR holds a class, named as Java names it. */
export function hasClass(jar: Jar, className: string): boolean {
  return jar.entries.has(`${className.replaceAll('.', '/')}.class`);
}
