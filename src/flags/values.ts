import * as Flags from '@oclif/core/flags';
import { closest, didYouMean } from '../core/closest.js';
import { parseDuration } from '../core/duration.js';
import { CliError } from '../core/errors.js';
import { pipelinePattern } from '../core/pipeline-pattern.js';

/** A flag that may stand several times, with one value each: for values that may hold a comma. */
export const several = { multiple: true, multipleNonGreedy: true } as const;

/** A flag with a list: comma-separated, or the flag again for each value. */
export const list = { ...several, delimiter: ',' } as const;

/** A duration with a unit (`90s`, `2h30m`), in milliseconds. */
export const durationFlag = Flags.custom<number>({
  helpValue: 'DURATION',
  parse: async (text) => parseDuration(text),
});

/**
 * A duration of which something is left, in milliseconds.
 * @throws USAGE for none
 */
export function someTime(text: string): number {
  const time = parseDuration(text);
  if (time === 0) throw new CliError('USAGE', `a duration of ${text} expires immediately; use 30d, for example`);
  return time;
}

/** The words of a line that give `forceFileFlag` these files again. */
export const forceFileWords = (files: readonly string[] = []): readonly string[] =>
  files.flatMap((file) => ['--force-file', file]);

/** Files of published versions that may change, as `NAME/VERSION/FILE`. */
export const forceFileFlag = Flags.string({
  ...several,
  summary: 'let this file of a published version change; repeatable',
  helpValue: 'NAME/VERSION/FILE',
  parse: async (text) => {
    if (/^[^/]+\/[^/]+\/[^/]+$/u.test(text)) return text;
    throw new CliError('USAGE', `must be NAME/VERSION/FILE, not ${JSON.stringify(text.slice(0, 80))}`);
  },
});

const pipelines = { helpValue: '[NS/]GLOB', parse: async (text: string) => pipelinePattern(text) } as const;

/** Pipelines by `[NS/]GLOB`, as a list. */
export const pipelineFlag = Flags.custom({ ...pipelines, char: 'p' });

/** Pipelines by `[NS/]GLOB` that are left out. */
export const otherPipelinesFlag = Flags.custom(pipelines);

/**
 * One of the words that a platform knows, in any case of letters.
 * @throws USAGE for another word
 */
export function wordOf(text: string, words: readonly string[], what: string): string {
  const found = words.find((word) => word.toLowerCase() === text.toLowerCase());
  if (found !== undefined) return found;
  const near = closest(text, words);
  throw new CliError('USAGE', `${JSON.stringify(text.slice(0, 40))} is not a ${what}`, {
    lines: [`allowed: ${words.join(', ')}`],
    hints: didYouMean(near),
  });
}
