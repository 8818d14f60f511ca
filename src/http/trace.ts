/** Headers whose values are shown; those of all others may be anything. */
const SHOWN = new Set([
  'accept',
  'accept-encoding',
  'accept-ranges',
  'age',
  'allow',
  'artifact-plugins',
  'artifact-version',
  'cache-control',
  'connection',
  'content-encoding',
  'content-length',
  'content-range',
  'content-type',
  'date',
  'etag',
  'expect',
  'host',
  'if-none-match',
  'if-range',
  'keep-alive',
  'last-modified',
  'location',
  'range',
  'retry-after',
  'server',
  'transfer-encoding',
  'user-agent',
  'vary',
  'via',
]);

/** Headers as they may be shown: all names, and the values of those that hold no secret. */
export function shownHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, SHOWN.has(name) ? value : '***']));
}
