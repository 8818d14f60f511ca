import type { HttpAnswer } from '../../../src/http/transport.js';

/** An answer of some words. */
export function answer(
  status: number,
  words = '',
  headers: Readonly<Record<string, string>> = {},
): HttpAnswer & { readonly dropped: () => boolean } {
  let dropped = false;
  return {
    ...{ status, headers, url: 'http://host:11015/v3/x?q=1', method: 'GET', attempts: 2 },
    body: (async function* () {
      yield Buffer.from(words);
    })(),
    discard: async () => void (dropped = true),
    dropped: () => dropped,
  };
}
