import * as z from 'zod/mini';
import { largestOf } from '../../../core/collections.js';
import { lengthText } from '../../../core/duration.js';
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
  /** Whether the log could be read; without it no error is known. */
  logReadable: z.boolean(),
  firstError: z.optional(z.object({ ...line, stackTrace: text })),
  linesBefore: z.array(Line),
  linesAfter: z.array(Line),
  lastGood: z.optional(RunSchema),
  differences: z.array(z.object({ what: z.string(), before: text, now: text, stage: text, property: text })),
  postActions: z.array(z.object({ name: z.string(), plugin: text, runCondition: text })),
});

/** Lines of a stack trace that are shown to people. */
const MOST_OF_STACK = 3;
const WIDEST_KEY = 24;
/** Differences in properties of stages that are shown to people, and how much of a value. */
const MOST_PROPERTIES = 10;
const WIDEST_VALUE = 100;

function* argumentLines(values: readonly ShownValue[]): Generator<string> {
  if (values.length === 0) return;
  yield '';
  yield 'Arguments, and where each came from:';
  const wide = Math.min(WIDEST_KEY, largestOf(values.map(({ key }) => key.length)));
  for (const { key, value, place } of values) yield visible(`  ${key.padEnd(wide)}  ${value}  (${place})`);
}

type Run = z.infer<typeof RunSchema>;

const briefly = (value = '-'): string => (value.length > WIDEST_VALUE ? `${value.slice(0, WIDEST_VALUE)}...` : value);

function* differenceLines(all: Readonly<z.infer<typeof Why>['differences']>): Generator<string> {
  const left = all.filter(({ property }) => property !== undefined).slice(MOST_PROPERTIES);
  for (const one of all)
    if (!left.includes(one)) yield `  ${visible(`${one.what}: ${briefly(one.before)} -> ${briefly(one.now)}`)}`;
  if (left.length > 0) yield `  ${left.length} more properties of stages (--json lists all)`;
}

/** What was the same, and what the platform does not tell of both runs. */
function* comparedLines(run: Run, good: Run, differences: readonly { readonly what: string }[]): Generator<string> {
  const facts: readonly (readonly [what: string, isKnown: boolean])[] = [
    ['version', run.version !== undefined && good.version !== undefined],
    ['arguments', run.runtimeArgs !== undefined && good.runtimeArgs !== undefined],
  ];
  const same = facts.flatMap(([what, isKnown]) => (isKnown ? [what] : []));
  const isSame = differences.every(({ what }) => what === 'duration');
  if (isSame && same.length > 0) yield `  same ${same.join(' and ')}`;
  for (const [what, isKnown] of facts)
    if (!isKnown && differences.every((one) => one.what !== what)) yield `  ${what}: not known`;
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
      `  ${timeText(new Date(timestamp), look, 'seconds')}  ${visible(logLevel.padEnd(5))}  ${visible(message)}`;
    yield* argumentLines(rest.arguments);
    yield '';
    if (firstError === undefined) yield rest.logReadable ? 'The log has no error.' : 'The log cannot be read.';
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
    yield* differenceLines(rest.differences);
    if (lastGood !== undefined) yield* comparedLines(run, lastGood, differences);
    for (const { name, plugin = '', runCondition = 'completion' } of postActions)
      yield visible(`Post-run action: ${name} (${plugin} on ${runCondition})`);
  },
  columns: [
    { key: 'namespace', value: ({ namespace }) => namespace },
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
