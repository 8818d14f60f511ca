import type { Hide } from './hide-error.js';

/** The beginning of what a server said. Secrets are taken out first, because nobody would recognize a part of one. */
export const wordsOf = (text: string, most: number, hide: Hide = (all) => all): string => hide(text).slice(0, most);

/** A URL without the secrets in its path and query; it stays one. */
export const shownUrl = (url: URL, hide: Hide = (all) => all): string =>
  `${url.origin}${hide(url.href.slice(url.origin.length))}`;
