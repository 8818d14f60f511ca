import { basename } from 'node:path';
import { isManifest, readManifest, type Manifest } from '../../../core/files/jar.js';
import { withZip, type ZipEntry, type ZipFile } from '../../../core/files/zip.js';
import { readClassFile, type ClassFile } from './class-file.js';

/** A plugin as its class says it. */
export interface PluginClass {
  readonly name: string;
  readonly type: string;
  readonly className: string;
  readonly description: string;
}

/** What a build of Maven left in a JAR about one project. */
export interface MavenProject {
  readonly artifactId: string;
  readonly version: string | undefined;
  /** Text of its pom.xml. */
  readonly pom: string | undefined;
}

/** What a JAR says of itself. */
export interface JarFacts {
  readonly file: string;
  readonly bytes: number;
  readonly manifest: Manifest;
  /** The project of which it is the result; undefined when that is not certain. */
  readonly project: MavenProject | undefined;
  /** In the packages that it exports, where the platform looks for them; sorted by the file of the class. */
  readonly plugins: readonly PluginClass[];
  /** Whether it has plugins of the API before 6.0, which later platforms do not find. See docs/platform.md 4.1. */
  readonly hasOlderApi: boolean;
  /** JDBC drivers that it registers. */
  readonly drivers: readonly string[];
  /** Whether its main class is an application of the platform, and one that takes a configuration. */
  readonly application: 'none' | 'plain' | 'configured';
  /** Whether it holds a class, named as Java names it. */
  readonly hasClass: (className: string) => boolean;
}

/** Bytes of what is read of a JAR (`docs/limits.md`). */
const LARGEST_CLASS = 4 * 1024 * 1024;
const MOST_BYTES = 128 * 1024 * 1024;
const LARGEST_FILE = 1024 * 1024;
const MOST_PROJECTS = 2000;

const DRIVERS = 'META-INF/services/java.sql.Driver';
const PROJECT = /^META-INF\/maven\/[^/]+\/([^/]+)\/pom\.(?:properties|xml)$/u;
const CLASS = /^(.*)\/[^/]+\.class$/u;
const MARK = Buffer.from('/cdap/api/annotation/Plugin;');
const OLDER_API = 'Lco/cask/cdap/api/annotation/';
const ANNOTATIONS = ['Lio/cdap/cdap/api/annotation/', OLDER_API];
const APPLICATION = /^(?:io\/cdap|co\/cask)\/cdap\/api\/app\/(?:Abstract)?Application$/u;
const CONFIGURED = /\/cdap\/api\/app\/(?:Abstract)?Application<(?!L(?:io\/cdap|co\/cask)\/cdap\/api\/Config;)/u;
/** Classes between the main class and that of the platform. */
const MOST_ANCESTORS = 30;

/**
 * Reads what a JAR says of itself, of which nothing is run. `shown` is what it is called in messages, `named` the path
 * whose last part may name its project.
 * @throws BAD_JAR, LOCAL_IO
 */
export async function readPackedJar(
  file: string,
  shown: string,
  named: string,
  signal: AbortSignal,
): Promise<JarFacts> {
  return withZip(file, shown, async (zip) => {
    const reader = new JarReader(zip, signal);
    const manifest = await readManifest(zip, reader.manifests);
    return {
      file,
      bytes: zip.bytes,
      manifest,
      project: await reader.project(basename(named).replace(/\.jar$/iu, ''), manifest),
      plugins: await reader.plugins(exportedPackages(manifest.get('export-package') ?? '')),
      hasOlderApi: reader.hasOlderApi,
      drivers: await reader.drivers(),
      application: await reader.application(manifest.get('main-class')),
      hasClass: (className) => reader.hasClass(className),
    };
  });
}

/** The packages of `Export-Package`, with slashes. Commas between quotes join nothing. */
function exportedPackages(header: string): ReadonlySet<string> {
  const clauses = header.replace(/"[^"]*"/gu, '').split(',');
  return new Set(clauses.flatMap((clause) => clause.split(';')).flatMap((part) => packageIn(part.trim())));
}

const packageIn = (part: string): readonly string[] =>
  part === '' || /[=:]/u.test(part) ? [] : [part.replaceAll('.', '/')];

class JarReader {
  readonly manifests: ZipEntry[] = [];
  hasOlderApi = false;
  readonly #zip: ZipFile;
  readonly #signal: AbortSignal;
  readonly #entries = new Map<string, ZipEntry>();
  readonly #doubles = new Set<string>();
  readonly #projects = new Set<string>();
  #read = 0;

  constructor(zip: ZipFile, signal: AbortSignal) {
    this.#zip = zip;
    this.#signal = signal;
    for (const entry of zip.entries()) {
      const { name } = entry;
      if (isManifest(entry)) this.manifests.push(entry);
      if (this.#entries.has(name)) this.#doubles.add(name);
      this.#entries.set(name, entry);
      const project = PROJECT.test(name) ? name.slice(0, name.lastIndexOf('/')) : undefined;
      if (project !== undefined) this.#projects.add(project);
      if (this.#projects.size > MOST_PROJECTS) throw zip.fault(`it has more than ${MOST_PROJECTS} Maven projects`);
    }
  }

  /** One that fits the name of the file, or that is the only one and has the version of the JAR. */
  async project(base: string, manifest: Manifest): Promise<MavenProject | undefined> {
    const all: (Omit<MavenProject, 'pom'> & { readonly folder: string })[] = [];
    for (const folder of this.#projects) {
      const artifactId = folder.slice(folder.lastIndexOf('/') + 1);
      if (this.#projects.size > 1 && !base.startsWith(artifactId)) continue;
      const properties = await this.#text(`${folder}/pom.properties`);
      all.push({
        folder,
        artifactId: propertyIn(properties, 'artifactId') ?? artifactId,
        version: propertyIn(properties, 'version'),
      });
    }
    const fitting = all.filter(({ artifactId, version }) => {
      const whole = `${artifactId}-${version ?? ''}`;
      return base === artifactId || (version !== undefined && (base === whole || base.startsWith(`${whole}-`)));
    });
    const bundle = manifest.get('bundle-version');
    const likely = fitting.length > 0 ? fitting : all.filter(({ version }) => sameVersion(version, bundle));
    const [chosen] = fitting.length === 1 || this.#projects.size === 1 ? likely : [];
    if (chosen === undefined) return undefined;
    const { folder, ...project } = chosen;
    return { ...project, pom: await this.#text(`${folder}/pom.xml`) };
  }

  async plugins(packages: ReadonlySet<string>): Promise<readonly PluginClass[]> {
    const found: PluginClass[] = [];
    for (const name of [...this.#entries.keys()].sort()) {
      if (!packages.has(CLASS.exec(name)?.[1] ?? '')) continue;
      const bytes = await this.#bytes(name, LARGEST_CLASS);
      if (bytes?.includes(MARK) !== true) continue;
      const parsed = this.#parsed(name, bytes);
      this.hasOlderApi ||= parsed.annotations.has(`${OLDER_API}Plugin;`);
      const plugin = pluginOf(name, parsed);
      if (plugin !== undefined) found.push(plugin);
    }
    return found;
  }

  hasClass(className: string): boolean {
    return this.#entries.has(pathOf(className));
  }

  async drivers(): Promise<readonly string[]> {
    const lines = ((await this.#text(DRIVERS)) ?? '').split(/\r?\n/u).map((line) => line.replace(/#.*$/u, '').trim());
    return [...new Set(lines.filter((line) => line !== '' && this.hasClass(line)))];
  }

  async application(mainClass: string | undefined): Promise<JarFacts['application']> {
    if (mainClass === undefined || mainClass === '') return 'none';
    let path = pathOf(mainClass);
    for (let depth = 0; depth < MOST_ANCESTORS; depth += 1) {
      const bytes = await this.#bytes(path, LARGEST_CLASS);
      if (bytes === undefined) return 'none';
      const { superName, interfaces, signature } = this.#parsed(path, bytes);
      if ([superName, ...interfaces].some((name) => APPLICATION.test(name)))
        return CONFIGURED.test(signature) ? 'configured' : 'plain';
      path = `${superName}.class`;
    }
    return 'none';
  }

  #parsed(name: string, bytes: Buffer): ClassFile {
    const parsed = readClassFile(bytes);
    if (parsed === undefined) throw this.#zip.fault(`${name} is not a valid class`);
    return parsed;
  }

  async #text(name: string): Promise<string | undefined> {
    return (await this.#bytes(name, LARGEST_FILE))?.toString('utf8');
  }

  async #bytes(name: string, most: number): Promise<Buffer | undefined> {
    this.#signal.throwIfAborted();
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    // Programs do not agree on which of the two they read.
    if (this.#doubles.has(name)) throw this.#zip.fault(`it contains ${name} twice`);
    this.#read += entry.size;
    if (this.#read > MOST_BYTES) throw this.#zip.fault(`more than ${MOST_BYTES} bytes of it would have to be read`);
    return this.#zip.read(entry, { what: name, most });
  }
}

const pathOf = (className: string): string => `${className.replaceAll('.', '/')}.class`;

/** OSGi writes a dot where Maven has a hyphen. */
const sameVersion = (maven: string | undefined, bundle: string | undefined): boolean =>
  maven !== undefined && bundle !== undefined && maven.replaceAll('-', '.') === bundle.replaceAll('-', '.');

function propertyIn(properties: string | undefined, name: string): string | undefined {
  const line = properties?.split(/\r?\n/u).find((text) => text.startsWith(`${name}=`));
  const value = line?.slice(name.length + 1).trim();
  return value === '' ? undefined : value;
}

function pluginOf(path: string, { annotations }: ClassFile): PluginClass | undefined {
  const member = (annotation: string, key: string): string | undefined =>
    ANNOTATIONS.map((prefix) => annotations.get(`${prefix}${annotation};`)?.get(key)).find(
      (text) => text !== undefined,
    );
  if (!ANNOTATIONS.some((prefix) => annotations.has(`${prefix}Plugin;`))) return undefined;
  const className = path.replace(/\.class$/u, '').replaceAll('/', '.');
  const name = member('Name', 'value') ?? '';
  return {
    name: name === '' ? className : name,
    type: member('Plugin', 'type') ?? 'plugin',
    className,
    description: member('Description', 'value') ?? '',
  };
}
