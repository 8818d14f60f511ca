import { join } from 'node:path';
import type { Config } from '../config/config-schema.js';
import { checkFolder } from '../state/private-folder.js';
import { readConfig } from '../config/config-file.js';
import type { Folders } from '../config/paths.js';
import { resolveSettings, type Settings } from '../config/precedence.js';
import { findProjectFile } from '../config/project-file.js';
import type { SettingSources } from '../config/setting.js';
import { secretsIn } from './known-secrets.js';
import { placesOf } from './folders.js';
import type { Session } from './session.js';
import { CliError } from '../core/errors.js';
import { shellWord } from '../core/shell-word.js';

const SYSTEM_FILE = '/etc/cdapctl/config.yaml';
const DURATIONS = new Set(['connect-timeout', 'request-timeout']);

/** Flags as a command parsed them. */
export type GivenFlags = Readonly<Record<string, unknown>>;

/** What flags, environment and files say, and the places it was read from. */
export interface FoundSettings {
  readonly settings: Settings;
  readonly sources: SettingSources;
  readonly folders: Folders;
}

/** Where it stands which contexts are protected. */
export interface KnownContexts {
  readonly settings: Pick<Settings, 'context'>;
  readonly sources: Pick<SettingSources, 'user' | 'system'>;
}

/**
 * The flags that are on the command line itself. oclif mixes in those from the environment, which rank lower
 * (docs/conventions.md 2.9, 2.10).
 */
function onlyFlags(flags: GivenFlags, onLine: ReadonlySet<string>): SettingSources['flags'] {
  const given = Object.entries(flags).filter(([name]) => onLine.has(name));
  return Object.fromEntries(
    given.map(([name, value]) => [
      name,
      { value: DURATIONS.has(name) ? `${String(value)}ms` : value, from: `--${name}` },
    ]),
  );
}

/** Reads all places that settings come from, and tells what is odd about the files. */
async function findSources(
  flags: GivenFlags,
  { env, terminal }: Pick<Session, 'env' | 'terminal'>,
  onLine: ReadonlySet<string>,
): Promise<Omit<FoundSettings, 'settings'>> {
  const folders = placesOf(env);
  const project = await findProjectFile(process.cwd());
  checkFolder(folders.config);
  const user = await readConfig(join(folders.config, 'config.yaml'));
  const system = await readConfig(SYSTEM_FILE);
  for (const warning of [...user.warnings, ...system.warnings, ...(project?.warnings ?? [])])
    terminal.warn(warning.code, warning.message);
  for (const { url, hub, proxy } of [user, system].flatMap(({ config }) => Object.values(config.contexts)))
    for (const text of [url, hub, proxy]) for (const secret of secretsIn(text ?? '')) terminal.secrets.add(secret);
  return { sources: { flags: onlyFlags(flags, onLine), environment: env, project, user, system }, folders };
}

/**
 * Reads the configuration files and decides every setting (docs/conventions.md 2.9). `onLine` names the flags that
 * stand on the command line.
 */
export async function findSettings(
  flags: GivenFlags,
  session: Pick<Session, 'env' | 'terminal'>,
  onLine: ReadonlySet<string> = new Set(),
): Promise<FoundSettings> {
  const found = await findSources(flags, session, onLine);
  return { settings: resolveSettings(found.sources), ...found };
}

/**
 * What is configured, even if the chosen context does not exist. For commands that show and repair the configuration.
 */
export async function findKnown(session: Pick<Session, 'env' | 'terminal'>): Promise<FoundSettings> {
  const found = await findSources({}, session, new Set());
  try {
    return { settings: resolveSettings(found.sources), ...found };
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== 'NOT_FOUND') throw error;
    session.terminal.warn('CONFIG', error.message);
    return { settings: resolveSettings(withoutContext(found.sources)), ...found };
  }
}

function withoutContext({ user, system, environment, ...others }: SettingSources): SettingSources {
  const unset = <T extends { readonly config: Config }>(file: T | undefined): T | undefined =>
    file && { ...file, config: { ...file.config, current: undefined } };
  return {
    ...others,
    project: undefined,
    environment: { ...environment, CDAPCTL_CONTEXT: undefined },
    user: unset(user),
    system: unset(system),
  };
}

/** What a line says with one namespace of a list. */
export const namespaceHints = (names: readonly string[]): readonly string[] =>
  names
    .filter((name) => name !== '')
    .slice(0, 5)
    .map((name) => `-n ${shellWord(name)}`);

/** Refuses a list of namespaces where a command takes one, instead of working in the first. */
export function refuseNamespaces({
  settings: { namespaces },
}: {
  readonly settings: Pick<Settings, 'namespaces'>;
}): void {
  const { value = [], from = '' } = namespaces ?? {};
  if (value.length < 2) return;
  throw new CliError('USAGE', `${from} specifies ${value.length} namespaces, but this command takes one`, {
    hints: namespaceHints(value),
  });
}

/** Refuses a pipeline or pattern `NS/NAME` outside of `-n`, and `NAME` where there are several. */
export function refuseOtherNamespace(
  pipeline: string,
  found: { readonly settings: Pick<Settings, 'namespaces'> },
): void {
  const [within = '', name] = pipeline.split('/');
  if (name === undefined) {
    refuseNamespaces(found);
    return;
  }
  const { value = [], origin } = found.settings.namespaces ?? {};
  if (origin !== 'flag' || value.includes(within)) return;
  const selected = `${value.length === 1 ? 'namespace' : 'namespaces'} ${value.join(', ')}`;
  throw new CliError('USAGE', `pipeline ${pipeline} is not in the selected ${selected} (-n)`);
}
