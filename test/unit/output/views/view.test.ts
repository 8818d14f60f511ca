import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { itemView, view } from '../../../../src/output/views/view.js';

interface Job {
  readonly name: string;
  readonly state: 'open' | 'done';
  readonly after?: readonly string[];
}

const parts = { kind: 'JobList', none: 'no jobs found', name: ({ name }: Job) => name, columns: [] };
const fields = { name: z.string(), state: z.enum(['open', 'done']), after: z.optional(z.array(z.string())) };
const Same = z.object(fields);
const Wider = z.object({ ...fields, state: z.string() });
const Unused = z.object({ ...fields, cost: z.optional(z.number()) });
const Never = z.object({ ...fields, state: z.enum(['open', 'done', 'lost']) });
const Narrower = z.object({ ...fields, state: z.enum(['open']) });
const Longer = z.object({ ...fields, cost: z.number() });
const Shorter = z.object({ name: z.string(), after: z.optional(z.array(z.string())) });
const Loose = z.looseObject(fields);

// The compiler is the test: it refuses the file when a line below a directive is allowed, and when another is not.
it('a schema is of the view only if it describes every item, all of it, and nothing else', () => {
  const made = [
    view<typeof Same, Job>({ ...parts, schema: Same }),
    view<typeof Wider, Job>({ ...parts, schema: Wider }),
    view<typeof Loose, Job>({ ...parts, schema: Loose }),
    itemView<typeof Longer, Job>({ ...parts, schema: Longer, json: (job) => ({ ...job, cost: 1 }) }),
    // @ts-expect-error A member of the schema never occurs.
    view<typeof Unused, Job>({ ...parts, schema: Unused }),
    // @ts-expect-error A state of the schema never occurs.
    view<typeof Never, Job>({ ...parts, schema: Never }),
    // @ts-expect-error A state is unknown to the schema.
    view<typeof Narrower, Job>({ ...parts, schema: Narrower }),
    // @ts-expect-error A member of the schema is not in the item.
    itemView<typeof Longer, Job>({ ...parts, schema: Longer }),
    // @ts-expect-error A member of the item is not in the schema.
    view<typeof Shorter, Job>({ ...parts, schema: Shorter }),
    // @ts-expect-error The JSON form lacks a member of the schema.
    view<typeof Longer, Job>({ ...parts, schema: Longer, json: (job) => job }),
    // @ts-expect-error What stands in place of an empty table is missing.
    view<typeof Same, Job>({ kind: 'JobList', name: ({ name }) => name, columns: [], schema: Same }),
  ];
  expect(made.map(({ shape }) => shape)).toEqual([
    'list',
    'list',
    'list',
    'item',
    'list',
    'list',
    'list',
    'item',
    'list',
    'list',
    'list',
  ]);
});

it('without a type of its own an item is what the schema describes', () => {
  const jobs = view({ ...parts, schema: Same, name: ({ name, state }) => `${name} ${state}` });
  const show = (): unknown => [
    jobs.render({ items: [{ name: 'a', state: 'done' }] }, options),
    // @ts-expect-error A result is held to it, too.
    jobs.render({ items: [{ name: 'a', state: 'shut' }] }, options),
  ];
  const look = { terminal: false, color: false, columns: undefined, unicode: true, utc: true };
  const options = { format: 'name', look } as const;
  expect(show()).toHaveLength(2);
});

it('every view is made so, but that of records, whose members nobody checks on their way', () => {
  const folder = join(import.meta.dirname, '../../../../src/output/views');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && name !== 'view.ts',
  );
  const own = files.filter((name) => readFileSync(join(folder, name), 'utf8').includes("shape: '"));
  expect(own).toEqual([join('report', 'records.ts')]);
});
