import { CliError } from '../../core/errors.js';
import { matchesGlob } from '../../core/glob.js';
import { isOneName, namespacesOfPatterns } from '../../core/pipeline-pattern.js';
import { shellWord } from '../../core/shell-word.js';
import type { MaxFailures } from '../../services/upgrade/failure-limit.js';
import type { NamedPlugin } from '../../services/upgrade/plugins/named-plugins.js';
import type { UpgradeSelection } from '../../state/upgrade-journal.js';
import type { Settings } from '../../config/precedence.js';
import { refuseNamespaces } from '../../cli/settings.js';

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

/**
 * The namespace of an upgrade; undefined: all (docs/conventions.md D13). A pipeline without one in its name needs one
 * that stands on the line or in the environment, or all: USAGE.
 */
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
    throw new CliError('USAGE', `--pipeline ${bare} needs a namespace (NS/NAME) like the others`);
  if (whole.length === 0) return namespace?.value;
  const named = namespacesOfPatterns(whole, []);
  if (!isGiven) return named?.length === 1 ? named[0] : undefined;
  const elsewhere = whole.find((pattern) => !matchesGlob(pattern.slice(0, pattern.indexOf('/')), namespace.value));
  if (elsewhere === undefined) return namespace.value;
  throw new CliError('USAGE', `--pipeline ${elsewhere} is not in the selected namespace ${namespace.value}`);
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

/**
 * Reads `--max-failures`: a count, or a share such as `10%`.
 * @throws USAGE for anything else
 */
export function maxFailuresOf(text: string | undefined): MaxFailures | undefined {
  if (text === undefined) return undefined;
  const match = /^(\d{1,9})(%?)$/u.exec(text);
  const max = { number: Number(match?.[1]), isShare: match?.[2] === '%' };
  if (match === null || (max.isShare && max.number > 100))
    throw new CliError(
      'USAGE',
      `--max-failures takes a number or a percentage such as 10%, not ${JSON.stringify(text)}`,
    );
  return max;
}

/** Reads the words of `--plugin NAME[@VERSION]`, which a journal keeps as they were given. */
export function namedPlugin(text: string): NamedPlugin {
  const at = text.indexOf('@');
  return at < 0 ? { name: text, version: undefined } : { name: text.slice(0, at), version: text.slice(at + 1) };
}
