import { CliError } from './errors.js';

const MOST_CAUSES = 8;
const MOST_FRAMES = 12;

/**
 * Where an error came from, for `--debug` and crash files: kind, code, message and stack. The same for its causes.
 * Nothing else of an error is taken: those of libraries hold whole configurations, requests and environments.
 */
export function failureTrace(error: unknown): string {
  const lines: string[] = [];
  let at: unknown = error;
  for (let depth = 0; at !== undefined && depth < MOST_CAUSES; depth += 1) {
    const before = depth === 0 ? '' : 'caused by ';
    if (!(at instanceof Error)) return [...lines, `${before}a value that is not an error (${typeof at})`].join('\n');
    lines.push(`${before}${headOf(at)}`, ...framesOf(at));
    at = at instanceof CliError ? at.details.cause : at.cause;
  }
  return lines.join('\n');
}

/**
 * The sentence of an error, where it cannot quote what was read or typed. Undefined for those of parsers and of the
 * command line.
 */
export function ownWords(error: Error): string | undefined {
  if (error instanceof CliError) return error.message;
  const quotes = error instanceof SyntaxError || 'oclif' in error || textOf(error, 'code')?.startsWith('ERR_') === true;
  return quotes ? undefined : error.message;
}

function headOf(error: Error): string {
  const code = error instanceof CliError ? error.code : textOf(error, 'code');
  const facts = [error.constructor.name, code, textOf(error, 'syscall')].filter((fact) => fact !== undefined);
  const words = ownWords(error);
  return `${[...new Set(facts)].join(' ')}${words === undefined || words === '' ? '' : `: ${words}`}`;
}

/** The lines of the stack that name places; its head repeats the message. */
function framesOf(error: Error): string[] {
  const stack = typeof error.stack === 'string' ? error.stack.split('\n') : [];
  return stack.filter((line) => /^ {4}at [^"'`]{1,400}$/u.test(line)).slice(0, MOST_FRAMES);
}

function textOf(error: Error, name: 'code' | 'syscall'): string | undefined {
  const value: unknown = Object.getOwnPropertyDescriptor(error, name)?.value;
  return typeof value === 'string' && /^[A-Za-z][\w-]{0,60}$/u.test(value) ? value : undefined;
}
