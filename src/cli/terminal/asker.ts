import { formatOf } from '../line/argv.js';
import { homeOf } from '../folders.js';
import type { Asker } from './prompts.js';
import type { Session } from '../session.js';
import type { GivenFlags } from '../settings.js';

/** Where a command asks. Undefined off a terminal, with `--no-input` and where a machine reads the result. */
export function askerFor(
  { terminal, env, signal, argv }: Pick<Session, 'argv' | 'env' | 'signal' | 'terminal'>,
  flags: GivenFlags,
  clear: () => void = () => undefined,
): Asker | undefined {
  const format = formatOf(argv, env);
  const machine = format === 'json' || format === 'ndjson';
  if (!terminal.interactive || machine || flags['no-input'] === true) return undefined;
  return { output: terminal.questions, look: terminal.stderr, signal, home: homeOf(env), clear };
}
