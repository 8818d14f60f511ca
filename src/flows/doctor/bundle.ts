import { resolve } from 'node:path';
import type { Session } from '../../cli/session.js';
import type { FoundSettings } from '../../cli/settings.js';
import { timestamp } from '../../core/clock.js';
import type { Finding } from '../../services/doctor/run-checks.js';
import { writeAtomically } from '../../state/atomic-write.js';
import { effectiveSettings } from '../settings/connections.js';

/** Variables whose values say how the tool is used; of all others only the names are told. */
const TOLD = /^(?:CI|TERM|LANG|LC_ALL|COLUMNS|NO_COLOR|CDAPCTL_(?:OUTPUT|RETRIES|[A-Z]+_TIMEOUT|NAMESPACE|CONTEXT))$/u;
const RELEVANT = /^(?:CDAPCTL_\w+|\w+_proxy|NODE_\w+|CI|TERM|LANG|LC_ALL|COLUMNS|NO_COLOR)$/iu;

/**
 * Writes what a report of a problem needs into a file that only you can read. Secrets are hidden.
 * @throws EXISTS when the file is there and is not to be overwritten
 */
export async function writeBundle(
  { file, overwrite }: { readonly file: string; readonly overwrite: boolean },
  findings: readonly Finding[],
  found: FoundSettings,
  { build, clock, env, terminal }: Pick<Session, 'build' | 'clock' | 'env' | 'terminal'>,
): Promise<string> {
  const { version, commit, node, system } = build;
  const variables = Object.entries(env).filter(([name]) => RELEVANT.test(name));
  const bundle = {
    at: timestamp(clock),
    version: { version, commit, node, system },
    findings,
    settings: effectiveSettings(found),
    environment: Object.fromEntries(variables.map(([name, value]) => [name, TOLD.test(name) ? value : '(set)'])),
    warnings: terminal.warnings,
  };
  const path = resolve(file);
  await writeAtomically(path, `${terminal.hide(JSON.stringify(bundle, null, 2))}\n`, { overwrite });
  return path;
}
