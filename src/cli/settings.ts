import { join } from 'node:path';
import { readConfig } from '../config/config-file.js';
import { foldersFrom, type Folders } from '../config/paths.js';
import { resolveSettings, type Settings } from '../config/precedence.js';
import { findProjectFile } from '../config/project-file.js';
import type { SettingSources } from '../config/setting.js';
import type { Session } from './session.js';
import { twinOf } from './flags/twins.js';

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

/** The flags that stand on the line: oclif mixes in those of the environment, which must not count as flags (`cli.md` 2.10). */
function onlyFlags(flags: GivenFlags, env: Session['env']): GivenFlags {
  const entries = Object.entries(flags).filter(([, value]) => value !== undefined && value !== false);
  const given = entries.filter(([name, value]) => {
    const twin = env[twinOf(name)];
    return twin === undefined || twin === '' || (typeof value === 'string' && value !== twin);
  });
  return Object.fromEntries(given.map(([name, value]) => [name, DURATIONS.has(name) ? `${String(value)}ms` : value]));
}

/** Reads the configuration files and decides every setting (`cli.md` 2.9). */
export async function findSettings(flags: GivenFlags, { env, terminal }: Session): Promise<FoundSettings> {
  const folders = foldersFrom(env, env['HOME']);
  const project = await findProjectFile(process.cwd());
  const user = await readConfig(join(folders.config, 'config.yaml'));
  const system = await readConfig(SYSTEM_FILE);
  for (const warning of [...user.warnings, ...system.warnings, ...(project?.warnings ?? [])])
    terminal.warn(warning.code, warning.message);
  const sources: SettingSources = { flags: onlyFlags(flags, env), environment: env, project, user, system };
  return { settings: resolveSettings(sources), sources, folders };
}
