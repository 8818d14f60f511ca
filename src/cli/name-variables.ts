import type { FlagInput } from '@oclif/core/interfaces';
import { CliError } from '../core/errors.js';
import { readLine, tableOf } from './line/argv.js';
import { toCliError } from './errors.js';
import { twinOf } from '../flags/environment-names.js';
import type { Session } from './session.js';

/** Whether a flag stands on a line, by its name or its letter. */
function isOnLine(name: string, flags: FlagInput, argv: readonly string[]): boolean {
  const forms = [`--${name}`, `-${flags[name]?.char ?? '-'}`];
  return readLine(argv, tableOf(flags)).flags.some(({ flag }) => forms.includes(flag));
}

/** An error of a line that names the variable, not the flag, where the value came from there. */
export function namingVariables(
  error: unknown,
  flags: FlagInput,
  argv: readonly string[],
  { env, signal }: Pick<Session, 'env' | 'signal'>,
): CliError {
  const { code, message, details } = toCliError(error, signal);
  const others: string[] = [];
  const named = message.replace(/--([a-z][a-z0-9-]*)/gu, (flag: string, name: string) => {
    const known = flags[name];
    if (known === undefined || (env[twinOf(name)] ?? '') === '' || isOnLine(name, flags, argv)) return flag;
    const value = 'helpValue' in known ? ` ${String(known.helpValue)}` : '';
    others.push(`unset ${twinOf(name)}, or give ${flag}${value}`);
    return twinOf(name);
  });
  return new CliError(code, named, { ...details, hints: [...(details.hints ?? []), ...others] });
}
