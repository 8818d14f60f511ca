import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod/mini';
import type { Look } from '../../../src/output/look.js';
import { keyLines } from '../../../src/output/views/hub/key.js';
import type { RenderOptions, View } from '../../../src/output/view-types.js';
import { displayWidth } from '../../../src/output/width.js';

/** Values as others may choose them. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  long: [
    'an-orders-pipeline-with-a-name-that-is-longer-than-most-'.repeat(4),
    'words of a sentence '.repeat(20).trim(),
  ],
  wide: ['注文処理パイプライン'.repeat(9), '😀👩‍🚀 emoji', 'e\u0301tude '.repeat(30).trim()],
  hostile: [
    'a\u001b[2Jb\u001b]0;t\u0007',
    'c\u009b31m\u0085',
    'd\u202egpj.exe\u2066',
    'two\nlines\r\n\tthree\u2028four',
  ],
  short: ['a', 'bc'],
};
const FOLDER = join(import.meta.dirname, '../../../src/output/views');
const isView = (value: unknown): value is View<never> =>
  typeof value === 'object' && value !== null && 'kind' in value && 'render' in value && 'shape' in value;

const found: (readonly [name: string, view: View<never>])[] = [];
for (const file of readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))) {
  const module = (await import(join(FOLDER, file))) as Record<string, unknown>;
  for (const [name, value] of Object.entries(module)) if (isView(value)) found.push([`${file}: ${name}`, value]);
}

interface JsonSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly additionalProperties?: JsonSchema | false;
}

/** A value of a schema, with texts from a list in turn. */
function valueOf(schema: JsonSchema, texts: readonly string[], turn: { at: number }): unknown {
  turn.at += 1;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[turn.at % schema.enum.length];
  if (schema.anyOf !== undefined) return valueOf(schema.anyOf[0] ?? {}, texts, turn);
  if (schema.properties !== undefined)
    return Object.fromEntries(
      Object.entries(schema.properties).map(([name, of]) => [
        name,
        name.endsWith('At') || name === 'at' ? '2024-05-02T22:01:00Z' : valueOf(of, texts, turn),
      ]),
    );
  switch (schema.type) {
    case 'string':
      return texts[turn.at % texts.length];
    case 'number':
    case 'integer':
      return 1_700_000_000 + turn.at;
    case 'boolean':
      return turn.at % 2 === 0;
    case 'array':
      return [0, 1].map(() => valueOf(schema.items ?? {}, texts, turn));
    case 'object':
      return { key: texts[turn.at % texts.length] };
    default:
      return texts[turn.at % texts.length];
  }
}

const COLUMNS = [60, 80, 200];
/** What is handed on as it is: to a file, to another program. */
const VERBATIM = [
  'keyExport',
  'reportRequest',
  'reportShare',
  'upgradeDiffView',
  'emulatorView',
  'pipelineConfiguration',
  'apiView',
];
const DAY = 86_400;
const START = 1_700_000_000;

type Make = () => unknown;

/** What a service returns for a view, where it is something else than a list of what json has or one of it. */
const RESULTS: Readonly<Record<string, (one: Make, texts: readonly string[]) => unknown>> = {
  Context: (one, texts) => ({ ...(one() as object), change: { renamedFrom: texts[0] ?? '' } }),
  MetricsResult: (one) => ({ series: [one(), one()], startTime: START, endTime: START + DAY, spark: true }),
  ReportRecordList: (one) => ({
    pages: (async function* () {
      yield { records: [one(), one()] };
      await Promise.resolve();
    })(),
    fields: ['namespace', 'applicationName', 'status', 'run', 'user', 'start', 'runtimeArgs'],
    ...{ range: { offset: 0 }, total: 2, namespaces: 2 },
  }),
  HubDownload: (one) => ({ ...(one() as object), typed: (path: string) => path }),
  Dashboard: (one, texts) => ({
    dashboard: {
      items: [one(), one()],
      window: { start: START - DAY, end: START + DAY },
      ...{ now: START, namespaces: ['a', 'b'], notJudged: 0 },
      summary: {
        ...{ total: 2, active: 0, pending: 0, running: 1, suspended: 0, completed: 0 },
        ...{ failed: 1, killed: 0, rejected: 0, scheduled: 0, missed: 0 },
      },
    },
    ...{ target: { url: texts[0] ?? '' }, parts: 'auto', grouping: undefined },
  }),
};
const SHOWN = found.filter(([name]) => ![...VERBATIM, 'packageView'].includes(name.split(' ')[1] ?? ''));

function resultOf({ kind, shape, schema }: View<never>, texts: readonly string[]): unknown {
  const turn = { at: 0 };
  const from = z.toJSONSchema(schema, { io: 'input' }) as JsonSchema;
  const one = (): unknown => valueOf(from, texts, turn);
  return RESULTS[kind]?.(one, texts) ?? (shape === 'list' ? { items: [one(), one()] } : one());
}

async function linesOf(
  view: View<never>,
  texts: readonly string[],
  options: Partial<RenderOptions>,
): Promise<readonly string[]> {
  const look: Look = { terminal: true, color: false, columns: undefined, unicode: true, utc: true };
  let text = '';
  for await (const piece of view.render(resultOf(view, texts) as never, { format: 'table', look, ...options }))
    text += piece;
  return text.split('\n');
}

const on = (columns: number): Pick<RenderOptions, 'look'> => ({
  look: { terminal: true, color: false, columns, unicode: true, utc: true },
});
/** A label of ours and a word that alone is longer than what is left of the line: left to the terminal, so that it can be copied. */
const isOneWord = (line: string, columns: number): boolean =>
  displayWidth(line.trimEnd().split(' ').at(-1) ?? '') > columns - 30;
const PIECES = ['sent', 'sente', 'senten', 'sentenc', 'entence', 'ntence', 'tence', 'ence'];
const UNSAFE = /[\0-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

describe.each(SHOWN)('%s', (_, view) => {
  it.each(COLUMNS.flatMap((columns) => Object.keys(VALUES).map((kind) => [columns, kind] as const)))(
    'on %i columns with %s values leaves no terminal, breaks no word, cuts no cell to a stump, and has nothing raw',
    async (columns, kind) => {
      const lines = await linesOf(view, VALUES[kind] ?? [], on(columns));
      expect(lines.filter((line) => displayWidth(line) > columns && !isOneWord(line, columns))).toEqual([]);
      if (view.shape === 'list' && view.kind !== 'Dashboard')
        expect(lines.filter((line) => displayWidth(line) > columns)).toEqual([]);
      expect(lines.flatMap((line) => line.split(/[^a-z…]+/u)).filter((word) => PIECES.includes(word))).toEqual([]);
      const cut = lines.flatMap((line) => line.split(/ {2,}/u)).filter((cell) => cell.endsWith('…'));
      expect(cut.filter((cell) => displayWidth(cell) < 11)).toEqual([]);
      expect(lines.filter((line) => UNSAFE.test(line))).toEqual([]);
      expect(lines.join('').trim()).not.toBe('');
    },
  );

  it('has all of it as wide, in as many lines on a narrow terminal as elsewhere', async () => {
    const wide = await linesOf(view, VALUES['long'] ?? [], { ...on(60), format: 'wide' });
    if (view.kind !== 'Dashboard') expect(wide.filter((line) => line.includes('…'))).toEqual([]);
  });
});

describe('a clock that is ahead of UTC', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it.each(SHOWN)('has its own days in %s', async (_, view) => {
    vi.spyOn(Date.prototype, 'getTimezoneOffset').mockReturnValue(-9 * 60);
    const { look } = on(200);
    for (const format of ['table', 'wide'] as const) {
      const lines = await linesOf(view, VALUES['short'] ?? [], { format, look: { ...look, utc: false } });
      // Of a whole time in UTC one sees that it is.
      expect(lines.filter((line) => /(?:2023-11-14|2024-05-02)(?!T| 07:13)/u.test(line))).toEqual([]);
    }
  });

  it('has its own days of a key that one has to decide on', () => {
    vi.spyOn(Date.prototype, 'getTimezoneOffset').mockReturnValue(-9 * 60);
    const createdAt = '2024-05-02T22:01:00Z';
    const key = { hub: 'a', base: 'a', fingerprint: 'AB', keyId: 'AB', userIds: [], algorithm: 'rsa', createdAt };
    const lines = keyLines({ ...key, state: 'good', armored: '' }, { ...on(80).look, utc: false });
    expect(lines.slice(3, 5)).toEqual(['created      2024-05-03', 'expires      never']);
  });
});

it('every view is among them, but those that are made for other programs and the one with a test of its own', () => {
  expect(found.length - SHOWN.length).toBeLessThanOrEqual(VERBATIM.length + 1);
  expect(found.length).toBeGreaterThan(30);
});
