import { isDeepStrictEqual } from 'node:util';
import { readTextFile } from '../../core/files/read-bounded.js';
import { CliError } from '../../core/errors.js';
import { matchesGlob } from '../../core/glob.js';
import { isOneName, namespacesOfPatterns } from '../../core/pipeline-pattern.js';
import { shellWord } from '../../core/shell-word.js';
import { readAgreedUpgrade, type AgreedUpgrade } from '../../services/upgrade/agreed-plan.js';
import type { NamedPlugin } from '../../services/upgrade/plugins/named-plugins.js';
import { baseAddress } from '../../state/base-address.js';
import type { UpgradeSelection } from '../../state/upgrade-journal.js';
import { journalPath, newestUpgrade, readUpgrade, type ReadUpgrade } from '../../state/upgrade-journals.js';
import type { Settings } from '../../config/precedence.js';
import { refuseNamespaces } from '../../cli/settings.js';

const LARGEST_PLAN = 256 * 1024 * 1024;

/** The flags of `upgrade` that choose. */
export interface ChoosingFlags {
  readonly pipeline?: readonly string[] | undefined;
  readonly match?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
  readonly kind?: 'batch' | 'realtime' | undefined;
  readonly to?: string | undefined;
  readonly plugin?: readonly string[] | undefined;
  readonly 'include-current'?: boolean | undefined;
  readonly snapshots?: boolean | undefined;
  readonly running?: 'warn' | 'skip' | 'fail' | undefined;
  readonly engine?: 'client' | 'server' | undefined;
}

/** Where it stands which namespaces a run works in. */
export interface FoundNamespace {
  readonly found: { readonly settings: Pick<Settings, 'namespace' | 'namespaces'> };
}

/** The namespace that stands on the line or in the environment; one of a context does not count. */
export function namedNamespace({ found }: FoundNamespace): string | undefined {
  const { namespace } = found.settings;
  return namespace?.origin === 'flag' || namespace?.origin === 'environment' ? namespace.value : undefined;
}

/** The namespace of an upgrade; undefined: all (docs/conventions.md D13). A pipeline without one in its name needs one that stands on the line or in the environment, or all: USAGE. */
export function namespaceOf(
  {
    pipeline = [],
    'all-namespaces': all,
  }: { readonly pipeline?: readonly string[] | undefined; readonly 'all-namespaces': boolean },
  context: FoundNamespace,
): string | undefined {
  const { namespace } = context.found.settings;
  if (all) return undefined;
  refuseNamespaces(context.found);
  const bare = pipeline.find((pattern) => !pattern.includes('/'));
  if (bare !== undefined && namedNamespace(context) === undefined)
    throw new CliError('USAGE', '--pipeline needs --namespace', {
      hints: [`-n NAMESPACE -p ${shellWord(bare)}`, `-p ${shellWord(`NAMESPACE/${bare}`)}`],
    });
  const isGiven = namespace?.origin === 'flag';
  const whole = pipeline.filter((pattern) => pattern.includes('/'));
  if (bare !== undefined && whole.length > 0 && !isGiven)
    throw new CliError('USAGE', `--pipeline ${bare} needs its namespace in its name, as the others have it`);
  if (whole.length === 0) return namespace?.value;
  const named = namespacesOfPatterns(whole, []);
  if (!isGiven) return named?.length === 1 ? named[0] : undefined;
  const elsewhere = whole.find((pattern) => !matchesGlob(pattern.slice(0, pattern.indexOf('/')), namespace.value));
  if (elsewhere === undefined) return namespace.value;
  throw new CliError('USAGE', `--pipeline ${elsewhere} is not in the namespace of this line, ${namespace.value}`);
}

/** What the flags choose, as the journal keeps it: one name as such, everything else as patterns. */
export function selectionOf(flags: ChoosingFlags, namespace: string | undefined): UpgradeSelection {
  const { pipeline: patterns = [], kind, to } = flags;
  const [only = ''] = patterns;
  const isOne = patterns.length === 1 && isOneName(only) && namespace !== undefined;
  return {
    ...(namespace !== undefined && { namespace }),
    ...(isOne && { pipeline: only.slice(only.indexOf('/') + 1) }),
    match: [...(flags.match ?? []), ...(isOne ? [] : patterns)],
    exclude: [...(flags.exclude ?? [])],
    ...(kind !== undefined && { kind }),
    ...(to !== undefined && { to }),
    plugins: [...(flags.plugin ?? [])],
    includeCurrent: flags['include-current'] === true,
    snapshots: flags.snapshots === true,
    running: flags.running ?? 'warn',
    engine: flags.engine ?? 'client',
  };
}

/** Reads the words of `--plugin NAME[@VERSION]`, which a journal keeps as they were given. */
export function namedPlugin(text: string): NamedPlugin {
  const at = text.indexOf('@');
  return at < 0 ? { name: text, version: undefined } : { name: text.slice(0, at), version: text.slice(at + 1) };
}

/** What says which run goes on. */
export interface ResumeOptions {
  readonly resume: boolean;
  readonly 'only-failed': boolean;
  /** The command that tries again what failed, for a hint. */
  readonly again: string;
  readonly journal?: string | undefined;
  /** The line itself chooses pipelines, so that a run may begin anew with it. */
  readonly isChoosing: boolean;
  /** The line or the environment names a namespace, or all: that of a context does not count. */
  readonly saysNamespace: boolean;
}

/** Refuses to go on with a run of another platform or of other pipelines. */
function refuseOther(
  { file, run }: ReadUpgrade,
  { namespace, ...given }: UpgradeSelection,
  { saysNamespace }: ResumeOptions,
  url: string,
): void {
  if (run.command !== 'upgrade' || run.selection === undefined)
    throw new CliError('USAGE', `${file} is the journal of a rollback`, { hints: ['cdapctl help upgrade'] });
  if (run.platform !== baseAddress(url))
    throw new CliError('USAGE', `${file} is the journal of an upgrade of ${run.platform}, not of ${url}`);
  const { namespace: was, ...begun } = run.selection;
  const isSilent = isDeepStrictEqual(given, selectionOf({}, undefined));
  const isSame = isDeepStrictEqual(given, begun);
  if (saysNamespace ? isSame && namespace === was : isSame || isSilent) return;
  throw new CliError(
    'USAGE',
    'a run is resumed as it was started: it chose other pipelines or versions than this line',
    {
      hints: ['leave out what chooses pipelines and versions, or give the same as before'],
      target: { file },
    },
  );
}

/** NOT_FOUND for a `--resume` that has nothing to go on with and would begin anew with everything. */
function nothingToResume(previous: ReadUpgrade | undefined, url: string, again: string): CliError {
  const anew = 'cdapctl upgrade --check';
  if (previous === undefined)
    return new CliError('NOT_FOUND', `there is no journal of an upgrade of ${url}`, { hints: [anew] });
  const failed = [...previous.records.values()].some(({ state }) => state !== 'done');
  return new CliError('NOT_FOUND', `the newest upgrade of ${url} is complete; nothing to resume`, {
    hints: [failed ? `try again what failed: ${again}` : anew],
    target: { file: previous.file },
  });
}

/** The run that `--resume` or `--only-failed` go on with: the journal that is named, else the newest of this platform. Without any, or with one that came to its end, `--resume` begins anew where the line chooses pipelines; else, and always for `--only-failed` without any, NOT_FOUND. */
export async function findPrevious(
  flags: ResumeOptions,
  given: UpgradeSelection,
  stateFolder: string,
  url: string,
): Promise<ReadUpgrade | undefined> {
  if (!flags.resume && !flags['only-failed']) return undefined;
  const { journal } = flags;
  const file = journal === undefined ? await newestUpgrade(stateFolder, url) : journalPath(journal, stateFolder);
  const previous = file === undefined ? undefined : await readUpgrade(file);
  // A run that came to its end needs none that goes on.
  const isOver = flags.resume && previous?.finished === true && journal === undefined;
  if (previous === undefined || isOver) {
    if (flags.resume && flags.isChoosing) return undefined;
    throw nothingToResume(previous, url, flags.again);
  }
  refuseOther(previous, given, flags, url);
  return previous;
}

/** Reads the plan of `upgrade --plan`; USAGE when the file is not there or holds none. */
export async function readUpgradePlan(file: string): Promise<AgreedUpgrade> {
  const found = await readTextFile(file, LARGEST_PLAN);
  if (found.kind === 'text') return readAgreedUpgrade(found.text, file);
  throw new CliError('USAGE', `the plan ${file} ${found.kind === 'absent' ? 'is not there' : found.why}`, {
    hints: ['write one with --plan-out FILE'],
    target: { file },
  });
}
