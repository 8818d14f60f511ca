import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import type { CommandContext } from '../../cli/context-types.js';
import type { Session } from '../../cli/session.js';
import { typedPath } from '../../cli/line/local-path.js';
import { CliError } from '../../core/errors.js';
import type { PackDraft, PackWishes } from '../../services/hosting/pack/draft.js';
import {
  isForLaterApi,
  packageFiles,
  type PackageFiles,
  type PackTexts,
} from '../../services/hosting/pack/package-files.js';
import { readPluginFiles, type PluginFiles, type PluginFolders } from '../../services/hosting/pack/plugin-files.js';
import { readJars, type NamedJar } from '../../services/hosting/pack/jar-inputs.js';
import {
  createdBefore,
  refuseExisting,
  restorePackages,
  writePackages,
  type NewPackage,
} from '../../services/hosting/pack/write-packages.js';
import { refusePackagesFolder } from '../../services/hosting/tree/source-tree.js';
import { publishedIn, type PublishedFiles } from '../../services/hosting/tree/published-files.js';
import { futurePath } from '../../services/hosting/tree/future-path.js';
import { takeLocks } from '../../services/writing/run-lock.js';
import { lockDeps } from '../writing.js';
import { closePackGaps, packTexts, type GivenTexts } from './pack-questions.js';

/** What is packed, into which tree. */
export interface PackOptions {
  readonly jars: readonly NamedJar[];
  readonly folder: string;
  readonly clobber: boolean;
  /** Files of published versions that may change, as `NAME/VERSION/FILE`. */
  readonly forced: readonly string[];
  readonly wishes: PackWishes;
  readonly texts: GivenTexts;
  readonly folders: PluginFolders;
}

/** A package that was written. */
export interface WrittenPackage {
  readonly name: string;
  readonly version: string;
  readonly folder: string;
  readonly action: string;
  /** The JAR of which it was made. */
  readonly source: string;
  readonly files: readonly string[];
  readonly bytes: number;
  readonly sha256: string;
  readonly plugins: PackDraft['jar']['plugins'];
  readonly parents: readonly string[];
}

const MOST_NAMED = 5;

/** Makes packages of JARs, while no other run of this machine writes into the same tree. */
export async function packFor(
  options: PackOptions,
  context: Pick<CommandContext, 'asker' | 'emit' | 'stateFolder'>,
  session: Pick<Session, 'argv' | 'clock' | 'signal' | 'terminal'>,
): Promise<readonly WrittenPackage[]> {
  const { signal } = session;
  const root = await futurePath(resolve(options.folder));
  refusePackagesFolder(root);
  const jars = await readJars(options.jars, signal);
  const questions = { asker: context.asker, argv: session.argv };
  const drafts = await closePackGaps(jars, options.wishes, questions);
  refuseTwice(drafts);
  if (!options.clobber) refuseExisting(root, drafts);
  const found = await readPluginFiles(options.folders);
  const texts = await packTexts(root, drafts, options.texts, questions);
  const locks = await takeLocks([{ kind: 'folder', path: root }], lockDeps(context, session));
  let packages: Awaited<ReturnType<typeof newPackages>>;
  try {
    restorePackages(root);
    packages = await newPackages({ root, forced: options.forced }, drafts, texts, found, session);
    await writePackages(root, packages, options.clobber, signal);
  } finally {
    await locks.release();
  }
  return packages.map(({ name, version, files, source }, at) => ({
    name,
    version,
    folder: typedPath(join(root, 'packages', name, version)),
    action: files.action,
    source: source.shown,
    files: [...files.texts.keys(), files.jar],
    bytes: source.bytes,
    sha256: source.sha256,
    plugins: source.plugins,
    parents: drafts[at]?.parents.map(({ text }) => text) ?? [],
  }));
}

async function newPackages(
  { root, forced }: Pick<PackOptions, 'forced'> & { readonly root: string },
  drafts: readonly PackDraft[],
  texts: readonly PackTexts[],
  found: PluginFiles,
  { clock, signal, terminal }: Pick<Session, 'clock' | 'signal' | 'terminal'>,
): Promise<readonly NewPackage[]> {
  const published = await publishedIn(root, forced);
  const now = Math.floor(clock.now() / 1000);
  const shares = sharesOf(drafts, found);
  warnUnused([...found.unused, ...shares.unused], { terminal });
  if (shares.unknown.length > 0) {
    const names = someOf(shares.unknown);
    terminal.warn('UNKNOWN_PLUGIN', `the JAR has no plugin ${names}; its files are packed anyway`);
  }
  for (const { type, jar } of drafts) warnOfType(type, jar, { terminal });
  const packages: NewPackage[] = [];
  for (const [at, draft] of drafts.entries()) {
    const own = texts[at];
    if (own === undefined) continue;
    const { name, version, jar } = draft;
    if (isForLaterApi(draft, own))
      terminal.warn('OLDER_API', `the plugins of ${name} are for CDAP before 6.0; later platforms do not find them`);
    // The same JAR makes the same package again, which was perhaps signed and published.
    const created = (await createdBefore(root, draft, jar.sha256, signal)) ?? now;
    const files = packageFiles(draft, own, shares.of(draft), created);
    guard(published, draft, files);
    packages.push({ name, version, files, source: jar });
  }
  published.refuse(root, 'would change');
  return packages;
}

/** Notes the files of a published version that a package would change. */
function guard(published: PublishedFiles, draft: PackDraft, { jar, texts }: PackageFiles): void {
  const digests = [...texts].map(([name, text]) => ({ name, sha256: createHash('sha256').update(text).digest('hex') }));
  const files = [...digests, { name: jar, sha256: draft.jar.sha256 }];
  for (const file of files) published.allow(draft, file);
  published.allowOnly(draft, files);
}

function refuseTwice(drafts: readonly PackDraft[]): void {
  const places = new Map<string, string>();
  for (const { name, version, jar } of drafts) {
    const other = places.get(`${name}/${version}`.toLowerCase());
    if (other !== undefined)
      throw new CliError('USAGE', `${other} and ${jar.shown} have the same name and version, ${name} ${version}`, {
        hints: ['pack them one by one, with --name for one of them'],
      });
    places.set(`${name}/${version}`.toLowerCase(), jar.shown);
  }
}

/**
 * Which texts belong to which package. The only plugin JAR gets all, as in the build of its project; several get those
 * of their own plugins.
 */
function sharesOf(
  drafts: readonly PackDraft[],
  { texts }: PluginFiles,
): {
  readonly of: (draft: PackDraft) => PluginFiles['texts'];
  readonly unused: readonly string[];
  /** Those that are packed, although no plugin is called so. */
  readonly unknown: readonly string[];
} {
  const keysOf = ({ type, jar }: PackDraft): ReadonlySet<string> =>
    new Set(type === 'plugin' ? jar.plugins.map((plugin) => `${plugin.name}-${plugin.type}`) : []);
  const known = new Set(drafts.flatMap((draft) => [...keysOf(draft)]));
  const unknown = [...texts.keys()].filter((key) => !known.has(key));
  const [only, ...others] = drafts.filter(({ type }) => type === 'plugin');
  if (only !== undefined && others.length === 0)
    return {
      of: (draft) => (draft === only ? texts : new Map()),
      unused: [],
      unknown: known.size === 0 ? [] : unknown,
    };
  return {
    of: (draft) => {
      const keys = keysOf(draft);
      return new Map([...texts].filter(([key]) => keys.has(key)));
    },
    unused: unknown,
    unknown: [],
  };
}

/** Warns of a JAR that is not what it is packed as. */
function warnOfType(
  type: PackDraft['type'],
  { shown, plugins, beside, application }: PackDraft['jar'],
  { terminal }: Pick<Session, 'terminal'>,
): void {
  if (type === 'plugin' && plugins.length + (beside?.plugins.length ?? 0) === 0)
    terminal.warn('NO_PLUGIN', `${shown} is packed as a plugin, but no plugin was found in it`);
  if (type === 'app' && application === 'none')
    terminal.warn('NO_APPLICATION', `${shown} is packed as an application, but no application was found in it`);
}

function warnUnused(unused: readonly string[], { terminal }: Pick<Session, 'terminal'>): void {
  if (unused.length > 0) terminal.warn('UNUSED_FILES', `not used: ${someOf(unused)}`);
}

/** The first of several names, and how many more there are. */
function someOf(names: readonly string[]): string {
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  return `${names.slice(0, MOST_NAMED).join(', ')}${more}`;
}
