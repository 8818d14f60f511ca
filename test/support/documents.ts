import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './processes/run-cli.js';

/** A file of the repository. */
export const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** README.md. */
export const README = read('README.md');

/** Pages of their own that README leaves the rest to, and the commands that they tell of. */
export const GUIDES = [
  ['docs/upgrade-in-ci.md', /^upgrade\b/u],
  ['docs/reports.md', /^report\b/u],
  ['docs/dashboard-and-metrics.md', /^(?:dashboard|metrics)\b/u],
  ['docs/operate-pipelines.md', /^pipeline\b/u],
  ['docs/arguments-and-schedules.md', /^(?:args|preferences|schedule)\b/u],
] as const;

/** A chapter by its title, of README or of the page that is given. */
export function chapter(title: string, page = README): string {
  const from = page.indexOf(`\n## ${title}\n`);
  if (from === -1) throw new Error(`there is no chapter "${title}"`);
  const end = page.indexOf('\n## ', from + 1);
  return page.slice(from, end === -1 ? undefined : end);
}

/** The fenced blocks of a text, in order. */
export function blocks(text: string): { readonly language: string; readonly content: string }[] {
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gmsu)].map((match) => ({
    language: match[1] ?? '',
    content: match[2] ?? '',
  }));
}
