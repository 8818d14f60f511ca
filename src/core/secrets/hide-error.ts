import { CliError } from '../errors.js';

/** Takes secrets out of a text. */
export type Hide = (text: string) => string;

/**
 * A failure without secrets in any of its texts, wherever these are repeated later. One that has none stays the same
 * object, as others compare it. Its causes are left as they are.
 */
export function withoutSecrets<T>(failure: T, hide: Hide = (text) => text): T | CliError {
  if (!(failure instanceof CliError)) return failure;
  const found: string[] = [];
  const shown = (text: string): string => {
    const hidden = hide(text);
    if (hidden !== text) found.push(hidden);
    return hidden;
  };
  const { hints = [], lines = [], serverSaid, request, target = {} } = failure.details;
  const hidden = new CliError(failure.code, shown(failure.message), {
    ...failure.details,
    hints: hints.map((hint) => (typeof hint === 'string' ? shown(hint) : hint)),
    lines: lines.map(shown),
    serverSaid: serverSaid === undefined ? undefined : shown(serverSaid),
    request: request && { ...request, url: shown(request.url) },
    target: Object.fromEntries(Object.entries(target).map(([name, text]) => [name, shown(text)])),
  });
  return found.length === 0 ? failure : hidden;
}
