import { CliError } from '../core/errors.js';
import { isSafeSegment } from '../core/names.js';

declare const urlPath: unique symbol;

/** A path whose segments were checked and percent-encoded; nothing else may be sent. */
export type UrlPath = string & { readonly [urlPath]: true };

function encode(segment: string): string {
  if (!isSafeSegment(segment)) {
    throw new CliError('BAD_NAME', `${JSON.stringify(segment.slice(0, 80))} cannot be part of a URL`, {
      hints: ['a name must not be empty, "." or "..", and must not have a slash, a backslash or control characters'],
    });
  }
  return encodeURIComponent(segment);
}

/**
 * Builds a path: ``path`/v3/namespaces/${namespace}` ``. Values become one checked, encoded segment each.
 * @throws BAD_NAME when one is unsafe
 */
export function path(texts: TemplateStringsArray, ...segments: readonly string[]): UrlPath {
  let result = texts[0] ?? '';
  segments.forEach((segment, index) => (result += encode(segment) + (texts[index + 1] ?? '')));
  return result as UrlPath;
}

/** The path one or more segments below another. */
export function below(parent: UrlPath, ...segments: readonly string[]): UrlPath {
  return segments.reduce<string>((result, segment) => `${result}/${encode(segment)}`, parent) as UrlPath;
}

const SEGMENT = /^(?:[\w.~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})*$/u;
const QUERY = /^(?:[\w.~!$&'()*+,;=:@/?[\]-]|%[0-9A-Fa-f]{2})*$/u;

/**
 * A whole path as a person wrote it, with its query if it has one; nothing in it is encoded.
 * @throws USAGE for anything that a server could take for another path
 */
export function writtenPath(text: string): UrlPath {
  const [path = '', ...queries] = text.split('?');
  const segments = path.split('/').slice(1);
  const isPath = segments.every((one) => SEGMENT.test(one) && !/^(?:\.|%2e){1,2}$/iu.test(one));
  if (text.startsWith('/') && !text.startsWith('//') && isPath && QUERY.test(queries.join('?'))) return text as UrlPath;
  throw new CliError('USAGE', `${JSON.stringify(text.slice(0, 200))} is not a path below the address of the platform`, {
    hints: [
      'a path begins with / and has no blanks, as in /v3/namespaces',
      'write other characters as %20 and the like',
    ],
  });
}
