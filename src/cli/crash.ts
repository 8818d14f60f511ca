import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { timestamp } from '../core/clock.js';
import { failureTrace } from '../core/failure-trace.js';
import { makeFolders } from '../core/files/make-folders.js';
import { placesOf } from './folders.js';
import type { Session } from './session.js';

/**
 * Writes what is known about an unexpected failure, secrets hidden, into the state folder. Undefined when there is no
 * place for it.
 */
export function writeCrashFile(
  error: unknown,
  session: Pick<Session, 'env' | 'build' | 'clock' | 'terminal'>,
): string | undefined {
  const { env, build, clock, terminal } = session;
  const at = timestamp(clock);
  const text = [
    `cdapctl ${build.version} ${build.commit}`,
    `node ${process.version} ${process.platform} ${process.arch}`,
    at,
    '',
    failureTrace(error),
  ];
  try {
    const folder = join(placesOf(env).state, 'crashes');
    const file = join(folder, `${at.replaceAll(':', '-')}-${process.pid}.txt`);
    makeFolders(folder, 0o700);
    writeFileSync(file, terminal.hide(`${text.join('\n')}\n`), { mode: 0o600, flag: 'wx' });
    return file;
  } catch {
    return undefined;
  }
}
