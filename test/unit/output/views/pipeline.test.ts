import { expect, it } from 'vitest';
import { pipelineConfiguration } from '../../../../src/output/views/pipeline/pipeline.js';
import { whyView } from '../../../../src/output/views/pipeline/why.js';

const look = { terminal: true, color: false, columns: 80, unicode: true, utc: true };

it.each([
  ['{"stages":[{"name":"a"}]}', true, '{\n  "stages": [\n    {\n      "name": "a"\n    }\n  ]\n}\n'],
  // What cannot be written again as it is stays so.
  ['{"n":12345678901234567890}', true, '{"n":12345678901234567890}\n'],
  ['no json', true, 'no json\n'],
  ['{"stages":[]}', false, '{"stages":[]}\n'],
])('shows a configuration in lines on a terminal only: %s, %s', async (configuration, terminal, expected) => {
  let text = '';
  const item = { namespace: 'etl', name: 'orders', configuration };
  for await (const piece of pipelineConfiguration.render(item, { format: 'table', look: { ...look, terminal } }))
    text += piece;
  expect(text).toBe(expected);
});

async function whyText(known: object, differences: readonly object[]): Promise<string> {
  const run = { runid: 'r', status: 'FAILED', ...known };
  const lists = { arguments: [], linesBefore: [], linesAfter: [], postActions: [] };
  const item = { namespace: 'etl', pipeline: 'orders', logReadable: false, run, lastGood: run, ...lists };
  let text = '';
  for await (const piece of whyView.render({ ...item, differences: differences as never }, { format: 'table', look }))
    text += piece;
  return text;
}

it('shows ten of the properties that differ, with the beginning of long values', async () => {
  const properties = Array.from({ length: 12 }, (_, at) => ({
    what: `p${at}`,
    property: `${at}`,
    now: 'x'.repeat(101),
  }));
  const text = await whyText({}, [...properties, { what: 'duration' }]);
  expect(text.match(/^ {2}p\d+: - ->\s+x{100}\.\.\.$/gmu)).toHaveLength(10);
  expect(text).toContain('\n  duration: - -> -\n  2 more properties of stages (--json lists all)\n');
});

const same = { version: 'v1', runtimeArgs: {} };
it.each<[string, object, readonly object[], readonly string[]]>([
  ['all that was the same', same, [{ what: 'duration' }], ['  same version and arguments']],
  ['a version that is not known', { runtimeArgs: {} }, [], ['  same arguments', '  version: not known']],
  ['arguments that cannot be read', { version: 'v1' }, [], ['  same version', '  arguments: not known']],
  ['neither', {}, [], ['  version: not known', '  arguments: not known']],
  ['a version that only one run has', { runtimeArgs: {} }, [{ what: 'version', now: 'v1' }], []],
  ['what differs', same, [{ what: 'argument a', now: '1' }], []],
])('compares a run with the last good one: %s', async (_, known, differences, expected) => {
  const text = await whyText(known, differences);
  expect(text).toContain('The log cannot be read.');
  expect(text.split('\n').filter((line) => /^ {2}(?:same|\w+: not known)/u.test(line))).toEqual(expected);
});
