import * as z from 'zod/mini';
import { largestOf } from '../../../core/collections.js';
import { lengthText } from '../../clock-text.js';
import { visible } from '../../escape.js';
import { paintState } from '../../states.js';
import { itemView } from '../view.js';
import { timeText } from '../../writers/columns.js';
import { ValueSchema, type ShownValue } from '../preferences.js';
import { argumentsText, RunSchema } from './run.js';

const text = z.optional(z.string());
const line = { timestamp: z.number(), timestampAt: z.string(), logLevel: text, message: z.string() };
const Line = z.object(line);

const Why = z.object({
  namespace: z.string(),
  pipeline: z.string(),
  run: RunSchema,
  arguments: z.array(ValueSchema),
  node: text,
  stage: text,
  cause: text,
  firstError: z.optional(z.object({ ...line, stackTrace: text })),
  linesBefore: z.array(Line),
  linesAfter: z.array(Line),
  lastGood: z.optional(RunSchema),
  differences: z.array(z.object({ what: z.string(), before: text, now: text })),
  postActions: z.array(z.object({ name: z.string(), plugin: text, runCondition: text })),
});

/** Lines of a stack trace that are shown to people. */
const MOST_OF_STACK = 3;
const WIDEST_KEY = 24;

function* argumentLines(values: readonly ShownValue[]): Generator<string> {
  if (values.length === 0) return;
  yield '';
  yield 'Arguments, and where each came from:';
  const wide = Math.min(WIDEST_KEY, largestOf(values.map(({ key }) => key.length)));
  for (const { key, value, place } of values) yield visible(`  ${key.padEnd(wide)}  ${value}  (${place})`);
}

/** Shows why a run ended as it did. */
export const whyView = itemView({
  kind: 'PipelineWhy',
  schema: Why,
  name: ({ run }) => run.runid,
  *text({ namespace, pipeline, run, node, stage, cause, firstError, linesBefore, linesAfter, ...rest }, look) {
    const after = run.durationSeconds === undefined ? '' : ` after ${lengthText(run.durationSeconds)}`;
    yield `${visible(`${namespace}/${pipeline}`)}  run ${visible(run.runid)}  ${paintState(look, visible(run.status))}${after}`;
    if (stage !== undefined) yield `stage      ${visible(stage)}`;
    if (node !== undefined) yield `node       ${visible(node)}`;
    if (cause !== undefined) yield `cause      ${visible(cause)}`;
    const shown = ({ timestamp, logLevel = '', message }: z.infer<typeof Line>): string =>
      `  ${timeText(new Date(timestamp), look)}  ${visible(logLevel.padEnd(5))}  ${visible(message)}`;
    yield* argumentLines(rest.arguments);
    yield '';
    if (firstError === undefined) yield 'The log has no error.';
    else {
      yield 'First error in the log:';
      yield* linesBefore.map(shown);
      yield shown(firstError);
      yield* (firstError.stackTrace ?? '')
        .split('\n')
        .slice(0, MOST_OF_STACK)
        .filter((one) => one !== '')
        .map((one) => `    ${visible(one.trim())}`);
      yield* linesAfter.map(shown);
    }
    yield '';
    const { lastGood, differences, postActions } = rest;
    if (lastGood === undefined) yield 'No earlier run is COMPLETED.';
    else
      yield `Last good run: ${visible(lastGood.runid)}${lastGood.starting === undefined ? '' : `, requested ${timeText(new Date(lastGood.starting * 1000), look)}`}`;
    for (const { what, before = '-', now = '-' } of differences) yield `  ${visible(`${what}: ${before} -> ${now}`)}`;
    if (lastGood !== undefined && differences.every(({ what }) => what === 'duration'))
      yield '  same version and arguments';
    for (const { name, plugin = '', runCondition = 'completion' } of postActions)
      yield visible(`Post-run action: ${name} (${plugin} on ${runCondition})`);
  },
  columns: [
    { key: 'pipeline', value: ({ pipeline }) => pipeline },
    { key: 'run', value: ({ run }) => run.runid },
    { key: 'status', value: ({ run }) => run.status },
    { key: 'stage', value: ({ stage }) => stage },
    { key: 'node', value: ({ node }) => node },
    { key: 'cause', value: ({ cause }) => cause },
    { key: 'firstError', value: ({ firstError }) => firstError?.message },
    { key: 'arguments', value: ({ run }) => argumentsText(run.runtimeArgs) },
    { key: 'lastGood', value: ({ lastGood }) => lastGood?.runid },
    { key: 'differences', value: ({ differences }) => differences.map(({ what }) => what) },
  ],
});
