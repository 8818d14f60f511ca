import { parseDuration } from '../core/duration.js';
import { CliError } from '../core/errors.js';
import {
  environmentTwin,
  inContext,
  pick,
  pickAll,
  type Candidate,
  type Origin,
  type Read,
  type Setting,
  type SettingSources,
} from './setting.js';
import { selectTarget, type NamedContext, type Target } from './target.js';

const BUILT_IN: Readonly<Record<string, unknown>> = { retries: 3, 'connect-timeout': '10s', output: 'table' };

type ContextMember = 'namespace' | 'hub' | 'caFile' | 'proxy' | 'tokenFile' | 'tokenCommand' | 'uiUrl';
type Maybe<T> = Setting<T> | undefined;

/** Everything about connection, trust and output that flags, environment and files decide. Undefined is set nowhere. */
export interface Settings extends Target {
  /**
   * The first of `namespaces`, for commands that take one. Undefined means the command's own default
   * (docs/conventions.md D13).
   */
  readonly namespace: Maybe<string>;
  readonly namespaces: Maybe<readonly string[]>;
  /** Names or URLs, to be resolved with `hubNamed`; undefined means all configured hubs. */
  readonly hubs: Maybe<readonly string[]>;
  /** Not set with `tokenCommand`: the higher place counts, and the file where both come from the same. */
  readonly tokenFile: Maybe<string>;
  readonly tokenCommand: Maybe<string>;
  readonly allowHttpToken: Maybe<boolean>;
  readonly caFile: Maybe<string>;
  readonly insecureSkipTlsVerify: Maybe<boolean>;
  readonly proxy: Maybe<string>;
  readonly retries: Setting<number>;
  /** Milliseconds. */
  readonly connectTimeout: Setting<number>;
  /** Milliseconds; undefined means the limits of each request. */
  readonly requestTimeout: Maybe<number>;
  readonly verify: Maybe<'require' | 'warn' | 'off'>;
  readonly output: Setting<'table' | 'wide' | 'json' | 'ndjson' | 'yaml' | 'csv' | 'name'>;
  readonly errorDir: Maybe<string>;
  readonly uiUrl: Maybe<string>;
}

function text(value: string): string {
  return value;
}

function count(value: string): number {
  if (/^\d{1,3}$/u.test(value)) return Number(value);
  throw new CliError('USAGE', `${JSON.stringify(value.slice(0, 40))} is not a number from 0 to 999`);
}

function yesOrNo(value: string): boolean {
  if (/^(?:1|true|yes|on)$/iu.test(value)) return true;
  if (/^(?:0|false|no|off)$/iu.test(value)) return false;
  throw new CliError('USAGE', `${JSON.stringify(value.slice(0, 40))} is neither true nor false`);
}

function oneOf<const T extends string>(...choices: readonly T[]): Read<T> {
  return (value) => {
    const found = choices.find((choice) => choice === value);
    if (found !== undefined) return found;
    throw new CliError('USAGE', `${JSON.stringify(value.slice(0, 40))} is not one of ${choices.join(', ')}`);
  };
}

function certain<T>(setting: Setting<T> | undefined, flag: string): Setting<T> {
  if (setting === undefined) throw new CliError('INTERNAL', `the setting ${flag} has no default`);
  return setting;
}

function fromContext(
  context: Setting<NamedContext> | undefined,
  member: ContextMember,
  sources: SettingSources,
): Candidate[] {
  if (context === undefined) return [];
  const origin = context.value.file === sources.user?.file ? 'user' : 'system';
  return [{ value: context.value[member], origin, ...inContext(context.value.name) }];
}

/**
 * Decides every setting by docs/conventions.md 2.9, 2.10, D13.
 * @throws USAGE names the place of a value that cannot be read
 */
export function resolveSettings(sources: SettingSources): Settings {
  const { flags, environment, project } = sources;
  const target = selectTarget(sources);
  const context = (member: ContextMember): Candidate[] => fromContext(target.context, member, sources);
  // The token of a context is for its own address; one that the environment gives comes before it.
  const isElsewhere = target.url?.value !== target.context?.value.url;
  const isAnonymous = isElsewhere || (environment['CDAPCTL_TOKEN'] ?? '') !== '';
  const inProject = (value: unknown): Candidate => ({ value, origin: 'project', from: project?.file ?? '' });
  const places = (flag: string, between: readonly Candidate[] = []): Candidate[] => [
    { value: flags[flag]?.value, origin: 'flag', from: flags[flag]?.from ?? '' },
    { value: environment[environmentTwin(flag)], origin: 'environment', from: environmentTwin(flag) },
    ...between,
    { value: sources.builtIn?.[flag] ?? BUILT_IN[flag], origin: 'built-in', from: 'built-in' },
  ];
  const namespaces = places('namespace', [inProject(project?.settings.namespace), ...context('namespace')]);
  const all = pickAll(namespaces);
  return {
    ...target,
    namespaces: all,
    namespace: all === undefined ? undefined : pick([{ ...all }], text),
    hubs: pickAll(places('hub', [inProject(project?.settings.hubs), ...context('hub')])),
    ...tokenPlaces(
      pick(places('token-file', isAnonymous ? [] : context('tokenFile')), text),
      pick(places('token-command', isAnonymous ? [] : context('tokenCommand')), text),
    ),
    allowHttpToken: pick(places('allow-http-token'), yesOrNo),
    caFile: pick(places('ca-file', context('caFile')), text),
    insecureSkipTlsVerify: pick(places('insecure-skip-tls-verify'), yesOrNo),
    proxy: pick(proxyPlaces(places('proxy'), context('proxy')), text),
    retries: certain(pick(places('retries'), count), 'retries'),
    connectTimeout: certain(pick(places('connect-timeout'), parseDuration), 'connect-timeout'),
    requestTimeout: pick(places('request-timeout'), parseDuration),
    verify: pick(places('verify'), oneOf('require', 'warn', 'off')),
    output: certain(pick(places('output'), format), 'output'),
    errorDir: pick(places('error-dir'), text),
    uiUrl: pick(places('ui-url', isElsewhere ? [] : context('uiUrl')), text),
  };
}

const RANK: readonly Origin[] = ['flag', 'environment', 'project', 'user', 'system', 'built-in'];

function tokenPlaces(file: Maybe<string>, command: Maybe<string>): Pick<Settings, 'tokenFile' | 'tokenCommand'> {
  if (file === undefined || command === undefined) return { tokenFile: file, tokenCommand: command };
  if (file.origin === 'flag' && command.origin === 'flag')
    throw new CliError('USAGE', `${file.from} and ${command.from} cannot be used together`);
  const isFile = RANK.indexOf(file.origin) <= RANK.indexOf(command.origin);
  return { tokenFile: isFile ? file : undefined, tokenCommand: isFile ? undefined : command };
}

const format = oneOf('table', 'wide', 'json', 'ndjson', 'yaml', 'csv', 'name');

/** Ranks the context before the environment, for the proxy only (docs/conventions.md 2.15). */
function proxyPlaces([flag, ...rest]: readonly Candidate[], context: readonly Candidate[]): Candidate[] {
  return flag === undefined ? [...context] : [flag, ...context, ...rest];
}
