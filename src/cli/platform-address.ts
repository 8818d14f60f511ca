import { CliError } from '../core/errors.js';
import { isLoopback, parseBaseUrl } from '../http/base-url.js';

/** The address of a platform as it was given, once it is known to be one; USAGE with a hint for one without a scheme, which on this machine is likely http. */
export function platformAddress(text: string): string {
  const host = /^([^\s/?#@:]+)(?::\d+)?(?:\/|$)/u.exec(text)?.[1];
  if (host !== undefined && isLoopback(host)) {
    throw new CliError('USAGE', `${JSON.stringify(text)} is not an http(s) URL`, {
      hints: [`write the scheme, for example http://${text}`],
    });
  }
  parseBaseUrl(text);
  return text;
}
