import fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { PluginUse } from '../../../../../src/services/upgrade/pipeline.js';
import { rewrite } from '../../../../../src/services/upgrade/plan/rewrite.js';
import { readUses } from '../../../../../src/services/upgrade/plugins/plugin-uses.js';
import { thrownBy } from '../../../../support/errors.js';

/** A part of a text: as it stands, or the version of an artifact that an upgrade may replace. */
type Piece = string | { readonly raw: string; readonly version: string };
type Text = readonly Piece[];

const TARGET = '9.9.9-"ü"';

const blank = fc.constantFrom('', '', '', ' ', '\n\t', ' \r\n  ');
const escaped = (text: string): string =>
  `"${[...Array(text.length).keys()].map((at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`;
/** A text as JSON, plainly or with every character escaped. */
const quoted = (text: string): fc.Arbitrary<string> =>
  fc.constantFrom(JSON.stringify(text), JSON.stringify(text), escaped(text));
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.constantFrom('"', '\\', '\\"', '}', '],', '\u2028', '\ud800', '\u0000', '🦆', '{"artifact":{"version":"1"}}'),
);
const scalar = fc.oneof(
  anyText.chain(quoted),
  fc.constantFrom('1', '1.0', '-0', '1e400', '5E-324', '12345678901234567890', '0.10', 'null', 'true', 'false'),
);

const join = (parts: readonly Text[], open: string, close: string, space: string): Text => [
  open,
  ...parts.flatMap((part, index): Text => (index === 0 ? part : [`${space},`, ...part])),
  close,
];
const around = (value: fc.Arbitrary<Text>): fc.Arbitrary<Text> =>
  fc.tuple(blank, value, blank).map(([before, text, after]) => [before, ...text, after]);
const member = (name: string, value: fc.Arbitrary<Text>): fc.Arbitrary<Text> =>
  fc.tuple(around(quoted(name).map((text) => [text])), around(value)).map(([key, text]) => [...key, ':', ...text]);

/** What an artifact looks like, wherever it stands; none of these is to be touched. */
const strayArtifact: fc.Arbitrary<Text> = fc.constantFrom(
  ['{"name":"core-plugins","version":"1.0.0","scope":"SYSTEM"}'],
  ['{ "artifact" : {"version":"1.0.0", "name":"core-plugins"} }'],
  ['{"plugin":{"name":"a","type":"b","artifact":{"name":"c","version":"1.0.0"}}}'],
);
const { any } = fc.letrec<{ any: Text }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar.map((text): Text => [text]),
    strayArtifact,
    fc
      .tuple(fc.array(around(tie('any')), { maxLength: 3 }), blank)
      .map(([items, space]) => join(items, '[', ']', space)),
    fc
      .tuple(
        fc.array(
          anyText.chain((name) => member(name, tie('any'))),
          { maxLength: 3 },
        ),
        blank,
      )
      .map(([members, space]) => join(members, '{', '}', space)),
    fc.integer({ min: 1, max: 40 }).map((depth) => ['['.repeat(depth), ']'.repeat(depth)]),
  ),
}));

/** An object with these members in any order, members of the same names that do not count in front, and unknown ones anywhere. */
function object(live: Readonly<Record<string, fc.Arbitrary<Text>>>): fc.Arbitrary<Text> {
  const names = Object.keys(live);
  const unknown = fc
    .oneof(anyText, fc.constantFrom('__ui__', 'artifact ', '__proto__', 'Stages', 'connections'))
    .filter(
      (name) =>
        !names.includes(name) &&
        !['stages', 'postActions', 'name', 'plugin', 'type', 'artifact', 'version', 'scope'].includes(name),
    )
    .chain((name) => member(name, any));
  const dead =
    names.length === 0
      ? fc.constant([])
      : fc.array(
          fc.constantFrom(...names).chain((name) => member(name, any)),
          { maxLength: 1 },
        );
  const present = fc.tuple(...names.map((name) => member(name, live[name] ?? any)));
  return fc
    .tuple(dead, present, fc.array(unknown, { maxLength: 2 }), blank)
    .chain(([first, known, others, space]) =>
      fc
        .shuffledSubarray([...known, ...others], { minLength: known.length + others.length })
        .map((members) => join([...first, ...members], '{', '}', space)),
    );
}

const fixed = (...texts: readonly string[]): fc.Arbitrary<Text> =>
  fc
    .constantFrom(...texts)
    .chain(quoted)
    .map((text) => [text]);
const version: fc.Arbitrary<Text> = fc
  .oneof(fc.constantFrom('1.0.0', '2.12.0-SNAPSHOT', '[1.0.0, 2.0.0)', '${version}'), anyText)
  .chain((text) => quoted(text).map((raw): Text => [{ raw, version: text }]));
const artifact = fc.oneof(
  {
    weight: 4,
    arbitrary: object({ name: fixed('core-plugins', 'ü'), version, scope: fixed('SYSTEM', 'system', 'USER') }),
  },
  { weight: 1, arbitrary: object({ name: fixed('core-plugins'), version }) },
  { weight: 1, arbitrary: object({ name: fixed('core-plugins'), scope: fixed('SYSTEM') }) },
  { weight: 1, arbitrary: fc.constantFrom<Text>(['null'], ['"core-plugins"'], ['{"name":"a","version":1.0}']) },
);
const named = { name: fixed('File', 'Wrangler'), type: fixed('batchsource', 'transform') };
const plugin = fc.oneof(
  { weight: 4, arbitrary: object({ ...named, artifact, properties: any }) },
  { weight: 1, arbitrary: object(named) },
);
const element = fc.oneof(
  { weight: 5, arbitrary: object({ name: anyText.chain(quoted).map((text): Text => [text]), plugin }) },
  { weight: 1, arbitrary: fc.constantFrom<Text>(['null'], ['"stage"'], ['{}'], ['[[]]'], ['{"name":"a","plugin":1}']) },
);
const list = fc
  .tuple(fc.array(around(element), { maxLength: 3 }), blank)
  .map(([items, space]) => join(items, '[', ']', space));
const configuration = fc
  .tuple(fc.constantFrom('', '', '\ufeff'), around(object({ stages: list, postActions: list })))
  .map(([mark, text]): Text => [mark, ...text]);

const written = (text: Text, replaced: (slot: number) => boolean = () => false): string => {
  let slot = 0;
  return text
    .map((piece) => (typeof piece === 'string' ? piece : replaced(slot++) ? JSON.stringify(TARGET) : piece.raw))
    .join('');
};
const versioned = (text: string): readonly PluginUse[] =>
  readUses(text).uses.filter((use) => use.version !== undefined);
const parsed = (text: string): unknown => JSON.parse(text.replace(/^\ufeff/u, ''));

/** The parsed configuration with some of its versions set by way of its objects. */
function withVersions(text: string, replaced: (slot: number) => boolean): unknown {
  const value = parsed(text);
  let slot = 0;
  for (const [name, list] of Object.entries(value as Record<string, unknown>))
    if (name === 'stages' || name === 'postActions')
      for (const one of list as ({ plugin?: { artifact?: { version?: unknown } } } | null)[]) {
        const found = one?.plugin?.artifact;
        if (typeof found?.version === 'string' && replaced(slot++)) found.version = TARGET;
      }
  return value;
}

describe('a configuration whose plugin versions are rewritten', () => {
  it('changes at the addressed versions and nowhere else, whatever it is made of', () => {
    let [found, rewritten] = [0, 0];
    fc.assert(
      fc.property(configuration, fc.infiniteStream(fc.boolean()), (text, choices) => {
        const before = written(text);
        const uses = versioned(before);
        const inText = uses.toSorted((one, other) => (one.version?.start ?? 0) - (other.version?.start ?? 0));
        const slots = text.flatMap((piece) => (typeof piece === 'string' ? [] : [piece.version]));
        expect(inText.map((use) => use.artifact?.version)).toEqual(slots);
        const chosen = new Set<PluginUse | undefined>(uses.filter(() => choices.next().value));
        const edits = uses.filter((use) => chosen.has(use)).map((use) => ({ use, to: TARGET }));
        const after = rewrite(before, edits);
        expect(after).toBe(written(text, (slot) => chosen.has(inText[slot])));
        const expected = withVersions(before, (index) => chosen.has(uses[index]));
        expect(isDeepStrictEqual(parsed(after), expected)).toBe(true);
        found += uses.length;
        rewritten += edits.length;
      }),
      { numRuns: 300 },
    );
    expect(found).toBeGreaterThan(300);
    expect(rewritten).toBeGreaterThan(100);
  });

  it('does not change when it is rewritten again', () => {
    fc.assert(
      fc.property(configuration, (text) => {
        const before = written(text);
        const all = (one: string): string =>
          rewrite(
            one,
            versioned(one).map((use) => ({ use, to: TARGET })),
          );
        const after = all(before);
        expect(all(after)).toBe(after);
        const same = versioned(before).map((use) => ({ use, to: use.artifact?.version ?? '' }));
        expect(rewrite(before, same)).toBe(before);
      }),
    );
  });

  const ODD = String.raw`{"\u0073tages" : [{"name":"a","plugin":{"name":"F","type":"t","artifact":{"version":"\u0031.0.0","name":"core","scope":"SYSTEM"}}}],"n":1.0}`;

  it('keeps a version that is as it should be, however it is written', () => {
    expect(
      rewrite(
        ODD,
        versioned(ODD).map((use) => ({ use, to: '1.0.0' })),
      ),
    ).toBe(ODD);
    const edits = versioned(ODD).map((use) => ({ use, to: '1.0.1' }));
    expect(rewrite(ODD, edits)).toBe(ODD.replace(String.raw`\u0031.0.0`, '1.0.1'));
  });

  it.for([
    ['without a version', () => ({ artifact: undefined, version: undefined }), 'INTERNAL'],
    ['whose version is something else there', () => ({ version: { start: 3, end: 4 } }), 'BAD_JSON'],
    [
      'of another text',
      (use: PluginUse) => ({ artifact: use.artifact && { ...use.artifact, version: '1.0.1' } }),
      'INTERNAL',
    ],
  ] as const)('is refused for a use %s', ([, change, code]) => {
    const edits = versioned(ODD).map((use) => ({ use: { ...use, ...change(use) }, to: '2.0.0' }));
    expect(edits).toHaveLength(1);
    expect(thrownBy(() => rewrite(ODD, edits)).code).toBe(code);
  });
});
