import { visible } from '../escape.js';

const SPECIAL: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text from outside, safe in the content and in quoted attributes of a page. */
export function htmlText(text: string): string {
  return visible(text).replace(/[&<>"']/gu, (found) => SPECIAL[found] ?? found);
}

/** A position or length on a page in percent, short. */
export function percent(part: number): string {
  return `${Number((Math.min(1, Math.max(0, part)) * 100).toFixed(3))}%`;
}
