import * as z from 'zod/mini';
import type { Column, Described } from '../view-types.js';
import { view } from './view.js';

const From = z.enum(['instance', 'namespace', 'app', 'program', 'run', 'token']);
/** A value in force as JSON has it. */
export const ValueSchema = z.object({
  key: z.string(),
  value: z.string(),
  secret: z.boolean(),
  from: From,
  place: z.string(),
  hides: z.array(z.object({ from: From, place: z.string(), value: z.string() })),
});

/** A value as it is shown; secrets are masked already. */
export type ShownValue = Described<typeof ValueSchema>;

/** An empty value is one, too: a dash says that there is none. */
export const valueText = (value: string | undefined): string | undefined => (value === '' ? '""' : value);

const columns: readonly Column<ShownValue>[] = [
  { key: 'key', value: ({ key }) => key, whole: true },
  { key: 'value', value: ({ value }) => valueText(value), data: ({ value }) => value },
];
const parts = {
  kind: 'PreferenceList',
  none: 'no preferences found',
  schema: ValueSchema,
  name: ({ key }: ShownValue) => key,
};
const origin: readonly Column<ShownValue>[] = [
  { key: 'place', header: 'FROM', value: ({ place }) => place, telling: true },
  { key: 'hides', value: ({ hides }) => hides.map(({ place, value }) => `${place} = ${value}`), spare: 1 },
];

/** Shows values of one level. */
export const preferenceList = view<typeof ValueSchema, ShownValue>({
  ...parts,
  columns: [...columns, { key: 'place', header: 'FROM', value: ({ place }) => place, wide: true }],
});

/** Shows values of all levels with where they come from and what they hide. */
export const preferenceExplanation = view<typeof ValueSchema, ShownValue>({
  ...parts,
  columns: [...columns, ...origin],
});

/** Shows the stored arguments of a pipeline. */
export const argumentList = view<typeof ValueSchema, ShownValue>({
  ...parts,
  kind: 'ArgumentList',
  none: 'no arguments found',
  columns: [...columns, { key: 'place', header: 'FROM', value: ({ place }) => place, wide: true }],
});

/** Shows what a run would find as arguments, with where they come from and what they hide. */
export const argumentExplanation = view<typeof ValueSchema, ShownValue>({
  ...parts,
  kind: 'ArgumentList',
  none: 'no arguments found',
  columns: [...columns, ...origin],
});

const Missing = z.object({
  namespace: z.string(),
  pipeline: z.string(),
  macro: z.string(),
  fault: z.enum(['no-value', 'loop', 'not-closed']),
  stage: z.string(),
  property: z.string(),
  via: z.array(z.string()),
  setBy: z.optional(z.string()),
});

/** A macro of a pipeline that a run could not replace. */
export type ShownMacro = z.infer<typeof Missing>;

/** Shows macros without a value. */
export const missingMacros = view<typeof Missing, ShownMacro>({
  kind: 'MissingMacroList',
  none: 'every macro has a value',
  schema: Missing,
  name: ({ macro }) => macro,
  columns: [
    { key: 'pipeline', value: ({ namespace, pipeline }) => `${namespace}/${pipeline}`, whole: true },
    { key: 'macro', value: ({ macro }) => macro, telling: true },
    { key: 'fault', value: ({ fault }) => fault, telling: true },
    { key: 'stage', value: ({ stage }) => stage },
    { key: 'property', value: ({ property }) => property },
    { key: 'via', value: ({ via }) => via, wide: true },
    { key: 'setBy', header: 'MAY BE SET BY', value: ({ setBy }) => setBy, wide: true },
  ],
});

const Change = z.object({
  key: z.string(),
  before: z.optional(z.string()),
  after: z.optional(z.string()),
  secret: z.boolean(),
  state: z.enum(['added', 'changed', 'removed', 'unchanged', 'planned']),
});

/** What became of a key, or in a dry run would. */
export type ShownChange = z.infer<typeof Change>;

/** Shows what was changed, or would be. */
export const preferenceChanges = view<typeof Change, ShownChange>({
  kind: 'PreferenceChangeList',
  none: 'nothing to change',
  schema: Change,
  name: ({ key }) => key,
  columns: [
    { key: 'key', value: ({ key }) => key, whole: true },
    { key: 'before', value: ({ before }) => valueText(before), data: ({ before }) => before },
    { key: 'after', value: ({ after }) => valueText(after), data: ({ after }) => after },
    { key: 'state', value: ({ state }) => state, telling: true },
  ],
});
