import type { Session } from '../cli/session.js';
import { visible } from '../output/escape.js';
import { isTable } from './failed-run.js';

/**
 * The line that tells what a command will change, the same for all commands. Example: `Target: demo http://...
 * namespace etl platform 6.11.0`.
 */
export function targetLine(target: {
  readonly context?: string | undefined;
  readonly url: string;
  readonly where?: string | undefined;
  readonly version: string;
}): string {
  const { context, url, where, version } = target;
  return `Target: ${[context, url, where, `platform ${version}`].flatMap((part) => (part === undefined ? [] : [visible(part)])).join('  ')}`;
}

/** Said beside what a dry run shows, which looks like what a run did. */
export const DRY_RUN = 'dry run: nothing was changed';

const MOST_NAMED = 5;

function wordsOf(names: readonly string[]): string {
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  return `${names.length === 1 ? 'namespace' : 'namespaces'} ${names.slice(0, MOST_NAMED).join(', ')}${more}`;
}

/** The namespaces that a request is about, for a target line; none: all. */
export const whereOf = (names: readonly string[]): string => (names.length === 0 ? 'all namespaces' : wordsOf(names));

/** What decides of which namespaces a list is. */
interface Scope {
  readonly onLine: ReadonlySet<string>;
  readonly flags: { readonly 'all-namespaces': boolean };
  readonly patterns?: readonly string[] | undefined;
}

/** Tells people the namespaces of a list where nothing that they gave names them. Whether it did. */
export function tellScope(
  { onLine, flags, patterns = [] }: Scope,
  names: readonly string[],
  session: Pick<Session, 'argv' | 'env' | 'terminal'>,
): boolean {
  const isNamed = flags['all-namespaces'] || onLine.has('namespace') || patterns.some((one) => one.includes('/'));
  if (isNamed || !isTable(session)) return false;
  session.terminal.tell(visible(`${wordsOf(names)}; -A for all`));
  return true;
}
