import { join } from 'node:path';
import { readConfig } from '../config/config-file.js';
import type { Folders } from '../config/paths.js';
import { resolveSettings, type Settings } from '../config/precedence.js';
import { findProjectFile } from '../config/project-file.js';
import type { SettingSources } from '../config/setting.js';
import { secretsIn } from './known-secrets.js';
import { placesOf } from './places.js';
import type { Session } from './session.js';

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

/** The flags that stand on the line: oclif mixes in those of the environment, which rank below them (`cli.md` 2.9, 2.10). */
function onlyFlags(flags: GivenFlags, onLine: ReadonlySet<string>): GivenFlags {
  const given = Object.entries(flags).filter(([name]) => onLine.has(name));
  return Object.fromEntries(given.map(([name, value]) => [name, DURATIONS.has(name) ? `${String(value)}ms` : value]));
}

/** Reads the configuration files and decides every setting (`cli.md` 2.9); `onLine` names the flags that stand on the command line. */
export async function findSettings(
  flags: GivenFlags,
  { env, terminal }: Session,
  onLine: ReadonlySet<string> = new Set(),
): Promise<FoundSettings> {
  const folders = placesOf(env);
  const project = await findProjectFile(process.cwd());
  const user = await readConfig(join(folders.config, 'config.yaml'));
  const system = await readConfig(SYSTEM_FILE);
  for (const warning of [...user.warnings, ...system.warnings, ...(project?.warnings ?? [])])
    terminal.warn(warning.code, warning.message);
  const sources: SettingSources = { flags: onlyFlags(flags, onLine), environment: env, project, user, system };
  for (const { url, hub, proxy } of [user, system].flatMap(({ config }) => Object.values(config.contexts)))
    for (const text of [url, hub, proxy]) for (const secret of secretsIn(text ?? '')) terminal.secrets.add(secret);
  return { settings: resolveSettings(sources), sources, folders };
}
