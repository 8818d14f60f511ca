import { visible } from '../output/escape.js';

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
